"""Files of an answer, looked at as files of a lake are: with the same readers, and the same care.

What is found is measured here; whether it is what was declared is for the rules (`rules.answer`, O8).
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lakebook.errors import LakebookError
from lakebook.operators.artifacts import KeptArtifact
from lakebook.sources.card import FileEntry, Manifest, SourceCard, SourceUnit
from lakebook.sources.profile import profile_lake, table_file
from lakebook.validation.contract import Artifact, Contract
from lakebook.validation.invocation import ArtifactSeen


def look_at_artifacts(
    kept: Mapping[str, KeptArtifact], paths: Sequence[str], contract: Contract | None
) -> tuple[ArtifactSeen, ...]:
    """Return what the files of an answer are: those that it names, and those that it was to come with."""
    declared = {one.path: one for one in (contract.artifacts if contract is not None else ())}
    wanted = dict.fromkeys((*paths, *(path for path in declared if path in kept)))
    return tuple(
        _look(kept[path], declared.get(path)) if path in kept else ArtifactSeen(path, kept=False)
        for path in wanted
    )


def _look(artifact: KeptArtifact, declared: Artifact | None) -> ArtifactSeen:
    if not artifact.size:
        return ArtifactSeen(artifact.path)
    root = artifact.file.parents[artifact.path.count("/")]
    manifest = Manifest((FileEntry(artifact.path, artifact.size, artifact.sha256),))
    with tempfile.TemporaryDirectory(prefix="lakebook-artifact-") as state:
        try:
            (card,) = profile_lake(root, manifest, Path(state)).cards
        except LakebookError as error:
            return ArtifactSeen(artifact.path, problem=str(error), size=artifact.size)
        tables = [unit for unit in card.units if unit.kind == "table"]
        keys = declared.sorted_by if declared is not None else ()
        unsorted = _is_unsorted(Path(state), card, tables[0], keys) if tables and keys else False
    return ArtifactSeen(
        artifact.path,
        problem=card.reason or card.status if card.status == "failed" else "",
        size=artifact.size,
        tables=tuple((tuple(column.original_name for column in unit.columns), unit.rows) for unit in tables),
        unsorted=tuple(keys) if unsorted else (),
    )


def _is_unsorted(state: Path, card: SourceCard, unit: SourceUnit, keys: Sequence[str]) -> bool:
    """Whether rows stand out of order; keys that the table lacks are for the check of its columns."""
    names = {column.original_name: column.name for column in unit.columns}
    wanted = [
        (names[key.removeprefix("-")], "descending" if key.startswith("-") else "ascending")
        for key in keys
        if key.removeprefix("-") in names
    ]
    table = pq.read_table(table_file(state, card, unit))
    folded = pa.table({name: _folded(table[name]) for name in table.column_names})
    return not any(
        _in_order(one, wanted, nulls) for one in (table, folded) for nulls in ("at_end", "at_start")
    )


def _folded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return texts in lower case: a sort that ignores case is one too."""
    is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    return pc.utf8_lower(column) if is_text else column


def _in_order(table: pa.Table, keys: list[tuple[str, str]], nulls: str) -> bool:
    """Whether a stable sort by the keys leaves every row where it is."""
    if not keys:
        return True
    order = pc.sort_indices(table, sort_keys=[(*key, nulls) for key in keys]).to_numpy()
    return bool((order[1:] > order[:-1]).all())
