"""What code tells of the columns it uses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lakebook.notebooks.component import Component
from lakebook.retrieval.old_columns import named_columns, old_columns

ComponentMaker = Callable[..., Component]


@pytest.mark.parametrize(
    ("code", "kind", "values"),
    [
        ("df[df['x'] == 'organic'].plot()", "text", ("organic",)),
        ("df[df.x == 'organic'].plot()", "text", ("organic",)),
        ("df[df['x'].isin(['b', 'a'])].plot()", "text", ("a", "b")),
        ("df[df['x'] > 3].plot()", "number", ()),
        ("df['x'].mean()", "number", ()),
        ("df['x'].str.lower()", "text", ()),
        ("df['x'].dt.month", "datetime", ()),
        ("df['x'] = pd.to_datetime(df['x'])", "datetime", ()),
        ("df['x'].str[:4]\npd.to_datetime(df['x'])", "datetime", ()),
        ("df[df['x'] > '2018-01-01'].plot()", None, ()),
        ("df['x'].str.len()\ndf['x'].mean()", None, ()),
        ("df['other'] == 'organic'", None, ()),
        ("df['x'].plot()", None, ()),
        ("this is not python", None, ()),
    ],
)
def test_hints(code: str, kind: str | None, values: tuple[str, ...], make_component: ComponentMaker) -> None:
    (column,) = old_columns([make_component(("x",), code=code, target_code=code)])
    assert (column.name, column.kind, column.values) == ("x", kind, values)


def test_columns_of_all_components_once(make_component: ComponentMaker) -> None:
    one = make_component(("b", "a"), filter_columns=("c",), key_columns=("a",))
    assert named_columns(one) == ("b", "a", "c")
    assert [column.name for column in old_columns([one, make_component(("d", "a"))])] == ["a", "b", "c", "d"]
