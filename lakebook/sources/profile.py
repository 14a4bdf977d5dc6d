"""Profile a lake: one card a file, each table written once as Parquet, nothing done twice.

Cards and tables are kept under the hash of the file's content and the version of the profilers, so an
unchanged file costs nothing but its hash, and a renamed one is recognised. One bad file never stops the
rest: its card says what was wrong.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path, PurePosixPath

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import TypeAdapter, ValidationError

from lakebook.errors import SourceError
from lakebook.progress import Progress, silent
from lakebook.sources.card import FileEntry, FileStatus, Manifest, SourceCard, SourceMap, SourceUnit
from lakebook.sources.describe import describe
from lakebook.sources.formats.registry import profiler_for
from lakebook.sources.groups import find_groups
from lakebook.sources.load_code import literal
from lakebook.sources.naming import identifier, name_tables
from lakebook.sources.peek import Peek, peek
from lakebook.sources.reading import WHOLE, Profiler, Reading
from lakebook.sources.refusal import refuse
from lakebook.storage import hash_file, replacing

# Part of every key: raise it whenever a card or a table could come out differently.
PROFILER_VERSION = "5"

_CARD = TypeAdapter(SourceCard)
# What libraries raise on damaged input; anything else is a defect of ours and must not hide in a card.
_DAMAGE = (
    SourceError,
    OSError,
    EOFError,
    ValueError,
    OverflowError,
    MemoryError,
    pa.ArrowException,
    duckdb.Error,
)


def profile_lake(root: Path, manifest: Manifest, state: Path, progress: Progress = silent) -> SourceMap:
    """Return the source map of a lake.

    Args:
        root: the folder that the manifest describes.
        manifest: its files.
        state: where cards and tables are kept (`cards/` and `tables/` below it).
        progress: told of every file.
    """
    cards = []
    for done, entry in enumerate(manifest.files):
        progress("sources", done, len(manifest.files), entry.path)
        cards.append(_card(root, entry, state))
    progress("sources", len(manifest.files), len(manifest.files), "")
    for path, why in manifest.problems:
        cards.append(SourceCard(path, "failed", "", 0, "", reason=why))
    named = name_tables(sorted(cards, key=lambda card: card.path))
    return SourceMap(named, find_groups(named))


def table_file(state: Path, card: SourceCard, unit: SourceUnit) -> Path:
    """Return where the loaded table of a unit is kept."""
    return state / "tables" / f"{_key(card.sha256, card.path)}{_unit_key(unit.unit)}.parquet"


def text_file(state: Path, card: SourceCard, unit: SourceUnit) -> Path:
    """Return where the passages of a text unit are kept: Parquet with position, heading, text."""
    return state / "texts" / f"{_key(card.sha256, card.path)}{_unit_key(unit.unit)}.parquet"


def _key(sha256: str, path: str) -> str:
    """Name what is kept of a file: its content, and the suffixes that help to read it."""
    suffix = identifier("".join(PurePosixPath(path).suffixes[-2:])) if PurePosixPath(path).suffix else "none"
    return f"{sha256[:32]}-{suffix.removeprefix('t_')}-v{PROFILER_VERSION}"


def _unit_key(unit: str) -> str:
    if not unit:
        return ""
    digest = hashlib.sha256(unit.encode()).hexdigest()[:8]
    return f"-{identifier(unit)}-{digest}"


def _card(root: Path, entry: FileEntry, state: Path) -> SourceCard:
    kept = state / "cards" / f"{_key(entry.sha256, entry.path)}.json"
    known = _read_kept(kept, entry.path)
    if known is not None and _is_kept(known, state):
        return known
    card = _profile(root, entry, state)
    if card.status == "failed" and not _is_settled(root, entry):
        return replace(card, units=(), reason="the file changed while it was being read; run again")
    with replacing(kept) as temporary:
        temporary.write_bytes(_CARD.dump_json(card, indent=1))
    return card


def _is_kept(card: SourceCard, state: Path) -> bool:
    files = {"table": table_file, "text": text_file}
    return all(files[unit.kind](state, card, unit).exists() for unit in card.units if unit.kind in files)


def _read_kept(kept: Path, path: str) -> SourceCard | None:
    """Return the kept card, moved to the path where the same content stands now."""
    try:
        card = _CARD.validate_json(kept.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None
    if card.path == path:
        return card
    moved = [
        replace(
            unit,
            load_code=unit.load_code.replace(
                f"DATA_DIR / {literal(card.path)}", f"DATA_DIR / {literal(path)}"
            ),
        )
        for unit in card.units
    ]
    return replace(card, path=path, units=tuple(moved))


def _is_settled(root: Path, entry: FileEntry) -> bool:
    try:
        return hash_file(root / entry.path) == entry.sha256
    except OSError:
        return False


def _profile(root: Path, entry: FileEntry, state: Path) -> SourceCard:
    card = SourceCard(entry.path, "ok", "", entry.bytes, entry.sha256)
    try:
        file = peek(root / entry.path, entry.path)
        profiler = profiler_for(file)
        if profiler is None:
            status, reason = refuse(file)
            return replace(card, status=status, reason=reason, format=file.magic)
        return _read_units(replace(card, format=profiler.format), file, profiler, state)
    except _DAMAGE as error:
        return replace(card, status="failed", reason=_reason(error))


def _read_units(card: SourceCard, file: Peek, profiler: Profiler, state: Path) -> SourceCard:
    units: list[SourceUnit] = []
    problems: list[str] = []
    encoding = ""
    try:
        for part in profiler.units(file):
            reading = profiler.profile(part, WHOLE)
            encoding = encoding or reading.encoding
            if reading.problem:
                problems.append(f"{reading.unit}: {reading.problem}" if reading.unit else reading.problem)
                continue
            units.append(_keep(card, reading, state))
    except _DAMAGE as error:
        problems.append(_reason(error))
    if not _is_settled(file.path.parent, FileEntry(file.path.name, card.bytes, card.sha256)):
        problems, units = ["the file changed while it was being read; run again"], []
    rejected = sum(unit.rows_rejected for unit in units)
    if rejected:
        problems.append(f"{rejected:,} rows could not be loaded")
    status: FileStatus = "ok" if not problems else ("partial" if units else "failed")
    return replace(card, status=status, reason="; ".join(problems), encoding=encoding, units=tuple(units))


def _keep(card: SourceCard, reading: Reading, state: Path) -> SourceUnit:
    """Describe a unit; its table or its passages are kept on the way."""
    named = SourceUnit(reading.unit, reading.kind, "")
    if reading.kind == "text":
        with replacing(text_file(state, card, named)) as temporary:
            pq.write_table(_passages(reading), temporary, compression="zstd")
    if reading.table is None:
        return describe(reading).unit
    with replacing(table_file(state, card, named)) as temporary:
        return describe(reading, temporary).unit


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
