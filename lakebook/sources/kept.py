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
from pathlib import Path

from lakebook.sources.card import SourceCard, SourceMap, SourceUnit
from lakebook.sources.compact import dump, load
from lakebook.sources.load_code import literal
from lakebook.sources.naming import identifier
from lakebook.sources.stat_index import folder_key
from lakebook.storage import replacing

# Part of every key: raise it whenever a card or a table could come out differently.
PROFILER_VERSION = "7"

# So many passes without use are waited before a card is dropped: a file may come back.
_PASSES = 5
# What no card refers to is removed only when it is so old that no run can be writing it.
_OLD_SECONDS = 86_400.0
_FOLDERS = {"table": "tables", "text": "texts"}


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


def table_file(state: Path, card: SourceCard, unit: SourceUnit) -> Path:
    """Return where the loaded table of a unit is kept."""
    return state / "tables" / _file_name(card_key(card), unit.unit)


def text_file(state: Path, card: SourceCard, unit: SourceUnit) -> Path:
    """Return where the passages of a text unit are kept: Parquet with position, heading, text."""
    return state / "texts" / _file_name(card_key(card), unit.unit)


def card_key(card: SourceCard) -> str:
    """Name what is kept of a file: its content, the suffixes that help to read it, and what was settled."""
    parts = card.path.rpartition("/")[2].lstrip(".").split(".")[1:]
    suffix = _suffix(".".join(parts[-2:])) if parts and parts[-1] else "none"
    settled = hashlib.sha256(card.settled.encode()).hexdigest()[:8] + "-" if card.settled else ""
    return f"{card.sha256[:32]}-{suffix}-{settled}v{PROFILER_VERSION}"


@lru_cache(maxsize=1024)
def _suffix(text: str) -> str:
    return identifier(text).removeprefix("t_")


def _file_name(key: str, unit: str) -> str:
    if not unit:
        return f"{key}.parquet"
    digest = hashlib.sha256(unit.encode()).hexdigest()[:8]
    return f"{key}-{identifier(unit)}-{digest}.parquet"


@dataclass(slots=True)
class Keep:
    """What is kept of one lake.

    Attributes:
        map: the map of the last pass; `made_from` says of what.
    """

    state: Path
    file: Path
    map: SourceMap = field(default_factory=lambda: SourceMap(()))
    made_from: str = ""
    _lakes: list[_KeptLake] = field(default_factory=list)
    _cards: dict[str, _Unused] = field(default_factory=dict)
    _names: dict[str, set[str]] = field(default_factory=dict)

    @property
    def cards(self) -> dict[str, _Unused]:
        """The cards by their key, and for how many passes each was not needed."""
        while self._lakes:
            self._cards |= _by_key(self._lakes.pop())
        return self._cards

    def find(self, wanted: SourceCard) -> SourceCard | None:
        """Return the kept card of the same content, moved to the path where it stands now."""
        kept = self.cards.get(card_key(wanted))
        if kept is None or not self.has_files(kept.card):
            return None
        return _moved(kept.card, wanted.path)

    def add(self, card: SourceCard) -> None:
        """Take in a card that was just made."""
        self.cards[card_key(card)] = _Unused(0, card)
        for folder, name in _files(card):
            self._present(folder).add(name)

    def has_files(self, card: SourceCard) -> bool:
        """Return True if the tables and passages of a card are there."""
        return all(name in self._present(folder) for folder, name in _files(card))

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
            temporary.write_bytes(dump(lake))

    def _present(self, folder: str) -> set[str]:
        if folder not in self._names:
            self._names[folder] = _listed(self.state / folder)
        return self._names[folder]


def open_keep(state: Path, root: Path) -> Keep:
    """Open what is kept of a lake; a lake that is not known yet may use the cards of those that are."""
    folder = state / "cards"
    file = folder / f"lake-{folder_key(root)}.json"
    lake = _read(file)
    if lake is not None:
        return Keep(state, file, lake.map, lake.made_from, [lake])
    others = [found for other in sorted(folder.glob("lake-*.json")) if (found := _read(other)) is not None]
    return Keep(state, file, _lakes=others)


def prune(state: Path, older_than: float = _OLD_SECONDS) -> list[Path]:
    """Remove tables and passages that no kept card refers to, and return what was removed.

    Args:
        state: the state folder.
        older_than: seconds; younger files stay, since a run may be about to refer to them.
    """
    lakes = [lake for file in (state / "cards").glob("lake-*.json") if (lake := _read(file)) is not None]
    cards = [card for lake in lakes for card in (*lake.map.cards, *(kept.card for kept in lake.unused))]
    wanted = {file for card in cards for file in _files(card)}
    removed = []
    for folder in ("tables", "texts"):
        for name in sorted(_listed(state / folder)):
            file = state / folder / name
            if (folder, name) not in wanted and file.stat().st_mtime < time.time() - older_than:
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
        lake = load(file.read_bytes(), _KeptLake)
    except (FileNotFoundError, ValueError, TypeError):
        return None
    return lake if lake.version == PROFILER_VERSION else None


def _files(card: SourceCard) -> Iterator[tuple[str, str]]:
    """Give the folder and the name of each file that belongs to a card."""
    key = card_key(card)
    for unit in card.units:
        if unit.kind in _FOLDERS:
            yield _FOLDERS[unit.kind], _file_name(key, unit.unit)


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
