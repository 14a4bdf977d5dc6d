"""A model says what the components show that are in doubt; both answers stay, within half of the budget."""

import json

import pytest

from lakebook.analyst.model.analyst import ModelAnalyst
from lakebook.analyst.model.budget import Budget, Budgeted
from lakebook.analyst.model.labels import labelled
from lakebook.analyst.model.privacy import NotAllowed
from lakebook.analyst.model.protocol import BadReply
from lakebook.notebooks.component import Component
from tests.unit.analyst.model.conftest import Scripted

NAMES = ("city", "pay", "age")


def said(columns: list[str], charts: list[str]) -> str:
    return json.dumps({"columns": columns, "chart_types": charts})


def component(
    columns: tuple[str, ...] = (), charts: tuple[str, ...] = ("bar",), doubt: str = "hidden", at: int = 1
) -> Component:
    target = "draw(df, 'pay', 'Rome')\n"
    code = f"df = load('/home/ann/x.csv')\n\n{target}"
    return Component(
        id=str(at),
        notebook="n.ipynb",
        cell=at,
        cell_id="",
        target_cells=(at,),
        upstream_cells=(0,),
        code=code,
        target_code=target,
        columns=columns,
        chart_types=charts,
        columns_doubt=doubt,
        reason=doubt,
    )


def analyst(model: Scripted, *, calls: int = 20, privacy: str = "samples") -> ModelAnalyst:
    budget = Budget(calls, 100_000)
    return ModelAnalyst(Budgeted(model, budget), privacy, budget)  # type: ignore[arg-type]


def test_an_empty_answer_is_filled_and_said_so() -> None:
    found = labelled(component(), NAMES, Scripted(said(["pay"], ["box"])), "samples")

    assert (found.columns, found.model_columns) == (("pay",), ("pay",))
    assert (found.chart_types, found.model_chart_types) == (("bar",), ("box",))
    assert "a model's answer" in found.reason


def test_a_static_answer_stays_and_the_other_is_kept_beside_it() -> None:
    found = labelled(component(("age",)), NAMES, Scripted(said(["pay", "city"], ["bar"])), "samples")

    assert found.columns == ("age",)
    assert found.model_columns == ("city", "pay")
    assert "model" not in found.reason


@pytest.mark.parametrize(
    "reply",
    [
        "no",
        "{}",
        said(["salary"], ["bar"]),
        said(["pay"], ["rainbow"]),
        '{"columns": "pay", "chart_types": []}',
    ],
)
def test_a_reply_that_names_what_is_not_there_is_not_taken(reply: str) -> None:
    with pytest.raises(BadReply):
        labelled(component(), NAMES, Scripted(reply), "samples")


def test_neither_values_nor_paths_leave() -> None:
    model = Scripted(said(["pay"], ["bar"]))

    labelled(component(), NAMES, model, "samples")

    sent = json.dumps(model.asked[0].messages)
    assert "pay" in sent
    assert "Rome" not in sent
    assert "ann" not in sent


def test_under_schema_no_code_leaves() -> None:
    model = Scripted(said(["pay"], ["bar"]))

    with pytest.raises(NotAllowed):
        labelled(component(), NAMES, model, "schema")
    assert analyst(model, privacy="schema").label_components([component()], {}) == (component(),)
    assert model.asked == []


def test_only_those_in_doubt_are_asked_about() -> None:
    model = Scripted(said(["pay"], ["bar"]))
    sure = component(("age",), doubt="", at=2)

    first, second = analyst(model).label_components([component(), sure], {"n.ipynb": NAMES})

    assert first.model_columns == ("pay",)
    assert second == sure
    assert len(model.asked) == 1


def test_half_of_the_budget_is_left_for_the_analysis() -> None:
    model = Scripted(said(["pay"], ["bar"]))
    made = analyst(model, calls=6)

    found = made.label_components([component(at=at) for at in range(10)], {"n.ipynb": NAMES})

    assert [bool(one.model_columns) for one in found] == [True] * 3 + [False] * 7
    assert made.budget.calls == 3


def test_a_bad_reply_costs_one_component_and_a_dead_endpoint_ends_the_asking() -> None:
    bad, dead = Scripted("no"), Scripted(fails=True)
    components = [component(at=at) for at in range(3)]

    one, other = analyst(bad), analyst(dead)

    assert one.label_components(components, {"n.ipynb": NAMES}) == tuple(components)
    assert (len(bad.asked), one.notes, one.trouble) == (3, [], False)
    assert other.label_components(components, {"n.ipynb": NAMES}) == tuple(components)
    assert (len(dead.asked), other.trouble) == (1, True)
    assert "columns of components" in other.notes[0]
