"""Delimiter, header and banner found on small texts, with texts that only resemble them."""

from __future__ import annotations

import pytest

from lakebook.sources.dialect import find_dialect


def names(text: str, suffix: str = ".csv") -> tuple[str, ...] | None:
    dialect = find_dialect(text.splitlines(keepends=True), suffix)
    return None if dialect is None else dialect.names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,2\n", ("a", "b")),
        ("a;b\n1,5;2,5\n3,5;4,5\n", ("a", "b")),
        ("a|b\nx, y|2\nz, w|3\n", ("a", "b")),
        ("a\n1\n2\n", ("a",)),
        ("1,2\n3,4\n", ("column_1", "column_2")),
        ("1,2,3\n", ("column_1", "column_2", "column_3")),
        ("a,b\n", ("a", "b")),
        ("country,2019,2020\nPeru,1,2\nChad,3,4\n", ("country", "2019", "2020")),
        ("Peru,10,20\nChad,30,40\nMali,50,60\n", ("column_1", "column_2", "column_3")),
        ("x,y\nred,blue\nblue,green\n", ("x", "y")),
        ("title\n\na,b,c\n1,2,3\n4,5,6\n7,8,9\n", ("a", "b", "c")),
        ("Report,,\na,b,c\n1,2,3\n4,5,6\n", ("a", "b", "c")),
        ("a,b\nx,1,2\ny,3,4\nz,5,6\n", ("", "a", "b")),
        ("a,b\n1,2,\n3,4,\n5,6,\n", ("a", "b", "")),
        ("k,y,v,\nA,1959,5.8\nA,1960,5.1\nA,1961,5.3\n", ("k", "y", "v")),
    ],
)
def test_names(text: str, expected: tuple[str, ...]) -> None:
    assert names(text) == expected


def test_prose_is_no_table_unless_the_name_says_so() -> None:
    prose = "Dear all, we met, and talked at length.\nThen we left, as always, for our homes.\n"
    assert names(prose, ".txt") is None
    assert names("a,b,c\n1,2,3\n4,5,6\n", ".txt") == ("a", "b", "c")
    assert names("one, two\nthree, four\n", ".txt") is None
    assert names("", ".txt") is None
