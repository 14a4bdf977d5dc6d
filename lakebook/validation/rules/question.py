"""Rules on the question and the operations: words that ask for something that no operation does.

Scope and selection is where checks on data alone gain least (RADAR §6: 17.6 → 15.6 %). These rules advise,
and nothing more, when an answer is submitted: they look at all operations that it rests on, and speak where
something asked for is done in none of them. What operations may have done counts as done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lakebook.operators.record import ExecutionRecord, Finding
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge, KnownTable
from lakebook.validation.nearest import fold
from lakebook.validation.operations import Operations, operations_of, resting_on
from lakebook.validation.question import Demand, Question, read_question
from lakebook.validation.registry import rule

_REFERENCE = "RADAR §6 (scope and selection)"
_EVIDENCE = "the question's words and the text of all operations that the answer rests on"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and what the operations behind an answer did."""

    question: Question
    did: Operations
    records: tuple[ExecutionRecord, ...]


def asked_of(invocation: Invocation) -> Asked | None:
    """Return question and operations of an answer, None where they are not known or not all understood.

    Only the question's first paragraph counts: what follows tells how to work and in which form to answer.
    """
    if invocation.question is None:
        return None
    question = read_question(invocation.question.text.strip().partition("\n")[0])
    ids = set(invocation.references or ()) | {claim.record for claim in invocation.claims}
    records = resting_on(invocation.records, ids) if ids else invocation.records
    computed = tuple(r for r in records if r.operator in ("Query", "Compute") and not r.error)
    if not computed:
        return None
    did = operations_of(computed)
    return None if did.unread else Asked(question, did, computed)


def _advise(rule_id: str, demand: Demand, message: str, observed: str, hint: str) -> Finding:
    return Finding(rule_id, "advise", f"The question says “{demand.words}”, but {message}", observed, hint)


# kind -> statistics that do it, those that are taken for it by mistake, how to do it
_STATISTICS = {
    "median": ({"median", "quantile"}, {"average"}, "MEDIAN(…) or .median()"),
    "average": ({"average"}, {"median", "sum"}, "AVG(…) or .mean()"),
    "total": ({"sum"}, {"average", "median"}, "SUM(…) or .sum()"),
    "deviation": ({"deviation"}, {"average", "variance"}, "STDDEV_SAMP(…) or .std()"),
    "variance": ({"variance", "deviation"}, {"average"}, "VAR_SAMP(…) or .var()"),
    "correlation": ({"correlation"}, {"average", "sum"}, "CORR(…) or .corr()"),
}


@rule(
    "W1",
    operator="Answer",
    detects="a statistic that the question names, where another one was computed",
    evidence=_EVIDENCE,
    action="advise",
    reference=_REFERENCE,
)
def statistic_asked(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when "median" is asked and only an average was computed, and the like."""
    asked = asked_of(invocation)
    if asked is None or asked.did.custom:
        return
    for demand in asked.question.demands:
        wanted, instead, how = _STATISTICS.get(demand.kind, (set(), set(), ""))
        if not wanted or _is_met(demand, wanted, asked):
            continue
        other = (instead & asked.did.statistics) - {one.kind for one in asked.question.demands}
        if other:
            done = ", ".join(sorted(other))
            yield _advise("W1", demand, f"no {demand.kind} was computed.", f"computed: {done}", f"Use {how}.")


def _is_met(demand: Demand, wanted: set[str], asked: Asked) -> bool:
    """Say whether a statistic was computed, in whatever way, or was there as a column of that name."""
    did = asked.did
    if wanted & did.statistics:
        return True
    rest = asked.question.text[demand.position + len(demand.words) :].strip().casefold()
    if demand.kind == "total" and rest.startswith(("number", "count")):
        return "count" in did.statistics
    if demand.kind == "average":
        # a column of averages can be looked up, but its median is no average; a sum can be divided by a count
        return did.divides or (
            "median" not in did.statistics and bool(did.names & {"average", "mean", "avg"})
        )
    return demand.words in did.names and not did.statistics & {"average", "median"}


@rule(
    "W2",
    operator="Answer",
    detects="groups that the question asks for (per, for each, by year), where nothing was grouped",
    evidence=_EVIDENCE,
    action="advise",
    reference=_REFERENCE,
)
def grouping_asked(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when "per region" is asked, a region is there, and nothing was grouped."""
    asked = asked_of(invocation)
    if asked is None or asked.did.grouped or asked.did.custom:
        return
    for demand in asked.question.demanded("group"):
        column = _column_meant(demand, asked, knowledge)
        if column is None or _in_column_name(demand, asked, knowledge):
            continue
        by_hand = any(record.operator == "Compute" for record in asked.records)
        if by_hand and set(_parts(column)) <= asked.did.names:
            continue  # its values may have been taken one by one
        yield _advise(
            "W2",
            demand,
            "no operation groups rows.",
            f"{column} is a column",
            f"GROUP BY {column}, or .groupby({column!r}).",
        )


@rule(
    "W3",
    operator="Answer",
    detects="different things that the question asks to count, where all rows were counted",
    evidence=_EVIDENCE,
    action="advise",
    reference=_REFERENCE,
)
def distinct_asked(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when "distinct customers" is asked and rows were counted."""
    asked = asked_of(invocation)
    if asked is None or asked.did.custom or "distinct" in asked.did.statistics:
        return
    for demand in asked.question.demanded("distinct"):
        if "count" in asked.did.statistics:
            message = "rows were counted, repeats included."
            yield _advise("W3", demand, message, "COUNT without DISTINCT", "COUNT(DISTINCT …) or .nunique().")


@rule(
    "W4",
    operator="Answer",
    detects="a share or percentage that the question asks for, where nothing was divided",
    evidence=_EVIDENCE,
    action="advise",
    reference=_REFERENCE,
)
def share_asked(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when "what share of" is asked and no operation divides."""
    asked = asked_of(invocation)
    if asked is None or asked.did.divides or asked.did.custom:
        return
    if any(_SHARES & set(_parts(c.name)) for table in _read(asked, knowledge) for c in table.columns):
        return  # the data may hold shares already
    for demand in asked.question.demanded("share"):
        before = asked.question.text[: demand.position].casefold()
        asks = demand.words.startswith(("what", "which")) or _REQUEST.search(before)
        if asks and not set(_parts(demand.words)) & asked.did.names:
            message = "no operation divides by a whole."
            yield _advise(
                "W4", demand, message, "no division", "Divide the part by the whole: SUM(part) / SUM(whole)."
            )


@rule(
    "W5",
    operator="Answer",
    detects="years, periods or bounds that the question names and no operation does",
    evidence=_EVIDENCE,
    action="advise",
    reference=_REFERENCE,
)
def bounds_asked(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when "in 2016", "between 2015 and 2018" or "more than 100" is asked and stands nowhere."""
    asked = asked_of(invocation)
    if asked is None or _CRITERIA.search(asked.question.text.casefold()):
        return
    for demand in asked.question.demanded("between", "year", "above", "below", "at_least", "at_most"):
        missing = [number for number in demand.numbers if not _stands(number, asked.did)]
        if missing and len(missing) == len(demand.numbers):
            named = " and ".join(f"{number:g}" for number in missing)
            yield _advise(
                "W5",
                demand,
                f"no operation names {named}.",
                "constants of the operations: " + (_listed(asked.did.numbers) or "none"),
                "Add the condition, or say why all rows fulfil it.",
            )


@rule(
    "W6",
    operator="Answer",
    detects="something that the question excludes, where no operation leaves anything out",
    evidence=_EVIDENCE,
    action="advise",
    reference=_REFERENCE,
)
def exclusion_asked(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when "excluding returns" is asked and no condition is negative."""
    asked = asked_of(invocation)
    if asked is None or asked.did.negates or asked.did.custom:
        return
    for demand in asked.question.demanded("excluding"):
        if demand.of in ("null", "nulls", "missing", "nan", "empty", "blank", "na"):
            continue  # statistics leave these out by themselves
        yield _advise(
            "W6",
            demand,
            "no condition leaves anything out.",
            "no negative condition",
            "Add <> or NOT IN (…).",
        )


@rule(
    "W7",
    operator="Answer",
    detects="another number of first rows than the question asks for, or the other end of the order",
    evidence=_EVIDENCE,
    action="advise",
    reference=_REFERENCE,
)
def top_asked(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when "top 5" is asked and 10 rows are kept, or "highest" and the order rises."""
    asked = asked_of(invocation)
    if asked is None:
        return
    did = asked.did
    for demand in asked.question.demanded("top", "bottom"):
        number = demand.numbers[0]
        if did.limits and number not in did.numbers and not did.custom:
            kept = _listed(set(map(float, did.limits)))
            yield _advise("W7", demand, f"{kept} rows are kept.", f"LIMIT {kept}", f"Keep {number:g}.")
    yield from _other_end(asked)


def _other_end(asked: Asked) -> Iterator[Finding]:
    """Advise when the first rows of an order are kept, and it is the other order."""
    kinds = {demand.kind for demand in asked.question.demands}
    both = kinds & {"highest", "top", "mode"} and kinds & {"lowest", "bottom"}
    ways = {way for way, words in asked.did.cuts if not words & _PLACES}
    if both or asked.did.custom or len(ways) != 1:
        return
    (way,) = ways
    for demand in asked.question.demanded("highest", "lowest", "top", "bottom", "mode"):
        wanted = "descending" if demand.kind in ("highest", "top", "mode") else "ascending"
        if way != wanted and not demand.words.startswith("first"):
            hint = f"ORDER BY … {'DESC' if wanted == 'descending' else 'ASC'}."
            yield _advise("W7", demand, f"the order is {way}.", f"ORDER BY … {way}, then LIMIT", hint)


@rule(
    "W8",
    operator="Answer",
    detects="more digits after the point than the question asks for",
    evidence="the answer's value and the question's words",
    action="advise",
    reference="catalogue O7",
)
def rounding_asked(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when a number has more digits than "rounded to two decimals" allows."""
    contract = invocation.contract
    if invocation.question is None or (contract is not None and contract.decimals is not None):
        return  # a contract has a rule of its own
    demands = invocation.question.demanded("rounded")
    value = invocation.value
    if len(demands) != 1 or isinstance(value, bool) or not isinstance(value, float):
        return
    digits = int(demands[0].numbers[0]) if demands[0].numbers else 0
    if abs(value - round(value, digits)) > 1e-12 * max(1.0, abs(value)):
        yield _advise(
            "W8", demands[0], f"the value is {value!r}.", repr(value), f"Give {round(value, digits)!r}."
        )


@rule(
    "W9",
    operator="Answer",
    detects="a value of the data that the question names, where its column is used nowhere",
    evidence="complete values of the tables that were read",
    action="advise",
    reference=_REFERENCE,
)
def value_named(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when the question names a category and no operation filters or groups by its column."""
    asked = asked_of(invocation)
    if asked is None or asked.did.custom:
        return
    words = f" {' '.join(_parts(asked.question.text))} "
    named: dict[str, set[str]] = {}
    for table in _read(asked, knowledge):
        for column in table.columns:
            seen = knowledge.enumeration(table.name, column.name)
            if column.type != "text" or seen is None or not seen.complete:
                continue
            for entry in seen.values:
                if _is_word(entry.value) and _stands_in(entry.value, words, asked.question.text):
                    named.setdefault(entry.value, set()).add(column.name)
    for value, columns in sorted(named.items()):
        used = any(set(_parts(column)) <= asked.did.names for column in columns)
        if used or _is_constant(value, asked.did) or _is_name(value, asked, knowledge):
            continue
        where = " and ".join(sorted(columns))
        yield Finding(
            "W9",
            "advise",
            f"The question names “{value}”, a value of {where}, but no operation uses that column.",
            observed=f"{where} holds {value}",
            hint=f"Filter or group by {sorted(columns)[0]}, if {value} is what is meant.",
        )


def _read(asked: Asked, knowledge: Knowledge) -> list[KnownTable]:
    """Return the tables that the operations read."""
    sources = {one.source for record in asked.records for one in record.inputs}
    return [table for table in knowledge.tables.values() if table.source in sources]


def _column_meant(demand: Demand, asked: Asked, knowledge: Knowledge) -> str | None:
    """Return the column that a demand for groups names in full, if it tells kinds of rows apart."""
    start = demand.position + demand.words.rfind(demand.of)
    rest = [_singular(word) for word in _parts(asked.question.text[start:])]
    best: str | None = None
    for table in _read(asked, knowledge):
        for column in table.columns:
            name = [_singular(word) for word in _parts(column.name)]
            named = bool(name) and rest[: len(name)] == name
            if named and 1 < column.distinct < table.rows and column.role != "measure":
                best = max(best or "", column.name, key=len)
    return best


def _in_column_name(demand: Demand, asked: Asked, knowledge: Knowledge) -> bool:
    """Say whether the words of a demand are part of a column's name (gdp_per_capita)."""
    words = _parts(demand.words)
    return any(
        " ".join(words) in " ".join(_parts(column.name))
        for table in _read(asked, knowledge)
        for column in table.columns
    )


def _stands(number: float, did: Operations) -> bool:
    """Say whether a number, its neighbour (an open bound), or it as a fraction stands in the operations."""
    number = abs(number)
    near = {number, number + 1, number - 1, number / 100, number / 1e6, number % 100}
    return bool(near & did.numbers)


def _stands_in(value: str, words: str, text: str) -> bool:
    """Say whether a value stands in the question, perhaps in the plural; a short one in the same letters."""
    if len(value) < 4:
        return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) is not None
    name = " ".join(_parts(value))
    return any(f" {form} " in words for form in (name, f"{name}s", f"{name}es"))


def _is_constant(value: str, did: Operations) -> bool:
    """Say whether a value is a constant of the operations, number of the word aside."""
    forms = {fold(value), _singular(fold(value)), f"{fold(value)}s"}
    return any(form in text for form in forms for text in did.texts)


def _is_word(value: str) -> bool:
    short = len(value) == 3 and value.isupper() and value.isalpha()
    return (
        (len(value) >= 4 or short)
        and any(letter.isalpha() for letter in value)
        and value.casefold() not in _COMMON
    )


def _is_name(value: str, asked: Asked, knowledge: Knowledge) -> bool:
    """Say whether a value is also a word in the name of a column or table that was read."""
    words = set(_parts(value))
    return any(
        words <= set(_parts(name))
        for table in _read(asked, knowledge)
        for name in (table.name, *(column.name for column in table.columns))
    )


def _parts(text: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return re.findall(r"[^\W_]+", spaced.casefold())


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def _listed(numbers: set[float]) -> str:
    return ", ".join(f"{number:g}" for number in sorted(numbers)[:6])


# A question that sets criteria for a test or for outliers has numbers that are no conditions on rows.
_CRITERIA = re.compile(
    r"p-?values?|z-?scores?|skew|kurtosis|significan|alpha|outlier|whisker|scal(?:e|ing)|normali[sz]|correlat"
)
_REQUEST = re.compile(
    r"(?:what (?:is|was|are)|calculate|compute|find|determine|give|show|report)(?: me)? the $"
)
# The highest place is the lowest number.
_PLACES = frozenset(["rank", "ranking", "position", "place", "year", "date", "day", "time"])
_SHARES = frozenset(
    ["percent", "percentage", "pct", "perc", "share", "fraction", "ratio", "rate", "proportion"]
)
# Words of sentences that are often values too.
_COMMON = frozenset(
    word
    for line in (
        "average based class data day false female first good group high higher highest large lower",
        "lowest male mean medium month more most multiple name none normal null number other public rate",
        "score second single small third time total true type unknown value whether with without year",
    )
    for word in line.split()
)
