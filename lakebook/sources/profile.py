"""Profile a lake: one card a file, each table written once as Parquet, nothing done twice.

What is kept, and under which names, stands in `kept`. One bad file never stops the rest: its card says what
was wrong. What was read while its file changed is read once more, and never kept under the wrong content.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from lakebook.errors import SourceError
from lakebook.progress import Progress, silent
from lakebook.sources.card import Coverage, FileEntry, FileStatus, Manifest, SourceCard, SourceMap, SourceUnit
from lakebook.sources.curated import DayOrders, SettledOrder
from lakebook.sources.describe import describe
from lakebook.sources.formats.registry import profiler_for
from lakebook.sources.groups import GROUPS_VERSION, find_groups
from lakebook.sources.kept import PROFILER_VERSION, Keep, open_keep, prune, table_file, text_file
from lakebook.sources.naming import name_tables
from lakebook.sources.peek import Peek, peek
from lakebook.sources.reading import WHOLE, Budget, Profiler, Reading
from lakebook.sources.refusal import refuse
from lakebook.sources.stat_index import open_index
from lakebook.storage import hash_file

__all__ = ["PROFILER_VERSION", "CardListener", "profile_lake", "prune", "table_file", "text_file"]

# Told of a card before tables have names: a first, partial one of a large file, then the whole one.
CardListener = Callable[[SourceCard], None]


@dataclass(frozen=True, slots=True)
class Settling:
    """Who settles the dates of a lake: what that depends on beside its files, and how."""

    version: str
    orders: Callable[[SourceMap], DayOrders]


# (unit, column) -> the order of day and month that somebody settled.
_Settled: TypeAlias = Mapping[tuple[str, str], SettledOrder]

# How the reason of such a first card begins.
FIRST_LOOK = "so far: "

_LARGE = 1 << 24
_FIRST = Budget(rows=20_000)
_SAVE_EVERY_SECONDS = 20.0
_CHANGED = "the file changed while it was being read; run again"
# What libraries raise on damaged input; anything else is a defect of ours and must not hide in a card.
_DAMAGE = (SourceError, OSError, EOFError, ValueError, OverflowError, MemoryError, pa.ArrowException)


def profile_lake(
    root: Path,
    manifest: Manifest,
    state: Path,
    progress: Progress = silent,
    *,
    day_orders: DayOrders | None = None,
    settle: Settling | None = None,
    on_card: CardListener | None = None,
) -> SourceMap:
    """Return the source map of a lake.

    Args:
        root: the folder that the manifest describes.
        manifest: its files.
        state: where cards, tables and passages are kept.
        progress: told of every file, and of every column of a long table.
        day_orders: the orders of day and month that somebody has settled; part of a card's key.
        settle: settles further orders once all cards are there; the files concerned are read again.
        on_card: told of every card as soon as it is there; of a large file's also when its first rows were
            read. Tables have no names yet.
    """
    keep = open_keep(state, root)
    settled = _by_path(day_orders or {})
    made_from = _made_from(manifest, settled, settle.version if settle else "")
    if keep.made_from == made_from and all(keep.has_files(card) for card in keep.map.cards):
        if on_card is not None:
            for card in keep.map.cards:
                on_card(card)
        return keep.map
    with _staging(state) as staging:
        run = _Run(root, state, staging, keep, progress, on_card)
        cards = []
        for done, entry in enumerate(manifest.files):
            progress("sources", done, len(manifest.files), entry.path)
            cards.append(run.card(entry, settled.get(entry.path, {})))
        if settle is not None:
            orders = {**(day_orders or {}), **settle.orders(SourceMap(tuple(cards)))}
            cards = run.settled(cards, _by_path(orders))
    progress("sources", len(manifest.files), len(manifest.files), "")
    for path, why in manifest.problems:
        cards.append(SourceCard(path, "failed", "", 0, "", reason=why))
    named = name_tables(sorted(cards, key=lambda card: card.path))
    source_map = SourceMap(named, find_groups(named))
    keep.write(source_map, "" if run.unsettled else made_from, run.unsettled)
    return source_map


def _by_path(day_orders: DayOrders) -> Mapping[str, _Settled]:
    found: dict[str, dict[tuple[str, str], SettledOrder]] = {}
    for (path, unit, column), order in sorted(day_orders.items()):
        found.setdefault(path, {})[unit, column] = order
    return found


def _made_from(manifest: Manifest, settled: Mapping[str, _Settled], settling: str) -> str:
    digest = hashlib.sha256(f"{PROFILER_VERSION} {GROUPS_VERSION} {settling}".encode())
    for entry in manifest.files:
        digest.update(f"{entry.path}\0{entry.sha256}\0{_said(settled.get(entry.path, {}))}\n".encode())
    for path, why in manifest.problems:
        digest.update(f"{path}\0{why}\n".encode())
    return digest.hexdigest()


@contextmanager
def _staging(state: Path) -> Iterator[Path]:
    """Give a folder for files that are not yet known to be right."""
    for name in ("tables", "texts"):
        (state / name).mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="staging-", dir=state))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(slots=True)
class _Run:
    """One pass over a lake.

    Attributes:
        unsettled: paths of files that changed whenever they were read.
    """

    root: Path
    state: Path
    staging: Path
    keep: Keep
    progress: Progress
    on_card: CardListener | None
    unsettled: list[str] = field(default_factory=list)
    _next_save: float = field(default_factory=lambda: time.monotonic() + _SAVE_EVERY_SECONDS)

    def card(self, entry: FileEntry, settled: _Settled) -> SourceCard:
        """Return the card of a file, kept or made."""
        card = self.keep.find(_begun(entry, settled)) or self._made(entry, settled)
        if self.on_card:
            self.on_card(card)
        return card

    def settled(self, cards: Sequence[SourceCard], orders: Mapping[str, _Settled]) -> list[SourceCard]:
        """Return the cards with those made again whose dates somebody settled."""
        return [
            self.card(FileEntry(card.path, card.bytes, card.sha256), orders[card.path])
            if card.path in orders
            else card
            for card in cards
        ]

    def _made(self, entry: FileEntry, settled: _Settled) -> SourceCard:
        for _ in range(2):
            before = self._stat(entry.path)
            card = _Profiling(self, entry, settled).card()
            if before is not None and self._is_settled(entry, before):
                self._put_in_place(card)
                return card
            shutil.rmtree(self.staging, ignore_errors=True)
            self.staging.mkdir()
            try:
                path = self.root / entry.path
                entry = FileEntry(entry.path, path.stat().st_size, hash_file(path))
            except OSError as error:
                self.unsettled.append(entry.path)
                return replace(_begun(entry, settled), status="failed", reason=_reason(error))
        self.unsettled.append(entry.path)
        return replace(_begun(entry, settled), status="failed", reason=_CHANGED)

    def _put_in_place(self, card: SourceCard) -> None:
        """What was written belongs to the content of the card: keep both."""
        with os.scandir(self.staging) as listed:
            for item in listed:
                folder, _, file = item.name.partition("=")
                os.replace(item.path, f"{self.state}/{folder}/{file}")  # noqa: PTH105 (speed)
        self.keep.add(card)
        if time.monotonic() > self._next_save:
            began = time.monotonic()
            self.keep.save()
            ended = time.monotonic()
            self._next_save = ended + max(_SAVE_EVERY_SECONDS, 30 * (ended - began))

    def _stat(self, path: str) -> os.stat_result | None:
        try:
            return (self.root / path).stat()
        except OSError:
            return None

    def _is_settled(self, entry: FileEntry, before: os.stat_result) -> bool:
        """The content is still what the hash says: a large file that kept its stat need not be read again."""
        try:
            if entry.bytes >= _LARGE:
                after = (self.root / entry.path).stat()
                known = open_index(self.root, self.state).hash_of(entry.path, after)
                if known == entry.sha256 and after.st_mtime_ns == before.st_mtime_ns:
                    return True
            return hash_file(self.root / entry.path) == entry.sha256
        except OSError:
            return False


@dataclass(slots=True)
class _Profiling:
    """One file being read; what is written goes to the staging folder."""

    run: _Run
    entry: FileEntry
    settled: _Settled

    def card(self) -> SourceCard:
        """Return the card of the file, whatever is wrong with it."""
        card = _begun(self.entry, self.settled)
        try:
            file = peek(self.run.root / self.entry.path, self.entry.path)
            profiler = profiler_for(file)
            if profiler is None:
                status, reason = refuse(file)
                return replace(card, status=status, reason=reason, format=file.magic)
            return self._read(replace(card, format=profiler.format), file, profiler)
        except _damage() as error:
            return replace(card, status="failed", reason=_reason(error))

    def _read(self, card: SourceCard, file: Peek, profiler: Profiler) -> SourceCard:
        units: list[SourceUnit] = []
        problems: list[str] = []
        encoding = ""
        try:
            for part in profiler.units(file):
                if self.run.on_card and self.entry.bytes >= _LARGE:
                    self._show_first(card, units, profiler.profile(part, _FIRST))
                reading = profiler.profile(part, WHOLE)
                encoding = encoding or reading.encoding
                if reading.problem:
                    problems.append(f"{reading.unit}: {reading.problem}" if reading.unit else reading.problem)
                    continue
                units.append(self._unit(card, reading))
        except _damage() as error:
            problems.append(_reason(error))
        rejected = sum(unit.rows_rejected for unit in units)
        if rejected:
            problems.append(f"{rejected:,} rows could not be loaded")
        status: FileStatus = "ok" if not problems else ("partial" if units else "failed")
        return replace(card, status=status, reason="; ".join(problems), encoding=encoding, units=tuple(units))

    def _unit(self, card: SourceCard, reading: Reading) -> SourceUnit:
        named = SourceUnit(reading.unit, reading.kind, "")
        if reading.kind == "text":
            file = self.run.staging / f"texts={text_file(self.run.state, card, named).name}"
            pq.write_table(_passages(reading), file, compression="zstd")
        file = self.run.staging / f"tables={table_file(self.run.state, card, named).name}"
        orders = self._orders(reading.unit)
        return describe(reading, file, day_orders=orders, progress=self.run.progress).unit

    def _orders(self, unit: str) -> dict[str, SettledOrder]:
        return {column: order for (name, column), order in self.settled.items() if name == unit}

    def _show_first(self, card: SourceCard, units: list[SourceUnit], reading: Reading) -> None:
        """Show what the first rows of a large table say, long before all are read."""
        if reading.problem or not reading.left_out or self.run.on_card is None:
            return
        unit = describe(reading, day_orders=self._orders(reading.unit)).unit
        unit = replace(unit, coverage=Coverage(False, reading.left_out))
        reason = f"{FIRST_LOOK}{reading.left_out}"
        self.run.on_card(replace(card, status="partial", reason=reason, units=(*units, unit)))


def _begun(entry: FileEntry, settled: _Settled) -> SourceCard:
    return SourceCard(entry.path, "ok", "", entry.bytes, entry.sha256, settled=_said(settled))


def _said(settled: _Settled) -> str:
    """Write down what was settled, since another order makes another table."""
    return "; ".join(
        f"{unit}#{column}: {order.order} first, as {order.source} says"
        if unit
        else f"{column}: {order.order} first, as {order.source} says"
        for (unit, column), order in settled.items()
    )


def _damage() -> tuple[type[BaseException], ...]:
    import duckdb

    return (*_DAMAGE, duckdb.Error)


def _passages(reading: Reading) -> pa.Table:
    passages = reading.passages
    return pa.table(
        {
            "position": pa.array([passage.position for passage in passages], pa.string()),
            "heading": pa.array([passage.heading for passage in passages], pa.string()),
            "text": pa.array([passage.text for passage in passages], pa.string()),
        }
    )


def _reason(error: BaseException) -> str:
    if isinstance(error, SourceError):
        return f"{error.message} {error.hint}".strip().rstrip(".")
    return (str(error).splitlines() or [type(error).__name__])[0][:300]
