"""What `lakebook ask` shows: actions as they come on stderr, and at the end how the answer was computed."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lakebook.cli import console

if TYPE_CHECKING:
    from pathlib import Path

    from lakebook.agent.kept import Asked
    from lakebook.agent.outcome import Outcome
    from lakebook.agent.protocol import Turn
    from lakebook.operators.record import DataInput, ExecutionRecord

_ROWS = 20
_LETTERS = 600


class Teller:
    """Tells on stderr what happens; a reply is shown live on a terminal, else once it is whole."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty() and not console.is_quiet()
        self._open = False

    def heard(self, text: str) -> None:
        """Show a piece of a reply."""
        if self._live and text:
            sys.stderr.write(console.visible(text))
            sys.stderr.flush()
            self._open = True

    def said(self, number: int, reply: str, turn: Turn | None) -> None:
        """Show a reply: its actions, or that it could not be read."""
        if self._open:
            sys.stderr.write("\n")
            self._open = False
        if turn is None:
            console.note(f"{number}. The reply could not be read, and is asked for again: {_short(reply)}")
            return
        if self._live:
            return
        for tag, text in turn.thoughts:
            console.note(f"{number}. {tag}: {_short(text)}")
        for operation in turn.operations:
            code = getattr(operation, "sql", None) or getattr(operation, "code", None)
            what = code or ", ".join(f"{key} {value}" for key, value in operation.arguments.items())
            console.note(f"{number}. {operation.operator}: {_short(str(what))}")
        if turn.answer is not None:
            console.note(f"{number}. Answer: {_short(turn.answer.text)}")
        if turn.ask:
            console.note(f"{number}. Ask: {_short(turn.ask)}")

    def ran(self, record: ExecutionRecord) -> None:
        """Show what came of an operation."""
        console.note(f"   {record.id} {record.operator}: {_came(record)}")
        for finding in record.findings:
            if finding.action != "not_checked":
                hint = f" {finding.hint}" if finding.hint else ""
                console.note(f"   {finding.action} {finding.rule}: {finding.message}{hint}")

    def told(self, text: str) -> None:
        """What goes back to the model is kept, not shown."""


def _came(record: ExecutionRecord) -> str:
    if record.error:
        return f"failed: {record.error}"
    rows = record.result.get("row_count") if isinstance(record.result, dict) else None
    return record.verdict + (f", {rows:,} row{'s'[: rows != 1]}" if isinstance(rows, int) else "")


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _LETTERS else f"{words[:_LETTERS]} …"


def print_answer(outcome: Outcome) -> None:
    """Print the answer and how it was computed on stdout."""
    answer = outcome.answer
    if answer is None:
        return
    out = console.out()
    for line in _answer_lines(answer.text, answer.value):
        out.print(console.visible(line), markup=False)
    out.print()
    for line in _how(outcome):
        out.print(console.visible(line), markup=False)


def _answer_lines(text: str, value: Any) -> Iterator[str]:
    yield text
    grid = value if isinstance(value, dict) and {"columns", "rows"} <= value.keys() else None
    if grid:
        yield ""
        rows = [[("" if cell is None else str(cell)) for cell in row] for row in grid["rows"][:_ROWS]]
        yield from console.aligned([[str(name) for name in grid["columns"]], *rows])
        if len(grid["rows"]) > _ROWS:
            yield f"… and {len(grid['rows']) - _ROWS:,} more rows (--json gives all)"


def _how(outcome: Outcome) -> Iterator[str]:
    assert outcome.answer is not None  # noqa: S101  print_answer has seen to it
    yield "How it was computed:"
    for record in outcome.resting_on:
        yield f"  {record.id}, {record.operator}, {record.verdict}"
        for line in code_of(record).splitlines():
            yield f"    {line}"
        for repair in record.repairs:
            yield f"    repaired ({repair.kind}): {repair.reason}{'; not taken' if repair.refused else ''}"
    for line in source_lines(outcome.resting_on):
        yield f"  read: {line}"
    for assumption in outcome.answer.assumptions:
        yield f"Assumption: {assumption}"
    for name, finding in outcome.findings:
        if finding.action != "pass":
            hint = f" {finding.hint}" if finding.hint else ""
            yield f"{finding.action} {finding.rule} ({name}): {finding.message}{hint}"
    yield from outcome.notes
    yield f"Verdict: {outcome.verdict}. Answered by: {outcome.by}."


def document(outcome: Outcome, asked: Asked, folder: Path) -> dict[str, Any]:
    """Return the JSON document of an outcome (design §4: answer, type, references, records, verdict)."""
    answer = outcome.answer
    by_id = {record.id: record for record in outcome.records}
    return {
        "answer": answer.value if answer else None,
        "type": answer.type if answer else None,
        "text": answer.text if answer else "",
        "unit": asked.contract.unit,
        "references": [
            {
                "record": one.record,
                "path": one.path,
                "value": one.value,
                "code": code_of(by_id[one.record]) if one.record in by_id else "",
                "sources": by_id[one.record].inputs if one.record in by_id else (),
            }
            for one in (answer.references if answer else ())
        ],
        "records": outcome.records,
        "verdict": outcome.verdict,
        "findings": [{"record": name, "finding": finding} for name, finding in outcome.findings],
        "assumptions": answer.assumptions if answer else (),
        "ending": outcome.ending,
        "reason": outcome.reason,
        "by": outcome.by,
        "rounds": outcome.rounds,
        "notes": outcome.notes,
        "ablations": asked.ablations,
        "run": folder,
    }


def code_of(record: ExecutionRecord) -> str:
    """Return what a record ran: its SQL or code, else its arguments."""
    code = record.arguments.get("sql") or record.arguments.get("code")
    return str(code) if code else ", ".join(f"{key} {value}" for key, value in record.arguments.items())


def source_lines(records: Sequence[ExecutionRecord]) -> list[str]:
    """Return one line a source: the rows of it that were covered, and the columns that were used."""
    found: dict[str, tuple[DataInput, set[str]]] = {}
    for record in records:
        for one in record.inputs:
            if not one.source.startswith("result "):
                found.setdefault(one.source, (one, set()))[1].update(one.columns)
    return [
        f"{source}: {one.rows:,} of {one.rows_in_source:,} rows; {', '.join(sorted(columns)) or 'no column'}"
        for source, (one, columns) in sorted(found.items())
    ]
