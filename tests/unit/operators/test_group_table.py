"""A group as a dataset: one table with a card, whose rows, names and types are those of its load code."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

from lakebook.errors import DatasetNotFound, UsageError
from lakebook.operators import group_table
from lakebook.operators.group_table import dated, open_dataset, with_dataset
from lakebook.operators.runtime import Runtime
from lakebook.sources.card import Column, MemberSchema, SourceGroup, SourceMap
from lakebook.sources.dataset import Dataset
from lakebook.sources.profile import profile_lake, table_file
from lakebook.sources.scan import scan

DRIFTED = {
    "s_2019.csv": "City,Sales EUR,note\nBonn,1.5,x\nUlm,2.5,y\nKiel,4.0,z\n",
    "s_2020.csv": "city,sales_eur,note\nBonn,2,x\nUlm,3,y\nKiel,5,z\n",
    "s_2021.csv": "city,sales_eur,extra\nBonn,7.25,1\nUlm,8.5,2\nKiel,9.5,3\n",
}


class Lake:
    """A folder of files that a test writes, with its source map and state."""

    def __init__(self, folder: Path) -> None:
        self.root, self.state = folder / "lake", folder / "state"

    def write(self, files: Mapping[str, str]) -> None:
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")

    def map(self) -> SourceMap:
        return profile_lake(self.root, scan(self.root), self.state)

    def dataset(self, name: str) -> Dataset:
        return open_dataset(self.map(), name, self.state)

    def same(self, dataset: Dataset) -> pd.DataFrame:
        """Return the rows after checking that the kept table and the load code give the same, in order."""
        names: dict[str, Any] = {"DATA_DIR": self.root, "pd": pd}
        exec(dataset.unit.load_code, names)
        kept = pq.read_table(table_file(self.state, dataset.card, dataset.unit)).to_pandas()
        loaded: pd.DataFrame = names["df"]
        plain = [frame.astype(object).where(frame.notna(), None) for frame in (loaded, kept)]
        pd.testing.assert_frame_equal(*plain)
        assert list(kept.columns) == [column.name for column in dataset.unit.columns]
        return loaded


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path)


@pytest.mark.parametrize("name", ["s_{date}.csv", "S", "*.csv", "s_20*.csv", "./*.csv", "elsewhere/s_*.csv"])
def test_every_name_of_a_group_opens_it(lake: Lake, name: str) -> None:
    lake.write(DRIFTED)
    dataset = lake.dataset(name)
    assert dataset.is_group
    assert [card.path for card in dataset.files] == sorted(DRIFTED)


def test_rows_names_and_types_are_those_of_the_load_code(lake: Lake) -> None:
    lake.write(DRIFTED)
    dataset = lake.dataset("s")
    frame = lake.same(dataset)
    assert len(frame) == dataset.unit.rows == dataset.unit.rows_in_file == 9
    assert frame["year"].dt.year.tolist() == [2019] * 3 + [2020] * 3 + [2021] * 3
    columns = {column.name: column for column in dataset.unit.columns}
    assert (columns["year"].type, columns["year"].role, columns["year"].distinct) == ("date", "time", 3)
    assert (columns["sales_eur"].type, columns["sales_eur"].min, columns["sales_eur"].max) == (
        "number",
        "1.5",
        "9.5",
    )
    assert (columns["note"].nulls, columns["extra"].nulls) == (3, 6)
    assert ("year", "city") in dataset.unit.candidate_keys


def test_rejected_and_skipped_rows_are_added_up(lake: Lake) -> None:
    lake.write(
        {
            "s_2019.csv": "a,b,c\n1,2,3\n4,5,6\n7,8,9,10,11\n",
            "s_2020.csv": "a,b,c\n1,2,3\n\n4,5,6\n",
        }
    )
    units = [unit for _, unit in lake.map().tables()]
    unit = lake.dataset("s").unit
    for name in ("rows", "rows_in_file", "rows_rejected", "rows_skipped"):
        assert getattr(unit, name) == sum(getattr(one, name) for one in units), name
    assert unit.rows_in_file == unit.rows + unit.rows_rejected + unit.rows_skipped
    assert unit.rows_rejected == 1
    assert unit.rejected[0].reason.startswith("s_2019.csv: ")
    assert not unit.coverage.complete
    assert unit.coverage.note.startswith("s_2019.csv: ")


def test_how_columns_came_together_is_said(lake: Lake) -> None:
    lake.write(DRIFTED)
    said = "\n".join(lake.dataset("s").unit.warnings)
    assert "3 members are read as one table" in said
    assert "s_2019.csv: 'Sales EUR' is read as 'sales_eur' (0.99" in said
    assert "s_2021.csv: 'note' is missing, so it has no values there" in said
    assert "s_2019.csv and s_2020.csv: 'extra' is missing" in said


def test_text_in_one_member_is_text_in_all(lake: Lake) -> None:
    lake.write(
        {
            "s_2019.csv": "city,code,n\nBonn,1,1\nUlm,2,2\n",
            "s_2020.csv": "city,code,n\nBonn,A1,\nUlm,A2,\n",
        }
    )
    dataset = lake.dataset("s")
    frame = lake.same(dataset)
    assert frame["code"].tolist() == ["1", "2", "A1", "A2"]
    assert "'code' is of type integer there, and of type text in the table" in "\n".join(
        dataset.unit.warnings
    )
    whole = dataset.unit.column("n")
    assert whole is not None
    assert (whole.type, whole.nulls, whole.max) == ("integer", 2, "2")


def test_the_table_is_written_once_and_anew_for_other_content(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    describe = group_table.describe

    def counted(*given: Any, **named: Any) -> Any:
        made.append(given)
        return describe(*given, **named)

    monkeypatch.setattr(group_table, "describe", counted)
    lake.write(DRIFTED)
    first, again = lake.dataset("s"), lake.dataset("*.csv")
    assert first == again
    assert len(made) == 1
    lake.write({"s_2021.csv": DRIFTED["s_2021.csv"].replace("7.25", "7.5")})
    changed = lake.dataset("s")
    assert changed.card.sha256 != first.card.sha256
    assert len(made) == 2
    table_file(lake.state, changed.card, changed.unit).unlink()
    assert lake.dataset("s") == changed
    assert len(made) == 3


def test_the_runtime_sees_the_dataset_as_a_table(lake: Lake) -> None:
    lake.write(DRIFTED)
    dataset = lake.dataset("s")
    seen = with_dataset(lake.map(), dataset)
    with Runtime(seen, partial(table_file, lake.state)) as runtime:
        assert runtime.load(dataset.unit).verdict != "reject"
        record = runtime.probe("s", "city")
        result = runtime.query("SELECT year(year), sum(sales_eur) FROM s GROUP BY ALL ORDER BY 1")
    assert record.result == {"values": {"Bonn": 3, "Kiel": 3, "Ulm": 3}, "complete": True}
    assert result.rows == ((2019, 8.0), (2020, 10.0), (2021, 25.25))
    alone = lake.dataset("s_2020.csv")
    assert with_dataset(lake.map(), alone) == lake.map()


def test_a_glob_that_fits_more_or_less_than_a_group_is_refused(lake: Lake) -> None:
    lake.write(DRIFTED | {"other.csv": "x,y\n1,2\n"})
    with pytest.raises(UsageError, match=r"fits 1 others too \(other.csv\)") as caught:
        lake.dataset("*.csv")
    assert "s_{date}.csv" in caught.value.hint
    with pytest.raises(UsageError, match=r"does not fit 1 of them \(s_2021.csv\)"):
        lake.dataset("s_20[12][90].csv")
    assert lake.dataset("oth*.csv").card.path == "other.csv"
    with pytest.raises(DatasetNotFound):
        lake.dataset("*.parquet")


def test_a_glob_stays_in_its_folder(lake: Lake) -> None:
    lake.write({f"d/{name}": content for name, content in DRIFTED.items()} | {"e/other.csv": "x,y\n1,2\n"})
    assert len(lake.dataset("d/*.csv").files) == 3
    assert len(lake.dataset("**/s_*.csv").files) == 3
    with pytest.raises(UsageError, match="fits 1 others too"):
        lake.dataset("**/*.csv")


def test_files_that_are_no_group_are_named(lake: Lake) -> None:
    lake.write({"a.csv": "x,y\n1,2\n", "b.csv": "p,q,r\n1,2,3\n"})
    with pytest.raises(UsageError, match=r"not read as one table: a\.csv, b\.csv"):
        lake.dataset("*.csv")


def test_no_group_is_chosen_but_it_is_named(lake: Lake) -> None:
    lake.write(DRIFTED)
    dataset = lake.dataset("")
    assert not dataset.is_group
    assert "s_{date}.csv (3 members)" in dataset.chosen


def test_a_file_of_the_pattern_that_is_left_out_is_said(lake: Lake) -> None:
    lake.write(DRIFTED | {"s_2018.csv": "alpha,beta,gamma\nred,1,2\nblue,3,4\n"})
    dataset = lake.dataset("s")
    assert len(dataset.files) == 3
    assert any(
        text.startswith("s_2018.csv follows the same pattern, but is left out")
        for text in dataset.unit.warnings
    )


def group(name: str, column: str, *values: str) -> SourceGroup:
    members = tuple(f"m{n}" for n in range(len(values)))
    schemas = tuple(MemberSchema(member, value) for member, value in zip(members, values, strict=True))
    return SourceGroup(name, "pattern", members, "", "t", column, ("a",), schemas)


@pytest.mark.parametrize(
    ("made", "column", "first"),
    [
        (group("{date}.csv", "source_member", "2019", "2020"), "year", "2019-01-01"),
        (group("{date}.csv", "source_member", "2019-03", "2020-01"), "month", "2019-03-01"),
        (group("{date}.csv", "source_member", "20190331", "20200101"), "date", "2019-03-31"),
        (group("y={y}/f.csv", "sales_year", "2019", "2020"), "sales_year", "2019-01-01"),
    ],
)
def test_times_that_tell_members_apart_are_times(made: SourceGroup, column: str, first: str) -> None:
    found, kind = dated(made)
    assert (found.member_column, found.schemas[0].value, kind) == (column, first, "date")


@pytest.mark.parametrize(
    "made",
    [
        group("store{n}.csv", "source_member", "2001", "2002"),
        group("store={store}/f.csv", "store", "2001", "2002"),
        group("{date}.csv", "source_member", "2019", "2020-01"),
        group("{date}.csv", "source_member", "20190231", "20190301"),
        group("{name}.csv", "source_member", "north", "south"),
    ],
)
def test_what_is_not_surely_a_time_stays_text(made: SourceGroup) -> None:
    assert dated(made) == (made, "text")


def test_a_column_that_is_called_year_is_not_covered(lake: Lake) -> None:
    lake.write({f"s_{year}.csv": f"year,b\n{year},2\n{year - 1},4\n" for year in (2019, 2020)})
    frame = lake.same(lake.dataset("s"))
    assert list(frame.columns) == ["source_member", "year", "b"]


def test_rows_with_dates_of_their_own_get_no_second_time(lake: Lake) -> None:
    lake.write({f"s_{year}.csv": f"day,b\n{year}-01-05,2\n{year}-02-07,4\n" for year in (2019, 2020)})
    frame = lake.same(lake.dataset("s"))
    assert frame["source_member"].tolist() == ["2019", "2019", "2020", "2020"]
    assert frame["day"].dt.month.tolist() == [1, 2, 1, 2]


def test_members_without_rows_or_values_change_no_types(lake: Lake) -> None:
    head = "a,b,c,flag,none\n"
    lake.write(
        {
            "s_2019.csv": head + "1,x,,true,\n2,y,,,\n",
            "s_2020.csv": head,
            "s_2021.csv": head + "3,,2020-01-05,false,\n4,,2020-01-06,true,\n",
        }
    )
    dataset = lake.dataset("s")
    frame = lake.same(dataset)
    assert [column.type for column in dataset.unit.columns] == [
        "text",
        "integer",
        "text",
        "date",
        "boolean",
        "empty",
    ]
    assert frame["a"].tolist() == [1, 2, 3, 4]
    assert [kind.kind for kind in frame.dtypes[1:]] == ["i", "O", "M", "b", "f"]
    assert any("s_2020.csv: there is a header" in text for text in dataset.unit.warnings)


def test_units_that_differ_between_members_are_said() -> None:
    from lakebook.sources.card import SourceCard, SourceUnit
    from lakebook.sources.group_notes import with_notes

    def member(unit: str) -> tuple[SourceCard, SourceUnit]:
        columns = (Column("a", "a", "number", "measure", 0, 2, unit=unit),)
        made = SourceUnit("", "table", "", columns=columns)
        return SourceCard(unit, "ok", "csv", 1, "", units=(made,)), made

    column = Column("a", "a", "number", "measure", 0, 4)
    both = group("{date}.csv", "year", "2019", "2020")
    differ = with_notes(column, both, [member("EUR"), member("USD")])
    assert differ.unit == ""
    assert differ.warnings == ("its members differ in the unit: EUR in m0; USD in m1",)
    assert with_notes(column, both, [member("EUR"), member("EUR")]).unit == "EUR"
