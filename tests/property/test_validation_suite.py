"""A slice of the benchmark of rules: planted lakes, right queries and mutants, judged by plain DuckDB."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from lakebook.validation.registry import rules

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def suite() -> Iterator[SimpleNamespace]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        from rules_suite import cases, kinds, oracle, suite  # type: ignore[import-not-found]

        yield SimpleNamespace(cases=cases, kinds=kinds, oracle=oracle, suite=suite)
    for name in [name for name in sys.modules if name.partition(".")[0] == "rules_suite"]:
        del sys.modules[name]


def test_no_right_query_is_rejected_and_wrong_ones_are_caught(suite: SimpleNamespace, tmp_path: Path) -> None:
    scores = suite.suite.score("open", seed=3, count=1, folder=tmp_path, share=0.25)
    right = scores.right
    assert right.not_right == Counter()
    assert right.queries > 20
    assert right.rejected == right.failed == 0, right.alarms
    assert right.advised <= 0.03 * right.queries + 1, right.alarms
    counted = {name: kind for name, kind in scores.kinds.items() if kind.wrong}
    counted = {name: kind for name, kind in counted.items() if name not in suite.kinds.NEEDS_THE_QUESTION}
    assert len(counted) > 25
    missed = {name: kind.missed for name, kind in counted.items() if not kind.caught}
    assert len(missed) <= 0.1 * len(counted), missed
    wrong = sum(kind.wrong for kind in counted.values())
    assert sum(kind.caught for kind in counted.values()) >= 0.9 * wrong, missed


def test_the_oracle_tells_wrong_from_harmless(suite: SimpleNamespace, tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect() as connection:
        rows = connection.sql("SELECT i AS id, i % 3 AS kind, i * 0.5 AS x FROM range(30) r(i)")
        rows.write_parquet(str(tmp_path / "t.parquet"))
    with suite.oracle.Oracle({"t": tmp_path / "t.parquet"}) as oracle:
        total = "SELECT SUM(x) AS total FROM t"
        assert oracle.stands(total) == ""
        assert oracle.stands("SELECT x FROM t WHERE id > 99") == "an empty result"
        assert oracle.stands("SELECT id FROM t LIMIT 3") == "the result depends on the order of rows"
        assert oracle.judge(total, "SELECT SUM(x) AS total FROM t WHERE id >= 0") == "same"
        assert oracle.judge(total, "SELECT SUM(x) AS total FROM t WHERE kind = 1") == "other result"
        assert oracle.judge(total, "SELECT SUM(y) AS total FROM t") == "fails"
        last = "SELECT id FROM t ORDER BY id DESC LIMIT 1"
        assert oracle.judge(last, "SELECT last(id) FROM t") == "depends on the order of rows"


def test_every_rule_has_cases_of_both_kinds(suite: SimpleNamespace) -> None:
    written: dict[str, list[int]] = {}
    for one in suite.cases.load():
        counts = written.setdefault(one.id, [0, 0])
        counts[0] += len(one.wrong)
        counts[1] += len(one.right)
    lacking = [
        rule.id
        for rule in rules()
        if rule.operator in suite.cases.OPERATORS and min(written.get(rule.id, [0])) < 5
    ]
    assert lacking == []
