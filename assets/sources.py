"""The sources group: what the lake holds, how it was read, and how it can be found (RADAR §2)."""

from typing import Any

import dagster as dg

from assets.materialize import Metadata, arguments, materialize, observe, table_metadata
from lakebook.pipeline.project import Project
from lakebook.pipeline.sources import IndexedSources
from lakebook.sources.card import Manifest, SourceGroup, SourceMap
from resources.project import ProjectResource


def describe_manifest(manifest: Manifest, project: Project, partition: str) -> Metadata:
    """Count the files and list those that could not be read."""
    return {
        "files": len(manifest.files),
        "bytes": sum(entry.bytes for entry in manifest.files),
        "problems": [f"{path}: {why}" for path, why in manifest.problems],
    }


@dg.observable_source_asset(
    name="lake_files",
    group_name="sources",
    description="Every file of the lake with its content hash. Its data version is the hash of content.",
)
def lake_files(project: ProjectResource) -> dg.ObserveResult:
    """Observe the lake."""
    return observe("lake_files", project, describe_manifest)


@dg.asset(
    **arguments("source_cards", "duckdb", "parquet"),
    description="One card a file: its units, columns, values, and an account of every row (RADAR §2.1).",
)
def source_cards(project: ProjectResource) -> dg.MaterializeResult[Any]:
    """Make the cards."""

    def describe(source_map: SourceMap, opened: Project, partition: str) -> Metadata:
        files = opened.store.read_table("source_cards", name="files")
        return {
            "dagster/row_count": len(source_map.cards),
            "rows_loaded": int(files["rows"].fillna(0).sum()),
            "rows_rejected": int(files["rows_rejected"].fillna(0).sum()),
            "files": table_metadata(files),
            "columns": table_metadata(opened.store.read_table("source_cards", name="columns")),
        }

    return materialize("source_cards", project, describe)


@dg.asset(
    **arguments("source_groups", "json"),
    description="Sources that belong together: sheets of a workbook, files of a pattern, equal tables.",
)
def source_groups(project: ProjectResource) -> dg.MaterializeResult[Any]:
    """Group the sources."""

    def describe(groups: tuple[SourceGroup, ...], opened: Project, partition: str) -> Metadata:
        lines = [f"- **{group.id}** ({group.kind}): {', '.join(group.members)}" for group in groups]
        return {"groups": len(groups), "list": dg.MetadataValue.md("\n".join(lines) or "no groups")}

    return materialize("source_groups", project, describe)


@dg.asset(
    **arguments("source_index", "parquet"),
    description="The terms by which sources are found, in three retrieval views (RADAR §2.2).",
)
def source_index(project: ProjectResource) -> dg.MaterializeResult[Any]:
    """Index the sources."""

    def describe(indexed: IndexedSources, opened: Project, partition: str) -> Metadata:
        return {
            "sources": len(indexed.sources),
            "dagster/row_count": indexed.terms,
            "unread": list(indexed.unread),
        }

    return materialize("source_index", project, describe)
