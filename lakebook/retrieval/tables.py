"""The tables of the component index: their schemas, and the rows that a notebook gives (NotebookRAG §4.2.2).

`components` holds entries, by notebook and column; `chunks` passages of prose, by notebook; `notebooks` the
old columns of each, with what is known of them, by the words of their names. A notebook's rows depend on that
notebook alone, and their hash tells whether they changed. How rows are written is in `build`, how they are
read in `index`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import orjson
import pyarrow as pa

from lakebook.correspondence.evidence import OldColumn
from lakebook.correspondence.names import words
from lakebook.notebooks.component import Corpus, MarkdownChunk
from lakebook.notebooks.sources import Source
from lakebook.retrieval.entry import Entry, by_notebook, entries_of, known_columns

FORMAT = "8"  # an index of another format is built anew

_TEXT, _TEXTS = pa.string(), pa.list_(pa.string())
SCHEMAS: Mapping[str, pa.Schema] = {
    "components": pa.schema(
        [
            ("id", _TEXT),
            ("notebook", _TEXT),
            ("cell", pa.int32()),
            ("shown", _TEXTS),
            ("needed", _TEXTS),
            ("mentioned", _TEXTS),
            ("chart_types", _TEXTS),
            ("heading", _TEXT),
            ("words", _TEXTS),
            ("statements", pa.int32()),
            ("confidence", pa.float64()),
            ("modules", _TEXTS),
            ("sources", _TEXT),
            ("spared", _TEXTS),
            ("of_file", _TEXTS),
            ("rank", pa.int64()),
        ]
    ),
    "chunks": pa.schema([("id", _TEXT), ("notebook", _TEXT), ("cell", pa.int32()), ("text", _TEXT)]),
    "notebooks": pa.schema(
        [("notebook", _TEXT), ("content", _TEXT), ("words", _TEXT), ("columns", pa.binary())]
    ),
}

Row = dict[str, Any]
_MOST_RANKED = 127  # what needs more columns than that comes last in any order


@dataclass(frozen=True, slots=True)
class NotebookRows:
    """All rows of one notebook, by table, and the hash of what they hold."""

    notebook: str
    content: str
    components: tuple[Row, ...]
    chunks: tuple[Row, ...]
    columns: Row

    def of(self, table: str) -> tuple[Row, ...]:
        """Return its rows of a table."""
        return {"components": self.components, "chunks": self.chunks, "notebooks": (self.columns,)}[table]


def rows_of(corpus: Corpus) -> Iterator[NotebookRows]:
    """Yield the rows of every notebook that has components or prose, in order of path."""
    groups = by_notebook(corpus.components)
    known = known_columns(corpus, groups)
    prose: dict[str, list[MarkdownChunk]] = {}
    for chunk in corpus.chunks:
        prose.setdefault(chunk.notebook, []).append(chunk)
    for notebook in sorted({*groups, *prose}):
        columns = known.get(notebook, ())
        names = [column.name for column in columns]
        entries = sorted(entries_of(groups.get(notebook, ()), names), key=lambda e: (e.cell, e.id))
        components = tuple(entry_row(entry) for entry in entries)
        chunks = tuple(asdict(chunk) for chunk in prose.get(notebook, ()))
        packed = orjson.dumps([asdict(column) for column in columns])
        content = hashlib.sha256(
            b"\n".join((orjson.dumps(components), orjson.dumps(chunks), packed))
        ).hexdigest()
        said = " ".join(dict.fromkeys(word for name in names for word in words(name)))
        row = {"notebook": notebook, "content": content, "words": said, "columns": packed}
        yield NotebookRows(notebook, content, components, chunks, row)


def entry_row(entry: Entry) -> Row:
    """Return the row of an entry.

    Its rank is a number that sorts by how many columns it needs, then in an order of its own that depends on
    nothing but the entry: to find the first of many rows, one number of each has to be read.
    """
    digest = hashlib.sha256(f"{entry.notebook}\n{entry.cell}\n{entry.id}".encode()).digest()
    rank = min(len(entry.needed), _MOST_RANKED) << 56 | int.from_bytes(digest[:7], "big")
    packed = orjson.dumps([asdict(source) for source in entry.sources]).decode()
    return {**asdict(entry), "sources": packed, "rank": rank}


def entry_from(row: Row) -> Entry:
    """Return the entry that a row holds."""
    fields: Row = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    del fields["rank"]
    fields["sources"] = tuple(map(_source_from, orjson.loads(row["sources"])))
    return Entry(**fields)


def _source_from(item: Row) -> Source:
    plain = {name: tuple(item[name]) for name in ("columns", "shared")}
    return Source(**{**item, **plain, "sites": tuple(map(tuple, item["sites"]))})


def columns_from(packed: bytes) -> tuple[OldColumn, ...]:
    """Return the old columns that a notebook's row holds."""
    return tuple(
        OldColumn(
            item["name"], item["kind"], tuple(item["values"]), tuple(item["shown"]), tuple(item["quartiles"])
        )
        for item in orjson.loads(packed)
    )
