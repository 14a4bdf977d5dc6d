"""Where indexes are kept: `<state>/index`, one for each content of a lake, with the terms of each file.

An unchanged lake loads its index; a changed one tokenises only the files whose terms are not kept. Nothing
here knows how an index is made or used.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pydantic import TypeAdapter, ValidationError

from lakebook.exploration.companions import Documents
from lakebook.exploration.fields import Term, passages_text, terms_of
from lakebook.exploration.index import Entry, FileFacts, Postings, SourceIndex, arrays_of, build_index
from lakebook.exploration.partition import FileGroup
from lakebook.progress import Progress, silent
from lakebook.sources.card import SourceCard, SourceMap
from lakebook.sources.profile import PROFILER_VERSION
from lakebook.storage import replacing

# Raise it whenever an index could come out differently from the same cards.
INDEX_VERSION = "2"

_KEPT_INDEXES = 3
_HEAD_LETTERS = 400


@dataclass(frozen=True, slots=True)
class _Facts:
    """All of an index but its postings."""

    entries: tuple[Entry, ...]
    files: tuple[FileFacts, ...]
    groups: tuple[FileGroup, ...]
    documents: tuple[Documents, ...]
    long_names: tuple[str, ...]


_FACTS = TypeAdapter(_Facts)


def open_index(source_map: SourceMap, state: Path, progress: Progress = silent) -> SourceIndex:
    """Return the index of a lake: the kept one if the lake is unchanged, else a new one, which is kept."""
    key = index_key(source_map)
    folder = state / "index"
    kept = _load(folder, key)
    if kept is not None:
        return kept
    terms = _terms(source_map, state, progress)
    index = build_index(source_map, terms, _heads(source_map, state))
    _keep(index, folder, key)
    return index


def index_key(source_map: SourceMap) -> str:
    """Return the key of a lake's content: files, what was read of them, what people wrote of them, groups."""
    digest = hashlib.sha256(f"{INDEX_VERSION} {PROFILER_VERSION}".encode())
    for card in source_map.cards:
        digest.update(repr((card.path, _card_key(card))).encode())
    for group in source_map.groups:
        digest.update(repr((group.id, group.kind, group.members, group.left_out)).encode())
    return digest.hexdigest()[:32]


def _card_key(card: SourceCard) -> str:
    """Return the key of what a file is found by."""
    seen = [
        (unit.unit, unit.kind, unit.rows, unit.meaning, [(c.name, c.type, c.meaning) for c in unit.columns])
        for unit in card.units
    ]
    plain = repr((INDEX_VERSION, PROFILER_VERSION, card.path, card.sha256, card.status, card.meaning, seen))
    return hashlib.sha256(plain.encode()).hexdigest()[:32]


def _terms(source_map: SourceMap, state: Path, progress: Progress) -> list[tuple[Term, ...]]:
    """Return the terms of every card; those that are not kept are made, and then all are kept."""
    file = state / "index" / "terms.parquet"
    keys = [_card_key(card) for card in source_map.cards]
    known = _load_terms(file, set(keys))
    found = []
    for done, (card, key) in enumerate(zip(source_map.cards, keys, strict=True)):
        if key not in known:
            progress("index", done, len(keys), card.path)
            known[key] = terms_of(card, state)
        found.append(known[key])
    progress("index", len(keys), len(keys), "")
    _keep_terms(file, dict(zip(keys, found, strict=True)))
    return found


def _load_terms(file: Path, wanted: set[str]) -> dict[str, tuple[Term, ...]]:
    try:
        table = pq.read_table(file)
    except (OSError, pa.ArrowException):
        return {}
    found: dict[str, list[Term]] = defaultdict(list)
    table = table.filter(pc.is_in(table["key"], pa.array(sorted(wanted), pa.string())))
    columns = [table[name].to_pylist() for name in ("key", "unit", "field", "token", "count")]
    for key, unit, place, token, count in zip(*columns, strict=True):
        found[key].append(Term(unit, place, token, count))
    return {key: tuple(terms) for key, terms in found.items()}


def _keep_terms(file: Path, terms: dict[str, tuple[Term, ...]]) -> None:
    flat = [(key, term) for key, found in terms.items() for term in found]
    table = pa.table(
        {
            "key": pa.array([key for key, _ in flat], pa.string()),
            "unit": pa.array([term.unit for _, term in flat], pa.int32()),
            "field": pa.array([term.field for _, term in flat], pa.int8()),
            "token": pa.array([term.token for _, term in flat], pa.string()),
            "count": pa.array([term.count for _, term in flat], pa.int32()),
        }
    )
    with replacing(file) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def _heads(source_map: SourceMap, state: Path) -> dict[int, str]:
    return {
        number: passages_text(card, card.units[0], state, _HEAD_LETTERS)
        for number, card in enumerate(source_map.cards)
        if len(card.units) == 1 and card.units[0].kind == "text"
    }


def _keep(index: SourceIndex, folder: Path, key: str) -> None:
    facts = _Facts(index.entries, index.files, index.groups, index.documents, index.long_names)
    postings = index.postings
    words = pa.array(list(postings.vocabulary), pa.string())
    numbers = np.repeat(np.arange(len(words), dtype=np.int32), np.diff(postings.starts))
    table = pa.table(
        {
            "token": pa.DictionaryArray.from_arrays(pa.array(numbers), words),
            "entry": postings.entries,
            "field": postings.fields,
            "weight": postings.weights,
        }
    )
    with (
        replacing(folder / f"{key}.arrow") as temporary,
        pa.OSFile(str(temporary), "wb") as sink,
        pa.ipc.new_file(sink, table.schema) as writer,
    ):
        writer.write_table(table)
    with replacing(folder / f"{key}.json") as temporary:  # last: an index without it was not finished
        temporary.write_bytes(_FACTS.dump_json(facts))
    _forget_old(folder)


def _load(folder: Path, key: str) -> SourceIndex | None:
    """Return the kept index; None if there is none or it cannot be read."""
    try:
        facts = _FACTS.validate_json((folder / f"{key}.json").read_bytes())
        with pa.memory_map(str(folder / f"{key}.arrow")) as source:
            table = pa.ipc.open_file(source).read_all().combine_chunks()
    except (OSError, ValidationError, pa.ArrowException):
        return None
    if table.num_rows == 0:
        words, numbers = [], np.zeros(0, dtype=np.int32)
    else:
        coded = table["token"].chunk(0)
        words, numbers = coded.dictionary.to_pylist(), coded.indices.to_numpy()
    postings = Postings(
        {word: number for number, word in enumerate(words)},
        np.searchsorted(numbers, np.arange(len(words) + 1)),
        *(table[name].to_numpy() for name in ("entry", "field", "weight")),
    )
    arrays = arrays_of(facts.entries, facts.files, facts.groups)
    return SourceIndex(
        facts.entries, facts.files, facts.groups, facts.documents, facts.long_names, postings, arrays
    )


def _forget_old(folder: Path) -> None:
    """Keep the newest few indexes, so that two lakes of one state folder do not displace each other."""
    for old in sorted(_by_age(folder.glob("*.json")), reverse=True)[_KEPT_INDEXES:]:
        old[1].unlink(missing_ok=True)
        old[1].with_suffix(".arrow").unlink(missing_ok=True)


def _by_age(files: Iterator[Path]) -> Sequence[tuple[float, Path]]:
    return [(file.stat().st_mtime, file) for file in files]
