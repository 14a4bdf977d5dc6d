"""From the words of a PDF's page to lines in the order in which people read them.

Words are joined to segments, segments stand in columns or run across the page, columns are read one after
the other. What the lines mean (headings, paragraphs) is decided for the whole document in `pdf_text`.
"""

from __future__ import annotations

import itertools
import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_BOLD = re.compile(r"bold|black|heavy|demi|[-,]bd\b|cmbx", re.IGNORECASE)
_NUMERIC = re.compile(r"[\d.,%$€£()+\-–− ]+")
# Between words of a line there is a third of the type size; columns are set further apart.
_WORD_GAP = 1.2
_GUTTER = 0.6
_LEAST_LINES = 5
_CROSSING = 0.3
_COLUMN_FILL = 0.4
_DEEPEST = 3


@dataclass(frozen=True, slots=True)
class Segment:
    """Words that stand side by side on one line; or a table in their place.

    Attributes:
        size: of the type in points. table: index among the page's tables, -1 for text.
    """

    x0: float
    x1: float
    top: float
    bottom: float
    size: float
    is_bold: bool
    text: str
    table: int = -1


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page; several segments if blanks stand between them."""

    page: int
    segments: tuple[Segment, ...]

    @property
    def text(self) -> str:
        """The text with wide gaps shown as two blanks."""
        return "  ".join(segment.text for segment in self.segments)

    @property
    def first(self) -> Segment:
        """The leftmost segment."""
        return self.segments[0]

    @property
    def size(self) -> float:
        """The largest type on the line."""
        return max(segment.size for segment in self.segments)

    @property
    def top(self) -> float:
        """The upper edge."""
        return min(segment.top for segment in self.segments)

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return max(segment.bottom for segment in self.segments)


def page_lines(
    page: Any, number: int, tables: Mapping[int, tuple[float, float, float, float]]
) -> tuple[list[Line], int]:
    """Return the lines of a page in reading order, and how many characters are set in another direction.

    Args:
        page: of pdfplumber.
        number: of the page, from 1.
        tables: boxes that stand as one thing, by index.
    """
    chars = page.chars
    sideways = sum(1 for char in chars if not char["upright"] and char["text"].strip())
    if sideways:
        page = page.filter(lambda item: item["object_type"] != "char" or item["upright"])
    words = page.extract_words(x_tolerance_ratio=0.15, extra_attrs=["size", "fontname"])
    outside = [word for word in words if not any(_is_inside(word, box) for box in tables.values())]
    segments = list(_segments(outside))
    for index, (x0, top, x1, bottom) in tables.items():
        segments.append(Segment(x0, x1, top, bottom, 0.0, False, "", index))
    if not segments:
        return [], sideways
    lines = _ordered(segments, 0)
    return [Line(number, line) for line in lines], sideways


def _is_inside(word: dict[str, Any], box: tuple[float, float, float, float]) -> bool:
    x, y = (word["x0"] + word["x1"]) / 2, (word["top"] + word["bottom"]) / 2
    return bool(box[0] <= x <= box[2] and box[1] <= y <= box[3])


def _segments(words: Sequence[dict[str, Any]]) -> Iterator[Segment]:
    for row in _rows(words):
        run: list[dict[str, Any]] = []
        for word in sorted(row, key=lambda word: word["x0"]):
            if run and word["x0"] - run[-1]["x1"] > _WORD_GAP * max(word["size"], run[-1]["size"]):
                yield _segment(run)
                run = []
            run.append(word)
        if run:
            yield _segment(run)


def _rows(words: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Words whose lower edges agree stand on one line."""
    row: list[dict[str, Any]] = []
    for word in sorted(words, key=lambda word: (word["bottom"], word["x0"])):
        if row and word["bottom"] - row[0]["bottom"] > max(2.0, 0.3 * word["size"]):
            yield row
            row = []
        row.append(word)
    if row:
        yield row


def _segment(words: Sequence[dict[str, Any]]) -> Segment:
    text = words[0]["text"]
    for one, other in itertools.pairwise(words):
        is_apart = other["x0"] - one["x1"] > 0.1 * min(one["size"], other["size"])
        text += f" {other['text']}" if is_apart else other["text"]
    letters = sum(len(word["text"]) for word in words)
    bold = sum(len(word["text"]) for word in words if _BOLD.search(word["fontname"]))
    size = max(words, key=lambda word: len(word["text"]))["size"]
    return Segment(
        words[0]["x0"],
        max(word["x1"] for word in words),
        min(word["top"] for word in words),
        max(word["bottom"] for word in words),
        round(size, 1),
        bold > 0.8 * letters,
        text,
    )


def _ordered(segments: Sequence[Segment], depth: int) -> list[tuple[Segment, ...]]:
    """Read the left column before the right one, between the lines that run across both."""
    gutter = _gutter(segments) if depth < _DEEPEST else None
    if gutter is None:
        return list(_plain_lines(segments))
    lines: list[tuple[Segment, ...]] = []
    left: list[Segment] = []
    right: list[Segment] = []

    def flush() -> None:
        for side in (left, right):
            lines.extend(_ordered(side, depth + 1) if side else ())
            side.clear()

    for line in _plain_lines(segments):
        if any(segment.x0 < gutter < segment.x1 for segment in line):
            flush()
            lines.append(line)
        else:
            left += [segment for segment in line if segment.x1 <= gutter]
            right += [segment for segment in line if segment.x0 >= gutter]
    flush()
    return lines


def _plain_lines(segments: Sequence[Segment]) -> Iterator[tuple[Segment, ...]]:
    """Segments side by side make a line; a table is one of its own."""
    line: list[Segment] = []
    for segment in sorted(segments, key=lambda item: (item.top if item.table >= 0 else item.bottom, item.x0)):
        is_same = line and segment.table < 0 and line[0].table < 0
        if line and not (is_same and segment.bottom - line[0].bottom <= max(2.0, 0.3 * segment.size)):
            yield tuple(sorted(line, key=lambda item: item.x0))
            line = []
        line.append(segment)
    if line:
        yield tuple(sorted(line, key=lambda item: item.x0))


def _gutter(segments: Sequence[Segment]) -> float | None:
    """Return where two columns of prose part, None where the page has one column or a table."""
    x0, x1 = min(item.x0 for item in segments), max(item.x1 for item in segments)
    texts = [item for item in segments if item.table < 0]
    if len(texts) < 2 * _LEAST_LINES:
        return None
    width = x1 - x0
    steps = [x0 + width * share / 200 for share in range(50, 151)]
    crossing = {x: sum(1 for item in segments if item.x0 < x < item.x1) for x in steps}
    fewest = min(crossing.values())
    if fewest > _CROSSING * len(texts):
        return None
    runs = [list(run) for few, run in itertools.groupby(steps, lambda x: crossing[x] == fewest) if few]
    run = max(runs, key=len)
    middle = (run[0] + run[-1]) / 2
    left = [item for item in texts if item.x1 <= middle]
    right = [item for item in texts if item.x0 >= middle]
    size = statistics.median(item.size for item in texts)
    if run[-1] - run[0] + width / 100 < _GUTTER * size:
        return None
    if not (_is_prose(left, middle - x0) and _is_prose(right, x1 - middle)):
        return None
    return middle if _overlap(left, right) > 0.3 else None


def _is_prose(column: Sequence[Segment], width: float) -> bool:
    """Lines of prose fill their column and are not numbers."""
    if len(column) < _LEAST_LINES:
        return False
    fill = statistics.median(item.x1 - item.x0 for item in column)
    numbers = sum(1 for item in column if _NUMERIC.fullmatch(item.text))
    return fill >= _COLUMN_FILL * width and numbers < 0.3 * len(column)


def _overlap(left: Sequence[Segment], right: Sequence[Segment]) -> float:
    """Return the share of the lower column's height that stands beside the other."""
    tops = [min(item.top for item in column) for column in (left, right)]
    ends = [max(item.bottom for item in column) for column in (left, right)]
    shared = min(ends) - max(tops)
    return shared / max(1.0, min(end - top for top, end in zip(tops, ends, strict=True)))
