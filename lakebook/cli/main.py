"""The entry point: global flags, the list of commands, and how every command ends.

Each command is a function in a module of its own; here they only get their names.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

import lakebook
from lakebook.cli import (
    ask,
    config,
    console,
    dagster_ui,
    doctor,
    example,
    export,
    query,
    rerun,
    run,
    search,
    show,
    sources,
    verify,
)
from lakebook.cli import components as components_command
from lakebook.errors import LakebookError

GLOBAL_FLAGS = frozenset({"-q", "--quiet", "-v", "--verbose", "--no-color"})

app = typer.Typer(
    name="lakebook",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Turn a folder of data, old notebooks and a sentence of intent into a verified notebook.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"lakebook {lakebook.__version__}")
        raise typer.Exit


@app.callback()
def global_flags(
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Show no progress.")] = False,
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="Show more, and tracebacks of errors.")
    ] = False,
    no_color: Annotated[bool, typer.Option("--no-color", help="No colour (also: NO_COLOR).")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Take the flags that every command shares."""
    console.configure(quiet=quiet, verbose=verbose, color=not no_color)


app.command("run")(run.run)
app.command("sources")(sources.sources)
app.command("search")(search.search)
app.command("query")(query.query)
app.command("ask")(ask.ask)
app.command("components")(components_command.components)
app.command("rerun")(rerun.rerun)
app.command("show")(show.show)
app.command("verify")(verify.verify)
app.command("export")(export.export)
app.command("dagster")(dagster_ui.dagster)
app.command("example")(example.example)
app.command("doctor")(doctor.doctor)
app.add_typer(config.app, name="config")


def flags_first(words: list[str]) -> list[str]:
    """Move the global flags before the command, so that `lakebook run … -q` means what it says."""
    end = words.index("--") if "--" in words else len(words)
    flags = [word for word in words[:end] if word in GLOBAL_FLAGS]
    return flags + [word for word in words[:end] if word not in GLOBAL_FLAGS] + words[end:]


def main() -> None:
    """Run the command line and exit with the code of the contract (design §4)."""
    # Started from a folder with an `assets.py` or `definitions.py`, child processes must not pick these up.
    os.environ.setdefault("PYTHONSAFEPATH", "1")
    try:
        app(args=flags_first(sys.argv[1:]), prog_name="lakebook")
    except LakebookError as error:
        if console.is_verbose():
            raise
        console.fail(str(error))
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        console.warn("interrupted; what was finished is kept, and the next run goes on from there.")
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        # A folder that may not be written, a full disk: no fault of the program, so no traceback.
        if console.is_verbose():
            raise
        console.fail(f"{error.filename or 'the system says'}: {error.strerror or error}.")
        sys.exit(1)


if __name__ == "__main__":
    main()
