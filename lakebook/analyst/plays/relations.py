"""R01, R02, R05: which columns go together, the strongest pair in depth, and within against between.

What belongs here: relations of two columns. Collinearity and the plays about a target are in `targets`.
Paper: NotebookRAG §4.2; notes on plays, §3 R.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lakebook.analyst.intent import Intent, IntentKind
from lakebook.analyst.phrases import everywhere, identifier, short_title
from lakebook.analyst.play import Candidate, Cells, Facts, Family, FindingDraft, InsightDraft, Play, Proposal
from lakebook.analyst.plays.choices import (
    affordable,
    all_measures,
    clusters,
    dimensions,
    key_measure,
    linked_pairs,
    measures,
    tried_only,
)
from lakebook.analyst.plays.targets import TARGET_PLAYS
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
_KINDS = {"rho": "rank correlation", "eps2": "epsilon squared", "V": "Cramer's V"}


class Screen:
    """R01: all pairs of columns, with error control over all of them."""

    id = "R01"
    title = "What goes together"
    family: Family = "relations"
    relevance: Mapping[IntentKind, float] = everywhere(
        0.4, regress=0.9, classify=0.9, describe=0.6, forecast=0.5
    )

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose one screen of the measures and dimensions."""
        numbers = [c.name for c in measures(table, intent, 8)]
        groups = [c.name for c in dimensions(table, intent, 6, 50)]
        if len(numbers) + len(groups) < 3:
            return Proposal(reason="fewer than three columns that could go together")
        entities = table.structure.entities
        linked = linked_pairs(table) + [[a, b] for a in entities for b in entities if a < b]
        kept = {*numbers, *groups}
        params: dict[str, Any] = {
            "numbers": numbers,
            "groups": groups,
            "linked": [pair for pair in linked if set(pair) <= kept],
            "clusters": clusters(table),
            "first": intent.target,
        }
        return Proposal((Candidate(self.id, "what_goes_together", (*numbers, *groups), 0.8, params),))

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Screen all pairs."""
        p, key = candidate.params, candidate.key
        code = f"""
{key}, {key}_table = association_screen(
    base, numbers={p["numbers"]!r}, categories={p["groups"]!r},
    linked={p["linked"]!r}, clusters={p["clusters"]!r}, first={p["first"]!r},
)
{key}_table.head(12).round(3)
"""
        return Cells(code.strip(), ("association_screen", "draw_bars"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Count what was tested and name the strongest pairs."""
        seen: Seen = facts
        writer = Writer(candidate.key, facts)
        goal = "Which columns go together?"
        method = (
            "Spearman for two numbers (floor 0.2), epsilon squared for number and category (0.02), "
            "bias-corrected "
            "Cramer's V for two categories (0.1); p-values adjusted over all pairs (Benjamini-Yekutieli), "
            "rows of one "
            "unit count once; pairs related by construction are left out."
        )
        if not seen["enough"]:
            return not_enough(goal, method, "what goes together", "no pair has thirty rows")
        text = (
            "{tested:d} pairs were tested; {small_p:d} have a p-value below the usual line, {kept:d} hold "
            "after "
            "adjustment and are large enough to matter ({independent:,d} independent units)."
        )
        insights = [writer.say(text)]
        strong = [i for i, pair in enumerate(seen["pairs"]) if pair["kept"]][:4]
        if strong:
            insights.append(_strongest(writer, seen, strong, str(candidate.params["first"])))
        if seen["left_out"]:
            text = "{left_out:d} pair(s) are related by construction and not counted."
            insights.append(writer.say(text, caution=True))
        eligible = len(all_measures(table, intent)) + len(dimensions(table, intent, len(table.columns), 50))
        left_out = tried_only(candidate.columns, eligible)
        insights += left_out
        first = seen["pairs"][0]
        asked = candidate.params["first"]
        nothing = f"No two columns{' that were tried' if left_out else ''} go together clearly"
        title = f"{start(plain(first['a']))} and {plain(first['b'])} go together most closely"
        if asked in (first["a"], first["b"]):
            other = first["b"] if first["a"] == asked else first["a"]
            title = f"{start(plain(str(asked)))} goes most closely with {plain(other)}"
        return FindingDraft(
            title=short_title(title if strong else nothing),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported" if strong else "not_supported",
            effect=seen["largest"],
            reliability=certainty(first["p_adjusted"]) if strong else 0.2,
            tests=tests(self.id, [(name, p, n) for name, p, n in seen["tests"]]),
            population="`base`, rows with both values of a pair",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the pairs that hold, by size on a common scale, with their measure as text."""
        seen: Seen = facts
        if sum(pair["kept"] for pair in seen.get("pairs", [])) < 2:
            return ""
        key = candidate.key
        title = self.read(candidate, facts, table, Intent("", "describe")).title
        return f"""
{key}_shown = {key}_table[{key}_table["kept"]].head(12)
draw_bars(
    ({key}_shown["a"] + " – " + {key}_shown["b"]).tolist(), {key}_shown["size"],
    texts=[f"{{kind}} {{effect:.2f}}" for kind, effect in zip({key}_shown["kind"], {key}_shown["effect"])],
    title={title!r}, xlabel="Size (at 1 it counts as big for its measure)",
)
""".strip()


def _strongest(writer: Writer, seen: Seen, strong: list[int], asked: str) -> InsightDraft:
    of = f" with {named(asked)} first" if asked in (seen["pairs"][0]["a"], seen["pairs"][0]["b"]) else ""
    parts: list[str] = []
    claims: dict[str, Any] = {}
    for i in strong:
        pair = seen["pairs"][i]
        sign = "+.2f" if pair["kind"] == "rho" else ".2f"
        claims[f"effect_{i}"] = writer.part(f"effect_{i}", f'$["pairs"][{i}]["effect"]', sign)
        parts.append(f"{named(pair['a'])} and {named(pair['b'])} ({_KINDS[pair['kind']]} {{effect_{i}}})")
    return writer.say(f"The strongest{of}: {'; '.join(parts)}.", **claims)


class Pair:
    """R02: the number that goes most closely with the key measure."""

    id = "R02"
    title = "The closest partner"
    family: Family = "relations"
    relevance: Mapping[IntentKind, float] = everywhere(0.4, regress=0.8, describe=0.5, forecast=0.5)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the key measure against the other numbers that are not part of it."""
        target = key_measure(table, intent)
        if target is None:
            return Proposal(reason="no number to relate")
        linked = linked_pairs(table)
        others = [
            c.name
            for c in measures(table, intent, affordable(table))
            if c.name != target.name and sorted((c.name, target.name)) not in linked
        ]
        if not others:
            return Proposal(reason="no second number")
        params: dict[str, Any] = {"others": others, "clusters": clusters(table)}
        key = identifier("partner of", target.name)
        return Proposal((Candidate(self.id, key, (target.name, *others), 0.8, params),))

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Find and describe the pair."""
        p, key = candidate.params, candidate.key
        code = f"""
{key}, {key}_rows = strongest_partner(
    base, {candidate.columns[0]!r}, {p["others"]!r}, clusters={p["clusters"]!r}
)
pd.DataFrame({key}.get("others", [])).round(3)
"""
        return Cells(code.strip(), ("strongest_partner", "draw_points"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """State the correlation with its interval and its course."""
        y, seen = candidate.columns[0], facts
        facts_seen: Seen = seen
        writer = Writer(candidate.key, facts)
        goal = f"Which other number goes most closely with {named(y)}?"
        method = (
            "Spearman's rank correlation with the interval of independent units (95 %); p adjusted for the "
            "numbers that "
            "were tried; medians over fifths of the partner show the course."
        )
        if not facts_seen["enough"]:
            return not_enough(
                goal, method, f"partners of {plain(y)}", "no other number has thirty rows in common"
            )
        x = str(facts_seen["x"])
        clear = facts_seen["p"] < 0.05 and abs(facts_seen["rho"]) >= 0.2
        predicate = '$["p"] < 0.05 and abs($["rho"]) >= 0.2'
        word = writer.word(
            "word", predicate if clear else f"not ({predicate})", "goes" if clear else "does not go"
        )
        text = (
            f"Of {{tested:d}} numbers, {named(x)} {{word}} most closely with {named(y)}: rank correlation "
            f"{{rho:+.2f}} "
            "(interval {low:+.2f} to {high:+.2f}; {rows:,d} rows, {independent:,d} independent units)."
        )
        if not clear:
            text = text.replace("{word} most closely with", "is the closest, but {word} clearly with")
        insights = [writer.say(text, word=word)]
        if clear:
            text = (
                f"The median of {named(y)} is {{y_first:auto}} in the lowest fifth of {named(x)} and "
                f"{{y_last:auto}} in "
                "the highest{course}."
            )
            one = facts_seen["one_direction"]
            course = writer.word(
                "course",
                '$["one_direction"]' if one else 'not $["one_direction"]',
                ", in one direction" if one else ", but not in one direction",
            )
            insights.append(writer.say(text, course=course))
        insights += tried_only(candidate.columns, len(all_measures(table, intent)))
        insights.append(
            InsightDraft("An association: the table does not say which of the two moves the other.", (), True)
        )
        way = "higher" if facts_seen["rho"] > 0 else "lower"
        return FindingDraft(
            title=short_title(
                f"Where {plain(x)} is higher, {plain(y)} tends to be {way}" if clear
                else f"No other number goes clearly with {plain(y)}"
            ),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported" if clear else "not_supported",
            effect=size_score(facts_seen["rho"], 0.2, 0.7),
            reliability=certainty(facts_seen["p"]) * (1.0 if facts_seen["one_direction"] else 0.7),
            tests=tests(self.id, [(f"{y} and {x}", facts_seen["p"], facts_seen["rows"])]),
            population=f"`base`, {facts_seen['rows']:,d} rows with both",
        )  # fmt: skip

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the pair, unless the partner has so few levels that points would lie on each other."""
        seen: Seen = facts
        if not seen["enough"] or seen["p"] >= 0.05 or abs(seen["rho"]) < 0.2 or seen["x_levels"] <= 15:
            return ""
        y, x, key = candidate.columns[0], str(seen["x"]), candidate.key
        title = self.read(candidate, facts, table, Intent("", "describe")).title
        return f"""
draw_points(
    {key}_rows[{x!r}], {key}_rows[{y!r}], title={title!r}, xlabel={x!r}, ylabel={y!r},
    log_x={bool(seen["log_x"])}, log_y={bool(seen["log_y"])},
)
""".strip()


class WithinBetween:
    """R05: is a relation one of entities, or one of changes within them."""

    id = "R05"
    title = "Within and between entities"
    family: Family = "relations"
    relevance: Mapping[IntentKind, float] = everywhere(0.3, regress=0.9, forecast=0.6, compare=0.6)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the key measure and the widest other number of a panel."""
        entities = list(table.structure.entities)
        target = key_measure(table, intent)
        if not entities or target is None:
            return Proposal(reason="no entity is observed repeatedly")
        linked = linked_pairs(table)
        weight = table.structure.weight(target.name)
        others = [
            c.name
            for c in measures(table, intent, 9)
            if c.name != target.name and sorted((c.name, target.name)) not in linked
        ]
        others = [weight] if weight in others else others[:1]
        candidates = [
            Candidate(self.id, identifier(target.name, "and", x, "within"), (x, target.name, *entities), 0.7)
            for x in others
        ]
        return Proposal(tuple(candidates), "" if candidates else "no second number")

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Estimate the three slopes."""
        (x, y, *entities), key = candidate.columns, candidate.key
        code = f"""
{key}, {key}_table = within_between(base, {x!r}, {y!r}, {entities!r})
{key}_table.round(3)
"""
        return Cells(code.strip(), ("within_between", "draw_dots"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Compare the slopes."""
        x, y, *entities = candidate.columns
        seen: Seen = facts
        writer = Writer(candidate.key, facts)
        goal = (
            f"Is the relation of {named(y)} and {named(x)} one between entities or one of changes within "
            f"them?"
        )
        method = (
            "Least-squares slope over all rows, over entity means, and over deviations from entity means, "
            "with errors "
            "that cluster by entity; in logs where both are positive."
        )
        if not seen["enough"]:
            return not_enough(
                goal, method, f"{plain(y)} and {plain(x)} within entities", "it takes ten entities"
            )
        unit = "percent per percent" if seen["logs"] else "per unit"
        differ = bool(seen["differ"])
        word = writer.word(
            "word",
            '$["differ"]' if differ else 'not $["differ"]',
            "differ" if differ else "are of the same order",
        )
        text = (
            f"Slopes of {named(y)} on {named(x)} ({unit}) {{word}}: {{pooled:.2f}} over all rows, "
            f"{{between:.2f}} between "
            "the {entities:,d} entities, {within:.2f} within them (interval {within_low:.2f} to "
            "{within_high:.2f})."
        )
        insights = [writer.say(text, word=word)]
        note = "A slope in logs is an association, not an elasticity: neither column was set at random."
        insights.append(InsightDraft(note, (), caution=True))
        title = (
            f"The link of {plain(y)} and {plain(x)} is another one within entities" if differ
            else f"{start(plain(y))} and {plain(x)} are linked alike within and between entities"
        )  # fmt: skip
        return FindingDraft(
            title=short_title(title),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported" if differ else "not_supported",
            effect=0.8 if seen["opposite"] else 0.7 if differ else 0.2,
            reliability=0.9 if seen["entities"] >= 20 else 0.6,
            tests=tests(self.id, [(f"{y} and {x} within", seen["p"], seen["rows"])]),
            population=f"`base`, {seen['rows']:,d} rows; entities: {', '.join(entities)}",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the three slopes."""
        seen: Seen = facts
        if not seen["enough"] or not seen["differ"]:
            return ""
        (x, y, *_), key = candidate.columns, candidate.key
        title = self.read(candidate, facts, table, Intent("", "describe")).title
        label = f"Slope of {y} on {x}" + (" (logs of both)" if seen["logs"] else "")
        return f"""
draw_dots(
    {key}_table.index, {key}_table["slope"], {key}_table["low"], {key}_table["high"],
    title={title!r}, xlabel={label!r}, ordered=True, reference=0.0, reference_name="none",
)
""".strip()


PLAYS: tuple[Play, ...] = (Screen(), Pair(), WithinBetween(), *TARGET_PLAYS)
