"""Any JSON is read without a crash: rows add up, load code gives the same table, cut text is reported."""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from lakebook.sources.profile import profile_lake, table_file
from lakebook.sources.scan import scan
from tests.unit.sources.conftest import assert_loads_as_stored, run_load_code

KEYS = st.sampled_from(["a", "b", "id", "key", "a.b", "", "value", "columns", "data", "type", "0", "1", "ü"])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**65), 2**65),
    st.integers(-5, 5),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["2020-01-31", "x", "\ud800", "😀", "13/02/2020", "Feature"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
RECORDS = st.lists(st.dictionaries(KEYS, VALUES, min_size=1, max_size=4), min_size=1, max_size=6)
DOCUMENTS = st.one_of(
    VALUES,
    RECORDS,
    st.fixed_dictionaries({"a": RECORDS, "b": RECORDS}),
    st.lists(st.lists(SCALARS, min_size=2, max_size=2), min_size=1, max_size=5),
    st.dictionaries(KEYS, st.fixed_dictionaries({"n": SCALARS, "m": VALUES}), min_size=3, max_size=5),
    st.dictionaries(KEYS, st.lists(SCALARS, min_size=2, max_size=2), min_size=2, max_size=4),
)


def check(content: bytes, name: str) -> None:
    """Profile one file; every table equals what its load code gives, and its rows add up."""
    with tempfile.TemporaryDirectory() as folder:
        root, state = Path(folder) / "lake", Path(folder) / "state"
        root.mkdir()
        (root / name).write_bytes(content)
        card = profile_lake(root, scan(root), state).cards[0]
        assert card.status == "ok" or card.reason
        for unit in card.units:
            assert unit.rows_in_file == unit.rows + unit.rows_rejected + unit.rows_skipped
            if unit.kind == "table":
                stored = pd.read_parquet(io.BytesIO(table_file(state, card, unit).read_bytes()))
                assert_loads_as_stored(run_load_code(unit.load_code, root), stored)


@settings(max_examples=150, deadline=None)
@given(DOCUMENTS)
def test_any_document(document: Any) -> None:
    check(json.dumps(document).encode(), "a.json")


@settings(max_examples=80, deadline=None)
@given(RECORDS, st.lists(st.sampled_from(["", "{", "[1]", "x", "null", '{"a": 1'])))
def test_any_lines(records: list[Any], others: list[str]) -> None:
    lines = [json.dumps(record) for record in records] + others
    check("\n".join(lines).encode(), "a.jsonl")


@settings(max_examples=80, deadline=None)
@given(DOCUMENTS, st.floats(0, 1))
def test_any_document_cut_anywhere(document: Any, share: float) -> None:
    content = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
    check(content[: int(share * len(content))], "a.json")
