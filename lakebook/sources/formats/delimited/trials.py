"""Ways to cut the lines of a text into cells, tried on its first lines, and what speaks for each.

Evidence only: equal numbers of cells, cells that look like values, quotation marks where they belong, and
what tells prose from a table. Which way is taken is decided in `dialect`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lakebook.sources.formats.delimited.header import DATA_CELL
from lakebook.sources.formats.delimited.records import Record, Style, read_records

COMMON = (",", ";", "\t", "|")
TRIED = 300
NEARLY_ALL = 0.9
MANY = 0.8
_PROSE_WORDS = 4


@dataclass(frozen=True, slots=True)
class Trial:
    """One way to cut the lines, and how well it does.

    Attributes:
        width: cells that most records have.
        share: of the records that have so many. clean: how much their cells look like values, 0..1.
        strays: quotation marks that stand where they should not.
        notes: what is unusual about this way, in sentences.
    """

    style: Style
    records: tuple[Record, ...]
    width: int
    share: float
    clean: float
    strays: int
    notes: tuple[str, ...] = ()

    @property
    def score(self) -> float:
        """How likely this is the way: equal records of clean cells, and rather more of them than fewer."""
        return self.share**2 * self.clean * (1 - 1 / (self.width + 0.5)) if self.width else 0.0

    def rows(self) -> list[list[str]]:
        """Return the cells of the records that have the usual width."""
        return [record.cells for record in self.records if record.cells and len(record.cells) == self.width]


def attempt(lines: Sequence[str], style: Style, most: int = TRIED) -> Trial:
    """Cut the first lines in a way, and see how well it does."""
    records = []
    for record in read_records(iter(lines), style):
        records.append(record)
        if len(records) >= most:
            break
    widths = Counter(len(record.cells) for record in records if record.cells)
    filled = sum(1 for record in records if record.cells is None or record.cells)
    if not widths:
        return Trial(style, tuple(records), 0, 0.0, 0.0, 0)
    width, count = max(widths.items(), key=lambda item: (item[1], item[0]))
    strays = sum(record.is_sloppy or bool(record.problem) for record in records)
    trial = Trial(style, tuple(records), width, _share(records, width, count, filled), 0.0, strays)
    return replace(trial, clean=_cleanness(trial))


def _share(records: Sequence[Record], width: int, count: int, filled: int) -> float:
    """Return the share of records with that width; lines above the first and below the last do not count."""
    if count < 0.5 * filled:
        return count / filled
    usual = [record.cells is not None and len(record.cells) == width for record in records]
    inner = records[usual.index(True) : len(usual) - usual[::-1].index(True)]
    return count / sum(1 for record in inner if record.cells is None or record.cells)


def _cleanness(trial: Trial) -> float:
    """Return how much the cells look like values and not like pieces of something else."""
    others = [other for other in COMMON if other != trial.style.delimiter]
    cells = [cell for row in trial.rows()[:40] for cell in row]
    return sum(_value(cell, others) for cell in cells) / len(cells) if cells else 0.0


def _value(cell: str, others: Sequence[str]) -> float:
    if DATA_CELL.fullmatch(cell):
        return 1.0
    if (cell.lstrip()[:1] in "{[") != (cell.rstrip()[-1:] in "}]"):
        return 0.0  # a piece of JSON
    if cell.count('"') % 2:
        return 0.2
    for other in others:
        if other in cell and not (other == "," and ", " in cell):
            return 0.3
    words = len(cell.split())
    return 1.0 if words <= 3 else 0.85 if words <= 8 else 0.7


def present(body: Sequence[str], delimiters: Sequence[str]) -> Iterator[str]:
    """Yield the delimiters that stand in many of the first lines."""
    few = [line for line in body[:200] if line.strip()]
    text = "".join(few)
    for delimiter in delimiters:
        if delimiter in "|:" and _is_doubled(text, delimiter):
            continue  # half of another delimiter
        if sum(delimiter in line for line in few) >= 0.4 * len(few) or ('"' in text and delimiter in few[0]):
            yield delimiter


def _is_doubled(text: str, delimiter: str) -> bool:
    """The character hardly ever stands alone."""
    return text.replace(delimiter * 2, "").count(delimiter) < 0.1 * text.count(delimiter * 2)


def best_quoting(body: Sequence[str], delimiter: str) -> Trial | None:
    """Return the best way to cut at a delimiter: quotation marks may be meant in several ways."""
    trials = [attempt(body, style) for style in _styles(body, delimiter)]
    best = trials[0]
    for trial in trials[1:]:
        wins = trial.strays < best.strays and trial.share >= best.share - 0.02
        if trial.style.escape:
            wins = wins or (trial.share > best.share and trial.strays <= best.strays)
        if not trial.style.quote and trial.share < MANY:
            continue
        if trial.style.quote == "'":
            wins = trial.strays == 0 and trial.share >= best.share
        if wins or (trial.share > best.share + 0.05 and trial.strays <= best.strays):
            best = trial
    return best


def _styles(body: Sequence[str], delimiter: str) -> Iterator[Style]:
    """Yield what quotation marks may mean here, the likeliest meaning first."""
    if len(delimiter) > 1:
        yield Style(delimiter, quote="")
        return
    yield Style(delimiter)
    text = "".join(body[:TRIED])
    if re.search(rf'{re.escape(delimiter)} +"', text):
        yield Style(delimiter, skip_blanks=True)
    if '\\"' in text or f"\\{delimiter}" in text:
        yield Style(delimiter, escape="\\")
    if '"' in text and not (_are_all_quoted(body) or _are_well_quoted(text, delimiter)):
        yield Style(delimiter, quote="")
    if "'" in text and _are_single_quoted(text, delimiter):
        yield Style(delimiter, quote="'")


def _are_all_quoted(body: Sequence[str]) -> bool:
    """Nearly every line begins and ends with a quotation mark: it has its meaning, even if misused."""
    lines = [line.strip() for line in body[:TRIED] if line.strip()]
    return sum(line[0] == line[-1] == '"' for line in lines) >= NEARLY_ALL * len(lines)


def _are_well_quoted(text: str, delimiter: str) -> bool:
    """More cells begin and end with a quotation mark than marks stand elsewhere."""
    bound = re.escape(delimiter) + r"\r\n"
    well = len(re.findall(rf'(?:^|(?<=[{bound}]))"[^"]*"(?=[{bound}]|$)', text))
    return text.count('"') - 2 * well <= well


def _are_single_quoted(text: str, delimiter: str) -> bool:
    """Nearly every `'` begins or ends a cell."""
    bound = re.escape(delimiter) + r"\r\n"
    opening = len(re.findall(rf"(?:^|[{bound}])'", text))
    closing = len(re.findall(rf"'(?:[{bound}]|$)", text))
    inside = len(re.findall(rf"[^{bound}]'[^{bound}]", text))
    return opening >= 2 and abs(opening - closing) <= 0.1 * opening and inside <= 0.3 * opening


def is_prose(trial: Trial) -> bool:
    """Commas followed by blanks between long stretches of words, and no number anywhere."""
    if trial.style.delimiter not in ",;:" or trial.style.skip_blanks:
        return False
    rows = trial.rows()
    cells = [cell for row in rows for cell in row if cell.strip()]
    if not cells or any(DATA_CELL.fullmatch(cell) for cell in cells):
        return False
    later = [cell for row in rows for cell in row[1:] if cell.strip()]
    spaced = sum(cell.startswith(" ") for cell in later)
    words = sum(len(cell.split()) for cell in cells) / len(cells)
    are_sentences = all(row[-1].rstrip().endswith((".", "!", "?")) for row in rows)
    return (words >= _PROSE_WORDS or are_sentences) and spaced >= NEARLY_ALL * len(later)


def is_surely_table(trial: Trial) -> bool:
    """Prose has commas too: without a telling name, ask for many equal rows of short cells."""
    rows = trial.rows()
    if len(rows) < 2 or (trial.width == 2 and trial.style.delimiter != "\t"):
        return False
    cells = [cell for row in rows for cell in row]
    if trial.style.delimiter == "," and sum(len(cell.split()) <= 1 for cell in cells) < 0.5 * len(cells):
        return False
    long_cells = sum(len(cell.split()) > 8 for cell in cells)
    return trial.share >= MANY and long_cells < 0.2 * len(cells)
