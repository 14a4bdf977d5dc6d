"""`lakebook config show`: every setting with its value and where it came from."""

from __future__ import annotations

import typer
from rich.table import Table

from lakebook.cli import console
from lakebook.settings import load_settings

app = typer.Typer(no_args_is_help=True, help="Show the settings.")


@app.callback()
def config() -> None:
    """Show the settings of this project."""


@app.command("show")
def show(json_output: console.JsonFlag = False) -> None:
    """Show every setting and where it came from (flag, environment, .env, lakebook.toml, default)."""
    settings = load_settings()
    if json_output:
        console.print_json({"root": settings.root, "settings": settings.shown()})
        return
    table = Table(box=None)
    for heading in ("setting", "value", "from"):
        table.add_column(heading)
    for name, shown in settings.shown().items():
        table.add_row(name, shown["value"] or "(not set)", shown["origin"])
    console.out().print(table)
