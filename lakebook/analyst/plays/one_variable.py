"""U01, U02, U06: the shape of a number, the balance of a category, what a text column holds.

What belongs here: the middle of a single column. Its edges are in `tails`, comparisons in `groups`.
Paper: NotebookRAG §4.2.2; notes on plays, §3 U.
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
)
from lakebook.analyst.table import Table, TableColumn
from lakebook.analyst.vocabulary import CALENDAR_WORDS, name_tokens

Seen = Mapping[str, Any]


def prior_of(column: TableColumn, intent: Intent) -> float:
    """Rank a column by what the intent says of it: the target, then what it names, then the rest."""
    if column.name == intent.target:
        return 1.0
    return 0.8 if column.name in intent.columns else 0.4


def _part_of_calendar(column: TableColumn, table: Table) -> bool:
    """A day or an hour beside the date spreads as the calendar does; a year may be one of its own."""
    tokens = set(name_tokens(column.name))
    fixed = any(column.name == b and table.column(a).use == "time" for a, b in table.structure.determined)
    return column.use == "ordinal" and (fixed or bool(tokens & (CALENDAR_WORDS - {"year", "decade"})))


def _with_unit(name: str, table: Table) -> str:
    unit = table.column(name).unit
    return f"{name} ({unit})" if unit else f"{name} (unit not stated in the file)"


class NumericShape:
    """U01: where a number lies, how it leans, and how far its tail reaches."""

    id = "U01"
    title = "The shape of a number"
    family: Family = "one_variable"
    relevance = everywhere(0.5, describe=0.7, regress=0.8, forecast=0.4)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the target, then what the intent names, then other measures."""
        measures = [c for c in table.having("flow", "ratio", "count", "stock", "ordinal") if c.distinct >= 15]
        measures = [c for c in measures if c.dtype in ("number", "integer")]
        measures = [c for c in measures if table.rows - c.nulls >= 30 and not _part_of_calendar(c, table)]
        ranked = sorted(measures, key=lambda c: -prior_of(c, intent))[:4]
        found = [
            Candidate(self.id, identifier("shape", c.name), (c.name,), prior_of(c, intent) - 0.05 * place)
            for place, c in enumerate(ranked)
        ]
        return Proposal(tuple(found), "" if found else "no numeric column has enough different values")

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Compute the quantiles."""
        key, name = candidate.key, candidate.columns[0]
        code = f"{key} = numeric_shape(base[{name!r}])\npd.Series({key}, name={name!r}).to_frame()"
        return Cells(code, ("numeric_shape",))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say where half of the values lie, and whether a mean misleads."""
        name, key = candidate.columns[0], candidate.key
        seen: Seen = facts
        goal = f"How is {quoted(name)} distributed?"
        method = (
            "Quantiles of all rows; the lean is Bowley's skewness of the quartiles, which few rows "
            "cannot move."
        )
        if not seen.get("rows"):
            return FindingDraft(f"{name} has no value", goal, method, (), "not_applicable")
        # A year is no quantity: it is written without a separator.
        calendar = table.column(name).use == "ordinal"
        spec = ".0f" if calendar else spec_for(seen["q1"], seen["median"], seen["q3"])
        claims = [number(part, f"{key}['{part}']", spec) for part in ("q1", "q3", "median", "p01", "p99")]
        text = (
            f"Half of the rows have {quoted(name)} between {{q1}} and {{q3}}, around a median of "
            f"{{median}}; the "
            "lowest and the highest hundredth aside, values run from {p01} to {p99}."
        )
        insights = [InsightDraft(text, tuple(claims))]
        leans_up = seen["lean"] > 0.2 and seen["mean"] > seen["median"]
        leans_down = seen["lean"] < -0.2 and seen["mean"] < seen["median"]
        if (leans_up or leans_down) and not calendar:
            word, side = ("right-skewed", "above") if leans_up else ("left-skewed", "below")
            insights.append(_lean_insight(key, word, side, spec))
        insights += _sign_insights(name, key, seen)
        if table.column(name).use == "ratio" and table.structure.weight(name):
            note = f"Rows count alike here; an average of {quoted(name)} must be weighted."
            insights.append(InsightDraft(note, (), caution=True))
        return FindingDraft(
            title=_place_title(name, seen) if calendar else _shape_title(name, seen),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported",
            effect=min(1.0, 0.3 + abs(float(seen["lean"]))),
            reliability=1.0,
            impact=float(seen["rows"]) / max(table.rows, 1),
            population=f"rows of base with a value in {quoted(name)}",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw a histogram up to the 99th percentile, or on a log scale if the shape asks for it."""
        name, key = candidate.columns[0], candidate.key
        seen: Seen = facts
        if not seen.get("rows"):
            return ""
        calendar = table.column(name).use == "ordinal"
        title = _place_title(name, seen) if calendar else _shape_title(name, seen)
        if seen["log"]:
            return (
                f"draw_histogram(base[{name!r}], title={title!r}, xlabel={_with_unit(name, table)!r}, "
                f"log=True)"
            )
        # The outer half percent on each side would squeeze everything else into a few bins.
        squeezed = seen["max"] - seen["min"] > 3 * (seen["p99"] - seen["p01"])
        if squeezed:
            return (
                f"{key}_shown = base[{name!r}].loc[lambda v: v.between({key}['p01'], {key}['p99'])]\n"
                f"draw_histogram(\n    {key}_shown, title={title!r},\n"
                f"    xlabel={f'{_with_unit(name, table)}, without the outer hundredths'!r},\n)"
            )
        return f"draw_histogram(base[{name!r}], title={title!r}, xlabel={_with_unit(name, table)!r})"


def _shape_title(name: str, seen: Seen) -> str:
    lean, mean, median = float(seen["lean"]), float(seen["mean"]), float(seen["median"])
    if lean > 0.2 and mean > median:
        return short_title(
            f"{name} is right-skewed" + (": its mean misleads" if mean > 1.5 * abs(median) else "")
        )
    if lean < -0.2 and mean < median:
        return short_title(f"{name} is left-skewed")
    return short_title(f"{name} spreads about evenly around its median")


def _place_title(name: str, seen: Seen) -> str:
    lean = float(seen["lean"])
    place = "late in" if lean < -0.2 else "early in" if lean > 0.2 else "evenly about the middle of"
    return short_title(f"{name} lies mostly {place} its range")


def _lean_insight(key: str, word: str, side: str, spec: str) -> InsightDraft:
    sign = ">" if word == "right-skewed" else "<"
    test = f"{key}['lean'] {sign} {'0.2' if sign == '>' else '-0.2'} and {key}['mean'] {sign} {key}['median']"
    share = f"{key}['above_mean']" if side == "above" else f"1 - {key}['above_mean']"
    claims = (
        holds("skewed", test, word),
        number("mean", f"{key}['mean']", spec),
        number("beyond", share, ".0%"),
        number("middle", f"{key}['median']", spec),
    )
    text = (
        f"The distribution is {{skewed}}: the mean ({{mean}}) lies {side} the median ({{middle}}), and "
        f"{{beyond}} "
        f"of the rows reach beyond it. The median describes a typical row better."
    )
    return InsightDraft(text, claims)


def _sign_insights(name: str, key: str, seen: Seen) -> list[InsightDraft]:
    found = []
    if seen["zeros"] >= 0.05:
        claim = number("zeros", f"{key}['zeros']", ".1%")
        found.append(InsightDraft(f"{quoted(name)} is exactly zero in {{zeros}} of the rows.", (claim,)))
    if 0 < seen["negative"] < 1:
        claim = number("negative", f"{key}['negative']", ".1%")
        found.append(InsightDraft(f"{quoted(name)} is below zero in {{negative}} of the rows.", (claim,)))
    return found


class CategoryBalance:
    """U02: how rows are spread over the levels of a category."""

    id = "U02"
    title = "The balance of a category"
    family: Family = "one_variable"
    relevance = everywhere(0.5, classify=1.0, describe=0.6)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose categories of 2 to 50 levels that are not spread evenly by the table's design."""
        fixed = {*table.structure.entities, *table.structure.key}
        columns = [
            c for c in table.having("dim", "geo", "boolean") if 2 <= c.distinct <= 50 and c.name not in fixed
        ]
        columns = [c for c in columns if table.rows - c.nulls >= 30]
        ranked = sorted(columns, key=lambda c: (-prior_of(c, intent), c.distinct))[:4]
        found = [
            Candidate(self.id, identifier("balance", c.name), (c.name,), prior_of(c, intent) - 0.05 * place)
            for place, c in enumerate(ranked)
        ]
        return Proposal(tuple(found), "" if found else "no category varies other than by the table's design")

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Count the levels."""
        key, name = candidate.key, candidate.columns[0]
        code = f"""
{key} = category_balance(base[{name!r}])
{key}_levels = pd.DataFrame({key}["top"], columns=["level", "rows", "share", "low", "high"])
{key}_levels
"""
        return Cells(code.strip(), ("category_balance",))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say which level leads, by how much, and how many are rare."""
        name, key = candidate.columns[0], candidate.key
        seen: Seen = facts
        goal = f"How are the rows spread over {quoted(name)}?"
        method = "Rows are counted by level, with Wilson intervals of the shares; blanks are left out."
        if seen["levels"] < 2:
            return FindingDraft(f"{name} has one level", goal, method, (), "not_applicable")
        top, second = seen["top"][0], seen["top"][1]
        claims: list[ClaimDraft] = [
            label("top", f"{key}['top'][0][0]"),
            number("share", f"{key}['top'][0][2]", ".1%"),
            number("rows", f"{key}['top'][0][1]"),
            number("levels", f"{key}['levels']"),
            label("second", f"{key}['top'][1][0]"),
            number("second_share", f"{key}['top'][1][2]", ".1%"),
        ]
        if top[2] > 0.5:
            claims.append(holds("most", f"{key}['top'][0][2] > 0.5", "most rows"))
            text = (
                f"{{top}} holds {{most}} of {quoted(name)}: {{share}} ({{rows}} rows); {{second}} "
                f"follows with {{second_share}}."
            )
            title = f"{top[0]} makes up most rows of {name}"
            claims = [claim for claim in claims if claim.name != "levels"]
        elif top[3] > second[4]:
            claims.append(holds("largest", f"{key}['top'][0][3] > {key}['top'][1][4]", "the largest"))
            text = (
                f"{{top}} is {{largest}} of {{levels}} levels of {quoted(name)} with {{share}} "
                f"({{rows}} rows), before {{second}} with {{second_share}}."
            )
            title = f"{top[0]} is the largest level of {name}"
        else:
            text = (
                f"{{top}} ({{share}}, {{rows}} rows) and {{second}} ({{second_share}}) are the "
                f"largest of {{levels}} levels of {quoted(name)}; their order is not certain."
            )
            title = f"No level of {name} leads clearly"
        insights = [InsightDraft(text, tuple(claims))]
        if seen["rare"]:
            rare = (number("rare", f"{key}['rare']"), number("rare_rows", f"{key}['rare_rows']"))
            note = "{rare} levels are rare and hold {rare_rows} rows together: too few to compare one by one."
            insights.append(InsightDraft(note, rare, caution=True))
        if intent.kind == "classify" and name == intent.target:
            base = (number("accuracy", f"{key}['top'][0][2]", ".1%"),)
            note = (
                "Always guessing the largest class is right in {accuracy} of the rows: a classifier "
                "must beat that."
            )
            insights.append(InsightDraft(note, base))
        return FindingDraft(
            title=short_title(title),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported",
            effect=min(1.0, 0.2 + 1 - float(seen["evenness"])),
            impact=float(seen["rows"]) / max(table.rows, 1),
            population=f"rows of base with a value in {quoted(name)}",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the rows of the largest levels."""
        name, key = candidate.columns[0], candidate.key
        seen: Seen = facts
        if seen["levels"] < 3:
            return ""
        title = f"How often each {name} stands in the table"
        more = ", most frequent ones" if seen["levels"] > 15 else ""
        return (
            f"draw_bars({key}_levels['level'], {key}_levels['rows'], title={title!r}, "
            f"xlabel={f'Rows{more}'!r})"
        )


class TextProfile:
    """U06: how long texts are, and whether they repeat."""

    id = "U06"
    title = "What a text column holds"
    family: Family = "one_variable"
    relevance = everywhere(0.1, describe=0.3, classify=0.3)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the first text column."""
        columns = table.having("text")
        found = [Candidate(self.id, identifier("text", c.name), (c.name,), 0.3) for c in columns[:1]]
        return Proposal(tuple(found), "" if found else "there is no column of running text")

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Count words and repeated texts."""
        key, name = candidate.key, candidate.columns[0]
        return Cells(f"{key} = text_profile(base[{name!r}])\n{key}", ("text_profile",))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say how long the texts are."""
        name, key = candidate.columns[0], candidate.key
        seen: Seen = facts
        goal = f"What does the text in {quoted(name)} look like?"
        method = "Words are counted by white space; equal texts are counted after trimming."
        if not seen["rows"]:
            return FindingDraft(f"{name} holds no text", goal, method, (), "not_applicable")
        claims = (
            number("words", f"{key}['words']", ",.0f"),
            number("longest", f"{key}['longest']"),
            number("repeated", f"{key}['repeated']"),
        )
        text = (
            f"Texts in {quoted(name)} have {{words}} words in the middle and {{longest}} at most; "
            f"{{repeated}} stand more than once."
        )
        population = f"rows of base with a text in {quoted(name)}"
        insight = InsightDraft(text, claims)
        title = short_title(f"Texts in {name} are {'long' if seen['words'] > 30 else 'short'}")
        return FindingDraft(title, goal, method, (insight,), "supported", effect=0.2, population=population)

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw nothing: the sentence says it."""
        return ""
