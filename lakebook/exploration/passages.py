"""Passages of a document that speak to a question, with the context that a list or a table needs.

Reads the passages that the profilers kept. How a document is cut into them is the profilers' business.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from lakebook.exploration.words import tokens
from lakebook.sources.card import SourceCard, SourceUnit
from lakebook.sources.profile import text_file
from lakebook.sources.reading import Passage

_SHOWN = 2
_LETTERS = 1_200
_CONTEXT_LETTERS = 300
_MOST_LETTERS_READ = 5_000_000
_SATURATION = 1.2
_LISTING = re.compile(r"\s*([-*•|+]|\d+[.)])\s?")
_LINES = re.compile(r"lines? ([\d,]+)(?:-([\d,]+))?$")


@dataclass(frozen=True, slots=True)
class FoundPassages:
    """The best passages of a document; what they were chosen from, and what was left out."""

    passages: tuple[Passage, ...]
    coverage: str
    omitted: tuple[str, ...]


def find_passages(
    card: SourceCard, unit: SourceUnit, state: Path, worth: Mapping[str, float]
) -> FoundPassages:
    """Return the passages that hold the rarest words, best first.

    Args:
        card: the file.
        unit: its text.
        state: where passages are kept.
        worth: token -> how rare it is in the lake.
    """
    kept, omitted = _read(text_file(state, card, unit))
    ranked = _rank(kept, worth)
    shown: list[Passage] = []
    used: set[int] = set()
    for number in ranked:
        if len(shown) == _SHOWN:
            break
        if number in used:
            continue
        span = _with_context(kept, number)
        used.update(span)
        joined = _joined([kept[place] for place in span])
        if len(joined.text) > _LETTERS:
            omitted.append(f"{joined.position}: cut after {_LETTERS:,} of {len(joined.text):,} characters")
            joined = Passage(joined.position, joined.heading, joined.text[:_LETTERS] + " […]")
        shown.append(joined)
    left = len([number for number in ranked if number not in used])
    if left:
        omitted.append(f"{left:,} more passages hold words of the question")
    return FoundPassages(
        tuple(shown), f"all {len(kept):,} passages" if len(kept) != 1 else "its only passage", tuple(omitted)
    )


def _read(file: Path) -> tuple[list[Passage], list[str]]:
    if not file.exists():
        return [], ["its text is not kept; profile the folder again"]
    table = pq.read_table(file, columns=["position", "heading", "text"])
    columns = [table[name].to_pylist() for name in table.column_names]
    kept: list[Passage] = []
    length = 0
    for position, heading, text in zip(*columns, strict=True):
        length += len(text)
        if length > _MOST_LETTERS_READ:
            return kept, [f"only the first {len(kept):,} of {table.num_rows:,} passages were looked through"]
        kept.append(Passage(position, heading, text))
    return kept, []


def _rank(passages: Sequence[Passage], worth: Mapping[str, float]) -> list[int]:
    """Rank by the worth of the words that a passage or its heading holds; repetition counts less and less."""
    scored = []
    for number, passage in enumerate(passages):
        found = tokens(passage.text)
        counts: dict[str, float] = {}
        for token in found:
            if token in worth:
                counts[token] = counts.get(token, 0.0) + 1
        for token in tokens(passage.heading):
            if token in worth:
                counts[token] = counts.get(token, 0.0) + 0.5
        length = 0.5 + 0.5 * min(len(found) / 100, 3)
        score = math.fsum(worth[token] * n / (n + _SATURATION * length) for token, n in counts.items())
        if score > 0:
            scored.append((-score, number))
    return [number for _, number in sorted(scored)]


def _with_context(passages: Sequence[Passage], number: int) -> range:
    """A list or table comes with the line before it, a line that announces one with what follows."""
    first, last = number, number
    text = passages[number].text
    before = passages[number - 1] if number else None
    if before is not None and _LISTING.match(text) and len(before.text) <= _CONTEXT_LETTERS:
        first -= 1
    after = passages[number + 1] if number + 1 < len(passages) else None
    if after is not None and (
        text.rstrip().endswith(":") or (_LISTING.match(text) and _LISTING.match(after.text))
    ):
        last += 1
    return range(first, last + 1)


def _joined(passages: Sequence[Passage]) -> Passage:
    if len(passages) == 1:
        return passages[0]
    ends = [_LINES.match(passage.position) for passage in (passages[0], passages[-1])]
    if ends[0] and ends[1]:
        position = f"lines {ends[0][1]}-{ends[1][2] or ends[1][1]}"
    else:
        position = "; ".join(dict.fromkeys(passage.position for passage in passages))
    return Passage(position, passages[0].heading, "\n\n".join(passage.text for passage in passages))
