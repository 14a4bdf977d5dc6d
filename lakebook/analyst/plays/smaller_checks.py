"""S17: the smaller checks in one section, those that found something and those that found nothing.

What belongs here: gathering. Each check is a play of its own elsewhere; this one runs several in one cell and
lays their results side by side, as a section for each would drown the rest. Paper: RADAR §3.2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from lakebook.analyst.intent import Intent
from lakebook.analyst.phrases import everywhere, listed
from lakebook.analyst.play import Candidate, Cells, Facts, Family, FindingDraft, InsightDraft, Play, Proposal
from lakebook.analyst.plays.cells import Dependencies, MixedUnits, Placeholders
from lakebook.analyst.plays.structure import PanelBalance
from lakebook.analyst.plays.trust import AdditiveIdentities, StaleStamps
from lakebook.analyst.table import Table

Seen = Mapping[str, Any]


class SmallerChecks:
    """S17: runs the structure plays that have no section of their own."""

    id = "S17"
    title = "Smaller checks"
    family: Family = "structure"
    relevance = everywhere(0.4)

    checks: tuple[Play, ...] = (
        PanelBalance(),
        StaleStamps(),
        AdditiveIdentities(),
        Dependencies(),
        MixedUnits(),
        Placeholders(),
    )

    def propose(self, table: Table, intent: Intent, own_sections: frozenset[str] = frozenset()) -> Proposal:
        """Propose the checks that apply and are not among those with a section of their own."""
        parts = [
            {"play": c.play, "key": c.key, "columns": list(c.columns), "params": dict(c.params)}
            for check in self.checks
            if check.id not in own_sections
            for c in check.propose(table, intent).candidates[:2]
        ]
        if not parts:
            return Proposal(reason="no smaller check applies")
        columns = tuple(dict.fromkeys(name for part in parts for name in part["columns"]))
        params: dict[str, Any] = {"parts": parts}
        return Proposal((Candidate(self.id, "smaller_checks", columns, 0.4, params),))

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Write all checks into one cell."""
        blocks: list[str] = []
        methods: list[str] = []
        for check, part in self._parts(candidate):
            cells = check.compute(part, table)
            *body, _show = cells.compute.rstrip().split("\n")
            blocks.append("\n".join(body))
            methods += cells.methods
        names = ", ".join(f'"{part.key}": {part.key}' for _, part in self._parts(candidate))
        rows = "\n".join(
            f'    "{check.title}": "found" if {_found_test(check.id, part.key)} else "none",'
            for check, part in self._parts(candidate)
        )
        blocks.append(f"{candidate.key} = {{{names}}}")
        blocks.append(f'pd.Series({{\n{rows}\n}}, name="result").to_frame()')
        return Cells("\n".join(blocks), tuple(dict.fromkeys(methods)))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say what each check found, in a sentence or two; those that found nothing are listed."""
        insights: list[InsightDraft] = []
        quiet: list[str] = []
        for check, part in self._parts(candidate):
            seen: Seen = facts
            draft = check.read(part, seen[part.key], table, intent)
            if draft.verdict == "supported" and draft.insights:
                insights += [_recorded(insight, part.key, candidate.key) for insight in draft.insights[:2]]
            else:
                quiet.append(draft.title[:1].casefold() + draft.title[1:])
        if quiet:
            insights.append(InsightDraft(f"Looked for and not found: {listed(quiet, 9, quote=False)}.", ()))
        return FindingDraft(
            title="Smaller checks of the table" if len(insights) > 1 else "Smaller checks found nothing",
            goal="What else could make a number wrong?",
            method="Each check counts over all rows; none changes the data.",
            insights=tuple(insights),
            verdict="supported",
            effect=0.3 if len(insights) > 1 else 0.05,
            always=any(insight.claims for insight in insights),
            impact=0.3,
            population=f"all rows of {table.source}",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw nothing: a table says it."""
        return ""

    def _parts(self, candidate: Candidate) -> Iterator[tuple[Play, Candidate]]:
        by_id = {check.id: check for check in self.checks}
        seen: Seen = candidate.params
        for part in seen["parts"]:
            own = Candidate(part["play"], part["key"], tuple(part["columns"]), 0.4, part["params"])
            yield by_id[part["play"]], own


def _recorded(insight: InsightDraft, part: str, key: str) -> InsightDraft:
    """Let the claims read the one result that is recorded: the parts are bound in the cell alone."""
    name = re.compile(rf"(?<![\w.'\"]){re.escape(part)}\[(['\"])")
    claims = tuple(
        replace(claim, expression=name.sub(rf"{key}[\1{part}\1][\1", claim.expression))
        for claim in insight.claims
    )
    return replace(insight, claims=claims)


def _found_test(play: str, key: str) -> str:
    """Return the expression that is true if the check found something."""
    tests = {
        "S03": f'{key}["missing"]',
        "S08": f'{key}["stamps"]',
        "S05": f'{key}["found"]',
        "S09": f'{key}["pairs"] or {key}["policies"]',
        "S10": f'{key}["units"]',
        "S14": f'any(item["value"] is not None for item in {key}.values())',
    }
    return tests[play]
