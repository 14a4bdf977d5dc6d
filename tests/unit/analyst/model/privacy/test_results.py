"""Records of every operator over a small lake of canaries: none gets through below `full`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from lakebook.analyst.model.privacy import record_text, schema_names, schema_text, table_name
from lakebook.analyst.model.privacy.results import engine_type, left, names_of
from lakebook.operators.record import DataInput, ExecutionRecord
from lakebook.operators.runtime import Runtime
from lakebook.sources.card import Column, SourceCard, SourceMap, SourceUnit, ValueCount
from lakebook.validation.knowledge import KnownTable

VALUES = ("CANARYnorth", "CANARYsouth", "CANARY, east")
TABLES = (
    "create table sales as select case i % 3 when 0 then 'CANARYnorth' when 1 then 'CANARYsouth' else "
    "'CANARY, east' end as region, 77123.25 + i as amount, date '2077-01-01' + i::int as day, i as rows "
    "from range(12) t(i)",
    "create table regions as select distinct region as name, 'CANARYboss' as kind from sales",
)
NAMES = ("sales", "regions", "region", "amount", "day", "rows", "name", "kind")
QUERIES = (
    "select * from sales",
    "select region, max(amount) as most, min(day) as first from sales group by region",
    "select * from sales where region = 'CANARYnorht'",
    "select * from sales where region = 'canarynorth'",
    "select cast(region as integer) from sales",
    "select amount / 0 as x, 77123.25 as y from sales where region = 'CANARYnorth'",
    "select * from sales s join regions r on s.region = r.name",
    "select region, amount from sales order by amount limit 1",
    "select strptime(region, '%Y') from sales",
    "select nothing from sales",
    "select region from nowhere",
    "selec 'CANARYnorth'",
)


def card(name: str, columns: tuple[Column, ...], rows: int) -> SourceCard:
    unit = SourceUnit("", "table", name, rows=rows, columns=columns)
    return SourceCard(f"{name}.csv", "ok", "csv", 1, name.ljust(64, "0"), units=(unit,))


@pytest.fixture
def runtime(tmp_path: Path) -> Any:
    with duckdb.connect() as connection:
        for statement in TABLES:
            connection.execute(statement)
        for name in ("sales", "regions"):
            connection.table(name).write_parquet(str(tmp_path / f"{name}.parquet"))
    region = Column(
        "region", "region", "text", "category", 0, 3, values=tuple(ValueCount(v, 4) for v in VALUES)
    )
    columns = {
        "sales": (
            region,
            Column("amount", "amount", "number", "measure", 0, 12, min="77123.25", max="77134.25"),
            Column("day", "day", "date", "time", 0, 12, min="2077-01-01", max="2077-01-12"),
            Column("rows", "rows", "integer", "measure", 0, 12),
        ),
        "regions": (
            Column("name", "name", "text", "category", 0, 3),
            Column("kind", "kind", "text", "category", 0, 1),
        ),
    }
    cards = tuple(card(name, columns[name], 12 if name == "sales" else 3) for name in columns)
    with Runtime(SourceMap(cards), lambda card, unit: tmp_path / f"{unit.table}.parquet") as opened:
        yield opened


def leaks(text: str) -> list[str]:
    return [mark for mark in ("CANARY", "canary", "7712", "7713", "2077", "north", "boss") if mark in text]


@pytest.mark.parametrize("privacy", ["samples", "schema"])
def test_no_value_of_a_record_gets_through(runtime: Runtime, privacy: Any) -> None:
    for sql in QUERIES:
        runtime.query(sql, output="")
    for kind in ("distinct", "range", "nulls", "key", "pattern"):
        runtime.probe("sales", "region", kind)
    runtime.load("sales")
    runtime.query("select region, kind from regions, sales", confirm_cross=True, output="made")
    runtime.probe("made", "kind")
    texts = [record_text(record, privacy, names=NAMES) for record in runtime.records]
    assert len(texts) == len(QUERIES) + 8
    for record, text in zip(runtime.records, texts, strict=True):
        assert not leaks(text), (record.arguments, text)
    assert "12 rows; columns region VARCHAR, amount DOUBLE" in texts[0].replace("DECIMAL", "DOUBLE")
    assert "F2" in "".join(texts)
    assert '"rows":12' in "".join(texts)


def test_under_full_they_do(runtime: Runtime) -> None:
    runtime.query(QUERIES[0])
    assert "CANARYnorth" in record_text(runtime.records[-1], "full")


def computed(**result: Any) -> ExecutionRecord:
    code = (
        "t = df[df['region'] == 'CANARYnorth']\nprint(t)\nm = t.groupby('region').agg(most=('amount', 'max'))"
    )
    given = {"facts": {}, "tables": {}, "artifacts": []} | result
    inputs = (DataInput("sales.csv", "0" * 64, ("region",)), DataInput("result p", "", ("CANARYpivoted",)))
    return ExecutionRecord("r1", "Compute", "", {"code": code}, inputs, output="m, top", result=given)


@pytest.mark.parametrize("privacy", ["samples", "schema"])
def test_what_code_made_of_values_is_hidden(privacy: Any) -> None:
    table = {
        "columns": ["region", "most", "CANARYpivoted"],
        "types": ["VARCHAR", "DOUBLE", "ENUM('CANARYnorth')"],
        "rows": [["CANARYnorth", 77123.25, True]],
        "row_count": 1,
    }
    text = record_text(
        computed(
            tables={"m": table},
            facts={"top": {"CANARYnorth": 77123.25, "region": "CANARYnorth", "rows": 3}},
            printed="CANARYnorth 77123",
        ),
        privacy,
    )
    assert not leaks(text), text
    assert "table m: 1 rows; columns region VARCHAR, most DOUBLE, … ENUM" in text
    assert "printed: 17 letters, not shown" in text
    assert '"rows":3' in text


def test_names_of_results_are_not_names_of_the_schema() -> None:
    assert "CANARYpivoted" not in names_of(computed())
    assert {"region", "most", "m", "top"} <= names_of(computed())
    assert "CANARYnorth" not in names_of(computed())


def test_a_column_that_is_called_as_a_key_of_ours_is_a_column() -> None:
    value: Any = {
        "evidence": [{"path": "a/country=CANARY/b.csv", "text_or_rows": [{"kind": "CANARY", "rows": "7"}]}]
    }
    assert not leaks(str(left(value, "schema", {"kind", "rows"})))
    assert left({"facts": {"rows": 77123}}, "schema", {"rows"}) == {"facts": {"rows": "…"}}
    assert left({"rows": 12, "columns": {"rows": "integer"}}, "schema", {"rows"}) == {
        "rows": 12,
        "columns": {"rows": "integer"},
    }
    assert left({"type": "text", "role": "CANARY"}, "schema", ()) == {"type": "text", "role": "…"}
    assert left({"path": "a/country=Peru/b.csv"}, "samples", ()) == {"path": "a/country=Xxxx/b.csv"}
    assert engine_type("STRUCT(CANARY INTEGER)") == "STRUCT"


def test_a_table_named_after_a_folder_of_a_partition_does_not_tell_it() -> None:
    path = "sales/country=CANARY Peru/part-0.csv"
    table = KnownTable("sales_country_canary_peru_part_0", (), 3, path, sha256="0")
    assert table_name(table, "schema") == "sales_country_…_part_0"
    assert table_name(table, "full") == table.name
    assert schema_names([table], "schema") == frozenset()
    assert not leaks(schema_text([table], "samples"))


def test_columns_of_a_result_table_are_hidden_unless_named(runtime: Runtime) -> None:
    runtime.query("select region as place, amount from sales", output="made")
    known = runtime.knowledge.table("made")
    assert known is not None
    bare = schema_text([known], "schema")
    assert "place" not in bare
    assert '"…"' in bare
    assert "place" in schema_text([known], "schema", names=("place",))
    assert "place" in schema_text([known], "full")
