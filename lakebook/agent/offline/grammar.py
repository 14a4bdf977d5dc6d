"""The grammar: every way of reading a whole question as a plan over one subject.

A question is read only if each of its words has a place in a reading: bound to a column, a value, the rows
or an operation, or a filler that asks nothing. What belongs here: the forms that questions have. Paper:
RADAR §3.1 (an operation declares what it claims).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lakebook.agent.offline import words
from lakebook.agent.offline.binding import Binding, Mention
from lakebook.agent.offline.conditions import Mods, Reader
from lakebook.agent.offline.plan import (
    Change,
    Condition,
    Field,
    Measure,
    Part,
    Plan,
    Ranking,
    Share,
    Statistic,
)
from lakebook.agent.offline.tokens import forms, name_words, same_words
from lakebook.analyst import vocabulary
from lakebook.validation.question import NUMBER_WORDS

_Ranked = tuple[int, bool, list[Measure], int, tuple[str, ...], tuple[Condition, ...]]
_STRETCHED = 1


def readings(binding: Binding) -> list[Plan]:
    """Return every reading of the question, each once, the one with the least stretched names first."""
    found: dict[Plan, Plan] = {}
    for plan in Grammar(binding).question():
        known = found.get(plan)
        if known is None or plan.cost < known.cost:
            found[plan] = plan
    return sorted(found.values(), key=lambda plan: plan.cost)


class Grammar(Reader):
    """Reads questions against one binding."""

    def __init__(self, binding: Binding) -> None:
        super().__init__(binding)
        self.subject = binding.subject

    def question(self) -> Iterator[Plan]:
        """Yield every reading that accounts for all words."""
        start = 0
        seen: set[Plan] = set()
        while True:
            for form in (self._count, self._statistic, self._share, self._correlation, self._mode,
                         self._which, self._top, self._change, self._lookup):  # fmt: skip
                for end, plan in form(start):
                    if end == self.end and plan not in seen:
                        yield plan
            if self.low(start) not in words.LEAD:
                return
            start += 1

    def _plan(self, measure: Measure, mods: Mods, cost: int = 0, notes: tuple[str, ...] = ()) -> Plan:
        return Plan(
            self.subject,
            measure,
            mods.conditions,
            mods.groups,
            cost=cost + mods.cost,
            assumptions=tuple(dict.fromkeys((*notes, *mods.notes))),
        )

    # how many ------------------------------------------------------------------------------------------

    def _count(self, start: int) -> Iterator[tuple[int, Plan]]:
        for begin in self.one_of(start, words.COUNTING):
            for end, measure, before, cost, notes in self._counted(self.skip(begin)):
                for last, mods in self.mods(end):
                    yield last, self._plan(measure, before + mods, cost, notes)

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
            first = Mods((condition,), (), int(how == "holds"))
            for end, rest in self._adjectives(mention.end, depth + 1):
                yield end, first + rest
        for mention in self.binding.columns(start):
            flag = self.binding.flag(mention.field)
            if flag is not None:
                first = Mods((Condition(Part(mention.field), "is", (flag,)),), (), mention.cost)
                for end, rest in self._adjectives(mention.end, depth + 1):
                    yield end, first + rest

    # average, total, highest ---------------------------------------------------------------------------

    def _statistic(self, start: int) -> Iterator[tuple[int, Plan]]:
        for end, measure, before, cost, notes in self._measure(start):
            for last, mods in self.mods(end):
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

    # shares --------------------------------------------------------------------------------------------

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

    # which, top ----------------------------------------------------------------------------------------

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
            if not one.is_number or one == part.field:
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

    # change, lookup ------------------------------------------------------------------------------------

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
    return bool(set(name_words(one.name)) & (vocabulary.RATIO_WORDS | {"rate", "per"}))


def computable(one: Field, statistic: Statistic) -> bool:
    """Say whether the statistic of the column means anything."""
    if statistic in ("min", "max"):
        return one.is_number or one.is_time
    return one.is_number and one.column.role not in ("identifier", "time")
