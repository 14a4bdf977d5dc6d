"""How a play writes its sentences: placeholders that draft their own claims, and two scores.

What belongs here: the small language `{fact:format}` and the two scores that every finding carries. What
does not: any sentence, and any word that is common to all plays (see `phrases`). Paper: NotebookRAG §4.2.4.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from lakebook.analyst.phrases import holds, label, quoted
from lakebook.analyst.play import ClaimDraft, Facts, FindingDraft, InsightDraft, Test

_SCALES = {" / 1e9": "billion", " / 1e6": "million"}
_PLACE = re.compile(r"\{(\w+)(?::([^{}]+))?\}")


def named(name: str) -> str:
    """Write a column's name in a sentence, so that nothing in it can be taken for a placeholder."""
    return quoted(re.sub(r"[{}]", "_", name))


def plain(name: str) -> str:
    """Write a column's name in a title: words, no code marks, no digits that would look like a claim."""
    words = " ".join(re.sub(r"[_{}]+", " ", name).split())
    return f"“{words}”" if re.search(r"\d", words) else words


def start(text: str) -> str:
    """Write the first letter large and leave the rest as it is."""
    return text[:1].upper() + text[1:]


def finest(value: float) -> str:
    """Return the format that prints a number with three to four digits."""
    size = abs(value)
    if size >= 1000 or value == int(value):
        return ",.0f"
    if size >= 100:
        return ",.1f"
    if size >= 1:
        return ",.2f"
    return ",.3f" if size >= 0.01 else ".2g"


class Writer:
    """Drafts sentences about the facts of one candidate.

    In a text, `{mean:auto}` becomes a claim `key["mean"]` printed with as many digits as its size asks for,
    `{p:p}` a p-value, `{share:.1%}` one with that format, `{name}` a label;
    `{word}` a claim given as `word=...`.
    """

    def __init__(self, key: str, facts: Facts) -> None:
        self.key, self.facts = key, facts

    def say(self, text: str, *, caution: bool = False, **claims: ClaimDraft) -> InsightDraft:
        """Draft a sentence."""
        drafted: dict[str, ClaimDraft] = {}
        for name, spec in _PLACE.findall(text):
            drafted[name] = claims[name] if name in claims else self._claim(name, spec)

        def place(match: re.Match[str]) -> str:
            name = match.group(1)
            word = _SCALES.get(drafted[name].expression[-6:], "")
            return f"{{{name}}} {word}".rstrip()

        return InsightDraft(_PLACE.sub(place, text), tuple(drafted.values()), caution)

    def _claim(self, name: str, spec: str) -> ClaimDraft:
        expression = f'{self.key}["{name}"]'
        if not spec:
            return label(name, expression)
        if spec == "p":
            return label(
                name,
                f'f"{{{expression}:.3f}}" if {expression} >= 0.001 else "below 0.001"'.replace(
                    '["', "['"
                ).replace('"]', "']"),
            )
        if spec != "auto":
            return ClaimDraft(name, expression, spec)
        value: Any = self.facts[name]
        for scale in _SCALES:
            if abs(value) >= float(scale.removeprefix(" / ")):
                return ClaimDraft(name, expression + scale, ",.2f")
        return ClaimDraft(name, expression, finest(float(value)))

    def word(self, name: str, predicate: str, shown: str) -> ClaimDraft:
        """Draft a word that holds only under a predicate, in which `$` stands for the facts."""
        return holds(name, predicate.replace("$", self.key), shown)

    def part(self, name: str, expression: str, spec: str = "") -> ClaimDraft:
        """Draft a claim on a part of the facts; `$` stands for the facts, and no format means a label."""
        code = expression.replace("$", self.key)
        return ClaimDraft(name, code, spec) if spec else label(name, code)


def all_of(expression: str) -> str:
    """Return the expression that writes a list of names as one text."""
    return f'", ".join({expression})'


def any_of(expression: str) -> str:
    """Return the expression that writes a list of names as alternatives: a, b or c."""
    return f'", ".join({expression}[:-1]) + " or " + {expression}[-1]'


def size_score(effect: float, floor: float, big: float) -> float:
    """Put an effect on 0 to 1: 1 at the size that counts as big (notes §6.1 E)."""
    if not math.isfinite(effect):
        return 0.0
    return min(1.0, math.log1p(abs(effect) / floor) / math.log1p(big / floor))


def certainty(p: float) -> float:
    """Put a p-value on 0 to 1 (notes §6.1 R)."""
    return 1.0 if p < 0.001 else 0.8 if p < 0.01 else 0.6 if p < 0.05 else 0.2


def not_enough(goal: str, method: str, what: str, needed: str) -> FindingDraft:
    """Return the finding of a play that turned out not to apply."""
    return FindingDraft(
        title=f"Too little data to judge {what}",
        goal=goal,
        method=method,
        insights=(InsightDraft(f"Not judged: {needed}.", ()),),
        verdict="not_applicable",
    )


def tests(play: str, entries: Sequence[tuple[str, float, int]]) -> tuple[Test, ...]:
    """Log tests under the play's id."""
    return tuple(Test(f"{play}: {name}", p, n) for name, p, n in entries)
