"""`lakebook search DIR "question"`: which sources a question needs, with evidence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lakebook.cli import console
from lakebook.cli.sources import StateOption, map_folder, state_folder

if TYPE_CHECKING:
    from lakebook.exploration.search import SearchResult


def search(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder with the data files.")],
    question: Annotated[str, typer.Argument(help="What you want to know, in plain words.")],
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many groups to show at most.")] = 10,
    json: console.JsonFlag = False,
    state: StateOption = None,
) -> None:
    """Find the sources that a question needs, and show the rows and passages that say so.

    Example: lakebook search example-lake "average price of organic avocados by region"
    """
    from lakebook.errors import UsageError
    from lakebook.exploration.search import search_lake

    if not question.strip():
        raise UsageError("the question is empty.", hint="Say in words what you want to know.")
    source_map = map_folder(folder, state)
    result = search_lake(source_map, folder, question, limit, state=state_folder(state))
    if json:
        console.print_json(result)
        return
    _print(result)


def _print(result: SearchResult) -> None:
    from rich.markup import escape

    out = console.out()
    if not result.groups:
        console.note("Nothing in this folder matches the question.")
    for number, group in enumerate(result.groups, start=1):
        out.print(f"[bold]{number}. {escape(group.id)}[/]  {group.score:.2f}")
        if len(group.members) > 1:
            out.print(f"   {len(group.members)} members: {', '.join(group.members[:6])}", markup=False)
        out.print(f"   {group.why}", markup=False, style="dim")
    for piece in result.evidence:
        out.print()
        out.print(f"[bold]{escape(piece.path)}[/], {escape(piece.position)} ({escape(piece.coverage)})")
        if isinstance(piece.text_or_rows, str):
            out.print(piece.text_or_rows, markup=False)
        else:
            for row in piece.text_or_rows:
                out.print(
                    "   " + ", ".join(f"{name}={value}" for name, value in row.items())[:400], markup=False
                )
    for note in result.omitted:
        console.note(f"left out: {note}")
