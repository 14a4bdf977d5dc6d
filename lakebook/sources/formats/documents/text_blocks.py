"""Find the blocks of plain text, Markdown and reStructuredText: headings, paragraphs, lists, code, tables.

One scanner for the three, since their documents borrow from each other; what only one of them has is
switched by the grammar. Passages are cut elsewhere, and tables are read elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from lakebook.sources.formats.documents.passages import Block, Piece
from lakebook.sources.formats.documents.text_tables import TextTable, find_table

Grammar = Literal["markdown", "rst", "plain"]

_MATTER_LINES = 200
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_MARKED_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_UNDERLINE = {
    "markdown": re.compile(r"(={3,}|-{3,})\s*$"),
    "rst": re.compile(r"([=\-~^\"'*+#:._`])\1{2,}\s*$"),
    "plain": re.compile(r"([=\-~^*#_+])\1{2,}\s*$"),
}
_ITEM = re.compile(r"(\s*)(?:[-*+•–]|\(?(?:\d{1,3}|[a-zA-Z]|#)[.)])\s+\S")
_SHOUTED = re.compile(r"[^a-z]*[A-Z]{2}[^a-z]*")
_TITLE_LENGTH = 120


@dataclass(slots=True)
class Scan:
    """What was found in a text.

    Attributes:
        blocks: in order; the tables among them too. tables: those of them that follow a strict form.
    """

    blocks: list[Block] = field(default_factory=list)
    tables: list[tuple[TextTable, int]] = field(default_factory=list)


def scan_text(lines: Sequence[str], grammar: Grammar) -> Scan:
    """Find all blocks and tables of a text; a table comes with the number of its block."""
    scanner = _Scanner(lines, grammar)
    scanner.run()
    return Scan(scanner.blocks, scanner.tables)


class _Scanner:
    def __init__(self, lines: Sequence[str], grammar: Grammar) -> None:
        self.lines, self.grammar = lines, grammar
        self.blocks: list[Block] = []
        self.tables: list[tuple[TextTable, int]] = []
        self.styles: list[str] = []

    def run(self) -> None:
        """Go through the lines; the first reading of a line that fits takes as many as belong to it."""
        at = self._front_matter()
        while at < len(self.lines):
            if not self.lines[at].strip():
                at += 1
                continue
            readings = (self._code, self._table, self._heading, self._list)
            at = next((end for reading in readings if (end := reading(at))), 0) or self._paragraph(at)

    def _add(self, kind: Literal["list", "code", "paragraph"], start: int, end: int) -> int:
        self.blocks.append(Block(kind, tuple(_pieces(self.lines, start, end))))
        return end

    def _front_matter(self) -> int:
        """YAML between two rules at the very start."""
        if self.grammar == "rst" or not self.lines or self.lines[0].rstrip() != "---":
            return 0
        for index in range(1, min(len(self.lines), _MATTER_LINES)):
            if self.lines[index].rstrip() in ("---", "..."):
                inside = [line for line in self.lines[1:index] if line.strip()]
                if inside and re.match(r"[\w.-]+\s*:", inside[0]):
                    return self._add("code", 0, index + 1)
                return 0
        return 0

    def _code(self, at: int) -> int:
        opening = _FENCE.match(self.lines[at])
        if self.grammar == "rst" or not opening:
            return 0
        fence = opening[1]
        for index in range(at + 1, len(self.lines)):
            closing = self.lines[index].strip()
            if closing.startswith(fence) and not closing.strip(fence[0]):
                return self._add("code", at, index + 1)
        return self._add("code", at, len(self.lines))

    def _table(self, at: int) -> int:
        table = find_table(self.lines, at, aligned=self.grammar == "plain")
        if table is None:
            return 0
        body = table.body or table.start
        lead = [Piece(n + 1, n + 1, self.lines[n].rstrip()) for n in range(table.start, body)]
        rows = [Piece(n + 1, n + 1, self.lines[n].rstrip()) for n in range(body, table.end)]
        self.blocks.append(Block("table", (*lead, *rows), lead=len(lead)))
        self.tables.append((table, len(self.blocks) - 1))
        return table.end

    def _heading(self, at: int) -> int:
        line = self.lines[at]
        marked = _MARKED_HEADING.match(line) if self.grammar != "rst" else None
        if marked and marked[2] and not self._is_comment(at):
            self._title(at, at, marked[2], len(marked[1]))
            return at + 1
        underline = _UNDERLINE[self.grammar]
        if self.grammar != "markdown" and underline.match(line) and at + 2 < len(self.lines):
            title, below = self.lines[at + 1], self.lines[at + 2]
            if title.strip() and below.rstrip() == line.rstrip() and len(title.strip()) <= len(line.rstrip()):
                self._title(at + 1, at + 2, title.strip(), self._level(line[0] * 2))
                return at + 3
        if at + 1 < len(self.lines) and underline.match(self.lines[at + 1]):
            below = self.lines[at + 1].rstrip()
            long_enough = self.grammar == "markdown" or len(below) >= 0.7 * len(line.strip())
            if long_enough and not underline.match(line) and len(line.strip()) <= _TITLE_LENGTH:
                level = "=-".find(below[0]) + 1 if self.grammar == "markdown" else self._level(below[0])
                self._title(at, at + 1, line.strip(), level)
                return at + 2
        if self._is_shouted(at):
            self._title(at, at, line.strip(), 6)
            return at + 1
        return 0

    def _title(self, start: int, end: int, text: str, level: int) -> None:
        self.blocks.append(Block("heading", (Piece(start + 1, end + 1, text),), level=level))

    def _level(self, style: str) -> int:
        """Underlines have the rank in which they first appear."""
        if style not in self.styles:
            self.styles.append(style)
        return self.styles.index(style) + 1

    def _is_comment(self, at: int) -> bool:
        """In plain text, several lines with a number sign in a row are a comment."""
        if self.grammar != "plain":
            return False
        beside = [self.lines[index] for index in (at - 1, at + 1) if 0 <= index < len(self.lines)]
        return any(line.startswith("#") for line in beside)

    def _is_shouted(self, at: int) -> bool:
        """Plain text writes headings in capitals on a line of their own."""
        line = self.lines[at].strip()
        alone = all(
            not self.lines[index].strip() for index in (at - 1, at + 1) if 0 <= index < len(self.lines)
        )
        words = re.findall(r"[A-Z]{2,}", line)
        return (
            self.grammar == "plain"
            and alone
            and bool(_SHOUTED.fullmatch(line))
            and sum(map(len, words)) >= 0.5 * len(line)
            and len(line) <= _TITLE_LENGTH
        )

    def _list(self, at: int) -> int:
        """Items with their indented continuations, blank lines between them included."""
        first = _ITEM.match(self.lines[at])
        if not first:
            return 0
        depth = len(first[1])
        starts, end, index = [at], at + 1, at + 1
        while index < len(self.lines):
            line = self.lines[index]
            item = _ITEM.match(line)
            indent = len(line) - len(line.lstrip())
            if not line.strip():
                index += 1
                continue
            after_blank = not self.lines[index - 1].strip()
            if item and len(item[1]) <= depth + 1 and len(item[1]) >= depth:
                starts.append(index)
            elif indent <= depth and (after_blank or self._opens(index)):
                break
            index = end = index + 1
        pieces = [
            Piece(one + 1, _last(self.lines, one, other), _text(self.lines, one, other))
            for one, other in zip(starts, [*starts[1:], end], strict=True)
        ]
        self.blocks.append(Block("list", tuple(pieces)))
        return end

    def _paragraph(self, at: int) -> int:
        end = at + 1
        while end < len(self.lines) and self.lines[end].strip() and not self._opens(end):
            end += 1
        indented = all(line.startswith(("    ", "\t")) for line in self.lines[at:end])
        return self._add("code" if indented else "paragraph", at, end)

    def _opens(self, at: int) -> bool:
        """Return True if something other than a paragraph begins here, though no blank line says so."""
        line = self.lines[at]
        if self.grammar != "rst" and (_FENCE.match(line) or _MARKED_HEADING.match(line)):
            return not self._is_comment(at)
        if at + 1 < len(self.lines) and _UNDERLINE[self.grammar].match(self.lines[at + 1]):
            return not _UNDERLINE[self.grammar].match(line)
        if find_table(self.lines, at, aligned=self.grammar == "plain") is not None:
            return True
        return self.grammar != "rst" and bool(_ITEM.match(line)) and not re.match(r"\s*[a-zA-Z]\.", line)


def _pieces(lines: Sequence[str], start: int, end: int) -> Iterator[Piece]:
    for index in range(start, end):
        yield Piece(index + 1, index + 1, lines[index].rstrip())


def _last(lines: Sequence[str], start: int, end: int) -> int:
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    return end


def _text(lines: Sequence[str], start: int, end: int) -> str:
    return "\n".join(line.rstrip() for line in lines[start : _last(lines, start, end)])
