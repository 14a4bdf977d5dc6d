"""G01, G02: how a measure differs between groups, and who contributes.

What belongs here: one measure over the levels of one dimension. Second questions to it (mix, composition,
confounding, dose) are in `mixture`. Paper: NotebookRAG §4.2; notes on plays, §3 G.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lakebook.analyst.intent import Intent, IntentKind
from lakebook.analyst.phrases import everywhere, holds, identifier, short_title
from lakebook.analyst.play import (
    Candidate,
    Cells,
    Facts,
    Family,
    FindingDraft,
    FindingVerdict,
    InsightDraft,
    Play,
    Proposal,
)
from lakebook.analyst.plays.choices import (
    clusters,
    dimensions,
    key_flow,
    key_measure,
    may_be_negative,
    size_flow,
    units_by_level,
)
from lakebook.analyst.plays.mixture import MIXTURE_PLAYS
from lakebook.analyst.plays.rates import Rate
from lakebook.analyst.plays.wording import (
    Writer,
    all_of,
    certainty,
    named,
    not_enough,
    plain,
    size_score,
    start,
    tests,
)
from lakebook.analyst.table import Table

Seen = Mapping[str, Any]


class GroupDifference:
    """G01: does a measure differ between groups, and by how much."""

    id = "G01"
    title = "Differences between groups"
    family: Family = "groups"
    relevance: Mapping[IntentKind, float] = everywhere(0.4, compare=1.0, regress=0.8, describe=0.6)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the key measure over each dimension whose levels have enough independent units."""
        measure = key_measure(table, intent)
        if measure is None:
            return Proposal(reason="no number to compare")
        found = [c for c in dimensions(table, intent, 4, 30) if units_by_level(table, c.name) >= 6]
        if not found:
            return Proposal(reason="no category whose levels have at least six independent units")
        how = "mean" if measure.use == "ratio" else "sum"
        candidates = [
            Candidate(
                self.id,
                identifier(measure.name, "by", column.name),
                (measure.name, column.name),
                0.9 - 0.1 * place,
                {"clusters": list(clusters(table, column.name)), "how": how},
            )
            for place, column in enumerate(found)
        ]
        return Proposal(tuple(candidates))

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Put rows of one unit together, then compare."""
        (value, group), key = candidate.columns, candidate.key
        units: Any = candidate.params["clusters"]
        rows = (
            f"by_cluster(base, {group!r}, {value!r}, {units!r}, {candidate.params['how']!r})"
            if units
            else "base"
        )
        fewest = ", fewest=6" if table.structure.entities else ""
        code = f"""
{key}_units = {rows}
{key}, {key}_table = group_difference({key}_units, {group!r}, {value!r}{fewest})
{key}_table
"""
        return Cells(code.strip(), ("by_cluster", "group_difference", "draw_dots"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """State the difference and its size."""
        value, group = candidate.columns
        seen: Seen = facts
        writer = Writer(candidate.key, facts)
        units: Any = candidate.params["clusters"]
        what = _unit(value, candidate, units)
        goal = f"Does {named(value)} differ between the levels of {named(group)}?"
        method = (
            "Kruskal-Wallis with epsilon squared, pairs by Dunn with Holm, medians with distribution-free "
            "intervals "
            "(95 %), highest against lowest by the Hodges-Lehmann shift"
            + (f"; rows of one {_words(units)} count once." if units else ".")
        )
        if not seen["enough"]:
            return not_enough(
                goal, method, f"{plain(value)} by {plain(group)}", "it takes two groups with enough units"
            )
        differ = seen["p"] < 0.05 and seen["effect"] >= 0.02
        verdict: FindingVerdict = "supported" if differ else "not_supported"
        if differ:
            predicate = '$["p"] < 0.05 and $["effect"] >= 0.02'
            text = (
                f"The median of {what} is highest for {{top}} ({{top_median:auto}}) and lowest for "
                f"{{bottom}} "
                "({bottom_median:auto}); the groups {word} (epsilon squared {effect:.3f}, {groups:d} groups, "
                "{rows:,d} values)."
            )
            word = writer.word("word", predicate, "differ")
        else:
            text = (
                f"By {named(group)}, {what} is {{word}}: epsilon squared {{effect:.3f}}, p {{p:p}}, "
                f"{{rows:,d}} values "
                "in {groups:d} groups; the medians run from {bottom_median:auto} to {top_median:auto}."
            )
            predicate = 'not ($["p"] < 0.05 and $["effect"] >= 0.02)'
            word = writer.word("word", predicate, "not clearly different between groups")
        insights = [writer.say(text, word=word)]
        if differ:
            insights.append(_ends(writer, seen))
        insights += _group_cautions(writer, seen)
        top = _short(seen["top"])
        return FindingDraft(
            title=short_title(
                f"{start(plain(value))} is highest for {top}" if differ and _clean(top)
                else f"{start(plain(value))} differs by {plain(group)}" if differ
                else f"{start(plain(value))} hardly differs by {plain(group)}"
            ),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict=verdict,
            effect=size_score(seen["effect"], 0.02, 0.25),
            reliability=certainty(seen["p"]),
            tests=tests(self.id, [(f"{value} by {group}", seen["p"], seen["rows"])]),
            population=f"`base`, {seen['rows']:,d} values of {what}, blanks left out",
        )  # fmt: skip

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw medians with intervals."""
        seen: Seen = facts
        if not seen["enough"]:
            return ""
        value, key = candidate.columns[0], candidate.key
        units: Any = candidate.params["clusters"]
        title = self.read(candidate, facts, table, Intent("", "describe")).title
        label = f"Median {value}" + (f" by {_words(units)}" if units else "") + " with interval"
        return f"""
draw_dots(
    {key}_table["level"], {key}_table["median"], {key}_table["low"], {key}_table["high"],
    title={title!r}, xlabel={label!r},
)
""".strip()


def _words(units: list[str]) -> str:
    return " and ".join(units)


def _unit(value: str, candidate: Candidate, units: list[str]) -> str:
    if not units:
        return named(value)
    return f"the {candidate.params['how']} of {named(value)} by {' and '.join(named(unit) for unit in units)}"


def _short(level: str) -> str:
    return plain(level) if len(level) <= 30 else ""


def _clean(level: str) -> bool:
    return bool(level) and not any(c.isdigit() for c in level)


def _ends(writer: Writer, seen: Seen) -> InsightDraft:
    sure = (seen["shift_low"] > 0 or seen["shift_high"] < 0) and seen["ends_p"] < 0.05
    predicate = '(($["shift_low"] > 0 or $["shift_high"] < 0) and $["ends_p"] < 0.05)'
    word = writer.word("sure", predicate if sure else f"not {predicate}", "" if sure else "not clearly ")
    shift = "a typical difference of {shift:auto} (interval {shift_low:auto} to {shift_high:auto})"
    text = f"{{top}} against {{bottom}}: {shift}; {{pairs_differ:d}} of {{pairs:d}} pairs of groups differ."
    if sure:
        return writer.say(text)
    # Alone the two would differ; among all pairs that were compared they do not.
    among = " once every pair is counted" if seen["shift_low"] > 0 or seen["shift_high"] < 0 else ""
    text = (
        f"{{top}} and {{bottom}} are {{sure}}apart{among}: {shift}; {{pairs_differ:d}} of {{pairs:d}} pairs "
        f"of groups differ."
    )
    return writer.say(text, sure=word)


def _group_cautions(writer: Writer, seen: Seen) -> list[InsightDraft]:
    found = []
    if seen["p"] < 0.05 and seen["effect"] < 0.02:
        text = "The p-value is small because there are {rows:,d} values, not because the difference is large."
        found.append(writer.say(text, caution=True))
    if seen["shapes_differ"]:
        word = writer.word("shapes", '$["shapes_differ"]', "differ in spread")
        text = "The groups {shapes} too, so a median does not tell the whole difference."
        found.append(writer.say(text, caution=True, shapes=word))
    if seen["smallest_group"] < 30:
        text = "The smallest group has {smallest_group:d} values only."
        found.append(writer.say(text, caution=True))
    return found


class Contribution:
    """G02: who holds which share of a sum, with losses apart."""

    id = "G02"
    title = "Who contributes"
    family: Family = "groups"
    relevance: Mapping[IntentKind, float] = everywhere(0.3, compare=0.9, describe=0.8)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the key flow over each dimension."""
        flow = key_flow(table, intent)
        found = dimensions(table, intent, 5, 50)
        if flow is None or not found:
            return Proposal(reason="no column that adds up, or no category to split it by")
        size = size_flow(table, flow) if may_be_negative(flow) else None
        candidates = [
            Candidate(
                self.id,
                identifier(flow.name, "from", column.name),
                (flow.name, column.name, *([size.name] if size else [])),
                0.9 - 0.12 * place,
            )
            for place, column in enumerate(found)
        ]
        return Proposal(tuple(candidates))

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Add up by level."""
        (value, group, *size), key = candidate.columns, candidate.key
        unit = table.structure.coarse_key or (table.structure.time if table.structure.entities else "")
        more = (f", cluster={unit!r}" if unit else "") + (f", size={size[0]!r}" if size else "")
        shown = ["total", "share", "gain", "loss", "rows"] if size else ["total", "share", "rows"]
        code = f"""
{key}, {key}_table = contribution(base, {group!r}, {value!r}{more})
{key}_table.reindex(columns={shown!r}).head(15)
"""
        return Cells(code.strip(), ("contribution", "draw_bars"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Name the largest, the losing, and what does not match size."""
        value, group, *size = candidate.columns
        seen: Seen = facts
        writer = Writer(candidate.key, facts)
        goal = f"Which levels of {named(group)} make up {named(value)}?"
        method = (
            "Sums by level, gains and losses of single rows apart; the first level leads if its distance "
            "to the second "
            "exceeds its sampling error."
        )
        if not seen["enough"]:
            return not_enough(
                goal, method, f"{plain(value)} from {plain(group)}", "it takes two levels and a sum"
            )
        insights = [_leader(writer, group, value, seen)]
        losing = bool(seen["losing_levels"])
        if losing:
            insights.insert(0, _losers(writer, value))  # the title is on this
        if seen["losses"] < 0:
            insights.append(_losses(writer, value, group))
            if not losing:
                insights.append(_none_loses(writer, value, group))
        if size and seen["gap"] >= 5:
            text = (
                f"{{gap_level}} ranks {{gap_size_rank:d}} by {named(size[0])} and {{gap_rank:d}} of "
                f"{{levels:d}} by "
                f"{named(value)}."
            )
            insights.append(writer.say(text))
        top, bottom = _short(seen["top"]), _short(seen["bottom"])
        verb = "contributes most" if seen["lead_sure"] else "is among the largest contributors"
        title = (
            f"{start(top)} {verb} to {plain(value)}"
            if _clean(top)
            else f"{start(plain(group))} levels share {plain(value)}"
        )
        if losing and _clean(bottom):
            title = f"{start(bottom)} adds up to a loss of {plain(value)}"
        elif _loss_story(seen):
            worst = _short(seen["loss_share_top"])
            title = (
                f"{start(worst)} loses most of what it gains in {plain(value)}"
                if seen["loss_share_most"] > 0.5
                else title
            )
            title = title if _clean(worst) else f"Losses eat unequal parts of the gains by {plain(group)}"
        even = 1 / seen["levels"]
        return FindingDraft(
            title=short_title(title),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported",
            effect=max(
                size_score(max(seen["top_share"] - even, 0), 0.05, 0.5),
                size_score(max(seen["loss_share_most"] - seen["loss_share_all"], 0), 0.05, 0.5)
                if size
                else 0.0,
                0.9 if losing else 0.0,
            ),
            reliability=1.0 if losing or seen["lead_sure"] else 0.8,
            population=f"`base`, {seen['rows']:,d} rows with a value",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the sums, losses in vermillion (beyond 15 levels the ten largest), or the shares of loss."""
        seen: Seen = facts
        if not seen["enough"]:
            return ""
        (value, group, *_), key = candidate.columns, candidate.key
        title = self.read(candidate, facts, table, Intent("", "describe")).title
        many = seen["levels"] > 15
        if _loss_story(seen):
            return f"""
{key}_shown = {key}_table["loss_share"].dropna().nlargest(15)
draw_bars(
    {key}_shown.index, {key}_shown, title={title!r}, percent=True,
    xlabel={f"Losses in percent of gains, {value} by {group}"!r},
)
""".strip()
        pick = (
            f"{key}_table[({key}_table['total'] < 0) | ({key}_table['total'].rank(ascending=False) <= "
            f"10)].head(20)"
        )
        label = f"Sum of {value} by {group}" + (" (ten largest, and losses)" if many else "")
        return f"""
{key}_shown = {pick if many else f"{key}_table"}
draw_bars({key}_shown.index, {key}_shown["total"], title={title!r}, xlabel={label!r})
""".strip()


def _loss_story(seen: Seen) -> bool:
    """Tell whether no level loses on the whole, but one gives back far more of its gains than the rest."""
    unequal = seen["loss_share_most"] > 1.3 * seen["loss_share_all"]
    return bool(not seen["losing_levels"] and seen["losses"] < 0 and unequal)


def _leader(writer: Writer, group: str, value: str, seen: Seen) -> InsightDraft:
    predicate = '$["lead_sure"]' if seen["lead_sure"] else 'not $["lead_sure"]'
    word = writer.word("word", predicate, "the largest" if seen["lead_sure"] else "among the largest")
    whole = "what the levels in gain add up to" if seen["losing_levels"] else "the total"
    text = (
        f"Of the {{levels:d}} levels of {named(group)}, {{top}} is {{word}} with {{top_total:auto}} of "
        f"{named(value)}, "
        f"{{top_share:.1%}} of {whole}; then {{second}} with {{second_share:.1%}}."
    )
    if seen["lead_sure"]:
        return writer.say(text, word=word)
    return writer.say(text[:-1] + ", a distance within sampling error.", word=word)


def _none_loses(writer: Writer, value: str, group: str) -> InsightDraft:
    text = f"{{none}} of {named(group)} loses {named(value)} on the whole."
    claim = holds("none", f'len({writer.key}["losing_levels"]) == 0', "No level", absence=True)
    return writer.say(text, none=claim)


def _losers(writer: Writer, value: str) -> InsightDraft:
    text = (
        f"{{number}} of {{levels:d}} levels add up to a loss of {named(value)}: {{names}}, together "
        f"{{losing_total:auto}}; "
        "the lowest is {bottom} with {bottom_total:auto}."
    )
    return writer.say(
        text,
        number=writer.part("number", 'len($["losing_levels"])', ",d"),
        names=writer.part("names", all_of('$["losing_levels"][:8]')),
    )


def _losses(writer: Writer, value: str, group: str) -> InsightDraft:
    text = (
        f"{{rows_losing:.1%}} of rows have a negative {named(value)}; they take back "
        f"{{loss_share_all:.0%}} of what the "
        f"others gain, most in {{loss_share_top}} ({{loss_share_most:.0%}})."
    )
    return writer.say(text)


PLAYS: tuple[Play, ...] = (GroupDifference(), Contribution(), Rate(), *MIXTURE_PLAYS)
