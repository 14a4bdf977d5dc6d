"""The paper's baseline: cells as texts of their own, those nearest to the query taken (NotebookRAG §6.1).

For comparison only: columns are not looked at, nothing upstream comes with a cell, and column names stay as
they were. So that a cell has a chance at all, it gets the imports of its notebook that it uses, and the table
under every other name that it reads and does not define. Vectors are an embedding model's where one is set,
else hashed words (`texts`).
"""

from __future__ import annotations

import ast
import builtins
import hashlib
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from lakebook.notebooks.clean import parse
from lakebook.notebooks.component import Component, MarkdownChunk, Notebook, NotebookCell
from lakebook.progress import Progress, silent
from lakebook.retrieval.passages import MOST_PASSAGES, Embed
from lakebook.retrieval.result import EdaQuery, Passage, Retrieval, RetrievedComponent
from lakebook.retrieval.search import MOST_PER_QUERY
from lakebook.retrieval.texts import hashed_vectors


def cell_components(notebooks: Iterable[Notebook]) -> tuple[Component, ...]:
    """Return every code cell as a component of itself alone, in order of notebook and cell."""
    found: list[Component] = []
    for notebook in sorted(notebooks, key=lambda one: one.path):
        if notebook.status not in ("ok", "partial"):
            continue
        cells = [cell for cell in notebook.cells if cell.kind == "code" and cell.code.strip()]
        imports = _imports(parse(cell.code) for cell in cells)
        found.extend(_component(notebook.path, cell, _prelude(cell.code, imports)) for cell in cells)
    return tuple(found)


def _imports(trees: Iterable[ast.Module]) -> dict[str, str]:
    """Return the import line of every name that a notebook imports."""
    lines: dict[str, str] = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                for alias in node.names:
                    name = (alias.asname or alias.name).split(".")[0]
                    lines.setdefault(name, ast.unparse(node))
    return lines


def _prelude(code: str, imports: Mapping[str, str]) -> str:
    """Return lines that give a cell what it reads and does not define: imports, else the table."""
    names = [node for node in ast.walk(parse(code)) if isinstance(node, ast.Name)]
    known = {node.id for node in names if not isinstance(node.ctx, ast.Load)} | set(dir(builtins))
    wanted = dict.fromkeys(node.id for node in names if isinstance(node.ctx, ast.Load))
    lines = [imports.get(name, f"{name} = pd.read_csv('data.csv')") for name in wanted if name not in known]
    text = "\n".join(dict.fromkeys(lines))
    return f"import pandas as pd\n{text}\n" if "pd.read_csv" in text else f"{text}\n"


def search_general(
    notebooks: Iterable[Notebook],
    chunks: Sequence[MarkdownChunk],
    queries: Sequence[EdaQuery],
    k: int = MOST_PER_QUERY,
    progress: Progress = silent,
    embed: Embed | None = None,
) -> Retrieval:
    """Return the k code cells and the passages of prose that are nearest to each query, by cosine."""
    cells = cell_components(notebooks)
    asked = [f"{query.goal} {' '.join(query.columns)}" for query in queries]
    near_code = _nearest(asked, [cell.target_code for cell in cells], k, embed)
    near_prose = _nearest(asked, [chunk.text for chunk in chunks], MOST_PASSAGES, embed)
    taken: list[RetrievedComponent] = []
    passages: list[Passage] = []
    for number, query in enumerate(queries):
        progress("retrieve cells", number, len(queries), query.goal)
        for rank, (at, score) in enumerate(near_code[number], 1):
            why = f"its text is among the {k} nearest to the goal; its columns were not looked at"
            taken.append(RetrievedComponent(query.id, cells[at].id, rank, "general", score, (), why=why))
        for at, score in near_prose[number]:
            chunk = chunks[at]
            why = "its text is near to the goal"
            passages.append(Passage(query.id, chunk.notebook, chunk.cell, chunk.text, score, why))
    progress("retrieve cells", len(queries), len(queries), "")
    return Retrieval(tuple(taken), passages=tuple(passages))


def _nearest(
    asked: Sequence[str], texts: Sequence[str], k: int, embed: Embed | None
) -> list[list[tuple[int, float]]]:
    """Return places and cosines of the k nearest texts to each question; equal ones in their order."""
    if not asked or not texts:
        return [[] for _ in asked]
    vectors = embed([*asked, *texts]) if embed is not None else None
    if vectors is None:
        vectors = hashed_vectors([*asked, *texts])
    cosines = np.round(vectors[: len(asked)] @ vectors[len(asked) :].T, 4)
    order = np.argsort(-cosines, axis=1, kind="stable")[:, :k]
    return [
        [(int(at), float(cosines[row, at])) for at in places if cosines[row, at] > 0]
        for row, places in enumerate(order)
    ]


def _component(notebook: str, cell: NotebookCell, prelude: str) -> Component:
    name = hashlib.sha256(f"{notebook}\n{cell.index}\n{cell.code}".encode()).hexdigest()[:16]
    return Component(
        id=f"cell-{name}",
        notebook=notebook,
        cell=cell.index,
        cell_id=cell.cell_id,
        target_cells=(cell.index,),
        upstream_cells=(),
        code=prelude + cell.code,
        target_code=cell.code,
    )
