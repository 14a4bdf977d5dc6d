"""`lakebook query DIR "SQL"`: one Query operator through the runtime, with its checks and diagnostics."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lakebook.cli import console
from lakebook.cli.sources import StateOption, map_folder, state_folder

if TYPE_CHECKING:
    from lakebook.operators.query import QueryResult
    from lakebook.operators.record import Finding

_LINES = 100  # rows shown to a person; --json has them all


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
    record = result.record
    for finding in record.findings:
        _say(finding)
    if record.verdict == "reject" or record.error:
        return
    shown = result.rows[:_LINES]
    for line in console.aligned([result.columns, *([_cell(value) for value in row] for row in shown)]):
        console.out().print(line, markup=False)
    more = f", the first {len(shown):,} shown (--json gives all)" if len(shown) < len(result.rows) else ""
    cut = f"; more than {len(result.rows):,} were not fetched" if result.more else ""
    console.note(
        f"{len(result.rows):,} row{'s'[: len(result.rows) != 1]}{more}{cut}. Verdict: {record.verdict}."
    )


def _cell(value: object) -> str:
    """Show a value on one line; NULL is empty."""
    return "" if value is None else " ".join(str(value).split())


def _say(finding: Finding) -> None:
    """Say what a rule found: rejected as an error, anything else as a warning."""
    text = f"{finding.rule}: {finding.message}"
    if finding.observed:
        text += f"\n  observed: {finding.observed}"
    if finding.hint:
        text += f"\n  hint: {finding.hint}"
    console.fail(text) if finding.action == "reject" else console.warn(text)
