"""Text and Markdown: length and headings; the text itself is read again when something asks for it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lakebook.sources.dialect import find_encoding
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Budget, Part, Reading

_SUFFIXES = frozenset({".md", ".markdown", ".rst", ".txt", ".text", ".log"})
_NAMES = re.compile(r"(readme|licen[sc]e|notice|authors|changelog|about)$", re.IGNORECASE)
_HEADINGS_KEPT = 200
_LIMIT = 64 * 1024 * 1024


class Document:
    """Reads plain text and Markdown."""

    format = "text"

    def can_read(self, file: Peek) -> bool:
        """Return True for text whose name says that it is prose."""
        named = file.suffix in _SUFFIXES or (not file.suffix and bool(_NAMES.search(file.relative)))
        return file.magic == "text" and named

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the one document of the file."""
        yield Part(file)

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Read the document."""
        file = part.file
        encoding, guess = find_encoding(file)
        text = read_text(file, encoding)
        warnings = (guess,) if guess else ()
        return Reading(text_length=len(text), headings=headings(text), encoding=encoding, warnings=warnings)


def read_text(file: Peek, encoding: str) -> str:
    """Return the text of a document, at most 64 MB of it."""
    with file.open() as stream:
        return stream.read(_LIMIT).decode(encoding, errors="replace").removeprefix("\ufeff")


def headings(text: str) -> tuple[str, ...]:
    """Return headings: Markdown `#` lines outside code, and lines underlined with `=` or `-`."""
    found = []
    fenced = False
    lines = text.splitlines()
    for index, line in enumerate(lines):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and (marked := re.match(r"#{1,6}\s+(.+?)\s*#*$", line)):
            found.append(marked[1])
        elif not fenced and index and re.fullmatch(r"(={3,}|-{3,})\s*", line) and lines[index - 1].strip():
            found.append(lines[index - 1].strip())
    return tuple(heading[:200] for heading in found[:_HEADINGS_KEPT])
