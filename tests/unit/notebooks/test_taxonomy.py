import pytest

from lakebook.notebooks import taxonomy
from lakebook.notebooks.taxonomy import Names, chart_types, is_known_module, mutators, names


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
