"""What must hold of the source map, and what to know when a source changed since it was last seen.

The first checks are about the map itself; the others compare each changed file with its previous card.
"""

from __future__ import annotations

from lakebook.pipeline.check import Check, Outcome, check, outcome
from lakebook.pipeline.sources import IndexedSources, changed_cards
from lakebook.sources.card import Manifest, SourceGroup, SourceMap
from lakebook.sources.drift import Drift, DriftKind, compare
from lakebook.storage import Store


def files_hashed(store: Store, partition: str) -> Outcome:
    """Every file of the lake could be read and hashed."""
    manifest = store.read_document("lake_files", Manifest)
    problems = [f"{path}: {why}" for path, why in manifest.problems]
    return outcome(problems, f"{len(manifest.files)} files hashed", "{n} files could not be read")


def rows_accounted_for(store: Store, partition: str) -> Outcome:
    """Rows in file = rows loaded + rejected + skipped, for every unit (design rule 1)."""
    source_map = store.read_document("source_cards", SourceMap)
    offenders = [
        f"{card.path}#{unit.unit}: {unit.rows_in_file} in the file, {unit.rows} loaded + "
        f"{unit.rows_rejected} rejected + {unit.rows_skipped} skipped"
        for card in source_map.cards
        for unit in card.units
        if unit.rows_in_file != unit.rows + unit.rows_rejected + unit.rows_skipped
    ]
    return outcome(offenders, "every row of every file is accounted for", "rows are missing in {n} units")


def cards_cover_files(store: Store, partition: str) -> Outcome:
    """There is exactly one card for every file of the manifest, with the same hash."""
    files = {entry.path: entry.sha256 for entry in store.read_document("lake_files", Manifest).files}
    cards = {card.path: card.sha256 for card in store.read_document("source_cards", SourceMap).cards}
    offenders = [path for path in sorted(files.keys() | cards.keys()) if files.get(path) != cards.get(path)]
    return outcome(
        offenders, f"{len(cards)} cards for {len(files)} files", "{n} files and cards do not match"
    )


def sources_read_whole(store: Store, partition: str) -> Outcome:
    """No file failed or was read in part."""
    cards = store.read_document("source_cards", SourceMap).cards
    offenders = [f"{card.path}: {card.reason}" for card in cards if card.status in ("failed", "partial")]
    return outcome(offenders, "every source was read whole", "{n} sources were not read whole")


def group_members_exist(store: Store, partition: str) -> Outcome:
    """Every member of a group is a file or a unit that has a card."""
    paths = {card.path for card in store.read_document("source_cards", SourceMap).cards}
    groups = store.read_document("source_groups", tuple[SourceGroup, ...])
    offenders = [
        f"{group.id}: {member}"
        for group in groups
        for member in group.members
        if member not in paths and member.rpartition("#")[0] not in paths
    ]
    return outcome(offenders, f"{len(groups)} groups, all members known", "{n} members have no card")


def index_covers_cards(store: Store, partition: str) -> Outcome:
    """Every file of the lake can be found through the index, also those that were not read."""
    indexed = store.read_document("source_index", IndexedSources)
    found = {name.rpartition("#")[0] or name for name in indexed.sources} | set(indexed.sources)
    cards = store.read_document("source_cards", SourceMap).cards
    offenders = [card.path for card in cards if card.path not in found]
    return outcome(offenders, f"{len(indexed.sources)} sources indexed", "{n} files cannot be found")


def columns_of_one_type(store: Store, partition: str) -> Outcome:
    """No column is text only because a few of its values are no numbers."""
    source_map = store.read_document("source_cards", SourceMap)
    offenders = [
        f"{unit.table}.{column.name}: {warning}"
        for _, unit in source_map.tables()
        for column in unit.columns
        for warning in column.warnings
        if warning.startswith("kept as text: ")
    ]
    return outcome(offenders, "every column is of one type", "{n} columns are text because of a few values")


def dates_unambiguous(store: Store, partition: str) -> Outcome:
    """The order of day and month is certain in every column of dates."""
    source_map = store.read_document("source_cards", SourceMap)
    offenders = [
        f"{unit.table}.{column.name}: {'; '.join(column.warnings)}"
        for _, unit in source_map.tables()
        for column in unit.columns
        if column.ambiguous_dates
    ]
    return outcome(offenders, "the order of day and month is certain", "{n} columns of ambiguous dates")


def columns_kept(store: Store, partition: str) -> Outcome:
    """A file that changed has the columns and units that it had before."""
    kinds: tuple[DriftKind, ...] = ("unit gone", "column gone", "column new")
    return _unchanged(store, kinds, "{n} columns or units went or came")


def types_kept(store: Store, partition: str) -> Outcome:
    """The columns of a file that changed have the types that they had before."""
    return _unchanged(store, ("type changed",), "{n} columns changed their type")


def null_rates_steady(store: Store, partition: str) -> Outcome:
    """The share of missing values did not jump in a file that changed."""
    return _unchanged(store, ("nulls jumped",), "the share of missing values jumped in {n} columns")


def scales_steady(store: Store, partition: str) -> Outcome:
    """No measure of a file that changed came in another unit or at another level."""
    return _unchanged(store, ("scale shifted",), "{n} columns changed their scale")


def rows_kept(store: Store, partition: str) -> Outcome:
    """A file that changed did not lose more than half of its rows."""
    return _unchanged(store, ("rows shrank",), "{n} tables lost more than half of their rows")


def _unchanged(store: Store, kinds: tuple[DriftKind, ...], bad: str) -> Outcome:
    pairs = changed_cards(store)
    found: list[Drift] = [drift for old, new in pairs for drift in compare(old, new) if drift.kind in kinds]
    offenders = [f"{drift.place}: {drift.message}" for drift in found]
    seen = f"{len(pairs)} files changed since they were first seen" if pairs else "no file changed"
    return outcome(offenders, f"{seen}; nothing of this kind was found", bad)


SOURCE_CHECKS: tuple[Check, ...] = (
    check("source_cards", rows_accounted_for),
    check("source_cards", cards_cover_files),
    check("source_cards", sources_read_whole, blocking=False),
    check("source_cards", files_hashed, blocking=False),
    check("source_cards", columns_of_one_type, blocking=False),
    check("source_cards", dates_unambiguous, blocking=False),
    check("source_cards", columns_kept, blocking=False),
    check("source_cards", types_kept, blocking=False),
    check("source_cards", null_rates_steady, blocking=False),
    check("source_cards", scales_steady, blocking=False),
    check("source_cards", rows_kept, blocking=False),
    check("source_groups", group_members_exist),
    check("source_index", index_covers_cards),
)
