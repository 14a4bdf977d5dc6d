"""A group read as one table: the view that queries see, the pandas code, and what is known of its columns."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakebook.operators.runtime import Runtime
from lakebook.sources.as_table import group_columns, group_load_code, members_of
from lakebook.sources.card import SourceGroup, SourceMap
from lakebook.sources.profile import profile_lake, table_file
from lakebook.sources.scan import scan


class Lake:
    """A folder of files that a test writes, with its source map and its queries."""

    def __init__(self, folder: Path) -> None:
        self.root, self.state = folder / "lake", folder / "state"

    def write(self, files: Mapping[str, str | pa.Table]) -> None:
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, str):
                path.write_text(content, encoding="utf-8")
            else:
                pq.write_table(content, path)

    def map(self) -> SourceMap:
        return profile_lake(self.root, scan(self.root), self.state)

    def group(self) -> SourceGroup:
        return next(group for group in self.map().groups if group.table)

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        with Runtime(self.map(), partial(table_file, self.state)) as runtime:
            result = runtime.query(sql)
        assert result.record.error == "", result.record.error
        assert result.record.verdict != "reject", result.record.findings
        return [tuple(row) for row in result.rows]

    def loaded(self) -> pd.DataFrame:
        group = self.group()
        names: dict[str, Any] = {"DATA_DIR": self.root, "pd": pd}
        exec(group_load_code(group, members_of(group, self.map())), names)
        frame: pd.DataFrame = names["df"]
        return frame


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake(tmp_path)


def same(lake: Lake) -> pd.DataFrame:
    """Return the group's rows after checking that the view and the pandas code give the same."""
    group = lake.group()
    names = (group.member_column, *group.columns)
    columns = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    seen = pd.DataFrame(lake.query(f"SELECT {columns} FROM {group.table}"), columns=list(names))
    loaded = lake.loaded()
    assert tuple(loaded.columns) == names
    for name in names:
        left, right = ([None if pd.isna(v) else v for v in frame[name]] for frame in (seen, loaded))
        assert sorted(map(str, left)) == sorted(str(plain(value)) for value in right), name
    return seen


def plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, pd.Timestamp) else value


def test_partitions_that_differ_in_columns_are_one_table(lake: Lake) -> None:
    lake.write(
        {
            "d/year=2020/part-0.parquet": pa.table({"city": ["Bonn", "Köln"], "sales": [1, 2]}),
            "d/year=2021/part-0.parquet": pa.table({"city": ["Bonn"], "sales": [3], "returns": [4]}),
        }
    )
    group = lake.group()
    assert (group.table, group.member_column, group.columns) == ("d", "year", ("city", "sales", "returns"))
    rows = lake.query("SELECT year, city, sales, returns FROM d ORDER BY year, city")
    assert rows == [("2020", "Bonn", 1, None), ("2020", "Köln", 2, None), ("2021", "Bonn", 3, 4)]
    assert lake.query("SELECT sum(sales) FROM d WHERE year = '2020'") == [(3,)]
    frame = lake.loaded()
    assert list(frame.columns) == ["year", "city", "sales", "returns"]
    assert frame["returns"].isna().sum() == 2


DRIFTED = {
    "s_2019.csv": "City,Sales EUR,note\nBonn,1.5,x\nUlm,2.5,y\nKiel,4.0,z\n",
    "s_2020.csv": "city,sales_eur,note\nBonn,2,x\nUlm,3,y\nKiel,5,z\n",
    "s_2021.csv": "city,sales_eur,extra\nBonn,7.25,1\nUlm,8.5,2\nKiel,9.5,3\n",
}


def test_drifted_names_and_types_come_together(lake: Lake) -> None:
    lake.write(DRIFTED)
    seen = same(lake)
    assert len(seen) == 9
    assert seen["sales_eur"].sum() == pytest.approx(43.25)
    assert seen.loc[seen["source_member"] == "2021", "note"].isna().all()
    assert seen.loc[seen["source_member"] != "2021", "extra"].isna().all()


def test_text_wins_over_other_types(lake: Lake) -> None:
    lake.write(
        {
            "s_2019.csv": "city,code,day,flag\nBonn,1,2019-01-05,True\nUlm,2,2019-01-06,False\n",
            "s_2020.csv": "city,code,day,flag\nBonn,A1,soon,maybe\nUlm,A2,later,no\n",
        }
    )
    seen = same(lake)
    assert set(seen["code"]) == {"1", "2", "A1", "A2"}
    assert {"2019-01-05 00:00:00", "soon"} <= set(seen["day"])
    retyped = dict((name, (kind, here)) for name, kind, here in lake.group().schemas[0].retyped)
    assert retyped["code"] == ("text", "integer")


def test_names_that_need_quoting(lake: Lake) -> None:
    one = pa.table({'a "b"; drop': [1], "select": ["x"], "filename": ["f"]})
    lake.write({f"s_{year}.parquet": one for year in (2019, 2020)})
    assert len(same(lake)) == 2
    assert lake.query("SELECT count(DISTINCT filename) FROM s") == [(1,)]


def test_equal_files_are_two_members(lake: Lake) -> None:
    lake.write({f"s_{year}.csv": "a,b\n1,2\n3,4\n" for year in (2019, 2020)})
    assert lake.query("SELECT source_member, count(*) FROM s GROUP BY ALL ORDER BY 1") == [
        ("2019", 2),
        ("2020", 2),
    ]


def test_many_members(lake: Lake) -> None:
    lake.write({f"p/part{n}.parquet": pa.table({"n": [n], "m": [2 * n]}) for n in range(300)})
    assert lake.query("SELECT count(*), sum(n), sum(m) FROM part") == [(300, 44850, 89700)]
    assert lake.query("SELECT n FROM part WHERE source_member = '123'") == [(123,)]


def test_what_is_known_of_the_columns(lake: Lake) -> None:
    lake.write(DRIFTED)
    group = lake.group()
    columns = {column.name: column for column in group_columns(group, members_of(group, lake.map()))}
    assert [value.value for value in columns["source_member"].values] == ["2019", "2020", "2021"]
    assert columns["sales_eur"].type == "number"
    assert columns["note"].nulls == 3
    assert columns["city"].values_complete
    assert {value.value: value.rows for value in columns["city"].values} == {"Bonn": 3, "Kiel": 3, "Ulm": 3}
    assert (columns["sales_eur"].min, columns["sales_eur"].max) == (None, None)  # whole here, fractions there
    assert (columns["extra"].min, columns["extra"].max) == ("1", "3")


def test_a_value_that_no_member_has_is_told(lake: Lake) -> None:
    lake.write(DRIFTED)
    with Runtime(lake.map(), partial(table_file, lake.state)) as runtime:
        record = runtime.query("SELECT count(*) FROM s WHERE source_member = '2018'").record
    assert any("2018" in finding.message for finding in record.findings)


def test_a_group_without_one_of_its_members_is_not_read(lake: Lake) -> None:
    lake.write(DRIFTED)
    found = lake.map()
    (group,) = [group for group in found.groups if group.table]
    assert len(members_of(group, found)) == 3
    assert members_of(group, SourceMap(found.cards[1:], found.groups)) == []
    with Runtime(SourceMap(found.cards[1:], found.groups), partial(table_file, lake.state)) as runtime:
        assert runtime.query(f"SELECT 1 FROM {group.table}").record.verdict == "reject"
        assert runtime.query("SELECT count(*) FROM s_2020").rows == ((3,),)


def test_members_read_alike_share_a_loop_and_rows_keep_the_order_of_members(lake: Lake) -> None:
    lake.write({f"s_{year}.csv": f"a,b\n{year},x\n" for year in (2017, 2018, 2020)})
    lake.write({"s_2019.csv": "b,a\ny,2019\n"})
    group = lake.group()
    code = group_load_code(group, members_of(group, lake.map()))
    assert code.count("read_csv") == 1
    assert 'for path, value in [\n    ("s_2017.csv", "2017"),\n    ("s_2018.csv", "2018"),\n' in code
    assert list(lake.loaded()["a"]) == [2017, 2018, 2019, 2020]
    assert [row[0] for row in lake.query(f"SELECT a FROM {group.table}")] == [2017, 2018, 2019, 2020]


def test_a_member_that_is_read_otherwise_ends_the_loop(lake: Lake) -> None:
    lake.write({f"s_{year}.csv": f"a,b,c\n{year},x,1\n" for year in (2017, 2018, 2020, 2021)})
    lake.write({"s_2019.csv": "A,b,c\n2019,x,1\n"})
    group = lake.group()
    code = group_load_code(group, members_of(group, lake.map()))
    assert code.count("for path, value in") == 2
    assert "rename(columns=" in code
    assert list(lake.loaded()["a"]) == [2017, 2018, 2019, 2020, 2021]
    assert [row[0] for row in lake.query(f"SELECT a FROM {group.table}")] == [2017, 2018, 2019, 2020, 2021]


def test_long_lists_are_broken_between_names_only(lake: Lake) -> None:
    names = [f"a rather long name of a column, number {n}" for n in range(9)]
    lake.write(
        {
            "s_2019.csv": ",".join(f'"{name}"' for name in names) + "\n" + ",".join("1" * 9) + "\n",
            "s_2020.csv": ",".join(f'"{name.upper()}"' for name in names) + "\n" + ",".join("1" * 9) + "\n",
        }
    )
    same(lake)
    group = lake.group()
    code = group_load_code(group, members_of(group, lake.map()))
    assert max(map(len, code.splitlines())) <= 110
