"""From a notebook file to report files: any notebook, also one that we did not write.

Needs no LaTeX, pandoc, browser or network. What does not belong here: the formats themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args
from urllib.parse import quote, unquote

from lakebook.errors import ReportError, UsageError
from lakebook.progress import Progress, silent
from lakebook.report.bundle import figure_files, write_bundle
from lakebook.report.html import write_html
from lakebook.report.markdown import write_markdown
from lakebook.report.markup import path_from
from lakebook.report.outline import Prose, ReportOutline, read_outline
from lakebook.report.pdf import write_pdf
from lakebook.report.reading import read_notebook
from lakebook.report.richtext import Element

Format = Literal["html", "md", "pdf", "zip"]
FORMATS: tuple[Format, ...] = get_args(Format)
RECORDS_NAME = "execution_records.json"


def parse_formats(text: str) -> tuple[Format, ...]:
    """Read a list such as "html,pdf".

    Raises:
        UsageError: a format is unknown, or none is named.
    """
    named = [part.strip().lower().removeprefix(".") for part in text.split(",") if part.strip()]
    aliases = {"markdown": "md", "htm": "html", "bundle": "zip"}
    wanted = [aliases.get(name, name) for name in named]
    unknown = [name for name in wanted if name not in FORMATS]
    if unknown or not wanted:
        what = f"cannot export to {unknown[0]!r}." if unknown else "no format was named."
        raise UsageError(what, hint=f"Use one or more of {','.join(FORMATS)}.")
    return tuple(name for name in FORMATS if name in wanted)


def export_notebook(
    path: Path,
    formats: Sequence[Format] = FORMATS,
    out: Path | None = None,
    *,
    records: Path | None = None,
    progress: Progress = silent,
) -> tuple[Path, ...]:
    """Write reports of a notebook and return their files.

    Args:
        path: the notebook.
        formats: which reports.
        out: folder for them; the notebook's own if None.
        records: execution records for the bundle; `execution_records.json` beside the notebook if None.
        progress: told of every format.

    Raises:
        NotebookError: it is not a notebook.
        ReportError: a file could not be written.
    """
    notebook = read_notebook(path)
    outline = read_outline(notebook, path.stem)
    folder = out or path.parent
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        bundle_extra = _records(records or path.parent / RECORDS_NAME)
        if "zip" in formats:
            # Before links are moved: in the bundle they are what they are in the notebook.
            progress("export", 0, len(formats), "zip")
            data = write_bundle(notebook, outline, path.stem, bundle_extra)
            written.append(_write(folder / f"{path.stem}.zip", data))
        move_links(outline, path.parent, folder)
        for done, kind in enumerate(name for name in formats if name != "zip"):
            progress("export", done + len(written), len(formats), kind)
            written += _write_format(kind, outline, folder, path.stem)
    except OSError as error:
        raise ReportError(
            f"the report cannot be written: {error.strerror or error}.",
            where=str(folder),
            hint="Choose another folder with --out.",
        ) from error
    return tuple(sorted(written, key=lambda file: _order(file, path.stem)))


def _order(file: Path, stem: str) -> tuple[int, str]:
    ending = file.suffix.removeprefix(".")
    is_report = file.stem == stem and ending in FORMATS
    return (FORMATS.index(ending) if is_report else len(FORMATS), str(file))


def _records(path: Path) -> dict[str, bytes]:
    return {RECORDS_NAME: path.read_bytes()} if path.is_file() else {}


def _write_format(kind: Format, outline: ReportOutline, folder: Path, stem: str) -> list[Path]:
    if kind == "html":
        return [_write(folder / f"{stem}.html", write_html(outline).encode())]
    if kind == "pdf":
        return [_write(folder / f"{stem}.pdf", write_pdf(outline))]
    figures = folder / f"{stem}_figures"
    files = figure_files(outline)
    if files:
        figures.mkdir(exist_ok=True)
    text = write_markdown(outline, quote(figures.name))
    return [
        _write(folder / f"{stem}.md", text.encode()),
        *(_write(figures / name, data) for name, data in files.items()),
    ]


def _write(path: Path, data: bytes) -> Path:
    temporary = path.with_name(f".{path.name}.part")
    temporary.write_bytes(data)
    temporary.replace(path)
    return path


def move_links(outline: ReportOutline, start: Path, end: Path) -> None:
    """Rewrite relative links, which are relative to the notebook, for a report in another folder."""
    if start.resolve() == end.resolve():
        return
    for block in outline.blocks:
        body = block.body if not hasattr(block, "source") or isinstance(block, Prose) else None
        for element in body.walk() if isinstance(body, Element) else ():
            href = element.attributes.get("href", "")
            if not href or href.startswith("#") or ":" in href.split("/")[0]:
                continue
            target, mark, fragment = href.partition("#")
            moved = path_from(start / unquote(target), end)
            element.attributes["href"] = quote(moved, safe="/-._~!,:;@'") + mark + fragment
