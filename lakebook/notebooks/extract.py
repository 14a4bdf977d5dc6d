"""Components and prose of notebooks: the product of this package (NotebookRAG §4.2.1-4.2.2).

A component is a cell that draws, whole, after the statements that it needs. The cells merged into the target
(see `merge`) belong to it, but are sliced as everything upstream is: of a cell that only prepares, what the
figure does not need is left out.
"""

from __future__ import annotations

import ast
import hashlib
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lakebook.notebooks import taxonomy
from lakebook.notebooks.clean import parsing
from lakebook.notebooks.columns import ColumnPass, Ran, UsedColumns
from lakebook.notebooks.component import Component, Corpus, MarkdownChunk, Notebook, NotebookCell
from lakebook.notebooks.lineage.shown import Shown
from lakebook.notebooks.merge import merged_groups
from lakebook.notebooks.order import is_ascending, rerun_reason
from lakebook.notebooks.paths import imported_modules, literal_reads, may_name_file
from lakebook.notebooks.read import read_corpus
from lakebook.notebooks.reading.python2 import divisions_of_whole_numbers
from lakebook.notebooks.schema import Schema, infer_schema
from lakebook.notebooks.slicing.slicer import Kept, Program, Statement, analyze
from lakebook.progress import Progress, silent
from lakebook.sources.card import Manifest

_IMAGES = ("image/", "application/vnd.plotly", "application/vnd.vega", "application/vnd.bokeh")
_CHUNK_CHARACTERS = 1_200
_LONGEST_HEADING, _HEADING_CHARACTERS = 2_000, 200
_LONGEST_SHOWN = 60
_SUBSCRIPT = re.compile(r"""\[\s*\[?\s*['"]|,\s*\[?\s*['"]""")
_UNSEEN, _UNDEFINED, _OUT_OF_ORDER, _UNSURE_COLUMNS = 0.5, 0.3, 0.8, 0.9
_NOT_CUT = 0.1
_TOO_LONG = "what it needs was left out, since the components before it are too long already"

MOST_STATEMENTS = 200_000
"""Statements that all components of one notebook keep together; a hundred times the most that was seen."""

MOST_SCANNED = 5_000_000
"""Statements that are looked at for all components of one notebook together."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an upstream statement is in a component."""

    cell: int
    line: int
    text: str
    wanted_for: tuple[str, ...]
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class ExplainedComponent:
    """A component with the reason of each statement before its target.

    Attributes:
        upstream: statements of merged cells included.
        own_code: of the target cell alone.
    """

    component: Component
    upstream: tuple[Explanation, ...]
    own_code: str


def extract_components(notebook: Notebook, schema: Schema | None = None) -> tuple[Component, ...]:
    """Cut a notebook into components.

    Args:
        notebook: as read; one that cannot be used gives none.
        schema: columns of the table that the notebook works on, if it is at hand.
    """
    return tuple(explained.component for explained in explain_components(notebook, schema))


def explain_components(notebook: Notebook, schema: Schema | None = None) -> tuple[ExplainedComponent, ...]:
    """Cut a notebook into components, each with why its upstream statements are kept."""
    if notebook.status not in ("ok", "partial"):
        return ()
    with parsing():
        return _explained(notebook, schema)


def _explained(notebook: Notebook, schema: Schema | None) -> tuple[ExplainedComponent, ...]:
    usable = notebook.code_cells()
    pictured = {cell.index for cell in usable if any(kind.startswith(_IMAGES) for kind in cell.output_types)}
    if not pictured and not taxonomy.may_draw("\n".join([cell.code for cell in usable])):
        return ()
    program = analyze([(cell.index, cell.code) for cell in usable])
    drawing = pictured | {statement.cell for statement in program.statements if statement.draws}
    groups = merged_groups(notebook, drawing)
    known = (
        schema
        if schema is not None
        else infer_schema(notebook, [one.node for one in program.statements if _SUBSCRIPT.search(one.text)])
    )
    slices, not_cut = _slices(program, [cell.index for cell in usable if cell.index in drawing])
    used = _columns(notebook, program, slices, known)
    cutting = _Cutting(notebook, program, is_ascending(usable), not_cut)
    return tuple(
        _component(cutting, notebook.cells[index], groups.get(index, (index,)), slices[index], used[index])
        for index in slices
    )


def markdown_chunks(notebook: Notebook) -> tuple[MarkdownChunk, ...]:
    """Return a notebook's prose in passages short enough to search."""
    chunks: list[MarkdownChunk] = []
    for cell in notebook.cells:
        if cell.kind != "markdown":
            continue
        for part, text in enumerate(_passages(cell.source)):
            key = f"{notebook.path}\n{cell.index}\n{part}\n{text}"
            chunks.append(MarkdownChunk(_digest(key), notebook.path, cell.index, text))
    return tuple(chunks)


def build_corpus(root: Path, manifest: Manifest, progress: Progress = silent) -> Corpus:
    """Read a corpus and cut all of its notebooks."""
    notebooks = read_corpus(root, manifest, progress)
    components: list[Component] = []
    chunks: list[MarkdownChunk] = []
    for done, notebook in enumerate(notebooks):
        progress("cutting components", done, len(notebooks), notebook.path)
        components.extend(extract_components(notebook))
        chunks.extend(markdown_chunks(notebook))
    progress("cutting components", len(notebooks), len(notebooks), "")
    return Corpus(notebooks, tuple(components), tuple(chunks))


@dataclass(slots=True)
class _Cutting:
    """What all components of one notebook share.

    Attributes:
        is_ordered: the cells were run in the order in which they are taken.
        is_whole_division: `/` of whole numbers gave a whole number, as it did in Python 2.
        not_cut: targets that were left without what they need, since the components became too long.
        headings: for each cell, the nearest heading above it.
        storing: for each name, the positions of the statements that bind it, in order; made when needed.
    """

    notebook: Notebook
    program: Program
    is_ordered: bool
    not_cut: frozenset[int]
    is_whole_division: bool = field(init=False)
    headings: list[str] = field(init=False)
    storing: dict[str, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.headings = _headings(self.notebook.cells)
        self.is_whole_division = self.notebook.python_2 and not any(
            isinstance(one.node, ast.ImportFrom)
            and one.node.module == "__future__"
            and any(alias.name == "division" for alias in one.node.names)
            for one in self.program.statements
        )

    def later_definition(self, names: set[str], position: int) -> tuple[str, int] | None:
        """Return the first statement after a position that binds one of the names, and that name."""
        if not self.storing:
            for at, statement in enumerate(self.program.statements):
                for name in _stored_names(statement.node):
                    self.storing.setdefault(name, []).append(at)
        found: list[tuple[int, str]] = []
        for name in names & self.storing.keys():
            listed = self.storing[name]
            first = bisect_right(listed, position)
            found.extend((at, name) for at in listed[first : first + 1])
        return (min(found)[1], min(found)[0]) if found else None


def _slices(program: Program, targets: Sequence[int]) -> tuple[dict[int, list[Kept]], frozenset[int]]:
    """Return what each target cell needs, and the targets that were left with their own statements only.

    A notebook of ten thousand figures, each of which needs all before it, would otherwise be copied ten
    thousand times.
    """
    slices: dict[int, list[Kept]] = {}
    not_cut: set[int] = set()
    kept = scanned = 0
    for cell in targets:
        own = program.of_cells((cell,))
        if not own:
            continue
        if kept > MOST_STATEMENTS or scanned + own[-1] > MOST_SCANNED:
            not_cut.add(cell)
            slices[cell] = [Kept(index, (), program.statements[index]) for index in own]
            continue
        slices[cell] = program.explain(cell)
        kept += len(slices[cell])
        scanned += own[-1]
    return slices, frozenset(not_cut)


def _columns(
    notebook: Notebook, program: Program, slices: Mapping[int, Sequence[Kept]], schema: Schema
) -> dict[int, UsedColumns]:
    """Return what each target shows; whatever several need is run once, in order."""
    reading = ColumnPass(schema)
    shown = {cell: Shown() for cell in slices}
    ran: dict[int, Ran] = {}
    last = {statement.cell: index for index, statement in enumerate(program.statements)}
    tables = {
        index: notebook.cells[cell].shown_columns
        for cell, index in last.items()
        if notebook.cells[cell].shown_columns
    }
    needed_by_any = {kept.index for needed in slices.values() for kept in needed}
    for index in sorted(needed_by_any | tables.keys()):
        statement = program.statements[index]
        if index in needed_by_any:
            ran[index] = reading.run(statement.node, shown.get(statement.cell))
        if index in tables:
            reading.saw(statement.node, tables[index])
    return {
        cell: reading.used(shown[cell], [ran[kept.index] for kept in needed])
        for cell, needed in slices.items()
    }


def _component(
    cutting: _Cutting, cell: NotebookCell, group: tuple[int, ...], needed: Sequence[Kept], used: UsedColumns
) -> ExplainedComponent:
    notebook, program = cutting.notebook, cutting.program
    kept = [one for one in needed if program.statements[one.index].cell != cell.index]
    statements = [one.statement for one in kept]
    upstream = [one for one in statements if one.cell not in group]
    merged = [one for one in statements if one.cell in group]
    target_code = "\n\n".join(part for part in (_joined(merged), cell.code.strip("\n")) if part)
    upstream_code = _joined(upstream)
    code = f"{upstream_code}\n\n{target_code}\n" if upstream_code else f"{target_code}\n"
    own = [program.statements[index] for index in program.of_cells((cell.index,))]
    importing = [one.node for one in (*statements, *own) if "import" in one.text]
    naming_files = [one.node for one in (*statements, *own) if may_name_file(one.node, one.text)]
    disorder = "" if cutting.is_ordered else _disorder(notebook, statements, cell)
    missing = _missing_run(cutting, cell, statements + own)
    old = _old_division([one.node for one in (*statements, *own)]) if cutting.is_whole_division else ""
    confidence, reason = _confidence(statements + own, (disorder, missing, old), used.unsure)
    if cell.index in cutting.not_cut:
        confidence, reason = _NOT_CUT * confidence, "; ".join(filter(None, (_TOO_LONG, reason)))
    first = program.of_cells((cell.index,))[0]
    component = Component(
        id=_digest(f"{notebook.path}\n{cell.index}\n{code}"),
        notebook=notebook.path,
        cell=cell.index,
        cell_id=cell.cell_id,
        target_cells=group,
        upstream_cells=tuple(dict.fromkeys(one.cell for one in statements)),
        code=code,
        target_code=target_code + "\n",
        columns=used.shown,
        filter_columns=used.filters,
        key_columns=used.keys,
        chart_types=used.charts,
        reads=literal_reads(naming_files),
        modules=imported_modules(importing),
        heading=cutting.headings[min(group)],
        statements_kept=len(kept),
        statements_before=first,
        confidence=round(confidence, 3),
        reason=reason,
        columns_doubt=used.unsure,
    )
    return ExplainedComponent(component, tuple(_explanation(one) for one in kept), cell.code.strip("\n"))


def _explanation(kept: Kept) -> Explanation:
    statement = kept.statement
    return Explanation(statement.cell, statement.line, statement.text, kept.wanted_for, is_cut=kept.is_cut)


def _joined(statements: Sequence[Statement]) -> str:
    """Return statements as source text, with an empty line where the cell changes."""
    parts: list[str] = []
    previous: int | None = None
    for statement in statements:
        if previous is not None and statement.cell != previous:
            parts.append("")
        parts.append(statement.text)
        previous = statement.cell
    return "\n".join(parts)


def _confidence(statements: Sequence[Statement], disorder: Sequence[str], unsure: str) -> tuple[float, str]:
    unseen = list(dict.fromkeys(doubt for one in statements for doubt in one.doubts))
    undefined = list(dict.fromkeys(name for one in statements for name in one.unresolved))
    confidence = _UNSEEN ** len(unseen[:3])
    reasons = unseen[:3]
    if undefined:
        confidence *= _UNDEFINED
        shown = ", ".join(f"`{name}`" for name in undefined[:3])
        reasons.append(f"{shown} {'is' if len(undefined) == 1 else 'are'} never defined before use")
    for reason in filter(None, disorder):
        confidence *= _OUT_OF_ORDER
        reasons.append(reason)
    if unsure:
        confidence *= _UNSURE_COLUMNS
        reasons.append(unsure)
    return confidence, "; ".join(reasons)


def _disorder(notebook: Notebook, upstream: Sequence[Statement], target: NotebookCell) -> str:
    """Return what speaks against the order in which a component's statements are taken."""
    needed = dict.fromkeys(one.cell for one in upstream)
    reason = rerun_reason([*(notebook.cells[index] for index in needed), target])
    return "the cells were last run in another order than they stand in" + (f": {reason}" if reason else "")


def _old_division(nodes: Sequence[ast.stmt]) -> str:
    """Return what speaks against numbers that Python 2 may have computed otherwise."""
    found = divisions_of_whole_numbers(nodes)
    if not found:
        return ""
    shown = found[0] if len(found[0]) <= _LONGEST_SHOWN else f"{found[0][:_LONGEST_SHOWN]} …"
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return f"Python 2 cut the quotient of whole numbers: `{shown}`{more} may have given other numbers"


def _missing_run(cutting: _Cutting, target: NotebookCell, statements: Sequence[Statement]) -> str:
    """Return which later cell must have been run before: only it defines a name that is used."""
    undefined = {name for one in statements for name in one.unresolved}
    if not undefined:
        return ""
    program = cutting.program
    found = cutting.later_definition(undefined, program.of_cells((target.index,))[-1])
    if found is None:
        return ""
    name, position = found
    return f"needs an earlier run of cell {program.statements[position].cell}, which defines `{name}`"


def _stored_names(node: ast.stmt) -> set[str]:
    """Return the names that a statement binds outside functions."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
        return {node.name}
    found = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        found |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    return found


def _headings(cells: Sequence[NotebookCell]) -> list[str]:
    """Return, for each cell, the nearest heading above it, or the first sentence of the nearest prose."""
    found: list[str] = []
    current = ""
    for cell in cells:
        found.append(current)
        if cell.kind == "markdown":
            current = _heading(cell.source) or current
    return found


def _heading(prose: str) -> str:
    lines = [line.strip() for line in prose.splitlines() if line.strip()]
    if not lines:
        return ""
    headings = [line.lstrip("#").strip() for line in lines if line.startswith("#")]
    text = headings[-1] if headings else re.split(r"(?<=[.!?])\s", lines[0])[0]
    plain = re.sub(r"<[^<>]+>|[*_`]{1,3}", "", text[:_LONGEST_HEADING])
    return plain.lstrip("> -+").strip()[:_HEADING_CHARACTERS]


def _passages(text: str) -> list[str]:
    """Cut prose between paragraphs, so that no passage is much longer than a search index likes."""
    passages: list[str] = []
    current = ""
    for paragraph in re.split(r"\n\s*\n", re.sub(r"data:[\w/+.-]+;base64,[\w+/=]+", "", text)):
        paragraph = paragraph.strip()
        if current and len(current) + len(paragraph) > _CHUNK_CHARACTERS:
            passages.append(current)
            current = ""
        current = f"{current}\n\n{paragraph}" if current and paragraph else current or paragraph
        while len(current) > 2 * _CHUNK_CHARACTERS:
            passages.append(current[:_CHUNK_CHARACTERS])
            current = current[_CHUNK_CHARACTERS:]
    return [*passages, current] if current else passages


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
