"""Records as columns: nested objects become dotted names, types come from all records, block by block.

The first pass over the records learns the columns, the second makes Arrow arrays of them; neither holds more
than a block. Both do what `pd.json_normalize` and the written statements do.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

import pyarrow as pa

from lakebook.errors import SourceError
from lakebook.sources.card import ColumnType
from lakebook.sources.load_code import literal
from lakebook.sources.reading import EXACT, RawColumn, unique_names

Record = dict[str, Any]

BLOCK = 5_000
_WIDEST = 5_000
_WIDE = 1_000
_DEEPEST = 20
_DEEPEST_CELL = 100
_KINDS = {bool: "boolean", int: "number", float: "number", str: "text", list: "list", dict: "object"}
_DUMPED = '{}.map(lambda cell: json.dumps(cell, ensure_ascii=False), na_action="ignore")'
_TEXT = '{}.astype("str")'


class _Unfit(Exception):
    """The records cannot be flattened to this depth: too deep, too wide, or two keys with one name."""


@dataclass(slots=True)
class _Seen:
    """What the first pass learns of one column."""

    first: int
    kinds: Counter[type] = field(default_factory=Counter)
    whole: bool = True
    long: bool = False
    infinite: int = 0
    shortest: int = 1 << 62
    longest: int = 0
    keys: Counter[str] = field(default_factory=Counter)

    def add(self, values: Iterable[Any]) -> None:
        found = [value for value in values if value is not None and value == value]
        kinds = Counter(map(type, found))
        self.kinds.update(kinds)
        if float in kinds:
            floats = [value for value in found if type(value) is float]
            self.whole = self.whole and all(value.is_integer() and abs(value) <= EXACT for value in floats)
            self.infinite += sum(value in (float("inf"), float("-inf")) for value in floats)
        if int in kinds and not self.long:
            numbers = [value for value in found if type(value) is int]
            self.long = max(numbers) > EXACT or min(numbers) < -EXACT
        if list in kinds:
            lengths = [len(value) for value in found if type(value) is list]
            self.shortest, self.longest = min(self.shortest, *lengths), max(self.longest, *lengths)
        if dict in kinds and len(self.keys) < 100:
            self.keys.update(chain.from_iterable(value for value in found if type(value) is dict))


@dataclass(frozen=True, slots=True)
class _Plan:
    """How one column is made: its key among the flattened records, and its kind."""

    key: str
    name: str
    type: ColumnType
    template: str
    arrow: pa.DataType
    make: Callable[[list[Any]], list[Any]]
    warnings: tuple[str, ...] = ()

    def array(self, values: list[Any]) -> pa.Array:
        return pa.array(self.make(values), self.arrow, from_pandas=True)


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a set of records, before their values are read.

    Attributes:
        records: yields the records; every call begins anew.
        rows: how many there are. level: how deep objects are flattened, None for all the way.
        dropped: flattened columns that are left out: lists read as units of their own, and nothing but null.
        exact: whole numbers beyond 2^53 are there, which load code must read as text.
        lists: what the list and object cells hold, by column.
    """

    records: Callable[[], Iterable[Record]]
    rows: int
    level: int | None
    plans: tuple[_Plan, ...]
    dropped: tuple[str, ...]
    exact: bool
    warnings: tuple[str, ...]
    lists: tuple[tuple[str, str], ...]

    def raw(self) -> tuple[RawColumn, ...]:
        """Return the columns with their values in memory."""
        arrays: list[list[pa.Array]] = [[] for _ in self.plans]
        for block in self._blocks():
            for chunks, array in zip(arrays, block, strict=True):
                chunks.append(array)
        return tuple(
            self._column(plan, pa.chunked_array(chunks, plan.arrow))
            for plan, chunks in zip(self.plans, arrays, strict=True)
        )

    def headers(self) -> tuple[RawColumn, ...]:
        """Return the columns without values, which `batches` yields."""
        return tuple(self._column(plan, pa.array([], plan.arrow)) for plan in self.plans)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the values block by block."""
        names = [plan.name for plan in self.plans]
        for arrays in self._blocks():
            yield pa.RecordBatch.from_arrays(arrays, names=names)

    def statements(self) -> list[str]:
        """Return the statements that bind `df`, given `records`."""
        level = "" if self.level is None else f", max_level={self.level}"
        statements = [f"df = pd.json_normalize(records{level})"]
        if self.dropped:
            statements.append(f"df = df.drop(columns={key_list(self.dropped)})")
        names = [plan.name for plan in self.plans]
        if names != [plan.key for plan in self.plans]:
            statements.append(f"df.columns = {key_list(names)}")
        return statements

    def _blocks(self) -> Iterator[list[pa.Array]]:
        for block in blocks_of(self.records()):
            flat = [flatten(record, self.level) for record in block]
            yield [plan.array([record.get(plan.key) for record in flat]) for plan in self.plans]

    def _column(self, plan: _Plan, values: pa.ChunkedArray | pa.Array) -> RawColumn:
        kind = None if plan.type == "text" else plan.type
        return RawColumn(plan.name, clean(plan.key), values, plan.template, kind, plan.warnings)


def learn(records: Callable[[], Iterable[Record]], apart: Sequence[str] = ()) -> Columns:
    """Learn the columns from all records.

    Args:
        records: yields the records; every call begins anew.
        apart: dotted names of lists that are units of their own and get no column here.
    """
    for level in (None, 1, 0):
        if level is not None and any(_is_deeper(record, _DEEPEST_CELL) for record in records()):
            raise SourceError(f"the records are nested more than {_DEEPEST_CELL} levels deep.")
        try:
            return _learn(records, level, apart)
        except _Unfit:
            continue
    raise SourceError(f"the records have more than {_WIDEST:,} different keys: they are no table.")


def _is_deeper(value: Any, levels: int) -> bool:
    layer = [value]
    for _ in range(levels):
        inner = (item for item in layer if type(item) in (dict, list))
        layer = [part for item in inner for part in (item.values() if type(item) is dict else item)]
    return bool(layer)


def _learn(records: Callable[[], Iterable[Record]], level: int | None, apart: Sequence[str]) -> Columns:
    seen: dict[str, _Seen] = {}
    dotted: set[str] = set()
    rows = 0
    for block in blocks_of(records()):
        flat = [flatten(record, level, dotted) for record in block]
        for name in dict.fromkeys(chain.from_iterable(flat)):
            if name not in seen:
                first = next(index for index, record in enumerate(flat) if name in record)
                seen[name] = _Seen(rows + first)
            seen[name].add(record.get(name) for record in flat)
        if len(seen) > (_WIDEST if level == 0 else _WIDE):
            raise _Unfit
        rows += len(block)
    if dotted and level != 0 and _names_clash(records, level):
        raise _Unfit
    hollow = {name for name in seen if not seen[name].kinds and _has_parts(name, seen)}
    dropped = tuple(name for name in seen if name in apart or name in hollow)
    kept = [name for name in seen if name not in dropped]
    names = unique_names([clean(name) for name in kept])
    exact = any(one.long for one in seen.values())
    plans = tuple(_plan(key, name, seen[key], rows, exact) for key, name in zip(kept, names, strict=True))
    lists = tuple(
        (name, _shape(seen[key])) for key, name in zip(kept, names, strict=True) if _is_json(seen[key])
    )
    warnings = _late([(plan.name, seen[plan.key]) for plan in plans], rows)
    return Columns(records, rows, level, plans, dropped, exact, warnings, lists)


def blocks_of(records: Iterable[Record]) -> Iterator[list[Record]]:
    """Cut the records into blocks."""
    remaining = iter(records)
    while block := list(islice(remaining, BLOCK)):
        yield block


def flatten(record: Record, level: int | None, dotted: set[str] | None = None) -> Record:
    """Replace objects by their members under dotted names: plain ones first, as pandas does.

    Args:
        record: the record.
        level: objects are replaced down to this level, None for all.
        dotted: takes the keys that have dots of their own.
    """
    if level == 0:
        return record
    flat = {}
    nested = []
    for key, value in record.items():
        if "." in key and dotted is not None:
            dotted.add(key)
        if type(value) is dict:
            nested.append((key, value))
        else:
            flat[key] = value
    for key, value in nested:
        _flatten_into(flat, key, value, 1, level, dotted)
    return flat


def _flatten_into(
    flat: Record, prefix: str, members: Record, depth: int, level: int | None, dotted: set[str] | None
) -> None:
    if depth > _DEEPEST or not prefix:
        raise _Unfit
    for key, value in members.items():
        name = f"{prefix}.{key}"
        if "." in key and dotted is not None:
            dotted.add(key)
        if type(value) is dict and (level is None or depth < level):
            _flatten_into(flat, name, value, depth + 1, level, dotted)
        elif name in flat:
            raise _Unfit
        else:
            flat[name] = value


def _names_clash(records: Callable[[], Iterable[Record]], level: int | None) -> bool:
    """Keys with dots of their own may give two paths one name in different records."""
    paths: dict[str, tuple[str, ...]] = {}
    for record in records():
        for name, path in leaves(record, (), level):
            if paths.setdefault(name, path) != path:
                return True
    return False


def leaves(
    members: Record, path: tuple[str, ...] = (), level: int | None = None
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield dotted name and path of everything in a record that is no object, or lies at the level."""
    for key, value in members.items():
        here = (*path, key)
        if type(value) is dict and (level is None or len(path) < level):
            yield from leaves(value, here, level)
        else:
            yield ".".join(here), here


def _has_parts(name: str, seen: dict[str, _Seen]) -> bool:
    return any(other.startswith(f"{name}.") for other in seen)


def _is_json(seen: _Seen) -> bool:
    return bool({list, dict} & set(seen.kinds))


def _plan(key: str, name: str, seen: _Seen, rows: int, exact: bool) -> _Plan:
    kinds, found = seen.kinds, set(seen.kinds)
    counted: Counter[str] = Counter()
    for kind, count in kinds.items():
        counted[_KINDS[kind]] += count
    shown = ", ".join(f"{count:,} {kind}" for kind, count in counted.most_common())
    has_nulls = sum(kinds.values()) < rows
    if not found:
        return _Plan(key, name, "empty", "{}.astype(float)", pa.float64(), _nothing)
    if _is_json(seen):
        warnings = (f"cells of several kinds ({shown}): kept as JSON text",) if len(counted) > 1 else ()
        return _Plan(key, name, "json", _DUMPED, pa.string(), _dumped_exactly if exact else _dumped, warnings)
    if found == {bool}:
        template = '{}.astype("boolean")' if has_nulls else ""
        return _Plan(key, name, "boolean", template, pa.bool_(), _as_is)
    if found == {str}:
        return _Plan(key, name, "text", "", pa.string(), _as_is)
    if found <= {int, float} and not seen.long:
        return _number_plan(key, name, seen, has_nulls)
    notes = [f"cells of several kinds ({shown}): kept as text"] if len(counted) > 1 else []
    if seen.long:
        notes.append("whole numbers beyond 2^53: kept as text, since a float would change them")
    return _Plan(key, name, "text", _TEXT, pa.string(), _as_text, tuple(notes))


def _number_plan(key: str, name: str, seen: _Seen, has_nulls: bool) -> _Plan:
    if float not in seen.kinds or (seen.whole and has_nulls):
        return _Plan(key, name, "integer", "", pa.int64(), _as_integers)
    count = seen.infinite
    warnings = (f"{count:,} {'value is' if count == 1 else 'values are'} infinite",) if count else ()
    return _Plan(key, name, "number", "", pa.float64(), _as_floats, warnings)


def _nothing(values: list[Any]) -> list[Any]:
    return [None] * len(values)


def _as_is(values: list[Any]) -> list[Any]:
    return values


def _as_integers(values: list[Any]) -> list[Any]:
    return [None if value is None or value != value else int(value) for value in values]


def _as_floats(values: list[Any]) -> list[Any]:
    return values


def _as_text(values: list[Any]) -> list[Any]:
    return [None if value is None or value != value else str(value) for value in values]


def _dumped(values: list[Any]) -> list[Any]:
    return [
        None if value is None or value != value else json.dumps(value, ensure_ascii=False) for value in values
    ]


def _dumped_exactly(values: list[Any]) -> list[Any]:
    return _dumped([_quoted(value) for value in values])


def _quoted(value: Any) -> Any:
    """Write whole numbers beyond 2^53 as text, which is how load code must read them."""
    if type(value) is int and abs(value) > EXACT:
        return str(value)
    if type(value) is list:
        return [_quoted(item) for item in value]
    if type(value) is dict:
        return {key: _quoted(item) for key, item in value.items()}
    return value


def _shape(seen: _Seen) -> str:
    """Say how long the lists of a column are, or which keys its objects have."""
    parts = []
    if list in seen.kinds:
        lengths = f"{seen.shortest:,}" + (f"-{seen.longest:,}" if seen.longest > seen.shortest else "")
        parts.append(f"lists ({seen.kinds[list]:,}), length {lengths}")
    if dict in seen.kinds:
        keys = ", ".join(clean(key) for key, _ in seen.keys.most_common(10))
        parts.append(f"objects ({seen.kinds[dict]:,})" + (f", keys {keys}" if keys else ""))
    return "; ".join(parts)


def _late(columns: Sequence[tuple[str, _Seen]], rows: int) -> tuple[str, ...]:
    """Say which keys are missing in most records, with their fill rate and first record."""
    shown = []
    for name, seen in columns:
        filled = sum(seen.kinds.values())
        if filled < 0.5 * rows:
            first = f", first in record {seen.first + 1:,}" if seen.first else ""
            shown.append(f"{name} ({filled:,} of {rows:,}){first}")
    if not shown:
        return ()
    more = f"; and {len(shown) - 20:,} more" if len(shown) > 20 else ""
    return (f"keys that most records lack: {'; '.join(shown[:20])}{more}",)


def clean(text: str) -> str:
    """Return the text without halves of characters, which no encoding can write."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def key_literal(key: str) -> str:
    """Return a key as a Python literal that can be written in any encoding."""
    return literal(key) if clean(key) == key else json.dumps(key)


def key_list(keys: Iterable[str]) -> str:
    """Return keys as a Python list."""
    return f"[{', '.join(key_literal(key) for key in keys)}]"
