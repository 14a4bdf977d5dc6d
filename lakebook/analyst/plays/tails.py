"""U03, U04, S13: few entities that hold much, values far from the rest, blanks that gather.

What belongs here: the edges of a column. Its middle is described in `one_variable`. Paper: NotebookRAG
§4.2.2; notes on plays, §3 U.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from lakebook.analyst.intent import Intent
from lakebook.analyst.phrases import (
    everywhere,
    holds,
    identifier,
    label,
    main_flow,
    number,
    quoted,
    short_title,
    spec_for,
)
from lakebook.analyst.play import (
    Candidate,
    Cells,
    ClaimDraft,
    Facts,
    Family,
    FindingDraft,
    InsightDraft,
    Proposal,
    Test,
)
from lakebook.analyst.plays.one_variable import prior_of
from lakebook.analyst.table import Table

Seen = Mapping[str, Any]


class Concentration:
    """U03: how much of the whole few entities hold."""

    id = "U03"
    title = "Concentration on few"
    family: Family = "one_variable"
    relevance = everywhere(0.5, compare=0.8, describe=0.7, segment=0.7, forecast=0.3)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose entities of at least 20 with the widest flow."""
        flow = main_flow(table, intent.target)
        if flow is None:
            return Proposal(reason="no column adds up over rows")
        if float(flow.min or 0) < 0:
            # Shares of a sum of gains and losses mean nothing; another flow may have one sign.
            whole = [c for c in table.having("flow", "count") if float(c.min or -1) >= 0]
            flow = next(iter(whole), flow)
        kept = dict(table.structure.parts)
        columns = [c for c in table.having("code", "dim_high", "geo") if 20 <= c.distinct <= table.rows / 2]
        columns = [c for c in columns if c.name not in kept and c.dtype in ("text", "integer")]
        ranked = sorted(columns, key=lambda c: (-prior_of(c, intent), c.use != "dim_high"))[:2]
        found = [
            Candidate(self.id, identifier("held", flow.name, c.name), (c.name, flow.name), 0.6 - 0.1 * place)
            for place, c in enumerate(ranked)
        ]
        return Proposal(tuple(found), "" if found else "no column names twenty or more entities")

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Compute Gini coefficient, shares and the running share."""
        entity, flow = candidate.columns
        key = candidate.key
        code = f"""
{key} = concentration(base, {entity!r}, {flow!r})
pd.Series({{name: value for name, value in {key}.items() if name != "curve"}}, name={flow!r}).to_frame()
"""
        return Cells(code.strip(), ("concentration",))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say how many entities hold four fifths."""
        entity, flow = candidate.columns
        key = candidate.key
        seen: Seen = facts
        goal = f"Is {quoted(flow)} held by few {quoted(entity)}s or spread over many?"
        method = (
            "Entities are ordered by their sum; the Gini coefficient has a bootstrap interval over entities."
        )
        if seen["entities"] < 20:
            return FindingDraft("Too few entities", goal, method, (), "not_applicable")
        concentrated = seen["gini"] >= 0.6 or seen["fifth"] >= 0.6
        claims: tuple[ClaimDraft, ...] = (
            number("entities", f"{key}['entities']"),
            number("some", f"{key}['for_80']"),
            number("some_share", f"{key}['for_80'] / {key}['entities']", ".0%"),
            number("fifth", f"{key}['fifth']", ".0%"),
            number("gini", f"{key}['gini']", ".2f"),
            number("low", f"{key}['gini_low']", ".2f"),
            number("high", f"{key}['gini_high']", ".2f"),
        )
        test = f"{key}['gini'] >= 0.6 or {key}['fifth'] >= 0.6"
        word = (
            holds("word", test, "concentrated")
            if concentrated
            else holds("word", f"not ({test})", "not concentrated")
        )
        text = (
            f"{quoted(flow)} is {{word}}: the largest fifth of the {{entities}} values of "
            f"{quoted(entity)} holds {{fifth}}, "
            "and {some} of them ({some_share}) make up four fifths (Gini coefficient {gini}, interval "
            "{low} to {high})."
        )
        insights = [InsightDraft(text, (*claims, word))]
        if seen["negative"]:
            negative = (number("negative", f"{key}['negative']"),)
            note = (
                f"{{negative}} values of {quoted(entity)} have a sum below zero and are left out of "
                f"these shares."
            )
            insights.append(InsightDraft(note, negative, caution=True))
        floor, big = 0.4, 0.8
        effect = min(1.0, math.log1p(float(seen["gini"]) / floor) / math.log1p(big / floor))
        return FindingDraft(
            title=short_title(
                f"{flow} is {'concentrated on few' if concentrated else 'spread over many'}: {entity}"
            ),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported" if concentrated else "suggestive",
            effect=effect if concentrated else 0.4 * effect,
            population=f"values of {quoted(entity)} with a sum above zero, rows of base",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the running share of the whole over the entities, largest first."""
        entity, flow = candidate.columns
        key = candidate.key
        seen: Seen = facts
        if seen["entities"] < 20:
            return ""
        title = (
            f"A small part of {entity} holds much of {flow}"
            if seen["fifth"] >= 0.6
            else f"{flow} is spread over {entity}"
        )
        return f"""
{key}_curve = pd.Series(dict({key}["curve"]))
{key}_even = pd.Series({{0.0: 0.0, 1.0: 1.0}})
{key}_ax = draw_lines(
    {{"actual": {key}_curve, "if all were equal": {key}_even}}, highlight=["actual"], percent=True,
    title={title!r}, ylabel={f"Share of {flow}"!r}, xlabel={f"Share of {entity}, largest first"!r},
)
number_axis({key}_ax, "x", percent=True)
""".strip()


class RobustOutliers:
    """U04: values far from the rest, told from a heavy tail."""

    id = "U04"
    title = "Values far from the rest"
    family: Family = "one_variable"
    relevance = everywhere(0.4, anomaly=1.0, regress=0.7, describe=0.5)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the target, or the widest flow."""
        measures = [c for c in table.having("flow", "ratio", "count") if c.distinct >= 30]
        measures = [c for c in measures if table.rows - c.nulls >= 50]
        ranked = sorted(measures, key=lambda c: -prior_of(c, intent))[:2]
        found = [
            Candidate(self.id, identifier("far", c.name), (c.name,), prior_of(c, intent) - 0.1 * place)
            for place, c in enumerate(ranked)
        ]
        return Proposal(tuple(found), "" if found else "no numeric column has enough different values")

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Flag values, on logs if the shape asks for it."""
        key, name = candidate.key, candidate.columns[0]
        code = f"""
{key} = robust_outliers(base[{name!r}], log=numeric_shape(base[{name!r}]).get("log", False))
base.loc[base[{name!r}].isin({key}["top"])].head(5)
"""
        return Cells(code.strip(), ("robust_outliers", "numeric_shape"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say how many values are far off and what they weigh; a few percent are a tail and not outliers."""
        name, key = candidate.columns[0], candidate.key
        seen: Seen = facts
        goal = f"Which values of {quoted(name)} lie far from the rest, and do they matter?"
        method = (
            "A value is far off if it lies more than 3.5 median absolute deviations from the median (on "
            "logs where "
            "that is clearer). Nothing is removed."
        ).replace("3.5", "three and a half")
        if not seen["flagged"]:
            return FindingDraft(f"No value of {name} is far off", goal, method, (), "not_supported")
        claims: list[ClaimDraft] = [
            number("flagged", f"{key}['flagged']"),
            number("share", f"{key}['share']", ".2%"),
            number("high", f"{key}['high']"),
            number("low", f"{key}['low']"),
        ]
        tail = seen["share"] > 0.02
        claims = claims if seen["high"] and seen["low"] else claims[:2]
        sides = ", {high} above and {low} below" if len(claims) > 2 else ""
        text = f"{{flagged}} values of {quoted(name)} ({{share}}) lie far from the rest{sides}. "
        if tail:
            text += "That is too many for errors: the distribution has a heavy tail."
        else:
            spec = spec_for(seen["mean"], seen["mean_without"])
            claims += [
                number("mean", f"{key}['mean']", spec),
                number("without", f"{key}['mean_without']", spec),
            ]
            text += "They are few enough to look at each. With them the mean is {mean}, else {without}."
        insights = [InsightDraft(text, tuple(claims))]
        adds_up = table.column(name).use in ("flow", "count") and float(table.column(name).min or -1) >= 0
        if seen["held"] and adds_up:
            held = (number("held", f"{key}['held']", ".0%"),)
            insights.append(InsightDraft(f"They hold {{held}} of all {quoted(name)}.", held))
        move = abs(float(seen["mean"]) / float(seen["mean_without"]) - 1) if seen["mean_without"] else 0.0
        return FindingDraft(
            title=short_title(
                f"{name} has a heavy tail" if tail else f"Few values of {name} lie far from the rest"
            ),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported",
            effect=(0.4 if tail else 1.0) * min(1.0, math.log1p(move / 0.05) / math.log1p(10)),
            impact=float(seen["share"]),
            population=f"rows of base with a value in {quoted(name)}",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw nothing: the rows themselves are shown."""
        return ""


class MissingMechanism:
    """S13: whether blanks gather in some levels of a category."""

    id = "S13"
    title = "Where values are missing"
    family: Family = "one_variable"
    relevance = everywhere(0.5, describe=0.7, classify=0.8, regress=0.8)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the columns with most blanks, if categories exist to hold them against."""
        dims = [c.name for c in table.having("dim", "geo", "boolean") if 2 <= c.distinct <= 30]
        blank = [c for c in table.columns if 0.01 <= c.nulls / max(table.rows, 1) <= 0.99]
        if table.rows < 200 or not blank or not dims:
            return Proposal(reason="no column has blanks in a share that could be explained by a category")
        ranked = sorted(blank, key=lambda c: (-prior_of(c, intent), -c.nulls))[:2]
        found = []
        for place, column in enumerate(ranked):
            others = [name for name in dims if name != column.name][:6]
            if others:
                params: dict[str, Any] = {"dimensions": others}
                prior = 0.6 - 0.2 * place
                found.append(
                    Candidate(self.id, identifier("blank", column.name), (column.name,), prior, params)
                )
        return Proposal(tuple(found), "" if found else "no category to hold blanks against")

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Test the blanks against each category."""
        key, name = candidate.key, candidate.columns[0]
        code = f"""
{key} = missing_mechanism(base, {name!r}, {candidate.params["dimensions"]!r})
{key}_rates = pd.DataFrame({key}.get("rates", []), columns=["level", "share missing", "rows"])
{key}_rates
"""
        return Cells(code.strip(), ("missing_mechanism",))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say where the blanks gather."""
        name, key = candidate.columns[0], candidate.key
        seen: Seen = facts
        goal = f"Are values of {quoted(name)} missing at random?"
        method = (
            "The share of blanks is compared over the levels of each category (chi-squared test, "
            "Cramér's V corrected "
            "for bias; levels of fewer than thirty rows are left out)."
        )
        tests = tuple(Test(f"blanks of {name} by {d}", float(p), int(n)) for d, p, _, n in seen["tests"])
        if not tests:
            return FindingDraft(f"Blanks of {name} cannot be tested", goal, method, (), "not_applicable")
        lowest = min(test.p for test in tests)
        if seen["v"] < 0.1 or lowest >= 0.05:
            title = short_title(f"Blanks of {name} show no pattern")
            return FindingDraft(title, goal, method, (), "not_supported", tests=tests)
        dimension = str(seen["dimension"])
        claims = (
            label("level", f"{key}['rates'][0][0]"),
            number("rate", f"{key}['rates'][0][1]", ".0%"),
            label("other", f"{key}['rates'][-1][0]"),
            number("other_rate", f"{key}['rates'][-1][1]", ".0%"),
            number("v", f"{key}['v']", ".2f"),
        )
        structural = seen["rates"][0][1] >= 0.9 and seen["rates"][-1][1] <= 0.1
        meaning = (
            "The blank goes with the level: it is no gap at random, and filling it in would invent values."
            if structural
            else f"Dropping rows without {quoted(name)} would change the mix of {quoted(dimension)}."
        )
        text = (
            f"{quoted(name)} is missing in {{rate}} of the rows where {quoted(dimension)} is {{level}}, "
            f"but in {{other_rate}} "
            f"where it is {{other}} (Cramér's V {{v}}). {meaning}"
        )
        return FindingDraft(
            title=short_title(f"Blanks of {name} gather by {dimension}"),
            goal=goal,
            method=method,
            insights=(InsightDraft(text, claims),),
            verdict="supported",
            effect=min(1.0, math.log1p(float(seen["v"]) / 0.1) / math.log1p(5)),
            reliability=1.0 if lowest < 0.001 else 0.6,
            impact=float(seen["share"]),
            tests=tests,
            population="rows of base in levels of at least thirty rows",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the share of blanks by level."""
        name, key = candidate.columns[0], candidate.key
        seen: Seen = facts
        if seen.get("v", 0.0) < 0.1 or len(seen["rates"]) < 3:
            return ""
        title = f"{name} is missing most often where {seen['dimension']} is {seen['rates'][0][0]}"
        return f"""
draw_bars(
    {key}_rates["level"].head(15), {key}_rates["share missing"].head(15), percent=True,
    title={title!r}, xlabel={f"Share of rows without {name}"!r},
)
""".strip()
