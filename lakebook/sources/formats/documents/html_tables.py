"""HTML pages: every table with data is a unit, the text another; layout tables are read through.

What a page is and how its text is read stands in `html_page`; types are decided by `describe`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lakebook.errors import SourceError
from lakebook.sources.card import RejectedRow
from lakebook.sources.formats.documents.document_table import (
    ASSUMED_HEADER,
    DocumentTable,
    has_header,
    is_value,
    stands_out,
    table_reading,
)
from lakebook.sources.formats.documents.html_page import (
    Element,
    blocks_of,
    encoding_of,
    page_statements,
    plain,
    read_page,
    title_of,
)
from lakebook.sources.formats.documents.passages import cut, titles
from lakebook.sources.peek import Peek
from lakebook.sources.reading import Budget, Part, Reading

PAGE_SUFFIXES = frozenset({".html", ".htm", ".xhtml", ".shtml", ".mhtml"})
# What pages are saved as by those who wanted a table, and by those who were refused one.
_DATA = ".xls .xlsx .xlsb .ods .csv .tsv .tab .txt .json .jsonl .ndjson .geojson .xml .parquet .zip .gz"
_DATA_SUFFIXES = frozenset(_DATA.split())
_ROWS = "./tr | ./thead/tr | ./tbody/tr | ./tfoot/tr"
_CELLS = "./td | ./th"
_HEADING = "preceding::*[self::h1 or self::h2 or self::h3 or self::h4 or self::h5 or self::h6][1]"
_NO_DATA = (
    'self::*[.//table or @role="presentation" or @role="none" or ancestor-or-self::*[@role="navigation"]]'
)
_WIDEST_SPAN = 1_000
_LONG_CELL = 250
_FRAGMENT = re.compile(rb"(?:\s|\xef\xbb\xbf|<!--.*?-->)*<(?:table|body|div|meta|head|center)\b", re.I | re.S)
_GRID = f'''def grid(table):
    lines, below = [], {{}}
    for row in table.xpath("{_ROWS}"):
        line = []
        for cell in [*row.xpath("{_CELLS}"), None]:
            while below.get(len(line), (0, ""))[0]:
                rest, text = below[len(line)]
                below[len(line)] = (rest - 1, text)
                line.append(text)
            if cell is not None:
                text = " ".join(cell.text_content().split())
                for _ in range(span(cell, "colspan")):
                    below[len(line)] = (span(cell, "rowspan") - 1, text)
                    line.append(text)
        lines.append(line)
    return lines'''
_SPAN = f"""def span(cell, name):
    digits = re.match(r"\\s*(\\d{{1,4}})", cell.get(name, ""))
    return min(max(int(digits[1]), 1), {_WIDEST_SPAN}) if digits else 1"""


class HtmlPage:
    """Reads HTML pages, whatever they are called."""

    format = "html"

    def can_read(self, file: Peek) -> bool:
        """Return True for pages with a page's name, or with that of data."""
        if file.suffix in PAGE_SUFFIXES:
            return file.magic in ("html", "text") or (file.magic == "xml" and _is_xhtml(file.head))
        if file.magic == "xml":
            return _is_xhtml(file.head)
        named = file.suffix in _DATA_SUFFIXES or not file.suffix
        if file.magic == "html":
            return named
        return file.magic == "text" and named and bool(_FRAGMENT.match(file.head))

    def units(self, file: Peek) -> Iterator[Part]:
        """Return the text of the page, then its tables."""
        encoding, errors, guess = encoding_of(file)
        page = read_page(file, encoding, errors)
        title = title_of(page)
        found = list(_data_tables(page))
        is_misnamed = file.suffix in _DATA_SUFFIXES
        if is_misnamed and not found:
            titled = f" titled {title!r}" if title else ""
            raise SourceError(
                f"an HTML page{titled} without a table, not what the name {file.suffix} says.",
                where=file.relative,
                hint="Download it again.",
            )
        warnings = [guess] if guess else []
        if is_misnamed:
            warnings.append(f"an HTML page, not what the name {file.suffix} says: its tables were read")
        blocks = blocks_of(page, {table.element: table.lines for table in found})
        passages = tuple(cut(blocks, "block"))
        length = sum(len(block.text) for block in blocks)
        if not is_misnamed and (length or not found):
            notes = () if length else ("there is no text in it: pages that a script draws are not read",)
            unit = "text" if found else ""
            yield Part(
                file,
                unit,
                Reading(
                    unit=unit,
                    text_length=length,
                    headings=titles(blocks),
                    passages=passages,
                    attributes=(("title", title),) if title else (),
                    encoding=encoding,
                    warnings=(*warnings, *notes),
                ),
            )
        opening = page_statements(file, encoding, errors)
        for number, table in enumerate(found, start=1):
            reading = table_reading(_document_table(table, opening), f"table {number}", encoding)
            yield Part(file, reading.unit, replace(reading, warnings=(*warnings, *reading.warnings)))

    def profile(self, part: Part, budget: Budget) -> Reading:
        """Return the unit; a page is read as a whole."""
        reading: Reading = part.content
        return reading


def _is_xhtml(head: bytes) -> bool:
    return bool(re.search(rb"<(?:\w+:)?html[\s>]", head[:2_000], re.IGNORECASE))


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of a page.

    Attributes:
        index: which one it is on the page, from 0. lines: its cells, spans filled.
        single: rows of one cell. wide: those whose cell takes several columns.
    """

    element: Element
    index: int
    lines: tuple[tuple[str, ...], ...]
    has_spans: bool
    single: frozenset[int]
    wide: frozenset[int]


def _data_tables(page: Element) -> Iterator[_Table]:
    """Yield the tables that hold data: no tables inside, two columns, cells and not paragraphs."""
    for index, element in enumerate(page.xpath("//table")):
        if element.xpath(_NO_DATA):
            continue
        rows = element.xpath(_ROWS)
        spans = any(span(cell, name) > 1 for row in rows for cell in row.xpath(_CELLS) for name in _SPANS)
        lines = grid(element) if spans else simple_grid(element)
        alone = {at: cells[0] for at, row in enumerate(rows) if len(cells := row.xpath(_CELLS)) == 1}
        wide = frozenset(at for at, cell in alone.items() if span(cell, "colspan") > 1)
        table = _Table(element, index, tuple(map(tuple, lines)), spans, frozenset(alone), wide)
        if _holds_data(table):
            yield table


_SPANS = ("colspan", "rowspan")


def span(cell: Element, name: str) -> int:
    """Return how many columns or rows a cell takes."""
    digits = re.match(r"\s*(\d{1,4})", cell.get(name, ""))
    return min(max(int(digits[1]), 1), _WIDEST_SPAN) if digits else 1


def grid(table: Element) -> list[list[str]]:
    """Return the cells of a table; a cell over several columns or rows fills them all."""
    lines: list[list[str]] = []
    below: dict[int, tuple[int, str]] = {}
    for row in table.xpath(_ROWS):
        line: list[str] = []
        for cell in [*row.xpath(_CELLS), None]:
            while below.get(len(line), (0, ""))[0]:
                rest, text = below[len(line)]
                below[len(line)] = (rest - 1, text)
                line.append(text)
            if cell is not None:
                text = plain(cell)
                for _ in range(span(cell, "colspan")):
                    below[len(line)] = (span(cell, "rowspan") - 1, text)
                    line.append(text)
        lines.append(line)
    return lines


def simple_grid(table: Element) -> list[list[str]]:
    """Return the cells of a table without spans."""
    return [[plain(cell) for cell in row.xpath(_CELLS)] for row in table.xpath(_ROWS)]


def _holds_data(table: _Table) -> bool:
    full = [line for at, line in enumerate(table.lines) if at not in table.single and len(line) > 1]
    cells = [cell for line in full for cell in line]
    filled = [cell for cell in cells if cell]
    if len(full) < 2 or len(filled) < 0.2 * len(cells) or len(filled) < 3:
        return False
    return sum(map(len, filled)) <= _LONG_CELL * len(filled)


def _document_table(table: _Table, opening: Sequence[str]) -> DocumentTable:
    element, lines = table.element, table.lines
    width = _width(table)
    start = next(at for at, line in enumerate(lines) if at not in table.single and any(line))
    padded = [(*line, *[""] * (width - len(line))) for line in lines]
    headers, assumed = _header_rows(table, start, padded)
    end = start + headers
    names = _names(padded[start:end], width) if headers else None
    above = [" ".join(dict.fromkeys(filter(None, line))) for line in lines[:start] if any(line)]
    kept: list[int] = []
    skipped: list[str] = []
    rejected: list[RejectedRow] = []
    for at in range(end, len(lines)):
        problem = _problem(table, at, width, padded[start:end])
        if problem == "too long":
            reason = f"{len(lines[at]):,} cells where the table has {width:,}"
            rejected.append(RejectedRow(at + 1, reason, " | ".join(lines[at])[:2_000]))
        elif problem:
            skipped.append(f"row {at + 1:,} ({problem}): {' '.join(dict.fromkeys(lines[at]))[:200]}")
        else:
            kept.append(at)
    warnings = [ASSUMED_HEADER] if assumed else []
    if headers > 1:
        warnings.append(f"the header takes {headers} rows; their names are joined by ' / '")
    return DocumentTable(
        width=width,
        names=names,
        rows=[padded[at] for at in kept],
        numbers=[at + 1 for at in kept],
        noun="row",
        statements=(*opening, *_statements(table, kept, end, width)),
        title=_title(element, above),
        place=f"table {table.index + 1} of the page",
        rejected=tuple(rejected),
        skipped=tuple(skipped),
        warnings=tuple(warnings),
    )


def _width(table: _Table) -> int:
    """The width of most rows; a few longer ones do not widen the table if their surplus is filled."""
    widths = sorted(len(line) for at, line in enumerate(table.lines) if at not in table.single and any(line))
    longest = widths[-1]
    usual = widths[len(widths) // 2]
    return usual if sum(width > usual for width in widths) <= 0.1 * len(widths) else longest


def _problem(table: _Table, at: int, width: int, header: Sequence[Sequence[str]]) -> str:
    """Say why a row is no row of data, "" if it is one."""
    line = table.lines[at]
    if not any(line):
        return "blank"
    if at in table.wide or (at in table.single and width > 2 and not is_value(line[0])):
        is_last = not any(
            any(later)
            for number, later in enumerate(table.lines)
            if number > at and number not in table.single
        )
        if is_last:
            return "note"
        if at in table.wide and len(set(line)) == 1:
            return "a heading between rows"
    if any(line[width:]):
        return "too long"
    return "the header again" if header and tuple(line) == tuple(header[-1][: len(line)]) else ""


def _header_rows(table: _Table, start: int, lines: Sequence[Sequence[str]]) -> tuple[int, bool]:
    """Return how many rows name the columns, and whether that is only assumed."""
    rows = table.element.xpath(_ROWS)
    count = 0
    for row in rows[start:]:
        cells = row.xpath(_CELLS)
        in_head = row.getparent().tag == "thead"
        are_heads = bool(cells) and all(cell.tag == "th" for cell in cells)
        if not (in_head or (are_heads and len(cells) > 1)) or start + count + 1 == len(rows):
            break
        count += 1
    if count:
        return count, False
    body = [line for at, line in enumerate(lines) if at >= start and at not in table.single]
    if not has_header(body):
        return 0, False
    first = rows[start].xpath(_CELLS)
    are_bold = all(not plain(cell) or cell.xpath(".//b | .//strong") for cell in first)
    are_bold = are_bold and not all(cell.xpath(".//b | .//strong") for cell in rows[-1].xpath(_CELLS))
    if stands_out(body) or are_bold:
        return 1, False
    return (1, True) if len(body[0]) > 2 else (0, False)


def _names(header: Sequence[Sequence[str]], width: int) -> tuple[str, ...]:
    """Join the names that stand above each other; what reaches over several rows is named once."""
    return tuple(
        " / ".join(dict.fromkeys(filter(None, (line[at] for line in header)))) for at in range(width)
    )


def _title(element: Element, above: Sequence[str]) -> str:
    captions = element.xpath("./caption")
    if captions and plain(captions[0]):
        return plain(captions[0])
    if above:
        return above[0]
    headings = element.xpath(_HEADING)
    return plain(headings[0]) if headings else ""


def _statements(table: _Table, kept: Sequence[int], start: int, width: int) -> list[str]:
    """Return the statements that bind `rows`, given `page`."""
    find = f'table = page.xpath("//table")[{table.index}]'
    if table.has_spans:
        statements = ["import re", f"\n{_SPAN}\n\n", f"{_GRID}\n\n", find, "lines = grid(table)"]
    else:
        statements = [
            find,
            "lines = [\n"
            f'    [" ".join(cell.text_content().split()) for cell in row.xpath("{_CELLS}")]\n'
            f'    for row in table.xpath("{_ROWS}")\n]',
        ]
    left_out = sorted(set(range(start, len(table.lines))) - set(kept))
    stop = len(table.lines)
    while left_out and left_out[-1] == stop - 1:
        stop = left_out.pop()
    taken = f"lines[{start}:{stop}]"
    pad = "" if all(len(table.lines[at]) == width for at in kept) else f' + [""] * ({width} - len(line))'
    cell = f"(line{pad})[:{width}]" if any(len(table.lines[at]) > width for at in kept) else f"line{pad}"
    if left_out:
        skip = ", ".join(str(at - start) for at in left_out)
        rows = f"rows = [{cell} for at, line in enumerate({taken}) if at not in {{{skip}}}]"
    else:
        rows = f"rows = [{cell} for line in {taken}]" if pad or cell != "line" else f"rows = {taken}"
    return [*statements, rows]
