"""The part of the grammar that reads orders: which group has the most, the top five, the most common.

What belongs here: groups that are put in order by a measure. Where words leave the measure open (the highest
price of a region: of one row, or on average?) all are yielded, and only what they agree on is answered.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lakebook.agent.offline import words
from lakebook.agent.offline.conditions import Mods
from lakebook.agent.offline.measures import Measures, adds_up, counts
from lakebook.agent.offline.plan import Condition, Field, Measure, Part, Plan, Ranking, Statistic
from lakebook.agent.offline.tokens import name_words, same_words
from lakebook.validation.question import NUMBER_WORDS

# end, upper end, measures, cost, notes, conditions
_Ranked = tuple[int, bool, list[Measure], int, tuple[str, ...], tuple[Condition, ...]]


class Rankings(Measures):
    """Reads orders of groups against one binding."""

    def _mode(self, start: int) -> Iterator[tuple[int, Plan]]:
        for begin, often in self.phrase(self.skip(start), words.MOST_OFTEN):
            for end, part, cost in self.group_part(begin):
                for last, mods in self.mods(end):
                    if not mods.groups:
                        yield last, self._ranked(part, Measure("count"), mods, Ranking(often), cost, ())

    def _ranked(
        self, part: Part, measure: Measure, mods: Mods, ranking: Ranking, cost: int, notes: tuple[str, ...]
    ) -> Plan:
        known = Mods((Condition(part, "missing", negated=True),)) if part.field.column.nulls else Mods()
        plan = self._plan(measure, mods + known, cost, notes)
        return replace(plan, groups=(part,), ranking=ranking)

    def _which(self, start: int) -> Iterator[tuple[int, Plan]]:
        """Yield "(in) which region is the average price highest", "which 3 states have the most sales"."""
        begin = self.skip(start, ("in", "on", "for", "at", "from"))
        if self.low(begin) not in ("which", "what", "who"):
            return
        most, begin = self._figure(begin + 1)
        for end, part, cost in self.group_part(self.skip(begin)):
            for middle, between in self.mods(end):
                if between.groups:
                    continue
                for here in self.runs(middle, words.AUXILIARIES, 4):
                    yield from self._ordered(here, part, between, cost, most)

    def _figure(self, place: int) -> tuple[int, int]:
        """Return how many are asked for, and the place after the number."""
        if place < self.end:
            number = self.tokens[place].number or NUMBER_WORDS.get(self.low(place))
            if number and number == int(number) and 0 < number <= 1000:
                return int(number), place + 1
        return 1, place

    def _ordered(
        self, start: int, part: Part, before: Mods, cost: int, most: int
    ) -> Iterator[tuple[int, Plan]]:
        for end, up, measures, more, notes, conditions in self._ranking(start, part):
            own = Mods(conditions)
            if self.low(end) == "on" and self.low(end + 1) == "average" and len(measures) > 1:
                end, measures = end + 2, [Measure("average", measures[0].field)]
            for last, mods in self.mods(end):
                if not mods.groups:
                    for measure in measures:
                        ranking = Ranking(up, most)
                        yield (
                            last,
                            self._ranked(part, measure, before + own + mods, ranking, cost + more, notes),
                        )

    def _ranking(self, start: int, part: Part) -> Iterator[_Ranked]:
        """Yield "the highest average price", "the average price the highest", "the most books"."""
        begin = self.skip(start)
        for here, up in self.phrase(begin, words.EXTREMES):
            after = self.skip(here, ("number", "of", "the", "amount"))
            yield from ((end, up, *rest) for end, *rest in self._ranked_by(after, part, up, self.low(begin)))  # type: ignore[misc]
        yield from self._adjective(begin, part)
        for end, measures, cost, notes, conditions in self._ranked_by(begin, part, True, ""):
            for last, up in self.phrase(self.skip(end, ("the", "is", "was", "are")), words.EXTREMES):
                yield last, up, measures, cost, notes, conditions

    def _adjective(self, start: int, part: Part) -> Iterator[_Ranked]:
        """Yield "the oldest", "the longest bill": the noun of the adjective is part of the column's name."""
        for here, (up, nouns) in self.phrase(start, words.ADJECTIVES):
            for end in range(here, min(here + 3, self.end) + 1):
                between = tuple(self.low(place) for place in range(here, end))
                for names in self.binding.names:
                    meant = any(
                        same_words((*between, noun), short) for noun in nouns for short in names.short
                    )
                    if meant and names.field.is_number and names.field != part.field:
                        note = f"“{self.low(here - 1)}” is read by the column {names.field.name}."
                        measures, told = self._unsaid(names.field, up, False)
                        yield end, up, measures, 1, (note, *told), ()

    def _ranked_by(
        self, start: int, part: Part, up: bool, word: str
    ) -> Iterator[tuple[int, list[Measure], int, tuple[str, ...], tuple[Condition, ...]]]:
        """Yield what groups are ordered by; several measures where the words leave open which."""
        for end, measure, before, cost, notes in self._measure(start):
            if measure.field != part.field:
                yield end, [measure], cost, notes, before.conditions
        counting = word in ("most", "fewest", "least") or (start > 1 and self.low(start - 2) == "number")
        if counting:
            for end, measure, before, cost, notes in self._counted(start):
                if measure.field != part.field:
                    yield end, [measure], cost, notes, before.conditions
        for mention in self.binding.columns(start):
            one = mention.field
            if not one.is_number or one == part.field or (counting and not (counts(one) or adds_up(one))):
                continue
            notes = (mention.note,) if mention.note else ()
            measures, told = self._unsaid(one, up, counting)
            yield mention.end, measures, mention.cost, (*notes, *told), ()

    def _unsaid(self, one: Field, up: bool, counting: bool) -> tuple[list[Measure], tuple[str, ...]]:
        """Return how a group's values may be meant to be taken together, where no word says it."""
        if {"average", "mean", "avg"} & set(name_words(one.name)):
            return [Measure("average", one)], (f"{one.name} is averaged over the rows of a group.",)
        if adds_up(one) or counting:
            return [Measure("sum", one)], (f"{one.name} is added up within a group.",)
        end: Statistic = "max" if up else "min"
        return [Measure(end, one), Measure("average", one), Measure("sum", one)], ()

    def _top(self, start: int) -> Iterator[tuple[int, Plan]]:
        """Yield "top 5 states by sales", "the region with the highest profit", "title of the book with …"."""
        begin = self.skip(start)
        for here, up in self.phrase(begin, words.ENDS):
            most, after = self._figure(here)
            if after == here:
                continue
            for end, part, cost in self.group_part(after):
                yield from self._top_by(end, part, cost, most, up)
        most, after = self._figure(begin)
        for end, part, cost in self.group_part(after):
            yield from self._top_by(end, part, cost, most, None)
            for here in self.runs(end, ("of", "the", "for"), 3):
                for last, sure in self.binding.rows(here):
                    if sure:
                        yield from self._top_by(last, part, cost, most, None)

    def _top_by(
        self, start: int, part: Part, cost: int, most: int, up: bool | None
    ) -> Iterator[tuple[int, Plan]]:
        for middle, between in self.mods(start):
            if between.groups:
                continue
            for here in self.one_of(middle, words.RANKED_BY):
                yield from self._ordered(here, part, between, cost, most)
                if up is None:
                    continue
                begin = self.skip(here, ("the", "number", "of"))
                for end, measures, more, notes, conditions in self._ranked_by(begin, part, up, ""):
                    for last, mods in self.mods(end):
                        for measure in measures if not mods.groups else ():
                            own = between + Mods(conditions) + mods
                            yield (
                                last,
                                self._ranked(part, measure, own, Ranking(up, most), cost + more, notes),
                            )
