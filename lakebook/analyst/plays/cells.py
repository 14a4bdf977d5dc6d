"""S09, S10, S11, S14, S17: rules between columns, and what hides inside cells.

What belongs here: columns fixed by others, mixed units, lists in cells, stand-ins for "unknown", and the
section that gathers the smaller checks. Paper: RADAR §3.2; notes on plays, §3 S.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lakebook.analyst.intent import Intent
from lakebook.analyst.phrases import (
    everywhere,
    holds,
    identifier,
    label,
    listed,
    number,
    quoted,
    short_title,
)
from lakebook.analyst.play import Candidate, Cells, Facts, Family, FindingDraft, InsightDraft, Proposal
from lakebook.analyst.plays.trust import _nothing
from lakebook.analyst.table import Table

Seen = Mapping[str, Any]
MOST_STAND_INS = 300


class Dependencies:
    """S09: columns that other columns fix, and choices that turn out to be policy."""

    id = "S09"
    title = "Columns that other columns fix"
    family: Family = "structure"
    relevance = everywhere(0.7, regress=0.9, classify=0.8)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the dimensions, and the numbers of few values as possible policies."""
        dims = [
            c
            for c in table.having("dim", "geo", "code", "dim_high", "ordinal")
            if 1 < c.distinct < table.rows / 2
        ]
        times = [c for c in table.having("time") if 1 < c.distinct < table.rows / 2][:1]
        few = [c.name for c in table.having("ratio", "count", "flow") if 3 <= c.distinct <= 30]
        if len(dims) + len(times) < 2:
            return Proposal(reason="there are fewer than two columns of categories")
        dims = sorted(dims, key=lambda c: c.distinct)[:14]
        params: dict[str, Any] = {"choices": few[:5]}
        return Proposal((Candidate(self.id, "rules", tuple(c.name for c in [*dims, *times]), 0.7, params),))

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Search for rules between columns."""
        code = f"""
rules = dependencies(df, {list(candidate.columns)!r}, choices={candidate.params["choices"]!r})
pd.DataFrame(rules["pairs"], columns=["column", "fixes", "values", "values fixed"])
"""
        return Cells(code.strip(), ("dependencies",))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say which column is policy, and which dimension is a finer cut of which."""
        seen: Seen = facts
        goal = "Is any column fixed by one or two others, in every row?"
        method = (
            "Distinct combinations are counted with and without the column; the rule holds if the "
            "counts are equal."
        )
        if not seen["pairs"] and not seen["policies"]:
            return _nothing("No column is fixed by others", goal, method)
        insights = [_policy(place, item) for place, item in enumerate(seen["policies"][:2])]
        if seen["pairs"]:
            insights.append(_hierarchy(seen["pairs"]))
        policy = bool(seen["policies"])
        asked = policy and any(item[1] in (intent.target, *intent.columns) for item in seen["policies"])
        title = f"{seen['pairs'][0][0]} fixes {seen['pairs'][0][1]}" if seen["pairs"] else ""
        if policy:
            (a, b), c, _ = seen["policies"][0]
            title = f"{c} is set by {a} and {b}, not row by row"
        return FindingDraft(
            title=short_title(title),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported",
            effect=1.0 if asked else (0.9 if policy else 0.3),
            impact=1.0 if policy else 0.3,
            population="all rows",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the values of the first policy over its two columns, most frequent levels first."""
        seen: Seen = facts
        if not seen["policies"]:
            return ""
        (a, b), c, _ = seen["policies"][0]
        return f"""
rules_rows = df[{a!r}].value_counts().index[:14]
rules_columns = df[{b!r}].value_counts().index[:8]
rules_grid = df.pivot_table(index={a!r}, columns={b!r}, values={c!r}, aggfunc="first", observed=True)
draw_table(
    rules_grid.reindex(index=rules_rows, columns=rules_columns),
    title={f"{c} is one fixed value for each pair (most frequent levels)"!r}, xlabel={b!r}, ylabel={a!r},
)
""".strip()


def _policy(place: int, item: Sequence[Any]) -> InsightDraft:
    (a, b), c, _ = item
    claims = (
        number("combinations", f"rules['policies'][{place}][2]"),
        holds(
            "one", f"int(df.groupby([{a!r}, {b!r}], observed=True)[{c!r}].nunique().max()) == 1", "one value"
        ),
    )
    text = (
        f"Each of the {{combinations}} combinations of {quoted(a)} and {quoted(b)} has just {{one}} of "
        f"{quoted(c)}: it is set "
        f"by rule, not row by row. Its effect cannot be told apart from that of {quoted(a)} and "
        f"{quoted(b)} together."
    )
    return InsightDraft(text, claims)


def _hierarchy(pairs: Sequence[Sequence[Any]]) -> InsightDraft:
    shown = pairs[:4]
    claims = []
    parts = []
    for place, (a, b, *_) in enumerate(shown):
        name = f"fixes_{place}"
        test = f"int(df.groupby({a!r}, observed=True)[{b!r}].nunique().max()) == 1"
        claims.append(holds(name, test, "fixes"))
        parts.append(f"{quoted(a)} {{{name}}} {quoted(b)}")
    text = (
        f"{listed(parts, quote=False)}: the second is a coarser cut of the first, so the two are not "
        f"independent."
    )
    return InsightDraft(text, tuple(claims), caution=True)


class MixedUnits:
    """S10: numbers of several units in one column of text."""

    id = "S10"
    title = "Several units in one column"
    family: Family = "structure"
    relevance = everywhere(0.9)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose each column of numbers with words."""
        columns = table.having("unit_mixed")
        found = [Candidate(self.id, identifier("units", c.name), (c.name,), 0.8) for c in columns[:2]]
        return Proposal(tuple(found), "" if found else "no column holds numbers with their units")

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Count the units, with the median of each."""
        key = candidate.key
        code = f"""
{key} = mixed_units(df[{candidate.columns[0]!r}])
{key}["misplaced"] = misplaced_values(df, {candidate.columns[0]!r})
pd.DataFrame({key}["units"], index=["rows", "median"]).T
"""
        return Cells(code.strip(), ("mixed_units", "misplaced_values"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say which units share the column."""
        seen: Seen = facts
        column, key = candidate.columns[0], candidate.key
        goal = f"Does {quoted(column)} hold one unit?"
        method = "Each value is split into a number and a word; the words are counted."
        units = list(seen["units"])
        if len(units) < 2:
            return _nothing(f"{quoted(column)} holds one unit", goal, method)
        claims = []
        parts = []
        for place, unit in enumerate(units[:3]):
            claims.append(number(f"rows_{place}", f"{key}['units'][{unit!r}][0]"))
            claims.append(number(f"median_{place}", f"{key}['units'][{unit!r}][1]", ",.4g"))
            parts.append(f"{{rows_{place}}} rows in {quoted(unit)} (median {{median_{place}}})")
        text = (
            f"{quoted(column)} mixes units: {listed(parts, quote=False)}. "
            "No average or ranking over the column as a whole means anything; each unit is read apart."
        )
        misplaced = [
            InsightDraft(
                f"{{rows}} values of this kind stand in {quoted(other)}, where {quoted(column)} is empty: "
                f"they are misplaced.",
                (number("rows", f"{key}['misplaced'][{place}][1]"),),
                caution=True,
            )
            for place, (other, _, _) in enumerate(seen["misplaced"][:2])
        ]
        return FindingDraft(
            title=short_title(f"{column} mixes units"),
            goal=goal,
            method=method,
            insights=(InsightDraft(text, tuple(claims), caution=True), *misplaced),
            verdict="supported",
            effect=0.8,
            impact=0.6,
            population=f"rows with a value in {quoted(column)}",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw nothing: two medians say it."""
        return ""


class ListCells:
    """S11: cells that hold lists; entries counted in how many rows they stand."""

    id = "S11"
    title = "Lists inside cells"
    family: Family = "structure"
    relevance = everywhere(0.6, describe=0.8, compare=0.7)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose each column of lists, named ones first, then few-valued ones."""
        columns = sorted(table.having("list"), key=lambda c: (c.name not in intent.columns, c.distinct))
        found = []
        for place, column in enumerate(columns[:3]):
            # Where nearly every cell is another list, no entry stands out (casts, tags of one use).
            prior = (0.9 - 0.2 * place) * (0.4 if column.distinct > 0.5 * table.rows else 1.0)
            params: dict[str, Any] = {"separator": separator_of(column.levels)}
            key = identifier("entries", column.name)
            found.append(Candidate(self.id, key, (column.name,), prior, params))
        return Proposal(tuple(found), "" if found else "no column holds lists")

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Count the entries."""
        key, separator = candidate.key, candidate.params["separator"]
        code = f"""
{key} = list_cells(df[{candidate.columns[0]!r}], separator={separator!r})
{key}_top = pd.DataFrame({key}["top"], columns=["entry", "rows", "rows where it stands alone"])
{key}_top
"""
        return Cells(code.strip(), ("list_cells",))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say which entries stand in most rows."""
        seen: Seen = facts
        column, key = candidate.columns[0], candidate.key
        goal = f"Which entries do the lists in {quoted(column)} hold, and in how many rows?"
        method = "Cells are split, blanks dropped, and each entry is counted once a row."
        if (
            not seen["top"]
            or seen["share_of_lists"] < 0.05
            or seen["distinct_entries"] > 0.9 * seen["entries"]
        ):
            return _nothing(f"{quoted(column)} holds no lists", goal, method)
        rows = float(seen["rows"])
        top = float(seen["top"][0][1]) / rows
        first = [
            label("first", f"{key}['top'][0][0]"),
            number("first_rows", f"{key}['top'][0][1]"),
            number("first_share", f"{key}['top'][0][1] / {key}['rows']", ".0%"),
        ]
        text = "{first} stands in {first_rows} rows ({first_share} of those filled)"
        if len(seen["top"]) > 2:
            first += [
                label("second", f"{key}['top'][1][0]"),
                number("second_rows", f"{key}['top'][1][1]"),
                label("third", f"{key}['top'][2][0]"),
                number("third_rows", f"{key}['top'][2][1]"),
            ]
            text += ", before {second} ({second_rows}) and {third} ({third_rows})"
        cells = (
            number("lists", f"{key}['share_of_lists']", ".0%"),
            number("cells", f"{key}['distinct_cells']"),
            number("entries", f"{key}['distinct_entries']"),
        )
        note = (
            f"{{lists}} of the filled cells in {quoted(column)} hold several entries: {{cells}} "
            f"different cells are made of "
            "{entries} entries. Counting cells as they stand misses most of it; shares of entries add to "
            "more than the whole."
        )
        leader = seen["top"][0][0]
        return FindingDraft(
            title=short_title(f"{leader} leads among the entries of {column}"),
            goal=goal,
            method=method,
            insights=(InsightDraft(f"{text}.", tuple(first)), InsightDraft(note, cells, caution=True)),
            verdict="supported",
            effect=min(1.0, 0.2 + 1.2 * top),
            impact=rows / max(table.rows, 1),
            population=f"rows with a value in {quoted(column)}",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the rows of each entry, with those where it stands alone as text."""
        seen: Seen = facts
        if not seen["top"]:
            return ""
        column, key = candidate.columns[0], candidate.key
        title = f"The entries of {column} that stand in most rows"
        return f"""
draw_bars(
    {key}_top["entry"], {key}_top["rows"], title={title!r}, xlabel="Rows with the entry (alone: in brackets)",
    texts=[f"{{rows:,}} ({{alone:,}})" for _, rows, alone in {key}["top"]],
)
""".strip()


def separator_of(levels: Sequence[tuple[str, int]]) -> str:
    """Return the separator that stands in most cells."""
    return max((",", ";", "|"), key=lambda mark: sum(mark in value for value, _ in levels))


class Placeholders:
    """S14: round values that stand in for "unknown"."""

    id = "S14"
    title = "Stand-ins for unknown values"
    family: Family = "structure"
    relevance = everywhere(0.6, anomaly=1.0, forecast=0.8)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose all measures together."""
        columns = [c.name for c in table.having("flow", "ratio", "count", "stock") if c.distinct >= 20]
        if not columns:
            return Proposal(reason="no numeric column has enough different values")
        return Proposal((Candidate(self.id, "stand_ins", tuple(columns[:MOST_STAND_INS]), 0.5),))

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Look at the commonest value of each column."""
        columns = list(candidate.columns)
        code = (
            f"stand_ins = "
            f"{{column: placeholders(df[column]) for column in {columns!r}}}\npd.DataFrame(stand_ins).T"
        )
        return Cells(code, ("placeholders",))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say which value is no measurement."""
        seen: Seen = facts
        goal = "Does a round value stand in for unknown ones?"
        method = (
            "The commonest value is a stand-in if it is 0, ±1 or made of nines, far more frequent "
            "than any other, and alone in its neighbourhood."
        )
        hits = {column: item for column, item in seen.items() if item["value"] is not None}
        if not hits:
            where = " in the columns that were tried" if len(candidate.columns) == MOST_STAND_INS else ""
            return _nothing(f"No value stands in for unknown ones{where}", goal, method)
        insights = []
        for column in list(hits)[:3]:
            claims = (
                number("value", f"stand_ins[{column!r}]['value']", ",.4g"),
                number("rows", f"stand_ins[{column!r}]['rows']"),
                number("share", f"stand_ins[{column!r}]['share']", ".1%"),
            )
            text = (
                f"{quoted(column)} is {{value}} in {{rows}} rows ({{share}}), far from all other "
                f"values: treat it as missing."
            )
            insights.append(InsightDraft(text, claims, caution=True))
        return FindingDraft(
            title=short_title(f"{next(iter(hits))} holds a stand-in for unknown values"),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported",
            effect=0.7,
            impact=max(float(item["share"]) for item in hits.values()),
            population="rows with a value",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw nothing: the sentence says it."""
        return ""
