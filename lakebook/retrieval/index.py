"""The component index: components by the columns they use and by text, prose by text (NotebookRAG §4.2.3).

LanceDB holds three tables: components (a label list of columns, full text over heading and identifiers),
Markdown chunks (full text), and notebooks (the old columns of each, with what their code tells). A build
writes a new version beside the old one and then switches to it in one step, so that a reader always has a
whole index. Ranking and choosing are in `search`. Only this module imports lancedb, and only once it
is needed: that takes seconds, and a run that rebuilds nothing does without.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa

from lakebook.correspondence.evidence import OldColumn
from lakebook.correspondence.names import words
from lakebook.errors import RetrievalError
from lakebook.notebooks.component import Component, Corpus, MarkdownChunk
from lakebook.retrieval.old_columns import named_columns, old_columns, shown_columns

_FORMAT = "2"  # part of the version: an index of another format is built anew
_POINTER = "current"
_TEXT = pa.string()
_COMPONENTS = pa.schema(
    [("id", _TEXT), ("notebook", _TEXT), ("columns", pa.list_(_TEXT)), ("text", _TEXT), ("payload", _TEXT)]
)
_CHUNKS = pa.schema([("id", _TEXT), ("text", _TEXT), ("payload", _TEXT)])
_NOTEBOOKS = pa.schema([("notebook", _TEXT), ("payload", _TEXT)])


@dataclass(frozen=True, slots=True)
class TextHit:
    """A component found by text; `score` is BM25."""

    component: Component
    score: float


@dataclass(frozen=True, slots=True)
class MarkdownHit:
    """A passage of prose found by text; `score` is BM25."""

    chunk: MarkdownChunk
    score: float


class ComponentIndex:
    """One whole version of the index, opened for reading."""

    def __init__(self, folder: Path, version: str) -> None:
        self.folder = folder
        self.version = version
        import lancedb

        connection = lancedb.connect(folder / version)
        self._components = connection.open_table("components")
        self._chunks = connection.open_table("chunks")
        self._notebooks = connection.open_table("notebooks")

    @classmethod
    def build(cls, folder: Path, corpus: Corpus) -> ComponentIndex:
        """Index a corpus; the old index stays usable until the new one is whole, an unchanged one is kept."""
        version = _version(corpus)
        if _current(folder) == version and (folder / version).is_dir():
            return cls.open(folder)
        folder.mkdir(parents=True, exist_ok=True)
        fresh = folder / f"{version}.new-{os.getpid()}"
        shutil.rmtree(fresh, ignore_errors=True)
        try:
            _write(fresh, corpus)
            shutil.rmtree(folder / version, ignore_errors=True)
            fresh.rename(folder / version)
            pointer = folder / f"{_POINTER}.new-{os.getpid()}"
            pointer.write_text(version, encoding="utf-8")
            before = _current(folder)
            pointer.replace(folder / _POINTER)
        except (OSError, RuntimeError, ValueError) as error:
            shutil.rmtree(fresh, ignore_errors=True)
            raise RetrievalError(
                f"the component index could not be written: {error}",
                where=str(folder),
                hint="Check that the folder is writable and the disk is not full.",
            ) from error
        _drop_versions(folder, keep={version, before})
        return cls.open(folder)

    @classmethod
    def open(cls, folder: Path) -> ComponentIndex:
        """Open the current version. Raises RetrievalError if there is none or it is damaged."""
        version = _current(folder)
        if not version or not (folder / version).is_dir():
            raise RetrievalError(
                "there is no component index here.",
                where=str(folder),
                hint="Build it from the notebooks first (the asset component_index).",
            )
        try:
            return cls(folder, version)
        except (OSError, RuntimeError, ValueError) as error:
            raise RetrievalError(
                f"the component index cannot be read: {error}",
                where=str(folder / version),
                hint="Delete the folder; it is rebuilt from the notebooks.",
            ) from error

    def __len__(self) -> int:
        return int(self._components.count_rows())

    def notebooks(self) -> dict[str, tuple[OldColumn, ...]]:
        """Return the old columns of every notebook that has components, in order of path."""
        rows = self._notebooks.to_arrow().to_pylist()
        return {
            row["notebook"]: tuple(
                OldColumn(
                    item["name"],
                    item["kind"],
                    tuple(item["values"]),
                    tuple(item["shown"]),
                    tuple(item["quartiles"]),
                )
                for item in orjson.loads(row["payload"])
            )
            for row in sorted(rows, key=lambda row: str(row["notebook"]))
        }

    def components(self) -> tuple[Component, ...]:
        """Return every component, in order of notebook, cell and id."""
        return _ordered(self._components.to_arrow().to_pylist())

    def components_using(self, columns: Iterable[str]) -> tuple[Component, ...]:
        """Return the components that use at least one of these old columns, in order."""
        names = sorted(set(columns))
        if not names:
            return ()
        listed = ", ".join("'" + name.replace("'", "''") + "'" for name in names)
        found = self._components.search().where(f"array_has_any(columns, [{listed}])")
        return _ordered(found.limit(max(1, len(self))).to_list())

    def search_text(self, text: str, k: int) -> tuple[TextHit, ...]:
        """Return the k components whose heading and identifiers fit the text best, best first."""
        hits = _full_text(self._components, text, k)
        return tuple(TextHit(_component(row["payload"]), score) for row, score in hits)

    def search_markdown(self, text: str, k: int) -> tuple[MarkdownHit, ...]:
        """Return the k passages of prose that fit the text best, best first."""
        hits = _full_text(self._chunks, text, k)
        return tuple(MarkdownHit(MarkdownChunk(**orjson.loads(row["payload"])), score) for row, score in hits)


def _version(corpus: Corpus) -> str:
    digest = hashlib.sha256(_FORMAT.encode())
    for component in corpus.components:
        digest.update(orjson.dumps(component))
    for chunk in corpus.chunks:
        digest.update(orjson.dumps(chunk))
    return f"v{digest.hexdigest()[:16]}"


def _current(folder: Path) -> str:
    try:
        return (folder / _POINTER).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""


def _drop_versions(folder: Path, keep: set[str]) -> None:
    """Remove older versions; the one before stays for readers that still have it open."""
    for place in folder.iterdir():
        if (
            place.is_dir()
            and re.fullmatch(r"v[0-9a-f]{16}(\.new-\d+)?", place.name)
            and place.name not in keep
        ):
            shutil.rmtree(place, ignore_errors=True)


def _write(folder: Path, corpus: Corpus) -> None:
    import lancedb
    from lancedb.index import FTS, LabelList

    connection = lancedb.connect(folder)
    components = connection.create_table(
        "components", schema=_COMPONENTS, data=pa.Table.from_pylist(_component_rows(corpus), _COMPONENTS)
    )
    chunks = connection.create_table(
        "chunks", schema=_CHUNKS, data=pa.Table.from_pylist(_chunk_rows(corpus), _CHUNKS)
    )
    connection.create_table(
        "notebooks", schema=_NOTEBOOKS, data=pa.Table.from_pylist(_notebook_rows(corpus), _NOTEBOOKS)
    )
    components.create_index("columns", config=LabelList())
    components.create_index("text", config=FTS())
    chunks.create_index("text", config=FTS())


def _component_rows(corpus: Corpus) -> list[dict[str, Any]]:
    return [
        {
            "id": component.id,
            "notebook": component.notebook,
            "columns": list(named_columns(component)),
            "text": searchable_text(component),
            "payload": orjson.dumps(asdict(component)).decode(),
        }
        for component in corpus.components
    ]


def _chunk_rows(corpus: Corpus) -> list[dict[str, Any]]:
    return [
        {"id": chunk.id, "text": chunk.text, "payload": orjson.dumps(asdict(chunk)).decode()}
        for chunk in corpus.chunks
    ]


def _notebook_rows(corpus: Corpus) -> list[dict[str, Any]]:
    by_notebook: dict[str, list[Component]] = {}
    for component in corpus.components:
        by_notebook.setdefault(component.notebook, []).append(component)
    shown = {notebook.path: shown_columns(notebook) for notebook in corpus.notebooks}
    return [
        {
            "notebook": notebook,
            "payload": orjson.dumps(
                [asdict(column) for column in old_columns(components, shown.get(notebook, ()))]
            ).decode(),
        }
        for notebook, components in sorted(by_notebook.items())
    ]


def searchable_text(component: Component) -> str:
    """Return what text search sees of a component: heading, columns, chart types, identifiers, in words."""
    identifiers = dict.fromkeys(re.findall(r"[^\W\d]\w*", component.target_code))
    names = (*named_columns(component), *component.chart_types, *identifiers)
    return " ".join((component.heading, *dict.fromkeys(word for name in names for word in words(name))))


def _component(payload: str) -> Component:
    fields: dict[str, Any] = orjson.loads(payload)
    frozen: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()
    }
    return Component(**frozen)


def _ordered(rows: Sequence[dict[str, Any]]) -> tuple[Component, ...]:
    found = (_component(row["payload"]) for row in rows)
    return tuple(sorted(found, key=lambda component: (component.notebook, component.cell, component.id)))


def _full_text(table: Any, text: str, k: int) -> list[tuple[dict[str, Any], float]]:
    """Search by BM25. More than k are read, since the order among equal scores is the engine's own."""
    query = " ".join(words(text))
    if not query or k <= 0 or not table.count_rows():
        return []
    rows = table.search(query, query_type="fts").limit(4 * k + 20).to_list()
    hits = [(row, round(float(row["_score"]), 6)) for row in rows]
    return sorted(hits, key=lambda hit: (-hit[1], hit[0]["id"]))[:k]
