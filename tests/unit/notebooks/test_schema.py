import pandas as pd

from lakebook.notebooks.schema import Profile, schema_of

TABLE = pd.DataFrame(
    {"a": [1, 2, 2], "b": ["x", None, "x"], "c": pd.to_datetime(["2020-01-01"] * 3), 4: [[1], [2], [3]]}
)


def test_kinds_and_facts_of_a_table() -> None:
    found = schema_of(TABLE, is_whole=True)

    assert found.columns == (("a", "number"), ("b", "text"), ("c", "datetime"), ("4", "text"))
    assert found.profile("a") == Profile("int64", 2, 0, 3)
    b, lists = found.profile("b"), found.profile("4")
    assert (b.distinct, b.nulls) == (1, 1)
    assert lists.distinct is None


def test_nothing_is_counted_in_a_part_of_a_table() -> None:
    found = schema_of(TABLE, is_whole=False)

    assert found.profile("a") == Profile("int64")
    assert found.profile("none") is None
