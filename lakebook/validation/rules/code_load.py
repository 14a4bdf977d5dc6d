"""Rules on how Python code reads files: rows left out, and texts that are taken for missing."""

from __future__ import annotations

from collections.abc import Iterator

from lakebook.operators.record import Finding
from lakebook.sources.card import Column
from lakebook.validation.cells import Cells
from lakebook.validation.code.facts import Called, brief, place
from lakebook.validation.code.interpreter import followed
from lakebook.validation.code.values import Constant, Frame
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.registry import rule

# Texts that pandas takes for missing unless it is told not to, and that name something as often as not.
_NAMES_TOO = frozenset({"NA", "None", "null", "NULL", "nan", "NaN"})


def _reads(invocation: Invocation, knowledge: Knowledge) -> Iterator[Called]:
    for fact in followed(invocation, knowledge).of(Called):
        if fact.name in ("pandas.read_csv", "pandas.read_table"):
            yield fact


@rule(
    "L2py",
    operator="Compute",
    detects="a reader that skips the rows it cannot read",
    evidence="the code alone",
    action="advise",
    reference="catalogue L2",
)
def skipped_lines(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise on `on_bad_lines='skip'` and its older form."""
    for fact in _reads(invocation, knowledge):
        skips = fact.named.get("on_bad_lines") in (Constant("skip"), Constant("warn"))
        if skips or fact.named.get("error_bad_lines") == Constant(False):
            yield Finding(
                "L2py",
                "advise",
                f"{brief(fact.node)} leaves out rows and does not say how many.",
                observed=place(fact.node),
                hint="Read all rows; the source map says which lines are odd and why.",
            )


@rule(
    "L9py",
    operator="Compute",
    detects="a text such as NA or None that names something and is read as missing",
    evidence="all values of the column (complete)",
    action="advise",
    reference="catalogue L9",
)
def read_as_missing(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when pandas' own list of missing texts holds a category of a column that is then used."""
    asked = followed(invocation, knowledge).asked
    for fact in _reads(invocation, knowledge):
        if "keep_default_na" in fact.named or "na_values" in fact.named or not isinstance(fact.result, Frame):
            continue
        for name, field in fact.result.fields.items():
            origin = field.origin
            if origin is None or not origin.exact or (origin.table.name, origin.column.name) not in asked:
                continue
            lost = [one for one in origin.column.values if one.value in _NAMES_TOO]
            if lost and _names_something(origin.column, lost[0].value):
                cell = Cells()
                yield Finding(
                    "L9py",
                    "advise",
                    f"{name} holds {cell(lost[0].value)}, which {brief(fact.node, 40)} reads as missing.",
                    observed=f"{lost[0].rows:,} rows; {place(fact.node)}",
                    hint="Say keep_default_na=False, na_values=[''] if it names something.",
                    values=cell.shown(),
                )


def _names_something(column: Column, text: str) -> bool:
    """Say whether a text is a value like the others: a code among codes, or told apart from blank cells."""
    others = [one.value for one in column.values if one.value != text]
    alike = [one for one in others if one.isalpha() and one.isupper() and len(one) == len(text)]
    if text.isupper() and len(alike) * 2 > len(others):
        return True
    return len(others) > 1 and column.nulls > 0
