"""`lakebook search DIR "question"`: which sources a question needs, with evidence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lakebook.cli import console
from lakebook.cli.sources import StateOption, exit_if_unread, map_folder

if TYPE_CHECKING:
    from lakebook.exploration.evidence import Evidence
    from lakebook.exploration.search import FoundGroup, SearchResult
    from lakebook.exploration.selection import Selector
    from lakebook.settings import Settings

_MEMBERS_SHOWN = 5
_ROW_LETTERS = 400


def search(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder with the data files.")],
    question: Annotated[str, typer.Argument(help="What you want to know, in plain words.")],
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many groups to show at most.")] = 10,
    json: console.JsonFlag = False,
    state: StateOption = None,
) -> None:
    """Find the sources that a question needs, and show the rows and passages that say so.

    Files that belong together are one group; a date in the question chooses among its members. Exit code 4
    says that some files could not be read: what they hold was not searched.

    Example: lakebook search example-lake "average price of organic avocados by region"
    """
    from lakebook.errors import UsageError
    from lakebook.exploration.search import search_lake
    from lakebook.settings import load_settings

    if not question.strip():
        raise UsageError("the question is empty.", hint="Say in words what you want to know.")
    settings = load_settings({"state": str(state.resolve()) if state else None})
    source_map = map_folder(folder, state)
    progress = console.LineProgress()
    try:
        result = search_lake(
            source_map, settings.state, question, limit, selector=_selector(settings), progress=progress
        )
    finally:
        progress.done()
    if json:
        console.print_json(result)
    else:
        _print(result)
    exit_if_unread(source_map)


def _selector(settings: Settings) -> Selector | None:
    """Open the models that are set, and say what leaves for them."""
    chosen = settings.language_model or settings.embedding_model
    if chosen is None:
        return None
    # The client is loaded only where a model is set: offline searches should not pay for it.
    from lakebook.analyst.model.client import shown_address
    from lakebook.analyst.model.ledger import LEDGER
    from lakebook.exploration.model import open_selector

    names = [model.name for model in (settings.language_model, settings.embedding_model) if model]
    console.note(
        f"Asked at {shown_address(chosen.base_url)}: {' and '.join(names)}. What leaves: the question, paths "
        "of files, names and types of columns, numbers of rows; each request is kept in "
        f"{settings.state / LEDGER}."
    )
    return open_selector(settings)


def _print(result: SearchResult) -> None:
    if not result.groups:
        console.note("Nothing in this folder matches the question.")
    for number, group in enumerate(result.groups, start=1):
        _print_group(number, group)
    for piece in result.evidence:
        _print_evidence(piece)
    for note in result.notes:
        console.note(note)
    for note in result.omitted:
        console.note(f"left out: {note}")


def _print_group(number: int, group: FoundGroup) -> None:
    from rich.markup import escape

    out = console.out()
    out.print(f"[bold]{number}. {escape(_name(group.id))}[/]  {group.score:.2f}")
    if len(group.members) > 1:
        first = group.selected or group.matched or group.members
        which = f"{len(group.selected):,} chosen by date" if group.selected else "best first"
        shown = ", ".join(first[:_MEMBERS_SHOWN]) + (" …" if len(first) > _MEMBERS_SHOWN else "")
        out.print(f"   {len(group.members):,} members, {which}: {_name(shown)}", markup=False)
    for reason in group.why.split("; "):
        out.print(f"   {_name(reason)}", markup=False, style="dim")


def _print_evidence(piece: Evidence) -> None:
    from rich.markup import escape

    out = console.out()
    out.print()
    out.print(
        f"[bold]{escape(_name(piece.path))}[/], {escape(_name(piece.position))} ({escape(piece.coverage)})"
    )
    if isinstance(piece.text_or_rows, str):
        for line in piece.text_or_rows.splitlines():
            out.print(f"   | {console.visible(line)}", markup=False)
        return
    for row in piece.text_or_rows:
        cells = ", ".join(f"{name}={value}" for name, value in row.items())
        out.print(f"   | {console.visible(cells[:_ROW_LETTERS])}", markup=False)


def _name(text: str) -> str:
    """Show a name on one line."""
    return console.visible(text).replace("\n", " ")
