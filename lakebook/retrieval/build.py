"""The component index, written: only what changed, and never seen before it is whole.

A build compares the hash of each notebook's rows with what is indexed and replaces the rows of those that
differ. Every step makes new versions of the tables beside the old ones; the pointer, renamed in one step at
the end, is what makes them the index. A build that dies leaves the pointer where it was, and the next build
goes on from there. Readers keep the version that they opened for an hour at least. What cannot be read is
built anew.
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa

from lakebook.errors import RetrievalError
from lakebook.notebooks.component import Corpus
from lakebook.retrieval.index import ENGINE, POINTER, ComponentIndex, Pointer, quoted
from lakebook.retrieval.tables import FORMAT, SCHEMAS, NotebookRows, rows_of
from lakebook.storage import replacing

_READERS_HOLD = timedelta(hours=1)
_BATCH = 1_000  # notebooks written at once
_SMALL = 20_000  # rows up to which a table is put in order after every change: that takes a tenth of a second
_STALE = 0.05  # share of rows outside the column index from which a large table is put in order


@dataclass(frozen=True, slots=True)
class Built:
    """What a build did: notebooks written, removed and compared but left alone, and what had to be said."""

    index: ComponentIndex
    written: int = 0
    removed: int = 0
    kept: int = 0
    notice: str = ""

    @property
    def said(self) -> str:
        """What was done, in words."""
        counts = f"{self.written} notebooks written, {self.removed} removed, {self.kept} unchanged"
        return f"{self.notice} {counts}" if self.notice else counts


def build_index(folder: Path, corpus: Corpus, *, anew: bool = False) -> Built:
    """Make the index of a corpus out of the one that is there; what did not change is not touched.

    Args:
        folder: where the index is; nothing else is in it.
        corpus: what is to be found.
        anew: build all of it, because what is there turned out to be damaged.

    Raises:
        RetrievalError: the folder cannot be written.
    """
    rows = {one.notebook: one for one in rows_of(corpus)}
    return _locked(folder, lambda: write_index(folder, rows.values()) if anew else _build(folder, rows))


def update_index(folder: Path, corpus: Corpus, removed: Iterable[str] = ()) -> Built:
    """Write the notebooks of `corpus`, remove some others, and leave the rest of the index as it is.

    Raises:
        RetrievalError: there is no index, or the folder cannot be written.
    """
    rows = {one.notebook: one for one in rows_of(corpus)}

    def update() -> Built:
        return _change(folder, ComponentIndex.open(folder), rows, set(removed) - rows.keys(), whole=False)

    return _locked(folder, update)


def _locked(folder: Path, work: Callable[[], Built]) -> Built:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _only_writer(folder):
            return work()
    except ENGINE as error:
        raise RetrievalError(
            f"the component index could not be written: {error}",
            where=str(folder),
            hint="Check that the folder is writable and the disk is not full.",
        ) from error


def _build(folder: Path, rows: Mapping[str, NotebookRows]) -> Built:
    had_one = (folder / POINTER).exists()
    try:
        index = ComponentIndex.open(folder)
        return _change(folder, index, rows, index.contents().keys() - rows.keys())
    except RetrievalError as error:
        return write_index(
            folder, rows.values(), f"{error.message.rstrip('.')}; it was rebuilt." if had_one else ""
        )
    except ENGINE as error:
        return write_index(
            folder, rows.values(), f"the component index is damaged ({error}); it was rebuilt."
        )


def write_index(folder: Path, rows: Iterable[NotebookRows], notice: str = "") -> Built:
    """Build the index from nothing, in a folder of its own, and drop all others; memory stays flat."""
    import lancedb

    folder.mkdir(parents=True, exist_ok=True)
    numbers = [int(place.name[1:]) for place in folder.glob("d*") if place.name[1:].isdigit()]
    data = f"d{max(numbers, default=0) + 1}"
    connection = lancedb.connect(folder / data)
    tables = {name: connection.create_table(name, schema=schema) for name, schema in SCHEMAS.items()}
    written, left = 0, iter(rows)
    while part := list(islice(left, _BATCH)):
        written += len(part)
        for name, table in tables.items():
            _add(table, name, part)
    for name, table in tables.items():
        _create_indexes(table, name)
    _publish(folder, data, tables)
    for place in folder.iterdir():
        if place.is_dir() and place.name != data:
            shutil.rmtree(place, ignore_errors=True)
    return Built(ComponentIndex.open(folder), written=written, notice=notice)


def _change(
    folder: Path,
    index: ComponentIndex,
    rows: Mapping[str, NotebookRows],
    gone: Iterable[str],
    *,
    whole: bool = True,
) -> Built:
    known = index.contents(None if whole else {*rows, *gone})
    changed = [one for one in rows.values() if known.get(one.notebook) != one.content]
    stale = sorted(known.keys() & ({one.notebook for one in changed} | set(gone)))
    removed = len(stale) - sum(one.notebook in known for one in changed)
    kept = len(known) - len(stale)
    if not changed and not stale:
        return Built(index, kept=kept)
    tables = _writable(folder, index.pointer)
    for name, table in tables.items():
        for start in range(0, len(stale), _BATCH):
            part = stale[start : start + _BATCH]
            table.delete(f"notebook IN ({quoted(part)})")
        for start in range(0, len(changed), _BATCH):
            _add(table, name, changed[start : start + _BATCH])
    _publish(folder, index.pointer.data, tables)
    tidied = [_tidied(table) for table in tables.values()]
    if any(tidied):
        _publish(folder, index.pointer.data, tables)
    return Built(ComponentIndex.open(folder), len(changed), removed, kept)


def _writable(folder: Path, pointer: Pointer) -> dict[str, Any]:
    """Open the tables at the version of the pointer: what a build that died wrote after it is undone."""
    import lancedb

    connection = lancedb.connect(pointer.place(folder))
    tables = {name: connection.open_table(name) for name in SCHEMAS}
    for name, table in tables.items():
        if table.version != pointer.versions[name]:
            table.checkout(pointer.versions[name])
            table.restore()
    return tables


def _add(table: Any, name: str, notebooks: Sequence[NotebookRows]) -> None:
    rows = [row for one in notebooks for row in one.of(name)]
    if rows:
        table.add(pa.Table.from_pylist(rows, SCHEMAS[name]))


def _create_indexes(table: Any, name: str) -> None:
    from lancedb.index import FTS, BTree, LabelList

    table.create_index("notebook", config=BTree())
    if name == "components":
        table.create_index("needed", config=LabelList())
        table.create_index("rank", config=BTree())
    elif name == "notebooks":
        table.create_index("words", config=FTS(stem=False, remove_stop_words=False))


def _tidied(table: Any) -> bool:
    """Take new rows into the indexes and drop old versions, if it is time for that."""
    total = table.count_rows()
    outside = max(index.num_unindexed_rows for index in table.list_indices())
    if total > _SMALL and outside < _STALE * total:
        return False
    table.optimize(cleanup_older_than=_READERS_HOLD)
    return True


def _publish(folder: Path, data: str, tables: Mapping[str, Any]) -> None:
    """Make the present versions of the tables the index."""
    versions = {name: table.version for name, table in tables.items()}
    with replacing(folder / POINTER) as temporary:
        temporary.write_bytes(orjson.dumps({"format": FORMAT, "data": data, "versions": versions}))


@contextmanager
def _only_writer(folder: Path) -> Iterator[None]:
    """Wait until no other process builds here."""
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
