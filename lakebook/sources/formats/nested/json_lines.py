"""JSON Lines, and JSON values that follow each other: one value a line or a document, read one by one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from lakebook.sources.formats.nested.json_shapes import Member, Stray
from lakebook.sources.formats.nested.json_stream import LONGEST_VALUE, Damage, JsonStream
from lakebook.sources.formats.nested.json_text import EXACT_INTEGERS, JsonText, Notes
from lakebook.sources.formats.opened import opened

LINE_SUFFIXES = frozenset({".jsonl", ".ndjson", ".jsonlines", ".geojsonl", ".geojsons", ".ldjson"})
_LOOKED_AT = 50

# Told of every line that is no value, and of every blank one (None).
Aside = Callable[[Stray | None], None]


def are_lines(head: str, *, named: bool, whole: bool) -> bool:
    """Return True if most lines at the start of a text hold an object or a list each.

    Args:
        head: the start of the text.
        named: the file's name says that it is of lines.
        whole: the head is the whole text.
    """
    lines = [line for line in head.splitlines() if line.strip()]
    if not whole and len(lines) > 1:
        lines.pop()
    lines = lines[:_LOOKED_AT]
    values = sum(1 for line in lines if _is_value(line))
    if named:
        return values > 0 and 2 * values >= min(len(lines), 3)
    return len(lines) >= 2 and 2 * values > len(lines)


def _is_value(line: str) -> bool:
    try:
        return isinstance(json.loads(line), (dict, list))
    except (ValueError, RecursionError):
        return False


@dataclass(frozen=True, slots=True)
class Lines:
    """A text with one value a line."""

    text: JsonText

    def members(self, notes: Notes, aside: Aside) -> Iterator[Member]:
        """Yield number (from 0) and value of each line; what is none goes aside."""
        decode = notes.decoder().decode
        with self.text.open() as stream:
            number = 0
            while line := stream.readline(LONGEST_VALUE):
                number += 1
                is_cut = len(line) == LONGEST_VALUE and not line.endswith("\n")
                if is_cut:
                    aside(Stray(number, f"longer than {LONGEST_VALUE >> 20} MB, the limit", line[:2_000]))
                    while is_cut and (rest := stream.readline(LONGEST_VALUE)):
                        is_cut = not rest.endswith("\n")
                    continue
                if not line.strip():
                    aside(None)
                    continue
                try:
                    value = decode(line)
                except (ValueError, RecursionError) as error:
                    reason = getattr(error, "msg", str(error))
                    aside(Stray(number, f"not JSON: {reason}", line.rstrip("\n")))
                    continue
                yield number - 1, notes.whole(value, line, 0, len(line))

    def statements(self, *, exact: bool, asides: bool) -> list[str]:
        """Return the statements that bind `document` to the list of values."""
        imports, line = opened(self.text.file, self.text.encoding, self.text.errors)
        hook = f", {EXACT_INTEGERS}" if exact else ""
        head = ["import json", *imports, ""]
        if not asides:
            return [
                *head,
                f"{line}\n    document = [json.loads(line{hook}) for line in file if line.strip()]",
            ]
        return [
            *head,
            "document = []",
            f"{line}\n"
            "    for line in file:\n"
            "        try:\n"
            f"            document.append(json.loads(line{hook}))\n"
            "        except (ValueError, RecursionError):\n"
            "            continue  # not JSON: counted as rejected",
        ]


@dataclass(frozen=True, slots=True)
class Sequel:
    """A text in which one value follows the other, over as many lines as they like."""

    text: JsonText

    def members(self, notes: Notes, aside: Aside) -> Iterator[Member]:
        """Yield number (from 0) and value of each."""
        stream = JsonStream(self.text.chunks(), notes)
        number = 0
        while stream.next():
            yield number, stream.value()
            number += 1

    def statements(self, *, exact: bool, asides: bool) -> list[str]:
        """Return the statements that bind `document` to the list of values."""
        imports, line = opened(self.text.file, self.text.encoding, self.text.errors)
        hook = EXACT_INTEGERS if exact else ""
        end = "" if self.text.end is None else str(self.text.end)
        return [
            "import json",
            "import re",
            *imports,
            "",
            f"{line}\n    text = file.read({end})",
            f'decoder, blank = json.JSONDecoder({hook}), re.compile(r"\\s*")',
            "document, place = [], blank.match(text).end()",
            "while place < len(text):\n"
            "    value, place = decoder.raw_decode(text, place)\n"
            "    document.append(value)\n"
            "    place = blank.match(text, place).end()",
        ]


def measure(text: JsonText) -> tuple[int, int, Damage | None]:
    """Return how many values follow each other, where the last whole one ends, and what is wrong there."""
    stream = JsonStream(text.chunks(), Notes())
    count = end = 0
    try:
        while stream.next():
            stream.value()
            count, end = count + 1, stream.offset
    except Damage as damage:
        return count, end, damage
    return count, end, None


def values_in(head: str) -> list[Any]:
    """Return the values of the whole lines at the start of a text."""
    found = []
    for line in head.splitlines()[: 4 * _LOOKED_AT]:
        try:
            found.append(json.loads(line))
        except (ValueError, RecursionError):
            continue
    return found


def first_values(members: Iterator[Member], most: int) -> list[Any]:
    """Return the first values."""
    found = []
    for _, value in members:
        found.append(value)
        if len(found) >= most:
            break
    return found
