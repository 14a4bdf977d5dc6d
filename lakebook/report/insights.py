"""Insights as a reader meets them: statements, then cautions, each with the way to its claims."""

from __future__ import annotations

from collections.abc import Sequence

from lakebook.analyst.claim import Insight
from lakebook.report.markup import anchor, escape, escape_words, one_line

_LONGEST_QUOTE = 300
WHERE_NUMBERS = "Where every number comes from"


def published(insights: Sequence[Insight], *, cautions: bool) -> list[Insight]:
    """Return our own insights that may reach a reader: the statements, or the cautions."""
    own = [item for item in insights if item.original is None]
    return [item for item in own if item.verdict != "withheld" and item.caution is cautions]


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


def said_markdown(insights: Sequence[Insight]) -> str:
    """Write what others said of a figure: what holds, what was corrected, what is not repeated and why."""
    lines = []
    for insight in insights:
        if insight.original is None:
            continue
        quote, by = escape(one_line(insight.original.text, _LONGEST_QUOTE)), escape(insight.original.by)
        if insight.verdict == "withheld":
            lines.append(f"- *Not repeated* ({by}): “{quote}” Why: {escape(insight.reason)}.")
        elif insight.verdict == "corrected":
            lines.append(
                f"- *Corrected* ({by}): {escape(insight.text)}{_claim_links(insight)} It said: “{quote}” "
                f"Why: {escape(insight.reason)}."
            )
        else:
            lines.append(f"- *Holds here* ({by}): {escape(insight.text)}{_claim_links(insight)}")
    return (
        "\n".join(["**What was said of this figure, checked on what is drawn here:**", "", *lines])
        if lines
        else ""
    )


def _corrected(insight: Insight) -> str:
    return " *(a number was corrected when it was recomputed)*" if insight.verdict == "corrected" else ""


def _claim_links(insight: Insight) -> str:
    if not insight.claims:
        return ""
    first, last = insight.claims[0].id, insight.claims[-1].id
    span = first if first == last else f"{first}–{last}"
    return f" <sup>[{escape(span)}]({anchor(WHERE_NUMBERS)})</sup>"
