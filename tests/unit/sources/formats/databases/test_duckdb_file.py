"""DuckDB files: all tables, views listed but not run, nothing written beside them."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest


@pytest.fixture
def store(lake: Any) -> Any:
    """Write a database with odd names, keys and a view, and return the lake."""
    with duckdb.connect(str(lake.root / "d.duckdb")) as connection:
        connection.execute("CREATE TABLE city (id INTEGER PRIMARY KEY, name VARCHAR, born DATE)")
        connection.execute("INSERT INTO city VALUES (1, 'Ulm', DATE '2020-01-31'), (2, NULL, NULL)")
        connection.execute('CREATE TABLE "odd ""t" (big HUGEINT, price DECIMAL(30, 2), tags INTEGER[])')
        connection.execute('INSERT INTO "odd ""t" VALUES (170141183460469231731687303715884105727, 1.5, [1])')
        connection.execute("CREATE SCHEMA s2")
        connection.execute("CREATE TABLE s2.visit (n TIMESTAMPTZ)")
        connection.execute("CREATE VIEW names AS SELECT name FROM city")
    return lake


def test_tables_and_views(store: Any) -> None:
    card = store.card("d.duckdb")
    assert (card.status, card.format) == ("ok", "duckdb")
    assert [unit.unit for unit in card.units] == ["city", 'odd "t', "s2.visit"]
    city, table = store.table("d.duckdb", "city")
    assert {column.name: column.type for column in city.columns} == {
        "id": "integer",
        "name": "text",
        "born": "date",
    }
    assert table["name"].tolist()[0] == "Ulm"
    assert ("declared", "PRIMARY KEY(id)") in city.attributes
    assert [name for name, _ in city.attributes if name.startswith("view")] == ["view names"]
    odd, table = store.table("d.duckdb", 'odd "t')
    assert table["big"].tolist() == ["170141183460469231731687303715884105727"]
    assert table["tags"].tolist() == ["[1]"]
    assert odd.rows == 1
    assert store.table("d.duckdb", "s2.visit")[0].rows == 0
    assert [path.name for path in store.root.iterdir()] == ["d.duckdb"]


def test_a_file_that_is_open_elsewhere_is_read_from_a_copy(store: Any) -> None:
    with duckdb.connect(str(store.root / "d.duckdb")):
        assert store.card("d.duckdb").status == "ok"


def test_a_view_cannot_reach_other_files(lake: Any) -> None:
    with duckdb.connect(str(lake.root / "d.db")) as connection:
        connection.execute("CREATE TABLE t (n INTEGER)")
        connection.execute("CREATE VIEW spy AS SELECT * FROM read_text('/etc/hostname')")
    card = lake.card("d.db")
    assert [unit.unit for unit in card.units] == ["t"]
    assert dict(card.units[0].attributes)["view spy"].startswith("CREATE VIEW spy")


def test_only_views_and_damage_are_reasons(lake: Any) -> None:
    with duckdb.connect(str(lake.root / "v.duckdb")) as connection:
        connection.execute("CREATE VIEW one AS SELECT 1 AS n")
    assert lake.card("v.duckdb").reason == "it holds no table, only view one"
    content = (lake.root / "v.duckdb").read_bytes()
    lake.write("cut.duckdb", content[:5_000])
    card = lake.card("cut.duckdb")
    assert card.status == "failed"
    assert "cannot be read" in card.reason
