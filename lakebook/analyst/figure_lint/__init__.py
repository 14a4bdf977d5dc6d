"""Checks on a drawn figure: what a careful reader would object to.

What belongs here: the checks of the notes (§7) by what they look at: the drawn data (`data`, for every
library that draws), texts, marks. They are made on the artists after drawing, so that a text that overlaps is
found where it overlaps and not in a specification. The package needs numpy and matplotlib only, for the
figures of old code are checked where they are drawn, in the sandbox. What does not: drawing
(`methods/figure_style`), mending (`methods/figure_mends`), and whether the title is true (claims). Paper:
NotebookRAG §4.2.4.
"""

from __future__ import annotations

from matplotlib.figure import Figure

from lakebook.analyst.figure_lint.data import data_findings
from lakebook.analyst.figure_lint.finding import FigureFinding
from lakebook.analyst.figure_lint.marks import mark_findings
from lakebook.analyst.figure_lint.texts import text_findings
from lakebook.analyst.figure_lint.view import view_of
from lakebook.analyst.methods.drawn import drawn_figure

__all__ = ["FigureFinding", "lint"]


def lint(figure: Figure, *, grows: bool = False) -> tuple[FigureFinding, ...]:
    """Lay the figure out and return every objection, sorted by the number of the check.

    Args:
        figure: any figure of matplotlib.
        grows: True if its picture will grow to hold what sticks out, as a notebook's does.
    """
    figure.draw_without_rendering()
    view = view_of(figure, grows)
    found = [*data_findings(drawn_figure(figure)), *text_findings(view), *mark_findings(view)]
    return tuple(sorted(found, key=lambda finding: (finding.check, finding.axes)))
