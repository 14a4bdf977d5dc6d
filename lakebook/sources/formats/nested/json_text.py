"""The text of a JSON file: encoding, how load code opens it, and notes on what JSON does not allow.

Values are read by `json_stream`; what they mean (records, tables, settings) is not decided here.
"""

from __future__ import annotations

import codecs
import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lakebook.sources.encoding import find_encoding
from lakebook.sources.formats.opened import opened
from lakebook.sources.peek import Peek

_CHUNK = 1 << 20
_LONE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)


@dataclass(slots=True)
class Notes:
    """What was met in the text that JSON does not allow or readers treat differently.

    Attributes:
        counting: duplicate keys and constants are counted, which costs time in every pass.
    """

    counting: bool = True
    duplicates: Counter[str] = field(default_factory=Counter)
    constants: Counter[str] = field(default_factory=Counter)
    lone_surrogates: bool = False

    def clear(self) -> None:
        """Forget what was met."""
        self.duplicates.clear()
        self.constants.clear()
        self.lone_surrogates = False

    def warnings(self) -> tuple[str, ...]:
        """Say what was met."""
        found = []
        if self.duplicates:
            keys = ", ".join(f"{key!r} ({rows:,})" for key, rows in self.duplicates.most_common(10))
            found.append(f"keys that stand twice in one object: {keys}; the last value counts")
        if self.constants:
            shown = ", ".join(f"{name} ({rows:,})" for name, rows in self.constants.most_common())
            found.append(f"values that JSON does not know: {shown}; NaN is read as no value")
        if self.lone_surrogates:
            found.append("halves of characters (lone surrogates) were replaced by U+FFFD")
        return tuple(found)

    def decoder(self) -> json.JSONDecoder:
        """Return a decoder that takes notes."""
        if not self.counting:
            return json.JSONDecoder()
        return json.JSONDecoder(object_pairs_hook=self._object, parse_constant=self._constant)

    def whole(self, value: Any, text: str, start: int, end: int) -> Any:
        """Return the value with halves of characters replaced, if its text has some."""
        if text.find("\\u", start, end) < 0:
            return value
        if text.find("\\ud", start, end) < 0 and text.find("\\uD", start, end) < 0:
            return value
        if not _LONE.search(text, start, end):
            return value
        self.lone_surrogates = True
        return without_surrogates(value)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            self.duplicates.update(key for key, rows in counts.items() if rows > 1)
        return found

    def _constant(self, name: str) -> float:
        self.constants[name] += 1
        return float(name.replace("Infinity", "inf"))


def without_surrogates(value: Any) -> Any:
    """Replace lone surrogates, which no encoding can write, everywhere in a JSON value."""
    text = json.dumps(value, ensure_ascii=False)
    return json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


@dataclass(frozen=True, slots=True)
class JsonText:
    """A JSON file as text.

    Attributes:
        errors: what is done with bytes that are not of the encoding ("" = refused).
        warning: that the encoding is a guess, "" if it is none.
        end: only so many characters are read, None for all of them …
        closing: … and these are added, which close what is open there.
    """

    file: Peek
    encoding: str
    errors: str = ""
    warning: str = ""
    end: int | None = None
    closing: str = ""

    def open(self) -> io.TextIOWrapper:
        """Open the text as load code does; `end` is left to the reader."""
        return io.TextIOWrapper(self.file.open(), self.encoding, self.errors or "strict")

    def chunks(self) -> Iterator[str]:
        """Read the text piece by piece."""
        left = self.end
        with self.open() as stream:
            while chunk := stream.read(_CHUNK if left is None else min(_CHUNK, left)):
                if left is not None:
                    left -= len(chunk)
                yield chunk
        if self.closing:
            yield self.closing

    def statements(self, *, exact: bool) -> list[str]:
        """Return the statements that bind `document` (`exact`: longer whole numbers as text)."""
        imports, line = opened(self.file, self.encoding, self.errors)
        hook = f", {EXACT_INTEGERS}" if exact else ""
        if self.end is None:
            load = f"json.load(file{hook})"
        else:
            load = f"json.loads(file.read({self.end}) + {json.dumps(self.closing)}{hook})"
        return ["import json", *imports, "", f"{line}\n    document = {load}"]


EXACT_INTEGERS = (
    "parse_int=lambda digits: int(digits) if len(digits) < 18 and abs(int(digits)) <= 2**53 else digits"
)


def json_text(file: Peek) -> JsonText:
    """Find out the encoding of a JSON file."""
    encoding, guess = find_encoding(file)
    if guess and encoding not in ("utf-16-le", "utf-16-be") and _is_cut_utf8(file):
        return JsonText(file, "utf-8", "replace")
    return JsonText(file, encoding, "", guess)


def _is_cut_utf8(file: Peek) -> bool:
    """UTF-8 to the very end, where a character is cut in two."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with file.open() as stream:
        try:
            while chunk := stream.read(_CHUNK):
                decoder.decode(chunk)
        except (UnicodeDecodeError, EOFError, OSError):
            return False
    return bool(decoder.getstate()[0])
