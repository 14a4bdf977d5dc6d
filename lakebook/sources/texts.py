"""Ask many texts the same question: does each match a pattern, which characters occur, where does one stand.

A few texts are asked in Python, many in Arrow and numpy; the answers are the same. What the answers mean for
a column is asked in `numerals`, `dates` and `column_types`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

# Arrow compiles a pattern at every call; below so many texts Python, which keeps it, is faster.
FEW = 300
# White space as both engines understand it, to stand in a character class.
BLANK = r"\t\n\f\r "
_SAMPLE = 2_000
# So many texts are asked first: most columns are found not to match by them.
_TRIED = 100
_MOSTLY_DISTINCT = 0.5


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


class Texts:
    """The texts of a block of a column, none missing: each distinct one once, or all where most differ.

    Attributes:
        array: the texts.
        rows: in how many rows each stands, None where each is a row of its own.
    """

    def __init__(
        self,
        array: pa.Array,
        rows: npt.NDArray[np.int64] | None = None,
        row_of: Callable[[int], int] | None = None,
    ) -> None:
        self.array = array
        self.rows = rows
        self._row_of = row_of

    def __len__(self) -> int:
        return len(self.array)

    @property
    def row_count(self) -> int:
        """In how many rows the texts stand."""
        return len(self.array) if self.rows is None else int(self.rows.sum())

    def rows_where(self, mask: npt.NDArray[np.bool_]) -> int:
        """Return in how many rows the chosen texts stand."""
        return int(mask.sum()) if self.rows is None else int(self.rows[mask].sum())

    def row_of(self, index: int) -> int:
        """Return the first row of the block that holds the text with this index."""
        return self._row_of(index) if self._row_of else index

    def place_rows(self, row_of: Callable[[int], int]) -> None:
        """Say how `row_of` finds rows."""
        self._row_of = row_of

    def where_empty(self) -> int:
        """Return the position of the first empty text, -1 if there is none."""
        if self.is_few:
            return self.listed.index("") if "" in self.listed else -1
        return int(np.argmin(self.lengths)) if not self.shortest else -1

    def text(self, index: int) -> str:
        """Return the text with this index."""
        return str(self.array[index].as_py())

    @cached_property
    def listed(self) -> list[str]:
        """The texts as Python strings."""
        return list(self.array.to_pylist())

    @cached_property
    def is_few(self) -> bool:
        """Python is faster than Arrow here."""
        return len(self.array) <= FEW

    def matching(self, pattern: str) -> npt.NDArray[np.bool_]:
        """Return for each text whether the whole of it matches the pattern."""
        if self.is_few:
            match = _compiled(pattern).fullmatch
            return np.fromiter((match(text) is not None for text in self.listed), bool, len(self.listed))
        return _truth(pc.match_substring_regex(self.array, rf"\A(?:{pattern})\z"))

    def all_match(self, pattern: str) -> bool:
        """Return True if every text matches the pattern as a whole."""
        if self.is_few:
            match = _compiled(pattern).fullmatch
            return all(match(text) is not None for text in self.listed)
        if len(self.array) > _TRIED and not self.slice(_TRIED).all_match(pattern):
            return False
        return bool(self.matching(pattern).all())

    def any_match(self, pattern: str) -> bool:
        """Return True if some text matches the pattern as a whole."""
        return bool(self.matching(pattern).any())

    def slice(self, count: int) -> Texts:
        """Return the first texts."""
        return Texts(self.array.slice(0, count), None if self.rows is None else self.rows[:count])

    def select(self, mask: npt.NDArray[np.bool_]) -> Texts:
        """Return the chosen texts."""
        if mask.all():
            return self
        positions = np.flatnonzero(mask)
        rows = None if self.rows is None else self.rows[mask]
        return Texts(self.array.take(pa.array(positions)), rows, lambda index: self.row_of(positions[index]))

    def has(self, mark: str) -> bool:
        """Return True if the character stands in some text."""
        return mark.encode() in self._bytes

    def beyond(self, alphabet: bytes) -> frozenset[int]:
        """Return the bytes that stand in some text and not in the alphabet."""
        return frozenset(self._bytes.translate(None, alphabet))

    @cached_property
    def lengths(self) -> npt.NDArray[np.int64]:
        """Length of each text in bytes."""
        lengths: npt.NDArray[np.int64] = np.diff(self._offsets)
        return lengths

    def byte_at(self, position: int) -> npt.NDArray[np.uint8]:
        """Return the byte at this position of each text (negative: from its end), 0 where it is too short."""
        data = np.frombuffer(self._bytes, np.uint8)
        starts, ends = self._offsets[:-1], self._offsets[1:]
        places = (starts if position >= 0 else ends) + position
        if self.shortest >= (position + 1 if position >= 0 else -position):
            return data[places]
        inside = (places >= starts) & (places < ends)
        found = np.zeros(len(starts), np.uint8)
        found[inside] = data[places[inside]]
        return found

    @cached_property
    def shortest(self) -> int:
        """Length of the shortest text in bytes."""
        return int(self.lengths.min()) if len(self.array) else 0

    def cast(self, kind: pa.DataType) -> pa.Array | None:
        """Return the texts cast to a type, None if one of them does not fit."""
        try:
            return self.array.cast(kind)
        except pa.ArrowInvalid:
            return None

    @cached_property
    def _offsets(self) -> npt.NDArray[np.int64]:
        width = np.int64 if pa.types.is_large_string(self.array.type) else np.int32
        buffer = self.array.buffers()[1]
        if buffer is None or len(self.array) == 0:
            return np.zeros(len(self.array) + 1, np.int64)
        start = self.array.offset
        whole = np.frombuffer(buffer, width)[start : start + len(self.array) + 1].astype(np.int64)
        offsets: npt.NDArray[np.int64] = whole - whole[0]
        return offsets

    @cached_property
    def _bytes(self) -> bytes:
        buffer = self.array.buffers()[2]
        if buffer is None or len(self.array) == 0:
            return b""
        width = np.int64 if pa.types.is_large_string(self.array.type) else np.int32
        offsets = np.frombuffer(self.array.buffers()[1], width)
        first, last = offsets[self.array.offset], offsets[self.array.offset + len(self.array)]
        return bytes(memoryview(buffer)[first:last])


@dataclass(frozen=True, slots=True)
class Coded:
    """A block of a text column: its texts, and which of them each row holds.

    Attributes:
        codes: position in `texts` of each row's text, -1 for none; None where no row repeats and none lacks
            a text, so that row and text are the same.
    """

    texts: Texts
    codes: npt.NDArray[np.int32] | None
    length: int

    @property
    def nulls(self) -> int:
        """Rows without a text."""
        return self.length - self.texts.row_count

    def spread(self, values: pa.Array) -> pa.Array:
        """Put values, one a text, back into the rows."""
        if self.codes is None:
            return values
        return values.take(pa.array(self.codes, mask=self.codes < 0))


def code(column: pa.Array, *, empty_is_null: bool, always: bool = False) -> Coded:
    """Look at a block of texts: each distinct one once if they repeat, all of them if they hardly do.

    Args:
        column: the texts; nulls are no value.
        empty_is_null: the empty text is no value either.
        always: look at distinct texts even if most differ.
    """
    if not always and _mostly_distinct(column):
        return _code_plainly(column, empty_is_null)
    encoded = column.dictionary_encode()
    indices, texts = encoded.indices, encoded.dictionary
    codes = indices.fill_null(-1).to_numpy(zero_copy_only=False) if indices.null_count else indices.to_numpy()
    looked_at = Texts(texts)
    if empty_is_null and (void := looked_at.where_empty()) >= 0:
        texts = pa.concat_arrays([texts.slice(0, void), texts.slice(void + 1)])
        codes = np.where(codes == void, -1, np.where(codes > void, codes - 1, codes)).astype(np.int32)
        looked_at = Texts(texts)
    known = codes if codes.min(initial=0) >= 0 else codes[codes >= 0]
    looked_at.rows = np.bincount(known, minlength=len(texts))
    looked_at.place_rows(lambda index: int(np.argmax(codes == index)))
    return Coded(looked_at, codes, len(column))


def _mostly_distinct(column: pa.Array) -> bool:
    if len(column) <= _SAMPLE:
        return False
    sample = column.slice(0, _SAMPLE)
    known = len(sample) - sample.null_count
    return bool(known > 0 and len(pc.unique(sample)) > _MOSTLY_DISTINCT * known)


def _code_plainly(column: pa.Array, empty_is_null: bool) -> Coded:
    mask = _truth(column.is_valid()) if column.null_count else np.ones(len(column), bool)
    if empty_is_null:
        mask &= _truth(pc.not_equal(column, "").fill_null(False))
    if mask.all():
        return Coded(Texts(column), None, len(column))
    positions = np.flatnonzero(mask)
    codes = np.where(mask, np.cumsum(mask) - 1, -1).astype(np.int32)
    texts = Texts(column.filter(pa.array(mask)), None, lambda index: int(positions[index]))
    return Coded(texts, codes, len(column))


def _truth(values: pa.Array) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = values.to_numpy(zero_copy_only=False)
    return found
