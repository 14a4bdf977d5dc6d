"""The part of the grammar that reads measures: what is counted, added up, averaged, or an extreme.

What belongs here: measures, the values that stand before their nouns, and which columns they make sense for.
"""

from __future__ import annotations

from collections.abc import Iterator

from lakebook.agent.offline import words
from lakebook.agent.offline.binding import Binding, Mention
from lakebook.agent.offline.conditions import Mods, Reader
from lakebook.agent.offline.plan import Condition, Field, Measure, Part, Plan, Statistic
from lakebook.agent.offline.tokens import forms, name_words
from lakebook.analyst import vocabulary


class Measures(Reader):
    """Reads measures against one binding."""

    def __init__(self, binding: Binding) -> None:
        super().__init__(binding)
        self.subject = binding.subject

    def _plan(self, measure: Measure, mods: Mods, cost: int = 0, notes: tuple[str, ...] = ()) -> Plan:
        return Plan(
            self.subject,
            measure,
            mods.conditions,
            mods.groups,
            cost=cost + mods.cost,
            assumptions=tuple(dict.fromkeys((*notes, *mods.notes))),
        )

    def _counted(self, start: int) -> Iterator[tuple[int, Measure, Mods, int, tuple[str, ...]]]:
        """Yield what is counted: rows, values of a column, or the sum of a column that counts."""
        begin = start
        distinct = self.low(begin) in words.DISTINCT
        begin += distinct
        for here, before in self._adjectives(begin):
            if before.conditions and not distinct:
                note = "Each row counts as one."
                yield here, Measure("count"), before, 0, (note,)
            for end, sure in self.binding.rows(here):
                if sure and not distinct:
                    yield end, Measure("count"), before, 0, ()
            if self.low(here) in words.MISSING and self.low(here + 1) in ("values", "value"):
                for end, mods in self._in_column(here + 2):
                    yield end, Measure("count"), before + mods, 0, ()
            for mention in self.binding.columns(here):
                # "orders" can be the rows of that table as well as its order numbers
                stretched = 0 if set(name_words(mention.field.name)) & {"id", "key"} else mention.cost
                yield from (
                    (mention.end, measure, before, stretched + more, notes)
                    for measure, more, notes in self._entity(mention, distinct)
                )

    def _in_column(self, start: int) -> Iterator[tuple[int, Mods]]:
        begin = self.skip(start, ("are", "there", "in", "for", "of", "the", "does", "column"))
        for mention in self.binding.columns(begin):
            end = self.skip(mention.end, ("column", "have"))
            yield end, Mods((Condition(Part(mention.field), "missing"),), (), mention.cost)

    def _entity(self, mention: Mention, distinct: bool) -> Iterator[tuple[Measure, int, tuple[str, ...]]]:
        one = mention.field
        notes = (mention.note,) if mention.note else ()
        if one.is_number and one.column.role == "measure" and not distinct:
            if counts(one):
                yield Measure("sum", one), 0, (*notes, f"{one.name} is added up over the rows.")
            return
        if (
            one.column.type not in ("boolean", "json", "empty") and one.column.role not in ("list", "measure")
        ) or distinct:
            told = f"Different values of {one.name} are counted."
            yield Measure("distinct", one), 0, (*notes, told)

    def _adjectives(self, start: int, depth: int = 0) -> Iterator[tuple[int, Mods]]:
        """Yield values and flags that stand before a noun: "organic", "male Adelie", "waterfront"."""
        yield start, Mods()
        if depth == 3:
            return
        for mention in self.binding.cells(start):
            how = "holds" if mention.field.column.role == "list" else "is"
            condition = Condition(Part(mention.field), how, (mention.value,))  # type: ignore[arg-type]
            first = Mods((condition,), (), mention.cost, (mention.note,) if mention.note else ())
            for end, rest in self._adjectives(mention.end, depth + 1):
                yield end, first + rest
        for mention in self.binding.columns(start):
            flag = self.binding.flag(mention.field)
            if flag is not None:
                first = Mods((Condition(Part(mention.field), "is", (flag,)),), (), mention.cost)
                for end, rest in self._adjectives(mention.end, depth + 1):
                    yield end, first + rest

    def _statistics(self, start: int) -> Iterator[tuple[int, Statistic]]:
        yield from self.phrase(start, words.STATISTICS)
        if self.low(start) not in ("most", "least", "fewest"):
            yield from ((end, "max" if up else "min") for end, up in self.phrase(start, words.EXTREMES))

    def _measure(self, start: int) -> Iterator[tuple[int, Measure, Mods, int, tuple[str, ...]]]:
        """Yield "average price", "total of sales", "highest average price", "mean organic price"."""
        for begin, statistic in self._statistics(start):
            for here in self.runs(begin, ("of", "for", "the", "value", "number", "amount", "values"), 4):
                for noun, before in self._adjectives(here):
                    for mention in self.binding.columns(noun):
                        if computable(mention.field, statistic):
                            notes = (mention.note,) if mention.note else ()
                            yield mention.end, Measure(statistic, mention.field), before, mention.cost, notes


def counts(one: Field) -> bool:
    """Say whether a number column counts things: a plural name (births, seats) and many different values.

    A singular name (flight) tells which thing a row is about.
    """
    last = name_words(one.name)[-1]
    plural = len(forms(last)) > 1 or last in vocabulary.COUNT_WORDS
    measured = one.is_number and one.column.role == "measure"
    return measured and plural and one.column.distinct > 30 and not _is_ratio(one)


def adds_up(one: Field) -> bool:
    """Say whether the values of a column are amounts whose sum means something, by the words of its name."""
    named = {vocabulary.stem(word) for word in name_words(one.name)} | set(name_words(one.name))
    flows = {vocabulary.stem(word) for word in vocabulary.FLOW_WORDS | vocabulary.COUNT_WORDS}
    return one.is_number and bool(named & flows) and not _is_ratio(one)


def _is_ratio(one: Field) -> bool:
    named = {form for word in name_words(one.name) for form in (word, *forms(word))}
    return bool(named & (vocabulary.RATIO_WORDS | {"rate", "per"}))


def computable(one: Field, statistic: Statistic) -> bool:
    """Say whether the statistic of the column means anything."""
    if statistic in ("min", "max"):
        return one.is_number or one.is_time
    return one.is_number and one.column.role not in ("identifier", "time")
