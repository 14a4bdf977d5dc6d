"""What code tells of the columns it uses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lakebook.notebooks.component import Component, ShownColumn
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


def test_saved_outputs_add_what_the_code_does_not_tell(make_component: ComponentMaker) -> None:
    shown = [
        ShownColumn("a", values=("1", "2")),
        ShownColumn("a", "number", quartiles=(0.0, 1.0, 2.0, 3.0, 4.0)),
        ShownColumn("a", values=("9",)),
        ShownColumn("unused", values=("x",)),
    ]

    (column,) = old_columns([make_component(("a",))], shown)

    assert (column.kind, column.shown, column.quartiles) == ("number", ("1", "2"), (0.0, 1.0, 2.0, 3.0, 4.0))


def test_the_type_that_the_code_gives_comes_first(make_component: ComponentMaker) -> None:
    component = make_component(("a",), code="df['a'].dt.month", target_code="df['a'].dt.month")

    (column,) = old_columns([component], [ShownColumn("a", "number")])

    assert column.kind == "datetime"
