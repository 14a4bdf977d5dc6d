"""All eight operators over a mapped lake, with code in the real sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lakebook.errors import SandboxUnavailable
from lakebook.operators.arguments import Compute, read_batch
from lakebook.operators.kept_records import read_records, write_records
from lakebook.operators.opening import open_lake_runtime
from lakebook.operators.record import ExecutionRecord
from lakebook.operators.runtime import Runtime
from lakebook.sandbox.base import Limits
from lakebook.sandbox.choose import choose_sandbox
from lakebook.sources.curated import NOTHING
from lakebook.sources.map_lake import map_lake
from lakebook.sources.scan import scan
from lakebook.validation.contract import Artifact, Contract
from lakebook.validation.question import read_question

try:
    choose_sandbox()
    _TROUBLE = ""
except SandboxUnavailable as error:
    _TROUBLE = str(error)
pytestmark = [pytest.mark.sandbox, pytest.mark.skipif(bool(_TROUBLE), reason=_TROUBLE)]

SALES = "region,year,sales,returns\n" + "".join(
    f"{region},{year},{1000.25 * place + year},{'' if place == 1 else place}\n"
    for place, region in enumerate(("North", "South", "East"), start=1)
    for year in range(2015, 2019)
)
NOTES = "# Regions\n\nThe North was called Borealis until 2014.\n\n# Returns\n\nCounted in units of 12.\n"


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runtime]:
    place = tmp_path_factory.mktemp("operators")
    lake, state = place / "lake", place / "state"
    lake.mkdir()
    (lake / "sales.csv").write_text(SALES)
    (lake / "notes.md").write_text(NOTES)
    source_map = map_lake(lake, scan(lake), state, curated=NOTHING)
    contract = Contract(
        type="number", decimals=2, artifacts=(Artifact("top.csv", ("region", "sales"), ("-sales",), 3),)
    )
    with open_lake_runtime(
        source_map,
        state,
        place / "question",
        root=lake,
        sandbox=choose_sandbox,
        limits=Limits(cell_seconds=20, memory_mb=600),
        question=read_question("What are the total sales of the North?"),
        contract=contract,
    ) as opened:
        yield opened


def run(runtime: Runtime, *operations: dict[str, Any]) -> tuple[ExecutionRecord, ...]:
    return runtime.run_batch(read_batch(list(operations)))


def test_a_question_is_answered_by_all_eight(runtime: Runtime, tmp_path: Path) -> None:
    records = run(
        runtime,
        {"operator": "Search", "query": "sales of the North region"},
        {"operator": "Read", "path": "notes.md", "pattern": "borealis"},
        {"operator": "Read", "path": "sales.csv", "span": [1, 2]},
        {"operator": "Load", "path": "sales.csv"},
        {"operator": "Inspect", "table": "sales", "kind": "head", "rows": 2},
        {"operator": "Probe", "table": "sales", "columns": "region"},
        {"operator": "Query", "sql": "select * from sales where region = 'North'", "output": "north"},
        {
            "operator": "Compute",
            "code": "import matplotlib.pyplot as plt\n"
            "total = round(float(north['sales'].sum()), 2)\n"
            "top = sales.groupby('region', as_index=False)['sales'].sum()\n"
            "top = top.sort_values('sales', ascending=False)\n"
            "top.to_csv('top.csv', index=False)\n"
            "top.plot.bar(x='region', y='sales')\nplt.savefig('top.png')\nprint('sum', total)\n"
            "kinds = {name: str(kind) for name, kind in sales.dtypes.items()}",
            "inputs": ["north", "sales"],
            "outputs": ["total", "top", "kinds"],
            "artifacts": ["top.csv", "top.png"],
        },
        {"operator": "Query", "sql": "select region from top order by sales desc limit 1"},
        {
            "operator": "Answer",
            "value": 12067.0,
            "text": "The North sold 12,067.00 in 4 years.",
            "references": ["total"],
            "artifacts": ["top.csv", "top.png"],
        },
    )
    assert [record.error for record in records] == [""] * 10
    assert [record.verdict for record in records if record.verdict == "reject"] == []
    search, passage, lines, *_, computed, best, answer = (record.result for record in records)
    assert isinstance(search, dict)
    assert search["groups"][0]["tables"] == ["sales"]  # type: ignore[index,call-overload]
    assert isinstance(passage, dict)
    assert "Borealis until 2014" in str(passage["passages"])
    assert "12" not in str(passage["passages"])
    assert isinstance(lines, dict)
    assert lines["lines"] == [
        {"line": 1, "text": "region,year,sales,returns"},
        {"line": 2, "text": "North,2015,3015.25,"},
    ]
    assert isinstance(computed, dict)
    assert computed["facts"] == {
        "total": 12067.0,
        "kinds": {"region": "str", "year": "int64", "sales": "float64", "returns": "Int64"},
    }
    assert computed["printed"] == "sum 12067.0"
    assert runtime.artifacts["top.png"].kind == "png image"
    assert isinstance(best, dict)
    assert best["rows"] == [["East"]]
    assert isinstance(answer, dict)
    assert answer["references"] == ["r008"]
    assert runtime.scope == {"sales.csv": "r001", "notes.md": "r001"}
    write_records(tmp_path, runtime.records)
    assert read_records(tmp_path) == tuple(runtime.records)


def test_files_of_earlier_code_are_there_for_later_code(runtime: Runtime) -> None:
    written = runtime.run(Compute(code="open('n.txt', 'w').write('5')", artifacts=("n.txt",)))
    assert written.error == ""
    again = runtime.run(Compute(code="n = int(open('n.txt').read())", outputs=("n",)))
    assert isinstance(again.result, dict)
    assert again.result["facts"] == {"n": 5}


def test_code_cannot_spoil_what_later_code_sees(runtime: Runtime) -> None:
    spoil = "sales['sales'] = 0\ndel sales\nopen('/inputs/tables/sales.parquet', 'w')"
    first = runtime.run(Compute(code=spoil, inputs=("sales",)))
    assert "Read-only file system" in first.error or "Permission denied" in first.error
    after = runtime.run(Compute(code="n = float(sales['sales'].max())", inputs=("sales",), outputs=("n",)))
    assert isinstance(after.result, dict)
    assert after.result["facts"] == {"n": 5018.75}


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("while True: pass", "timed out"),
        ("import socket; socket.create_connection(('1.1.1.1', 80), 1)", "Error"),
        ("big = bytearray(10 ** 11)", "MemoryError"),
    ],
)
def test_what_code_does_to_itself_stands_in_its_record(runtime: Runtime, code: str, told: str) -> None:
    record = runtime.run(Compute(code=code, inputs=("sales",)), seconds=3)
    assert told in record.error
    again = runtime.run(Compute(code="n = len(sales)", inputs=("sales",), outputs=("n",)))
    assert isinstance(again.result, dict)
    assert again.result["facts"] == {"n": 12}


def test_a_bomb_of_a_table_is_refused(runtime: Runtime) -> None:
    """A file of some kilobytes that would be a table of many gigabytes."""
    code = (
        "import pyarrow as pa, pyarrow.parquet as pq\n"
        "def lakebook_keep(name, space, path, facts):\n"
        "    rows = pa.array([0] * 1_000_000, pa.int32())\n"
        "    cells = pa.DictionaryArray.from_arrays(rows, pa.array(['x' * 100_000]))\n"
        "    pq.write_table(pa.table({'bomb': cells}), path, compression='zstd')\n"
        "    return True\n"
    )
    record = runtime.run(Compute(code=code, outputs=("bomb",)))
    assert "bomb: what came back is no table" in record.error
    assert "memory" in record.error.lower()
    assert runtime.knowledge.table("bomb") is None
    assert runtime.query("select count(*) from sales").rows == ((12,),)
