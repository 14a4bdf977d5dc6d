"""What holds for any names and values: one to one, within the cut, deterministic, equal to itself."""

from __future__ import annotations

from datetime import datetime

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from lakebook.analyst.table import Table, TableColumn
from lakebook.correspondence.evidence import OldColumn
from lakebook.correspondence.match import APPLIED, match
from lakebook.correspondence.names import (
    NameComparer,
    letters,
    spelling,
    word_likeness,
    word_likenesses,
    words,
)
from lakebook.correspondence.profile import ColumnProfile, profiles_of_table
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


def edits_letter_by_letter(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (left != right))
    return row[-1]


@settings(max_examples=200, deadline=None)
@given(st.text("abcé", max_size=90), st.text("abcé", max_size=90))
def test_spelling_is_the_edit_distance(a: str, b: str) -> None:
    expected = 1 - edits_letter_by_letter(a, b) / max(len(a), len(b)) if a and b else 0.0
    assert spelling(a, b) == expected


WORDS = st.one_of(
    st.text("abcdeé", min_size=1, max_size=9),
    st.sampled_from(
        ["region", "geography", "temperature", "temp", "4046", "hp", "horsepower", "prices", "price"]
    ),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=8), st.lists(WORDS, min_size=1, max_size=8))
def test_the_glance_at_words_leaves_no_likeness_out(left: list[str], right: list[str]) -> None:
    expected = [[word_likeness(a, b) for b in right] for a in left]
    assert word_likenesses(left, right).tolist() == expected


VALUES = st.one_of(
    st.lists(st.integers(-5, 5), min_size=3, max_size=30),
    st.lists(st.floats(-1e9, 1e9), min_size=3, max_size=30),
    st.lists(st.sampled_from(["a", "b", "c", "yes", "no", "1,000", ""]), min_size=3, max_size=30),
    st.lists(st.datetimes(min_value=datetime(1900, 1, 1)), min_size=3, max_size=30),
    st.just([None, None, None]),
)
TABLES = st.dictionaries(NAMES, VALUES, min_size=1, max_size=5).map(
    lambda columns: profiles_of_table(
        pa.table({name: pa.array([*values, *[None] * 30][:30]) for name, values in columns.items()})
    )
)


@settings(max_examples=60, deadline=None)
@given(TABLES, TABLES)
def test_profiles_are_matched_one_to_one_with_one_outcome_each(
    old: tuple[ColumnProfile, ...], new: tuple[ColumnProfile, ...]
) -> None:
    found = match(old, new)
    assert found == match(old, new)
    outcomes = (*found.pairs, *found.asked, *found.refused)
    assert sorted(pair.old for pair in outcomes) == sorted(profile.name for profile in old)
    applied = [pair.new for pair in found.pairs]
    assert len(set(applied)) == len(applied)
    assert all(pair.new in {profile.name for profile in new} and pair.reason for pair in outcomes)
    assert all(pair.verdict in ("silent", "said") for pair in found.pairs)


@settings(max_examples=40, deadline=None)
@given(TABLES)
def test_a_table_is_its_own_partner(table: tuple[ColumnProfile, ...]) -> None:
    found = match(table, table)
    assert all(pair.old == pair.new and not pair.warnings for pair in found.pairs)
    assert len({letters(profile.name) for profile in table}) < len(table) or len(found.pairs) == len(table)
