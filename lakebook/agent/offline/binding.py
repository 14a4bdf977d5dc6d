"""What the words of a question can mean in one table: its columns, their values, its rows.

What belongs here: finding mentions, all of them, with how far a name had to be stretched. Which of them
together make a reading is `grammar`'s work. Values come from complete enumerations in the cards, and for
other text columns from a search of the stored table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lakebook.agent.offline import words
from lakebook.agent.offline.plan import Constant, Field, Part, Subject
from lakebook.agent.offline.tokens import Token, forms, name_words, same, same_words, value_words

MOST_WORDS = 8  # of a name or value in a question
_COLUMN = ("column", "columns", "field", "values", "value")
_TRUE = ("true", "yes", "y", "1")


@dataclass(frozen=True, slots=True)
class Mention:
    """Words up to `end` that name a column, or a value of it; `cost` is how far the name was stretched."""

    end: int
    field: Field
    cost: int = 0
    value: Constant = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Names:
    """The ways in which a column may be named: as it is, by another name, without words that add nothing."""

    field: Field
    whole: tuple[str, ...]
    aliases: tuple[tuple[str, ...], ...]
    short: frozenset[tuple[str, ...]]


def names_of(one: Field, aliases: Sequence[str] = ()) -> Names:
    """Return the names of a column."""
    whole = name_words(one.name)
    short: set[tuple[str, ...]] = set()
    for text in (one.name, *aliases):
        outer = re.sub(r"[(\[].*?[)\]]", " ", text)
        inner = re.findall(r"[(\[](.*?)[)\]]", text)
        for name in map(name_words, (text, outer, *inner)):
            plain = tuple(word for word in name if word not in words.LIGHT)
            while len(plain) > 1 and plain[-1] in words.UNITS:
                plain = plain[:-1]
            short |= {name, plain}
    others = tuple(name_words(text) for text in aliases)
    return Names(one, whole, others, frozenset(name for name in short if name))


@dataclass
class Binding:
    """The mentions of one subject in one question.

    `found` holds values by text column: (table, column) -> values that some phrase of the question equals.
    """

    subject: Subject
    tokens: tuple[Token, ...]
    found: Mapping[tuple[str, str], Sequence[str]]
    names: tuple[Names, ...] = field(init=False)
    values: dict[tuple[str, ...], list[tuple[Field, str]]] = field(init=False)

    def __post_init__(self) -> None:
        aliases = self.subject.aliases
        self.names = tuple(
            names_of(
                one, [name for table, column, name in aliases if (table, column) == (one.table, one.name)]
            )
            for one in self.subject.fields()
        )
        self.values = {}
        for one in (names.field for names in self.names):
            known = self.found.get((one.table, one.name), ())
            for value in known:
                self.values.setdefault(value_words(value), []).append((one, value))

    def low(self, place: int) -> str:
        """Return the word at a place in lower case, "" past the end."""
        return self.tokens[place].low if place < len(self.tokens) else ""

    def columns(self, start: int) -> Iterator[Mention]:
        """Yield the columns that the words from here on name, also as "the column …" or "the … column"."""
        for mention in self._named_columns(start):
            yield mention
            if self.low(mention.end) in _COLUMN:
                yield replace(mention, end=mention.end + 1)
            # a name that is told again: "the wind speed (WINDSPEED)"
            for again in self._named_columns(mention.end):
                if again.field == mention.field:
                    yield replace(mention, end=again.end, cost=min(mention.cost, again.cost))
        if self.low(start) in ("column", "columns", "field"):
            yield from self._named_columns(start + 1)

    def _named_columns(self, start: int) -> Iterator[Mention]:
        """Yield the columns that the words from here on name, longest names first, stretched ones last."""
        if start >= len(self.tokens):
            return
        if self.tokens[start].kind == "quoted":
            wanted = name_words(self.tokens[start].text)
            for names in self.names:
                if names.whole == wanted:
                    yield Mention(start + 1, names.field)
            return
        for end in range(min(len(self.tokens), start + MOST_WORDS), start, -1):
            span = self._span(start, end)
            if not span:
                continue
            exact = [n.field for n in self.names if any(_named(span, w) for w in (n.whole, *n.aliases))]
            yield from (Mention(end, one) for one in exact)
            if not exact:
                yield from (Mention(end, one, 1) for one in self._short(span))
        meant = words.STANDS_FOR.get(self.low(start), "")
        if meant and not any(same(self.low(start), word) for names in self.names for word in names.whole):
            fitting = [n.field for n in self.names if n.whole == (meant,) and n.field.is_number]
            note = f"“{self.low(start)}” is read as the column {meant}."
            yield from (Mention(start + 1, one, 2, note=note) for one in fitting)

    def _short(self, span: tuple[str, ...]) -> list[Field]:
        plain = tuple(word for word in span if word not in words.LIGHT_IN_QUESTIONS) or span
        return [
            names.field
            for names in self.names
            if any(same_words(plain, short) or same_words(span, short) for short in names.short)
        ]

    def _span(self, start: int, end: int) -> tuple[str, ...]:
        pieces = self.tokens[start:end]
        if any(piece.kind in ("sign", "quoted") for piece in pieces):
            return ()
        return tuple(word for piece in pieces for word in (value_words(piece.low) or (piece.low,)))

    def cells(self, start: int) -> Iterator[Mention]:
        """Yield the values that the words from here on are, longest first; of each place only the longest."""
        if start >= len(self.tokens):
            return
        if self.tokens[start].kind == "quoted":
            wanted = value_words(self.tokens[start].text)
            for one, value in self.values.get(wanted, ()):
                yield self._cell(start, start + 1, one, value)
            return
        for end in range(min(len(self.tokens), start + MOST_WORDS), start, -1):
            span = self._span(start, end)
            hits = [hit for form in last_forms(span) for hit in self.values.get(form, ())]
            hits = [hit for hit in hits if self._meant(start, end, hit[1]) and not _is_name_of(*hit)]
            if hits:
                yield from (self._cell(start, end, one, value) for one, value in dict.fromkeys(hits))
                return

    def _cell(self, start: int, end: int, one: Field, value: str) -> Mention:
        """Return a value, with a note if other values of the column hold its words too.

        An entry of a list is stretched a little, and so is the name of one row among many (a film called
        INDIA), more so if it is written otherwise.
        """
        if one.column.role == "list":
            return Mention(end, one, 1, value)
        cost = 0
        if one.column.distinct > self.subject.table.rows / 2:
            written = " ".join(token.text for token in self.tokens[start:end])
            cost = 1 if written == value or written == written.casefold() else 2
        wanted = f" {' '.join(value_words(value))} "
        wider = [
            entry.value
            for entry in one.column.values
            if entry.value != value and wanted in f" {' '.join(value_words(entry.value))} "
        ]
        note = f"{one.name} is exactly “{value}”; {_some(wider)} are other values." if wider else ""
        return Mention(end, one, cost, value, note)

    def _meant(self, start: int, end: int, value: str) -> bool:
        """Say whether words are the value and not only words of the sentence that happen to be alike."""
        written = " ".join(piece.text for piece in self.tokens[start:end])
        if all(piece.low in words.NEVER_VALUES for piece in self.tokens[start:end]):
            return written == value and written != written.casefold()
        return True

    def rows(self, start: int) -> Iterator[tuple[int, bool]]:
        """Yield (end, sure) where words name the rows; `sure` if a row is one of what they name."""
        if self.low(start) in words.ROWS:
            yield start + 1, True
            return
        if self.low(start) == "data" and self.low(start + 1) in ("points", "point"):
            yield start + 2, True
            return
        noun = self.table_words()
        for end in range(min(len(self.tokens), start + 3), start, -1):
            span = self._span(start, end)
            if span and noun and same_words(span, noun):
                yield end, not self._measured(span)
            elif len(span) == 1 and len(noun) > 1 and any(same(span[0], word) for word in noun):
                yield end, same(span[0], noun[-1]) and not self._measured(span)
        for mention in self.columns(start):
            if self.is_key(mention.field) and mention.field.column.role != "measure":
                yield mention.end, True

    def table_words(self) -> tuple[str, ...]:
        """Return the words of the table's name that say what its rows are."""
        return tuple(
            word
            for word in name_words(self.subject.table.name)
            if word not in words.GENERIC_TABLES and not re.fullmatch(r"[a-z]?\d+", word)
        )

    def _measured(self, span: tuple[str, ...]) -> bool:
        """Say whether a number column counts what these words name, so that a row is none of them."""
        return any(
            names.field.is_number and word == span[-1] and len(forms(word)) > 1
            for names in self.names
            for word in names.whole
        )

    def name_columns(self) -> list[Field]:
        """Return columns that give each row its own name."""
        return [n.field for n in self.names if n.whole in (("name",), ("title",)) and self.is_key(n.field)]

    def is_key(self, one: Field) -> bool:
        """Say whether the column names every row of the table apart."""
        column = one.column
        table = self.subject.table
        own = one.table == table.name
        return own and not column.nulls and column.distinct_exact and column.distinct == table.rows > 1

    def flag(self, one: Field) -> Constant | None:
        """Return the value that means "yes" in a column of two values, None if it is no such column."""
        column = one.column
        if column.type == "boolean":
            return True
        values = {entry.value.casefold() for entry in column.values}
        if not column.values_complete or len(values) != 2:
            return None
        if column.type == "integer" and values == {"0", "1"}:
            return 1.0
        if column.type == "text" and values in ({"yes", "no"}, {"y", "n"}, {"true", "false"}):
            return next(entry.value for entry in column.values if entry.value.casefold() in _TRUE)
        return None

    def years(self) -> list[tuple[Part, int]]:
        """Return what a calendar year can be compared with, each with how far it is to be sought."""
        found = []
        for names in self.names:
            one, plain = names.field, {word for word in names.whole if word not in words.LIGHT}
            if one.is_time:
                found.append((Part(one, "year"), 0 if plain <= {"date", "time", "day", "datetime"} else 1))
            elif one.name == self.subject.member_column and one.table == self.subject.table.name:
                if all(re.fullmatch(r"(?:19|20)\d\d", entry.value) for entry in one.column.values):
                    found.append((Part(one), 0))
            elif any(same(word, "year") for word in plain) and _holds_years(one):
                found.append((Part(one), 0 if len(plain) == 1 else 1))
            elif plain & {"built", "founded", "established"} and _holds_years(one):
                found.append((Part(one), 1))
        return found

    def months(self) -> list[tuple[Part, int]]:
        """Return what a month of the year can be compared with."""
        found = []
        for names in self.names:
            one, plain = names.field, {word for word in names.whole if word not in words.LIGHT}
            if one.is_time:
                found.append((Part(one, "month"), 0 if plain <= {"date", "time", "day"} else 1))
            elif plain == {"month"} and one.column.type == "integer":
                found.append((Part(one), 0))
        return found

    def month_groups(self) -> list[tuple[Part, int]]:
        """Return months as groups: those of the year, and where dates pass a year's end, each month alone."""
        found = self.months()
        years = any(one.field.is_number and one.field.column.distinct > 1 for one, _ in self.years())
        for part, cost in tuple(found):
            column = part.field.column
            if part.grain and (column.min or "")[:4] != (column.max or "")[:4]:
                found.append((Part(part.field, "calendar month"), cost))
            elif not part.grain and years:
                found += [(Part(one.field, "calendar month"), cost) for one, _ in self.months() if one.grain]
        return found


def _holds_years(one: Field) -> bool:
    if not one.is_number:
        return False
    try:
        low, high = float(one.column.min or "nan"), float(one.column.max or "nan")
    except ValueError:
        return False
    return 1000 <= high <= 2200 and (low >= 1000 or low == 0)


def last_forms(span: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the phrase, and with its last word in the singular."""
    if not span:
        return []
    singular = sorted(form for form in forms(span[-1]) if span[-1].startswith(form[:-1]))
    return list(dict.fromkeys([span, *((*span[:-1], form) for form in singular)]))


def phrases_of(tokens: Sequence[Token]) -> tuple[str, ...]:
    """Return every run of words that may be a value, as lower-case words joined by blanks."""
    found: dict[str, None] = {}
    for start in range(len(tokens)):
        for end in range(start + 1, min(len(tokens), start + MOST_WORDS) + 1):
            pieces = tokens[start:end]
            if any(piece.kind == "sign" for piece in pieces):
                break
            span = tuple(word for piece in pieces for word in value_words(piece.low))
            found.update((" ".join(form), None) for form in last_forms(span))
    return tuple(found)


def _named(span: tuple[str, ...], name: tuple[str, ...]) -> bool:
    """Say whether words are a name, or the letters of a name that is written as one word (WINDSPEED)."""
    return same_words(span, name) or (len(name) == 1 < len(span) and "".join(span) == name[0])


def _is_name_of(one: Field, value: str) -> bool:
    """Say whether a value is the column's own name too, so that the word may mean any of its values."""
    return same_words(value_words(value), name_words(one.name))


def _some(values: Sequence[str]) -> str:
    return ", ".join(f"“{value}”" for value in values[:3]) + (" and others" if len(values) > 3 else "")
