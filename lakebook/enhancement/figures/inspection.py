"""Looking at the open figures as a reader would, and mending what can be mended, where they are drawn.

A mend is kept if its objection is gone and no new one has come; else it is taken back by drawing anew without it,
which the caller does: `refused` names it. This module and what it imports run in the sandbox, sent as text by
`shipment`. Paper: NotebookRAG §4.2.4.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Sequence
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from lakebook.analyst.figure_lint import FigureFinding, lint
from lakebook.analyst.methods.drawn import drawn_figure, drawn_panels
from lakebook.analyst.methods.figure_mends import bars_for_wedges, keep_longest
from lakebook.enhancement.figures.mends import MENDS, Subject

_SERIOUS = ("error", "warning")
MOST_PANELS = 25


def inspect_figures(frame: pd.DataFrame, allowed: Collection[str] = frozenset(MENDS)) -> dict[str, Any]:
    """Check every open figure and mend it by the checks that are `allowed` to; return what was found and done.

    Returns:
        `findings`: lists of check, message, level, place in the drawn data, mended or not. `mends`: lists of the
        check, the kind of repair, the lines. `refused`: the checks whose mends made things worse; the figures
        have to be drawn anew without them.
    """
    findings: list[list[Any]] = []
    mends: list[list[Any]] = []
    refused: list[str] = []
    first = 0
    numbers = [number for number in plt.get_fignums() if plt.figure(number).axes]
    for at, number in enumerate(numbers):
        figure = plt.figure(number)
        name = "plt.gcf()" if len(numbers) == 1 else f"plt.figure(plt.get_fignums()[{at}])"
        panels = len(drawn_panels(figure))
        if panels <= MOST_PANELS:
            found, made, worse = _mended(figure, name, frame, allowed)
            findings += [
                [f.check, f.message, f.level, f.axes + first if f.axes >= 0 else -1, f.mended] for f in found
            ]
            mends += made
            refused += worse
        first += panels
    return {"findings": findings, "mends": mends, "refused": refused}


def _mended(
    figure: Figure, name: str, frame: pd.DataFrame, allowed: Collection[str]
) -> tuple[list[FigureFinding], list[list[Any]], list[str]]:
    """Mend one figure, check by check; return the objections, the mends kept, and the checks refused."""
    now = lint(figure, grows=True)
    first = now
    kept: list[list[Any]] = []
    for check, (kind, propose) in MENDS.items():
        mine = [finding for finding in now if finding.check == check and finding.level in _SERIOUS]
        if not mine or check not in allowed:
            continue
        subject = Subject(figure, drawn_panels(figure), drawn_figure(figure), name, frame)
        tried = False
        for lines in propose(subject, mine):
            if not lines:
                continue
            tried = True
            _run(lines)
            after = lint(figure, grows=True)
            if not _worse(now, after) and _fewer(check, now, after):
                kept.append([check, kind, lines])
                now, tried = after, False
                break
        if tried:
            return list(first), kept, [check]
    left = {(finding.check, finding.axes, finding.message) for finding in now}
    gone = [f for f in first if (f.check, f.axes, f.message) not in left and not _still(f, now)]
    mended = [FigureFinding(f.check, f.message, f.level, f.axes, mended=True) for f in gone]
    return [*mended, *now], kept, []


def _run(lines: Sequence[str]) -> None:
    """Run lines that `mends` wrote, as they will stand in the component."""
    known = {"plt": plt, "keep_longest": keep_longest, "bars_for_wedges": bars_for_wedges}
    exec(textwrap.dedent("\n".join(lines)), known)  # noqa: S102 - our own lines, in the sandbox


def _count(check: str, findings: Sequence[FigureFinding]) -> int:
    return sum(finding.check == check and finding.level in _SERIOUS for finding in findings)


def _fewer(check: str, before: Sequence[FigureFinding], after: Sequence[FigureFinding]) -> bool:
    return _count(check, after) < _count(check, before)


def _still(finding: FigureFinding, findings: Sequence[FigureFinding]) -> bool:
    return any(one.check == finding.check and one.axes == finding.axes for one in findings)


def _worse(before: Sequence[FigureFinding], after: Sequence[FigureFinding]) -> bool:
    """Return True if an objection has come that was not there, or one has become more frequent."""
    checks = {finding.check for finding in after if finding.level in _SERIOUS}
    return any(_count(check, after) > _count(check, before) for check in checks)
