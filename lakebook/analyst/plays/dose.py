"""G10: how a result changes over the levels of a quantity, and where it turns.

What belongs here: one ordered quantity against one result. Paper: NotebookRAG §5.4; notes on plays, §3 G.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lakebook.analyst.intent import Intent, IntentKind
from lakebook.analyst.phrases import everywhere, identifier, short_title
from lakebook.analyst.play import Candidate, Cells, Facts, Family, FindingDraft, InsightDraft, Proposal
from lakebook.analyst.plays.choices import key_flow, key_measure, linked_pairs, may_be_negative
from lakebook.analyst.plays.wording import (
    Writer,
    certainty,
    finest,
    named,
    not_enough,
    plain,
    size_score,
    start,
    tests,
)
from lakebook.analyst.table import Table

Seen = Mapping[str, Any]


class Dose:
    """G10: a result over the levels of a quantity."""

    id = "G10"
    title = "Result by level of a quantity"
    family: Family = "groups"
    relevance: Mapping[IntentKind, float] = everywhere(
        0.3, regress=0.9, compare=0.8, classify=0.5, describe=0.7
    )

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose quantities of few levels, or ratios, against the key measure."""
        result = key_measure(table, intent)
        flow = key_flow(table, intent)
        if result is not None and flow is not None and may_be_negative(flow) and result.name != intent.target:
            result = flow
        if result is None:
            return Proposal(reason="no result to follow")
        linked = linked_pairs(table)
        doses = [
            c
            for c in table.having("ordinal", "ratio", "count")
            if c.dtype in ("number", "integer") and c.name != result.name
            and (4 <= c.distinct <= 30 or (c.use == "ratio" and c.distinct > 30))
            and sorted((c.name, result.name)) not in linked
            and "year" not in c.name.casefold()
        ]  # fmt: skip
        doses = sorted(doses, key=lambda c: (c.use != "ratio", c.distinct))[:2]
        candidates = [
            Candidate(
                self.id, identifier(result.name, "over", c.name), (c.name, result.name), 0.8 - 0.2 * place
            )
            for place, c in enumerate(doses)
        ]
        return Proposal(
            tuple(candidates), "" if candidates else "no quantity of ordered levels beside the result"
        )

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Take means by level."""
        (dose, result), key = candidate.columns, candidate.key
        unit = table.structure.coarse_key
        more = f", cluster={unit!r}" if unit else ""
        code = f"""
{key}, {key}_table = dose_response(base, {dose!r}, {result!r}{more})
{key}_table.round(3)
"""
        return Cells(code.strip(), ("dose_response", "draw_dots"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say whether it rises or falls, and where it changes sign."""
        dose, result = candidate.columns
        seen: Seen = facts
        writer = Writer(candidate.key, facts)
        goal = f"How does {named(result)} change over the levels of {named(dose)}?"
        method = (
            "Mean by level (levels of ten rows or more; ten classes of equal size beyond 15 levels) with "
            "intervals that "
            "count independent units; rank correlation over rows; the turn is where the mean changes sign "
            "for good."
        )
        if not seen["enough"]:
            return not_enough(
                goal, method, f"{plain(result)} over {plain(dose)}", "it takes four levels of ten rows"
            )
        clear = seen["p"] < 0.05 and abs(seen["rho"]) >= 0.1
        turn = seen["break_found"] and seen["break_share"] >= 0.9
        insights = [_course(writer, dose, result, seen, clear)]
        if turn:
            insights.append(_turn(writer, dose, result, seen))
        insights.append(
            InsightDraft(
                f"Levels of {named(dose)} were not handed out at random; whoever sets them may do so with "
                f"{named(result)} in view, so this is an association.",
                (),
                caution=True,
            )
        )
        if seen["left_out"]:
            text = "{left_out:d} level(s) with fewer than ten rows are left out."
            insights.append(writer.say(text, caution=True))
        way = "falls" if seen["rho"] < 0 else "rises"
        title = f"{start(plain(result))} {way} with {plain(dose)}"
        if turn:
            side = "negative" if seen["first_mean"] > 0 else "positive"
            title = f"Beyond a threshold of {plain(dose)}, {plain(result)} is {side} on average"
        return FindingDraft(
            title=short_title(
                title if clear or turn else f"{start(plain(result))} does not follow {plain(dose)}"
            ),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported" if clear or turn else "not_supported",
            effect=max(size_score(seen["rho"], 0.2, 0.7), 0.95 if turn else 0.0),
            reliability=certainty(seen["p"]),
            impact=max(0.3, min(1.0, 3 * seen["rows_after"])) if turn else 1.0,
            tests=tests(self.id, [(f"{result} over {dose}", seen["p"], seen["rows"])]),
            population=f"`base`, {seen['rows']:,d} rows with both",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the mean at each level with its interval, in the order of the levels."""
        seen: Seen = facts
        if not seen["enough"]:
            return ""
        (dose, result), key = candidate.columns, candidate.key
        title = self.read(candidate, facts, table, Intent("", "describe")).title
        signs = ", reference=0.0, reference_name='zero'" if seen["first_mean"] * seen["last_mean"] < 0 else ""
        label = f"{dose} from {{level:,.4g}}" if seen["binned"] else f"{dose} {{level:,.4g}}"
        return f"""
draw_dots(
    [f{label!r} for level in {key}_table.index], {key}_table["mean"], {key}_table["low"], {key}_table["high"],
    title={title!r}, xlabel={f"Mean {result} with interval"!r}, ordered=True{signs},
)
""".strip()


def _course(writer: Writer, dose: str, result: str, seen: Seen, clear: bool) -> InsightDraft:
    way = "falls" if seen["rho"] < 0 else "rises"
    predicate = f'$["p"] < 0.05 and $["rho"] {"<= -0.1" if seen["rho"] < 0 else ">= 0.1"}'
    word = writer.word(
        "word", predicate if clear else f"not ({predicate})", way if clear else "does not clearly move"
    )
    at, start_at = ("in the lowest class", "from ") if seen["binned"] else ("at the lowest level", "")
    text = (
        f"The mean of {named(result)} is {{first_mean:auto}} {at} of {named(dose)} "
        f"({start_at}{{first_level}}) "
        f"and {{last_mean:auto}} {at.split(' ')[0]} the highest ({start_at}{{last_level}}); "
        f"over rows it {{word}} with it (rank "
        f"correlation "
        "{rho:+.2f}, {rows:,d} rows)."
    )
    ends: dict[str, Any] = {
        name: writer.part(name, f'$["{name}"]', _level(seen[name])) for name in ("first_level", "last_level")
    }
    return writer.say(text, word=word, **ends)


def _turn(writer: Writer, dose: str, result: str, seen: Seen) -> InsightDraft:
    side = "below" if seen["first_mean"] > 0 else "above"
    sign = ">" if side == "below" else "<"
    predicate = f'$["break_found"] and $["break_share"] >= 0.9 and $["first_mean"] {sign} 0'
    text = (
        f"From {named(dose)} {{break_level}} on the mean is {{side}} zero. Up to {{before_level}} rows add "
        f"up to "
        f"{{total_before:auto}} of {named(result)}, from there on to {{total_after:auto}}, on "
        f"{{rows_after:.0%}} of rows."
    )
    return writer.say(
        text,
        side=writer.word("side", predicate, side),
        break_level=writer.part("break_level", '$["break_level"]', _level(seen["break_level"])),
        before_level=writer.part("before_level", '$["before_level"]', _level(seen["before_level"])),
    )


def _level(value: float) -> str:
    return ",.2f" if abs(value) < 10 and value != int(value) else finest(value)
