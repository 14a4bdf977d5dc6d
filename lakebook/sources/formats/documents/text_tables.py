"""Tables in text: pipe tables, grids, ruled and aligned columns, found by their form and read line by line.

A form is either matched in every line or the table is not made, with the reason; what looks like a table
by accident stays text without a word. Each form also writes the statements that read it again.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from lakebook.sources.card import RejectedRow
from lakebook.sources.formats.documents.document_table import has_header, is_number

_UNESCAPED_PIPE = re.compile(r"(?<!\\)\|")
_PIPE_RULE = re.compile(r"\s*[|+]?\s*:?-+:?\s*([|+]\s*:?-+:?\s*)*[|+]?\s*")
# A rule between rows, as org and database clients draw it; Markdown knows none, there dashes are values.
_INNER_RULE = re.compile(r"\s*[|+]?(-+\+)+-+[|+]?\s*")
_GRID_RULE = re.compile(r"\s*\+([-=]+\+)+\s*")
_BLANK_RULE = re.compile(r"\s*(={2,}|-{2,})(\s+(={2,}|-{2,}))+\s*")
_MARKED = r"^(\*\*|__|`)((?:(?!\1).)+)\1$"
_GAP = re.compile(r"\S\s{2,}\S")
_TITLES = 4
_ALIGNED_ROWS = 4

Span = tuple[int, int | None]


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table as it stands in lines of text.

    Attributes:
        start, end: its lines, as indices; the end is not part of it.
        body: first line of data. names: None without a header.
        rows: read from the lines `numbers` (counted from 1). statements: read them from a list `lines`, which
            begins at `body`.
        problem: why it was not read, "" if it was.
    """

    start: int
    end: int
    body: int = 0
    width: int = 0
    names: tuple[str, ...] | None = None
    rows: tuple[tuple[str, ...], ...] = ()
    numbers: tuple[int, ...] = ()
    statements: tuple[str, ...] = ()
    rejected: tuple[RejectedRow, ...] = ()
    warnings: tuple[str, ...] = ()
    problem: str = ""


def find_table(lines: Sequence[str], at: int, *, aligned: bool) -> TextTable | None:
    """Return the table that begins at a line, None if none does.

    Args:
        lines: of the whole text.
        at: index of the line.
        aligned: columns that are only aligned by blanks count too (plain text).
    """
    table = _find(lines, at, aligned=aligned)
    if table is None or table.problem:
        return table
    is_layout = table.names is None and len(table.rows) < 2
    return None if is_layout or not any(map(any, table.rows)) else table


def _find(lines: Sequence[str], at: int, *, aligned: bool) -> TextTable | None:
    line = lines[at]
    following = lines[at + 1] if at + 1 < len(lines) else ""
    if "|" in line and _PIPE_RULE.fullmatch(following) and _UNESCAPED_PIPE.search(following + line):
        return _pipe_table(lines, at)
    if _GRID_RULE.fullmatch(line) and following.lstrip().startswith(("|", "+")):
        return _grid(lines, at)
    if _BLANK_RULE.fullmatch(line) and "=" in line:
        return _ruled(lines, at)
    if _BLANK_RULE.fullmatch(following) and "-" in following and line.strip():
        return _dashed(lines, at)
    return _aligned(lines, at) if aligned and _GAP.search(line) else None


# --- pipes ------------------------------------------------------------------------------------------------


def _split(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in _UNESCAPED_PIPE.split(inner)]


def _pipe_table(lines: Sequence[str], at: int) -> TextTable | None:
    """Markdown, org and psql: a header, a rule of dashes, rows; short rows are filled as Markdown does."""
    header = _split(lines[at])
    width = len(header)
    if len(re.split(r"[|+]", lines[at + 1].strip().strip("|+"))) != width:
        return None
    end = at + 2
    while end < len(lines) and _UNESCAPED_PIPE.search(lines[end]):
        end += 1
    return _of_pipes(lines, at, at + 2, end, header)


def _of_pipes(
    lines: Sequence[str], start: int, body: int, end: int, header: Sequence[str] | None
) -> TextTable | None:
    split = [(index, _split(lines[index])) for index in range(body, end)]
    split = [(index, cells) for index, cells in split if not _INNER_RULE.fullmatch(lines[index])]
    width = len(header) if header else max((len(cells) for _, cells in split), default=0)
    if not split or not width:
        return None
    long = [(index, cells) for index, cells in split if len(cells) > width and any(cells[width:])]
    fitting = [item for item in split if item not in long]
    short = sum(1 for _, cells in fitting if len(cells) < width)
    rows = [tuple((cells + [""] * width)[:width]) for _, cells in fitting]
    is_marked = any(re.match(_MARKED, cell) for row in rows for cell in row)
    rejected = tuple(
        RejectedRow(index + 1, f"{len(cells)} cells where the header has {width}", lines[index])
        for index, cells in long
    )
    verb = "row has" if short == 1 else "rows have"
    warnings = (f"{short:,} {verb} fewer cells than the header: the rest is empty",) if short else ()
    names = tuple(_unmarked(name) for name in header) if header and any(header) else None
    if not fitting:
        return TextTable(start, end, problem="no row has as many cells as the header")
    return TextTable(
        start,
        end,
        body,
        width,
        names,
        tuple(tuple(map(_unmarked, row)) for row in rows),
        tuple(index + 1 for index, _ in fitting),
        _pipe_statements(lines[body:end], width, bool(long), bool(short), is_marked),
        rejected,
        warnings,
    )


def _unmarked(cell: str) -> str:
    """Return a cell without emphasis or code marks around the whole of it."""
    return re.sub(_MARKED, r"\2", cell)


def _pipe_statements(
    lines: Sequence[str], width: int, has_long: bool, has_short: bool, is_marked: bool
) -> tuple[str, ...]:
    escaped = any("\\|" in line for line in lines)
    ruled = any(_INNER_RULE.fullmatch(line) for line in lines)
    imports = ["import re"] if escaped or ruled or is_marked else []
    inner = 'line.strip().removeprefix("|").removesuffix("|")'
    cells = f're.split(r"(?<!\\\\)\\|", {inner})' if escaped else f'{inner}.split("|")'
    unescape = '.replace("\\\\|", "|")' if escaped else ""
    kept = f' if not re.fullmatch(r"{_INNER_RULE.pattern}", line)' if ruled else ""
    statements = [
        *imports,
        f"rows = [[cell.strip(){unescape} for cell in {cells}] for line in lines{kept}]",
    ]
    if has_long:
        statements.append(f"rows = [row for row in rows if not any(row[{width}:])]")
    if has_short or any(len(_split(line)) > width for line in lines):
        statements.append(f'rows = [(row + [""] * {width})[:{width}] for row in rows]')
    if is_marked:
        statements.append(f'rows = [[re.sub(r"{_MARKED}", r"\\2", cell) for cell in row] for row in rows]')
    return tuple(statements)


# --- grids ------------------------------------------------------------------------------------------------


def _grid(lines: Sequence[str], at: int) -> TextTable | None:
    """Grid tables of reST, and what database clients print: there every line is a row."""
    end = at
    while end < len(lines) and lines[end].lstrip().startswith(("+", "|")):
        end += 1
    rules = [index for index in range(at, end) if _GRID_RULE.fullmatch(lines[index])]
    if len(rules) < 2 or rules[-1] != end - 1:
        return None
    header_rule = next((index for index in rules[1:] if "=" in lines[index]), None)
    if header_rule is None and len(rules) == 3 and rules[1] - rules[0] == 2 and rules[2] - rules[1] > 2:
        header = _split(lines[at + 1])
        if any(len(_split(lines[index])) != len(header) for index in range(rules[1] + 1, end - 1)):
            return TextTable(at, end, problem="its rows differ in the number of cells")
        printed = _of_pipes(lines, at, rules[1] + 1, end - 1, header)
        return None if printed is None else _ending(printed, end)
    spans = _cuts(lines[at], "+")
    bars = [spans[0][0] - 1, *(stop for _, stop in spans if stop is not None)]
    for index in range(at, end):
        wanted = "+" if index in rules else "|"
        if [place for place, char in enumerate(lines[index]) if char == wanted and place in bars] != bars:
            return TextTable(at, end, problem=f"cells span several columns or rows at line {index + 1:,}")
    body = (rules[0] if header_rule is None else header_rule) + 1
    groups = [
        (one + 1, lines[one + 1 : other]) for one, other in itertools.pairwise(rules) if other > one + 1
    ]
    joined = [(start, _joined(group, spans)) for start, group in groups]
    head = [cells for start, cells in joined if start < body]
    names = _stacked(head) if header_rule is not None else None
    rows = [(start, cells) for start, cells in joined if start >= body]
    if names is None and len(rows) > 1 and has_header([cells for _, cells in rows]):
        names, body = rows[0][1], rows[1][0]
        rows = rows[1:]
    if not rows:
        return None
    statements = (
        "import re",
        f"spans = {list(spans)!r}",
        'parts = re.split(r"(?m)^\\s*\\+[-+]+\\s*$", "\\n".join(lines))',
        'parts = [part.strip("\\n").split("\\n") for part in parts if part.strip()]',
        'rows = [[" ".join(line[a:b].strip() for line in part).strip() for a, b in spans] for part in parts]',
    )
    numbers = tuple(start + 1 for start, _ in rows)
    return TextTable(at, end, body, len(spans), names, tuple(cells for _, cells in rows), numbers, statements)


def _ending(table: TextTable, end: int) -> TextTable | None:
    """A printed grid has one rule more than its rows; its lines for the load code end before that."""
    if table.problem:
        return TextTable(table.start, end, problem=table.problem)
    statements = ("lines = lines[:-1]", *table.statements)
    return TextTable(
        table.start,
        end,
        table.body,
        table.width,
        table.names,
        table.rows,
        table.numbers,
        statements,
        table.rejected,
        table.warnings,
    )


def _cuts(rule: str, mark: str) -> tuple[tuple[int, int], ...]:
    places = [index for index, char in enumerate(rule) if char == mark]
    return tuple((one + 1, other) for one, other in itertools.pairwise(places))


def _joined(group: Sequence[str], spans: Sequence[Span]) -> tuple[str, ...]:
    return tuple(" ".join(line[a:b].strip() for line in group).strip() for a, b in spans)


def _stacked(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(" ".join(filter(None, cells)) for cells in zip(*rows, strict=True))


# --- columns between blanks -------------------------------------------------------------------------------


def _ruled(lines: Sequence[str], at: int) -> TextTable | None:
    """Simple tables of reST: rules of equals signs above, below and, if there is a header, under it."""
    end = _closing_rule(lines, at)
    if end is None:
        return None
    inner = [index for index in range(at + 1, end) if _is_double_rule(lines[index])]
    head = range(at + 1, inner[0]) if inner else range(0)
    body = (inner[0] if inner else at) + 1
    return _sliced(lines, (at, body, end, end + 1), head, _rule_spans(lines[at]))


def _dashed(lines: Sequence[str], at: int) -> TextTable | None:
    """A header line, a rule of dashes that shows the columns, rows up to a blank line or another rule."""
    end = at + 2
    while end < len(lines) and lines[end].strip() and not _BLANK_RULE.fullmatch(lines[end]):
        end += 1
    has_closing = end < len(lines) and bool(_BLANK_RULE.fullmatch(lines[end]))
    return _sliced(lines, (at, at + 2, end, end + has_closing), range(at, at + 1), _rule_spans(lines[at + 1]))


def _closing_rule(lines: Sequence[str], at: int) -> int | None:
    """A rule that is followed by a blank line or the end closes the table."""
    for index in range(at + 1, len(lines)):
        if _is_double_rule(lines[index]):
            if _rule_spans(lines[index]) != _rule_spans(lines[at]):
                return None
            if index + 1 >= len(lines) or not lines[index + 1].strip():
                return index
    return None


def _is_double_rule(line: str) -> bool:
    return bool(line.strip()) and set(line.strip()) <= {"=", " "}


def _rule_spans(rule: str) -> tuple[tuple[int, int], ...]:
    return tuple(match.span() for match in re.finditer(r"[=-]+", rule))


def _sliced(
    lines: Sequence[str],
    extent: tuple[int, int, int, int],
    head: range,
    columns: Sequence[tuple[int, int]],
) -> TextTable | None:
    """Read columns at fixed places; the last one is open; a blank first cell continues the row above."""
    start, body, stop, end = extent
    spans: list[Span] = [*columns[:-1], (columns[-1][0], None)]
    gaps = [(one[1], other[0]) for one, other in itertools.pairwise(columns)]
    kept = [index for index in range(body, stop) if lines[index].strip()]
    for index in (*head, *kept):
        if lines[index].strip().startswith("--"):
            return TextTable(start, end, problem=f"a header spans several columns (line {index + 1:,})")
        if any(lines[index][a:b].strip() for a, b in gaps):
            return TextTable(start, end, problem=f"a cell runs over its column at line {index + 1:,}")
    rows: list[list[str]] = []
    numbers = []
    for index in kept:
        cells = [lines[index][a:b].strip() for a, b in spans]
        if cells[0] or not rows:
            rows.append(cells)
            numbers.append(index + 1)
        else:
            rows[-1] = [f"{one} {other}".strip() for one, other in zip(rows[-1], cells, strict=True)]
    if not rows:
        return None
    names = _stacked([[lines[index][a:b].strip() for a, b in spans] for index in head]) if head else None
    return TextTable(
        start,
        end,
        body,
        len(spans),
        names,
        tuple(map(tuple, rows)),
        tuple(numbers),
        _slice_statements(spans, stop - body, end - body, len(rows) < len(kept)),
    )


def _slice_statements(spans: Sequence[Span], count: int, total: int, continued: bool) -> tuple[str, ...]:
    taken = f"lines[:{count}]" if count < total else "lines"
    cells = "[line[a:b].strip() for a, b in spans]"
    first = (f"spans = {list(spans)!r}",)
    if not continued:
        return (*first, f"rows = [{cells} for line in {taken} if line.strip()]")
    loop = [
        f"for line in {taken}:",
        f"    cells = {cells}",
        "    if cells[0] or not rows:",
        "        rows.append(cells)",
        "    else:  # goes on with the row above",
        '        rows[-1] = [f"{one} {other}".strip() for one, other in zip(rows[-1], cells)]',
    ]
    return (*first, "rows = []", "\n".join(loop))


def _aligned(lines: Sequence[str], at: int) -> TextTable | None:
    """Columns that only blanks set apart: a header, then rows without a gap, one column all numbers."""
    if _is_deep(lines, at):
        return None
    end = at
    while end < len(lines) and _GAP.search(lines[end].rstrip()):
        end += 1
    block = [line.expandtabs() for line in lines[at:end]]
    if len(block) < _ALIGNED_ROWS or block != [line.rstrip("\r") for line in lines[at:end]]:
        return None
    columns = _columns(block)
    if len(columns) < 2:
        return None
    cells = [[line[a:b].strip() for a, b in columns] for line in block]
    body = cells[1:]
    is_clear = (
        all(map(all, body))
        and all(cells[0][1:])  # the corner may be blank
        and not any(map(is_number, cells[0]))
        and any(all(is_number(row[at]) for row in body) for at in range(len(columns)))
        and not any(re.search(r"\s{2,}", cell) for row in cells for cell in row)
    )
    if not is_clear:
        return None
    return _sliced(lines, (at, at + 1, end, end), range(at, at + 1), columns)


def _is_deep(lines: Sequence[str], at: int) -> bool:
    """Some lines above the header may have gaps too; further down nothing begins, nor is looked for."""
    above = lines[max(0, at - _TITLES) : at]
    return len(above) == _TITLES and all(_GAP.search(line.rstrip()) for line in above)


def _columns(block: Sequence[str]) -> list[tuple[int, int]]:
    """Return the stretches of text between places that are blank in every line, for two places or more."""
    width = max(map(len, block))
    is_blank = [all(len(line) <= place or line[place] == " " for line in block) for place in range(width)]
    blanks = "".join("." if blank else "x" for blank in is_blank)
    return [match.span() for match in re.finditer(r"x(?:x|\.(?!\.))*", blanks)]
