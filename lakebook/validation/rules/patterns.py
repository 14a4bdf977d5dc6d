"""Rules on patterns: wildcards that stand in the data as such, and matches inside longer words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from lakebook.operators.record import Finding
from lakebook.validation.cells import Cells
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge, Presence
from lakebook.validation.patterns import Pattern, as_such, has_wildcards, is_regular, patterns
from lakebook.validation.predicates import Predicate
from lakebook.validation.registry import rule
from lakebook.validation.statement import Resolver, quoted, text

_SHORTEST = 2
_EMPTY = Presence(0)


def _all(invocation: Invocation, knowledge: Knowledge) -> Iterator[Pattern]:
    if invocation.parsed is not None:
        yield from patterns(invocation.parsed, Resolver(knowledge))


def _rows(predicate: Predicate, knowledge: Knowledge) -> Presence:
    return predicate.counted(knowledge) or _EMPTY


def _with_wildcards(pattern: Pattern) -> tuple[Predicate, Predicate] | None:
    """Return the rows in which special signs stand as such, and the others; None if there are no signs."""
    if is_regular(pattern):
        return pattern.also(pattern.literally()), pattern.but_not(pattern.literally())
    condition = as_such(pattern) if has_wildcards(pattern) else None
    return (pattern.also(condition), pattern.but_not(condition)) if condition is not None else None


def _ask_wildcards(invocation: Invocation, knowledge: Knowledge) -> Iterator[Predicate]:
    for pattern in _all(invocation, knowledge):
        yield from _with_wildcards(pattern) or ()
        if is_regular(pattern):
            yield Predicate(pattern.origin, text(pattern.literally()))


@rule(
    "F10",
    operator="Query",
    detects="a sign of a pattern (_ % of LIKE, . $ ( + of regular expressions) that the data hold as such",
    evidence="rows that match with the sign as itself, and as a wildcard (all rows)",
    action="advise",
    reference="catalogue F10",
    asks=_ask_wildcards,
)
def wildcard_in_data(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when both readings of a sign match rows, or when only the reading as itself does."""
    for pattern in _all(invocation, knowledge):
        both = _with_wildcards(pattern)
        if both is None:
            continue
        literal, beyond = (_rows(one, knowledge) for one in both)
        literally = _rows(Predicate(pattern.origin, text(pattern.literally())), knowledge)
        name, cell = f"{pattern.origin.table}.{pattern.origin.column}", Cells()
        if literal.rows and beyond.rows:
            listed = cell.several(value.value for value in beyond.values)
            observed = (
                f"{literal.rows:,} rows of {name} hold the signs as such; {beyond.rows:,} more: {listed}"
            )
            message = f"{text(pattern.node)} also matches where its signs only stand for any character."
        elif is_regular(pattern) and literally.rows and not literal.rows:
            listed = cell.several(value.value for value in literally.values)
            observed = f"{literally.rows:,} rows of {name} hold this text as it is: {listed}"
            message = f"{text(pattern.node)} does not match the text itself: its signs have a meaning."
        else:
            continue
        how = f"contains({quoted(pattern.origin.column)}, …)" if pattern.regular else r"LIKE … ESCAPE '\'"
        yield Finding(
            "F10", "advise", message, observed, f"If they are meant as such: {how}.", values=cell.shown()
        )


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a text is looked for as: the rows in which it is that, and those in which it is part of more."""

    itself: Predicate
    more: Predicate
    found_in: str


def _readings(pattern: Pattern, knowledge: Knowledge) -> Iterator[_Reading]:
    """Yield the readings of a needle that stands as a letter or word.

    In a column of categories it may be one of the values ("Virginia" beside "West Virginia"), and a longer
    word counts too that goes on after it ("Indiana"). In free text only one counts that begins before it
    ("Female"): there "child" is meant to find "childhood".
    """
    needle = pattern.needle
    if len(needle) < _SHORTEST or not (needle[0].isalpha() and needle[-1].isalpha()):
        return
    column = knowledge.column(pattern.origin.table, pattern.origin.column)
    if column is None or column.type != "text":
        return
    seen = knowledge.enumeration(pattern.origin.table, pattern.origin.column)
    is_category = column.role in ("category", "geography") and seen is not None and seen.complete
    if is_category:
        yield _Reading(pattern.also(pattern.whole()), pattern.but_not(pattern.whole()), "other values")
    if pattern.at_front:
        return
    inside = pattern.as_word(endings=True) if is_category else pattern.at_start()
    yield _Reading(pattern.also(pattern.as_word()), pattern.but_not(inside), "longer words")


def _ask_words(invocation: Invocation, knowledge: Knowledge) -> Iterator[Predicate]:
    for pattern in _all(invocation, knowledge):
        for reading in _readings(pattern, knowledge):
            yield from (reading.itself, reading.more)


@rule(
    "F11",
    operator="Query",
    detects="a text looked for anywhere that is found inside other values or words too ('male' in 'Female')",
    evidence="rows in which it stands for itself, and rows in which it is part of more (all rows)",
    action="advise",
    reference="catalogue F11",
    asks=_ask_words,
)
def inside_words(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise with the values that match as part of more, where others match as the text itself."""
    for pattern in _all(invocation, knowledge):
        for reading in _readings(pattern, knowledge):
            itself, more = _rows(reading.itself, knowledge), _rows(reading.more, knowledge)
            if not itself.rows or not more.rows:
                continue
            cell = Cells()
            listed = cell.several(value.value for value in more.values)
            yield Finding(
                "F11",
                "advise",
                f"{text(pattern.node)} also matches {pattern.needle!r} inside {reading.found_in}.",
                observed=f"{itself.rows:,} rows of {pattern.origin.table} have {pattern.needle!r} itself, "
                f"{more.rows:,} have {listed}",
                hint=f"Compare whole values with =, or regexp_matches({quoted(pattern.origin.column)}, "
                f"'\\b{pattern.needle}\\b').",
                values=cell.shown(),
            )
            break


def _other_case(pattern: Pattern) -> Predicate | None:
    """Return the rows that have the needle as a word in another letter case; None if case was meant."""
    if pattern.folded or pattern.needle.isupper() or not pattern.needle[:1].isalpha():
        return None
    if pattern.at_front:  # 'Aus%' means to leave 'AUS' out, 'y%' hardly 'Yes'
        if not pattern.needle.islower():
            return None
        other = pattern.in_front()
    elif len(pattern.needle) >= _SHORTEST:
        other = pattern.in_other_case()
    else:
        return None
    return Predicate(pattern.origin, text(exp.and_(other, exp.not_(pattern.node.copy()))))


def _ask_case(invocation: Invocation, knowledge: Knowledge) -> Iterator[Predicate]:
    for pattern in _all(invocation, knowledge):
        other = _other_case(pattern)
        if other is not None:
            yield other
        yield pattern.matched


@rule(
    "F19",
    operator="Query",
    detects="a pattern that matches nothing, or that passes over the same word in another letter case",
    evidence="rows that it matches, and rows that it would match if letter case were folded (all rows)",
    action="advise",
    reference="catalogue F1, F2 (for patterns)",
    asks=_ask_case,
)
def pattern_misses(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when a pattern finds no row, or leaves out rows with the same word otherwise written."""
    for pattern in _all(invocation, knowledge):
        matched, other = pattern.matched.counted(knowledge), _other_case(pattern)
        missed = _rows(other, knowledge) if other is not None else _EMPTY
        name, cell = f"{pattern.origin.table}.{pattern.origin.column}", Cells()
        if missed.rows:
            listed = cell.several(value.value for value in missed.values)
            yield Finding(
                "F19",
                "advise",
                f"{text(pattern.node)} passes over rows that have {pattern.needle!r} in another letter case.",
                observed=f"{missed.rows:,} rows of {name}: {listed}",
                hint="Use ILIKE, or compare with lower(…).",
                values=cell.shown(),
            )
        elif matched is not None and not matched.rows:
            yield Finding(
                "F19",
                "advise",
                f"{text(pattern.node)} matches no row.",
                observed=f"counted over all rows of {name}",
                hint="It can be right; if not, Probe the values that are there.",
            )
