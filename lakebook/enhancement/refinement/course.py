"""What a clause says of a course: that it rises or falls, from where to where, when it peaks."""

from __future__ import annotations

from lakebook.enhancement.refinement import vocabulary as words
from lakebook.enhancement.refinement.clause import (
    Clause,
    Unbound,
    at_place,
    curve_meant,
    named,
    places_named,
)
from lakebook.enhancement.refinement.scene import Curve, Quantity
from lakebook.enhancement.refinement.stated import Mark


def change(clause: Clause) -> bool:
    """Bind "rises from 3 to 5", "fell by 20% between 2015 and 2017", "is increasing"."""
    ways = clause.words(words.CHANGE)
    if not ways:
        return False
    curve = curve_meant(clause)
    if len(ways) > 1 or not curve.ordered or len(curve.places) < 2:
        raise Unbound("it speaks of a course, and no one course is drawn")
    up = ways[0].text.casefold() in words.UP
    names, numbers = places_named(clause, curve), clause.of("number")
    order = list(curve.places)
    if len(names) == 2:
        first, last = (at_place(curve, mark) for mark in names)
        for mark in names:
            named(clause, curve, mark)
    elif not names and len(numbers) == 2 and clause.says("from") and clause.says("to"):
        first, last = curve.places[order[0]], curve.places[order[-1]]
    elif not names:
        return _whole_trend(clause, curve, ways[0], up, numbers)
    else:
        raise Unbound("it does not say from where to where")
    if first.value == last.value:
        raise Unbound("both ends are level")
    sign = ">" if up else "<"
    test = f"bool({last.expression} {sign} {first.expression})"
    clause.word(
        ways[0],
        test,
        (last.value > first.value) == up,
        why=f"it goes from {first.value:,.6g} to {last.value:,.6g}",
    )
    if len(numbers) == 2:
        clause.number(numbers[0], first)
        clause.number(numbers[1], last)
    elif len(numbers) == 1:
        _size_of_change(clause, numbers[0], first, last)
    return True


def _size_of_change(clause: Clause, mark: Mark, first: Quantity, last: Quantity) -> None:
    if mark.unit == "%":
        if first.value <= 0:
            raise Unbound("a percentage of a value that is not above zero means nothing")
        clause.number(
            mark,
            Quantity(abs(last.value / first.value - 1), f"abs({last.expression} / {first.expression} - 1)"),
        )
    elif mark.unit == "":
        clause.number(
            mark, Quantity(abs(last.value - first.value), f"abs({last.expression} - {first.expression})")
        )
    else:
        raise Unbound(f"it is not clear what {mark.text} is of")


def _whole_trend(clause: Clause, curve: Curve, way: Mark, up: bool, numbers: list[Mark]) -> bool:
    """Bind a direction of the whole course: only a trend that survives its test has one."""
    found = curve.word("trend")
    change_ = curve.fact("trend", "change")
    if found not in ("rises", "falls") or change_ is None:
        raise Unbound("no trend of the whole course is more than chance")
    want = "rises" if up else "falls"
    clause.word(way, f'{curve.shown}["trend"]["word"] == "{want}"', found == want, why=f"the trend {found}")
    if len(numbers) > 1:
        raise Unbound("it is not clear what its numbers are of")
    for mark in numbers:
        share = curve.fact("trend", "change_share")
        if mark.unit == "%" and share is not None:
            clause.number(mark, Quantity(abs(share.value), f"abs({share.expression})"))
        elif mark.unit == "":
            clause.number(mark, Quantity(abs(change_.value), f"abs({change_.expression})"))
        else:
            raise Unbound(f"it is not clear what {mark.text} is of")
    return True


def season(clause: Clause) -> bool:
    """Bind "it is highest in July": only where the season is there and its peak is sure."""
    ends = clause.words(words.ENDS)
    curves = [curve for curve in clause.scene.curves if curve.word("season")]
    months = [mark for mark in clause.of("name") if mark.text in words.MONTHS]
    if len(ends) != 1 or len(months) != 1 or not curves or clause.of("number"):
        return False
    curve = curves[0] if len(curves) == 1 else curve_meant(clause)
    which = "peak" if ends[0].text.casefold() in words.HIGHEST else "trough"
    season_facts = curve.facts["season"]
    if season_facts.get("cycle") != "year" or season_facts.get(f"{which}_sure") is not True:
        raise Unbound("in which month it peaks is not settled")
    clause.name(months[0], str(season_facts[which]), f'{curve.shown}["season"]["{which}"]')
    clause.use(ends[0])
    return True
