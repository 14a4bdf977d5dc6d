"""The oracle of components tells figures apart, finds the smallest code, keeps parts of a corpus apart."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from lakebook.notebooks.read import read_notebook

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
FRAME = "import pandas as pd\ndf = pd.DataFrame({'a': [1, 2], 'b': [3, 4]})"


@pytest.fixture
def oracle(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from oracle import corpus, judge, minimum, report, runs  # type: ignore[import-not-found]

    yield SimpleNamespace(corpus=corpus, judge=judge, minimum=minimum, report=report, runs=runs)
    for name in [name for name in sys.modules if name.partition(".")[0] == "oracle"]:
        del sys.modules[name]


class Executed:
    """Stands for runs in the sandbox: what `show` is given are the figures of a cell."""

    def __init__(self, runs: ModuleType) -> None:
        self._run = runs.Run

    def run(self, steps: Sequence[tuple[int, str]], *, tolerant: bool = False, **_: Any) -> Any:
        shown: list[list[str]] = []
        names = {"show": lambda value: shown.append(["matplotlib", repr(value), repr(value)])}
        figures: dict[str, list[list[str]]] = {}
        failed: list[int] = []
        error = ""
        for position, (cell, code) in enumerate(steps):
            try:
                exec(code, names)
            except Exception as problem:  # noqa: BLE001 - as the driver does
                failed.append(position)
                error = repr(problem)
                if not tolerant:
                    break
            figures.setdefault(str(cell), []).extend(shown)
            shown.clear()
        return self._run(figures, failed, error)


def judged(oracle: SimpleNamespace, folder: Path, *cells: str) -> tuple[Any, list[Any]]:
    path = folder / "a.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell(cell) for cell in cells]), path)
    runs = Executed(oracle.runs)
    program = oracle.judge.find_truth(read_notebook(path, folder), runs)
    return program, oracle.judge.judge(program, list(program.targets), runs, rivals=1)


def test_a_way_of_slicing_that_loses_a_change_is_found_wrong(oracle: SimpleNamespace, tmp_path: Path) -> None:
    _, verdicts = judged(oracle, tmp_path, FRAME, "df.insert(0, 'c', 5)\nn = 1", "show(df.shape)")

    right = {verdict.way: verdict.data for verdict in verdicts}
    assert right == {"lakebook": True, "names only": False, "every call mutates": True}
    assert {verdict.before for verdict in verdicts} == {4}


def test_what_fails_today_is_taken_out_and_its_cell_is_no_target(
    oracle: SimpleNamespace, tmp_path: Path
) -> None:
    program, verdicts = judged(oracle, tmp_path, FRAME + "\nmissing()", "show(1)\nmissing()", "show(len(df))")

    assert list(program.targets) == [2]
    assert "missing" not in dict(program.cells())[0]
    assert all(verdict.data for verdict in verdicts)


def test_a_figure_that_differs_from_run_to_run_is_no_target(oracle: SimpleNamespace, tmp_path: Path) -> None:
    program, _ = judged(oracle, tmp_path, "import time", "show(time.perf_counter_ns())", "show(1)")

    assert list(program.targets) == [2]
    assert program.unstable == (1,)


@pytest.mark.parametrize(
    ("upstream", "smallest", "removed"),
    [
        ("a = 1\nb = 2\nc = a\n", 2, ["b = 2"]),
        ("a = 1\nfor i in range(3):\n    b = i\n    c = a + i\n", 3, ["b = i"]),
        ("c = 1\nif c:\n    pass\n", 1, ["if c:\n    pass"]),
        ("def f():\n    x = 1\n    return 7\nc = f()\n", 3, ["x = 1"]),
        ("try:\n    c = 1\nexcept ValueError:\n    c = 2\n", 1, ["c = 2"]),
    ],
)
def test_the_smallest_code_is_found(
    oracle: SimpleNamespace, tmp_path: Path, upstream: str, smallest: int, removed: list[str]
) -> None:
    program, _ = judged(oracle, tmp_path, upstream, "show(c)")

    found = oracle.minimum.minimize(program, 1, upstream, Executed(oracle.runs))

    assert found.minimum in (smallest, smallest + 1)  # a try around the one statement may stay
    assert removed[0] in found.removed
    assert found.complete


def test_code_that_draws_something_else_is_not_minimized(oracle: SimpleNamespace, tmp_path: Path) -> None:
    program, _ = judged(oracle, tmp_path, "c = 1", "show(c)")

    assert oracle.minimum.minimize(program, 1, "c = 2", Executed(oracle.runs)) is None


def test_the_interval_is_wilsons(oracle: SimpleNamespace) -> None:
    low, high = oracle.report.wilson(67, 67)

    assert (round(low, 3), round(high, 3)) == (0.946, 1.0)


def test_a_dataset_is_in_one_part_whatever_the_repository(oracle: SimpleNamespace, tmp_path: Path) -> None:
    code = "import matplotlib.pyplot as plt, pandas as pd\npd.read_csv({!r}).plot()\n# {}"
    for repository, path in (
        ("one", "../input/sales.csv"),
        ("two", "C:\\\\data\\\\Sales.csv"),
        ("two", "x.csv"),
    ):
        folder = tmp_path / repository
        folder.mkdir(exist_ok=True)
        (folder / "sales.csv").write_text("a\n1\n")
        name = f"{len(list(folder.iterdir()))}.ipynb"
        nbformat.write(new_notebook(cells=[new_code_cell(code.format(path, name))]), folder / name)

    sources = oracle.corpus.find_sources(tmp_path, [], per_dataset=5)

    assert [source.dataset for source in sources] == ["sales", "sales", "x"]
    assert sources[0].part == sources[1].part
    assert [bool(source.why_not) for source in sources] == [False, False, True]
