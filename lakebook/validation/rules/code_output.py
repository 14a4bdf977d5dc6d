"""Rules on what pandas code shows as its answer: the first rows of no order, ties, results never used."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lakebook.operators.record import Finding
from lakebook.validation.cells import Cells
from lakebook.validation.code.facts import Called, brief, place
from lakebook.validation.code.interpreter import followed
from lakebook.validation.code.values import Frame, Series
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.registry import rule


@rule(
    "O1py",
    operator="Compute",
    detects="the first rows of a grouped result that nothing has sorted",
    evidence="the code alone",
    action="advise",
    reference="sqlfluff AM09; catalogue O1",
)
def unsorted_head(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise on `.groupby(…).sum().head(n)`: groups come in the order of their names."""
    for fact in followed(invocation, knowledge).of(Called):
        owner = fact.receiver
        if fact.name not in ("head", "tail") or not fact.args or not isinstance(owner, (Frame, Series)):
            continue
        if (
            owner.rows.keys
            and not owner.rows.ordered
            and "column" not in owner.rows.keys
            and _is_aggregate(owner)
        ):
            yield Finding(
                "O1py",
                "advise",
                f"{brief(fact.node)} shows the first groups by name, not the largest.",
                observed=place(fact.node),
                hint="Sort first: .sort_values(…, ascending=False), or use .nlargest(n).",
            )


def _is_aggregate(owner: Frame | Series) -> bool:
    fields = owner.fields.values() if isinstance(owner, Frame) else [owner.field]
    return any(field.made for field in fields)


@rule(
    "O3py",
    operator="Compute",
    detects="one value picked as the most frequent, or one row as the largest, where several are",
    evidence="all values of the column with their counts (complete)",
    action="advise",
    reference="catalogue O3",
)
def tied(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when what `mode`, `idxmax` or `idxmin` picks is tied."""
    for fact in followed(invocation, knowledge).of(Called):
        owner = fact.receiver
        if fact.name not in ("idxmax", "idxmin", "mode") or not isinstance(owner, Series):
            continue
        by_count = fact.name == "mode" or owner.field.made == "value_counts"
        source = _counted(invocation, knowledge, owner) if owner.field.made == "value_counts" else owner
        origin = source.field.origin if source is not None and not source.rows.narrowed else None
        if origin is None or source is None or source.rows.joined or source.field.values is None:
            continue
        values = {one.value: one.rows for one in origin.column.values}
        if by_count:
            most = (min if fact.name == "idxmin" else max)(values.values(), default=0)
            ties = [value for value, rows in values.items() if rows == most]
            told = f"{most:,} rows each"
        else:
            extreme = origin.column.min if fact.name == "idxmin" else origin.column.max
            ties = [extreme or ""] * values.get(extreme or "", 0)
            told = f"{len(ties):,} rows have this value"
        if len(ties) > 1:
            cell = Cells()
            yield Finding(
                "O3py",
                "advise",
                f"{brief(fact.node)} picks one of {len(ties):,} of {origin.column.name} that are equal.",
                observed=f"{cell.several(dict.fromkeys(ties))}: {told}; {place(fact.node)}",
                hint="Give all of them, or say what decides.",
                values=cell.shown(),
            )


def _counted(invocation: Invocation, knowledge: Knowledge, counts: Series) -> Series | None:
    """Return the series whose values were counted."""
    for fact in followed(invocation, knowledge).of(Called):
        if fact.name == "value_counts" and fact.result is counts and isinstance(fact.receiver, Series):
            return fact.receiver
    return None


@rule(
    "O15py",
    operator="Compute",
    detects="rows that were selected, cleaned or merged and then never used",
    evidence="the code alone",
    action="advise",
    reference="catalogue O15",
)
def never_used(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise on a cleaned or merged frame under a name that nothing reads."""
    if "output" in invocation.arguments or "name" in invocation.arguments:
        return  # later invocations may use it
    for name, node in followed(invocation, knowledge).unused.items():
        if not _is_cleaning(node):
            continue  # a selection may have been made to look at
        yield Finding(
            "O15py",
            "advise",
            f"{name} is never used: what is computed later rests on other rows.",
            observed=f"{place(node)}: {brief(node)}",
            hint=f"Compute over {name}, or leave the step out.",
        )


def _is_cleaning(node: ast.AST) -> bool:
    call = node.value if isinstance(node, ast.Assign) else None
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in ("dropna", "drop_duplicates", "fillna", "merge", "query", "drop", "replace")
    )
