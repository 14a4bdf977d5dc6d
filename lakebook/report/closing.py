"""The cells after the last section: limits, files, where every number comes from, what was not done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from nbformat import NotebookNode

from lakebook.analyst.claim import Claim
from lakebook.analyst.plan import Finding
from lakebook.report.cells import markdown_cell
from lakebook.report.document import NotebookDocument
from lakebook.report.insights import WHERE_NUMBERS
from lakebook.report.markup import anchor, code, escape, link, one_line, table
from lakebook.report.opening import numbered
from lakebook.report.reuse import reuse_cells, source_link
from lakebook.sources.card import SourceCard, SourceUnit

_WIDEST_EXPRESSION = 160
_MOST_UNPLACED = 3


def closing_cells(document: NotebookDocument, findings: Sequence[Finding]) -> Iterator[NotebookNode]:
    """Make every cell that stands after the last section."""
    yield from _unplaced_components(document, findings)
    if document.limits.strip():
        text = document.limits.strip()
        yield markdown_cell(
            "limits", text if text.startswith("#") else f"## Limits and next steps\n\n{text}", role="limits"
        )
    if document.cards:
        text = _sources(document.cards, document.group, document.others)
        yield markdown_cell("sources", text, role="sources")
    yield markdown_cell("numbers", _numbers(document, findings), role="numbers")
    yield markdown_cell("not-done", _not_done(document), role="not-done")


def _unplaced_components(document: NotebookDocument, findings: Sequence[Finding]) -> Iterator[NotebookNode]:
    placed = {name for finding in findings for name in finding.components}
    rest = [r for r in document.reused if r.enhanced.status == "ok" and r.enhanced.component not in placed]
    if rest:
        note = "Figures of earlier notebooks that belong to the question but to none of the sections above."
        yield markdown_cell("more-head", f"## More from earlier notebooks\n\n{note}", role="heading")
    for item in rest[:_MOST_UNPLACED]:
        yield from reuse_cells(document, item, section="more")


def _sources(cards: Sequence[SourceCard], group: SourceCard | None, others: Sequence[SourceCard] = ()) -> str:
    """List the files; of a group, whose notes name its members, what was read of all of them together.

    `others` are those that only reused components read.
    """
    lines = ["## The files", ""]
    rows = [row for card in (*cards, *others) for row in _file_rows(card, code(card.path))]
    if group is not None:
        rows += _file_rows(group, f"**all together**, {code(group.path)}")
    header = ["File", "Status", "Rows in file", "Loaded", "Rejected", "Left out", "Content hash"]
    lines.append(table(header, rows, "llrrrrl"))
    if group is not None:
        notes = [f"- {escape(text)}" for _, text in _card_notes(group)]
        cards = ()
    else:
        notes = []
    notes += [f"- {name}: {escape(text)}" for card in (*cards, *others) for name, text in _card_notes(card)]
    return "\n".join([*lines, *([""] if notes else []), *notes])


def _file_rows(card: SourceCard, name: str) -> Iterator[list[str]]:
    if not card.units:
        yield [name, card.status, "", "", "", "", code(card.sha256[:12])]
    for unit in card.units:
        full = name + (f" {code(unit.unit)}" if unit.unit else "")
        counts = [f"{n:,}" for n in (unit.rows_in_file, unit.rows, unit.rows_rejected, unit.rows_skipped)]
        yield [full, card.status, *counts, code(card.sha256[:12])]


def _card_notes(card: SourceCard) -> Iterator[tuple[str, str]]:
    """Give what is to be known of a file, each thing with the name of what it is about."""
    if card.reason:
        yield code(card.path), card.reason
    for unit in card.units:
        name = code(card.path) + (f" {code(unit.unit)}" if unit.unit else "")
        for text in (*unit.warnings, *unit.skipped, *_column_notes(unit)):
            yield name, text


def _column_notes(unit: SourceUnit) -> Iterator[str]:
    for column in unit.columns:
        for text in column.warnings:
            yield f"column {column.name}: {text}"


def _numbers(document: NotebookDocument, findings: Sequence[Finding]) -> str:
    rows = []
    for position, finding in enumerate(findings, start=1):
        where = link(str(position), anchor(numbered(position, finding)))
        for insight in finding.insights:
            if insight.verdict != "withheld":
                rows += [_claim_row(claim, where, claim.record or finding.record) for claim in insight.claims]
    for item in document.reused:
        for insight in item.insights:
            if insight.verdict != "withheld" and item.enhanced.status == "ok":
                rows += [
                    _claim_row(claim, source_link(document, item), claim.record) for claim in insight.claims
                ]
    lines = [f"## {WHERE_NUMBERS}", ""]
    if not rows:
        return "\n".join([*lines, "The text of this notebook states no number."])
    lines += [
        "Each expression gives the shown value when it is evaluated after all cells above have run. "
        "A word such as *rises* stands for a test that must be true.",
        "",
        table(["Claim", "Shown", "Expression", "Section", "Rows", "Record"], rows, "lllcrl"),
    ]
    return "\n".join(lines)


def _claim_row(claim: Claim, where: str, record: str) -> list[str]:
    expression = code(one_line(claim.expression, _WIDEST_EXPRESSION))
    rows = f"{claim.rows:,}" if claim.rows else ""
    return [claim.id, escape(claim.shown), expression, where, rows, escape(record)]


def _not_done(document: NotebookDocument) -> str:
    lines = ["## What was not done, and why", ""]
    found = document.findings
    if found.tests_run:
        lines += [f"{found.tests_run:,} statistical tests were run, {found.tests_kept:,} are shown.", ""]
    entries = [f"- **{escape(item.title)}**: {escape(item.reason)}" for item in document.plan.not_applicable]
    for finding in found.findings:
        if not finding.published:
            entries.append(
                f"- **{escape(finding.title)}** was looked at and left out: {escape(finding.reason)}"
            )
    withheld = Counter(
        insight.reason or "it could not be verified"
        for finding in found.findings
        if finding.published
        for insight in finding.insights
        if insight.verdict == "withheld"
    )
    for reason, count in sorted(withheld.items()):
        sentences = "1 sentence was" if count == 1 else f"{count} sentences were"
        entries.append(f"- {sentences} withheld: {escape(reason)}")
    for item in document.reused:
        if item.enhanced.status != "ok":
            reason = one_line(item.enhanced.error or item.enhanced.status, 200)
            entries.append(f"- Earlier work in {source_link(document, item)} was not used: {escape(reason)}")
    return "\n".join(lines + (entries or ["Everything that was planned was done."]))
