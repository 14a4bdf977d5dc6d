"""Rich text on paper: paragraphs, lists, quotations, code, pictures of a safe tree, page after page."""

from __future__ import annotations

import base64
import io
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from fpdf import FPDF
from fpdf.enums import XPos, YPos
from fpdf.errors import FPDFException
from PIL import Image, UnidentifiedImageError

from lakebook.report.outputs import Output, read_output
from lakebook.report.pdf_tables import (
    ACCENT,
    INK,
    LINE,
    PALE,
    SOFT,
    WARN,
    Color,
    breakable,
    draw_grid,
    number_columns,
    table_grid,
)
from lakebook.report.richtext import BLOCKS, Element

_BODY, _LEADING = 9.5, 5.0
_PIXELS_PER_MM = 100 / 25.4
# A picture that is not a tall one takes less than half of a page.
_TALLEST = 0.42
_BROKEN_PICTURE = (
    FPDFException,
    UnidentifiedImageError,
    OSError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    NotImplementedError,
    IndexError,
)
_HEADINGS = {1: 17.0, 2: 14.0, 3: 11.0, 4: 10.0, 5: 9.5, 6: 9.5}


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of text in one style."""

    text: str
    bold: bool = False
    italic: bool = False
    code: bool = False
    raised: bool = False
    href: str = ""


class Flow:
    """Writes rich text from the top of a page to the bottom of the last one."""

    def __init__(self, paper: FPDF) -> None:
        self.paper: Any = paper
        self._links: dict[str, int] = {}
        self._reached: set[str] = set()
        self._color = INK

    def indent(self, width: float) -> None:
        """Move the left margin; call with the negative width to move it back."""
        self.paper.set_left_margin(self.paper.l_margin + width)
        self.paper.set_x(self.paper.l_margin)

    def line(
        self, text: str, *, size: float = _BODY, style: str = "", color: Color = INK, after: float = 1.0
    ) -> None:
        """Write a text in one style over the whole width."""
        self.paper.set_font("Sans", style, size)
        self.paper.set_text_color(*color)
        self.paper.multi_cell(0, size * 0.5, text, align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.paper.ln(after)

    def heading(self, text: str, level: int, target: str = "") -> None:
        """Write a heading, with enough of the page left for what follows it."""
        size = _HEADINGS[level]
        self.paper.ln(4 if level <= 2 else 2)
        if self.paper.will_page_break(size * 0.5 + 32):
            self.paper.add_page()
        if target:
            self.paper.set_link(self._link(target), y=self.paper.get_y(), page=self.paper.page)
            self._reached.add(target)
        if level <= 2:
            self.paper.start_section(text, level=0, strict=False)
        self.line(text, size=size, style="B", after=1.5)

    def _link(self, target: str) -> int:
        if target not in self._links:
            self._links[target] = self.paper.add_link()
        return self._links[target]

    def finish_links(self) -> None:
        """Point links whose place is not in this format at the first page."""
        for target, link in self._links.items():
            if target not in self._reached:
                self.paper.set_link(link, page=1)

    def write(self, body: Element, *, muted: bool = False) -> None:
        """Write a safe tree."""
        self._color = SOFT if muted else INK
        self._children(body)
        self._color = INK

    def _children(self, element: Element, lead: str = "") -> None:
        """Write what is inside an element: runs of inline content as paragraphs, blocks one by one."""
        inline: list[Element | str] = []
        for child in element.children:
            if isinstance(child, Element) and child.tag in BLOCKS:
                lead = self._inline(inline, lead)
                inline = []
                if child.tag == "p":
                    lead = self._inline(child.children, lead)
                else:
                    lead = self._inline([], lead)
                    self._block(child)
            else:
                inline.append(child)
        self._inline(inline, lead)

    def _inline(self, children: Sequence[Element | str], lead: str) -> str:
        """Write inline content as one paragraph; `lead` is the bullet before it, used up by then."""
        pictures = [child for child in children if isinstance(child, Element) and child.find("img")]
        runs = [run for child in children for run in _runs(child, Run(""))]
        if any(run.text.strip() for run in runs):
            self.paragraph(runs, lead)
            lead = ""
        for element in (*pictures, *(c for c in children if isinstance(c, Element) and c.tag == "img")):
            for picture in [element] if element.tag == "img" else element.find("img"):
                self._picture(picture)
        return lead

    def _picture(self, element: Element) -> None:
        mime, _, data = element.attributes["src"].removeprefix("data:").partition(";base64,")
        content = base64.b64decode(data).decode("utf-8", "replace") if mime == "image/svg+xml" else data
        output = read_output(
            {"output_type": "display_data", "data": {mime: content}}, element.attributes.get("alt", "")
        )
        if output is not None:
            self.figure(output)

    def figure(self, output: Output) -> None:
        """Place a picture at its natural size, made to fit; on the next page if this one has no room."""
        try:
            width, height = self._fitted(output)
            if self.paper.will_page_break(height + 8):
                self.paper.add_page()
            left = self.paper.l_margin + (self.paper.epw - width) / 2
            with warnings.catch_warnings():
                # Vector pictures that are a little incomplete are drawn all the same.
                warnings.simplefilter("ignore")
                self.paper.image(
                    io.BytesIO(output.data),
                    x=left,
                    w=width,
                    h=height,
                    alt_text=output.alt,
                    keep_aspect_ratio=True,
                )
        except _BROKEN_PICTURE as error:
            name = f"Figure {output.number}" if output.number else "A picture"
            self.line(f"{name} cannot be drawn here ({type(error).__name__}).", size=8.5, color=SOFT)
            return
        self.paper.ln(1)
        if output.number:
            self.line(f"Figure {output.number}", size=7.5, color=SOFT, after=3)

    def _fitted(self, output: Output) -> tuple[float, float]:
        """Return the size in mm: natural for 100 dots an inch, smaller if it would not fit."""
        if output.mime == "image/svg+xml":
            return float(self.paper.epw), float(self.paper.epw) * 0.55
        with Image.open(io.BytesIO(output.data)) as picture:
            width, height = picture.width / _PIXELS_PER_MM, picture.height / _PIXELS_PER_MM
        tallest = _TALLEST * self.paper.eph if height < 1.5 * width else 0.8 * self.paper.eph
        scale = min(1.0, self.paper.epw / width, tallest / height)
        return width * scale, height * scale

    def _block(self, element: Element) -> None:
        tag = element.tag
        if tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            self.heading(" ".join(element.text().split()), int(tag[1]), element.attributes.get("id", ""))
        elif tag in ("ul", "ol"):
            self._list(element)
        elif tag == "blockquote":
            self._quotation(element)
        elif tag == "pre":
            self.code(element.text())
        elif tag == "table":
            self._table(element)
        elif tag == "hr":
            self._rule()
        else:
            self._children(element)

    def _rule(self) -> None:
        y = self.paper.get_y() + 2
        self.paper.set_draw_color(*LINE)
        self.paper.line(self.paper.l_margin, y, self.paper.l_margin + self.paper.epw, y)
        self.paper.ln(5)

    def _list(self, element: Element) -> None:
        items = [child for child in element.children if isinstance(child, Element) and child.tag == "li"]
        first = int(element.attributes.get("start", "1"))
        for number, item in enumerate(items, start=first):
            self.indent(6)
            self._children(item, lead=f"{number}." if element.tag == "ol" else "•")
            self.indent(-6)

    def _quotation(self, element: Element) -> None:
        page, top = self.paper.page, self.paper.get_y()
        self.indent(5)
        self._children(element)
        self.indent(-5)
        if self.paper.page == page:
            self.paper.set_fill_color(*WARN)
            height = max(self.paper.get_y() - top - 2, 0)
            self.paper.rect(self.paper.l_margin + 1, top, 0.8, height, style="F")

    def paragraph(self, runs: Sequence[Run], lead: str = "") -> None:
        """Write runs as one paragraph, with a bullet or number to the left of it if there is one."""
        if lead:
            self.paper.set_font("Sans", "", _BODY)
            self.paper.set_text_color(*SOFT)
            self.paper.set_x(self.paper.l_margin - 6)
            self.paper.cell(6, _LEADING, lead)
        for run in _trimmed(runs):
            style = ("B" if run.bold else "") + ("I" if run.italic and not run.code else "")
            self.paper.set_font("Mono" if run.code else "Sans", style, _BODY - (0.8 if run.code else 0))
            self.paper.set_text_color(*(ACCENT if run.href and not run.raised else self._color))
            if run.raised:
                self._raised(run)
            else:
                self.paper.write(_LEADING, breakable(run.text), self._destination(run.href))
        self.paper.ln(_LEADING + 1.6)

    def _raised(self, run: Run) -> None:
        """Write a raised number whole: it may hang over the margin, but is not broken in two."""
        paper = self.paper
        width = paper.get_string_width(run.text) * paper.sup_scale
        paper.char_vpos = "SUP"
        paper.cell(width + 2 * paper.c_margin, _LEADING, run.text, link=self._destination(run.href))
        paper.char_vpos = "LINE"
        # `write` sets its text one margin right of the position, and expects the next one to do so too.
        paper.set_x(paper.get_x() - 2 * paper.c_margin)

    def _destination(self, href: str) -> int | str:
        if href.startswith("#"):
            return self._link("claims" if href.startswith("#claim-") else href[1:])
        return href if href.startswith(("http://", "https://", "mailto:")) else ""

    def code(self, text: str, color: Color = INK) -> None:
        """Write text in fixed width on a pale ground."""
        self.paper.set_font("Mono", "", 7.2)
        self.paper.set_text_color(*color)
        self.paper.set_fill_color(*PALE)
        plain = text.rstrip("\n").expandtabs(4)
        self.paper.multi_cell(
            0, 3.9, plain, align="L", fill=True, padding=2, new_x=XPos.LMARGIN, new_y=YPos.NEXT
        )
        self.paper.ln(2.5)

    def _table(self, element: Element) -> None:
        rows, header_rows = table_grid(element)
        if rows:
            draw_grid(self.paper, rows, header_rows=header_rows, right=number_columns(rows, header_rows))
            self.paper.ln(2)


def _runs(node: Element | str, style: Run) -> list[Run]:
    if isinstance(node, str):
        return [replace(style, text=" ".join(f"|{node}|".split())[1:-1])] if node else []
    if node.tag == "br":
        return [replace(style, text="\n")]
    changes: dict[str, Any] = {
        "strong": {"bold": True},
        "b": {"bold": True},
        "em": {"italic": True},
        "i": {"italic": True},
        "code": {"code": True},
        "kbd": {"code": True},
        "sup": {"raised": True},
        "a": {"href": node.attributes.get("href", "")},
    }
    inner = replace(style, **changes.get(node.tag, {}))
    return [run for child in node.children for run in _runs(child, inner)]


def _trimmed(runs: Sequence[Run]) -> list[Run]:
    """Drop white space at both ends of a paragraph and double space between runs."""
    kept: list[Run] = []
    for run in runs:
        text = run.text.lstrip(" ") if not kept or kept[-1].text.endswith((" ", "\n")) else run.text
        if text:
            kept.append(replace(run, text=text))
    for place in range(len(kept) - 1):
        # A line must not begin with the full stop after a raised number.
        mark, rest = kept[place], kept[place + 1]
        stop = re.match(r"[.,;:)]+", rest.text)
        if mark.raised and stop and place:
            kept[place - 1] = replace(kept[place - 1], text=kept[place - 1].text + stop.group())
            kept[place + 1] = replace(rest, text=rest.text[stop.end() :])
    if kept:
        kept[-1] = replace(kept[-1], text=kept[-1].text.rstrip())
    return kept
