"""Records survive a round trip through their Parquet file, whatever stands in them."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakebook.errors import OperatorError
from lakebook.operators.kept_records import (
    RECORDS,
    SHOWN,
    read_records,
    records_frame,
    records_of,
    records_table,
    write_records,
)
from lakebook.operators.record import (
    DataInput,
    ExecutionRecord,
    Finding,
    Observation,
    OperatorName,
    Repair,
    Verdict,
)
from lakebook.sources.card import Coverage

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(TEXT, below, max_size=3),
    max_leaves=6,
)
VERDICTS = st.sampled_from(get_args(Verdict))
TEXTS = st.lists(TEXT, max_size=2).map(tuple)
RECORD = st.builds(
    ExecutionRecord,
    id=TEXT,
    operator=st.sampled_from(get_args(OperatorName)),
    purpose=TEXT,
    arguments=st.dictionaries(TEXT, JSON, max_size=2),
    inputs=st.lists(
        st.builds(DataInput, TEXT, TEXT, TEXTS, st.integers(0, 9), st.integers(0, 9)), max_size=2
    ).map(tuple),
    output=TEXT,
    observations=st.lists(
        st.builds(Observation, TEXT, TEXT, JSON, st.builds(Coverage, st.booleans(), TEXT)), max_size=2
    ).map(tuple),
    findings=st.lists(st.builds(Finding, TEXT, VERDICTS, TEXT, TEXT, TEXT, TEXTS), max_size=2).map(tuple),
    verdict=VERDICTS,
    repairs=st.lists(st.builds(Repair, TEXT, TEXT, TEXT, TEXT, TEXT), max_size=2).map(tuple),
    error=TEXT,
    result=JSON,
    result_sha256=TEXT,
    validated=st.booleans(),
    started=TEXT,
    seconds=st.floats(0, 1e6),
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(RECORD, max_size=3).map(tuple))
def test_records_are_read_back_as_they_were(tmp_path: Path, records: tuple[ExecutionRecord, ...]) -> None:
    write_records(tmp_path, records)
    back = read_records(tmp_path)
    assert back == records
    assert [(one.started, one.seconds) for one in back] == [(one.started, one.seconds) for one in records]
    assert records_of(records_table(records)) == records


def test_the_table_shows_what_was_read() -> None:
    sources = (DataInput("a.csv", "", ("x", "y"), 3), DataInput("b.csv", "", ("z",), 4))
    frame = records_frame([ExecutionRecord("r001", "Query", "p", {"sql": "select 1"}, sources, result=[1])])
    assert list(frame.columns[: len(SHOWN)]) == list(SHOWN)
    assert frame.loc[0, ["columns", "rows", "arguments", "result"]].tolist() == [
        "x, y, z", 7, '{"sql":"select 1"}', "[1]",
    ]  # fmt: skip


def test_what_is_no_table_of_records_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="no records"):
        read_records(tmp_path)
    (tmp_path / RECORDS).write_bytes(b"PAR1")
    with pytest.raises(OperatorError, match="damaged"):
        read_records(tmp_path)
    table = records_table([ExecutionRecord("r001", "Query", "", {})])
    with pytest.raises(OperatorError, match="no execution records"):
        records_of(table.drop_columns(["findings"]))
