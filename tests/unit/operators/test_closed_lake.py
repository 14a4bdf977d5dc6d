"""No statement gets out of the lake: into files, settings, catalogs or the network, with rules or without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lakebook.operators.runtime import Runtime
from lakebook.sources.card import SourceMap

STATEMENTS = (
    "attach 'a.db'", "detach memory", "copy orders to '{out}'", "copy (select 1) to '{out}'",
    "export database '{out}'", "import database '{out}'", "install httpfs", "force install httpfs",
    "load httpfs", "pragma database_list", "pragma table_info('orders')", "set threads = 4",
    "reset threads", "use memory", "create table q as select 1", "create view q as select 1",
    "create macro f() as 1", "create secret (type s3)", "create temp table q as select 1",
    "create schema s", "create sequence s", "create type t as enum ('a')", "insert into orders values (1)",
    "update orders set id = 1", "delete from orders", "truncate orders",
    "merge into orders using orders o on true when matched then delete", "alter table orders rename to q",
    "drop view orders", "drop table if exists orders", "comment on table orders is 'x'", "checkpoint",
    "vacuum", "analyze", "begin", "commit", "rollback", "prepare p as select 1", "execute p",
    "deallocate p", "call duckdb_settings()", "explain select 1", "explain analyze select 1",
    "update extensions", "select 1; drop view orders", "pivot orders on region using sum(id)", "",
)  # fmt: skip
READERS = (
    "read_csv('{in}')", "read_csv_auto('{in}')", "sniff_csv('{in}')", "read_json('{in}')",
    "read_json_auto('{in}')", "read_json_objects('{in}')", "read_json_objects_auto('{in}')",
    "read_ndjson('{in}')", "read_ndjson_auto('{in}')", "read_ndjson_objects('{in}')",
    "read_parquet('{in}')", "parquet_scan('{in}')", "parquet_metadata('{in}')", "parquet_schema('{in}')",
    "parquet_file_metadata('{in}')", "parquet_kv_metadata('{in}')", "parquet_full_metadata('{in}')",
    "parquet_page_index('{in}')", "parquet_bloom_probe('{in}', 'a', 1)", "read_text('{in}')",
    "read_blob('{in}')", "read_duckdb('{in}')", "read_single_csv_file('{in}')",
    "read_single_json_file('{in}')", "read_single_parquet_file('{in}')", "glob('{in}')",
    "query('select 1')", "query_table('orders')",
    "json_execute_serialized_sql(json_serialize_sql('select 1'))", "duckdb_settings()", "duckdb_views()",
    "duckdb_secrets()", "duckdb_logs()", "duckdb_extensions()", "duckdb_databases()",
    "duckdb_external_file_cache()", "duckdb_temporary_files()", "duckdb_functions()",
    "pragma_table_info('orders')", "pragma_version()", "which_secret('s3://a', 's3')", "seq_scan('orders')",
    "arrow_scan(1, 2, 3)", "pandas_scan(1)", "python_map_function()", "system.main.read_text('{in}')",
    "sqlite_scan('{in}', 't')", "postgres_scan('x', 'y', 'z')", "st_read('{in}')", "iceberg_scan('{in}')",
    "'{in}'", '"{in}"', "'https://example.com/a.parquet'", "'s3://bucket/*.parquet'", "'{own}'",
    "information_schema.tables", "pg_catalog.pg_tables", "sqlite_master", "duckdb_tables", "duckdb_views",
    "system.information_schema.views", "pg_class",
)  # fmt: skip
PLACES = (
    "select * from {source}",
    "select (select count(*) from {source})",
    "with w as (select * from {source}) select * from w",
    "select 1 where exists (from {source})",
    "select 1 union all select 2 from {source}",
    "select * from orders, lateral (select * from {source}) t",
)
INNER = ("current_setting('allowed_paths')", "write_log('x')", "nextval('s')", "current_query()")


@pytest.fixture(scope="module")
def lakes(folder: Path, source_map: SourceMap) -> Iterator[tuple[Runtime, Runtime]]:
    files = lambda card, unit: folder / f"{unit.table}.parquet"  # noqa: E731
    with Runtime(source_map, files) as ruled, Runtime(source_map, files, validation=False) as bare:
        yield ruled, bare


@pytest.fixture
def refused(lakes: tuple[Runtime, Runtime], folder: Path, tmp_path: Path) -> Iterator[object]:
    """Run a statement with rules and without: both reject it, and nothing is written."""
    secret, out = tmp_path / "secret.csv", tmp_path / "out"
    secret.write_text("a,b\n1,canary\n")

    def run(sql: str) -> None:
        for name, path in (("{in}", secret), ("{out}", out), ("{own}", folder / "orders.parquet")):
            sql = sql.replace(name, str(path))
        for runtime in lakes:
            record = runtime.query(sql).record
            assert (record.verdict, record.result) == ("reject", None), (sql, record)
            assert {finding.rule for finding in record.findings} & {"Q1", "Q2", "Q3"}
            assert not any("canary" in finding.message + finding.observed for finding in record.findings)

    yield run
    assert sorted(path.name for path in tmp_path.iterdir()) == ["secret.csv"]
    for runtime in lakes:
        assert runtime.query("select count(*) from orders").rows == ((40,),)


@pytest.mark.parametrize("sql", STATEMENTS)
def test_what_is_no_select_is_refused(refused: object, sql: str) -> None:
    refused(sql)  # type: ignore[operator]


@pytest.mark.parametrize("source", READERS)
def test_what_reads_past_the_lake_is_refused(refused: object, source: str) -> None:
    refused(PLACES[0].replace("{source}", source))  # type: ignore[operator]


@pytest.mark.parametrize("place", PLACES[1:])
def test_wherever_it_stands(refused: object, place: str) -> None:
    for source in ("read_text('{in}')", "'{in}'", "duckdb_settings()", "information_schema.tables"):
        refused(place.replace("{source}", source))  # type: ignore[operator]


@pytest.mark.parametrize("call", INNER)
def test_what_reaches_the_engine_is_refused(refused: object, call: str) -> None:
    refused(f"select {call}")  # type: ignore[operator]


@pytest.mark.parametrize(
    "sql",
    [
        "select * from range(3) r(i)",
        "from generate_series(1, 3)",
        "select unnest([1, 2])",
        "select * from unnest([1, 2]) u(x)",
        "select * from json_each('[1, 2]')",
        "with \"a.csv\" as (select 1 as x) select x from \"a.csv\"",
        "with recursive c as (select 1 as i union all select i + 1 from c where i < 3) select * from c",
        "from orders select count(*)",
        "select o.id from main.orders o order by o.id limit 1",
        "values (1), (2)",
        "table customers",
        "select list_transform([1], lambda x: x + 1)",
        "select * from (values (1)) v(pg_x)",
    ],
)  # fmt: skip
def test_plain_statements_pass(lakes: tuple[Runtime, Runtime], sql: str) -> None:
    for runtime in lakes:
        record = runtime.query(sql).record
        assert not {finding.rule for finding in record.findings} & {"Q1", "Q2", "Q3"}
        assert record.error == ""
        assert record.result is not None


@pytest.mark.parametrize(
    "sql",
    [
        "select count(*) from range(100000000000) a where a.range % 7 = 3",
        "with recursive c as (select 1 as i union all select (i + 1) % 1000 from c) select count(*) from c",
        "select * from range(100000000000) order by range desc",
    ],
)
def test_an_endless_query_is_stopped(lakes: tuple[Runtime, Runtime], sql: str) -> None:
    record = lakes[1].query(sql, seconds=0.3).record
    assert "ended after 0.3 seconds" in record.error or "memory" in record.error.lower()
    assert record.result is None
    assert lakes[1].query("select count(*) from orders").rows == ((40,),)
