"""What a clause says of amounts: shares of a whole, values by name, and numbers that no name goes with."""

from __future__ import annotations

from lakebook.enhancement.refinement import vocabulary as words
from lakebook.enhancement.refinement.clause import (
    Clause,
    Unbound,
    at_place,
    curve_meant,
    named,
    places_named,
    share_of,
)
from lakebook.enhancement.refinement.scene import Curve, Quantity
from lakebook.enhancement.refinement.stated import Mark


def part(clause: Clause) -> bool:
    """Bind "A makes up 40%", "A accounts for more than half", "A holds most of"."""
    amounts = [
        mark
        for mark in clause.of("word")
        if mark.text.casefold() in ("half", "majority", "most", "third", "quarter", "fifth")
    ]
    percents = [mark for mark in clause.of("number") if mark.unit == "%"]
    if not amounts and not percents:
        return False
    curve = curve_meant(clause)
    names = places_named(clause, curve)
    if len(amounts) + len(percents) != len(names) or not names or (amounts and percents):
        raise Unbound("it is not clear which share is whose")
    for name, amount in zip(names, amounts or percents, strict=True):
        value = share_of(curve, at_place(curve, name))
        named(clause, curve, name)
        if amount.kind == "number":
            clause.number(amount, value)
            continue
        _amount(clause, amount, value)
    return True


def _amount(clause: Clause, mark: Mark, share: Quantity) -> None:
    word = mark.text.casefold()
    before = clause.text[: mark.start].casefold().rstrip(" a")
    if word in ("majority", "most") or before.endswith(("more than", "over")):
        least = words.FRACTIONS.get(word, 0.5)
        test, holds = f"bool({share.expression} > {least})", share.value > least
    elif before.endswith(("less than", "under")):
        least = words.FRACTIONS[word]
        test, holds = f"bool({share.expression} < {least})", share.value < least
    elif before.endswith(("nearly", "almost")):
        least = words.FRACTIONS[word]
        test, holds = (
            f"bool(0.85 * {least} <= {share.expression} <= {least})",
            0.85 * least <= share.value <= least,
        )
    else:
        least = words.FRACTIONS[word]
        test, holds = (
            f"bool(abs({share.expression} - {least}) <= 0.1 * {least})",
            abs(share.value - least) <= 0.1 * least,
        )
    if not holds:
        raise Unbound(f"the share is {share.value:.1%}")
    clause.use(
        *[
            one
            for one in clause.of("word")
            if one.text.casefold() in ("more", "less") and one.end < mark.start
        ]
    )
    clause.word(mark, test, True)


def values(clause: Clause) -> bool:
    """Bind "A has 5 (and B 3)": as many names as numbers, each after the other."""
    numbers = clause.of("number")
    if not numbers:
        return False
    curve = curve_meant(clause)
    names = places_named(clause, curve)
    if not names or len(names) != len(numbers):
        return _statistic(clause, curve, numbers, names)
    order = [
        "name" if mark in names else "number"
        for mark in sorted([*names, *numbers], key=lambda mark: mark.start)
    ]
    turns = order == ["name", "number"] * len(names) or order == ["number", "name"] * len(names)
    if not turns and order != ["name"] * len(names) + ["number"] * len(names):
        raise Unbound("it is not clear which number is whose")
    for name, number in zip(names, numbers, strict=True):
        named(clause, curve, name)
        clause.number(number, at_place(curve, name))
    return True


def _statistic(clause: Clause, curve: Curve, numbers: list[Mark], names: list[Mark]) -> bool:
    """Bind a number that no name goes with: how many are drawn, or a median or mean."""
    if names or len(numbers) != 1:
        raise Unbound("it is not clear which number is whose")
    text = clause.text.casefold()
    for word in ("median", "mean", "average"):
        fact = curve.fact({"average": "mean"}.get(word, word))
        if word in text and fact is not None and curve.word("", "column"):
            clause.number(numbers[0], fact)
            return True
    after = text[numbers[0].end :].split()[:2]
    counted = {"categories", "groups", "bars", "levels", "members"}
    named = {words.stem(word.strip(".,")) for word in after} & clause.scene.vocabulary
    if (counted & {word.strip(".,") for word in after} or (named and "there are" in text)) and (
        curve.places and not curve.ordered
    ):
        clause.number(numbers[0], Quantity(float(len(curve.places)), f"len({curve.path}['y'])"))
        return True
    if "points" in {word.strip(".,") for word in after} and curve.series.mark == "point":
        clause.number(numbers[0], Quantity(float(curve.series.n), f"float({curve.path}['n'])"))
        return True
    raise Unbound(f"it is not said what {numbers[0].text} is of")
