"""`lakebook sources DIR`: the source map and its cards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lakebook.cli import console
from lakebook.errors import UsageError
from lakebook.sources.curated import CURATED_FILE

if TYPE_CHECKING:
    from rich.table import Table

    from lakebook.settings import Settings
    from lakebook.sources.card import Manifest, SourceCard, SourceMap, SourceUnit
    from lakebook.sources.profile import CardListener

UNREAD_EXIT = 4
_TITLES = ("file", "table", "rows", "columns", "status", "roles")
_COUNTS = ("rows", "columns")
# Rows, columns, status and what roles need at least, with the room between.
_NARROW_COLUMNS = 9 + 9 + 9 + 28
_STATUS_WORDS = {"ok": "read whole", "partial": "in part", "failed": "not readable", "skipped": "not read"}

StateOption = Annotated[
    Path | None, typer.Option("--state", metavar="DIR", help="Where cards and tables are kept.")
]


def sources(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder with the data files.")],
    json: console.JsonFlag = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Also write the map as one HTML page.")
    ] = None,
    suggest: Annotated[
        bool,
        typer.Option("--suggest", help="Write a first sources.yml for your notes."),
    ] = False,
    state: StateOption = None,
) -> None:
    """Show what a folder of data holds: one card a file, types and roles of columns, rows accounted for.

    Exit code 4 says that some files could not be read, wholly or in part.

    Notes in a `sources.yml`, beside lakebook.toml or in the folder, win over what was guessed.

    Example: lakebook sources example-lake --html sources.html
    """
    settings = _settings(state)
    target = settings.root / CURATED_FILE
    if suggest:
        _check_no_notes(target, folder)
    source_map, notes = _map(folder, settings)
    if html is not None:
        _write_page(source_map, folder, html, settings.state, notes)
    if suggest:
        _write_suggestion(source_map, target)
    if json:
        console.print_json(document(source_map, notes))
    else:
        _print_map(source_map)
        for note in notes:
            console.warn(note)
        console.note(_sum_up(source_map))
    exit_if_unread(source_map)


def exit_if_unread(source_map: SourceMap) -> None:
    """End with exit code 4 if some files could not be read, wholly or in part."""
    if any(card.status in ("failed", "partial") for card in source_map.cards):
        raise typer.Exit(UNREAD_EXIT)


def map_folder(folder: Path, state: Path | None, *, only: str = "") -> SourceMap:
    """Scan and profile a folder with progress; what people wrote of it stands on the cards.

    With `only`, nothing but the file of that name in it is read.

    Raises:
        UsageError: the folder is missing or holds no file, or the notes are not what they may be.
    """
    return _map(folder, _settings(state), only)[0]


def _map(folder: Path, settings: Settings, only: str = "") -> tuple[SourceMap, tuple[str, ...]]:
    """Return the map of a folder, and the entries of the notes that fit nothing."""
    from lakebook.sources.curated import NOTHING, unused_entries
    from lakebook.sources.curated_file import find_curated, read_curated
    from lakebook.sources.map_lake import map_lake
    from lakebook.sources.scan import scan

    notes = find_curated(settings.root, folder)
    curated = read_curated(notes) if notes is not None else NOTHING
    progress = console.LineProgress()
    manifest = _one_file(folder, only) if only else scan(folder, progress, settings.state)
    if not manifest.files and not manifest.problems:
        raise UsageError("the folder holds no files.", where=str(folder), hint="Put data files there.")
    try:
        source_map = map_lake(
            folder,
            manifest,
            settings.state,
            curated=curated,
            day_order=settings.day_order,
            progress=progress,
            on_card=_first_look(progress),
        )
    finally:
        progress.done()
    return source_map, unused_entries(source_map, curated)


def _one_file(folder: Path, name: str) -> Manifest:
    """Return the manifest of one file, so that its neighbours are not read."""
    from lakebook.sources.card import FileEntry, Manifest
    from lakebook.storage import hash_file

    path = folder / name
    return Manifest((FileEntry(name, path.stat().st_size, hash_file(path)),))


def _first_look(progress: console.LineProgress) -> CardListener:
    """Return a listener that says on stderr what the first rows of a large file show."""
    from lakebook.sources.profile import FIRST_LOOK

    def tell(card: SourceCard) -> None:
        for unit in card.units:
            if unit.kind == "table" and card.reason.startswith(FIRST_LOOK):
                types = ", ".join(f"{column.name} ({column.type})" for column in unit.columns[:8])
                more = f" and {len(unit.columns) - 8} more" if len(unit.columns) > 8 else ""
                progress.done()
                console.note(f"{card.path}: first look at {unit.rows:,} rows: {types}{more}")

    return tell


def state_folder(state: Path | None) -> Path:
    """Return the state folder: the one given, else that of the settings."""
    return _settings(state).state


def _settings(state: Path | None) -> Settings:
    from lakebook.settings import load_settings

    return load_settings({"state": str(state.resolve()) if state else None})


def _write_page(source_map: SourceMap, folder: Path, target: Path, state: Path, notes: Sequence[str]) -> None:
    from lakebook.report.sources_page import write_sources_page
    from lakebook.storage import replacing

    page = write_sources_page(source_map, folder.resolve().name, state, notes)
    with replacing(target) as temporary:
        temporary.write_text(page, encoding="utf-8")
    console.note(f"page: {target}")


def _check_no_notes(target: Path, folder: Path) -> None:
    """Refuse a suggestion that would overwrite notes, or hide those in the lake: the project's come first."""
    from lakebook.sources.curated_file import find_curated

    written = target if target.exists() else find_curated(target.parent, folder)
    if written is not None:
        raise UsageError(
            f"there is a {CURATED_FILE} already.",
            where=str(written),
            hint="Move it away first: what people wrote is never overwritten, nor hidden by a suggestion.",
        )


def _write_suggestion(source_map: SourceMap, target: Path) -> None:
    from lakebook.sources.suggest import suggest as suggestion
    from lakebook.storage import replacing

    with replacing(target) as temporary:
        temporary.write_text(suggestion(source_map), encoding="utf-8")
    console.note(f"notes to fill in: {target}")


def document(source_map: SourceMap, notes: Sequence[str] = ()) -> dict[str, Any]:
    """Return the JSON document of the command."""
    files = []
    for card in source_map.cards:
        plain = console.plain(card)
        for unit, seen in zip(plain["units"], card.units, strict=True):
            unit["coverage"] = "complete" if seen.coverage.complete else "partial"
            unit["coverage_note"] = seen.coverage.note
        files.append(plain)
    return {"files": files, "groups": console.plain(source_map.groups), "notes": list(notes)}


def _print_map(source_map: SourceMap) -> None:
    from lakebook.sources.adding_up import find_copies

    out = console.out()
    rows = [cells for card in source_map.cards for cells in _rows(card)]
    if out.is_terminal:
        out.print(_table(rows, out.width))
    else:
        for line in _lines(rows):
            out.print(line, markup=False)
    if source_map.groups:
        out.print()
        for group in source_map.groups:
            read = f", read as table {group.table} with {group.member_column}" if group.table else ""
            out.print(_shown(f"group {group.id}: {len(group.members)} members{read}, {group.why}"))
            for name, reason in group.left_out:
                out.print(_shown(f"  left out: {name}: {reason}"))
    copies = find_copies(source_map)
    if copies:
        out.print()
        for paths in copies:
            out.print(_shown(f"same content: {', '.join(paths)}"))
    _print_warnings(source_map)


def _table(rows: Sequence[tuple[str, ...]], width: int) -> Table:
    """Return the table for a terminal.

    A name that is broken over lines cannot be copied into a query: where the terminal is narrow, names of
    tables get a line of their own.
    """
    from rich.table import Table

    titles = list(_TITLES)
    files, names = ([len(_unmarked(row[at])) for row in rows] for at in (0, 1))
    if max(files, default=0) + max(names, default=0) + _NARROW_COLUMNS > width:
        rows = [(f"{file}\n  [dim]{name}[/]" if name else file, *rest) for file, name, *rest in rows]
        titles[:2] = ["file and table"]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in titles:
        table.add_column(title, justify="right" if title in _COUNTS else "left", overflow="fold")
    for cells in rows:
        table.add_row(*cells)
    return table


def _lines(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield the table for a pipe: one line a unit however long, so that it can be searched by line."""
    shown = [_TITLES, *(tuple(map(_unmarked, row)) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for row in shown:
        cells = (
            cell.rjust(width) if title in _COUNTS else cell.ljust(width)
            for title, cell, width in zip(_TITLES, row, widths, strict=True)
        )
        yield "  ".join(cells).rstrip()


def _unmarked(cell: str) -> str:
    from rich.text import Text

    return Text.from_markup(cell).plain


def _sum_up(source_map: SourceMap) -> str:
    counts = [
        f"{number:,} {_STATUS_WORDS[status]}"
        for status in _STATUS_WORDS
        if (number := sum(card.status == status for card in source_map.cards))
    ]
    files = len(source_map.cards)
    return f"{files:,} file{'s'[: files != 1]}: {', '.join(counts)}."


def _rows(card: SourceCard) -> list[tuple[str, ...]]:
    colors = {"ok": "green", "partial": "yellow", "failed": "red", "skipped": "dim"}
    status = f"[{colors[card.status]}]{card.status}[/]"
    if not card.units:
        return [(_shown(card.path), "", "", "", status, _shown(card.reason))]
    rows: list[tuple[str, ...]] = []
    for unit in card.units:
        name = _shown(f"{card.path}#{unit.unit}" if unit.unit else card.path)
        if unit.kind == "text":
            rows.append((name, "", "", "", status, f"text of {unit.text_length:,} characters"))
        elif unit.kind != "table":
            said = ", ".join(f"{key} {value}" for key, value in unit.attributes[:4])
            rows.append((name, "", "", "", status, _shown(f"{unit.kind}: {said}")))
        else:
            rows.append((name, unit.table, f"{unit.rows:,}", f"{len(unit.columns):,}", status, _roles(unit)))
    return rows


def _shown(text: str) -> str:
    """Make a text of a file, or its name, fit for a cell: one line, nothing in it steers the terminal."""
    from rich.markup import escape

    return escape(console.visible(text).replace("\n", " "))


def _roles(unit: SourceUnit) -> str:
    from collections import Counter

    counts = Counter(column.role for column in unit.columns)
    return ", ".join(f"{count} {role}" for role, count in counts.most_common())


def _print_warnings(source_map: SourceMap) -> None:
    from lakebook.sources.adding_up import loaded_totals

    for card in source_map.cards:
        if card.reason and card.units:
            console.warn(f"{card.path}: {card.reason}")
        for unit in card.units:
            place = f"{card.path}#{unit.unit}" if unit.unit else card.path
            skipped = (f"skipped {note}" for note in unit.skipped)
            for text in (*unit.warnings, *loaded_totals(unit), *skipped):
                console.warn(f"{place}: {text}")
            for row in unit.rejected[:3]:
                console.warn(f"{place}: line {row.line:,} rejected: {row.reason}")
            for column in unit.columns:
                for text in column.warnings:
                    console.warn(f"{place}: column {column.name}: {text}")
