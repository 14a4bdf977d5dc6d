"""The component index, read: notebooks by words of their columns, their components by column, their prose.

An index is LanceDB tables and a pointer that names one version of each, so that whoever opened it goes on
reading the same whole, whatever is built meanwhile (see `build`). Only these two modules import lancedb, and
only once it is needed: that takes seconds, and a run that rebuilds nothing does without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import orjson

from lakebook.correspondence.evidence import OldColumn
from lakebook.correspondence.names import words
from lakebook.errors import RetrievalError
from lakebook.notebooks.component import MarkdownChunk
from lakebook.retrieval.entry import Entry
from lakebook.retrieval.tables import FORMAT, SCHEMAS, columns_from, entry_from

Rows = TypeVar("Rows")

POINTER = "current.json"
MOST_NOTEBOOKS = 300
"""Notebooks that one table is matched with; of more, those whose column names share most with it."""

_NOBODY = "''"  # a list in SQL cannot be empty, and no path is
ENGINE = (OSError, RuntimeError, ValueError)  # what LanceDB raises
_REBUILD = "Run again: it is rebuilt from the notebooks (the asset component_index)."


@dataclass(frozen=True, slots=True)
class Pointer:
    """Which version of which tables is the index: the data folder, and a version a table."""

    data: str
    versions: Mapping[str, int]

    def place(self, folder: Path) -> Path:
        """Return where the tables are."""
        return folder / self.data


def read_pointer(folder: Path) -> Pointer | None:
    """Return what the index of a folder is; None if there is none of this format or it cannot be read."""
    try:
        found = orjson.loads((folder / POINTER).read_bytes())
        if found["format"] != FORMAT:
            return None
        versions = {name: int(found["versions"][name]) for name in SCHEMAS}
        return Pointer(str(found["data"]), versions)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def quoted(names: Iterable[str]) -> str:
    """Return names as a list of SQL strings."""
    return ", ".join("'" + name.replace("'", "''") + "'" for name in sorted(set(names)))


class ComponentIndex:
    """One whole version of the index, opened for reading."""

    def __init__(self, pointer: Pointer, tables: Mapping[str, Any]) -> None:
        self.pointer = pointer
        self._tables = tables

    @classmethod
    def open(cls, folder: Path) -> ComponentIndex:
        """Open the current version. Raises RetrievalError if there is none or it is damaged."""
        pointer = read_pointer(folder)
        if pointer is None:
            raise RetrievalError("there is no component index here.", where=str(folder), hint=_REBUILD)
        try:
            import lancedb

            connection = lancedb.connect(pointer.place(folder))
            tables = {name: connection.open_table(name) for name in SCHEMAS}
            for name, table in tables.items():
                table.checkout(pointer.versions[name])
                table.count_rows()
        except ENGINE as error:
            raise RetrievalError(
                f"the component index cannot be read: {error}", where=str(folder), hint=_REBUILD
            ) from error
        return cls(pointer, tables)

    def __len__(self) -> int:
        return int(self._tables["components"].count_rows())

    def contents(self, of: Iterable[str] | None = None) -> dict[str, str]:
        """Return the hash of what is indexed of every notebook (or of some), in order of path."""
        query = self._tables["notebooks"].search().select(["notebook", "content"])
        if of is not None:
            query = query.where(f"notebook IN ({quoted(of) or _NOBODY})")
        rows = self._all(query, "notebooks")
        return {row["notebook"]: row["content"] for row in sorted(rows, key=_notebook)}

    def notebooks_like(
        self, names: Sequence[str], most: int = MOST_NOTEBOOKS
    ) -> dict[str, tuple[OldColumn, ...]]:
        """Return the old columns of the notebooks that may be about a table, in order of path.

        Args:
            names: the columns of the table.
            most: how many; if there are more, those whose column names share most words with it are taken.
        """
        table = self._tables["notebooks"]
        query = table.search().select(["notebook", "columns"])
        if table.count_rows() > most:
            said = " ".join(dict.fromkeys(word for name in names for word in words(name)))
            ranked = table.search(said, query_type="fts").select(["notebook", "_score"])
            hits = self._read(
                ranked.limit(2 * most).to_list
            )  # twice: the engine's order of equals is its own
            hits.sort(key=lambda row: (-round(row["_score"], 6), row["notebook"]))
            query = query.where(f"notebook IN ({quoted(map(_notebook, hits[:most])) or _NOBODY})")
        rows = self._all(query, "notebooks")
        return {row["notebook"]: columns_from(row["columns"]) for row in sorted(rows, key=_notebook)}

    def entries(self, notebooks: Iterable[str], columns: Iterable[str] | None = None) -> tuple[Entry, ...]:
        """Return the components of these notebooks, in order of notebook, cell and id.

        Args:
            notebooks: paths.
            columns: if given, only components that need at least one of these old columns.
        """
        where = f"notebook IN ({quoted(notebooks)})"
        if columns is not None:
            where += f" AND array_has_any(needed, [{quoted(columns)}])"
        if "()" in where or "[]" in where:
            return ()
        rows = self._all(self._tables["components"].search().where(where), "components")
        return tuple(sorted(map(entry_from, rows), key=lambda one: (one.notebook, one.cell, one.id)))

    def using(self, columns: Sequence[str], k: int) -> tuple[Entry, ...]:
        """Return the k components that need all of these old columns and least besides."""
        if not columns or k <= 0:
            return ()
        where = f"array_has_all(needed, [{quoted(columns)}])"
        table = self._tables["components"]
        found = table.search().where(where).select(["rank"]).limit(max(1, len(self)))
        ranks = self._read(lambda: np.sort(found.to_arrow()["rank"].to_numpy())[:k].tolist())
        listed = ", ".join(map(str, ranks))
        rows = self._all(table.search().where(f"rank IN ({listed})"), "components") if ranks else []
        return tuple(entry_from(row) for row in sorted(rows, key=lambda row: (row["rank"], row["id"]))[:k])

    def prose(self, notebooks: Iterable[str]) -> tuple[MarkdownChunk, ...]:
        """Return the passages of these notebooks, in order of notebook, cell and id."""
        listed = quoted(notebooks)
        if not listed:
            return ()
        rows = self._all(self._tables["chunks"].search().where(f"notebook IN ({listed})"), "chunks")
        found = (MarkdownChunk(**row) for row in rows)
        return tuple(sorted(found, key=lambda one: (one.notebook, one.cell, one.id)))

    def _all(self, query: Any, table: str) -> list[dict[str, Any]]:
        """Return every row that a query finds: without a limit of its own the engine returns ten."""
        return self._read(lambda: query.limit(max(1, self._tables[table].count_rows())).to_list())

    def _read(self, read: Callable[[], Rows]) -> Rows:
        try:
            return read()
        except ENGINE as error:
            raise RetrievalError(f"the component index is damaged: {error}", hint=_REBUILD) from error


def _notebook(row: Mapping[str, Any]) -> str:
    return str(row["notebook"])
