"""Insights as a reader meets them: statements, then cautions, each with the way to its claims."""

from __future__ import annotations

from collections.abc import Sequence

from lakebook.analyst.claim import Insight
from lakebook.report.markup import anchor, escape, escape_words

WHERE_NUMBERS = "Where every number comes from"


def published(insights: Sequence[Insight], *, cautions: bool) -> list[Insight]:
    """Return the insights that may reach a reader: the statements, or the cautions."""
    return [item for item in insights if item.verdict != "withheld" and item.caution is cautions]


def insights_markdown(insights: Sequence[Insight], population: str = "") -> str:
    """Write statements first, then cautions, then what they were computed on."""
    lines = []
    for insight in published(insights, cautions=False):
        lines += [f"{escape(insight.text)}{_corrected(insight)}{_claim_links(insight)}", ""]
    for insight in published(insights, cautions=True):
        lines += [f"> **Caution.** {escape(insight.text)}{_corrected(insight)}{_claim_links(insight)}", ""]
    if population and lines:
        lines.append(f"*Computed on: {escape_words(population.rstrip('.'))}.*")
    return "\n".join(lines).strip()


def _corrected(insight: Insight) -> str:
    return " *(a number was corrected when it was recomputed)*" if insight.verdict == "corrected" else ""


def _claim_links(insight: Insight) -> str:
    if not insight.claims:
        return ""
    first, last = insight.claims[0].id, insight.claims[-1].id
    span = first if first == last else f"{first}–{last}"
    return f" <sup>[{escape(span)}]({anchor(WHERE_NUMBERS)})</sup>"
