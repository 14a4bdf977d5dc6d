"""G09: did the parts of a whole move over the years.

What belongs here: shares over time, with the whole beside them. Paper: NotebookRAG §4.2; notes on
plays, §3 G.
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
    FindingVerdict,
    Proposal,
)
from lakebook.analyst.plays.choices import dimensions, key_flow, measures
from lakebook.analyst.plays.series import holds_events
from lakebook.analyst.plays.wording import (
    Writer,
    certainty,
    named,
    not_enough,
    plain,
    size_score,
    tests,
)
from lakebook.analyst.table import Table

Seen = Mapping[str, Any]


class Composition:
    """G09: did the parts of the whole move over the years."""

    id = "G09"
    title = "Composition over the years"
    family: Family = "groups"
    relevance: Mapping[IntentKind, float] = everywhere(0.4, compare=0.8, describe=0.9, forecast=0.4)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the dimensions over full years, by the key flow or by rows."""
        years = list(table.structure.period_complete)
        if not table.structure.time or len(years) < 2:
            return Proposal(reason="fewer than two full years")
        flow = key_flow(table, intent)
        if flow is not None and float(flow.min or 0) < 0:
            flow = next(
                (c for c in measures(table, intent) if c.use == "flow" and float(c.min or 0) >= 0), None
            )
        if flow is None and not holds_events(table.structure):
            return Proposal(reason="no column that adds up to a whole")
        found = dimensions(table, intent, 3, 60)
        candidates = [
            Candidate(
                self.id,
                identifier("shares of", column.name),
                (column.name, table.structure.time, *([flow.name] if flow else [])),
                0.8 - 0.15 * place,
                {"years": list(years)},
            )
            for place, column in enumerate(found)
        ]
        return Proposal(tuple(candidates), "" if candidates else "no category to take shares of")

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Take shares by year."""
        (group, time, *flow), key = candidate.columns, candidate.key
        more = f", value={flow[0]!r}" if flow else ""
        code = f"""
{key}, {key}_table = shares_over_time(base, {group!r}, {time!r}, {candidate.params["years"]!r}{more})
{key}_table.round(3)
"""
        return Cells(code.strip(), ("shares_over_time", "draw_lines"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Name the part that moved most, and the whole beside it."""
        group, _, *flow = candidate.columns
        seen: Seen = facts
        writer = Writer(candidate.key, facts)
        whole = named(flow[0]) if flow else "all rows"
        goal = f"Did the shares of {named(group)} in {whole} move?"
        method = (
            "Shares by full year; the move from the first to the last with an interval from redrawn months "
            "(95 %)."
        )
        if not seen["enough"]:
            return not_enough(
                goal, method, f"shares of {plain(group)}", "it takes two years and positive parts"
            )
        clear = (seen["mover_low"] > 0 or seen["mover_high"] < 0) and abs(seen["mover_change"]) >= 0.01
        clear = clear and seen["p"] < 0.05
        verdict: FindingVerdict = "supported" if clear else "not_supported"
        predicate = (
            '($["mover_low"] > 0 or $["mover_high"] < 0) and abs($["mover_change"]) >= 0.01 and $["p"] < 0.05'
        )
        up = seen["mover_change"] > 0
        if clear:
            word = writer.word("word", predicate, "gained" if up else "lost")
            text = (
                f"{{mover}} {{word}} most: {{mover_first:.1%}} of {whole} in {{first_year:d}}, "
                f"{{mover_last:.1%}} in "
                "{last_year:d} (move of {points} points, interval {points_low} to {points_high})."
            )
        else:
            word = writer.word("word", f"not ({predicate})", "No share moved clearly")
            text = (
                "{word} from {first_year:d} to {last_year:d}; the largest move is that of {mover}, "
                "{points} points "
                "(interval {points_low} to {points_high})."
            )
        points: dict[str, Any] = {
            "points": writer.part("points", '$["mover_change"] * 100', "+.1f"),
            "points_low": writer.part("points_low", '$["mover_low"] * 100', "+.1f"),
            "points_high": writer.part("points_high", '$["mover_high"] * 100', "+.1f"),
        }
        insights = [writer.say(text, word=word, **points)]
        size = "({total_change:+.0%})" if abs(seen["total_change"]) < 3 else "in all"
        text = (
            f"The whole ({whole}) went from {{total_first:auto}} to {{total_last:auto}} {size}; "
            f"{{largest}} is the "
            "largest part in {last_year:d} with {largest_share:.1%}."
        )
        insights.append(writer.say(text))
        mover = (
            seen["mover"] if len(seen["mover"]) < 30 and not any(c.isdigit() for c in seen["mover"]) else ""
        )
        moved = (
            f"{mover} {'gained' if up else 'lost'} share" if mover else f"The shares of {plain(group)} moved"
        )
        return FindingDraft(
            title=short_title(
                f"{moved} over the years" if clear else f"The shares of {plain(group)} hardly moved"
            ),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict=verdict,
            effect=size_score(seen["mover_change"], 0.02, 0.2),
            reliability=certainty(seen["p"]),
            tests=tests(self.id, [(f"shares of {group}", seen["p"], seen["rows"])]),
            population=f"`base`, {seen['rows']:,d} rows of full years",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw one line a level, the one that moved most in colour."""
        seen: Seen = facts
        if not seen["enough"] or seen["p"] >= 0.05:
            return ""
        (group, _, *flow), key = candidate.columns, candidate.key
        title = self.read(candidate, facts, table, Intent("", "describe")).title
        return f"""
{key}_shown = {key}_table.reset_index(drop=True)
{key}_shown.insert(0, {key}["mover"], {key}_shown.pop({key}["mover"]))
ax = draw_lines(
    {{name: {key}_shown[name] for name in {key}_shown}},
    title={title!r}, ylabel={f"Share of {flow[0] if flow else 'rows'} by {group}"!r},
    highlight=[{key}["mover"]], percent=True, zero=True, xlabel="Year",
)
ax.set_xticks(range(len({key}_table)), {key}_table.index.astype(str))
""".strip()
