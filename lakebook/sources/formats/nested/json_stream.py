"""Read JSON value by value from a sliding window: bounded memory, and the place of whatever is wrong.

What the values mean (records, tables, settings) is not decided here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from lakebook.errors import SourceError
from lakebook.sources.formats.nested.json_text import JsonText, Notes

# A single value (a record, say) may be so long; a document may be of any length.
LONGEST_VALUE = 16 * 1024 * 1024
_CHUNK = 1 << 20
# What may stand at the very end of a text that breaks off.
_BEGINNINGS = (",", "true", "false", "null", "NaN", "-Infinity", "Infinity")
_BLANK = re.compile(r"[ \t\n\r]*")


class Damage(Exception):
    """The text stops being JSON: what is wrong, where, and whether it simply ends too early."""

    def __init__(self, message: str, line: int, column: int, *, cut_off: bool) -> None:
        super().__init__(message, line, column)
        self.message = message
        self.line = line
        self.column = column
        self.cut_off = cut_off

    def __str__(self) -> str:
        return f"{self.message} at line {self.line:,}, column {self.column:,}"


class JsonStream:
    """A sliding window over JSON text, moved value by value."""

    def __init__(self, chunks: Iterator[str], notes: Notes) -> None:
        self._chunks = chunks
        self.notes = notes
        self._scan: Callable[[str, int], tuple[Any, int]] = vars(notes.decoder())["scan_once"]
        self._text = ""
        self._at = 0
        self._passed = 0
        self._lines = 1
        self._line_start = 0
        self._ended = False

    @property
    def offset(self) -> int:
        """Characters passed so far."""
        return self._passed + self._at

    def next(self) -> str:
        """Move to the next character that is not blank and return it, "" at the end."""
        text, at = self._text, self._at
        if at < len(text) and text[at] not in " \t\n\r":
            return text[at]
        while True:
            found = _BLANK.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._grow(_CHUNK):
                return ""

    def skip(self) -> None:
        """Move past the character that `next` returned."""
        self._at += 1

    def expect(self, allowed: str, what: str) -> str:
        """Return the next character and move past it, if it is one of those allowed."""
        found = self.next()
        if not found or found not in allowed:
            raise self.damage(f"expected {what}" if found else "the text ends", cut_off=not found)
        self._at += 1
        return found

    def separator(self, end: str) -> bool:
        """Move past the comma between two members, or past the end; return whether it was the end."""
        if self.expect(f",{end}", f"a comma or {end}") == end:
            return True
        if self.next() == end:
            raise self.damage(f"a comma too many before {end}", cut_off=False)
        return False

    def elements(self) -> Iterator[Any]:
        """Read the values of the list that begins here; while one is given, the place is its end."""
        self.expect("[", "a list")
        if self.next() == "]":
            self.skip()
            return
        while True:
            yield from self._quick_elements()
            yield self.value()
            if self.separator("]"):
                return

    def _quick_elements(self) -> Iterator[Any]:
        """Read values as long as the window holds them and the comma after them."""
        text, at, scan, blanks = self._text, self._at, self._scan, " \t\n\r"
        while True:
            try:
                value, end = scan(text, at)
                after = end + 1
                if text[end] != "," or text[after] == "]":
                    return
                if text[after] in blanks:
                    found = _BLANK.match(text, after)
                    after = found.end() if found else after
                    if text[after] == "]":
                        return
            except (StopIteration, ValueError, IndexError, RecursionError):
                return
            self._at = end
            yield self.notes.whole(value, text, at, end)
            self._at = at = after

    def value(self) -> Any:
        """Read the value that begins here."""
        if not self.next():
            raise self.damage("the text ends", cut_off=True)
        wanted = _CHUNK
        while True:
            problem = None
            end = len(self._text)
            try:
                value, end = self._scan(self._text, self._at)
            except StopIteration as stop:
                problem = json.JSONDecodeError("Expecting value", self._text, stop.value)
            except json.JSONDecodeError as error:
                problem = error
            except RecursionError:
                raise self.damage("nested too deeply", cut_off=False) from None
            if problem is None and (end < len(self._text) or self._ended):
                value = self.notes.whole(value, self._text, self._at, end)
                self._at = end
                return value
            if problem is not None and not self._may_go_on(problem):
                raise self._damage_at(problem) from None
            if len(self._text) - self._at > LONGEST_VALUE:
                raise SourceError(f"one value is longer than {LONGEST_VALUE >> 20} MB, the limit.")
            before = self._at
            if not self._grow(wanted) and problem is not None:
                problem.pos -= before
                raise self._damage_at(problem) from None
            wanted *= 2

    def _may_go_on(self, problem: json.JSONDecodeError) -> bool:
        """An error near the end of the window may be no error once more of the text is there."""
        return problem.msg.startswith("Unterminated string") or problem.pos >= len(self._text) - 12

    def _grow(self, wanted: int) -> bool:
        parts = [self._text[self._at :]]
        if self._at:
            self._lines += self._text.count("\n", 0, self._at)
            newline = self._text.rfind("\n", 0, self._at)
            if newline >= 0:
                self._line_start = self._passed + newline + 1
            self._passed += self._at
            self._at = 0
        grown = 0
        while grown < wanted and not self._ended:
            chunk = next(self._chunks, "")
            self._ended = not chunk
            grown += len(chunk)
            parts.append(chunk)
        self._text = "".join(parts)
        return grown > 0

    def damage(self, message: str, *, cut_off: bool) -> Damage:
        """Return the error of this place."""
        return self._damage(message, self._at, cut_off=cut_off)

    def _damage_at(self, problem: json.JSONDecodeError) -> Damage:
        rest = self._text[problem.pos :].strip()
        ends = problem.msg.startswith("Unterminated string") or any(
            token.startswith(rest) for token in _BEGINNINGS
        )
        if self._ended and ends:
            return self._damage("the text ends inside a value", len(self._text), cut_off=True)
        return self._damage(problem.msg[0].lower() + problem.msg[1:], problem.pos, cut_off=False)

    def _damage(self, message: str, at: int, *, cut_off: bool) -> Damage:
        newline = self._text.rfind("\n", 0, at)
        start = self._passed + newline + 1 if newline >= 0 else self._line_start
        line = self._lines + self._text.count("\n", 0, at)
        return Damage(message, line, self._passed + at - start + 1, cut_off=cut_off)


@dataclass(frozen=True, slots=True)
class Survey:
    """A document as seen in one walk through its text.

    Attributes:
        document: the document; of a long list or object only its first members, if so wished.
        damage: where it stops being JSON, None if it is whole.
        end, closing: up to there it is whole, if that is added.
        more: another value follows the first one.
        sampled: the document has members that were left out.
    """

    document: Any
    damage: Damage | None
    end: int
    closing: str
    more: bool
    sampled: bool


class _Surveyor:
    """Walks through objects and lists from the root on; what lies deeper is read whole."""

    def __init__(self, stream: JsonStream, keep: int | None) -> None:
        self.stream = stream
        self.keep = keep
        self.sampled = False
        self.good = (0, "")

    def value(self, closing: str, depth: int, holder: list[Any]) -> None:
        """Read a value into `holder`, so that what was read is there even if the text breaks off."""
        first = self.stream.next()
        if first == "[" and depth < 4:
            items: list[Any] = []
            holder.append(items)
            self._list(items, f"]{closing}")
        elif first == "{" and depth < 4:
            members: dict[str, Any] = {}
            holder.append(members)
            self._object(members, f"}}{closing}", depth)
        else:
            holder.append(self.stream.value())

    def _list(self, items: list[Any], closing: str) -> None:
        self.good = (self.stream.offset + 1, closing)
        for item in self.stream.elements():
            if self.keep is None or len(items) < self.keep:
                items.append(item)
            else:
                self.sampled = True
            self.good = (self.stream.offset, closing)

    def _object(self, members: dict[str, Any], closing: str, depth: int) -> None:
        self.stream.skip()
        self.good = (self.stream.offset, closing)
        if self.stream.next() == "}":
            self.stream.skip()
            return
        while True:
            key = read_key(self.stream)
            holder: list[Any] = []
            try:
                self.value(closing, depth + 1, holder)
            finally:  # what a text that breaks off holds of a list or object counts
                if holder:
                    self._keep_member(members, key, holder[0])
            self.good = (self.stream.offset, closing)
            if self.stream.separator("}"):
                return

    def _keep_member(self, members: dict[str, Any], key: str, value: Any) -> None:
        if key in members:
            self.stream.notes.duplicates[key] += 1
            if self.keep is not None and isinstance(value, (list, dict)):
                raise SourceError(f"the key {key!r} stands twice in one object of a long document.")
        if self.keep is None or len(members) < self.keep or key in members:
            members[key] = value
        else:
            self.sampled = True


def read_key(stream: JsonStream) -> str:
    """Read the key of a member and its colon."""
    if stream.next() != '"':
        stream.expect('"', "a key in double quotes")
    key: str = stream.value()
    stream.expect(":", "a colon")
    return key


def survey(chunks: Iterator[str], notes: Notes, keep: int | None) -> Survey:
    """Walk through the document once, keeping the first `keep` members of everything long."""
    stream = JsonStream(chunks, notes)
    surveyor = _Surveyor(stream, keep)
    holder: list[Any] = []
    damage = None
    more = False
    try:
        surveyor.value("", 0, holder)
        more = bool(stream.next())
    except Damage as error:
        damage = error
    end, closing = surveyor.good
    return Survey(holder[0] if holder else None, damage, end, closing, more=more, sampled=surveyor.sampled)


def walk(text: JsonText, path: tuple[str, ...], notes: Notes) -> Iterator[tuple[Any, Any]]:
    """Yield position or key and value of every member of the list or object at a path."""
    stream = JsonStream(text.chunks(), notes)
    surveyor = _Surveyor(stream, 0)
    for wanted in path:
        stream.expect("{", "an object")
        while read_key(stream) != wanted:
            surveyor.value("", 0, [])
            stream.expect(",", "a comma")
    if stream.next() == "[":
        yield from enumerate(stream.elements())
        return
    stream.expect("{", "a list or an object")
    if stream.next() == "}":
        return
    while True:
        yield read_key(stream), stream.value()
        if stream.separator("}"):
            return
