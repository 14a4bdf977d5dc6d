"""What the lines of a PDF mean: running heads, headings, paragraphs and lists, for the document as a whole.

The order of lines within a page comes from `pdf_layout`; tables come from `pdf_tables` and take their
place here as text too.
"""

from __future__ import annotations

import itertools
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lakebook.sources.formats.documents.passages import Block, Piece
from lakebook.sources.formats.documents.pdf_layout import Line

_BULLET = re.compile(r"\s*(?:[•·▪●■◦○‣–*]|\(?(?:\d{1,3}|[a-z])[.)])\s+\S")
_BULLET_ALONE = re.compile(r"[•·▪●■◦○‣]")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LARGER = 1.12
_HEADING_LENGTH = 160
_TITLE_LENGTH = 200
_RUNNING_LINES = 3


@dataclass(frozen=True, slots=True)
class Running:
    """A line that stands at the same place of many pages: head or foot, left out of the text."""

    text: str
    pages: int


def running_lines(pages: Sequence[Sequence[Line]]) -> tuple[set[int], tuple[Running, ...]]:
    """Return the ids of lines that are running heads or feet, and what they say.

    A line counts if the same text, numbers aside, stands at the same height of at least three pages (of all,
    if there are only two), and nothing but such lines stands between it and the edge of its page.
    """
    least = 3 if len(pages) > 2 else 2
    sorted_pages = [sorted((line for line in page if line.first.table < 0), key=_top) for page in pages]
    places: dict[tuple[str, int], set[int]] = defaultdict(set)
    for number, lines in enumerate(sorted_pages):
        for line in (*lines[:_RUNNING_LINES], *lines[-_RUNNING_LINES:]):
            places[_key(line)].add(number)

    def is_running(line: Line) -> bool:
        text, place = _key(line)
        return len(places[text, place] | places[text, place - 1] | places[text, place + 1]) >= least

    found: set[int] = set()
    seen: Counter[str] = Counter()
    for lines in sorted_pages:
        for edge in (lines[:_RUNNING_LINES], lines[: -_RUNNING_LINES - 1 : -1]):
            for line in itertools.takewhile(is_running, edge):
                seen[_key(line)[0]] += id(line) not in found
                found.add(id(line))
    return found, tuple(Running(text[:80], count) for text, count in seen.most_common())


def _top(line: Line) -> float:
    return line.top


def _key(line: Line) -> tuple[str, int]:
    return re.sub(r"\d+|\b[ivxlc]+\b", "#", line.text), round(line.top / 6)


def text_blocks(lines: Sequence[Line], tables: Mapping[tuple[int, int], Block]) -> list[Block]:
    """Return the blocks of a document.

    Args:
        lines: of all pages in order, running heads left out.
        tables: what stands in place of a table, by page and index.
    """
    texts = [line for line in lines if line.first.table < 0]
    body = _body_size(texts)
    levels = _levels(texts, body)
    leading = _leading(texts)
    words = Counter(word.lower() for line in texts for word in _WORD.findall(line.text))
    blocks: list[Block] = []
    for group in _groups(lines, body, leading):
        first = group[0]
        if first.first.table >= 0:
            blocks.append(tables[first.page, first.first.table])
        elif (
            _is_heading(first, body) and len(title := " ".join(line.text for line in group)) <= _TITLE_LENGTH
        ):
            level = levels.get(first.size, len(levels) + 1)
            blocks.append(Block("heading", (Piece(first.page, group[-1].page, title),), level=level))
        else:
            pages = itertools.groupby(group, lambda line: line.page)
            pieces = tuple(Piece(page, page, _join(list(part), words)) for page, part in pages)
            is_item = bool(_BULLET.match(first.text))
            if is_item and blocks and blocks[-1].kind == "list":
                blocks[-1] = Block("list", (*blocks[-1].pieces, *pieces))
            else:
                blocks.append(Block("list" if is_item else "paragraph", pieces))
    return blocks


def _body_size(lines: Iterable[Line]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.first.size] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _levels(lines: Iterable[Line], body: float) -> dict[float, int]:
    """Rank the sizes of headings; bold ones in the size of the text come last."""
    sizes = sorted(
        {line.size for line in lines if _is_heading(line, body) and line.size > body}, reverse=True
    )
    return {size: rank for rank, size in enumerate(sizes, start=1)}


def _is_heading(line: Line, body: float) -> bool:
    """Larger than the text, or bold and short and no sentence."""
    text = line.text
    if len(line.segments) > 2 or len(text) > _HEADING_LENGTH or not re.search(r"[^\W\d_]{2}", text):
        return False
    if line.size >= _LARGER * body:
        return True
    is_bold = all(segment.is_bold for segment in line.segments)
    return is_bold and line.size >= 0.95 * body and len(text) <= 80 and not re.search(r"[.,;:]$", text)


def _leading(lines: Sequence[Line]) -> float:
    """Return the usual distance between the tops of consecutive lines."""
    gaps = [
        other.top - one.top
        for one, other in itertools.pairwise(lines)
        if one.page == other.page and 0 < other.top - one.top < 4 * one.size
    ]
    return statistics.median(gaps) if gaps else 0.0


def _groups(lines: Sequence[Line], body: float, leading: float) -> Iterator[list[Line]]:
    group: list[Line] = []
    for line in lines:
        if group and _parts(group, line, body, leading):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _parts(group: Sequence[Line], line: Line, body: float, leading: float) -> bool:
    """Return True if a new paragraph begins with the line."""
    before = group[-1]
    if before.first.table >= 0 or line.first.table >= 0 or _BULLET.match(line.text):
        return True
    heads = _is_heading(before, body), _is_heading(line, body)
    if heads[0] != heads[1] or (heads[0] and abs(before.size - line.size) > 0.5):
        return True
    if heads[0]:  # a heading of several lines stands close together
        return before.page != line.page or line.top - before.bottom > 0.8 * line.size
    ends_sentence = bool(re.search(r"[.!?:][\"”’)]*$", before.text))
    if before.page != line.page or line.top < before.top:  # next page or column
        return ends_sentence
    if abs(before.size - line.size) > 1:
        return True
    gap = line.top - before.top
    return gap > 1.35 * max(leading, 1.0) or (
        ends_sentence and line.first.x0 - before.first.x0 > 0.8 * line.size and len(group) > 1
    )


def _join(group: Sequence[Line], words: Mapping[str, int]) -> str:
    """Join lines; a word that is broken at the end of a line is mended."""
    text = group[0].text
    for line in group[1:]:
        following = line.text
        broken = re.search(r"([^\W\d_]+)-$", text)
        rest = re.match(r"[^\W\d_]+", following)
        if broken and rest and rest[0][0].islower():
            hyphenated = f"{broken[1]}-{rest[0]}".lower()
            keeps_hyphen = words.get(hyphenated, 0) > words.get(f"{broken[1]}{rest[0]}".lower(), 0)
            text = text + following if keeps_hyphen else text[:-1] + following
        elif _BULLET_ALONE.fullmatch(text):
            text = f"{text} {following}"
        else:
            text = f"{text}\n{following}" if len(line.segments) > 1 else f"{text} {following}"
    return text
