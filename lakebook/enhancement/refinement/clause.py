"""A clause that is being bound: its marks, what of it is accounted for, and how its text will change.

What belongs here: edits and their claims. What does not: which statement a clause makes (`rules`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from lakebook.analyst.play import ClaimDraft
from lakebook.enhancement.refinement.scene import Curve, Quantity, Scene
from lakebook.enhancement.refinement.stated import Mark
from lakebook.enhancement.refinement.vocabulary import turned

_TAILS = {1e3: "k", 1e6: "M", 1e9: " billion"}
_UNITS = {"x": "times"}


class Unbound(Exception):
    """The clause states something that the figure cannot compute; the message says what."""


@dataclass(frozen=True, slots=True)
class Edit:
    """What stands in place of a stretch of the clause, with its claim; `changed` says what was wrong."""

    start: int
    end: int
    text: str
    claim: ClaimDraft
    changed: str = ""


@dataclass
class Clause:
    """A clause with its marks; `number_from` is where the names of its claims start."""

    text: str
    marks: list[Mark]
    scene: Scene
    claims_before: int = 0
    edits: list[Edit] = field(default_factory=list)
    used: set[int] = field(default_factory=set)

    def of(self, kind: str) -> list[Mark]:
        """Return the marks of a kind that are not accounted for yet."""
        return [mark for mark in self.marks if mark.kind == kind and mark.start not in self.used]

    def words(self, among: frozenset[str]) -> list[Mark]:
        """Return the checkable words of a class that are not accounted for yet."""
        return [mark for mark in self.of("word") if mark.text.casefold() in among]

    def says(self, *words: str) -> bool:
        """Tell whether one of these words stands in the clause."""
        return any(mark.text.casefold() in words for mark in self.marks)

    def use(self, *marks: Mark) -> None:
        """Take marks as accounted for, without a claim of their own."""
        self.used |= {mark.start for mark in marks}

    def word(self, mark: Mark, predicate: str, holds: bool, other: str = "", why: str = "") -> None:
        """Bind a word to a predicate; where it does not hold, the word is turned (or replaced by `other`)."""
        shown = mark.text if holds else other or turned(mark.text)
        test = predicate if holds else f"not ({predicate})"
        self._edit(
            mark, shown, ClaimDraft(self._name(), test, kind="direction", shown=shown), "" if holds else why
        )

    def name(self, mark: Mark, label: str, expression: str, why: str = "") -> None:
        """Bind a name to the expression that gives it; `why` says what was wrong if it is another one."""
        right = mark.text.casefold() == label.casefold()
        claim = ClaimDraft(self._name(), expression, kind="label")
        self._edit(mark, "", claim, "" if right else why or f"{mark.text} was said, it is {label}")

    def place(self, mark: Mark, curve: Curve, name: str, expression: str) -> None:
        """Bind a name to the place that an expression gives, in the way of writing that the clause has.

        A month in words is no label of the figure: it is claimed as the test that the label is in it.
        """
        alias = curve.alias_like(mark.text, name)
        if not alias:
            self.name(mark, name, expression)
            return
        right = alias.casefold() == mark.text.casefold()
        test = f"bool({expression} == {name!r})"
        claim = ClaimDraft(self._name(), test, kind="direction", shown=alias)
        self._edit(mark, alias, claim, "" if right else f"{mark.text} was said, it is {alias}")

    def number(self, mark: Mark, quantity: Quantity) -> None:
        """Bind a number to a quantity: kept if it agrees as printed and hedged, else replaced."""
        value = quantity.value
        if not math.isfinite(value):
            raise Unbound(f"{mark.text} cannot be computed")
        if mark.hedge and agrees(mark, value):
            test = hedge_test(mark, quantity.expression)
            self._edit(mark, mark.text, ClaimDraft(self._name(), test, kind="direction", shown=mark.text), "")
            return
        tail = _TAILS.get(mark.scale, "")
        scale = f" / {mark.scale:g}" if tail else ""
        comma = "," if value >= 1000 and not tail else ""
        digits = max(mark.decimals, 0)
        spec = f".{digits}%" if mark.unit == "%" else f"{comma}.{digits}f"
        spec = finer(value / mark.scale, spec)
        claim = ClaimDraft(self._name(), f"float({quantity.expression}){scale}", spec)
        shown = format(value / mark.scale, spec)
        unit = "" if mark.unit in ("", "%") else f" {_UNITS.get(mark.unit, mark.unit)}"
        right = not mark.hedge and agrees(mark, value)
        text = f"{mark.currency}{{{claim.name}}}{tail}{unit}"
        self._edit(mark, text, claim, "" if right else f"{mark.text} was said, {shown} is drawn")

    def finished(self) -> tuple[str, list[ClaimDraft], list[str]]:
        """Return the clause as a template, its claims, and what was changed.

        Raises:
            Unbound: something checkable in it is not accounted for.
        """
        for mark in self.marks:
            if mark.kind in ("number", "name", "word") and mark.start not in self.used:
                raise Unbound(f"“{mark.text}” cannot be bound to what is drawn")
        if not self.edits:
            raise Unbound("it states nothing that the figure can compute")
        text, claims, changed = self.text, [], []
        for edit in sorted(self.edits, key=lambda one: -one.start):
            text = text[: edit.start] + (edit.text or f"{{{edit.claim.name}}}") + text[edit.end :]
        for edit in sorted(self.edits, key=lambda one: one.start):
            claims.append(edit.claim)
            changed += [edit.changed] if edit.changed else []
        return text, claims, changed

    def _name(self) -> str:
        return f"f{self.claims_before + len(self.edits) + 1}"

    def _edit(self, mark: Mark, text: str, claim: ClaimDraft, changed: str) -> None:
        shown = f"{{{claim.name}}}" if claim.kind == "direction" else text
        self.edits.append(Edit(mark.start, mark.end, shown, claim, changed))
        self.used.add(mark.start)


def finer(value: float, spec: str) -> str:
    """Return the format with more digits, where the stated ones would print a value that is not 0 as 0."""
    digits = 2 if spec.endswith("%") else 0
    if (
        value
        and float(format(value, spec.replace("%", "f").replace(",", ""))) == 0
        and abs(value) < 10**-digits
    ):
        return ".1%" if spec.endswith("%") else ".2g"
    return spec


def agrees(mark: Mark, value: float) -> bool:
    """Tell whether a stated number is right: as printed, or as its hedge allows."""
    stated = mark.value
    if mark.hedge == "about":
        return math.isclose(value, stated, rel_tol=0.1, abs_tol=1e-12)
    if mark.hedge == "nearly":
        return 0.85 * stated <= value <= stated if stated > 0 else math.isclose(value, stated, rel_tol=0.1)
    if mark.hedge == "over":
        return value >= stated
    if mark.hedge == "under":
        return value <= stated
    unit = mark.scale * (0.01 if mark.unit == "%" else 1.0)
    half = 0.5 * 10.0**-mark.decimals * unit
    return abs(value - stated) <= half * (1 + 1e-9)


def hedge_test(mark: Mark, expression: str) -> str:
    """Return the predicate that a hedged number stands for."""
    stated = f"{mark.value!r}"
    return {
        "about": f"bool(abs({expression} - {stated}) <= 0.1 * max(abs({expression}), abs({stated})))",
        "nearly": f"bool(0.85 * {stated} <= {expression} <= {stated})",
        "over": f"bool({expression} >= {stated})",
        "under": f"bool({expression} <= {stated})",
        "word": f"bool({expression} == {stated})",
    }[mark.hedge]


def curve_meant(clause: Clause) -> Curve:
    """Return the curve that a clause is about: the only one, or the one whose name stands in it.

    Raises:
        Unbound: several are drawn and it names none, or more than one.
    """
    curves = clause.scene.curves
    if not curves:
        raise Unbound("the figure has no values by name")
    named = [
        mark for mark in clause.of("name") if any(c.label.casefold() == mark.text.casefold() for c in curves)
    ]
    if len(curves) == 1:
        own = [mark for mark in named if mark.text not in curves[0].places]
        for mark in own:
            clause.name(mark, curves[0].label, f"{curves[0].path}['label']")
        return curves[0]
    if len(named) != 1:
        raise Unbound("several series are drawn, and it is not said which one is meant")
    curve = next(c for c in curves if c.label.casefold() == named[0].text.casefold())
    clause.name(named[0], curve.label, f"{curve.path}['label']")
    return curve


def places_named(clause: Clause, curve: Curve) -> list[Mark]:
    """Return the marks that name places of the curve."""
    return [mark for mark in clause.of("name") if place_of(curve, mark) is not None]


def place_of(curve: Curve, mark: Mark) -> str | None:
    """Return the curve's own name of a place, however the clause writes it; None if it is none."""
    if mark.text in curve.places:
        return mark.text
    return curve.aliases.get(mark.text)


def at_place(curve: Curve, mark: Mark) -> Quantity:
    """Return the value at a named place. Raises Unbound if the curve has no such place."""
    name = place_of(curve, mark)
    if name is None:
        raise Unbound(f"“{mark.text}” is no place of what is drawn")
    return curve.places[name]


def share_of(curve: Curve, value: Quantity) -> Quantity:
    """Return a value's share of the whole. Raises Unbound where what is drawn has no whole."""
    if curve.series.mark == "wedge":
        return value
    if curve.shares:
        return (
            Quantity(value.value / 100, f"({value.expression} / 100)")
            if max(abs(q.value) for q in curve.places.values()) > 1.5
            else value
        )
    if not curve.additive:
        raise Unbound("what is drawn does not add up to a whole, so that it has no shares")
    whole = f"sum({curve.path}['y'])"
    return Quantity(
        value.value / sum(q.value for q in curve.places.values()), f"({value.expression} / {whole})"
    )


def named(clause: Clause, curve: Curve, mark: Mark) -> None:
    """Bind a name of a place to the place that it names, which it does by being there."""
    name = place_of(curve, mark)
    if name is None:
        raise Unbound(f"“{mark.text}” is no place of what is drawn")
    clause.place(mark, curve, name, curve.name_of[name])
