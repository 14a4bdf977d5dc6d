"""Parquet, Feather, Arrow streams and ORC: types, long tables in blocks, and what is damaged or encrypted."""

from __future__ import annotations

import datetime as dt
import decimal
import uuid
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.ipc
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pytest

from lakebook.sources.formats.columnar import arrow_table
from lakebook.sources.formats.columnar.profiler import Columnar
from lakebook.sources.peek import peek
from lakebook.sources.reading import Budget, Part, Reading

D = decimal.Decimal


def types(unit: Any) -> dict[str, str]:
    return {column.name: column.type for column in unit.columns}


def written(lake: Any, **columns: pa.Array) -> tuple[Any, pd.DataFrame]:
    pq.write_table(pa.table(columns), lake.root / "a.parquet")
    unit, table = lake.table("a.parquet")
    return unit, table


@pytest.mark.parametrize(
    ("values", "kind", "found", "shown"),
    [
        (pa.array([1, 2], pa.uint64()), "integer", [1, 2], ""),
        (pa.array([2**63 + 1, 2], pa.uint64()), "text", [str(2**63 + 1), "2"], "beyond 2^53"),
        (pa.array([D("1.50"), D("-2.25")], pa.decimal128(9, 2)), "number", [1.5, -2.25], ""),
        (pa.array([D("1.50"), D("-2.25")], pa.decimal128(38, 2)), "number", [1.5, -2.25], ""),
        (
            pa.array([D("12345678901234567.89"), D("1.00")], pa.decimal128(38, 2)),
            "text",
            ["12345678901234567.89", "1.00"],
            "decimals of up to 19 digits",
        ),
        (pa.array([dt.time(5), dt.time(6)], pa.time32("s")), "text", ["05:00:00.000", "06:00:00.000"], ""),
        (pa.array([1_500, 250], pa.duration("ms")), "number", [1.5, 0.25], "durations, shown in seconds"),
        (pa.array([1, 2], pa.float16()), "number", [1.0, 2.0], ""),
        (pa.array([None, None], pa.string()), "empty", None, ""),
        (pa.array([b"ab", b"\xc3\xa9"]), "text", ["ab", "é"], "UTF-8"),
        (pa.array([{"k": [1, 2]}, None]), "json", ['{"k": [1, 2]}', None], ""),
        (pa.array(["x", "y"]).dictionary_encode(), "text", ["x", "y"], ""),
        (pa.array([7, 8]).dictionary_encode(), "integer", [7, 8], ""),
        (pa.array([True, None]), "boolean", [True, None], ""),
        (pa.array([3_000_000, 1], pa.date32()), "text", ["3000000", "1"], "outside the years"),
        (pa.array([1_000_000_001, 0], pa.timestamp("ns")), "datetime", None, "nanoseconds are cut"),
        (pa.array([0, 86_400], pa.timestamp("s", "Asia/Tokyo")), "date", None, "zone Asia/Tokyo"),
    ],
)  # fmt: skip
def test_types(lake: Any, values: pa.Array, kind: str, found: list[Any] | None, shown: str) -> None:
    unit, table = written(lake, v=values, key=pa.array(["k1", "k2"]))
    column = unit.column("v")
    assert column.type == kind
    assert shown in " ".join(column.warnings)
    assert shown or not column.warnings
    if found is not None:
        assert [
            None if value is None or value is pd.NA or value != value else value for value in table["v"]
        ] == found


def test_nested_values_without_json_are_left_out(lake: Any) -> None:
    twins = pa.StructArray.from_arrays([pa.array([1, 2]), pa.array([3, 4])], ["x", "x"])
    feather.write_feather(pa.table({"n": [1, 2], "twins": twins}), lake.root / "a.feather")
    unit, table = lake.table("a.feather")
    assert list(table.columns) == ["n"]
    assert unit.skipped == ("column 'twins': nested values that cannot be written as JSON, left out",)
    unit, table = written(lake, v=pa.array([None, None], pa.list_(pa.int64())), n=pa.array([1, 2]))
    assert table["v"].isna().all()


def test_text_that_is_not_utf8_is_left_out(lake: Any) -> None:
    broken = pa.array([b"\xc3", b"ok"]).view(pa.string())
    unit, table = written(lake, bad=broken, good=pa.array(["a", "b"]))
    assert list(table.columns) == ["good"]
    assert unit.skipped == ("column 'bad': text that is not UTF-8, left out",)


def test_a_category_without_a_value_is_none(lake: Any) -> None:
    values = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array(["x", None]))
    feather.write_feather(pa.table({"v": values}), lake.root / "a.feather")
    assert lake.table("a.feather")[0].columns[0].nulls == 1


def test_uuids_are_text(lake: Any) -> None:
    one = uuid.UUID(int=5)
    values = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([one.bytes], pa.binary(16)))
    _, table = written(lake, v=values)
    assert table["v"].tolist() == [str(one)]


def test_binary_is_left_out_and_said(lake: Any) -> None:
    unit, table = written(lake, v=pa.array([b"\0\1", None]), n=pa.array([1, 2]))
    assert list(table.columns) == ["n"]
    assert unit.skipped == ("column 'v': binary values, left out",)
    pq.write_table(pa.table({"v": pa.array([b"\0\1", None])}), lake.root / "b.parquet")
    assert lake.card("b.parquet").reason == "every column holds binary values, which are not read"


def test_duplicate_names(lake: Any) -> None:
    table = pa.Table.from_arrays([pa.array([1, 2]), pa.array(["x", "y"])], ["a", "a"])
    feather.write_feather(table, lake.root / "a.feather")
    assert list(lake.table("a.feather")[1].columns) == ["a", "a.1"]


def test_a_hive_folder_adds_no_column(lake: Any) -> None:
    (lake.root / "year=2020").mkdir()
    pq.write_table(pa.table({"n": [1]}), lake.root / "year=2020" / "a.parquet")
    assert list(lake.table("year=2020/a.parquet")[1].columns) == ["n"]
    pq.write_table(pa.table({"l": [[1]]}), lake.root / "year=2020" / "b.parquet")
    assert list(lake.table("year=2020/b.parquet")[1].columns) == ["l"]


def test_orc_and_arrow_streams(lake: Any) -> None:
    table = pa.table({"n": [1, None], "s": ["x", "y"], "t": pa.array([0, 5], pa.timestamp("ns"))})
    orc.write_table(table, lake.root / "a.orc")
    with (
        pa.OSFile(str(lake.root / "b.arrows"), "wb") as sink,
        pa.ipc.new_stream(sink, table.schema) as writer,
    ):
        writer.write_table(table)
    for name in ("a.orc", "b.arrows"):
        assert types(lake.table(name)[0]) == {"n": "integer", "s": "text", "t": "datetime"}


def test_old_feather_says_what_to_do(lake: Any) -> None:
    lake.write("a.feather", b"FEA1" + b"\0" * 100)
    card = lake.card("a.feather")
    assert card.status == "failed"
    assert "version 2" in card.reason


@pytest.mark.parametrize("name", ["a.parquet", "a.feather", "a.orc", "a.arrows"])
def test_damage_is_a_reason(lake: Any, name: str) -> None:
    table = pa.table({"n": list(range(5_000)), "s": ["x" * (n % 7) for n in range(5_000)]})
    path = lake.root / name
    if name == "a.parquet":
        pq.write_table(table, path)
    elif name == "a.feather":
        feather.write_feather(table, path)
    elif name == "a.orc":
        orc.write_table(table, path)
    else:
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    card = lake.card(name)
    assert (card.status, card.units) == ("failed", ())
    assert "cut off" in card.reason


def test_an_encrypted_footer_is_named(lake: Any) -> None:
    lake.write("a.parquet", b"PARE" + b"\0" * 50 + b"PARE")
    assert "without its keys" in lake.card("a.parquet").reason


# --- blocks ---------------------------------------------------------------------------------------------


@pytest.fixture
def long_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every table count as long."""
    monkeypatch.setattr(arrow_table, "SMALL_CELLS", 0)


def reading(path: Path, budget: Budget = Budget()) -> Reading:  # noqa: B008  frozen
    file = peek(path, path.name)
    return Columnar(file.magic).profile(Part(file), budget)


@pytest.mark.usefixtures("long_ones")
@pytest.mark.parametrize("suffix", ["parquet", "feather", "orc"])
def test_long_tables_come_in_blocks_with_one_type(tmp_path: Path, suffix: str) -> None:
    rows = 200_000
    numbers = [*range(rows - 1), 2**60]
    table = pa.table({"big": numbers, "b": [None] + [True] * (rows - 1), "f": [0.5] * rows})
    path = tmp_path / f"a.{suffix}"
    if suffix == "parquet":
        pq.write_table(table, path, row_group_size=50_000)
    elif suffix == "feather":
        feather.write_feather(table, path, chunksize=50_000)
    else:
        orc.write_table(table, path)
    found = reading(path)
    assert found.table is not None
    assert found.table.blocks is not None
    assert [column.type for column in found.table.columns] == ["text", "boolean", "number"]
    for _ in range(2):  # every call begins anew
        blocks = list(found.table.blocks())
        assert len(blocks) > 1
        assert {block.schema for block in blocks} == {blocks[0].schema}
        assert blocks[-1].column(0)[-1].as_py() == str(2**60)
        assert sum(block.num_rows for block in blocks) == rows
    assert found.account is not None
    account = found.account()
    assert (account.rows, account.rows_in_file, account.rows_skipped) == (rows, rows, 0)


@pytest.mark.usefixtures("long_ones")
def test_stated_ranges_save_a_pass_but_do_not_replace_values(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    table = pa.table({"n": [1, None, 2**60]})
    pq.write_table(table, path)
    stated = reading(path)
    pq.write_table(table, path, write_statistics=False)
    looked = reading(path)
    assert stated.table is not None
    assert looked.table is not None
    assert [column.type for column in stated.table.columns] == ["text"]
    assert [column.type for column in looked.table.columns] == ["text"]


@pytest.mark.parametrize("is_long", [False, True])
def test_a_budget_leaves_rows_out_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_long: bool
) -> None:
    if is_long:
        monkeypatch.setattr(arrow_table, "SMALL_CELLS", 0)
    pq.write_table(pa.table({"n": [*range(10)]}), tmp_path / "a.parquet")
    found = reading(tmp_path / "a.parquet", Budget(rows=4))
    assert (found.rows_in_file, found.rows_skipped) == (10, 6)
    assert found.left_out == "only the first 4 of 10 rows were read"
    assert found.table is not None
    statements, _ = found.table.opening({})
    names: dict[str, Any] = {"DATA_DIR": tmp_path, "pd": pd}
    exec("\n".join(statements), names)
    assert names["df"]["n"].tolist() == [0, 1, 2, 3]
