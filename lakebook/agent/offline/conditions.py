"""The part of the grammar that reads conditions: values, comparisons, times, flags, missing values.

What belongs here: from a place in the question, every way of reading one more condition, with where it ends.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from lakebook.agent.offline import words
from lakebook.agent.offline.binding import Binding, Mention
from lakebook.agent.offline.plan import Condition, Constant, Field, How, Part
from lakebook.agent.offline.tokens import Token, name_words, same

_T = TypeVar("_T")
_Conditions = Iterator[tuple[int, tuple[Condition, ...], int, tuple[str, ...]]]  # end, read, cost, notes
_LINKS_AT_MOST = 5


@dataclass(frozen=True, slots=True)
class Mods:
    """What follows the measure: conditions and groups, with their cost and what was assumed."""

    conditions: tuple[Condition, ...] = ()
    groups: tuple[Part, ...] = ()
    cost: int = 0
    notes: tuple[str, ...] = ()

    def __add__(self, other: Mods) -> Mods:
        """Put two together."""
        return Mods(
            self.conditions + other.conditions,
            self.groups + other.groups,
            self.cost + other.cost,
            self.notes + other.notes,
        )


class Reader:
    """Reads pieces of a question against one binding; every method yields (end, what was read)."""

    def __init__(self, binding: Binding) -> None:
        self.binding = binding
        self.tokens: tuple[Token, ...] = binding.tokens
        self.end = len(self.tokens)

    def low(self, place: int) -> str:
        """Return the word at a place, "" past the end or inside quotes."""
        token = self.tokens[place] if place < self.end else None
        return token.low if token is not None and token.kind != "quoted" else ""

    def phrase(self, start: int, known: Mapping[tuple[str, ...], _T]) -> Iterator[tuple[int, _T]]:
        """Yield the known phrases that stand here, longest first."""
        for length in range(5, 0, -1):
            here = tuple(self.low(place) for place in range(start, start + length))
            if here in known:
                yield start + length, known[here]

    def one_of(self, start: int, known: Collection[tuple[str, ...]]) -> Iterator[int]:
        """Yield where the phrases of a set end that stand here, longest first."""
        for length in range(6, 0, -1):
            if tuple(self.low(place) for place in range(start, start + length)) in known:
                yield start + length

    def skip(self, start: int, known: Collection[str] = words.DETERMINERS) -> int:
        """Return the place after words of a set."""
        while self.low(start) and self.low(start) in known:
            start += 1
        return start

    def runs(self, start: int, known: Collection[str], most: int = _LINKS_AT_MOST) -> Iterator[int]:
        """Yield every place up to which only words of a set stand, the start first."""
        yield start
        while most and self.low(start) and self.low(start) in known:
            start, most = start + 1, most - 1
            yield start

    # modifiers -----------------------------------------------------------------------------------------

    def mods(self, start: int, depth: int = 0) -> Iterator[tuple[int, Mods]]:
        """Yield every way of reading what follows as conditions, groups and tails."""
        yield start, Mods()
        if start >= self.end or depth > 6:
            return
        for end, mod in self._mod(start):
            # "excluding organic and Boston": whether Boston is excluded too is open
            open_end = self.low(end) in ("and", "or") and any(one.negated for one in mod.conditions)
            for last, rest in self.mods(end, depth + 1):
                if not (open_end and rest.conditions):
                    yield last, mod + rest

    def _mod(self, start: int) -> Iterator[tuple[int, Mods]]:
        for end in self.one_of(start, words.TAILS):
            yield end, Mods()
        yield from self._single(start)
        yield from self.groups(start)
        for end in self.runs(start, words.LINKS):
            for last, _ in self.binding.rows(end):
                yield last, Mods()
                if self.low(last) in ("csv", "dataset", "data", "table", "file"):
                    yield self.skip(last, ("csv", "dataset", "data", "table", "file")), Mods()
            yield from self.condition(end)
            for last, hint, cost in self._verb(end):
                for here in self.runs(last, words.LINKS):
                    yield from ((at, mods) for at, mods in self.condition(here, hint, cost))
                if not hint:
                    yield last, Mods()

    def _single(self, start: int) -> Iterator[tuple[int, Mods]]:
        """Yield "on a single day" where each row is a day of its own, and so says nothing more."""
        here = tuple(self.low(place) for place in range(start, start + 3))
        if here[0] not in ("on", "in") or here[1:] not in (
            ("a", "single"),
            ("any", "single"),
            ("a", "given"),
        ):
            return
        keys = [part for part, _ in self.binding.years() if self.binding.is_key(part.field)]
        days = any(part.field.is_time for part in keys)
        years = any(part.field.is_number for part in keys)
        if (self.low(start + 3) == "day" and days) or (self.low(start + 3) == "year" and years):
            yield start + 4, Mods()

    def _verb(self, start: int) -> Iterator[tuple[int, frozenset[str], int]]:
        """Yield a verb that the table's columns explain, with the columns that it points to."""
        needed = words.VERBS.get(self.low(start))
        if needed is None:
            return
        names = self.binding.names
        pointed = frozenset(n.field.name for n in names if any(word in needed for word in n.whole))
        if pointed:
            yield start + 1, frozenset(), 0
            yield start + 1, pointed, -1

    def groups(self, start: int) -> Iterator[tuple[int, Mods]]:
        """Yield "per region and type", "by year"."""
        for end in self.one_of(start, words.YEARLY):
            yield from ((end, Mods((), (part,), cost)) for part, cost in self.binding.years())
        for end in self.one_of(start, words.MONTHLY):
            yield from ((end, Mods((), (part,), cost)) for part, cost in self.binding.month_groups())
        for end in self.one_of(start, words.EACH):
            yield from self._group_list(self.skip(end, ("the", "of", "different", "individual")))

    def _group_list(self, start: int) -> Iterator[tuple[int, Mods]]:
        for end, part, cost in self.group_part(start):
            yield end, Mods((), (part,), cost)
            after = self.skip(end, ("and", "by", "the", "per", "each"))
            if after > end:
                for last, rest in self._group_list(after):
                    yield last, Mods((), (part,), cost) + rest

    def group_part(self, start: int) -> Iterator[tuple[int, Part, int]]:
        """Yield what rows can be grouped by: a column, or the year or month of one."""
        begin = start + 2 if self.low(start) == "number" and self.low(start + 1) == "of" else start
        for mention in self.binding.columns(begin):
            one = mention.field
            if one.is_time:
                if same(self.low(mention.end), "year"):
                    yield mention.end + 1, Part(one, "year"), mention.cost
                if same(self.low(mention.end), "month"):
                    yield mention.end + 1, Part(one, "month"), mention.cost
                    yield mention.end + 1, Part(one, "calendar month"), mention.cost
            yield mention.end, Part(one), mention.cost
        for end, sure in self.binding.rows(start):
            if sure:
                yield from ((end, Part(one), 0) for one in self.binding.name_columns())
        if same(self.low(start), "year"):
            yield from ((start + 1, part, cost) for part, cost in self.binding.years())
        if same(self.low(start), "month"):
            yield from ((start + 1, part, cost) for part, cost in self.binding.month_groups())

    # one condition -------------------------------------------------------------------------------------

    def condition(
        self, start: int, hint: frozenset[str] = frozenset(), cost: int = 0
    ) -> Iterator[tuple[int, Mods]]:
        """Yield every reading of one condition; with a hint, only on the columns that it names."""
        if start >= self.end:
            return
        for end, found, own, note in self._plain(start, hint):
            if not hint or all(one.part.field.name in hint for one in found):
                yield end, Mods(found, (), own + cost, note)
        for end in self.one_of(start, words.NEGATIONS):
            for here in self.runs(self.skip(end), words.LINKS, 2):
                for last, found, own, note in self._plain(here, hint):
                    if len(found) == 1 and (not hint or found[0].part.field.name in hint):
                        yield last, Mods((self._negative(found[0]),), (), own + cost, note)

    def _negative(self, one: Condition) -> Condition:
        flag = self.binding.flag(one.part.field)
        if one.how == "is" and flag is not None and one.values == (flag,):
            others = [entry.value for entry in one.part.field.column.values]
            value: Constant = False if flag is True else 0.0 if flag == 1.0 else "".join(
                other for other in others if other != flag
            )  # fmt: skip
            return Condition(one.part, "is", (value,))
        return Condition(one.part, one.how, one.values, not one.negated)

    def _plain(self, start: int, hint: frozenset[str]) -> _Conditions:
        yield from self._cells(start)
        yield from self._of_column(start)
        yield from self._number_first(start)
        yield from self._missing(start)
        yield from self._time(start, hint)

    def _cells(self, start: int, only: Field | None = None) -> _Conditions:
        """Yield values of a column: "organic", "Furniture or Technology", "the West region"."""
        for mention in self.binding.cells(start):
            if only is not None and mention.field != only:
                continue
            for end, values in self._alternatives(mention, mention.end):
                how: How = "holds" if mention.field.column.role == "list" else "is"
                found = (Condition(Part(mention.field), how, values),)
                for last in self._trailing(end, mention.field):
                    yield last, found, mention.cost, (mention.note,) if mention.note else ()

    def _alternatives(self, first: Mention, end: int) -> Iterator[tuple[int, tuple[Constant, ...]]]:
        values: tuple[Constant, ...] = (first.value,)
        while True:
            after = self.skip(end, ("or", "and", "either", "the"))
            nexts = [m for m in self.binding.cells(after) if m.field == first.field and m.value not in values]
            if not nexts:
                break
            values, end = (*values, nexts[0].value), nexts[0].end
        yield end, values

    def _trailing(self, end: int, one: Field) -> Iterator[int]:
        """Yield the end, and the end after a word of the column's name or of the rows."""
        yield end
        if self.low(end) and any(same(self.low(end), word) for word in name_words(one.name)):
            yield end + 1
        for last, _ in self.binding.rows(end):
            yield last

    def _of_column(self, start: int) -> _Conditions:
        """Yield conditions that name their column first: "price above 2", "region is West", "survived"."""
        for mention in self.binding.columns(start):
            one, cost = mention.field, mention.cost
            note = (mention.note,) if mention.note else ()
            flag = self.binding.flag(one)
            if flag is not None:
                told = f"“{self.tokens[start].text}” is read as {one.name} = {flag}."
                yield mention.end, (Condition(Part(one), "is", (flag,)),), cost, (*note, told)
            if self.low(self.skip(mention.end, words.IS)) in words.MISSING:
                yield self.skip(mention.end, words.IS) + 1, (Condition(Part(one), "missing"),), cost, note
            for here in self.runs(mention.end, words.IS, 3):
                for end, found, more, other in self._cells(here, one):
                    yield end, found, cost + more, (*note, *other)
                if one.is_number:
                    for end, how, values in self._comparison(here, one):
                        yield end, (Condition(Part(one), how, values),), cost, note

    def _comparison(self, start: int, one: Field) -> Iterator[tuple[int, How, tuple[Constant, ...]]]:
        """Yield "above 2", "between 1 and 3", "3 or more", "3"."""
        if self.low(start) == "between":
            low, high = self._number(start + 1), self._number(start + 3)
            if low is not None and high is not None and self.low(start + 2) == "and":
                yield self._unit(start + 4, one), "between", (low, high)
            return
        signs = dict(words.COMPARISONS)
        if any(same(word, "year") or word == "built" for word in name_words(one.name)):
            signs |= words.IN_TIME
        for end, how in self.phrase(start, signs):
            if (number := self._number(end)) is not None:
                yield self._unit(end + 1, one), how, (number,)
        if (number := self._number(start)) is not None:
            end = self._unit(start + 1, one)
            afters = list(self.phrase(end, words.AFTER_NUMBER))
            yield from ((last, how, (number,)) for last, how in afters)
            if not afters:
                yield end, "is", (number,)

    def _number(self, place: int) -> float | None:
        return self.tokens[place].number if place < self.end else None

    def _unit(self, place: int, one: Field) -> int:
        """Return the place after a unit that is the column's own."""
        unit = self.low(place)
        known = {*name_words(one.name), one.column.unit.casefold()} & (words.UNITS | {"%", "percent"})
        return place + 1 if unit and any(same(unit, word) for word in known) else place

    def _number_first(self, start: int) -> _Conditions:
        """Yield "more than 6 cylinders", "3 bedrooms", "at least 2 of …"."""
        begins: list[tuple[int, How]] = [*self.phrase(start, words.COMPARISONS), (start, "is")]
        for begin, how in begins:
            number = self._number(begin)
            if number is None:
                continue
            for mention in self.binding.columns(begin + 1):
                if mention.field.is_number and mention.end > begin + 1:
                    yield mention.end, (Condition(Part(mention.field), how, (number,)),), mention.cost, ()

    def _missing(self, start: int) -> _Conditions:
        """Yield "no director", "missing age"; "no" before a number may mean 0 as well, so it is not read."""
        if self.low(start) != "no" and self.low(start) not in words.MISSING:
            return
        begin = self.skip(start + 1, ("value", "values", "for", "in", "the", "of"))
        for mention in self.binding.columns(begin):
            zero = mention.field.is_number and self.low(start) == "no"
            if mention.field.column.nulls and not zero and self.binding.flag(mention.field) is None:
                note = f"“{self.low(start)}” is read as: {mention.field.name} has no value."
                yield mention.end, (Condition(Part(mention.field), "missing"),), mention.cost, (note,)

    def _time(self, start: int, hint: frozenset[str]) -> _Conditions:
        """Yield "in 2016", "2016", "March 2016", "between 2015 and 2017", "since 2001"."""
        parts = self.binding.years()
        if not hint and all(cost and part.field.is_number for part, cost in parts):
            parts = []  # the year in which something was built says nothing of "in 1995"
        for end, how, years in self._years(start):
            for part, cost in parts:
                values = tuple(self._year_of(part, year) for year in years)
                files = {entry.value for entry in part.field.column.values}
                if part.field.column.type == "text" and how == "is" and not files & set(years):
                    continue  # no file is named after this year
                yield end, (Condition(part, how, values),), cost, ()
        month = words.MONTHS.get(self.low(start))
        if month is not None and (self.low(start) != "may" or self.tokens[start].text == "May"):
            for part, cost in self.binding.months():
                yield start + 1, (Condition(part, "is", (float(month),)),), cost, ()
        if start < self.end and self.tokens[start].kind == "date":
            for one in (names.field for names in self.binding.names if names.field.is_time):
                yield start + 1, (Condition(Part(one), "is", (self.tokens[start].text,)),), 0, ()

    def _years(self, start: int) -> Iterator[tuple[int, How, tuple[str, ...]]]:
        def year(place: int) -> str:
            here = self.tokens[place] if place < self.end else None
            return here.text if here is not None and here.is_year else ""

        for opening, joining in (("between", ("and",)), ("from", ("to", "until", "through"))):
            if self.low(start) == opening:
                begin = self.skip(start + 1, ("the", "years", "year"))
                if year(begin) and self.low(begin + 1) in joining and year(begin + 2):
                    yield begin + 3, "between", (year(begin), year(begin + 2))
        for begin, how in [*self.phrase(start, words.IN_TIME), (start, "is")]:
            if year(begin):
                yield begin + 1, how, (year(begin),)

    def _year_of(self, part: Part, year: str) -> Constant:
        return year if part.field.column.type == "text" else float(year)
