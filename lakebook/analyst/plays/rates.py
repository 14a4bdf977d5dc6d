"""G03: whose rate stands out, given its size.

What belongs here: a ratio of two sums over groups. Paper: NotebookRAG §4.2; notes on plays, §3 G.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lakebook.analyst.intent import Intent, IntentKind
from lakebook.analyst.phrases import everywhere, identifier, short_title
from lakebook.analyst.play import (
    Candidate,
    Cells,
    Facts,
    Family,
    FindingDraft,
    Proposal,
)
from lakebook.analyst.plays.choices import (
    dimensions,
    key_flow,
    may_be_negative,
    size_flow,
)
from lakebook.analyst.plays.wording import (
    Writer,
    all_of,
    certainty,
    named,
    not_enough,
    plain,
    size_score,
    tests,
)
from lakebook.analyst.table import Table

Seen = Mapping[str, Any]


def _short(level: str) -> str:
    return plain(level) if 0 < len(level) <= 30 and not any(c.isdigit() for c in level) else ""


class Rate:
    """G03: which groups have a rate that their size does not explain."""

    id = "G03"
    title = "Rates by group"
    family: Family = "groups"
    relevance: Mapping[IntentKind, float] = everywhere(
        0.3, compare=0.9, anomaly=0.6, classify=0.4, describe=0.5
    )

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose a value that may be negative per unit of size, over each dimension."""
        flow = key_flow(table, intent)
        size = size_flow(table, flow) if flow is not None and may_be_negative(flow) else None
        if flow is None or size is None:
            return Proposal(reason="no pair of a result and a size from which a rate could be formed")
        found = dimensions(table, intent, 5, 60)
        if not found:
            return Proposal(reason="no category to compare rates over")
        candidates = [
            Candidate(
                self.id,
                identifier(flow.name, "rate by", column.name),
                (flow.name, size.name, column.name),
                0.85 - 0.1 * place,
            )
            for place, column in enumerate(found)
        ]
        return Proposal(tuple(candidates))

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Form the ratio of sums by level."""
        (value, size, group), key = candidate.columns, candidate.key
        unit = table.structure.coarse_key
        more = f", cluster={unit!r}" if unit else ""
        code = f"""
{key}, {key}_table = rate_by_group(base, {group!r}, {value!r}, {size!r}{more})
{key}_table.round(3)
"""
        return Cells(code.strip(), ("rate_by_group", "draw_dots"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Name the rates that stand out."""
        value, size, group = candidate.columns
        seen: Seen = facts
        writer = Writer(candidate.key, facts)
        goal = f"How much {named(value)} comes per unit of {named(size)}, by {named(group)}?"
        method = (
            "Ratio of sums, with the standard error of each group's own size; a group stands out beyond "
            "3.09 of them "
            "(funnel); rates are also shrunken toward the overall one."
        )
        if not seen["enough"]:
            return not_enough(goal, method, f"the rate by {plain(group)}", "it takes two groups of five")
        found = seen["outside"] > 0 and seen["p"] < 0.05
        text = (
            f"Over all, {named(value)} is {{overall:.1%}} of {named(size)}; by {named(group)} it runs from "
            "{bottom_rate:.1%} ({bottom}, interval {bottom_low:.1%} to {bottom_high:.1%}) to "
            "{top_rate:.1%} ({top}, "
            "interval {top_low:.1%} to {top_high:.1%}). {outside:d} of {groups:d} groups lie outside what "
            "their size "
            "lets expect."
        )
        insights = [writer.say(text)]
        if seen["negative"]:
            names = writer.part("names", all_of('$["negative"][:8]'))
            insights.append(
                writer.say("The rate is below zero, interval included, for {names}.", names=names)
            )
        if seen["smallest"] < 30:
            insights.append(writer.say("The smallest group shown has {smallest:d} units only.", caution=True))
        low = _short(seen["bottom"])
        title = f"Per {plain(size)}, {low} yields the least {plain(value)}" if found and low else ""
        return FindingDraft(
            title=short_title(title or f"No {plain(group)} stands out in {plain(value)} per {plain(size)}"),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported" if found else "not_supported",
            effect=size_score(seen["spread"], 0.05, 0.5),
            reliability=certainty(seen["p"]),
            tests=tests(self.id, [(f"{value} per {size} by {group}", seen["p"], seen["groups"])]),
            population="`base`, groups with at least five units",
        )  # fmt: skip

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw rates with intervals and the overall rate as a dashed line; at most twenty groups."""
        seen: Seen = facts
        if not seen["enough"]:
            return ""
        (value, size, _), key = candidate.columns, candidate.key
        title = self.read(candidate, facts, table, Intent("", "describe")).title
        ends = f"pd.concat([{key}_table.head(10), {key}_table.tail(10)])"
        label = f"{value} per {size}" + (" (ten highest, ten lowest)" if seen["groups"] > 20 else "")
        return f"""
{key}_shown = {ends if seen["groups"] > 20 else f"{key}_table"}
draw_dots(
    {key}_shown.index, {key}_shown["rate"], {key}_shown["low"], {key}_shown["high"],
    title={title!r}, xlabel={label!r}, reference={key}["overall"], reference_name="overall", percent=True,
)
""".strip()
