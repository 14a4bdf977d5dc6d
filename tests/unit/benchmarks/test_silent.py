"""The parts of the benchmark of silent errors: mutants, trajectories, scores."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from benchmarks.silent.mutants import MUTATIONS, mutants
from benchmarks.silent.scores import Rate, more, stands
from benchmarks.silent.trajectories import LABELS, as_one, evaluation_folder, read_cases
from lakebook.operators.record import Finding

GOLD = """
import pandas as pd
df = pd.read_csv('a.csv')
df = df.dropna()
big = df[df['kind'] == 'Big']
joined = big.merge(df, on='key', how='left')
df.loc[df['amount'] > 3, 'flag'] = 1
share = joined['amount'].sum() / df['weight'].mean() * 100
print(df.sort_values('amount').head(3), share)
"""


def test_every_class_has_a_mutant_that_differs_and_parses() -> None:
    made = list(mutants(GOLD, seed=1))
    assert {mutation.kind for mutation, _ in made} == {mutation.kind for mutation in MUTATIONS}
    plain = ast.unparse(ast.parse(GOLD))
    assert all(ast.unparse(ast.parse(code)) != plain for _, code in made)
    assert made == list(mutants(GOLD, seed=1))


def test_cells_run_at_once_are_paired_with_their_outputs(tmp_path: Path) -> None:
    response = (
        "```python\na = 1\n```\n```python\nb = a +\n```\n```python\nc\n```\n"
        "Time consumed: 0s\nCode output:\nExit Code: 0\nOutput: \nCode output:\nExit Code: 1\nOutput: \n"
        "Code output:\nExit Code: 0\nOutput: \n```python\nnever = 1\n```\n"
    )
    folder = tmp_path / "evaluation"
    results = folder / "experimental_results/InfiAgent-Bench"
    (results / "reformat").mkdir(parents=True)
    (folder / LABELS).parent.mkdir(parents=True)
    (folder / LABELS).write_text(json.dumps({"id": 1, "common_answers": [["x", "1.50"]]}))
    case = {"id": 1, "input_text": "q", "format": "", "file_path": "d/t.csv", "response": response}
    name = "results_datawise-m-temperature-0.jsonl"
    (results / name).write_text(json.dumps(case))
    for answer, kind in (("@x[1.5]", ""), ("@x[1.504]", "format or rounding only"), ("@y[2]", "no answer")):
        (results / "reformat" / name).write_text(json.dumps({**case, "response": answer}))
        (read,) = read_cases(folder)
        assert (read.right, read.kind) == (kind == "", kind)
    assert evaluation_folder(tmp_path) == folder
    assert read.code == "a = 1\ndisplay(c)"
    assert read.failed


def test_a_cell_that_failed_stands_under_a_condition() -> None:
    assert as_one([("x = 1", "1"), ("!ls\nx", "0")]) == "if failed:\n    x = 1\ndisplay(x)"


@pytest.mark.parametrize(("line", "expected"), [(1, False), (2, True), (3, True)])
def test_a_step_done_again_does_not_stand(line: int, expected: bool) -> None:
    finding = Finding("X", "advise", "m", observed=f"line {line} of the code")
    assert stands(finding, "a = f(x)\nb = g(a)\na = h(x)") is expected


def test_rates_have_wilson_intervals() -> None:
    assert str(Rate(0, 10)) == "0/10 = 0.0% [0.0%, 27.8%]"
    assert str(Rate(5, 10)) == "5/10 = 50.0% [23.7%, 76.3%]"
    assert more(["a"], ["a", "a"])
    assert not more(["a", "b"], ["b", "a"])
