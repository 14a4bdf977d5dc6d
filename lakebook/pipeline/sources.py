"""The stages of the sources group: manifest, cards, groups, retrieval views (RADAR §2)."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd

from lakebook.errors import LakebookError
from lakebook.exploration.fields import FIELDS
from lakebook.exploration.kept import open_index
from lakebook.pipeline.project import Project
from lakebook.pipeline.stage import Stage
from lakebook.sources.card import Manifest, SourceCard, SourceGroup, SourceMap
from lakebook.sources.map_lake import map_lake
from lakebook.sources.scan import scan
from lakebook.storage import Store


@dataclass(frozen=True, slots=True)
class IndexedSources:
    """The sources that can be found, how many terms they are found by, and files known by their path only."""

    sources: tuple[str, ...]
    terms: int
    unread: tuple[str, ...]


def lake_files(project: Project, partition: str = "") -> Manifest:
    """List and hash the files of the lake."""
    return scan(project.data, project.progress, project.state)


def source_cards(project: Project, partition: str = "") -> SourceMap:
    """Make one card a file; unchanged files keep theirs, changed ones leave their previous card behind."""
    manifest = project.store.read_document("lake_files", Manifest)
    source_map = map_lake(
        project.data,
        manifest,
        project.state,
        curated=project.curated,
        day_order=project.day_order,
        progress=project.progress,
    )
    keep_previous(project.store, source_map)
    project.store.write_table("source_cards", files_table(source_map), name="files")
    project.store.write_table("source_cards", columns_table(source_map), name="columns")
    return source_map


def cards_inputs(project: Project, partition: str = "") -> dict[str, str]:
    """Return what the cards are made from: the files, what people wrote of them, and how dates are read."""
    receipt = project.store.receipt("lake_files")
    return {
        "lake_files": receipt.version if receipt else "",
        "sources.yml": project.curated.version,
        "day_order": project.day_order or "",
    }


def keep_previous(store: Store, source_map: SourceMap) -> None:
    """Keep, for each file whose content changed, the card that it had before.

    A file that is seen for the first time has none; one that did not change again keeps the one it has.
    """
    known = {card.path: card for card in _stored(store, "document")}
    earlier = {card.path: card for card in _stored(store, "baseline")}
    kept = []
    for card in source_map.cards:
        before = known.get(card.path)
        if before is not None and before.units and before.sha256 != card.sha256:
            kept.append(before)
        elif card.path in earlier:
            kept.append(earlier[card.path])
    store.write_document("source_cards", SourceMap(tuple(kept)), SourceMap, name="baseline")


def changed_cards(store: Store) -> list[tuple[SourceCard, SourceCard]]:
    """Return (previous card, present card) of each file whose content changed since it was first seen."""
    present = store.read_document("source_cards", SourceMap)
    pairs = ((before, present.card(before.path)) for before in _stored(store, "baseline"))
    return [(before, now) for before, now in pairs if now is not None and now.units]


def _stored(store: Store, name: str) -> tuple[SourceCard, ...]:
    """Return the stored cards; none if there are none yet, or another version wrote them."""
    try:
        return store.read_document("source_cards", SourceMap, name=name).cards
    except LakebookError:
        return ()


def source_groups(project: Project, partition: str = "") -> tuple[SourceGroup, ...]:
    """Return the groups that the cards form."""
    return project.store.read_document("source_cards", SourceMap).groups


def source_index(project: Project, partition: str = "") -> IndexedSources:
    """Keep the index that `lakebook search` opens, and its terms as a table (RADAR §2.2)."""
    source_map = project.store.read_document("source_cards", SourceMap)
    index = open_index(source_map, project.state, project.progress)
    postings = index.postings
    names = [entry.name for entry in index.entries]
    terms = pd.DataFrame(
        {
            "source": [names[entry] for entry in postings.entries.tolist()],
            "field": [FIELDS[field] for field in postings.fields.tolist()],
            "term": np.repeat(np.array(list(postings.vocabulary), dtype=object), np.diff(postings.starts)),
            "weight": postings.weights,
        }
    )
    project.store.write_table("source_index", terms.sort_values(["source", "field", "term"]), name="terms")
    unread = tuple(f"{card.path}: {card.reason}" for card in source_map.cards if not card.units)
    return IndexedSources(tuple(names), len(terms), unread)


def files_table(source_map: SourceMap) -> pd.DataFrame:
    """Return one row a unit (one a file without units): status and the account of its rows."""
    rows: list[dict[str, object]] = []
    for card in source_map.cards:
        head: dict[str, object] = {
            "path": card.path,
            "status": card.status,
            "reason": card.reason,
            "format": card.format,
        }
        head |= {"bytes": card.bytes, "sha256": card.sha256}
        for unit in card.units:
            account: dict[str, object] = {
                "unit": unit.unit,
                "kind": unit.kind,
                "table_name": unit.table,
                "rows": unit.rows,
            }
            account |= {"rows_in_file": unit.rows_in_file, "rows_rejected": unit.rows_rejected}
            account |= {"rows_skipped": unit.rows_skipped, "complete": unit.coverage.complete}
            rows.append(head | account)
        if not card.units:
            rows.append(head)
    names = ["path", "status", "reason", "format", "bytes", "sha256", "unit", "kind", "table_name"]
    names += ["rows", "rows_in_file", "rows_rejected", "rows_skipped", "complete"]
    frame = pd.DataFrame(rows, columns=names)
    counts = ["rows", "rows_in_file", "rows_rejected", "rows_skipped"]
    frame[counts] = frame[counts].astype("Int64")
    frame["complete"] = frame["complete"].astype("boolean")
    return frame


def columns_table(source_map: SourceMap) -> pd.DataFrame:
    """Return one row a column of every table."""
    names = ["table_name", "path", "column", "type", "role", "nulls", "distinct", "min", "max", "rows"]
    rows = []
    for card, unit in source_map.tables():
        for column in unit.columns:
            seen = asdict(column)
            rows.append(
                {"table_name": unit.table, "path": card.path, "column": column.name, "rows": unit.rows}
                | {name: seen[name] for name in ("type", "role", "nulls", "distinct", "min", "max")}
            )
    return pd.DataFrame(rows, columns=names)


STAGES = (
    Stage("lake_files", "sources", Manifest, (), ("sources",), lake_files, observed=True),
    Stage(
        "source_cards", "sources", SourceMap, ("lake_files",), ("sources",), source_cards, inputs=cards_inputs
    ),
    Stage(
        "source_groups", "sources", tuple[SourceGroup, ...], ("source_cards",), ("sources",), source_groups
    ),
    Stage(
        "source_index",
        "sources",
        IndexedSources,
        ("source_cards",),
        ("sources", "exploration"),
        source_index,
    ),
)
