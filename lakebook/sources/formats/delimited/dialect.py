"""Find out how a delimited text is written: comments, delimiter, quotation marks, widths, header.

Decided by evidence from the first lines: every likely way to cut them is tried, and the one whose records
are most alike and whose cells look most like values wins; none wins over prose. The reader then counts every
row of the file that does not fit. The header itself is the work of `header`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from lakebook.sources.formats.delimited.header import DATA_CELL, Header, find_header
from lakebook.sources.formats.delimited.records import Style, is_comment, physical_lines, read_records
from lakebook.sources.formats.delimited.trials import (
    COMMON,
    MANY,
    NEARLY_ALL,
    TRIED,
    Trial,
    attempt,
    best_quoting,
    is_prose,
    is_surely_table,
    present,
)
from lakebook.sources.peek import HEAD_BYTES, Peek

TABLE_SUFFIXES = frozenset({".csv", ".tsv", ".tab", ".psv"})
_RARE = ("::", "||", "~", "^", "\x1f", "\x01", "\x1e", "\x02", ":", "¦", "§", "¬")
_SAMPLE = 2_000
_FEW_LINES = 20
_MORE_BYTES = 4 << 20
_LONG_NAME = 10_000
_MOST = 0.6
_LEAST_CLEAN = 0.25
_EXCEL_SEPARATOR = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_TYPED_LINE = re.compile(
    r"\s*(?:[-+]?[\d.,]+%?|\d+(?:[-/.:T]\d+)+(?: \d+(?::\d+)+)?Z?|\w+://\S+|[\w.]+@[\w.]+)\s*"
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a delimited text is written.

    Attributes:
        width: number of cells of a row. names: of its columns as the header has them, "" where it has none.
        above: number of lines before the header (before the first row if there is no header).
        header_lines: number of lines that the header fills, 0 if there is none.
        irregular: the header has one cell less, or an empty one more, than the rows.
        cut: the column whose numbers the delimiter cuts in two, so that no row can be read; or "".
        comment: lines that begin with it are comments, unless they are cut into a row.
        comments_rows: such a line is a comment even if it is cut into a row.
        notes: what is unusual, in sentences.
    """

    style: Style
    width: int
    names: tuple[str, ...]
    above: int = 0
    header_lines: int = 1
    irregular: bool = False
    cut: str = ""
    comment: str = ""
    comments_rows: bool = False
    notes: tuple[str, ...] = field(default=())

    @property
    def delimiter(self) -> str:
        """The delimiter, as in the style."""
        return self.style.delimiter

    def is_comment(self, line: str) -> bool:
        """Return True if the line, which begins a record, is a comment."""
        if not is_comment(line, self.comment):
            return False
        return self.comments_rows or len(self.style.split(line)) != self.width


def sample_lines(file: Peek, encoding: str) -> list[str]:
    """Return the complete lines at the start of the content: more of it where lines are long."""
    lines = _complete_lines(file.head, encoding, HEAD_BYTES)
    if len(file.head) >= HEAD_BYTES and len(lines) < _FEW_LINES:
        with file.open() as stream:
            lines = _complete_lines(stream.read(_MORE_BYTES), encoding, _MORE_BYTES)
    return lines


def _complete_lines(content: bytes, encoding: str, size: int) -> list[str]:
    """Return the lines that end within the content; none if the first one does not."""
    lines = physical_lines(content.decode(encoding, errors="replace").removeprefix("\ufeff"))
    return lines[:-1] if len(content) >= size else lines


def find_dialect(lines: Sequence[str], suffix: str) -> Dialect | None:
    """Return the dialect of a delimited text, None if the lines are no table.

    Args:
        lines: lines from the start of the content.
        suffix: of the file's name; only a name that says "table" makes one of a single column.
    """
    lines = lines[: _SAMPLE * 2]
    first = next((line for line in lines if line.strip()), "")
    if told := _EXCEL_SEPARATOR.fullmatch(first):
        told_lines = lines[lines.index(first) + 1 :]
        trial = best_quoting(told_lines, told[1])
        found = _finish(told_lines, trial, "") if trial and trial.width else None
        above = lines.index(first) + 1
        return replace(found, above=found.above + above) if found else None
    mark = "#" if any(is_comment(line, "#") for line in lines) else ""
    body = [line for line in lines if not is_comment(line, mark)] if mark else list(lines)
    if not any(line.strip() for line in body):
        return None
    trial = _choose(body, suffix)
    return _finish(lines, trial, mark) if trial else None


def why_none(lines: Sequence[str]) -> str:
    """Say why lines in which no dialect was found are no table."""
    body = [line for line in lines[:_SAMPLE] if line.strip()]
    if not lines:
        return f"its first line is longer than {_MORE_BYTES >> 20} MB"
    if not body:
        return "there is nothing but blank lines"
    if not "".join(body).strip(",;|\t\r\n "):
        return "there is nothing but delimiters"
    trials = [trial for delimiter in present(body, COMMON) if (trial := best_quoting(body, delimiter))]
    if not trials:
        return "no delimiter stands in most of its lines"
    best = max(trials, key=lambda trial: trial.share)
    if is_prose(best):
        return "it is prose: commas between long stretches of words"
    widths = sorted({len(record.cells) for record in best.records if record.cells})
    shown = f"{widths[0]} to {widths[-1]} fields" if len(widths) > 1 else f"{widths[0]} fields"
    return f"no delimiter cuts its lines into equally many fields (with {best.style.delimiter!r}: {shown})"


def _choose(body: Sequence[str], suffix: str) -> Trial | None:
    """Return the best way to cut the lines, None if no way makes a table of them."""
    trials = [trial for delimiter in present(body, COMMON) if (trial := best_quoting(body, delimiter))]
    good = [trial for trial in trials if trial.width >= 2 and trial.share >= _MOST]
    best = max(good, key=lambda trial: trial.score, default=None)
    if best and not any(cell.strip() for row in best.rows() for cell in row):
        return None
    if best and best.clean >= _LEAST_CLEAN and not is_prose(best):
        if best.style.delimiter == ",":
            best = _unless_blanks(body, best)
        if suffix in TABLE_SUFFIXES or best.style.is_blank_separated or is_surely_table(best):
            return best
    rare = _rare(body, suffix)
    if rare:
        return rare
    return _single(body, trials) if suffix in TABLE_SUFFIXES else None


def _unless_blanks(body: Sequence[str], best: Trial) -> Trial:
    """Decimal commas between blanks are no delimiters, least of all where the header has none."""
    named = next(line for line in body if line.strip())
    if " " not in named.strip() or (best.clean >= _MOST and best.style.delimiter in named):
        return best
    blank = _blanks(body, "")
    is_better = blank and (blank.score > best.score or len(blank.style.split(named)) == blank.width)
    return blank if blank and is_better else best


def _rare(body: Sequence[str], suffix: str) -> Trial | None:
    """Try rarer delimiters, blanks and fixed widths; each must fit nearly all lines."""
    if _are_typed_lines(body):
        return None
    least = 2 if suffix in TABLE_SUFFIXES else 3
    found = [trial for delimiter in present(body, _RARE) if (trial := best_quoting(body, delimiter))]
    found = [
        trial
        for trial in found
        if trial.width >= least
        and trial.share >= MANY
        and len(trial.rows()) >= 2
        and not is_prose(trial)
        and (trial.style.delimiter != ":" or trial.clean > NEARLY_ALL)
    ]
    if found:
        best = max(found, key=lambda trial: (trial.score, -_RARE.index(trial.style.delimiter)))
        shown = ascii(best.style.delimiter) if best.style.delimiter < " " else repr(best.style.delimiter)
        return replace(best, notes=(f"cells are separated by {shown}",))
    return _blanks(body, suffix) or _fixed(body)


def _are_typed_lines(body: Sequence[str]) -> bool:
    """Most lines are one value each (a time, a date, an address): nothing to cut."""
    lines = [line for line in body[1:200] if line.strip()]
    return bool(lines) and sum(bool(_TYPED_LINE.fullmatch(line)) for line in lines) > 0.8 * len(lines)


def _blanks(body: Sequence[str], suffix: str) -> Trial | None:
    """Numbers between blanks: every row has equally many cells, and half of the columns are numbers."""
    trial = attempt(body, Style(" "))
    rows = trial.rows()
    filled = sum(1 for record in trial.records if record.cells)
    if trial.width < 2 or len(rows) < NEARLY_ALL * filled or len(rows) < 2 or trial.strays:
        return None
    data = rows[1:] if len(rows) > 2 else rows
    numeric = [
        sum(bool(DATA_CELL.fullmatch(row[at])) for row in data) >= 0.8 * len(data)
        for at in range(trial.width)
    ]
    if sum(numeric) < 0.5 * trial.width or (
        trial.width == 2 and not (all(numeric) or suffix in TABLE_SUFFIXES)
    ):
        return None
    return replace(trial, notes=("cells are separated by blanks, any number of them",))


def _fixed(body: Sequence[str]) -> Trial | None:
    """Columns of fixed width: the same places are blank in every line, two at least between columns."""
    lines = [line.rstrip("\r\n") for line in body if line.strip()]
    if len(lines) < 4 or any("\t" in line for line in lines):
        return None
    longest = max(map(len, lines))
    blank = [all(at >= len(line) or line[at] == " " for line in lines) for at in range(longest)]
    spans = [
        (at.start(), at.end())
        for at in re.finditer(r"x(?:x|b(?!b))*", "".join("b" if b else "x" for b in blank))
    ]
    if len(spans) < 2 or longest > 2_000:
        return None
    places = tuple((start, end) for start, end in spans[:-1])
    trial = attempt(body, Style("", quote="", spans=(*places, (spans[-1][0], None))), most=len(body))
    rows = trial.rows()[1:]
    cells = [[row[at] for row in rows] for at in range(trial.width)] if rows else []
    filled = all(sum(map(bool, column)) >= 0.5 * len(column) for column in cells)
    numeric = any(
        sum(bool(c and DATA_CELL.fullmatch(c)) for c in column) >= 0.8 * len(column) for column in cells
    )
    gaps = sum("  " in cell for column in cells for cell in column)  # columns that were not told apart
    if not (filled and numeric and trial.share == 1.0) or gaps > 0.02 * len(rows) * trial.width:
        return None
    return replace(trial, notes=("columns of fixed width, read at " + _shown(trial.style.spans),))


def _shown(spans: Sequence[tuple[int, int | None]]) -> str:
    return ", ".join(f"{start + 1}-{end or ''}" for start, end in spans)


def _single(body: Sequence[str], trials: Sequence[Trial]) -> Trial | None:
    """Take lines that no delimiter cuts alike as one column, unless they are rows of any length or prose."""
    plain = attempt(body, Style(","))
    first = next(line for line in body if line.strip())
    if len(plain.records) == 1 and (len(first) > _LONG_NAME or len(first.split()) > 2):
        return None  # one line of words is no header
    if plain.width == 1 and plain.share == 1.0:
        return plain
    cut = max(trials, key=lambda trial: trial.share, default=None)
    lines = [line for line in body[:TRIED] if line.strip()]
    if any(delimiter in first for delimiter in COMMON) or len(lines) < 2:
        return None
    if cut is not None and (_are_ragged(lines) or is_prose(cut)):
        return None
    whole = attempt(body, Style("\x1f"))
    return replace(whole, notes=("one column: no delimiter cuts its lines into equally many cells",))


def _are_ragged(lines: Sequence[str]) -> bool:
    """Lists without blanks after the commas, of any length: rows that no table holds."""
    tight = sum(bool(re.search(r"[^\s,;|],[^\s,;|]|;\S|\t|\|", line)) for line in lines)
    return tight > 0.3 * len(lines)


def _finish(lines: Sequence[str], trial: Trial, mark: str) -> Dialect | None:
    """Cut all sample lines in the way found, and find the header among them."""
    comment, comments_rows, named = _comments(lines, trial, mark)
    draft = Dialect(trial.style, trial.width, (), comment=comment, comments_rows=comments_rows)
    records = list(trial.records)
    if mark:
        records = []
        for record in read_records(iter(lines), trial.style, is_comment=draft.is_comment):
            if record.line == named:
                records.append(replace(record, cells=trial.style.split(record.text[0])))
            elif record.cells is not None:
                records.append(record)
            if len(records) >= TRIED:
                break
    header = find_header(records, trial.width, told=named)
    if header is None or (not header.lines and _is_named_otherwise(lines[: header.above], trial)):
        return None
    return _with_header(draft, header, trial)


def _is_named_otherwise(above: Sequence[str], trial: Trial) -> bool:
    """One word above rows without a header names one column: the rows were not meant to be cut."""
    last = next((line.strip() for line in reversed(above) if line.strip()), "")
    return bool(last) and not last.startswith("#") and len(trial.style.split(last)) == len(last.split()) == 1


def _with_header(draft: Dialect, header: Header, trial: Trial) -> Dialect:
    notes = list(trial.notes)
    style = trial.style
    if style.escape:
        notes.append("quotation marks inside cells are escaped with a backslash")
    if style.quote == "'":
        notes.append("cells are quoted with ' instead of \"")
    if (
        not style.quote
        and len(style.delimiter) == 1
        and any('"' in line for r in trial.records for line in r.text)
    ):
        notes.append(
            "quotation marks are characters like any other: read as quotes, they would swallow delimiters"
        )
    if style.skip_blanks:
        notes.append("blanks after a delimiter do not count")
    return replace(
        draft,
        names=header.names,
        above=header.above,
        header_lines=header.lines,
        irregular=header.irregular,
        cut=header.cut,
        notes=tuple(notes),
    )


def _comments(lines: Sequence[str], trial: Trial, mark: str) -> tuple[str, bool, int]:
    """Decide what lines with the mark are: comments, the header, or rows like all others.

    Returns:
        The mark if there are comments, whether lines that make a row are comments too, and the number of
        the marked line that is the header (0 if none is).
    """
    if not mark:
        return "", False, 0
    marked = [(number, line) for number, line in enumerate(lines, start=1) if is_comment(line, mark)]
    alike = [number for number, line in marked if len(trial.style.split(line)) == trial.width]
    start = next(
        number for number, line in enumerate(lines, 1) if line.strip() and not is_comment(line, mark)
    )
    top = [number for number, _ in marked if number < start]
    named = top[-1] if top and top[-1] in alike and trial.width > 1 and not _looks_named(trial) else 0
    within = [number for number in alike if number > start]
    rows = [row[0] for row in trial.rows()[1:]]
    numeric = bool(rows) and sum(bool(DATA_CELL.fullmatch(cell)) for cell in rows) >= 0.8 * len(rows)
    if len(alike) - (named > 0) == len(marked) - (named > 0) and within and not numeric:
        return "", False, named
    return mark, numeric or not within, named


def _looks_named(trial: Trial) -> bool:
    """The first row is text above numbers: a header of its own."""
    rows = trial.rows()
    if len(rows) < 2:
        return True
    below = rows[1:]
    return any(
        not DATA_CELL.fullmatch(cell)
        and sum(bool(DATA_CELL.fullmatch(row[at])) for row in below) >= 0.8 * len(below)
        for at, cell in enumerate(rows[0])
    )
