"""Compute over tables of the lake: what the code sees, and what comes back of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lakebook.operators import crossing
from lakebook.operators.arguments import Answer, Compute, Probe, Query
from lakebook.operators.record import ExecutionRecord
from lakebook.operators.runtime import Runtime
from lakebook.operators.workbench import Workbench
from lakebook.sandbox.workspace import Workspace
from lakebook.sources.card import SourceMap
from lakebook.validation.contract import Artifact, Contract


@pytest.fixture
def bench(tmp_path: Path, session: Any) -> Workbench:
    """A workbench whose code runs in this process; only trusted test code does."""
    for name in ("tables", "work"):
        (tmp_path / name).mkdir()
    work = tmp_path / "work"
    return Workbench(
        session, tmp_path / "tables", str(tmp_path / "tables"), Workspace(work), tmp_path / "kept", str(work)
    )


@pytest.fixture
def over(folder: Path, source_map: SourceMap, bench: Workbench) -> Iterator[Runtime]:
    files = lambda card, unit: folder / f"{unit.table}.parquet"  # noqa: E731
    with Runtime(source_map, files, bench=lambda: bench) as made:
        yield made


@pytest.fixture
def compute(over: Runtime) -> Callable[..., ExecutionRecord]:
    return lambda code, **given: over.run(Compute(code=code, **given))


Computes = Callable[..., ExecutionRecord]


def test_inputs_are_frames_and_frames_become_tables(over: Runtime) -> None:
    computed, probed, query = over.run_batch(
        [
            Compute(
                code="totals = orders.groupby('customer')['amount'].sum()\nn = len(orders)",
                inputs=("orders",),
                outputs=("totals", "n"),
            ),
            Probe(table="totals", columns=("customer",), kind="key"),
            Query(sql="select t.amount, c.city from totals t join customers c using (customer) order by 1"),
        ]
    )
    assert isinstance(computed.result, dict)
    assert computed.result["facts"] == {"n": 40}
    assert computed.output == "totals, n"
    assert computed.inputs[0].columns == ("customer", "amount")
    assert isinstance(probed.result, dict)
    assert probed.result["unique"] is True
    assert isinstance(query.result, dict)
    assert query.result["rows"] == [[270.0, "Oslo"], [285.0, "Rome"], [300.0, "Lima"], [315.0, "Lima"]]


def test_types_are_those_of_the_engine(compute: Computes, over: Runtime) -> None:
    over.run(
        Query(
            sql="select case when id > 2 then id end as id, id > 3 as late, day, sum(quantity) over () as q, "
            "amount::decimal(9, 2) as amount, case when id > 2 then id > 3 end as maybe, region from orders",
            output="typed",
        )
    )
    record = compute(
        "kinds = {n: str(t) for n, t in typed.dtypes.items()}", inputs=["typed"], outputs=["kinds"]
    )
    assert isinstance(record.result, dict)
    assert record.result["facts"] == {
        "kinds": {
            "id": "Int64", "late": "bool", "day": "datetime64[ms]", "q": "int64", "amount": "float64",
            "maybe": "boolean", "region": "str",
        }
    }  # fmt: skip


def test_indexes_and_labels_become_columns(compute: Computes, over: Runtime) -> None:
    code = (
        "import pandas as pd\n"
        "table = orders.pivot_table(index='customer', columns='quantity', values='amount')\n"
        "told = orders['amount'].describe()\n"
        "few = orders[orders['id'] > 37]\n"
        "two = orders.groupby(['customer', 'quantity']).agg({'amount': ['sum', 'mean']})\n"
        "cuts = pd.cut(orders['amount'], 2).value_counts()\n"
    )
    record = compute(code, inputs=["orders"], outputs=["table", "told", "few", "two", "cuts"])
    assert record.error == ""
    names = {name: [c.name for c in over.knowledge.tables[name].columns] for name in ("table", "told", "two")}
    assert names == {
        "table": ["customer", "0", "1", "2", "3", "4"],
        "told": ["index", "amount"],
        "two": ["customer", "quantity", "amount_sum", "amount_mean"],
    }
    assert over.query("select id from few order by id").rows == ((38,), (39,))
    assert over.query("select count from cuts").rows == ((20,), (20,))


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("x = 1", "defines no 'out', which it was to give"),
        ("out = missing", "NameError"),
        ("out = (", "SyntaxError"),
        ("out = orders.assign(AMOUNT=1)", "two columns are called 'AMOUNT'"),
        ("out = orders[['id']].assign(m=[1, 'a'] * 20)", "m"),
        ("out = orders; del orders\nraise ValueError('no')", "ValueError: no"),
    ],
)
def test_what_cannot_be_given_back_is_told(compute: Computes, code: str, error: str) -> None:
    record = compute(code, inputs=["orders"], outputs=["out"])
    assert error in record.error
    assert record.result is None


def test_undeclared_tables_are_not_there(compute: Computes) -> None:
    assert "NameError" in compute("n = len(orders)", outputs=["n"]).error
    assert "no table 'order'" in compute("n = 1", inputs=["order"]).error
    assert "already" in compute("orders = 1", outputs=["orders"]).error


def test_rules_see_the_frames(compute: Computes) -> None:
    record = compute("orders.dropna()\nn = len(orders)", inputs=["orders"], outputs=["n"])
    assert (record.verdict, record.error) == ("reject", "rejected before it ran")


def test_declared_files_are_kept_with_their_hash(
    compute: Computes, over: Runtime, bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bench.work)
    code = (
        "from pathlib import Path\nPath('out').mkdir(exist_ok=True)\n"
        "orders.to_csv('out/o.csv', index=False)\nPath('b').write_text('x')"
    )
    record = compute(code, inputs=["orders"], artifacts=["out/o.csv"])
    assert record.error == ""
    kept = over.artifacts["out/o.csv"]
    assert (kept.kind, kept.record) == ("csv", "r001")
    assert kept.file.read_text().startswith("id,customer,")
    assert isinstance(record.result, dict)
    assert [one["path"] for one in record.result["artifacts"]] == ["b", "out/o.csv"]  # type: ignore[union-attr,index,call-overload]
    again = compute(code, inputs=["orders"], artifacts=["out/o.csv"])
    assert (again.error, over.artifacts["out/o.csv"].record) == ("", "r002")
    assert "did not write out/o.csv" in compute("n = 1", artifacts=["out/o.csv"]).error
    assert "none.csv" in compute("n = 1", artifacts=["none.csv"]).error
    assert "is empty" in compute("from pathlib import Path; Path('e.csv').touch()", artifacts=["e.csv"]).error


def test_a_file_that_leads_elsewhere_is_not_taken(
    compute: Computes, over: Runtime, bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bench.work)
    record = compute("import os\nos.symlink('/etc/passwd', 'p.csv')", artifacts=["p.csv"])
    assert "p.csv cannot be taken: a link" in record.error
    assert "p.csv" not in over.artifacts


HOSTILE = {
    "link": "os.symlink('/etc/passwd', path)",
    "pipe": "os.mkfifo(path)",
    "text": "pathlib.Path(path).write_text('PAR1 no table PAR1')",
    "nothing": "pass",
    "folder": "os.mkdir(path)",
}


@pytest.mark.parametrize("kind", sorted(HOSTILE))
def test_a_table_that_is_none_is_refused(
    compute: Computes, over: Runtime, bench: Workbench, kind: str
) -> None:
    path = os.path.join(bench.work, ".lakebook-t.parquet")  # noqa: PTH118
    code = (
        f"import os, pathlib\npath = {path!r}\n"
        f"def lakebook_keep(name, space, path, facts):\n    {HOSTILE[kind]}\n    return True\nt = 1"
    )
    record = compute(code, outputs=["t"])
    assert "could not be taken" in record.error or "is no table" in record.error
    assert "root:" not in record.error
    assert over.knowledge.table("t") is None


def test_tables_that_are_too_long_or_of_which_one_is_wrong_leave_nothing(
    compute: Computes, over: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crossing, "MOST_ROWS", 30)
    code = "few = orders.head(5)\nmany = orders.copy()"
    record = compute(code, inputs=["orders"], outputs=["few", "many"])
    assert record.error == "many: the table has more than 30 rows. Aggregate it first."
    assert record.result is None
    again = compute(code, inputs=["orders"], outputs=["few"])
    assert again.error == ""
    assert over.query("select count(*) from few").rows == ((5,),)


def test_a_session_that_ended_begins_anew(compute: Computes, bench: Workbench) -> None:
    assert compute("n = len(orders)", inputs=["orders"], outputs=["n"]).error == ""
    bench.session.ended = "its memory"  # type: ignore[misc]
    assert compute("n = len(orders)", inputs=["orders"], outputs=["n"]).error == ""


def test_an_answer_is_held_against_its_files(
    over: Runtime, bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bench.work)
    wanted = Artifact("out/top.csv", ("customer", "amount"), ("-amount", "customer"), 3)
    over.state.judge = replace(over.state.judge, contract=Contract(artifacts=(wanted,)))
    code = (
        "from pathlib import Path\nPath('out').mkdir(exist_ok=True)\n"
        "top = orders.groupby('customer', as_index=False)['amount'].sum()\n"
        "top = top.sort_values('amount', ascending={}).head(3)\ntop.to_csv('out/top.csv', index=False)"
    )
    submit = Answer(text="See the file.", artifacts=("out/top.csv",))

    def delivered(ascending: bool) -> ExecutionRecord:
        compute = Compute(code=code.format(ascending), inputs=("orders",), artifacts=("out/top.csv",))
        return over.run_batch([compute, submit])[1]

    right = delivered(ascending=False)
    assert right.verdict == "pass"
    assert isinstance(right.result, dict)
    assert right.result["artifacts"] == {"out/top.csv": over.artifacts["out/top.csv"].sha256}
    wrong = delivered(ascending=True)
    assert [(finding.rule, finding.message) for finding in wrong.findings] == [
        ("O8", "out/top.csv is not sorted by -amount, customer.")
    ]
    (missing,) = over.run(Answer(text="Done.", artifacts=("none.csv",))).findings[1:]
    assert missing.message == "No computation wrote none.csv."


def test_numbers_of_an_answer_are_traced_to_records(over: Runtime) -> None:
    over.run(Query(sql="select i as n, i * 1.25 as x from range(1000) r(i)", output="many"))
    over.run(
        Compute(code="big = many.assign(y=many['x'] * 2)\nprint(17.5)", inputs=("many",), outputs=("big",))
    )
    right = over.run(
        Answer(value=1248.75, text="It is 1,248.75, or 2,497.5; printed 17.5.", references=("big",))
    )
    assert isinstance(right.result, dict)
    assert right.result["references"] == ["r002"]
    assert right.result["numbers"] == {
        "1,248.75": "r002",
        "2,497.5": "r002",
        "17.5": "r002",
        "1248.75": "r002",
    }
    wrong = over.run(Answer(value=1248.8125))
    assert (wrong.verdict, wrong.result) == ("reject", None)
