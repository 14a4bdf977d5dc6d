"""One section: heading with question and method, computation, figure, insights with their cautions."""

from __future__ import annotations

from collections.abc import Iterator

from nbformat import NotebookNode

from lakebook.analyst.plan import Finding
from lakebook.report.cells import claims_metadata, code_cell, markdown_cell, provenance
from lakebook.report.document import NotebookDocument
from lakebook.report.insights import insights_markdown, published
from lakebook.report.markup import escape_inline, escape_words
from lakebook.report.opening import numbered
from lakebook.report.reuse import reuse_cells

_MOST_COMPONENTS = 2


def section_cells(document: NotebookDocument, finding: Finding, position: int) -> Iterator[NotebookNode]:
    """Make the cells of one published finding."""
    key, section = finding.key, finding.key
    origin = provenance(document.table, finding.columns)
    lines = [f"## {escape_inline(numbered(position, finding))}", ""]
    lines += [f"**Question.** {escape_words(finding.goal)}", ""] if finding.goal else []
    lines += [f"**Method.** {escape_words(finding.method)}"] if finding.method else []
    yield markdown_cell(f"{key}-head", "\n".join(lines), role="heading", section=section, play=finding.play)
    yield code_cell(
        f"{key}-compute",
        finding.compute,
        role="compute",
        section=section,
        provenance=origin,
        record=finding.record,
    )
    if finding.figure.strip():
        yield code_cell(
            f"{key}-figure",
            finding.figure.rstrip() + "\nplt.show()",
            role="figure",
            section=section,
            provenance=origin,
            record=finding.record,
            alt=alternative_text(finding),
        )
    source = insights_markdown(finding.insights, finding.population)
    if source:
        yield markdown_cell(
            f"{key}-insights",
            source,
            role="insights",
            section=section,
            provenance=origin,
            record=finding.record,
            verdict=finding.verdict,
            claims=claims_metadata(finding.insights),
        )
    yield from _earlier_work(document, finding)


def _earlier_work(document: NotebookDocument, finding: Finding) -> Iterator[NotebookNode]:
    by_id = {item.enhanced.component: item for item in document.reused if item.enhanced.status == "ok"}
    fitting = [by_id[name] for name in finding.components if name in by_id][:_MOST_COMPONENTS]
    for item in fitting:
        yield from reuse_cells(document, item, section=finding.key)


def alternative_text(finding: Finding) -> str:
    """Return what a figure says, for those who cannot see it."""
    first = published(finding.insights, cautions=False)
    said = f" {first[0].text}" if first else ""
    return f"{' '.join(finding.title.split())}.{said}"
