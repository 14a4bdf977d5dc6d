"""Tables that come in blocks: types from all rows, in one pass or two, equal to those of one block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from lakebook.sources import loading
from lakebook.sources.curated import DayOrder, SettledOrder
from lakebook.sources.describe import describe
from lakebook.sources.reading import Account, RawColumn, RawTable, Reading

NO_VALUES = pa.array([], pa.string())


class Blocks:
    """A table of texts that is given in blocks of a few rows; counts how often it was read."""

    def __init__(self, columns: dict[str, Sequence[str | None]], size: int = 4) -> None:
        self.table = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
        self.size, self.read = size, 0

    def __call__(self) -> Iterator[pa.RecordBatch]:
        self.read += 1
        yield from self.table.to_batches(max_chunksize=self.size)

    def reading(self, *, is_text: bool = True) -> Reading:
        raw = RawTable(
            tuple(RawColumn(name, name, NO_VALUES) for name in self.table.column_names),
            rows=0,
            opening=lambda typings: ([f"df = {list(typings)}"], True),
            place=lambda row: f"line {row + 2:,}",
            is_text=is_text,
            blocks=self,
        )
        rows = self.table.num_rows
        return Reading(kind="table", table=raw, account=lambda: Account(rows, rows))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "BLOCK_ROWS", 4)


CASES: dict[str, list[str | None]] = {
    "whole": ["1", "2", "3", "4", "5", "-6", "7", "8", "9"],
    "late fraction": ["1", "2", "3", "4", "5", "6", "7.5", "8", "9"],
    "late text": ["1", "2", "3", "4", "5", "6", "n/k", "8", "9"],
    "late token": ["1", "2", "3", "4", "5", "NA", "7", "", None],
    "late zero": ["1", "2", "3", "4", "5", "006", "7", "8", "9"],
    "late long": ["1", "2", "3", "4", "5", "9007199254740993", "7", "8", "9"],
    "late currency": ["1", "2", "3", "4.5", "5", "$6", "7", "1,008", "9"],
    "late comma": ["1", "2", "3", "4", "5,25", "6", "7", "1.008,5", "9"],
    "date": [f"2020-01-0{day}" for day in range(1, 10)],
    "late time": [f"2020-01-0{day}" for day in range(1, 9)] + ["2020-01-09T10:30"],
    "late day": [f"0{day}/02/2020" for day in range(1, 9)] + ["13/02/2020"],
    "unclear": [f"0{day}/02/2020" for day in range(1, 10)],
    "late order": [f"0{day}/02/2020" for day in range(1, 8)] + ["13/02/2020", "02/13/2020"],
    "two formats": [f"2020-01-0{day}" for day in range(1, 9)] + ["9.1.2020"],
    "boolean": ["true", "false"] * 4 + ["true"],
    "late word": ["true", "false"] * 4 + ["maybe"],
    "empty first": ["", None, "", "", "5", "6", "7", "8", "9"],
    "empty": ["", None, "", "", "", None, "", "", ""],
    "codes": ["NA", "IN", "US", "NA", "DE", "FR", "", "NULL", "None"],
}


@pytest.mark.parametrize("case", CASES)
def test_blocks_give_what_one_block_gives(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = {"v": CASES[case], "k": [str(n) for n in range(9)]}
    long = describe(Blocks(columns).reading(), tmp_path / "long.parquet")
    monkeypatch.setattr(loading, "BLOCK_ROWS", 1000)
    short = describe(Blocks(columns, size=1000).reading(), tmp_path / "short.parquet")
    assert long.unit == short.unit
    assert long.loaded is not None
    assert long.loaded.columns is None
    assert long.table == short.table


@pytest.mark.parametrize(
    ("case", "times"), [("whole", 1), ("date", 1), ("codes", 1), ("late token", 1), ("late text", 2)]
)
def test_a_table_is_read_again_only_if_the_first_block_misled(case: str, times: int, tmp_path: Path) -> None:
    blocks = Blocks({"v": CASES[case]})
    describe(blocks.reading(), tmp_path / "t.parquet")
    assert blocks.read == times


def test_a_late_text_is_named_with_its_line(tmp_path: Path) -> None:
    unit = describe(Blocks({"v": CASES["late text"]}).reading(), tmp_path / "t.parquet").unit
    assert unit.columns[0].type == "text"
    assert "'n/k' at line 8" in unit.columns[0].warnings[0]


def test_dates_in_two_formats_stay_text_and_both_are_named(tmp_path: Path) -> None:
    unit = describe(Blocks({"v": CASES["two formats"]}).reading(), tmp_path / "t.parquet").unit
    assert unit.columns[0].type == "text"
    (warning,) = unit.columns[0].warnings
    assert "more than one format" in warning
    assert "'2020-01-01' at line 2" in warning
    assert "'9.1.2020' at line 10" in warning


def test_contradicting_orders_are_named(tmp_path: Path) -> None:
    unit = describe(Blocks({"v": CASES["late order"]}).reading(), tmp_path / "t.parquet").unit
    (warning,) = unit.columns[0].warnings
    assert "'13/02/2020' at line 9 and '02/13/2020' at line 10 contradict" in warning


@pytest.mark.parametrize(("order", "first"), [("day", "2020-02-01"), ("month", "2020-01-02")])
def test_an_order_from_outside_settles_ambiguous_dates(order: DayOrder, first: str, tmp_path: Path) -> None:
    reading = Blocks({"v": CASES["unclear"]}).reading()
    assert describe(reading, tmp_path / "t.parquet").unit.columns[0].ambiguous_dates
    orders = {"v": SettledOrder(order, "notes.md, line 3")}
    column = describe(reading, tmp_path / "t.parquet", day_orders=orders).unit.columns[0]
    assert (column.min, column.ambiguous_dates) == (first, False)
    assert column.warnings == (f"read as {order} first, as notes.md, line 3 says: no value shows it",)


def test_values_win_over_an_order_from_outside(tmp_path: Path) -> None:
    reading = Blocks({"v": CASES["late day"]}).reading()
    orders = {"v": SettledOrder("month", "notes.md")}
    column = describe(reading, tmp_path / "t.parquet", day_orders=orders).unit.columns[0]
    assert column.min == "2020-02-01"
    assert "notes.md says month first, but its values can only be read day first" in column.warnings[0]


def test_an_account_that_differs_from_what_was_loaded_is_an_error(tmp_path: Path) -> None:
    blocks = Blocks({"v": CASES["whole"]})
    reading = blocks.reading()
    wrong: Callable[[], Account] = lambda: Account(8, 8)  # noqa: E731
    reading = Reading(kind="table", table=reading.table, account=wrong)
    with pytest.raises(ValueError, match="9 rows were loaded where 8 were counted"):
        describe(reading, tmp_path / "t.parquet")
