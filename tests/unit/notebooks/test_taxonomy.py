import pytest

from lakebook.notebooks import taxonomy
from lakebook.notebooks.slicing.slicer import analyze
from lakebook.notebooks.taxonomy import Names, chart_types, is_known_module, may_draw, mutators, names


def test_words_are_exact_and_prefixes_are_not() -> None:
    found = Names(["plot", "numpy.random.", "set_"])

    assert "plot" in found
    assert "plots" not in found
    assert "numpy.random.rand" in found
    assert "set_title" in found
    assert 3 not in found


@pytest.mark.parametrize(
    ("kind", "name", "changes"),
    [
        ("list", "append", True),
        ("list", "count", False),
        ("frame", "insert", True),
        ("frame", "append", False),
        ("dict", "update", True),
        ("", "append", True),
        ("no such kind", "append", True),
        ("set", "append", False),
    ],
)
def test_mutators_depend_on_the_kind(kind: str, name: str, changes: bool) -> None:
    assert (name in mutators(kind)) is changes


def test_no_method_is_both_pure_and_a_mutator_of_a_frame() -> None:
    assert not mutators("frame") & names("methods", "pure").exact


def test_chart_calls_have_one_type_each() -> None:
    listed = [call for calls in taxonomy._tables()["charts"].values() for call in calls.split()]

    assert len(listed) == len(set(listed))
    assert chart_types()["barh"] == "bar"
    assert chart_types()["sunburst"] == "pie"


@pytest.mark.parametrize(
    ("module", "known"),
    [("pandas", True), ("os.path", True), ("sklearn.tree", True), ("my_helpers", False), (".helpers", False)],
)
def test_known_modules(module: str, known: bool) -> None:
    assert is_known_module(module) is known


def _calls_that_draw() -> list[str]:
    paths = {
        path for key in ("draws_current_figure", "draws_own_figure") for path in names("functions", key).exact
    }
    paths |= {f"{module}.bar" for module in names("modules", "pyplot").exact} | {"seaborn.barplot"}
    codes = []
    for path in sorted(paths):
        whole = path + "chart" if path.endswith((".", "_")) else path
        module, _, function = whole.rpartition(".")
        codes.append(f"import {module} as m\nm.{function}(1)")
        codes.append(f"from {module} import {function} as f\nf(1)")
    codes += [f"x.{name}()" for name in sorted(names("methods", "plot_calls").exact)]
    return [*codes, "from pylab import *\nbar([1])", "def f(x): x.get(ax=x)\nf([1])"]


@pytest.mark.parametrize("code", _calls_that_draw())
def test_no_code_that_draws_is_passed_over(code: str) -> None:
    draws = any(statement.draws for statement in analyze([(0, code)]).statements)

    assert draws
    assert may_draw(code)


@pytest.mark.parametrize(
    "code",
    ["import pandas as pd\ndf = pd.read_csv('a.csv')\ndf.shape", "history = max_plots + axis", "plotted = 1"],
)
def test_code_without_anything_that_draws_needs_no_slices(code: str) -> None:
    assert not may_draw(code)
