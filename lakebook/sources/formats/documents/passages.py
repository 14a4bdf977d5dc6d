"""Cut a document into passages: short enough to show, whole enough to be understood alone.

Formats turn their documents into `Block`s; here blocks become passages. How a format finds headings, lists
and tables is its own matter, and so is what a table means as data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from lakebook.sources.reading import Passage

BlockKind = Literal["heading", "paragraph", "list", "table", "code"]

HEADINGS_KEPT = 200
_SHORT = 300
_LONG = 1_200
# An item of a list or a row of a table is never cut below this length.
_LONGEST = 2_400
_TITLE = 200
_SENTENCE_END = re.compile(r"[.!?:;][\"')\]]*$")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a block between two places where it may be cut: a line, an item, a row, a sentence.

    Attributes:
        start, end: numbers of its first and last line (page, paragraph …), counted from 1.
    """

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Block:
    """What stands together in a document.

    Attributes:
        level: of a heading, 1 is the highest.
        lead: so many first pieces are a header that every part of a cut block repeats.
    """

    kind: BlockKind
    pieces: tuple[Piece, ...]
    level: int = 0
    lead: int = 0

    @property
    def text(self) -> str:
        """The text of the whole block."""
        return "\n".join(piece.text for piece in self.pieces)


def titles(blocks: Iterable[Block]) -> tuple[str, ...]:
    """Return the headings of a document, the first 200 of them."""
    found = [block.text[:_TITLE] for block in blocks if block.kind == "heading"]
    return tuple(found[:HEADINGS_KEPT])


def cut(blocks: Iterable[Block], noun: str) -> Iterator[Passage]:
    """Cut blocks into passages; none goes beyond its section.

    Args:
        blocks: of one document, in reading order.
        noun: what the pieces' numbers count: "line", "page", "paragraph".
    """
    path: list[Block] = []
    section: list[Block] = []
    for block in blocks:
        if block.kind != "heading":
            section.append(block)
            continue
        if section or _is_childless(path, block):
            yield from _passages(section or path[-1:], path, noun)
        section = []
        path = [*(above for above in path if above.level < block.level), block]
    if section or path:
        yield from _passages(section or path[-1:], path, noun)


def position(noun: str, start: int, end: int) -> str:
    """Say where something stands: "line 4", "lines 4-9"."""
    return f"{noun} {start:,}" if start == end else f"{noun}s {start:,}-{end:,}"


def _is_childless(path: Sequence[Block], following: Block) -> bool:
    """A heading with neither text nor a section of its own is said in its own passage, not lost."""
    return bool(path) and following.level <= path[-1].level


def _passages(section: Sequence[Block], path: Sequence[Block], noun: str) -> Iterator[Passage]:
    heading = " > ".join(block.text.replace("\n", " ")[:_TITLE] for block in path)
    for parts in _fill(_introduced(section)):
        text = "\n\n".join("\n".join(piece.text for piece in part) for part in parts)
        pieces = [piece for part in parts for piece in part if piece.start]
        yield Passage(position(noun, pieces[0].start, pieces[-1].end), heading, text)


def _introduced(section: Sequence[Block]) -> Iterator[list[Block]]:
    """Put each list, table or listing together with the short paragraph before it."""
    waiting: Block | None = None
    for block in section:
        if block.kind == "paragraph":
            if waiting is not None:
                yield [waiting]
            waiting = block
        elif waiting is None:
            yield [block]
        elif len(waiting.text) <= _SHORT:
            yield [waiting, block]
            waiting = None
        else:
            yield [waiting]
            yield [block]
            waiting = None
    if waiting is not None:
        yield [waiting]


def _fill(groups: Iterable[list[Block]]) -> Iterator[list[tuple[Piece, ...]]]:
    """Join short groups of blocks, cut long ones."""
    pending: list[tuple[Piece, ...]] = []
    size = 0
    for group in groups:
        length = sum(len(block.text) for block in group)
        if pending and (size >= _SHORT or size + length > _LONG):
            yield pending
            pending, size = [], 0
        if length > _LONG:
            if pending:
                yield pending
                pending, size = [], 0
            yield from _parts(group)
        else:
            pending += [block.pieces for block in group]
            size += length
    if pending:
        yield pending


def _parts(group: Sequence[Block]) -> Iterator[list[tuple[Piece, ...]]]:
    """Cut the last block of a group; every part begins with the introduction and the block's header."""
    *before, block = group
    intro = [other.pieces for other in before]
    header = block.lead if block.lead < len(block.pieces) else 0
    lead = block.pieces[:header]
    repeated = [tuple(Piece(0, 0, piece.text) for piece in pieces) for pieces in intro]
    repeated_lead = tuple(Piece(0, 0, piece.text) for piece in lead)
    taken = sum(len(other.text) for other in before) + sum(len(piece.text) for piece in lead)
    room = max(_LONG - taken, _SHORT)
    for number, part in enumerate(_runs(_small(block, header, room), room)):
        if number:
            yield [*repeated, (*repeated_lead, *part)]
        else:
            yield [*intro, (*lead, *part)]


def _small(block: Block, header: int, room: int) -> Iterator[Piece]:
    """Yield the pieces below the header, those cut that are too long for a passage."""
    for piece in block.pieces[header:]:
        most = room if block.kind == "paragraph" else _LONGEST
        if len(piece.text) <= most:
            yield piece
        else:
            yield from (Piece(piece.start, piece.end, text) for text in _sentences(piece.text, most))


def _sentences(text: str, most: int) -> Iterator[str]:
    """Cut a long text at ends of sentences, else between words, else anywhere."""
    while len(text) > most:
        ends = [match.end() for match in re.finditer(r"[.!?]\s+", text[:most])]
        place = ends[-1] if ends and ends[-1] > most // 3 else text.rfind(" ", most // 3, most) + 1
        place = place or most
        yield text[:place].rstrip()
        text = text[place:]
    if text.strip():
        yield text.rstrip()


def _runs(pieces: Iterable[Piece], room: int) -> Iterator[tuple[Piece, ...]]:
    """Fill passages with pieces, and end them where a sentence ends if one does in the second half."""
    run: list[Piece] = []
    for piece in pieces:
        while run and sum(len(item.text) + 1 for item in run) + len(piece.text) > room:
            keep = _good_end(run)
            yield tuple(run[:keep])
            run = run[keep:]
        run.append(piece)
    if run:
        yield tuple(run)


def _good_end(run: Sequence[Piece]) -> int:
    for count in range(len(run), len(run) // 2, -1):
        if _SENTENCE_END.search(run[count - 1].text.rstrip()):
            return count
    return len(run)
