"""Earlier work: a component of an old notebook, with the way back to where it stood (NotebookRAG §4.3)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from nbformat import NotebookNode

from lakebook.analyst.table import Table
from lakebook.enhancement.drawn import call_and_read, drawn_name, readers
from lakebook.enhancement.enhanced import Repair
from lakebook.enhancement.insights.choice import facts_call
from lakebook.report.cells import claims_metadata, code_cell, markdown_cell, provenance
from lakebook.report.document import NotebookDocument, ReusedComponent
from lakebook.report.insights import insights_markdown, said_markdown
from lakebook.report.markup import code, escape, fenced, link, url_from

_LONGEST_REPAIR = 400
# What libraries plan to change is no news to the reader of an old figure.
_CALL = """\
with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    warnings.simplefilter("ignore", FutureWarning)
    {function}()"""


def source_link(document: NotebookDocument, item: ReusedComponent) -> str:
    """Return "notebook X, cell N", linked to that cell where the old notebook is at hand.

    Cells are counted from 1, as a reader of the notebook counts them.
    """
    component = item.component
    words = f"{component.notebook}, cell {component.cell + 1}"
    if document.corpus_dir is None:
        return escape(words)
    fragment = f"#cell-id={component.cell_id}" if component.cell_id else ""
    target = url_from(document.corpus_dir / component.notebook, document.out_dir, fragment)
    return link(escape(words), target)


def columns_line(item: ReusedComponent) -> str:
    """Say which old column became which new one, and on what ground."""
    same = [pair.new for pair in item.retrieved.columns if pair.old == pair.new]
    mapped = [pair for pair in item.retrieved.columns if pair.old != pair.new]
    parts = [f"{code(pair.old)} → {code(pair.new)} ({escape(pair.reason)})" for pair in mapped]
    if same:
        parts.append(f"unchanged: {', '.join(code(name) for name in same)}")
    return "; ".join(parts)


def tables_line(item: ReusedComponent) -> str:
    """Say which other tables it reads, and instead of which old files."""
    return "; ".join(f"{escape(one.instead_of)} → {code(one.source)}" for one in item.enhanced.tables)


def _provenance(document: NotebookDocument, item: ReusedComponent) -> dict[str, Any]:
    """Return where the numbers come from: the table under analysis, and others if the component reads any."""
    own = provenance(document.table, item.enhanced.columns)
    others = [
        {
            "source": one.source,
            "sha256": one.sha256,
            "columns": list(one.columns),
            "rows": one.rows,
            "rows_in_file": one.rows_in_file,
        }
        for one in item.enhanced.tables
    ]
    return own | ({"also_read": others} if others else {})


def repairs_markdown(repairs: tuple[Repair, ...]) -> str:
    """Show every edit as a small diff."""
    lines = []
    for repair in repairs:
        lines.append(
            f"@@ {repair.kind}{' (changes the question asked)' if repair.changes_meaning else ''} @@"
        )
        if repair.evidence:
            lines.append(f"# {' '.join(repair.evidence.split())[:_LONGEST_REPAIR]}")
        for mark, text in (("-", repair.before), ("+", repair.after)):
            short = text if len(text) <= _LONGEST_REPAIR else text[:_LONGEST_REPAIR] + " …"
            lines += [f"{mark} {line}" for line in short.splitlines()]
    return fenced("\n".join(lines), "diff") if lines else ""


def component_source(item: ReusedComponent, methods: str, table: Table) -> str:
    """Return the cell of a component: its function, the call, and what is drawn, with its facts."""
    enhanced = item.enhanced
    source = enhanced.code.rstrip()
    call = ""
    if not re.search(rf"(?m)^\s*{re.escape(enhanced.function)}\(", source):
        call = "\n\n\n" + _CALL.format(function=enhanced.function)
    name = drawn_name(enhanced.function)
    readable = all(re.search(rf"(?m)^def {reader}\(", methods) for reader in readers(enhanced.code))
    if not readable or re.search(rf"(?m)^{re.escape(name)}\s*=", source):
        source += call
    else:
        source += call_and_read(enhanced.code, enhanced.function, call)
        if re.search(r"(?m)^def shown_facts\(", methods):
            source += f"\n{facts_call(enhanced.function, table)}"
    return source


def reuse_cells(document: NotebookDocument, item: ReusedComponent, *, section: str) -> Iterator[NotebookNode]:
    """Make the subsection of one reused component: where it is from, what was changed, what it shows."""
    component, enhanced = item.component, item.enhanced
    key = f"{section}-reuse-{component.id}"
    origin = {
        "component": component.id,
        "notebook": component.notebook,
        "cell": component.cell,
        "cell_id": component.cell_id,
    }
    heading = f": {escape(' '.join(component.heading.split()))}" if component.heading.strip() else ""
    lines = [
        f"### Earlier work on this question{heading}",
        "",
        f"From {source_link(document, item)}, run on this data.",
    ]
    if item.retrieved.why:
        lines.append(f"Taken because {escape(item.retrieved.why.rstrip('.'))}.")
    if columns := columns_line(item):
        lines += ["", f"**Columns.** {columns}"]
    if tables := tables_line(item):
        lines += ["", f"**Other tables.** It read other files too; here they are: {tables}"]
    if enhanced.repairs:
        lines += ["", "**Changed so that it runs here:**", "", repairs_markdown(enhanced.repairs)]
    elif not columns:
        lines += ["", "Nothing had to be changed."]
    yield markdown_cell(f"{key}-head", "\n".join(lines), role="reuse-heading", section=section, reused=origin)
    yield code_cell(
        key,
        component_source(item, document.methods, document.table),
        role="reuse",
        section=section,
        provenance=_provenance(document, item),
        component=component.id,
        reused=origin,
        alt=f"Figure of {component.notebook}, cell {component.cell + 1}, drawn on this data.",
    )
    ours = [one for one in item.insights if one.original is None]
    others = [one for one in item.insights if one.original is not None]
    told = (
        ("insights", insights_markdown(item.insights), ours),
        ("said", said_markdown(item.insights), others),
    )
    for role, text, insights in told:
        if text:
            yield markdown_cell(
                f"{key}-{role}",
                text,
                role=role,
                section=section,
                provenance=_provenance(document, item),
                component=component.id,
                claims=claims_metadata(insights),
            )
