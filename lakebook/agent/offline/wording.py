"""The sentence of an answer, with a claim for every number in it, and what a reader must know beside it.

What belongs here: wording. A number that is part of the question or of a name (the year asked for, a column
called 4046) is claimed too, as what it is: a constant of the statement.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lakebook.agent.offline import statement
from lakebook.agent.offline.plan import Plan, Ranking
from lakebook.analyst.claim import Claim
from lakebook.analyst.phrases import spec_for
from lakebook.operators.query import QueryResult
from lakebook.sandbox.base import Json
from lakebook.validation.contract import AnswerType

MOST_SHOWN = 12
_NUMBER = re.compile(r"(?<![\w.])[-+−]?\d[\d,]*(?:\.\d+)?%?")
Row = Mapping[str, Json]


@dataclass
class Sentence:
    """A sentence in the making: text with claims."""

    record: str
    rows: int
    columns: tuple[str, ...]
    claims: list[Claim] = field(default_factory=list)

    def claim(self, value: Json, place: str, unit: str = "") -> str:
        """Claim a value of the result and return how it is shown."""
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            return "no value" if value is None else str(value)
        spec = ",d" if isinstance(value, int) else spec_for(value)
        shown = _with_unit(format(value, spec), unit)
        self._add(shown, value, place, spec)
        return shown

    def rest(self, text: str) -> None:
        """Claim what other numbers the text has: constants of the statement, and parts of names."""
        for claim in sorted(self.claims, key=lambda one: -len(one.shown)):
            text = re.sub(rf"(?<![\d.,]){re.escape(claim.shown)}(?![\d]|[.,]\d)", " ", text)
        for number in dict.fromkeys(_NUMBER.findall(text)):
            self._add(number, number, "a constant of the statement", "")

    def _add(self, shown: str, value: Json, place: str, spec: str) -> None:
        name = f"c{len(self.claims) + 1:03d}"
        kind = "number" if spec else "label"
        claim = Claim(name, name, kind, place, value, shown, spec, self.record, self.columns, self.rows)  # type: ignore[arg-type]
        self.claims.append(claim)


def _with_unit(number: str, unit: str) -> str:
    if unit == "%":
        return f"{number}%"
    return f"{unit}{number}" if unit in ("$", "€", "£") else f"{number} {unit}".strip()


@dataclass(frozen=True, slots=True)
class Worded:
    """An answer in words."""

    value: Json
    type: AnswerType
    text: str
    claims: tuple[Claim, ...]
    notes: tuple[str, ...]
    unit: str


def word(plan: Plan, result: QueryResult) -> Worded:
    """Write the answer that a plan's result gives."""
    rows: list[Row] = [dict(zip(result.columns, row, strict=True)) for row in result.rows]
    columns = tuple(dict.fromkeys(one.name for one in plan.fields()))
    covered = rows[0].get(statement.ROWS) if len(rows) == 1 else None
    sentence = Sentence(result.record.id, covered if isinstance(covered, int) else 0, columns)
    unit = unit_of(plan)
    if plan.ranking:
        value, text = _ranked(plan, plan.ranking, rows, sentence, unit)
    elif plan.groups:
        value, text = _grouped(plan, rows, sentence, unit)
    elif plan.also:
        value, text = _several(plan, rows[0], sentence, unit)
    else:
        value, text = _single(plan, rows[0], sentence, unit)
    notes = _notes(plan, rows, sentence)
    sentence.rest(text)
    return Worded(value, _type(value), text, tuple(sentence.claims), notes, unit)


def unit_of(plan: Plan) -> str:
    """Return the unit of the result: the column's, as its card has it, unless things are counted."""
    if plan.share:
        return "%" if plan.share.percent else ""
    if plan.change and plan.change.percent:
        return "%"
    if plan.measure.field is None or plan.measure.statistic in ("count", "distinct", "correlation"):
        return ""
    return plan.measure.field.column.unit


def _type(value: Json) -> AnswerType:
    if isinstance(value, list):
        return "table" if value and isinstance(value[0], dict) else "list"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "integer" if isinstance(value, int) else "number"
    return "text"


def _where(plan: Plan) -> str:
    told = [one.told() for one in plan.conditions if not (one.how == "missing" and one.negated)]
    return f" where {' and '.join(told)}" if told else ""


def _single(plan: Plan, row: Row, sentence: Sentence, unit: str) -> tuple[Json, str]:
    value = row[statement.RESULT]
    shown = sentence.claim(value, "result", unit)
    what = plan.counted()
    if plan.change:
        first = sentence.claim(row[statement.FIRST], "first", unit if unit != "%" else "")
        last = sentence.claim(row[statement.LAST], "last", unit if unit != "%" else "")
        was, became = plan.change.first.told(), plan.change.last.told()
        periods = f"{first} where {was} and {last} where {became}"
        return value, f"The {what}{_where(plan)} was {periods}: a change of {shown}."
    if plan.share:
        part = sentence.claim(row["part"], "part")
        whole = sentence.claim(row[statement.WHOLE], "whole")
        inside = " and ".join(one.told() for one in plan.share.conditions)
        known = " with a value there" if plan.share.known_only else ""
        text = f"{shown}: the {what} is {part} where {inside}, of {whole} in all{known}{_where(plan)}."
        return value, text
    if plan.measure.statistic == "value":
        return value, f"The {what}{_where(plan)} is {shown}."
    rows = row[statement.ROWS]
    over = "" if plan.measure.statistic == "count" else f" over {sentence.claim(rows, 'rows')} rows"
    return value, f"The {what}{_where(plan)} is {shown}{over}."


def _several(plan: Plan, row: Row, sentence: Sentence, unit: str) -> tuple[Json, str]:
    """Write several measures of the same rows."""
    measures = {statement.RESULT: plan.measure, **statement.further(plan)}
    value: list[Json] = [{"statistic": one.told(), "result": row[name]} for name, one in measures.items()]
    shown = [f"the {one.told()} is {sentence.claim(row[name], name, unit)}" for name, one in measures.items()]
    over = sentence.claim(row[statement.ROWS], "rows")
    text = f"{', '.join(shown)}{_where(plan)}, over {over} rows."
    return value, text[0].upper() + text[1:]


def _labels(plan: Plan, row: Row) -> list[Json]:
    return [row[name] for name in statement.group_names(plan)]


def _label(plan: Plan, row: Row) -> str:
    return ", ".join("(no value)" if label is None else str(label) for label in _labels(plan, row))


def _ranked(
    plan: Plan, ranking: Ranking, rows: Sequence[Row], sentence: Sentence, unit: str
) -> tuple[Json, str]:
    end = "highest" if ranking.descending else "lowest"
    by = plan.groups[0].told()
    shown = [f"{_label(plan, row)} ({sentence.claim(row[statement.RESULT], 'result', unit)})" for row in rows]
    listed = "; ".join(shown[:MOST_SHOWN]) + ("; …" if len(shown) > MOST_SHOWN else "")
    what = _ordered_by(plan)
    if len(rows) == 1:
        return _labels(plan, rows[0])[0], f"{by} with the {end} {what}{_where(plan)}: {listed}."
    names: list[Json] = [_labels(plan, row)[0] for row in rows]
    return names, f"{by} with the {end} {what}{_where(plan)}, in order: {listed}."


def _ordered_by(plan: Plan) -> str:
    """Name what groups are ordered by; the highest of the highest values is the highest value."""
    upper = plan.ranking is not None and plan.ranking.descending
    if plan.measure.field and plan.measure.statistic == ("max" if upper else "min"):
        return plan.measure.field.name
    return plan.counted()


def _grouped(plan: Plan, rows: Sequence[Row], sentence: Sentence, unit: str) -> tuple[Json, str]:
    names = statement.group_names(plan)
    value: list[Json] = [
        {**{name: row[name] for name in names}, statement.RESULT: row[statement.RESULT]} for row in rows
    ]
    shown = [
        f"{_label(plan, row)}: {sentence.claim(row[statement.RESULT], 'result', unit)}"
        for row in rows[:MOST_SHOWN]
    ]
    count = sentence.claim(len(rows), "row count")
    more = f"; … ({count} groups)" if len(rows) > MOST_SHOWN else ""
    by = " and ".join(part.told() for part in plan.groups)
    return value, f"The {plan.counted()}{_where(plan)} by {by}: {'; '.join(shown)}{more}."


def _notes(plan: Plan, rows: Sequence[Row], sentence: Sentence) -> tuple[str, ...]:
    """Say what is left out or tied."""
    notes = []
    one = plan.measure.field
    if one is not None and rows and statement.WITH_VALUE in rows[0]:
        without = sum(_whole(row, statement.ROWS) - _whole(row, statement.WITH_VALUE) for row in rows)
        if without:
            notes.append(f"{without:,} rows without a value of {one.name} are left out.")
    if plan.groups and not plan.ranking:
        nameless = [row for row in rows if None in _labels(plan, row)]
        if nameless:
            notes.append(f"A group stands for rows without a value of {plan.groups[0].told()}.")
    if plan.ranking:
        if plan.groups[0].field.column.nulls:
            notes.append(f"Rows without a value of {plan.groups[0].field.name} are left out.")
        if len(rows) > plan.ranking.most:
            notes.append(
                f"Several tie at the cut, so {len(rows):,} are named instead of {plan.ranking.most:,}."
            )
        elif len(rows) < plan.ranking.most:
            notes.append(f"There are {len(rows):,} only.")
    if plan.measure.statistic == "distinct" and one is not None and one.column.nulls:
        notes.append(f"{one.name} is missing in some rows; a missing value is not counted.")
    return tuple(notes)


def _whole(row: Row, name: str) -> int:
    number = row[name]
    return number if isinstance(number, int) else 0
