"""What a clause says of a correlation: its sign, its strength, its size."""

from __future__ import annotations

import numpy as np

from lakebook.enhancement.refinement import vocabulary as words
from lakebook.enhancement.refinement.clause import Clause, Unbound, agrees
from lakebook.enhancement.refinement.scene import Curve, Quantity
from lakebook.enhancement.refinement.stated import Mark

# Where strength begins, by the size of a correlation.
STRONG, MODERATE = 0.6, 0.3


def correlation(clause: Clause) -> bool:
    """Bind "A and B are strongly (negatively) correlated (r = 0.8)" to a scatter or a heat map's cell."""
    if not clause.words(words.RELATED):
        return False
    quantity, sure = _correlation_of(clause)
    way = clause.words(words.POSITIVE | words.NEGATIVE)
    for mark in way:
        positive = mark.text.casefold() in words.POSITIVE
        sign = ">" if positive else "<"
        clause.word(
            mark,
            f"bool({quantity.expression} {sign} 0)",
            (quantity.value > 0) == positive,
            why=f"the correlation is {quantity.value:.2f}",
        )
    for mark in clause.words(words.STRONG | words.MODERATE | words.WEAK):
        _strength(clause, mark, quantity)
    for mark in clause.of("number"):
        clause.number(mark, _stated(clause, mark, quantity))
    if not sure and abs(quantity.value) >= MODERATE / 2:
        raise Unbound("the points are too few or follow one another, so that no relation can be told")
    clause.use(*clause.words(words.RELATED))
    if not clause.edits:
        size = f"bool(abs({quantity.expression}) >= 0.2)"
        related = next(mark for mark in clause.marks if mark.text.casefold() in words.RELATED)
        if abs(quantity.value) < 0.2:
            raise Unbound(f"the correlation is {quantity.value:.2f}, no relation to speak of")
        clause.word(related, size, True)
    return True


def _correlation_of(clause: Clause) -> tuple[Quantity, bool]:
    """Return the correlation that is meant, and whether it is more than chance."""
    names = clause.of("name")
    if clause.scene.pairs:
        pair = frozenset(mark.text for mark in names)
        if len(pair) != 2 or pair not in clause.scene.pairs:
            raise Unbound("it does not name two columns of the heat map")
        clause.use(*names)
        return clause.scene.pairs[pair], True
    curve = _scatter(clause)
    rank_correlation = curve.series.rank_correlation if curve else None
    if curve is None or rank_correlation is None:
        raise Unbound("no one scatter is drawn")
    for mark in names:
        if mark.text == curve.label:
            clause.name(mark, curve.label, f"{curve.path}['label']")
    rank = Quantity(rank_correlation, f"float({curve.path}['rank_correlation'])")
    sure = curve.word("") in ("together", "against") or curve.facts.get("none") is True
    return rank, sure


def _scatter(clause: Clause) -> Curve | None:
    points = [curve for curve in clause.scene.curves if curve.series.mark == "point"]
    return points[0] if len(points) == 1 else None


def _stated(clause: Clause, mark: Mark, rank: Quantity) -> Quantity:
    """Return the coefficient that a number is of: the rank correlation if it agrees, else Pearson's."""
    curve = _scatter(clause)
    if (
        curve is None
        or clause.scene.pairs
        or agrees(mark, rank.value)
        or curve.series.n != len(curve.series.x)
    ):
        return rank
    x, y = (np.array(values, dtype=float) for values in (curve.series.x, curve.series.y))
    both = np.isfinite(x) & np.isfinite(y)
    if both.sum() < 3 or x[both].std() == 0 or y[both].std() == 0:
        return rank
    expression = f"float(np.corrcoef({curve.path}['x'], {curve.path}['y'])[0, 1])"
    return Quantity(float(np.corrcoef(x[both], y[both])[0, 1]), expression) if both.all() else rank


def _strength(clause: Clause, mark: Mark, quantity: Quantity) -> None:
    size = abs(quantity.value)
    right = words.STRONG if size >= STRONG else words.MODERATE if size >= MODERATE else words.WEAK
    tests = {
        words.STRONG: f"bool(abs({quantity.expression}) >= {STRONG})",
        words.MODERATE: f"bool({MODERATE} <= abs({quantity.expression}) < {STRONG})",
        words.WEAK: f"bool(abs({quantity.expression}) < {MODERATE})",
    }
    if mark.text.casefold() in right:
        clause.word(mark, tests[right], True)
        return
    other = max(right, key=len) if mark.text.casefold().endswith("ly") else min(right, key=len)
    wrong = next(kind for kind in tests if mark.text.casefold() in kind)
    # The word that stands there now is the one that holds: its own test is what the notebook recomputes.
    clause.word(mark, tests[wrong], False, other=other, why=f"the correlation is {quantity.value:.2f}")
