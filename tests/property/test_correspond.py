"""What holds for any names: one to one, within the cut, deterministic, and identity for equal names."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from lakebook.analyst.table import Table, TableColumn
from lakebook.correspondence.evidence import OldColumn
from lakebook.correspondence.match import APPLIED
from lakebook.correspondence.names import NameComparer, word_likeness, words
from lakebook.retrieval.correspondence import correspond

NAMES = st.one_of(
    st.text(max_size=12),
    st.sampled_from(["date", "Date", "AveragePrice", "average_price", "region", "geography", "4046", "4225"]),
    st.sampled_from(["min_temp", "max_temp", "temp", "Sales", "type"]),
)


def table_of(names: list[str]) -> Table:
    columns = tuple(TableColumn(name, "number", "flow", 0, 9) for name in names)
    return Table("a.csv", "a.csv", "", "", 1, 1, columns, "")


@settings(max_examples=80, deadline=None)
@given(st.lists(NAMES, max_size=6), st.lists(NAMES, max_size=6, unique=True))
def test_one_to_one_within_the_cut_and_the_same_again(old: list[str], new: list[str]) -> None:
    columns = [OldColumn(name) for name in old]
    found = correspond(columns, table_of(new))
    assert found == correspond(columns, table_of(new))
    assert len({pair.old for pair in found}) == len({pair.new for pair in found}) == len(found)
    assert all(pair.old in old and pair.new in new for pair in found)
    assert all(APPLIED <= pair.probability <= 1 and pair.reason for pair in found)


@settings(max_examples=60, deadline=None)
@given(st.lists(NAMES, min_size=1, max_size=6, unique=True))
def test_equal_names_are_never_crossed(names: list[str]) -> None:
    found = correspond([OldColumn(name) for name in names], table_of(names))
    assert all(pair.old == pair.new for pair in found)


@settings(max_examples=100, deadline=None)
@given(NAMES, NAMES)
def test_likeness_is_bounded_and_only_equal_names_are_the_same(a: str, b: str) -> None:
    likeness = NameComparer([a], [b]).compare(a, b)
    assert 0 <= likeness.score <= 1
    assert (likeness.score == 1.0) == (a == b)


@settings(max_examples=100, deadline=None)
@given(NAMES, NAMES)
def test_word_likeness_is_symmetric(a: str, b: str) -> None:
    for left in words(a):
        for right in words(b):
            assert word_likeness(left, right) == word_likeness(right, left)
            assert 0 <= word_likeness(left, right) <= 1
