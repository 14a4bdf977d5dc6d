"""What a clause says of places: which is highest, which is higher than which, and what each has."""

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


def extreme(clause: Clause) -> bool:
    """Bind "A is highest (with 5) and B lowest (with 3)", "the second largest is C", "it peaks at D"."""
    ends = clause.words(words.ENDS)
    if not ends or clause.says("than") or (clause.says("most") and clause.says("half", "majority")):
        return False
    if any(
        mark.text.casefold() == "most" and clause.text[mark.end :].lstrip().startswith("of ") for mark in ends
    ):
        return False
    curve = curve_meant(clause)
    if len(curve.places) < 2:
        raise Unbound("the figure has no values by name")
    names, numbers = places_named(clause, curve), clause.of("number")
    rank = 2 if clause.says("second") else 1
    if len(ends) > 2 or len(names) not in (0, len(ends)) or len(numbers) not in (0, len(ends)):
        raise Unbound("it is not clear which name and number go with which end")
    if not names and not numbers:
        raise Unbound("it names neither which one nor how much")
    if rank == 2 and len(ends) == 2:
        raise Unbound("it is not clear which of the two is the second")
    for at, end in enumerate(ends):
        high = end.text.casefold() in words.HIGHEST
        order = sorted(curve.places, key=lambda name: curve.places[name].value, reverse=high)
        if len(order) <= rank:
            raise Unbound("too few are drawn")
        best = curve.places[order[rank - 1]].value
        ties = [name for name in order if abs(curve.places[name].value - best) <= 1e-9 * abs(best)]
        if len(ties) > 1:
            raise Unbound(f"{', '.join(ties[:4])} are level there")
        where = _ranked(curve, high, rank)
        if names:
            labelled = f"{curve.path}['labels'][{where}]"
            expression = labelled if curve.series.labels else f"str(int({curve.path}['x'][{where}]))"
            clause.place(names[at], curve, order[rank - 1], expression)
        if numbers:
            _value_or_share(clause, curve, numbers[at], Quantity(best, f"{curve.path}['y'][{where}]"))
        clause.use(end)
    return True


def _ranked(curve: Curve, high: bool, rank: int) -> str:
    """Return the expression of the place of the highest or lowest value, or of the one after it."""
    values = (
        f"[-np.inf if v is None else v for v in {curve.path}['y']]"
        if high
        else f"[np.inf if v is None else v for v in {curve.path}['y']]"
    )
    return f"int(np.argsort({values}, kind='stable')[{-rank if high else rank - 1}])"


def _value_or_share(clause: Clause, curve: Curve, mark: Mark, value: Quantity) -> None:
    """Bind a number to a value; a percentage to the value's share of all, where that means something."""
    if mark.unit == "x":
        raise Unbound(f"it is not clear what {mark.text} is of")
    if mark.unit != "%":
        clause.number(mark, value)
        return
    clause.number(mark, share_of(curve, value))


def comparison(clause: Clause) -> bool:
    """Bind "A is (20% / 5 / twice) higher than B" and "A is above 10"."""
    compares = clause.words(words.COMPARES)
    factors = [mark for mark in clause.of("word") if mark.text.casefold() in words.FACTORS]
    times = [mark for mark in clause.of("number") if mark.unit == "x"]
    if clause.says("half", "majority", "third", "quarter") or not (compares or factors or times):
        return False
    if len(compares) + len(factors) + len(times) > 1 + bool(compares and times):
        raise Unbound("it compares more than one thing")
    if _between_lines(clause, compares):
        return True
    curve = curve_meant(clause)
    names = places_named(clause, curve)
    if len(names) == 1 and len(clause.of("number")) == 1 and compares:
        return _bound(clause, curve, names[0], compares[0])
    if len(names) != 2:
        raise Unbound("it does not name two things to compare")
    one, other = (at_place(curve, mark) for mark in names)
    if curve.facts.get("origin") and curve.facts["origin"].get("alike") is True:
        raise Unbound("the rows behind the bars do not tell the two apart")
    if one.value == other.value:
        raise Unbound("the two are level")
    for mark in names:
        named(clause, curve, mark)
    higher = one.value > other.value
    if factors or times:
        _factor(clause, (*factors, *times)[0], one, other)
        clause.use(*compares)
        return True
    more = compares[0].text.casefold() in words.MORE
    sign = ">" if more else "<"
    clause.word(
        compares[0],
        f"bool({one.expression} {sign} {other.expression})",
        higher == more,
        why=f"{names[0].text} has {one.value:,.6g}, {names[1].text} {other.value:,.6g}",
    )
    _distance(clause, curve, one, other, names)
    return True


def _bound(clause: Clause, curve: Curve, name: Mark, compare: Mark) -> bool:
    """Bind "A is above 10": the number is where it stands, the word is what is checked."""
    (number,) = clause.of("number")
    value = at_place(curve, name)
    if number.hedge or number.unit == "%":
        raise Unbound("it is not clear whether the number is a value or a difference")
    if clause.text[compare.end :].lstrip().startswith("by ") or number.start < compare.start:
        raise Unbound("it is not said what it is compared with")
    more = compare.text.casefold() in words.MORE
    sign = ">" if more else "<"
    test = f"bool({value.expression} {sign} {number.value!r})"
    named(clause, curve, name)
    clause.word(
        compare, test, (value.value > number.value) == more, why=f"{name.text} has {value.value:,.6g}"
    )
    clause.number(number, Quantity(number.value, repr(number.value)))
    return True


def _factor(clause: Clause, mark: Mark, one: Quantity, other: Quantity) -> None:
    """Bind "twice as high as" and "3 times": within 5 % of the factor in words, as printed in numbers."""
    if one.value <= 0 or other.value <= 0:
        raise Unbound("a factor means nothing where a value is not above zero")
    ratio = Quantity(one.value / other.value, f"({one.expression} / {other.expression})")
    if mark.kind == "number":
        clause.number(mark, ratio)
        return
    stated = words.FACTORS[mark.text.casefold()]
    right = abs(ratio.value - stated) <= 0.05 * stated
    if not right:
        raise Unbound(f"the first is {ratio.value:.2f} times the second, not {mark.text}")
    clause.word(mark, f"bool(abs({ratio.expression} - {stated}) <= 0.05 * {stated})", True)


def _distance(clause: Clause, curve: Curve, one: Quantity, other: Quantity, names: list[Mark]) -> None:
    """Bind what numbers are left of a comparison: both values, or the difference, plain or in percent."""
    numbers = clause.of("number")
    if len(numbers) == 2 and not any(mark.unit == "%" for mark in numbers):
        clause.number(numbers[0], one)
        clause.number(numbers[1], other)
    elif len(numbers) == 1 and numbers[0].unit == "%" and not curve.shares:
        if other.value <= 0:
            raise Unbound("a percentage of a value that is not above zero means nothing")
        clause.number(
            numbers[0],
            Quantity(abs(one.value / other.value - 1), f"abs({one.expression} / {other.expression} - 1)"),
        )
    elif len(numbers) == 1 and numbers[0].unit == "":
        clause.number(
            numbers[0], Quantity(abs(one.value - other.value), f"abs({one.expression} - {other.expression})")
        )
    elif numbers:
        raise Unbound("it is not clear what its numbers are of")


def _between_lines(clause: Clause, compares: list[Mark]) -> bool:
    """Bind "line A is above line B", which holds if their mean gap is sure."""
    curves = {curve.label: curve for curve in clause.scene.curves if curve.label}
    named = [mark for mark in clause.of("name") if mark.text in curves]
    if len(named) != 2 or not compares or not all(curves[mark.text].ordered for mark in named):
        return False
    facts = clause.scene.between
    if {mark.text for mark in named} != {facts.get("top"), facts.get("low")} or facts.get("word") != "above":
        raise Unbound("the two lines do not stay apart by more than chance")
    if clause.of("number"):
        raise Unbound("it is not clear of which places its numbers are")
    at = clause.scene.between_at
    more = compares[0].text.casefold() in words.MORE
    right = (facts["top"] == named[0].text) == more
    first = named[0].text
    ends = f'{at}["top"]' if more else f'{at}["low"]'
    clause.word(
        compares[0],
        f'bool({ends} == {first!r} and {at}["word"] == "above")',
        right,
        why=f"on average {facts['top']} is above {facts['low']}",
    )
    for mark in named:
        clause.name(mark, mark.text, f"{curves[mark.text].path}['label']")
    return True
