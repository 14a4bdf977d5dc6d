"""G04, G06, G08: second questions to a difference or a change.

What belongs here: is it mix or rate, does it hold within groups, do two categories go together; shares over
the years are in `composition`, thresholds in `dose`. Paper: NotebookRAG §5.4 (users
missed depth); notes on plays, §3 G.
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
    InsightDraft,
    Play,
    Proposal,
)
from lakebook.analyst.plays.choices import dimensions, fixes, key_measure, linked_pairs, measures
from lakebook.analyst.plays.composition import Composition
from lakebook.analyst.plays.dose import Dose
from lakebook.analyst.plays.wording import (
    Writer,
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


class MixAndRate:
    """G04: did an average move because its parts moved, or because their shares did."""

    id = "G04"
    title = "Mix or rate"
    family: Family = "groups"
    relevance: Mapping[IntentKind, float] = everywhere(0.3, compare=0.9, forecast=0.5, describe=0.6)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose each ratio with a known weight over each dimension, between first and last full year."""
        years = table.structure.period_complete
        if not table.structure.time or len(years) < 2:
            return Proposal(reason="fewer than two full years")
        found = [c for c in measures(table, intent) if c.use == "ratio" and table.structure.weight(c.name)]
        if not found:
            return Proposal(reason="no average whose weight is known")
        ratio = found[0]
        candidates = [
            Candidate(
                self.id,
                identifier(ratio.name, "mix by", column.name),
                (ratio.name, table.structure.weight(ratio.name), column.name, table.structure.time),
                0.8 - 0.15 * place,
                {"years": [years[0], years[-1]]},
            )
            for place, column in enumerate(dimensions(table, intent, 2, 60))
        ]
        return Proposal(tuple(candidates), "" if candidates else "no category to split the change by")

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Split the change."""
        (ratio, weight, group, time), key = candidate.columns, candidate.key
        years: Any = candidate.params["years"]
        code = f"""
{key}, {key}_table = mix_and_rate(base, {group!r}, {ratio!r}, {weight!r}, {time!r}, {years[0]}, {years[1]})
{key}["years"] = {years!r}
{key}_table.head(10).round(4)
"""
        return Cells(code.strip(), ("mix_and_rate", "draw_bars"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say which part is larger."""
        ratio, weight, group, _ = candidate.columns
        seen: Seen = facts
        writer = Writer(candidate.key, facts)
        goal = f"Did {named(ratio)} move because levels of {named(group)} moved, or because their shares did?"
        method = (
            f"The change of the mean weighted by {named(weight)} is split at midpoint weights into a part "
            f"from rates "
            "and a part from shares, which add up to it exactly."
        )
        if not seen["enough"]:
            return not_enough(
                goal, method, f"mix and rate of {plain(ratio)}", "it takes two levels in both years"
            )
        mostly = "shares" if seen["mix_share"] > 0.5 else "rates"
        predicate = '$["mix_share"] > 0.5' if mostly == "shares" else '$["mix_share"] <= 0.5'
        word = writer.word(
            "mostly",
            predicate,
            "mostly shares that moved" if mostly == "shares" else "mostly rates that moved",
        )
        text = (
            f"From {{year_a}} to {{year_b}} the weighted mean of {named(ratio)} went from {{level_a:auto}} "
            f"to "
            "{level_b:auto} ({change_share:+.1%}). Within levels it moved by {rate_part:auto}, by changed "
            "shares "
            f"{{mix_part:auto}}: {{mostly}}. {{top}} contributes most ({{top_total:auto}})."
        )
        years: dict[str, Any] = {
            "year_a": writer.part("year_a", '$["years"][0]', "d"),
            "year_b": writer.part("year_b", '$["years"][1]', "d"),
        }
        insights = [writer.say(text, mostly=word, **years)]
        if seen["opposed"]:
            insights.append(
                writer.say("Rates and shares pull in opposite directions, so the mean hides both.")
            )
        note = f"The split depends on {named(group)}; another category may split the change differently."
        insights.append(InsightDraft(note, (), caution=True))
        moved = abs(seen["change_share"]) >= 0.02 or seen["opposed"]
        return FindingDraft(
            title=short_title(
                f"{start(plain(ratio))} moved within {plain(group)}, not by its shares" if mostly == "rates"
                else f"{start(plain(ratio))} moved because shares of {plain(group)} moved"
            ),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported" if moved else "not_supported",
            effect=size_score(seen["change_share"], 0.05, 0.5) * (1.0 if seen["mix_share"] > 0.2 else 0.7),
            reliability=0.9,
            population=f"`base`, levels with {named(weight)} in both years",
        )  # fmt: skip

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the two parts, if shares matter."""
        seen: Seen = facts
        if not seen["enough"] or seen["mix_share"] < 0.2:
            return ""
        (ratio, _, group, _), key = candidate.columns, candidate.key
        title = self.read(candidate, facts, table, Intent("", "describe")).title
        labels = [f"{ratio} within levels", f"shares of {group}"]
        return f"""
draw_bars({labels!r}, [{key}["rate_part"], {key}["mix_part"]], title={title!r}, xlabel="Part of the change")
""".strip()


class PooledOrWithin:
    """G06: does a relation hold within groups (Simpson's check)."""

    id = "G06"
    title = "Does it hold within groups"
    family: Family = "groups"
    relevance: Mapping[IntentKind, float] = everywhere(0.5, compare=0.9, regress=0.9, describe=0.7)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose one screen: the key measure against other numbers, within each dimension."""
        target = key_measure(table, intent)
        linked = linked_pairs(table)
        if target is None:
            return Proposal(reason="no number to relate")
        others = [
            c.name
            for c in measures(table, intent, 9)
            if c.name != target.name and sorted((c.name, target.name)) not in linked
        ][:4]
        strata = [c.name for c in dimensions(table, intent, 4, 60) if table.rows / c.distinct >= 50]
        if not others or not strata:
            return Proposal(reason="no second number, or no category with fifty rows a level")
        params: dict[str, Any] = {"others": others, "strata": strata}
        columns = (target.name, *others, *strata)
        return Proposal((Candidate(self.id, identifier("within groups", target.name), columns, 0.8, params),))

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Screen all pairs of number and category."""
        key = candidate.key
        others, strata = candidate.params["others"], candidate.params["strata"]
        code = f"""
{key}, {key}_table = pooled_and_within(base, {candidate.columns[0]!r}, {others!r}, {strata!r})
{key}_table.round(3)
"""
        return Cells(code.strip(), ("pooled_and_within", "draw_dots"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say whether a relation reverses, hides or fades within groups."""
        y = candidate.columns[0]
        seen: Seen = facts
        writer = Writer(candidate.key, facts)
        goal = f"Do relations of {named(y)} hold within groups?"
        method = (
            "Rank correlations over all rows against their size-weighted mean within strata of fifty rows "
            "or more "
            "(Fisher z); reversal, masking and fading need intervals that are apart."
        )
        if not seen["enough"]:
            return not_enough(
                goal, method, f"relations of {plain(y)} within groups", "no stratum has fifty rows"
            )
        kind = next((name for name in ("reversal", "masking", "fading") if seen[name]), "")
        x, stratum = str(seen["x"]), str(seen["stratum"])
        told = {
            "reversal": "has the opposite sign within groups",
            "masking": "is at least twice as strong within groups",
            "fading": "is at most half as strong within groups",
            "": "is much the same within groups",
        }
        predicate = f'$["{kind}"]' if kind else 'not ($["reversal"] or $["masking"] or $["fading"])'
        text = (
            f"Over all rows {named(y)} and {named(x)} correlate with {{pooled:+.2f}}, within the levels of "
            f"{named(stratum)} with {{within:+.2f}} on average ({{strata:d}} levels, {{rows:,d}} rows): "
            f"the relation "
            "{word}."
        )
        insights = [writer.say(text, word=writer.word("word", predicate, told[kind]))]
        insights.append(
            writer.say("{screened:d} pairs of number and category were screened, {fired:d} of them differ.")
        )
        if kind:
            note = f"Which of the two answers the question depends on whether {named(stratum)} is held fixed."
            insights.append(InsightDraft(note, (), caution=True))
        titles = {
            "reversal": f"Within {plain(stratum)}, {plain(x)} and {plain(y)} go the other way",
            "masking": f"{start(plain(stratum))} hides how closely {plain(x)} and {plain(y)} go together",
            "fading": f"Much of the link of {plain(x)} and {plain(y)} lies between {plain(stratum)} levels",
            "": f"Relations of {plain(y)} hold within groups",
        }
        logged = [(f"{y}, pooled and within", float(p), int(seen["rows"])) for p in seen["p_all"]]
        return FindingDraft(
            title=short_title(titles[kind]),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported" if kind else "not_supported",
            effect=size_score(seen["pooled"] - seen["within"], 0.2, 0.7) if kind else 0.1,
            reliability=certainty(min(1.0, seen["p"] * seen["screened"]))
            * (0.8 if table.structure.entities else 1.0),
            tests=tests(self.id, logged),
            population="`base`, strata of fifty rows or more",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the correlation by stratum, with the pooled one dashed, if they differ."""
        seen: Seen = facts
        if not seen["enough"] or not (seen["reversal"] or seen["masking"] or seen["fading"]):
            return ""
        key = candidate.key
        title = self.read(candidate, facts, table, Intent("", "describe")).title
        label = f"Rank correlation of {seen['x']} and {candidate.columns[0]}, by {seen['stratum']}"
        return f"""
{key}_shown = {key}_table.sort_values("n", ascending=False, kind="stable").head(20)
draw_dots(
    {key}_shown["stratum"], {key}_shown["r"], {key}_shown["low"], {key}_shown["high"],
    title={title!r}, xlabel={label!r}, reference={key}["pooled"], reference_name="all rows",
)
""".strip()


class TwoCategories:
    """G08: do two categories go together."""

    id = "G08"
    title = "Two categories"
    family: Family = "groups"
    relevance: Mapping[IntentKind, float] = everywhere(0.3, classify=0.8, compare=0.6, describe=0.5)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the first pairs of dimensions that do not fix each other; none in a balanced panel."""
        found = [c.name for c in dimensions(table, intent, 5, 20) if c.name not in table.structure.entities]
        pairs = [(a, b) for i, a in enumerate(found) for b in found[i + 1 :] if not fixes(table, a, b)]
        candidates = [
            Candidate(self.id, identifier(a, "and", b), (a, b), 0.6 - 0.1 * place)
            for place, (a, b) in enumerate(pairs[:4])
        ]
        return Proposal(
            tuple(candidates), "" if candidates else "no two categories that are free of each other"
        )

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Cross-tabulate."""
        (a, b), key = candidate.columns, candidate.key
        unit = table.structure.coarse_key
        rows = f"base.drop_duplicates([{unit!r}, {a!r}, {b!r}])" if unit else "base"
        code = f"""
{key}, {key}_shares = two_categories({rows}, {a!r}, {b!r})
{key}_shares.round(3)
"""
        return Cells(code.strip(), ("two_categories", "draw_table"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say how strongly, and which cell stands out."""
        a, b = candidate.columns
        seen: Seen = facts
        writer = Writer(candidate.key, facts)
        unit = table.structure.coarse_key
        goal = f"Do {named(a)} and {named(b)} go together?"
        method = (
            "Chi-squared with bias-corrected Cramer's V; by permutation where expected counts are small; "
            "cells beyond "
            "three adjusted residuals stand out."
            + (f" Each {named(unit)} counts once a cell." if unit else "")
        )
        if not seen["enough"]:
            return not_enough(goal, method, f"{plain(a)} and {plain(b)}", "it takes two levels each")
        related = seen["p"] < 0.05 and seen["effect"] >= 0.1
        predicate = '$["p"] < 0.05 and $["effect"] >= 0.1'
        word = writer.word(
            "word",
            predicate if related else f"not ({predicate})",
            "go together" if related else "hardly go together",
        )
        text = f"{named(a)} and {named(b)} {{word}}: Cramer's V {{effect:.2f}}, p {{p:p}}, {{rows:,d}} rows."
        insights = [writer.say(text, word=word)]
        if related:
            text = (
                "The cell that stands out most: {cell_share:.0%} of {cell_a} are {cell_b}, against "
                "{overall_share:.0%} over all; {cells_out:d} of {cells:d} cells stand out."
            )
            insights.append(writer.say(text))
        if not seen["dense"]:
            text = "Expected counts are small in part, so the p-value comes from permutations."
            insights.append(InsightDraft(text, (), caution=True))
        title = f"{start(plain(a))} and {plain(b)} " + ("go together" if related else "hardly go together")
        return FindingDraft(
            title=short_title(title),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported" if related else "not_supported",
            effect=size_score(seen["effect"], 0.1, 0.5),
            reliability=certainty(seen["p"]),
            tests=tests(self.id, [(f"{a} and {b}", seen["p"], seen["rows"])]),
            population=f"`base`, {seen['rows']:,d} rows with both; rare levels are put together",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the shares of each row."""
        seen: Seen = facts
        if not seen["enough"] or seen["p"] >= 0.05 or seen["effect"] < 0.1:
            return ""
        (a, b), key = candidate.columns, candidate.key
        title = self.read(candidate, facts, table, Intent("", "describe")).title
        return f"""
draw_table({key}_shares, title={title!r}, xlabel={f"{b} (share of the row)"!r}, ylabel={a!r}, spec=".0%")
""".strip()


MIXTURE_PLAYS: tuple[Play, ...] = (MixAndRate(), PooledOrWithin(), TwoCategories(), Composition(), Dose())
