"""Names that are evidence, and names that any table has."""

from __future__ import annotations

import pytest

from lakebook.sources.telling import named, telling


@pytest.mark.parametrize(
    ("names", "from_the_file", "tell"),
    [
        ({"column1", "unnamed0", "column12"}, set(), set()),
        ({"geometrytype", "west", "parentrow"}, set(), set()),
        ({"id", "name", "value", "x"}, {"id", "name", "value", "x"}, set()),
        (
            {"id", "city", "columns", "unnamed"},
            {"id", "city", "columns", "unnamed"},
            {"city", "columns", "unnamed"},
        ),
    ],
)
def test_names(names: set[str], from_the_file: set[str], tell: set[str]) -> None:
    assert named(names) == from_the_file
    assert telling(names) == tell
