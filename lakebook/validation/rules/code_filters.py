"""Rules on how pandas code selects rows: values that do not occur, patterns, and samples left in."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lakebook.operators.record import Finding
from lakebook.validation.cells import Cells
from lakebook.validation.code.facts import Called, Filtered, brief, place
from lakebook.validation.code.interpreter import followed
from lakebook.validation.code.method import AGGREGATES
from lakebook.validation.code.values import Accessor, Condition, Constant, Frame, Grouped, Series, Taken
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.nearest import nearest, same_but_for_writing
from lakebook.validation.registry import rule

# What people write for "missing": to look for one that does not occur is a check, not a mistake.
_MISSING = frozenset(
    {"", "?", "-", "--", "na", "n/a", "nan", "none", "null", "nil", "missing", "unknown", "#n/a"}
)
_SAMPLE_WORDS = re.compile(
    r"\b(first|last|sample\w*|subset|top|bottom|head|tail|random\w*|latest|earliest|recent|initial|rows? \d+|"
    r"\d+ (?:rows?|records?|entries|observations|data points))\b",
    re.IGNORECASE,
)


@rule(
    "F1py",
    operator="Compute",
    detects="a filter value that the column does not hold: no row passes",
    evidence="all values of the column (complete)",
    action="reject",
    reference="RADAR §3.2 (value checks); catalogue F1, F2",
)
def absent_value(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a filter on a value that does not occur; advise if some values of a list do."""
    told: dict[ast.AST, list[tuple[Condition, list[object]]]] = {}
    for condition in _used(invocation, knowledge):
        told.setdefault(condition.node, []).append((condition, _absent_in(condition)))
    for times in told.values():
        if all(absent for _, absent in times):  # in a loop over files a value may be in one and not in others
            condition, absent = times[0]
            whole = all(len(absent) == len(condition.literals) for condition, absent in times)
            yield _absent(condition, absent, condition.field.values or (), whole=whole)


def _absent_in(condition: Condition) -> list[object]:
    """Return the values that a condition asks for and that the column surely does not hold."""
    values = condition.field.values
    if values is None or condition.operator not in ("==", "isin"):
        return []
    asked = [one for one in condition.literals if not _is_missing(one)]
    return [one for one in asked if not _occurs(one, values)]


def _used(invocation: Invocation, knowledge: Knowledge) -> Iterator[Condition]:
    """Yield the conditions that select rows or values; a mask that is only counted may well find none."""
    facts = followed(invocation, knowledge)
    for fact in facts.of(Filtered):
        yield from fact.conditions
    for call in facts.of(Called):
        mask = call.args[0] if call.name == "numpy.where" and len(call.args) == 3 else None
        yield from mask.conditions if isinstance(mask, Series) else ()


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, str) and value.strip().casefold() in _MISSING)


def _occurs(value: object, values: tuple[str, ...]) -> bool:
    if isinstance(value, bool):
        return True  # how truth is written in the file is not compared here
    if isinstance(value, (int, float)):
        return any(_number(one) == value or _number(one) is None for one in values)
    return not isinstance(value, str) or value in values or _number(value) is not None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _absent(condition: Condition, absent: list[object], values: tuple[str, ...], *, whole: bool) -> Finding:
    cell = Cells()
    texts = [str(value) for value in absent]
    near = [one for text in texts for one in (same_but_for_writing(text, values) or nearest(text, values))]
    missing = ", ".join(map(repr, texts[:5]))
    what_follows = "no row passes" if whole else "they select nothing"
    return Finding(
        "F1py",
        "reject" if whole else "advise",
        f"{condition.name or 'The column'} holds no {missing} ({place(condition.node)}): {what_follows}.",
        observed=f"all its {len(values):,} values are known: {cell.several(values)}",
        hint=f"Nearest: {cell.several(dict.fromkeys(near), 3)}." if near else "Choose one of its values.",
        values=cell.shown(),
    )


@rule(
    "F10py",
    operator="Compute",
    detects="a text searched as a regular expression whose signs mean something else there",
    evidence="all values of the column (complete), or the pattern alone for `$` before other signs",
    action="advise",
    reference="catalogue F10",
)
def pattern_signs(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise where the pattern finds other values than the text itself would."""
    for fact in _searches(invocation, knowledge):
        text = _pattern(fact)
        if text is None or fact.named.get("regex") == Constant(False) or not _looks_plain(text):
            continue
        assert isinstance(fact.receiver, Accessor)  # noqa: S101
        owner = fact.receiver.owner
        values = owner.field.values if isinstance(owner, Series) else None
        try:
            pattern = re.compile(text)
        except re.error:
            continue  # that fails by itself, loudly
        if values is None:
            continue
        by_pattern = [value for value in values if pattern.search(value)]
        by_text = [value for value in values if text in value]
        if by_pattern != by_text:
            cell = Cells()
            yield Finding(
                "F10py",
                "advise",
                f"{brief(fact.node)} reads {text!r} as a regular expression.",
                observed=f"as one it finds {cell.several(by_pattern) or 'nothing'}; "
                f"as text it would find {cell.several(by_text) or 'nothing'}",
                hint="Say regex=False, or escape it with re.escape.",
                values=cell.shown(),
            )


def _searches(invocation: Invocation, knowledge: Knowledge) -> Iterator[Called]:
    for fact in followed(invocation, knowledge).of(Called):
        if fact.name == "contains" and isinstance(fact.receiver, Accessor) and fact.receiver.name == "str":
            yield fact


def _pattern(fact: Called) -> str | None:
    given = fact.args[0] if fact.args else fact.named.get("pat")
    return given.value if isinstance(given, Constant) and isinstance(given.value, str) else None


def _looks_plain(text: str) -> bool:
    """Say whether a text has signs of regular expressions, and none that only an expression would have."""
    return bool(re.search(r"[$.+?()]", text)) and not re.search(r"[|^*\\\[\]{}]|\.[*+]|\(\?|\$$", text)


@rule(
    "F11py",
    operator="Compute",
    detects="a search for a value that also finds other values which contain it ('Male' in 'Female')",
    evidence="all values of the column (complete)",
    action="advise",
    reference="catalogue F11",
)
def contained_value(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when one value is meant, since it is spelt out whole, and others that contain it pass too."""
    for fact in _searches(invocation, knowledge):
        text = _pattern(fact)
        owner = fact.receiver.owner if isinstance(fact.receiver, Accessor) else None
        values = owner.field.values if isinstance(owner, Series) else None
        if text is None or values is None:
            continue
        fold = str.casefold if fact.named.get("case") == Constant(False) else str
        same = [value for value in values if fold(value) == fold(text)]
        others = [
            value
            for value in values
            if fold(text) in fold(value)
            and value not in same
            and not re.search(rf"(?<!\w){re.escape(fold(text))}(?!\w)", fold(value))
        ]
        if same and others:
            cell = Cells()
            yield Finding(
                "F11py",
                "advise",
                f"{brief(fact.node)} also finds values that only contain {text!r}.",
                observed=f"{cell.several(others)}; {place(fact.node)}",
                hint=f"If only {text!r} is meant: df[column] == {text!r}.",
                values=cell.shown(),
            )


@rule(
    "F16py",
    operator="Compute",
    detects="an aggregate over a part of the rows that was taken blindly (nrows=, head, sample, iloc)",
    evidence="the code, and the number of rows of the table",
    action="reject",
    reference="RADAR §4.2 (partial previews); catalogue F16",
)
def sample_left_in(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject where the rows left out are known and the question does not ask for a part; else advise."""
    question = invocation.question
    told: set[Taken] = set()
    facts = followed(invocation, knowledge)
    used: list[Called | Filtered] = [*facts.of(Called), *facts.of(Filtered)]
    for fact in used:
        part = _part(fact) if isinstance(fact, Called) else _loaded(fact.frame)
        if part is None or part in told or (question and _SAMPLE_WORDS.search(question.text)):
            continue
        if part.of is not None and part.rows is not None and part.rows >= part.of:
            continue
        told.add(part)
        certain = part.of is not None and part.rows is not None and question is not None
        yield Finding(
            "F16py",
            "reject" if certain else "advise",
            f"{brief(fact.node)} is computed over a part of the rows only: {part.how}.",
            observed=f"{part.rows:,} of {part.of:,} rows; {place(fact.node)}"
            if part.rows is not None and part.of is not None
            else place(fact.node),
            hint="Compute over all rows, or sort first if the first ones of an order are meant.",
        )


# What uses rows beyond looking at them: told of a file that was read in part, where no glance is meant.
_USES = AGGREGATES | {
    "nunique",
    "unique",
    "idxmax",
    "idxmin",
    "agg",
    "aggregate",
    "apply",
    "merge",
    "iterrows",
}
_GLANCES = frozenset({"describe", "nunique", "size", "first", "last"})


def _loaded(frame: Frame) -> Taken | None:
    return frame.rows.taken if frame.rows.taken is not None and frame.rows.taken.loaded else None


def _part(fact: Called) -> Taken | None:
    """Return the part of the rows that an aggregate is computed over, None if it is over all."""
    owner = fact.receiver
    if fact.name == "len" and fact.args:
        owner = fact.args[0]
    rows = owner.frame.rows if isinstance(owner, Grouped) else getattr(owner, "rows", None)
    part = rows.taken if rows is not None and (not rows.keys or isinstance(owner, Grouped)) else None
    if part is None:
        return None
    if fact.name == "len":
        return part if part.loaded else None
    used = _USES if part.loaded else AGGREGATES - _GLANCES
    return part if fact.name in used else None
