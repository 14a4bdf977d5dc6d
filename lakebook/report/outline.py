"""The report between notebook and formats: what an executed notebook says, as a flat list of blocks.

It is read from the notebook alone, so any notebook can be exported, also one that we did not write. All
rich text in it is safe already (`richtext`). What does not belong here: how a format looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from nbformat import NotebookNode

from lakebook.report.outputs import Output, read_output
from lakebook.report.prose import claim_number, mark_claims, render_markdown, without_claim_links
from lakebook.report.reading import language_of
from lakebook.report.richtext import Element
from lakebook.report.status import StatusFact, read_status
from lakebook.report.targets import HeadingTargets
from lakebook.report.verification import PublishedClaim, published_claims

# Cells that the reports say in their own way, or that speak of the notebook only.
_REPLACED_ROLES = frozenset({"numbers", "note"})


@dataclass(frozen=True, slots=True)
class Prose:
    """A Markdown cell: `source` as written, `body` as a safe tree."""

    source: str
    body: Element
    role: str = ""


@dataclass(frozen=True, slots=True)
class Code:
    """A code cell's source."""

    source: str
    role: str = ""
    failed: bool = False


Block = Prose | Code | Output


@dataclass(frozen=True, slots=True)
class Contents:
    """One entry of the table of contents."""

    level: int
    text: str
    target: str


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim for the provenance table. `holds` is None if the notebook was not verified."""

    claim: PublishedClaim
    record: str
    source: str
    section_title: str
    target: str
    holds: bool | None
    reason: str = ""

    @property
    def number(self) -> str:
        """The number by which the text points to the claim."""
        return claim_number(self.claim.claim.id)


@dataclass(frozen=True, slots=True)
class ReportOutline:
    """All that a report says, in order."""

    title: str
    subtitle: str
    blocks: tuple[Block, ...]
    contents: tuple[Contents, ...]
    status: tuple[StatusFact, ...]
    claims: tuple[ClaimRow, ...] = ()
    analyst: str = ""
    version: str = ""
    language: str = "python"
    complete: bool = True

    def sentences(self) -> list[list[ClaimRow]]:
        """Return the claims grouped by the sentence that they stand in."""
        return [
            list(rows) for _, rows in groupby(self.claims, key=lambda row: (row.claim.cell, row.claim.text))
        ]


def read_outline(notebook: NotebookNode, fallback_title: str = "Notebook") -> ReportOutline:
    """Read the outline of a notebook.

    Args:
        notebook: as `read_notebook` gives it.
        fallback_title: used when the notebook has no heading of level 1.
    """
    own: dict[str, Any] = _own(notebook)
    blocks: list[Block] = []
    targets = HeadingTargets()
    title, subtitle = "", ""
    for cell in notebook.cells:
        role = str(_own(cell).get("role", ""))
        if cell.cell_type == "code":
            blocks += _code_blocks(cell, role, len(blocks))
        elif cell.cell_type == "markdown" and role not in _REPLACED_ROLES:
            prose = _prose(cell, role)
            if not title:
                title, subtitle = _take_title(prose.body)
            targets.add(prose.body)
            if prose.body.text().strip() or prose.body.find("img", "hr"):
                blocks.append(prose)
    targets.resolve(block.body for block in blocks if isinstance(block, Prose))
    claims = _claim_rows(notebook, targets)
    return ReportOutline(
        title=title or str(notebook.metadata.get("title", "")) or fallback_title,
        subtitle=subtitle or str(own.get("intent", {}).get("text", "")),
        blocks=tuple(_named_figures(blocks)),
        contents=tuple(Contents(level, text, target) for level, text, target in targets.headings),
        status=read_status(notebook),
        claims=claims,
        analyst=str(own.get("analyst", "")),
        version=str(own.get("version", "")),
        language=language_of(notebook),
        complete=not own.get("verification", {}).get("error"),
    )


def _own(node: NotebookNode) -> dict[str, Any]:
    found = node.metadata.get("lakebook", {})
    return found if isinstance(found, dict) else {}


def _prose(cell: NotebookNode, role: str) -> Prose:
    own = _own(cell)
    named = own.get("claims") or own.get("mentions") or ()
    mentions = [(str(entry.get("id", "")), str(entry.get("shown", ""))) for entry in named]
    source = without_claim_links(cell.source) if mentions else cell.source
    body = render_markdown(source, cell.get("attachments"))
    mark_claims(body, mentions)
    return Prose(cell.source, body, role)


def _take_title(body: Element) -> tuple[str, str]:
    """Take the heading of level 1, and the quotation under it (the intent), out of the first text."""
    heading = next((e for e in body.children if isinstance(e, Element) and e.tag == "h1"), None)
    if heading is None:
        return "", ""
    after = body.children[body.children.index(heading) + 1 :]
    following = next((e for e in after if isinstance(e, Element)), None)
    body.children.remove(heading)
    if following is not None and following.tag == "blockquote":
        body.children.remove(following)
        return heading.text().strip(), following.text().strip()
    return heading.text().strip(), ""


def _code_blocks(cell: NotebookNode, role: str, position: int) -> list[Block]:
    blocks: list[Block] = []
    tags = cell.metadata.get("tags", ())
    if cell.source.strip():
        failed = "lakebook-failed" in tags or any(o.get("output_type") == "error" for o in cell.outputs)
        blocks.append(Code(cell.source, role, failed))
    alt = str(_own(cell).get("alt", ""))
    blocks += [found for output in cell.outputs if (found := read_output(output, alt)) is not None]
    return blocks


def _named_figures(blocks: Sequence[Block]) -> list[Block]:
    """Give every picture a number and an alternative text: that of the heading above if it has none."""
    named: list[Block] = []
    heading, count = "", 0
    for block in blocks:
        if isinstance(block, Prose) and (found := block.body.find("h1", "h2", "h3", "h4")):
            heading = found[-1].text().strip()
        if isinstance(block, Output) and block.kind == "figure":
            count += 1
            place = f"Figure under “{heading}”" if heading else f"Figure {count}"
            block = block.numbered(count, block.alt or place)
        named.append(block)
    return named


def _claim_rows(notebook: NotebookNode, targets: HeadingTargets) -> tuple[ClaimRow, ...]:
    verification = _own(notebook).get("verification")
    failed = {f.get("claim"): f.get("reason", "") for f in (verification or {}).get("failed", ())}
    cells = {cell.id: _own(cell) for cell in notebook.cells}
    headings = {
        _own(cell).get("section"): cell for cell in notebook.cells if _own(cell).get("role") == "heading"
    }
    rows = []
    for item in published_claims(notebook):
        own = cells.get(item.cell, {})
        head = headings.get(item.section)
        text = head.source.splitlines()[0] if head is not None else ""
        title, target = targets.find(render_markdown(text).text().strip()) if text else ("", "")
        holds = None if verification is None else item.claim.id not in failed
        origin = own.get("provenance", {})
        rows.append(
            ClaimRow(
                item,
                record=item.claim.record or str(own.get("record", "")),
                source=str(origin.get("source", "")),
                section_title=title,
                target=target,
                holds=holds,
                reason=str(failed.get(item.claim.id, "")),
            )
        )
    return tuple(rows)
