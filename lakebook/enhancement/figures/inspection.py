"""Looking at the open figures as a reader would, and mending what can be mended, where they are drawn.

A mend is kept if its objection is gone and no new one has come; else it is taken back by drawing anew without
it, which the caller does. This module and what it imports run in the sandbox, sent as
text by `shipment`. Paper: NotebookRAG §4.2.4.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Sequence
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from lakebook.analyst.figure_lint import FigureFinding, lint
from lakebook.analyst.figure_lint.data import data_findings, name_findings
from lakebook.analyst.methods.drawn import drawn_figure, drawn_panels
from lakebook.analyst.methods.figure_mends import bars_for_wedges, keep_longest
from lakebook.enhancement.figures.mends import MENDS, Subject

_SERIOUS = ("error", "warning")
MOST_PANELS = 25
SINGLY = "singly"


def inspect_figures(
    frame: pd.DataFrame, skip: Collection[str] = (), shown: Sequence[dict[str, Any]] = ()
) -> dict[str, Any]:
    """Check every open figure, and the data of those `shown` in a browser; return what was found and done.

    The open ones are mended, but for the checks to `skip`.

    Returns:
        `findings`: lists of check, message, level, place in the drawn data, mended or not. `mends`: lists of
        the check, the kind of repair, the lines. `refused`: what made things worse, a check or all at once
        (`SINGLY`); then the figures have to be drawn anew with that in `skip`.
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
            found, made, worse = _mended(figure, name, frame, skip)
            findings += [
                [f.check, f.message, f.level, f.axes + first if f.axes >= 0 else -1, f.mended] for f in found
            ]
            mends += made
            refused += worse
        first += panels
    for one in (*data_findings(shown), *name_findings(shown)) if shown else ():
        findings.append([one.check, one.message, one.level, one.axes + first if one.axes >= 0 else -1, False])
    return {"findings": findings, "mends": mends, "refused": refused}


def _mended(
    figure: Figure, name: str, frame: pd.DataFrame, skip: Collection[str]
) -> tuple[list[FigureFinding], list[list[Any]], list[str]]:
    """Mend one figure; return the objections, the mends kept, and what is to be drawn anew without."""
    first = lint(figure, grows=True)
    if SINGLY in skip:
        now, kept, refused = _one_by_one(figure, name, frame, first, skip)
    else:
        now, kept, refused = _at_once(figure, name, frame, first, skip)
    if refused:
        return list(first), [], refused
    gone = [finding for finding in first if not _still(finding, now)]
    mended = [FigureFinding(f.check, f.message, f.level, f.axes, mended=True) for f in gone]
    return [*mended, *now], kept, []


def _at_once(
    figure: Figure, name: str, frame: pd.DataFrame, first: Sequence[FigureFinding], skip: Collection[str]
) -> tuple[Sequence[FigureFinding], list[list[Any]], list[str]]:
    """Take the first mend of every check and look once: most often that is all that it takes."""
    kept: list[list[Any]] = []
    for check, (kind, propose) in MENDS.items():
        mine = _serious(check, first)
        crowded = any(done == "L18" for done, *_ in kept)
        if not mine or check in skip or (crowded and check == "L07"):
            continue
        subject = Subject(figure, drawn_panels(figure), drawn_figure(figure), name, frame)
        if lines := next(propose(subject, mine), []):
            _run(lines)
            kept.append([check, kind, lines])
    if not kept:
        return first, [], []
    now = lint(figure, grows=True)
    well = not _worse(first, now) and all(_fewer(check, first, now) for check, *_ in kept)
    return (now, kept, []) if well else (first, [], [SINGLY])


def _one_by_one(
    figure: Figure, name: str, frame: pd.DataFrame, first: Sequence[FigureFinding], skip: Collection[str]
) -> tuple[Sequence[FigureFinding], list[list[Any]], list[str]]:
    """Try the mends of each check in turn, looking after each; stop at a check that none of them helps."""
    now = first
    kept: list[list[Any]] = []
    for check, (kind, propose) in MENDS.items():
        mine = _serious(check, now)
        if not mine or check in skip:
            continue
        subject = Subject(figure, drawn_panels(figure), drawn_figure(figure), name, frame)
        tried = False
        for lines in propose(subject, mine):
            if not lines:
                continue
            _run(lines)
            after = lint(figure, grows=True)
            tried = _worse(now, after) or not _fewer(check, now, after)
            if not tried:
                kept.append([check, kind, lines])
                now = after
                break
        if tried:
            return first, [], [check]
    return now, kept, []


def _run(lines: Sequence[str]) -> None:
    """Run lines that `mends` wrote, as they will stand in the component."""
    known = {"plt": plt, "keep_longest": keep_longest, "bars_for_wedges": bars_for_wedges}
    exec(textwrap.dedent("\n".join(lines)), known)  # noqa: S102 - our own lines, in the sandbox


def _serious(check: str, findings: Sequence[FigureFinding]) -> list[FigureFinding]:
    return [finding for finding in findings if finding.check == check and finding.level in _SERIOUS]


def _count(check: str, findings: Sequence[FigureFinding]) -> int:
    return len(_serious(check, findings))


def _fewer(check: str, before: Sequence[FigureFinding], after: Sequence[FigureFinding]) -> bool:
    return _count(check, after) < _count(check, before)


def _still(finding: FigureFinding, findings: Sequence[FigureFinding]) -> bool:
    return any(one.check == finding.check and one.axes == finding.axes for one in findings)


def _worse(before: Sequence[FigureFinding], after: Sequence[FigureFinding]) -> bool:
    """Return True if an objection has come that was not there, or one has become more frequent."""
    checks = {finding.check for finding in after if finding.level in _SERIOUS}
    return any(_count(check, after) > _count(check, before) for check in checks)
