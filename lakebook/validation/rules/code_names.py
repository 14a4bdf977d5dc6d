"""Rules on columns of pandas code: names that a frame does not have, and conversions that lose values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lakebook.operators.record import Finding
from lakebook.validation.cells import Cells
from lakebook.validation.code.facts import Called, Selected, brief, place
from lakebook.validation.code.interpreter import followed
from lakebook.validation.code.values import Constant, Field, Series
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.nearest import nearest
from lakebook.validation.registry import rule

_NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*|nan|inf(inity)?", re.IGNORECASE)


@rule(
    "B1py",
    operator="Compute",
    detects="a column that the frame does not have",
    evidence="all columns of the frame, followed through the code (complete)",
    action="reject",
    reference="RADAR §3.2 (field binding); catalogue B1",
)
def unknown_column(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a column that cannot be there and offer the nearest names."""
    for fact in followed(invocation, knowledge).of(Selected):
        if not fact.known or fact.lost:
            continue
        near = nearest(fact.name, fact.known)
        listed = ", ".join(fact.known[:12]) + (
            f" … ({len(fact.known)} in all)" if len(fact.known) > 12 else ""
        )
        yield Finding(
            "B1py",
            "reject",
            f"{fact.frame.label or 'The frame'} has no column {fact.name!r} ({place(fact.node)}).",
            observed=f"Its columns: {listed}.",
            hint=f"Nearest: {', '.join(map(repr, near))}." if near else "Choose one of its columns.",
        )


@rule(
    "J11py",
    operator="Compute",
    detects="a column by its old name, which a merge has split into one with _x and one with _y",
    evidence="all columns of both sides of the merge (complete)",
    action="reject",
    reference="catalogue J11",
)
def suffixed_column(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject the bare name of a column that both sides of a merge had."""
    for fact in followed(invocation, knowledge).of(Selected):
        if not (fact.known and fact.lost):
            continue
        named = [name for name in fact.known if name.startswith(f"{fact.name}_")]
        yield Finding(
            "J11py",
            "reject",
            f"After the merge there is no {fact.name!r} ({place(fact.node)}): both sides had one.",
            observed=f"They are now {' and '.join(map(repr, named[:2]))}.",
            hint="Name the side that is meant, or leave the other out of the merge.",
        )


@rule(
    "B8py",
    operator="Compute",
    detects="errors='coerce' that turns values into missing ones",
    evidence="all values of the column (complete)",
    action="advise",
    reference="catalogue B8",
)
def coerced(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise with the values that a conversion loses; say not checked where they are not known."""
    for fact in followed(invocation, knowledge).of(Called):
        column = fact.args[0] if fact.args else None
        if not (fact.name == "pandas.to_numeric" and isinstance(column, Series)):
            continue
        if fact.named.get("errors") != Constant("coerce") or column.field.kind == "number":
            continue
        values = column.field.values
        if values is None:
            if column.field.origin is not None:
                yield Finding("B8py", "not_checked", f"Not known which values {brief(fact.node)} loses.")
            continue
        lost = [value for value in values if not _NUMBER.fullmatch(value)]
        counts = _rows(column.field, lost)
        meant = [value for value in lost if re.search(r"\d", value)]
        if meant:
            cell = Cells()
            yield Finding(
                "B8py",
                "advise",
                f"{brief(fact.node)} turns values that hold digits into missing ones.",
                observed=f"{counts} lost: {cell.several(meant)}; {place(fact.node)}",
                hint="Take signs, units and thousands separators out first, then convert without coerce.",
                values=cell.shown(),
            )


def _rows(field: Field, values: list[str]) -> str:
    if field.origin is None:
        return f"{len(values):,} different values are"
    wanted = set(values)
    rows = sum(one.rows for one in field.origin.column.values if one.value in wanted)
    return f"{rows:,} of {field.origin.table.rows:,} rows are"


@rule(
    "B10py",
    operator="Compute",
    detects="text cast to boolean: every text that is not empty is True, 'False' and 'no' with them",
    evidence="the type of the column",
    action="reject",
    reference="catalogue B10",
)
def text_as_truth(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject `astype(bool)` of a text column."""
    for fact in followed(invocation, knowledge).of(Called):
        if fact.name != "astype" or not isinstance(fact.receiver, Series):
            continue
        field = fact.receiver.field
        to = fact.args[0] if fact.args else fact.named.get("dtype")
        to_bool = to == Constant("bool") or getattr(to, "path", "") in ("bool", "numpy.bool_", "numpy.bool")
        if to_bool and field.kind == "text" and field.origin is not None and field.origin.exact:
            cell = Cells()
            yield Finding(
                "B10py",
                "reject",
                f"{brief(fact.node)} is True for every text that is not empty.",
                observed=f"its values are {cell.several(field.values or ())}; {place(fact.node)}",
                hint="Compare with the text that means true: df[column] == 'True'.",
                values=cell.shown(),
            )
