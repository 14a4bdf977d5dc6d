"""The PDF report: paper for people without notebooks; needs no LaTeX, browser, system font or network.

Text is set in DejaVu, which comes with matplotlib. What does not belong here: how rich text flows
(`pdf_flow`), and what the report says (`outline`).
"""

from __future__ import annotations

import datetime as dt
import logging
from pathlib import Path
from typing import cast

import matplotlib as mpl
from fpdf import FPDF
from fpdf.enums import XPos, YPos

from lakebook.report.outline import Code, Prose, ReportOutline
from lakebook.report.outputs import Output
from lakebook.report.pdf_flow import Flow, Run
from lakebook.report.pdf_tables import ACCENT, BAD, GOOD, INK, LINE, SOFT, draw_grid

MARGIN = 22.0
# The same inputs give the same bytes, so the file cannot say when it was made.
_DATE = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
_FACES = {
    "Sans": {"": "Sans", "B": "Sans-Bold", "I": "Sans-Oblique", "BI": "Sans-BoldOblique"},
    "Mono": {"": "SansMono", "B": "SansMono-Bold"},
}


class Paper(FPDF):  # type: ignore[misc]
    """A4 pages with the title and the page number at the foot."""

    def __init__(self, title: str) -> None:
        super().__init__(format="A4")
        folder = Path(mpl.get_data_path()) / "fonts" / "ttf"
        for family, styles in _FACES.items():
            for style, name in styles.items():
                self.add_font(family, style, folder / f"DejaVu{name}.ttf")
        self.running_title = title if len(title) < 80 else title[:79] + "…"
        self.set_creation_date(_DATE)
        self.set_title(title)
        self.set_creator("Lakebook")
        self.set_lang("en")
        self.set_margins(MARGIN, MARGIN, MARGIN)
        self.set_auto_page_break(True, margin=MARGIN + 4)

    def close_fonts(self) -> None:
        """Close the font files, which the library keeps open."""
        for font in self.fonts.values():
            font.ttfont.close()

    def footer(self) -> None:
        """Write the foot of a page; called by the library."""
        self.set_y(-15)
        self.set_font("Sans", "", 7.5)
        self.set_text_color(*SOFT)
        width = self.epw / 2
        left = self.l_margin
        self.set_x(MARGIN)
        self.cell(width + MARGIN - left, 5, self.running_title)
        self.cell(width, 5, f"{self.page_no()} of {{nb}}", align="R")


def write_pdf(outline: ReportOutline) -> bytes:
    """Write the report as a PDF; code is left out of our own notebooks, whose text says what it does."""
    # Characters that no font has are drawn as boxes; the library would log each of them.
    logging.getLogger("fpdf").setLevel(logging.ERROR)
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    paper = Paper(outline.title)
    try:
        _write_all(paper, outline)
        return bytes(cast(bytearray, paper.output()))
    finally:
        paper.close_fonts()


def _write_all(paper: Paper, outline: ReportOutline) -> None:
    paper.add_page()
    flow = Flow(paper)
    _write_head(paper, flow, outline)
    for block in outline.blocks:
        if isinstance(block, Prose):
            if block.role == "answer":
                _write_answer(paper, flow, block)
            else:
                flow.write(block.body, muted=block.role == "title")
        elif isinstance(block, Code):
            if block.failed or not outline.version:
                flow.code(block.source)
        else:
            _write_output(flow, block)
    if outline.claims:
        _write_claims(flow, outline)
    flow.finish_links()


def _write_head(paper: Paper, flow: Flow, outline: ReportOutline) -> None:
    kind = "Lakebook analysis" if outline.version else "Notebook report"
    flow.line(kind, size=8.5, style="B", color=ACCENT)
    flow.line(outline.title, size=21, style="B", color=INK, after=1.5)
    if outline.subtitle:
        flow.line(f"“{outline.subtitle}”", size=11.5, color=SOFT, after=3)
    count = max(len(outline.status), 1)
    width, top = paper.epw / count, paper.get_y() + 1
    paper.set_draw_color(*LINE)
    bottom = top
    for number, fact in enumerate(outline.status):
        paper.set_xy(MARGIN + number * width, top + 2)
        paper.set_font("Sans", "", 7.5)
        paper.set_text_color(*SOFT)
        paper.cell(width, 4, fact.label, new_x=XPos.LEFT, new_y=YPos.NEXT)
        paper.set_font("Sans", "B", 9)
        paper.set_text_color(*(GOOD if fact.ok else BAD if fact.ok is False else INK))
        mark = "✓ " if fact.ok else "✕ " if fact.ok is False else ""
        paper.multi_cell(width - 3, 4.6, mark + fact.value, align="L")
        bottom = max(bottom, paper.get_y())
    if outline.status:
        paper.line(MARGIN, top, MARGIN + paper.epw, top)
        paper.line(MARGIN, bottom + 2, MARGIN + paper.epw, bottom + 2)
        paper.set_xy(MARGIN, bottom + 6)


def _write_answer(paper: Paper, flow: Flow, block: Prose) -> None:
    """Set the key findings off by a bar at their left."""
    page, top = paper.page, paper.get_y()
    flow.indent(4)
    flow.write(block.body)
    flow.indent(-4)
    if paper.page == page:
        paper.set_fill_color(*ACCENT)
        paper.rect(MARGIN, top + 4, 1.1, max(paper.get_y() - top - 6, 0), style="F")
    paper.ln(2)


def _write_output(flow: Flow, output: Output) -> None:
    if output.kind == "figure":
        flow.figure(output)
    elif output.body is not None:
        flow.write(output.body)
    elif output.kind == "note":
        flow.line(output.text, size=8.5, color=SOFT)
    elif output.kind != "stderr":
        flow.code(output.text, color=BAD if output.kind == "error" else SOFT)
    if output.cut:
        flow.line(f"{output.cut}.", size=7.5, color=SOFT)


def _write_claims(flow: Flow, outline: ReportOutline) -> None:
    flow.heading("Where every number comes from", 2, "claims")
    flow.paragraph(
        [
            Run(
                "Each expression gives the shown value when it is evaluated after all cells of the notebook "
                "have run. A word such as “rises” stands for a test that must be true."
            )
        ]
    )
    rows = [["No.", "Statement", "Shown", "Expression", "Record", "Holds"]]
    for sentence in outline.sentences():
        for place, row in enumerate(sentence):
            item = row.claim.claim
            holds = {True: "yes", False: "NO", None: "–"}[row.holds]
            text = row.claim.text if place == 0 else ""
            rows.append([row.number, text, item.shown, item.expression, row.record, holds])
    draw_grid(flow.paper, rows, header_rows=1, widths=(8, 52, 22, 58, 14, 12), size=6.5, right=())
