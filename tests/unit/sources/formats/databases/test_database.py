"""SQLite databases: kinds counted, keys and layers shown, inner and virtual tables said, damage placed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lakebook.sources.formats.databases import sqlite_table
from lakebook.sources.formats.databases.database import Sqlite
from lakebook.sources.peek import peek
from lakebook.sources.reading import Budget


def database(path: Path, *statements: str, rows: Iterable[tuple[str, list[tuple[Any, ...]]]] = ()) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        for statement, values in rows:
            connection.executemany(statement, values)
        connection.commit()


def column(unit: Any, name: str) -> Any:
    found = unit.column(name)
    assert found is not None
    return found


def test_mixed_kinds_are_counted_and_kept_as_text(lake: Any) -> None:
    values = [(n if n % 31 else f"about {n}",) for n in range(1, 1001)]
    database(lake.root / "a.db", "CREATE TABLE t (n INTEGER)", rows=[("INSERT INTO t VALUES (?)", values)])
    unit, table = lake.table("a.db", "t")
    assert column(unit, "n").type == "text"
    assert (
        column(unit, "n")
        .warnings[0]
        .startswith("values of several kinds: 32 of 1,000 are text in a column declared INTEGER")
    )
    assert table["n"].tolist()[29:31] == ["30", "about 31"]


def test_right_kinds_raise_no_alarm(lake: Any) -> None:
    database(
        lake.root / "a.db",
        "CREATE TABLE t (n INTEGER PRIMARY KEY, x REAL, s TEXT, b BOOLEAN, d DATE, none TEXT)",
        "INSERT INTO t VALUES (1, 1, 'a', 1, '2020-01-31', NULL), (2, 2.5, NULL, 0, '2020-02-01', NULL)",
    )
    unit, table = lake.table("a.db", "t")
    assert {item.name: item.type for item in unit.columns} == {
        "n": "integer", "x": "number", "s": "text", "b": "integer", "d": "date", "none": "empty",
    }  # fmt: skip
    assert not [warning for item in unit.columns for warning in item.warnings]
    assert table["x"].tolist() == [1.0, 2.5]
    assert unit.attributes == (("primary key", "n"),)


def test_keys_views_and_generated_columns(lake: Any) -> None:
    database(
        lake.root / "a.db",
        "CREATE TABLE city (country TEXT, name TEXT, PRIMARY KEY (country, name)) WITHOUT ROWID",
        'CREATE TABLE "my visits" ("the city" TEXT, land TEXT, n INTEGER, twice INTEGER AS (2 * n),'
        ' FOREIGN KEY (land, "the city") REFERENCES city (country, name))',
        "CREATE VIEW big AS SELECT * FROM city",
        "INSERT INTO city VALUES ('de', 'Ulm')",
        "INSERT INTO \"my visits\" VALUES ('Ulm', 'de', 4)",
    )
    city, _ = lake.table("a.db", "city")
    assert city.attributes == (
        ("primary key", "country, name"),
        ("view big", "CREATE VIEW big AS SELECT * FROM city"),
    )
    assert "views, not run: big" in city.skipped
    visits, table = lake.table("a.db", "my visits")
    assert visits.attributes == (("foreign key", "land, the city → city (country, name)"),)
    assert table["twice"].tolist() == [8]


def test_virtual_tables_and_their_inner_parts(lake: Any) -> None:
    database(
        lake.root / "a.db",
        "CREATE VIRTUAL TABLE notes USING fts5(title, body)",
        "INSERT INTO notes VALUES ('one', 'some words')",
        "CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1)",
        "CREATE TABLE notes_mine (n INTEGER)",
    )
    card = lake.card("a.db")
    assert [unit.unit for unit in card.units] == ["notes", "notes_mine"]
    assert lake.table("a.db", "notes")[1]["body"].tolist() == ["some words"]
    said = " ".join(card.units[0].skipped)
    assert "notes_content: inner part of the virtual table notes" in said
    assert "boxes: a virtual table of the module rtree" in said
    assert "boxes_node" in said


def test_binary_columns_are_left_out_with_their_number(lake: Any) -> None:
    database(
        lake.root / "a.db",
        "CREATE TABLE t (n INTEGER, pic BLOB)",
        "INSERT INTO t VALUES (1, x'00ff'), (2, NULL)",
        "CREATE TABLE only (pic BLOB)",
        "INSERT INTO only VALUES (x'00')",
    )
    unit, table = lake.table("a.db", "t")
    assert list(table.columns) == ["n"]
    assert unit.skipped == ("column 'pic': 1 binary values, left out",)
    assert lake.card("a.db").reason == "only: every column holds binary values, which are not read"


def test_a_write_ahead_log_beside_it_is_said(lake: Any) -> None:
    database(lake.root / "a.db", "CREATE TABLE t (n)", "INSERT INTO t VALUES (1)")
    assert lake.table("a.db", "t")[0].warnings == ()
    lake.write("a.db-wal", b"7\x7f\x06\x82" + b"\0" * 100)
    lake.write("a.db", (lake.root / "a.db").read_bytes() + b"")
    file = peek(lake.root / "a.db", "a.db")
    profiler = Sqlite()
    found = [profiler.profile(part, Budget()) for part in profiler.units(file)]
    assert "a.db-wal" in found[0].warnings[0]
    assert lake.card("a.db-wal").reason == "the write-ahead log of the SQLite database beside it"


def test_damaged_pages_leave_what_stands_before_them(lake: Any) -> None:
    rows = [(n, "x" * 200) for n in range(2_000)]
    database(
        lake.root / "a.db",
        "CREATE TABLE bad (n INTEGER, s TEXT)",
        rows=[("INSERT INTO bad VALUES (?, ?)", rows)],
    )
    database(lake.root / "a.db", "CREATE TABLE good (n INTEGER)", "INSERT INTO good VALUES (7)")
    content = bytearray((lake.root / "a.db").read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = b"\xee" * 4096
    lake.write("a.db", bytes(content))
    card = lake.card("a.db")
    assert card.status == "partial"
    assert "damaged after row" in card.reason
    assert sorted(unit.unit for unit in card.units) == ["bad", "good"]
    unit, table = lake.table("a.db", "bad")
    assert 0 < unit.rows < 2_000
    assert table["n"].tolist() == list(range(unit.rows))


def test_only_views_and_no_database(lake: Any) -> None:
    database(lake.root / "v.db", "CREATE VIEW one AS SELECT 1 AS n")
    assert lake.card("v.db").reason == "it holds no table, only view one"
    lake.write("cut.db", b"SQLite format 3\x00" + b"\0" * 50)
    assert lake.card("cut.db").status == "failed"


def test_long_tables_come_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_table, "SMALL_CELLS", 0)
    rows = [(None if n % 3 else n, 2**60 + n, "x") for n in range(50_000)]
    database(
        tmp_path / "a.db",
        "CREATE TABLE t (n INTEGER, big INTEGER, s TEXT)",
        rows=[("INSERT INTO t VALUES (?, ?, ?)", rows)],
    )
    file = peek(tmp_path / "a.db", "a.db")
    profiler = Sqlite()
    for part in profiler.units(file):
        found = profiler.profile(part, Budget())
        assert found.table is not None
        assert found.table.blocks is not None
        assert [item.type for item in found.table.columns] == ["integer", "text", None]
        blocks = list(found.table.blocks())
        assert [len(block) for block in blocks] == [20_000, 20_000, 10_000]
        assert blocks[-1].column(1)[-1].as_py() == str(2**60 + 49_999)
        assert found.account is not None
        assert found.account().rows == 50_000
        cut = profiler.profile(part, Budget(rows=10))
        assert (cut.rows_in_file, cut.rows_skipped) == (50_000, 49_990)


def test_a_geopackage_shows_its_layers(lake: Any) -> None:
    database(
        lake.root / "a.gpkg",
        "CREATE TABLE gpkg_spatial_ref_sys (srs_id INTEGER, organization TEXT,"
        " organization_coordsys_id INTEGER)",
        "INSERT INTO gpkg_spatial_ref_sys VALUES (4326, 'EPSG', 4326)",
        "CREATE TABLE gpkg_contents (table_name TEXT, data_type TEXT, identifier TEXT,"
        " min_x REAL, min_y REAL, max_x REAL, max_y REAL, srs_id INTEGER)",
        "INSERT INTO gpkg_contents VALUES ('wells', 'features', 'Wells of Ulm', 9.9, 48.3, 10.1, 48.5, 4326)",
        "CREATE TABLE gpkg_geometry_columns (table_name TEXT, geometry_type_name TEXT)",
        "INSERT INTO gpkg_geometry_columns VALUES ('wells', 'POINT')",
        "CREATE TABLE wells (fid INTEGER PRIMARY KEY, geom POINT, depth REAL)",
        "INSERT INTO wells VALUES (1, x'4750', 12.5)",
    )
    unit, table = lake.table("a.gpkg", "wells")
    assert [item.unit for item in lake.card("a.gpkg").units] == ["wells"]
    assert list(table.columns) == ["fid", "depth"]
    assert dict(unit.attributes) == {
        "layer": "Wells of Ulm",
        "data type": "features",
        "geometry": "POINT",
        "extent": "9.9 48.3 10.1 48.5",
        "reference system": "EPSG:4326",
        "primary key": "fid",
    }
