"""A suspicious load looked at again: how the first lines of the file would read if they were cut otherwise.

What belongs here: candidates, and what speaks for each. The table stays as it was read, for every row of it
is accounted for; whoever asked is told what another reading would give (RADAR §3.3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lakebook.operators.record import Finding
from lakebook.sandbox.base import Json
from lakebook.sources.card import SourceCard, SourceUnit
from lakebook.sources.formats.delimited.header import find_header
from lakebook.sources.formats.delimited.records import physical_lines
from lakebook.sources.formats.delimited.trials import COMMON, best_quoting
from lakebook.validation.cells import Cells

SUSPICIOUS = frozenset({"L1", "L3"})
REREAD = "R2"
_BYTES = 1 << 18
_LINES = 300
_EQUAL = 0.8  # of the lines have to give the same number of cells
_NAMES = 8
_ENCODINGS = ("utf-8", "cp1252", "cp437", "mac_roman")


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read the first lines: the columns that it gives, and the share of lines that fit."""

    delimiter: str
    encoding: str
    names: tuple[str, ...]
    share: float

    @property
    def facts(self) -> Json:
        """What a record keeps of it."""
        return {
            "delimiter": self.delimiter,
            "encoding": self.encoding,
            "columns": len(self.names),
            "names": list(self.names[:_NAMES]),
            "share": round(self.share, 3),
        }


def other_readings(file: Path, card: SourceCard, unit: SourceUnit) -> tuple[Reading, ...]:
    """Return readings with more columns than the one that was taken, or other letters; the best first.

    Args:
        file: as it stands in the lake.
        card: of the file; only delimited text can be read otherwise.
        unit: the table that was made of it.
    """
    if card.format not in ("csv", "tsv", "delimited", "text") or not file.is_file():
        return ()
    with file.open("rb") as stream:
        head = stream.read(_BYTES)
    taken = {column.original_name for column in unit.columns}
    found = [
        reading
        for encoding, text in _decoded(head, card.encoding)
        for reading in _cut(text, encoding)
        if len(reading.names) > len(unit.columns)
        or (len(reading.names) == len(unit.columns) and set(reading.names) != taken)
    ]
    return tuple(sorted(found, key=lambda one: (-one.share * len(one.names), one.encoding)))[:3]


def _decoded(head: bytes, taken: str) -> Iterator[tuple[str, str]]:
    """Yield the text in the encoding that was taken and, if it looks wrong there, as others read it."""
    known = taken or "utf-8"
    yield known, head.decode(known, errors="replace")
    for encoding in _ENCODINGS:
        if encoding.replace("-", "") != known.lower().replace("-", "").replace("_", ""):
            try:
                yield encoding, head.decode(encoding)
            except UnicodeDecodeError:
                continue


def _cut(text: str, encoding: str) -> Iterator[Reading]:
    lines = physical_lines(text)[:_LINES]
    for delimiter in COMMON:
        trial = best_quoting(lines, delimiter) if lines else None
        if trial is None or trial.width < 2 or trial.share < _EQUAL:
            continue
        header = find_header(trial.records, trial.width)
        if header is not None and header.lines:
            yield Reading(delimiter, encoding, header.names, trial.share)


def told(readings: tuple[Reading, ...]) -> Finding:
    """Return the advice: what the best of other readings would give."""
    best, cell = readings[0], Cells()
    names = cell.several(best.names, _NAMES)
    return Finding(
        REREAD,
        "advise",
        f"Cut at {best.delimiter!r}, as {best.encoding}, the first lines give {len(best.names)} columns.",
        observed=f"{best.share:.0%} of the lines fit; the names would be {names}",
        hint="The table stays as it was read. Read shows the lines, and code can cut them.",
        values=cell.shown(),
    )
