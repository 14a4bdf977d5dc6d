"""Keep the cards of a lake, with tables and passages that belong to them, under the hash of their content.

All cards of a lake stand in one file, since ten thousand small ones would cost more to open than to read. A
card that no pass has needed for a while is dropped, and with it what only it refers to.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath

from pydantic import TypeAdapter, ValidationError

from lakebook.sources.card import SourceCard, SourceMap, SourceUnit
from lakebook.sources.load_code import literal
from lakebook.sources.naming import identifier
from lakebook.sources.stat_index import folder_key
from lakebook.storage import replacing

# Part of every key: raise it whenever a card or a table could come out differently.
PROFILER_VERSION = "5"

# So many passes without use are waited before a card is dropped: a file may come back.
_PASSES = 5
# What no card refers to is removed only when it is so old that no run can be writing it.
_OLD_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True)
class _Unused:
    """A card that the last passes did not need."""

    passes: int
    card: SourceCard


@dataclass(frozen=True, slots=True)
class _KeptLake:
    """All that is kept of a lake.

    Attributes:
        made_from: what the map of the last pass was made from.
        unsettled: paths in the map whose file changed while it was being read.
    """

    version: str
    made_from: str
    map: SourceMap
    unsettled: tuple[str, ...]
    unused: tuple[_Unused, ...]


_LAKE = TypeAdapter(_KeptLake)


def table_file(state: Path, card: SourceCard, unit: SourceUnit) -> Path:
    """Return where the loaded table of a unit is kept."""
    return state / "tables" / f"{card_key(card)}{_unit_key(unit.unit)}.parquet"


def text_file(state: Path, card: SourceCard, unit: SourceUnit) -> Path:
    """Return where the passages of a text unit are kept: Parquet with position, heading, text."""
    return state / "texts" / f"{card_key(card)}{_unit_key(unit.unit)}.parquet"


def card_key(card: SourceCard) -> str:
    """Name what is kept of a file: its content, the suffixes that help to read it, and what was settled."""
    settled = hashlib.sha256(card.settled.encode()).hexdigest()[:8] if card.settled else ""
    return "-".join(filter(None, [card.sha256[:32], _suffix(card.path), settled, f"v{PROFILER_VERSION}"]))


def _suffix(path: str) -> str:
    return _suffix_of(path.rpartition("/")[2])


@lru_cache(maxsize=4096)
def _suffix_of(name: str) -> str:
    pure = PurePosixPath(name)
    return identifier("".join(pure.suffixes[-2:])).removeprefix("t_") if pure.suffix else "none"


def _unit_key(unit: str) -> str:
    if not unit:
        return ""
    digest = hashlib.sha256(unit.encode()).hexdigest()[:8]
    return f"-{identifier(unit)}-{digest}"


@dataclass(slots=True)
class Keep:
    """What is kept of one lake.

    Attributes:
        map: the map of the last pass; `made_from` says of what.
        cards: the cards by their key, and for how many passes each was not needed.
    """

    state: Path
    file: Path
    map: SourceMap = field(default_factory=lambda: SourceMap(()))
    made_from: str = ""
    cards: dict[str, _Unused] = field(default_factory=dict)
    _names: dict[str, set[str]] = field(default_factory=dict)

    def find(self, wanted: SourceCard) -> SourceCard | None:
        """Return the kept card of the same content, moved to the path where it stands now."""
        kept = self.cards.get(card_key(wanted))
        if kept is None or not self.has_files(kept.card):
            return None
        return _moved(kept.card, wanted.path)

    def add(self, card: SourceCard) -> None:
        """Take in a card that was just made."""
        self.cards[card_key(card)] = _Unused(0, card)

    def has_files(self, card: SourceCard) -> bool:
        """Return True if the tables and passages of a card are there."""
        return all(file.name in self._present(file.parent) for file in _files(self.state, card))

    def write(self, source_map: SourceMap, made_from: str, unsettled: Iterable[str]) -> None:
        """Keep the map of a finished pass, and drop the cards that have not been needed for long."""
        present = {card_key(card) for card in source_map.cards}
        older = [
            _Unused(kept.passes + 1, kept.card) for key, kept in self.cards.items() if key not in present
        ]
        self._write(
            _KeptLake(
                PROFILER_VERSION,
                made_from,
                source_map,
                tuple(unsettled),
                tuple(kept for kept in older if kept.passes <= _PASSES),
            )
        )
        if any(kept.passes > _PASSES for kept in older):
            prune(self.state)

    def save(self) -> None:
        """Keep the cards that are there so far, in case the pass does not come to its end."""
        self._write(_KeptLake(PROFILER_VERSION, "", SourceMap(()), (), tuple(self.cards.values())))

    def _write(self, lake: _KeptLake) -> None:
        with replacing(self.file) as temporary:
            temporary.write_bytes(_LAKE.dump_json(lake))

    def _present(self, folder: Path) -> set[str]:
        if folder.name not in self._names:
            self._names[folder.name] = _listed(folder)
        return self._names[folder.name]


def open_keep(state: Path, root: Path) -> Keep:
    """Open what is kept of a lake; a lake that is not known yet may use the cards of those that are."""
    folder = state / "cards"
    file = folder / f"lake-{folder_key(root)}.json"
    lake = _read(file)
    if lake is not None:
        return Keep(state, file, lake.map, lake.made_from, _by_key(lake))
    keep = Keep(state, file)
    for other in sorted(folder.glob("lake-*.json")):
        if (found := _read(other)) is not None:
            keep.cards |= _by_key(found)
    return keep


def prune(state: Path, older_than: float = _OLD_SECONDS) -> list[Path]:
    """Remove tables and passages that no kept card refers to, and return what was removed.

    Args:
        state: the state folder.
        older_than: seconds; younger files stay, since a run may be about to refer to them.
    """
    lakes = [lake for file in (state / "cards").glob("lake-*.json") if (lake := _read(file)) is not None]
    wanted = {file for lake in lakes for kept in _by_key(lake).values() for file in _files(state, kept.card)}
    wanted |= {file for lake in lakes for card in lake.map.cards for file in _files(state, card)}
    removed = []
    for folder in (state / "tables", state / "texts"):
        for file in sorted(folder / name for name in _listed(folder)):
            if file not in wanted and file.stat().st_mtime < time.time() - older_than:
                file.unlink(missing_ok=True)
                removed.append(file)
    return removed


def _by_key(lake: _KeptLake) -> dict[str, _Unused]:
    cards = {card_key(kept.card): kept for kept in lake.unused}
    for card in lake.map.cards:
        if card.sha256 and card.path not in lake.unsettled:
            cards[card_key(card)] = _Unused(0, card)
    return cards


def _read(file: Path) -> _KeptLake | None:
    try:
        lake = _LAKE.validate_json(file.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None
    return lake if lake.version == PROFILER_VERSION else None


def _files(state: Path, card: SourceCard) -> Iterator[Path]:
    for unit in card.units:
        if unit.kind == "table":
            yield table_file(state, card, unit)
        elif unit.kind == "text":
            yield text_file(state, card, unit)


def _listed(folder: Path) -> set[str]:
    try:
        return {entry.name for entry in os.scandir(folder)}
    except FileNotFoundError:
        return set()


def _moved(card: SourceCard, path: str) -> SourceCard:
    if card.path == path:
        return card
    old, new = f"DATA_DIR / {literal(card.path)}", f"DATA_DIR / {literal(path)}"
    units = tuple(replace(unit, load_code=unit.load_code.replace(old, new)) for unit in card.units)
    return replace(card, path=path, units=units)
