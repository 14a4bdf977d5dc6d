"""R04, R06, R07: what a model must know before it is built.

What belongs here: collinear columns, the target and its baseline, columns that may leak it. No model.
Paper: NotebookRAG §4.2; notes on plays, §3 R.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lakebook.analyst.intent import Intent, IntentKind
from lakebook.analyst.phrases import everywhere, identifier, listed, short_title
from lakebook.analyst.play import Candidate, Cells, Facts, Family, FindingDraft, InsightDraft, Play, Proposal
from lakebook.analyst.plays.choices import affordable, clusters, dimensions, measures, tried_only
from lakebook.analyst.plays.wording import Writer, all_of, named, not_enough, plain, size_score, start
from lakebook.analyst.table import Table

Seen = Mapping[str, Any]


def _models(intent: Intent) -> bool:
    return bool({"classify", "regress"} & {intent.kind, *intent.others})


class Collinearity:
    """R04: which predictors say the same."""

    id = "R04"
    title = "Columns that say the same"
    family: Family = "relations"
    relevance: Mapping[IntentKind, float] = everywhere(0.3, regress=0.9, classify=0.6, forecast=0.5)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the numbers beside the target."""
        sums = {total for total, _ in table.structure.identities} | {intent.target}
        found = [c.name for c in measures(table, intent, 16) if c.name not in sums]
        if len(found) < 3 or table.rows <= 10 * len(found):
            return Proposal(reason="fewer than three numbers beside the target")
        return Proposal((Candidate(self.id, "collinearity_of_numbers", tuple(found), 0.7),))

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Compute variance inflation and groups."""
        key = candidate.key
        code = f"""
{key}, {key}_table = collinearity(base, {list(candidate.columns)!r})
{key}_table.round(1)
"""
        return Cells(code.strip(), ("collinearity", "draw_bars"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Name the groups of columns of which a model needs one."""
        seen: Seen = facts
        writer = Writer(candidate.key, facts)
        goal = "Which numbers say the same, so that a model needs only one of them?"
        method = (
            "Variance inflation factor (VIF) from the inverse correlation matrix, above 10 strong; groups "
            "by average "
            "linkage of rank correlations of 0.7 and more."
        )
        if not seen["enough"]:
            return not_enough(
                goal, method, "collinearity", "it takes three numbers that vary and ten rows for each"
            )
        strong = seen["strong"] > 0
        spec = ",.0f" if seen["top_vif"] >= 10 else ".1f"
        vif = writer.part("vif", 'min($["top_vif"], 1e6)', spec)
        more = " (the largest that is shown)" if seen["top_vif"] > 1e6 else ""
        text = (
            f"{{strong:d}} of {{columns:d}} numbers have a VIF above the line of ten; {{top}} has the "
            f"largest, {{vif}}{more}."
        )
        insights = [writer.say(text, vif=vif)]
        if seen["exact"]:
            names = writer.part("names", all_of('$["exact"][:8]'))
            text = "Exact sums of others: {names}; a model with all of them has no unique solution."
            insights.append(writer.say(text, names=names, caution=True))
        if seen["groups"]:
            names = writer.part("group", all_of('$["groups"][0]'))
            text = (
                "These move together: {group}; keeping one of each such group leaves {left:d} of "
                "{columns:d} numbers."
            )
            # What the title rests on comes first: the factors where they are large, else the group.
            insights.insert(len(insights) if strong else 0, writer.say(text, group=names))
        return FindingDraft(
            title=short_title(
                "Several numbers say nearly the same"
                if strong or seen["groups"]
                else "No number repeats the others"
            ),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported" if strong or seen["groups"] else "not_supported",
            effect=size_score(min(seen["top_vif"], 1000.0), 5.0, 50.0) if strong else 0.3,
            reliability=1.0,
            population=f"`base`, {seen['rows']:,d} rows without blanks in these columns",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the factors up to a hundred, the true ones as text."""
        seen: Seen = facts
        if not seen["enough"] or seen["strong"] == 0:
            return ""
        key = candidate.key
        title = self.read(candidate, facts, table, Intent("", "describe")).title
        return f"""
draw_bars(
    {key}_table.index, {key}_table["vif"].clip(upper=100), title={title!r},
    texts=[f"{{vif:,.1f}}" if vif < 1e6 else "exact" for vif in {key}_table["vif"]],
    xlabel="Variance inflation factor (bars end at a hundred)",
)
""".strip()


class Target:
    """R06: the target, and the score that needs no column."""

    id = "R06"
    title = "The target and its baseline"
    family: Family = "relations"
    relevance: Mapping[IntentKind, float] = everywhere(0.05, regress=1.0, classify=1.0)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the target of a model."""
        if not intent.target or not _models(intent):
            return Proposal(reason="no target for a model is named")
        return Proposal((Candidate(self.id, identifier("target", intent.target), (intent.target,), 1.0),))

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Describe the target."""
        key = candidate.key
        code = f"""
{key}, {key}_table = target_overview(base, {candidate.columns[0]!r})
{key}_table
"""
        return Cells(code.strip(), ("target_overview", "draw_bars", "draw_histogram"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """State spread or balance and the baseline."""
        target = candidate.columns[0]
        seen: Seen = facts
        writer = Writer(candidate.key, facts)
        goal = f"What is {named(target)} like, and which score needs no column at all?"
        method = (
            "Quantiles or shares of the target; baseline: always guess the median, or the most frequent "
            "level."
        )
        if not seen["enough"]:
            return not_enough(goal, method, plain(target), "it takes ten values that vary")
        if seen["numeric"]:
            text = (
                f"Half of {named(target)} lies between {{q25:auto}} and {{q75:auto}}, the median is "
                f"{{median:auto}}, the "
                "mean {mean:auto}; a model must beat the mean absolute error of {baseline_error:auto} that "
                "guessing the "
                "median gives."
            )
            title = f"Guessing the median is the baseline for {plain(target)}"
        else:
            text = (
                f"{{top}} is the most frequent of {{levels:d}} levels of {named(target)} with "
                f"{{top_share:.1%}}; a model "
                "must beat that share of right guesses, and {rarest} has {rarest_share:.1%} of rows."
            )
            title = f"Guessing the most frequent {plain(target)} is the baseline"
        insights = [writer.say(text)]
        if seen["missing"] > 0:
            insights.append(
                writer.say("{missing:.1%} of rows have no target and cannot be used to learn.", caution=True)
            )
        if not seen["numeric"] and seen["rarest_share"] < 0.1:
            text = "With a level that rare, accuracy says little; split by level and use balanced scores."
            insights.append(InsightDraft(text, (), caution=True))
        return FindingDraft(
            title=short_title(title),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported",
            effect=0.8,
            population=f"`base`, {seen['rows']:,d} rows with a target",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the distribution of the target."""
        seen: Seen = facts
        if not seen["enough"]:
            return ""
        target, key = candidate.columns[0], candidate.key
        title = self.read(candidate, facts, table, Intent("", "describe")).title
        if seen["numeric"]:
            inner = f"{key}_values.between({key}['p1'], {key}['p99'])"
            return f"""
{key}_values = base[{target!r}].dropna()
draw_histogram({key}_values[{inner}], title={title!r}, xlabel={f"{target} (without the outer percent)"!r})
""".strip()
        return f"""
draw_bars(
    {key}_table.index[:15], {key}_table["share"][:15], title={title!r},
    xlabel={f"Share of rows by {target}"!r},
    percent=True,
)
""".strip()


def _screened(table: Table, intent: Intent, most: int) -> list[str]:
    """Return the columns that are tried alone on the target, at most so many numbers and categories."""
    found = [*measures(table, intent, most + 1), *dimensions(table, intent, most, 60)]
    return [name for name in dict.fromkeys(c.name for c in found) if name != intent.target]


class Leaks:
    """R07: columns that predict the target suspiciously well alone."""

    id = "R07"
    title = "Columns that may leak the target"
    family: Family = "relations"
    relevance: Mapping[IntentKind, float] = everywhere(0.05, regress=0.9, classify=1.0)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the target of a model against measures and dimensions."""
        if not intent.target or not _models(intent):
            return Proposal(reason="no target for a model is named")
        columns = _screened(table, intent, affordable(table))
        if not columns:
            return Proposal(reason="no column beside the target")
        key = identifier("single columns for", intent.target)
        return Proposal((Candidate(self.id, key, (intent.target, *columns), 0.8),))

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Score each column alone."""
        target, *columns = candidate.columns
        key = candidate.key
        code = f"""
{key}, {key}_table = leak_hints(base, {target!r}, {columns!r}, clusters={clusters(table, target)!r})
{key}_table.round(3)
"""
        return Cells(code.strip(), ("leak_hints", "draw_bars"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Name suspects, and what alone helps."""
        target = candidate.columns[0]
        seen: Seen = facts
        writer = Writer(candidate.key, facts)
        goal = f"Does a single column give {named(target)} away, and which help at all?"
        method = (
            "R2 on held-out folds of the mean by class of each column alone (target in ranks, or in "
            "indicators of its "
            "levels); whole units are held out; above 0.95 a column may contain the target."
            + (" A sample of rows is used." if seen.get("sampled") else "")
        )
        if not seen["enough"]:
            return not_enough(goal, method, f"leaks of {plain(target)}", "it takes a hundred rows")
        suspects = [str(name) for name in seen["suspects"]]
        text = (
            "Alone, {top} predicts best: {top_score:.2f} of the variance on held-out units; {useful:d} of "
            "{columns:d} columns reach a twentieth."
        )
        if not seen["useful"]:
            text = "None of {columns:d} columns alone predicts a twentieth of the variance on held-out units."
        insights = [writer.say(text)]
        if suspects:
            names = writer.part("names", all_of('$["suspects"]'))
            text = (
                "{names} predict it almost fully, probably because they contain it: leave them out of a "
                "model."
            )
            insights.append(writer.say(text, names=names, caution=True))
        fixed = [f"{a} fixes {b}" for a, b in table.structure.determined if target in (a, b)]
        if fixed:
            insights.append(InsightDraft(f"By rule: {listed(fixed[:4], quote=False)}.", (), caution=True))
        left_out = tried_only(candidate.columns[1:], len(_screened(table, intent, len(table.columns))))
        insights += left_out
        leak = "no column that was tried leaks it" if left_out else "no column leaks it"
        if suspects:
            title = f"A column may contain {plain(target)}"
        elif seen["useful"]:
            title = f"{start(plain(seen['top']))} alone says most about {plain(target)}, and {leak}"
        else:
            title = f"No column alone says much about {plain(target)}, and {leak}"
        return FindingDraft(
            title=short_title(title),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported",
            effect=1.0 if suspects else size_score(max(seen["top_score"], 0.0), 0.05, 0.5),
            reliability=0.9,
            always=bool(suspects),
            population=f"`base`, {seen['rows']:,d} rows" + (" (sampled)" if seen["sampled"] else ""),
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the scores."""
        seen: Seen = facts
        if not seen["enough"] or seen["columns"] < 2:
            return ""
        key = candidate.key
        title = self.read(candidate, facts, table, Intent("", "describe")).title
        return f"""
{key}_shown = {key}_table.head(15).clip(lower=0)
draw_bars(
    {key}_shown.index, {key}_shown["score"], title={title!r}, xlabel="Share of variance predicted alone (R2)"
)
""".strip()


TARGET_PLAYS: tuple[Play, ...] = (Collinearity(), Target(), Leaks())
