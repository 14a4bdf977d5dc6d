"""Find out how a delimited text is written: comments, delimiter, quotation marks, widths, header.

Decided by evidence from the first lines: every likely way to cut them is tried, and the one whose records
are most alike and whose cells look most like values wins; none wins over prose. The reader then counts every
row of the file that does not fit. The header itself is the work of `header`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from lakebook.sources.encoding import find_encoding as find_encoding
from lakebook.sources.header import DATA_CELL, Header, find_header
from lakebook.sources.peek import HEAD_BYTES, Peek
from lakebook.sources.records import Record, Style, is_comment, physical_lines, read_records

TABLE_SUFFIXES = frozenset({".csv", ".tsv", ".tab", ".psv"})
_COMMON = (",", ";", "\t", "|")
_RARE = ("::", "||", "~", "^", "\x1f", "\x01", "\x1e", "\x02", ":", "¦", "§", "¬")
_SAMPLE = 2_000
_FEW_LINES = 20
_MORE_BYTES = 4 << 20
_LONG_NAME = 10_000
_TRIED = 300
_MOST = 0.6
_NEARLY_ALL = 0.9
_MANY = 0.8
_PROSE_WORDS = 4
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
        trial = _best_quoting(told_lines, told[1])
        found = _finish(told_lines, trial, "", suffix) if trial and trial.width else None
        above = lines.index(first) + 1
        return replace(found, above=found.above + above) if found else None
    mark = "#" if any(is_comment(line, "#") for line in lines) else ""
    body = [line for line in lines if not is_comment(line, mark)] if mark else list(lines)
    if not any(line.strip() for line in body):
        return None
    trial = _choose(body, suffix)
    return _finish(lines, trial, mark, suffix) if trial else None


def why_none(lines: Sequence[str]) -> str:
    """Say why lines in which no dialect was found are no table."""
    body = [line for line in lines[:_SAMPLE] if line.strip()]
    if not lines:
        return f"its first line is longer than {_MORE_BYTES >> 20} MB"
    if not body:
        return "there is nothing but blank lines"
    trials = [trial for delimiter in _present(body, _COMMON) if (trial := _best_quoting(body, delimiter))]
    if not trials:
        return "no delimiter stands in most of its lines"
    best = max(trials, key=lambda trial: trial.share)
    if _is_prose(best):
        return "it is prose: commas between long stretches of words"
    widths = sorted({len(record.cells) for record in best.records if record.cells})
    shown = f"{widths[0]} to {widths[-1]} fields" if len(widths) > 1 else f"{widths[0]} fields"
    return f"no delimiter cuts its lines into equally many fields (with {best.style.delimiter!r}: {shown})"


@dataclass(frozen=True, slots=True)
class _Trial:
    """One way to cut the lines, and how well it does.

    Attributes:
        share: of the records that have `width` cells. clean: how much the cells look like values, 0..1.
        strays: quotation marks that stand where they should not.
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
        return self.share**2 * self.clean * (1 - 1 / (self.width + 0.5)) if self.width else 0.0

    def rows(self) -> list[list[str]]:
        """Return the cells of the records that have the usual width."""
        return [record.cells for record in self.records if record.cells and len(record.cells) == self.width]


def _try(lines: Sequence[str], style: Style, most: int = _TRIED) -> _Trial:
    records = []
    for record in read_records(iter(lines), style):
        records.append(record)
        if len(records) >= most:
            break
    widths = Counter(len(record.cells) for record in records if record.cells)
    filled = sum(1 for record in records if record.cells is None or record.cells)
    if not widths:
        return _Trial(style, tuple(records), 0, 0.0, 0.0, 0)
    width, count = max(widths.items(), key=lambda item: (item[1], item[0]))
    strays = sum(record.is_sloppy or bool(record.problem) for record in records)
    trial = _Trial(style, tuple(records), width, _share(records, width, count, filled), 0.0, strays)
    return replace(trial, clean=_cleanness(trial))


def _share(records: Sequence[Record], width: int, count: int, filled: int) -> float:
    """Return the share of records with that width; lines above the first and below the last do not count."""
    if count < 0.5 * filled:
        return count / filled
    usual = [record.cells is not None and len(record.cells) == width for record in records]
    inner = records[usual.index(True) : len(usual) - usual[::-1].index(True)]
    return count / sum(1 for record in inner if record.cells is None or record.cells)


def _cleanness(trial: _Trial) -> float:
    """Return how much the cells look like values and not like pieces of something else."""
    others = [other for other in _COMMON if other != trial.style.delimiter]
    cells = [cell for row in trial.rows()[:100] for cell in row]
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


def _choose(body: Sequence[str], suffix: str) -> _Trial | None:
    """Return the best way to cut the lines, None if no way makes a table of them."""
    trials = [trial for delimiter in _present(body, _COMMON) if (trial := _best_quoting(body, delimiter))]
    good = [trial for trial in trials if trial.width >= 2 and trial.share >= _MOST]
    best = max(good, key=lambda trial: trial.score, default=None)
    if best and best.clean >= _LEAST_CLEAN and not _is_prose(best):
        if best.style.delimiter == ",":
            best = _unless_blanks(body, best)
        if suffix in TABLE_SUFFIXES or best.style.is_blank_separated or _is_surely_table(best):
            return best
    rare = _rare(body, suffix)
    if rare:
        return rare
    return _single(body, trials) if suffix in TABLE_SUFFIXES else None


def _unless_blanks(body: Sequence[str], best: _Trial) -> _Trial:
    """Decimal commas between blanks are no delimiters."""
    if best.clean >= _MOST or " " not in body[0]:
        return best
    blank = _blanks(body, "")
    return blank if blank and blank.score > best.score else best


def _present(body: Sequence[str], delimiters: Sequence[str]) -> Iterator[str]:
    """Yield the delimiters that stand in many of the first lines."""
    few = [line for line in body[:200] if line.strip()]
    text = "".join(few)
    for delimiter in delimiters:
        if delimiter in "|:" and _is_doubled(text, delimiter):
            continue  # half of another delimiter
        if sum(delimiter in line for line in few) >= 0.4 * len(few):
            yield delimiter


def _is_doubled(text: str, delimiter: str) -> bool:
    """The character hardly ever stands alone."""
    return text.replace(delimiter * 2, "").count(delimiter) < 0.1 * text.count(delimiter * 2)


def _best_quoting(body: Sequence[str], delimiter: str) -> _Trial | None:
    """Try the ways in which quotation marks may be meant; the plainest of the best ones wins."""
    text = "".join(body[:_TRIED])
    styles = [Style(delimiter)] if len(delimiter) == 1 else [Style(delimiter, quote="")]
    if len(delimiter) == 1 and '"' in text:
        if re.search(rf'{re.escape(delimiter)} +"', text):
            styles.append(Style(delimiter, skip_blanks=True))
        if '\\"' in text:
            styles.append(Style(delimiter, escape="\\"))
        styles.append(Style(delimiter, quote=""))
    if len(delimiter) == 1 and "'" in text and _are_single_quoted(text, delimiter):
        styles.append(Style(delimiter, quote="'"))
    trials = [_try(body, style) for style in styles]
    best = trials[0]
    for trial in trials[1:]:
        wins = trial.strays < best.strays and trial.share >= best.share - 0.02
        if trial.style.quote == "'":
            wins = trial.strays == 0 and trial.share >= best.share
        if wins or (trial.share > best.share + 0.05 and trial.strays <= best.strays):
            best = trial
    return best


def _are_single_quoted(text: str, delimiter: str) -> bool:
    """Nearly every `'` begins or ends a cell."""
    bound = re.escape(delimiter) + r"\r\n"
    opening = len(re.findall(rf"(?:^|[{bound}])'", text))
    closing = len(re.findall(rf"'(?:[{bound}]|$)", text))
    inside = len(re.findall(rf"[^{bound}]'[^{bound}]", text))
    return opening >= 2 and abs(opening - closing) <= 0.1 * opening and inside <= 0.3 * opening


def _is_prose(trial: _Trial) -> bool:
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
    return (words >= _PROSE_WORDS or are_sentences) and spaced >= _NEARLY_ALL * len(later)


def _is_surely_table(trial: _Trial) -> bool:
    """Prose has commas too: without a telling name, ask for many equal rows of short cells."""
    rows = trial.rows()
    if len(rows) < 2 or (trial.width == 2 and trial.style.delimiter != "\t"):
        return False
    cells = [cell for row in rows for cell in row]
    if trial.style.delimiter == "," and sum(len(cell.split()) <= 1 for cell in cells) < 0.5 * len(cells):
        return False
    long_cells = sum(len(cell.split()) > 8 for cell in cells)
    return trial.share >= _NEARLY_ALL and long_cells < 0.2 * len(cells)


def _rare(body: Sequence[str], suffix: str) -> _Trial | None:
    """Try rarer delimiters, blanks and fixed widths; each must fit nearly all lines."""
    if _are_typed_lines(body):
        return None
    least = 2 if suffix in TABLE_SUFFIXES else 3
    found = [trial for delimiter in _present(body, _RARE) if (trial := _best_quoting(body, delimiter))]
    found = [
        trial
        for trial in found
        if trial.width >= least
        and trial.share >= _MANY
        and len(trial.rows()) >= 2
        and not _is_prose(trial)
        and (trial.style.delimiter != ":" or trial.clean > _NEARLY_ALL)
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


def _blanks(body: Sequence[str], suffix: str) -> _Trial | None:
    """Numbers between blanks: every row has equally many cells, and half of the columns are numbers."""
    trial = _try(body, Style(" "))
    rows = trial.rows()
    filled = sum(1 for record in trial.records if record.cells)
    if trial.width < 2 or len(rows) < _NEARLY_ALL * filled or len(rows) < 2 or trial.strays:
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


def _fixed(body: Sequence[str]) -> _Trial | None:
    """Columns of fixed width: the same places are blank in every line, two at least between columns."""
    lines = [line.rstrip("\r\n") for line in body if line.strip()][:_TRIED]
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
    trial = _try(body, Style("", quote="", spans=(*places, (spans[-1][0], None))))
    rows = trial.rows()[1:]
    cells = [[row[at] for row in rows] for at in range(trial.width)] if rows else []
    filled = all(sum(map(bool, column)) >= 0.5 * len(column) for column in cells)
    numeric = any(
        sum(bool(c and DATA_CELL.fullmatch(c)) for c in column) >= 0.8 * len(column) for column in cells
    )
    if not (filled and numeric and trial.share == 1.0):
        return None
    return replace(trial, notes=("columns of fixed width, read at " + _shown(trial.style.spans),))


def _shown(spans: Sequence[tuple[int, int | None]]) -> str:
    return ", ".join(f"{start + 1}-{end or ''}" for start, end in spans)


def _single(body: Sequence[str], trials: Sequence[_Trial]) -> _Trial | None:
    """Take lines that no delimiter cuts alike as one column, unless they are rows of any length or prose."""
    plain = _try(body, Style(","))
    first = next(line for line in body if line.strip())
    if len(plain.records) == 1 and len(first) > _LONG_NAME:
        return None
    if plain.width == 1 and plain.share == 1.0:
        return plain
    cut = max(trials, key=lambda trial: trial.share, default=None)
    lines = [line for line in body[:_TRIED] if line.strip()]
    if any(delimiter in first for delimiter in _COMMON) or len(lines) < 2:
        return None
    if cut is not None and (_are_ragged(lines) or _is_prose(cut)):
        return None
    whole = _try(body, Style("\x1f"))
    return replace(whole, notes=("one column: no delimiter cuts its lines into equally many cells",))


def _are_ragged(lines: Sequence[str]) -> bool:
    """Lists without blanks after the commas, of any length: rows that no table holds."""
    tight = sum(bool(re.search(r"[^\s,;|],[^\s,;|]|;\S|\t|\|", line)) for line in lines)
    return tight > 0.3 * len(lines)


def _finish(lines: Sequence[str], trial: _Trial, mark: str, suffix: str) -> Dialect | None:
    """Cut all sample lines in the way found, and find the header among them."""
    comment, comments_rows, named = _comments(lines, trial, mark)
    draft = Dialect(trial.style, trial.width, (), comment=comment, comments_rows=comments_rows)
    records: list[Record] = []
    for record in read_records(iter(lines), trial.style, width=trial.width, is_comment=draft.is_comment):
        if record.cells is not None or record.line == named:
            cells = trial.style.split(record.text[0]) if record.line == named else record.cells
            records.append(replace(record, cells=cells))
        if len(records) >= _SAMPLE:
            break
    header = find_header(records, trial.width, told=named)
    return _with_header(draft, header, trial) if header else None


def _with_header(draft: Dialect, header: Header, trial: _Trial) -> Dialect:
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
        notes=tuple(notes),
    )


def _comments(lines: Sequence[str], trial: _Trial, mark: str) -> tuple[str, bool, int]:
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


def _looks_named(trial: _Trial) -> bool:
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
