"""S04, S06, S08, S05: traps that change headline numbers, found by arithmetic and not by names.

What belongs here: totals among the parts, the weight of an average, stale dates, columns that are sums of
others. Traps inside cells and rules between columns are in `cells`. Paper: RADAR §3.2; notes on plays, §3 S.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lakebook.analyst.intent import Intent
from lakebook.analyst.phrases import (
    everywhere,
    holds,
    identifier,
    label,
    listed,
    main_flow,
    main_time,
    names_of,
    number,
    quoted,
    short_title,
)
from lakebook.analyst.play import Candidate, Cells, Facts, Family, FindingDraft, InsightDraft, Proposal
from lakebook.analyst.table import Table

Seen = Mapping[str, Any]
MOST_SUMMANDS = 20


class TotalMembers:
    """S04: members of a dimension that are sums of other members."""

    id = "S04"
    title = "Totals among the parts"
    family: Family = "structure"
    relevance = everywhere(1.0)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose each dimension of 3 to 500 levels, with the widest flow, in cells of time and the rest."""
        flow = main_flow(table, intent.target)
        if flow is None:
            return Proposal(reason="no column adds up over rows")
        time = main_time(table)
        dims = [c for c in table.having("geo", "dim", "dim_high") if 3 <= c.distinct <= 500]
        few = [c.name for c in table.having("dim", "boolean") if c.distinct <= 4]
        found = []
        for column in sorted(dims, key=lambda c: (c.use != "geo", c.distinct))[:5]:
            cells = [*([time.name] if time else []), *[name for name in few if name != column.name][:2]]
            if time is None:
                wide = [c.name for c in dims if c.name != column.name and c.distinct >= 12]
                cells = wide[:1]
            if cells:
                key = identifier("totals", column.name)
                columns = (column.name, flow.name, *cells)
                found.append(Candidate(self.id, key, columns, 1.0 if column.use == "geo" else 0.8))
        return Proposal(
            tuple(found), "" if found else "no dimension has enough members and cells to hold a total"
        )

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Search for totals, and lay the four sums side by side."""
        dimension, flow, *cells = candidate.columns
        key = candidate.key
        code = f"""
{key} = total_members(df, {dimension!r}, {flow!r}, cells={cells!r})
{key}_sums = pd.DataFrame(
    {{"sum": [{key}.get(part) for part in ("top_sum", "level_sum", "others_sum", "naive_sum")]}},
    index=["the total", "the parts that make it up", "all other members", "everything added up"],
)
{key}_sums
"""
        return Cells(code.strip(), ("total_members",))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say which member is a total, and by how much a plain sum is too large."""
        dimension, flow, *cells = candidate.columns
        seen: Seen = facts
        goal = f"Is any member of {quoted(dimension)} the sum of other members?"
        method = (
            "Each large member is explained by the smaller ones with non-negative least squares over "
            "cells of "
            f"{listed(cells)}; it is a total if the coefficients are one or zero and the sum holds in "
            f"every cell."
        )
        if not seen["totals"]:
            return _nothing(f"No member of {quoted(dimension)} is a sum of others", goal, method)
        top, key = str(seen["top"]), candidate.key
        claims = (
            holds("equals", f"{key}['residual'] < 0.001", "equals"),
            number("cells", f"{key}['cells']"),
            number("parts", f"len({key}['level'])"),
            label("names", f"', '.join({key}['level'][:8])"),
            number("members", f"{key}['members']"),
            number("factor", f"{key}['factor']", ",.2f"),
        )
        text = (
            f"{quoted(top)} is not one {quoted(dimension)} among others: in all {{cells}} cells it "
            f"{{equals}} the sum of "
            f"{{parts}} members ({{names}}). Adding up all {{members}} members counts {quoted(flow)} "
            f"{{factor}} times over."
        )
        return FindingDraft(
            title=short_title(f"{top} is the sum of other members of {dimension}"),
            goal=goal,
            method=method,
            insights=(InsightDraft(text, claims), *self._rest(candidate, seen)),
            verdict="supported",
            effect=1.0,
            always=True,
            population=f"all rows, {quoted(flow)} summed in cells of {listed(cells)}",
        )

    def _rest(self, candidate: Candidate, seen: Seen) -> list[InsightDraft]:
        dimension, flow, *_ = candidate.columns
        key = candidate.key
        if not seen["covers_all"] or not seen["others"]:
            text = (
                f"The analysis leaves out what is a sum of other members, so that {quoted(flow)} is "
                f"counted once."
            )
            return [InsightDraft(text, (), caution=True)]
        claims = (
            number("others", f"len({key}['others'])"),
            number("share", f"{key}['others_share']", ".0%"),
            number("kept", f"len({key}['level'])"),
            number("left", f"len(df) - int(df[{dimension!r}].astype(str).isin({key}['level']).sum())"),
        )
        text = (
            f"The other {{others}} members hold {{share}} of the same {quoted(flow)} a second time: they "
            f"are finer cuts of "
            "the whole and cannot be added to it. The analysis keeps the {kept} members that make up the "
            "total, and "
            "sets {left} rows aside; they stay in the frame df."
        )
        return [InsightDraft(text, claims, caution=True)]

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the four sums."""
        seen: Seen = facts
        if not seen["totals"]:
            return ""
        dimension, flow, *_ = candidate.columns
        title = f"Adding up every {dimension} counts {flow} more than once"
        return (
            f"draw_bars(\n    {candidate.key}_sums.index, {candidate.key}_sums['sum'], ordered=True,\n"
            f"    title={title!r}, xlabel={f'Sum of {flow}'!r},\n)"
        )


class WeightOfRatio:
    """S06: the column by which an average must be weighted, proved by a total's own value."""

    id = "S06"
    title = "What weights the average"
    family: Family = "structure"
    relevance = everywhere(0.7, compare=0.9, regress=0.6)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose every ratio, if a total with its parts is known to test it on."""
        ratios = sorted(table.having("ratio"), key=lambda c: c.name != intent.target)[:2]
        flows = names_of(table.having("flow", "count"))
        if not table.structure.totals or not ratios:
            return Proposal(reason="there is no total by which the weight of an average could be tested")
        dimension, totals = table.structure.totals[0]
        parts = dict(table.structure.parts).get(dimension, ())
        few = [c.name for c in table.having("dim", "boolean") if c.distinct <= 4 and c.name != dimension][:2]
        cells = [*([table.structure.time] if table.structure.time else []), *few]
        if not parts or not cells or not flows:
            return Proposal(reason="the total has no parts by which the weight of an average could be tested")
        found = []
        for ratio in ratios:
            params: dict[str, Any] = {
                "total": totals[0],
                "parts": list(parts),
                "flows": flows[:8],
                "cells": cells,
            }
            key = identifier("weight_of", ratio.name)
            found.append(Candidate(self.id, key, (ratio.name, dimension), 0.9, params))
        return Proposal(tuple(found))

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Test each flow as weight, then average the ratio both ways."""
        ratio, dimension = candidate.columns
        p: Seen = candidate.params
        key = candidate.key
        code = f"""
{key} = weight_of_ratio(
    df, {ratio!r}, flows={p["flows"]!r}, dimension={dimension!r},
    total={p["total"]!r}, parts={p["parts"]!r}, cells={p["cells"]!r},
)
{key}_rows = df[df[{dimension!r}].astype(str).isin({p["parts"]!r})]
{key}["plain_mean"] = float({key}_rows[{ratio!r}].mean())
if {key}["weight"]:
    {key}["weighted_mean"] = weighted_mean({key}_rows[{ratio!r}], {key}_rows[{key}["weight"]])
{key}_shares = pd.Series({key}["shares"], name="cells that come out right").rename({{"": "no weight"}})
{key}_shares.to_frame()
"""
        return Cells(code.strip(), ("weight_of_ratio", "weighted_mean"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say which column weights the average, and what the plain mean would be off by."""
        ratio, _ = candidate.columns
        seen: Seen = facts
        key, total = candidate.key, str(candidate.params["total"])
        goal = f"By what must {quoted(ratio)} be weighted when rows are averaged?"
        method = (
            f"In every cell the value of {quoted(total)} is compared with the mean over its parts, "
            f"weighted by each "
            "column that adds up; the right weight reproduces it to the last printed digit."
        )
        if not seen["weight"]:
            return _nothing(f"No column proves to be the weight of {quoted(ratio)}", goal, method)
        weight = str(seen["weight"])
        plain, weighted = float(seen["plain_mean"]), float(seen["weighted_mean"])
        off = abs(plain / weighted - 1) if weighted else 0.0
        claims = (
            number("cells", f"{key}['cells']"),
            number("right", f"{key}['shares'][{weight!r}]", ".0%"),
            number("plain_right", f"{key}['shares']['']", ".0%"),
            number("weighted", f"{key}['weighted_mean']", ",.3f"),
            number("plain", f"{key}['plain_mean']", ",.3f"),
        )
        text = (
            f"Weighted by {quoted(weight)}, the parts reproduce the {quoted(ratio)} of {quoted(total)} "
            f"in {{right}} of "
            "{cells} cells; a plain mean does in {plain_right}. Weighted, the average is {weighted}; "
            "over rows it is {plain}."
        )
        note = (
            f"Later averages of {quoted(ratio)} are weighted by {quoted(weight)}; a mean over rows "
            f"answers another question."
        )
        return FindingDraft(
            title=short_title(f"Averages of {ratio} must be weighted by {weight}"),
            goal=goal,
            method=method,
            insights=(InsightDraft(text, claims), InsightDraft(note, (), caution=True)),
            verdict="supported",
            effect=min(1.0, off * 5),
            always=off > 0.01,
            population=f"rows of {quoted(total)} and of the members that make it up",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw nothing: two numbers say it."""
        return ""


class StaleStamps:
    """S08: dates whose values repeat the date before."""

    id = "S08"
    title = "Dates that repeat the date before"
    family: Family = "structure"
    relevance = everywhere(0.5, forecast=1.0, anomaly=1.0)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the panel with its measures that vary."""
        structure = table.structure
        measures = [c.name for c in table.having("flow", "ratio") if c.dtype == "number" and c.distinct > 20]
        if not structure.time or not structure.entities or not measures:
            return Proposal(reason="rows are not one a date and entity")
        params: dict[str, Any] = {"measures": measures[:3]}
        columns = (structure.time, *structure.entities)
        return Proposal((Candidate(self.id, "stale", columns, 0.9, params),))

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Compute the share of entities that repeat, for every date."""
        time, *entities = candidate.columns
        measures = list(candidate.params["measures"])  # type: ignore[arg-type]
        code = f"""
stale = stale_stamps(df, {time!r}, entities={entities!r}, measures={measures!r})
pd.DataFrame(stale["stamps"], columns=["date", "repeats", "share of series"])
"""
        return Cells(code.strip(), ("stale_stamps",))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say which date repeats which."""
        time, *entities = candidate.columns
        measures = [str(name) for name in candidate.params["measures"]]  # type: ignore[union-attr]
        seen: Seen = facts
        goal = "Does any date merely repeat the values of the date before?"
        method = (
            f"For each date the share of series is counted whose {listed(measures)} equal those of "
            f"the date before."
        )
        if not seen["stamps"]:
            return _nothing("No date repeats the date before", goal, method)
        claims = (
            label("date", "stale['stamps'][0][0]"),
            label("before", "stale['stamps'][0][1]"),
            number("share", "stale['stamps'][0][2]", ".0%"),
            number("series", "stale['entities']"),
            number("elsewhere", "stale['largest_elsewhere']", ".0%"),
        )
        text = (
            "On {date}, {share} of the {series} series repeat their values of {before} to the last "
            "digit; on any other "
            "date at most {elsewhere} do. The date is a copy, not an observation."
        )
        insights = [InsightDraft(text, claims)]
        if len(seen["stamps"]) > 1:
            more = (number("count", "len(stale['stamps'])"),)
            insights.append(InsightDraft("{count} dates repeat the date before them in this way.", more))
        insights.append(
            InsightDraft("The analysis leaves copied dates out, so that nothing is counted twice.", (), True)
        )
        return FindingDraft(
            title="One date is a copy of the date before"
            if len(seen["stamps"]) == 1
            else "Some dates are copies",
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported",
            effect=0.8,
            always=True,
            population=f"series by {listed(entities)} over {quoted(time)}",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the repeat share around the first copied date."""
        seen: Seen = facts
        if not seen["stamps"]:
            return ""
        return """
stale_around = stale["around"][7:22]
draw_bars(
    [day for day, _ in stale_around], [share for _, share in stale_around], ordered=True, percent=True,
    highlight=[stamp[0] for stamp in stale["stamps"]],
    title="A single date repeats the one before", xlabel="Share of series with the values of the date before",
)
""".strip()


class AdditiveIdentities:
    """S05: columns that are the sum, or the product, of other columns."""

    id = "S05"
    title = "Columns made of other columns"
    family: Family = "structure"
    relevance = everywhere(0.6, regress=1.0, classify=0.7)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose all numeric columns together."""
        numbers = names_of(table.having("flow", "count", "ratio", "stock"))
        if len(numbers) < 3:
            return Proposal(reason="there are fewer than three numeric columns")
        return Proposal((Candidate(self.id, "identities", tuple(numbers[:MOST_SUMMANDS]), 0.5),))

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Search for identities."""
        columns = list(candidate.columns)
        code = f'identities = {{"found": additive_identities(df, {columns!r})}}\nidentities'
        return Cells(code, ("additive_identities",))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say which column is made of which."""
        seen: Seen = facts
        goal = "Is any numeric column the sum or the product of others?"
        method = (
            "Non-negative least squares on a sample of rows proposes an identity; it is then "
            "checked on all rows."
        )
        if not seen["found"]:
            tried = " among the first twenty" if len(candidate.columns) == MOST_SUMMANDS else ""
            return _nothing(f"No numeric column{tried} is made of others", goal, method)
        insights = []
        for place, item in enumerate(seen["found"][:3]):
            word = "sum" if item["sign"] == "+" else "product"
            said = f"{quoted(item['column'])} is the {word} of {listed(item['parts'])}"
            off = f"identities['found'][{place}]['rows_off']"
            claim, where = number("off", off), "in all but {off} rows"
            if not item["rows_off"]:
                claim, where = holds("off", f"{off} == 0", "in every row"), "{off}"
            text = (
                f"{said} {where}. The whole and its parts say the same, and do not belong in one model "
                f"together."
            )
            insights.append(InsightDraft(text, (claim,), caution=True))
        return FindingDraft(
            title=short_title(f"{seen['found'][0]['column']} is made of other columns"),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported",
            effect=0.5,
            impact=0.5,
            population="all rows with every value",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw nothing: the sentence says it."""
        return ""


def _nothing(title: str, goal: str, method: str) -> FindingDraft:
    """Return the finding that nothing was found, which is not shown unless asked for."""
    return FindingDraft(short_title(title), goal, method, (), "not_supported", effect=0.0)
