"""The grammar: every way of reading a whole question as a plan over one subject.

A question is read only if each of its words has a place in a reading: bound to a column, a value, the rows
or an operation, or a filler that asks nothing. What belongs here: the forms that questions have. Paper:
RADAR §3.1 (an operation declares what it claims).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lakebook.agent.offline import words
from lakebook.agent.offline.binding import Binding
from lakebook.agent.offline.conditions import Mods
from lakebook.agent.offline.measures import adds_up, computable
from lakebook.agent.offline.plan import (
    Change,
    Condition,
    Measure,
    Plan,
    Share,
    Statistic,
)
from lakebook.agent.offline.rankings import Rankings

_MANY = 60  # a column with more values names things rather than kinds of things


def readings(binding: Binding) -> list[Plan]:
    """Return every reading of the question, each once, the one with the least stretched names first."""
    found: dict[Plan, Plan] = {}
    for plan in Grammar(binding).question():
        known = found.get(plan)
        if known is None or plan.cost < known.cost:
            found[plan] = plan
    return sorted(found.values(), key=lambda plan: plan.cost)


class Grammar(Rankings):
    """Reads questions against one binding."""

    def question(self) -> Iterator[Plan]:
        """Yield every reading that accounts for all words."""
        start = 0
        while True:
            for form in (self._count, self._statistic, self._share, self._correlation, self._mode,
                         self._which, self._top, self._change, self._lookup):  # fmt: skip
                for end, plan in form(start):
                    if end == self.end:
                        yield plan
            if self.low(start) not in words.LEAD:
                return
            start += 1

    def _count(self, start: int) -> Iterator[tuple[int, Plan]]:
        for begin in self.one_of(start, words.COUNTING):
            for end, measure, before, cost, notes in self._counted(self.skip(begin)):
                if measure.statistic == "count" and before.conditions and self._of_pieces():
                    continue  # "how many chairs were sold" may ask for pieces; a row can hold several
                for last, mods in self.mods(end):
                    if not self._of_groups(measure, mods):
                        yield last, self._plan(measure, before + mods, cost, notes)

    def _of_pieces(self) -> bool:
        """Say whether a verb of the question counts pieces, not rows."""
        return any(self.low(place) in words.PIECES for place in range(self.end))

    def _of_groups(self, measure: Measure, mods: Mods) -> bool:
        """Say whether a condition may be on totals of what is counted: regions with more than 100 sales."""
        things = measure.statistic == "distinct" and measure.field and not self.binding.is_key(measure.field)
        return bool(things) and any(
            one.part.field.is_number and one.part.field.column.role == "measure" and one.how != "missing"
            for one in mods.conditions
        )

    def _statistic(self, start: int) -> Iterator[tuple[int, Plan]]:
        for end, measure, before, cost, notes in self._measure(start):
            for last, mods in self.mods(end):
                if not _of_totals(measure, mods):
                    yield last, self._plan(measure, before + mods, cost, notes)
        yield from self._several(start)
        if self.low(start) == "how" and self.low(start + 1) == "much":
            for mention in self.binding.columns(start + 2):
                if adds_up(mention.field):
                    notes = tuple(filter(None, (mention.note, f"{mention.field.name} is added up.")))
                    for last, mods in self.mods(mention.end):
                        yield last, self._plan(Measure("sum", mention.field), mods, mention.cost, notes)

    def _several(self, start: int) -> Iterator[tuple[int, Plan]]:
        """Yield "mean and standard deviation of price", "minimum, maximum and median price"."""
        named: list[Statistic] = []
        end = start
        while True:
            here = self.skip(end, ("and", "the"))
            found = next(iter(self._statistics(here)), None)
            if found is None:
                break
            end = found[0]
            named.append(found[1])
        if len(named) < 2 or len(set(named)) < len(named):
            return
        for here in self.runs(end, ("of", "for", "the", "value", "values"), 3):
            for mention in self.binding.columns(here):
                if all(computable(mention.field, statistic) for statistic in named):
                    first, *others = (Measure(statistic, mention.field) for statistic in named)
                    for last, mods in self.mods(mention.end):
                        if not mods.groups:
                            yield last, replace(self._plan(first, mods, mention.cost), also=tuple(others))

    def _share(self, start: int) -> Iterator[tuple[int, Plan]]:
        for begin, percent in self.phrase(start, words.SHARES):
            for end, measure, base, cost, notes in self._whole(self.skip(begin)):
                if base.groups:
                    continue
                for here in self.runs(end, words.LINKS, 4):
                    for last, part in self.mods(here):
                        yield from self._parts(last, measure, base, part, percent, cost, notes)
            if self.low(begin) in words.MISSING and self.low(begin + 1) in ("values", "value"):
                for end, mods in self._in_column(begin + 2):
                    plan = self._plan(Measure("count"), Mods())
                    yield end, replace(plan, share=Share(mods.conditions, percent))

    def _whole(self, start: int) -> Iterator[tuple[int, Measure, Mods, int, tuple[str, ...]]]:
        for here, before in self._adjectives(start):
            for end, sure in self.binding.rows(here):
                if sure or not before.conditions:
                    yield end, Measure("count"), before, 0, ()
        for mention in self.binding.columns(self.skip(start, ("total", "the", "overall", "all"))):
            if adds_up(mention.field):
                notes = (mention.note,) if mention.note else ()
                yield mention.end, Measure("sum", mention.field), Mods(), mention.cost, notes

    def _parts(
        self,
        end: int,
        measure: Measure,
        base: Mods,
        part: Mods,
        percent: bool,
        cost: int,
        notes: tuple[str, ...],
    ) -> Iterator[tuple[int, Plan]]:
        """Yield the share of all rows and, where values are missing, that of those with one."""
        if not part.conditions or part.groups:
            return
        plan = self._plan(measure, base, cost + part.cost, (*notes, *part.notes))
        yield end, replace(plan, share=Share(part.conditions, percent))
        if any(one.part.field.column.nulls and one.how != "missing" for one in part.conditions):
            yield end, replace(plan, share=Share(part.conditions, percent, known_only=True))

    def _correlation(self, start: int) -> Iterator[tuple[int, Plan]]:
        for begin in self.one_of(start, words.CORRELATIONS):
            for one in self.binding.columns(self.skip(begin)):
                if self.low(one.end) not in ("and", "with"):
                    continue
                for other in self.binding.columns(self.skip(one.end + 1)):
                    if one.field.is_number and other.field.is_number and one.field != other.field:
                        measure = Measure("correlation", one.field, other.field)
                        for last, mods in self.mods(self.skip(other.end, ("columns", "column"))):
                            yield last, self._plan(measure, mods, one.cost + other.cost)

    def _change(self, start: int) -> Iterator[tuple[int, Plan]]:
        """Yield "how did the average price change from 2015 to 2017", "by what percentage did … grow"."""
        for begin, percent in self._change_opening(start):
            for end, measure, before, cost, notes in self._changing(self.skip(begin)):
                for middle, mods in self.mods(end):
                    if mods.groups:
                        continue
                    here = self._change_verb(middle, begin)
                    if here is None:
                        continue
                    yield from self._periods(here, measure, before + mods, percent, cost, notes)

    def _change_opening(self, start: int) -> Iterator[tuple[int, bool]]:
        openings = {
            ("how", "did"): False, ("how", "much", "did"): False, ("how", "has"): False,
            ("by", "how", "much", "did"): False, ("by", "what", "percentage", "did"): True,
            ("by", "what", "percent", "did"): True, ("by", "how", "many", "percent", "did"): True,
            ("change", "in"): False, ("change", "of"): False, ("difference", "in"): False,
            ("growth", "of"): False,
            ("percentage", "change", "in"): True, ("percent", "change", "in"): True,
        }  # fmt: skip
        yield from self.phrase(self.skip(start), openings)

    def _changing(self, start: int) -> Iterator[tuple[int, Measure, Mods, int, tuple[str, ...]]]:
        yield from self._measure(start)
        if self.low(start) == "number" and self.low(start + 1) == "of":
            yield from self._counted(start + 2)

    def _change_verb(self, place: int, begin: int) -> int | None:
        """Return the place after the verb, which a question that opens with "change in" has not."""
        if self.low(place) in (
            "change",
            "grow",
            "increase",
            "develop",
            "rise",
            "decrease",
            "fall",
            "decline",
        ):
            return place + 1
        return place if self.low(begin - 1) in ("in", "of") else None

    def _periods(
        self, start: int, measure: Measure, mods: Mods, percent: bool, cost: int, notes: tuple[str, ...]
    ) -> Iterator[tuple[int, Plan]]:
        for end, span in self.condition(start):
            found = span.conditions[0] if len(span.conditions) == 1 else None
            if (
                found is None
                or found.how != "between"
                or found.part not in [p for p, _ in self.binding.years()]
            ):
                continue
            first, last = (Condition(found.part, "is", (value,)) for value in found.values)
            for at, rest in self.mods(end):
                if not rest.groups:
                    plan = self._plan(measure, mods + rest, cost + span.cost, notes)
                    yield at, replace(plan, change=Change(first, last, percent))

    def _lookup(self, start: int) -> Iterator[tuple[int, Plan]]:
        """Yield "the population in 1900": the value of a column in the one row that the conditions leave."""
        for mention in self.binding.columns(self.skip(start)):
            for last, mods in self.mods(mention.end):
                if mods.conditions and not mods.groups:
                    fields = {one.part.field for one in mods.conditions}
                    if mention.field not in fields:
                        yield last, self._plan(Measure("value", mention.field), mods, mention.cost)


def _of_totals(measure: Measure, mods: Mods) -> bool:
    """Say whether the average of totals may be meant (average sales per customer), and not that of rows."""
    one = measure.field
    many = any(not part.grain and part.field.column.distinct > _MANY for part in mods.groups)
    return measure.statistic == "average" and one is not None and adds_up(one) and many
