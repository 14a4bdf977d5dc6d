"""Tables on paper, and the colours that everything on paper shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fpdf.enums import XPos, YPos
from fpdf.fonts import FontFace

from lakebook.report.richtext import Element

Color = tuple[int, int, int]
INK: Color = (28, 36, 48)
SOFT: Color = (86, 96, 110)
LINE: Color = (214, 219, 225)
ACCENT: Color = (0, 103, 165)
GOOD: Color = (10, 122, 85)
BAD: Color = (179, 54, 11)
WARN: Color = (168, 100, 0)
PALE: Color = (243, 245, 247)

_LONGEST_CELL = 300
_LONGEST_WORD = 60
_BLANKS = ("", "NaN", "None", "–", "-")


def breakable(text: str) -> str:
    """Put a break into words that are longer than a line."""
    return " ".join(
        word
        if len(word) <= _LONGEST_WORD
        else " ".join(word[start : start + _LONGEST_WORD] for start in range(0, len(word), _LONGEST_WORD))
        for word in text.split(" ")
    )


def table_grid(table: Element) -> tuple[list[list[str]], int]:
    """Return the table as rows of equal length, and how many of them are header rows."""
    rows: list[list[str]] = []
    headers = 0
    held: dict[tuple[int, int], str] = {}
    for position, row in enumerate(table.find("tr")):
        line: list[str] = []
        cells = [child for child in row.children if isinstance(child, Element) and child.tag in ("td", "th")]
        for cell in cells:
            while (position, len(line)) in held:
                line.append(held.pop((position, len(line))))
            for down in range(1, min(int(cell.attributes.get("rowspan", "1")), 200)):
                held[position + down, len(line)] = ""
            wide = min(int(cell.attributes.get("colspan", "1")), 100)
            line += [" ".join(cell.text().split()), *[""] * (wide - 1)]
        if cells and all(cell.tag == "th" for cell in cells) and headers == position:
            headers += 1
        rows.append(line)
    width = max((len(line) for line in rows), default=0)
    return [line + [""] * (width - len(line)) for line in rows if width], headers


def number_columns(rows: Sequence[Sequence[str]], header_rows: int) -> tuple[int, ...]:
    """Return the columns that hold nothing but numbers, which stand at the right."""

    def is_number(text: str) -> bool:
        digits = text.strip("-+%$€£ ").replace(",", "").replace(".", "")
        return text in _BLANKS or digits.isdigit()

    body = rows[header_rows:]
    return tuple(n for n in range(len(rows[0])) if body and all(is_number(row[n]) for row in body))


def draw_grid(
    paper: Any,
    rows: Sequence[Sequence[str]],
    *,
    header_rows: int = 0,
    widths: Sequence[float] = (),
    size: float = 7.5,
    right: Sequence[int] = (),
) -> None:
    """Draw a table with hairlines; columns that do not fit on the page are left out, and this is said."""
    paper.set_font("Sans", "", size)
    paper.set_text_color(*INK)
    paper.set_draw_color(*LINE)
    paper.set_fill_color(255)
    short = [[_shortened(text) for text in row] for row in rows]
    wished = list(widths) or _natural_widths(paper, short)
    fitting = len(wished)
    if not widths:
        while fitting > 1 and sum(wished[:fitting]) > paper.epw:
            fitting -= 1
    total = min(sum(wished[:fitting]), paper.epw)
    with paper.table(
        col_widths=tuple(wished[:fitting]),
        width=total,
        align="L",
        text_align=tuple("RIGHT" if n in right else "LEFT" for n in range(fitting)),
        borders_layout="HORIZONTAL_LINES",
        line_height=size * 0.52,
        padding=(0.7, 1.2),
        num_heading_rows=header_rows,
        first_row_as_headings=header_rows > 0,
        headings_style=FontFace(emphasis="BOLD", color=SOFT),
    ) as table:
        for line in short:
            row = table.row()
            for text in line[:fitting]:
                row.cell(breakable(text))
    if fitting < len(wished):
        paper.set_font("Sans", "", 7)
        paper.set_text_color(*SOFT)
        note = f"{len(wished) - fitting} of {len(wished)} columns do not fit on the page."
        paper.multi_cell(0, 4, note, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
    paper.ln(1.5)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_CELL else text[: _LONGEST_CELL - 1] + "…"


def _natural_widths(paper: Any, rows: Sequence[Sequence[str]]) -> list[float]:
    """Return the width that each column asks for: its longest text, at most a third of the page."""
    columns = range(len(rows[0]))
    asked = [max(paper.get_string_width(row[n]) for row in rows) * 1.06 + 4.5 for n in columns]
    return [min(max(width, 9.0), paper.epw / 3) for width in asked]
