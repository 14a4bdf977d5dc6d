"""`lakebook dagster`: Dagster's UI on this project's history."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from lakebook.cli import console
from lakebook.settings import load_settings


def dagster(
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1.")] = 3000,
    host: Annotated[
        str, typer.Option(help="Address to listen on; anyone who reaches it can start runs.")
    ] = "127.0.0.1",
) -> None:
    """Open the Dagster UI: the asset graph, runs, checks, and the notebooks.

    Example: lakebook dagster --port 3333
    """
    from definitions.launch import dagster_home

    home = dagster_home(load_settings().state)
    environment = dict(os.environ, DAGSTER_HOME=str(home), PYTHONSAFEPATH="1")
    console.note(f"Dagster UI: http://{host}:{port}  (history in {home}; Ctrl-C ends it)")
    workspace = str(home / "workspace.yaml")
    command = [sys.executable, "-m", "dagster", "dev", "-w", workspace, "-h", host, "-p", str(port)]
    os.execve(sys.executable, command, environment)  # noqa: S606 - our own interpreter, no shell
