"""`lakebook query DIR "SQL"`: one Query operator through the runtime, with its checks and diagnostics."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lakebook.cli import console
from lakebook.cli.sources import StateOption, map_folder, state_folder

if TYPE_CHECKING:
    from lakebook.operators.query import QueryResult
    from lakebook.operators.record import Finding

_LINES = 100  # rows shown to a person; --json has them all
_WIDTH = 10_000  # of a line that goes to a file or a pipe: nothing is cut there


def query(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The lake.")],
    sql: Annotated[str, typer.Argument(metavar="SQL", help="One SELECT over the tables of the lake.")],
    confirm_cross: Annotated[
        bool, typer.Option("--confirm-cross", help="Products without a pairing condition are meant.")
    ] = False,
    json: console.JsonFlag = False,
    state: StateOption = None,
) -> None:
    """Check a SELECT against what is known of the lake, run it, and say what is odd about the result.

    Exit code 3: a rule rejected the statement, and nothing was run.

    Example: lakebook query example-lake "SELECT region, avg(average_price) FROM avocados GROUP BY region"
    """
    from lakebook.operators.runtime import Runtime
    from lakebook.sources.profile import table_file

    source_map = map_folder(folder, state)
    kept = state_folder(state)
    with Runtime(source_map, lambda card, unit: table_file(kept, card, unit)) as runtime:
        result = runtime.query(sql, confirm_cross=confirm_cross, purpose="command line")
    _print_json(result) if json else _print_text(result)
    if result.record.verdict == "reject":
        raise typer.Exit(3)
    if result.record.error:
        console.fail(f"the query failed: {result.record.error}")
        raise typer.Exit(1)


def _print_json(result: QueryResult) -> None:
    record = result.record
    console.print_json(
        {
            "verdict": record.verdict,
            "findings": record.findings,
            "columns": result.columns,
            "rows": result.rows,
            "row_count": len(result.rows),
            "rows_left_out": result.more,
            "error": record.error,
            "record": record,
        }
    )


def _print_text(result: QueryResult) -> None:
    from rich.markup import escape
    from rich.table import Table

    record = result.record
    for finding in record.findings:
        _say(finding)
    if record.verdict == "reject" or record.error:
        return
    table = Table(box=None, pad_edge=False)
    for name in result.columns:
        table.add_column(escape(name), no_wrap=True)
    for row in result.rows[:_LINES]:
        table.add_row(*("" if value is None else escape(str(value)) for value in row))
    console.out().print(table, width=None if sys.stdout.isatty() else _WIDTH)
    shown = min(len(result.rows), _LINES)
    more = f", the first {shown:,} shown (--json gives all)" if shown < len(result.rows) else ""
    cut = f"; more than {len(result.rows):,} were not fetched" if result.more else ""
    console.note(f"{len(result.rows):,} rows{more}{cut}. Verdict: {record.verdict}.")


def _say(finding: Finding) -> None:
    """Say what a rule found: rejected as an error, anything else as a warning."""
    text = f"{finding.rule}: {finding.message}"
    if finding.observed:
        text += f"\n  observed: {finding.observed}"
    if finding.hint:
        text += f"\n  hint: {finding.hint}"
    console.fail(text) if finding.action == "reject" else console.warn(text)
