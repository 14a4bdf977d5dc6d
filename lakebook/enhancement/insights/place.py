"""A place in the drawn data: one series of one axes, its facts, and the expressions that read both.

What belongs here: how a figure names what it shows, and how its numbers are claimed. What does not:
sentences,
which the kinds beside this module write. Names and labels are claims too: they come from old code.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from lakebook.analyst.play import ClaimDraft, InsightDraft
from lakebook.analyst.plays.wording import Writer
from lakebook.analyst.table import Table
from lakebook.enhancement.enhanced import DrawnAxes, DrawnSeries

Shown = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence, how much it is worth (0 to 1), and whether it is only for want of a better one."""

    draft: InsightDraft
    strength: float
    fallback: bool = False


class Kind(Protocol):
    """One kind of insight. It says nothing where the figure is of another form or nothing is sure."""

    def __call__(self, place: Place) -> Said | None:
        """Return the sentence about a place, or None."""
        ...


class Place:
    """One series of the drawn data.

    Args:
        name: to which the component's cell binds its drawn data; `shown` that of the facts about it.
        at, number: which axes, and which of its series.
        facts: of this axes, as `shown_facts` gives them; {} if they are not known.
        table: the table that the figure was drawn from.
    """

    def __init__(
        self, name: str, shown: str, at: int, number: int, axes: DrawnAxes, facts: Shown, table: Table
    ) -> None:
        self.axes, self.series, self.table, self.number = axes, axes.series[number], table, number
        self.on = f"{name}[{at}]"
        self.path = f"{self.on}['series'][{number}]"
        self.y = f"np.array({self.path}['y'], dtype=float)"
        self._shown, self._facts = f"{shown}[{at}]", facts

    @property
    def same(self) -> list[DrawnSeries]:
        """All series of this one's mark."""
        return [one for one in self.axes.series if one.mark == self.series.mark]

    def facts(self, name: str) -> Shown:
        """Return one group of facts about this series, {} if it is not there."""
        found = self._of_series().get(name)
        return found if isinstance(found, Mapping) else {}

    def of_series(self) -> Shown:
        """Return the facts about this series that stand in no group."""
        return self._of_series()

    def between(self) -> Shown:
        """Return the facts that compare the lines of the axes."""
        found = self._facts.get("between")
        return found if isinstance(found, Mapping) else {}

    def writer(self, name: str = "") -> Writer:
        """Return who drafts claims on a group of facts about this series, on all of them without a name."""
        key = f'{self._shown}["series"][{self.number}]' + (f'["{name}"]' if name else "")
        return Writer(key, self.facts(name) if name else self._of_series())

    def between_writer(self) -> Writer:
        """Return who drafts claims on what compares the lines."""
        return Writer(f'{self._shown}["between"]', self.between())

    def _of_series(self) -> Shown:
        series = self._facts.get("series") or ()
        found = series[self.number] if self.number < len(series) else {}
        return found if isinstance(found, Mapping) else {}

    def value(self, name: str, expression: str, sample: float, of_y: bool = True) -> ClaimDraft:
        """Return a claim of a number, in a format that suits its size; of y values, whole ones as such."""
        whole = all(math.isnan(value) or value.is_integer() for value in map(float, self.series.y))
        return ClaimDraft(name, f"float({expression})", ",.0f" if whole and of_y else number_format(sample))

    def count(self, name: str, expression: str) -> ClaimDraft:
        """Return a claim of a whole number."""
        return ClaimDraft(name, f"int({expression})", ",d")

    def label(self, name: str, expression: str) -> ClaimDraft:
        """Return a claim of a name."""
        return ClaimDraft(name, expression, kind="label")

    def named(self, axis: str) -> tuple[str, list[ClaimDraft]]:
        """Return the words for what stands along an axis with the claim of its label; "" if it has none."""
        text = self.axes.xlabel if axis == "x" else self.axes.ylabel
        if text.strip():
            return f"{{{axis}_name}}", [self.label(f"{axis}_name", f"{self.on}['{axis}label']")]
        return "", []

    def quantity(self, axis: str = "y") -> tuple[str, list[ClaimDraft]]:
        """Return the words for what is measured: the axis, else the only series, else the title."""
        words, claims = self.named(axis)
        if words:
            return words, claims
        if self.series.label.strip() and len(self.axes.series) == 1:
            return "{quantity}", [self.label("quantity", f"{self.path}['label']")]
        if self.axes.title.strip():
            return "{title}", [self.label("title", f"{self.on}['title']")]
        return "", []

    def subject(self, axis: str = "y") -> tuple[str, list[ClaimDraft]]:
        """Return what is measured, with the series' name if there are several; "" if nothing tells."""
        words, claims = self.quantity(axis)
        if len(self.same) < 2 or not words:
            return words, claims
        if not self.series.label.strip():
            return "", []
        return f"{words}, {{series}},", [*claims, self.label("series", f"{self.path}['label']")]

    def titled(self, draft: InsightDraft) -> InsightDraft | None:
        """Say of which of several axes the sentence is; None if it has no title to be told by."""
        if not self.axes.title.strip():
            return None
        if any(claim.name == "title" for claim in draft.claims):
            return draft
        claim = self.label("title", f"{self.on}['title']")
        first = draft.template[:1]
        text = draft.template if first == "{" else first.lower() + draft.template[1:]
        return InsightDraft(f"In “{{title}}”, {text}", (claim, *draft.claims), draft.caution)

    def where(self) -> tuple[str, list[ClaimDraft], Callable[[str, str], ClaimDraft]] | None:
        """Return what stands before a place on the x axis, its claims, and how such a place is claimed.

        Dates, names and years need no words before them; other numbers need the axis' name: None without.
        """
        whole = all(float(value).is_integer() for value in self.series.x)
        years = whole and all(1500 <= value <= 2500 for value in self.series.x)
        words, claims = ("", []) if self.series.labels or years else self.named("x")
        named = self.axes.categories > 1 and not self.series.labels
        if (not words and not self.series.labels and not years) or named:
            return None  # nothing tells what a number there means; or names stand there that the line lacks

        def claimed(name: str, at: str) -> ClaimDraft:
            if self.series.labels:
                return self.label(name, f"{self.path}['labels'][{at}]")
            if whole:
                return ClaimDraft(name, f"int({self.path}['x'][{at}])", "d" if years else ",d")
            sample = max(map(abs, self.series.x))
            return self.value(name, f"{self.path}['x'][{at}]", sample, of_y=False)

        return f"{words} " if words else "", claims, claimed


def say(writer: Writer, text: str, claims: list[ClaimDraft], **words: ClaimDraft) -> InsightDraft:
    """Draft a sentence whose places are facts of the writer, words, or claims that stand already."""
    known: dict[str, ClaimDraft] = {claim.name: claim for claim in claims} | words
    return writer.say(text, caution=False, **known)


def number(value: float) -> str:
    """Return a number as a reader will see it."""
    return format(value, number_format(value))


def number_format(sample: float) -> str:
    """Return the format in which a number of this size is printed."""
    size = abs(sample)
    if size >= 1000:
        return ",.0f"
    if size >= 10:
        return ",.1f"
    return ".2f" if size >= 0.1 or size == 0 else ".2g"
