"""Which components a table can answer although something of theirs is gone, and which it cannot."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lakebook.analyst.table import Table, TableColumn
from lakebook.notebooks.component import Component, Corpus
from lakebook.retrieval.applicability import applicable

ComponentMaker = Callable[..., Component]
READ = "import pandas as pd\ndf = pd.read_csv('a.csv')\n"


def outcome(table: Table, *components: Component) -> dict[int, str]:
    """Return the reason why each cell is left out, "" for those that are taken."""
    taken, left_out = applicable(Corpus((), components), table)
    by_id = {component.id: component.cell for component in components}
    return {
        **{by_id[item.component]: "" for item in taken},
        **{by_id[item.component]: item.reason for item in left_out},
    }


@pytest.fixture
def gems(make_table: Callable[..., Table]) -> Table:
    levels = tuple((level, 5) for level in ("fair", "good", "ideal"))
    cut = TableColumn("cut", "text", "dim", 0, 3, levels=levels, levels_complete=True)
    return make_table("carat", cut, "depth", "price")


def test_one_column_of_a_list_may_be_gone(gems: Table, make_component: ComponentMaker) -> None:
    listed = make_component(
        ("carat", "depth", "lustre"), code=READ + "df[['carat', 'depth', 'lustre']].hist()"
    )
    assert outcome(gems, listed) == {1: ""}


@pytest.mark.parametrize(
    "code",
    [
        "df.plot.scatter('carat', 'lustre')\ndf[['carat', 'depth', 'lustre']].hist()",
        "df[['carat', 'depth', 'lustre']].hist()\ndf.lustre.plot()",
        "df.groupby(['carat', 'depth', 'lustre']).size().plot()",
        "df.columns = ['carat', 'depth', 'lustre']\ndf.plot()",
    ],
)
def test_a_column_that_is_named_elsewhere_or_is_a_key_may_not(
    gems: Table, make_component: ComponentMaker, code: str
) -> None:
    found = outcome(gems, make_component(("carat", "depth", "lustre"), code=READ + code))
    assert found[1].startswith("needs columns that the table does not have: lustre")


def test_a_list_of_which_most_is_gone_is_another_figure(gems: Table, make_component: ComponentMaker) -> None:
    names = ("carat", "depth", "lustre", "origin", "mine")
    found = outcome(gems, make_component(names, code=READ + f"df[{list(names)!r}].hist()"))
    assert "lustre, origin, mine" in found[1]


def test_a_whole_table_is_shown_without_what_only_an_output_told_of(
    gems: Table, make_component: ComponentMaker
) -> None:
    whole = READ + "df.hist()"
    same = make_component(("carat", "depth", "price", "lustre"), code=whole)
    other = make_component(("carat", "fare", "sibsp", "survived"), code=whole)
    assert outcome(gems, same) == {1: ""}
    assert "fare" in outcome(gems, other)[1]


def test_the_nearest_column_is_named(
    make_table: Callable[..., Table], make_component: ComponentMaker
) -> None:
    table = make_table("GDP", "Score")
    component = make_component(("GDP per capita", "Score"), code=READ + "df.plot('GDP per capita', 'Score')")
    assert "GDP per capita (nearest: GDP, 0." in outcome(table, component)[1]


def test_a_notebook_of_several_files_is_judged_by_the_file_that_is_read(
    gems: Table, make_component: ComponentMaker
) -> None:
    others = ("batter", "bowler", "inning", "venue", "winner", "toss", "city", "umpire")
    own = make_component(("carat", "price"), cell=1, reads=("gems.csv",))
    balls = make_component(others, cell=2, reads=("balls.csv",))
    assert outcome(gems, own, balls)[1] == ""
    mixed = make_component(others, cell=2, reads=("gems.csv",))
    assert "another table: 2 of its 10 columns" in outcome(gems, own, mixed)[1]


def test_one_common_name_is_not_enough_for_a_file(gems: Table, make_component: ComponentMaker) -> None:
    price = make_component(("price",), cell=1, reads=("flats.csv",))
    rest = make_component(("batter", "bowler", "inning", "venue"), cell=2, reads=("balls.csv",))
    assert "another table: 1 of its 5 columns" in outcome(gems, price, rest)[1]


def test_dummies_are_made_of_columns_that_are_there(gems: Table, make_component: ComponentMaker) -> None:
    made = ("cut_fair", "cut_good", "cut_ideal")
    plain = make_component(("carat", "price"), cell=1)
    dummies = make_component(("carat", *made), cell=2)
    assert outcome(gems, plain, dummies) == {1: "", 2: ""}
    unknown = make_component(("carat", "cut_round", "cut_oval"), cell=2)
    assert "cut_round, cut_oval" in outcome(gems, plain, unknown)[2]


def test_only_a_module_that_is_used_has_to_be_there(gems: Table, make_component: ComponentMaker) -> None:
    imported = "from no_such_module import cloud\nimport no_such_module.deep as deep\n"
    drawn = "df[['carat', 'price']].plot()"
    idle = make_component(
        ("carat", "price"), cell=1, code=imported + READ + drawn, modules=("no_such_module", "pandas")
    )
    used = make_component(
        ("carat", "price"), cell=2, code=imported + READ + f"cloud({drawn})", modules=("no_such_module",)
    )
    assert outcome(gems, idle, used) == {1: "", 2: "imports what is not installed: no_such_module"}


def test_what_a_repair_replaces_need_not_be_installed(gems: Table, make_component: ComponentMaker) -> None:
    code = f"import cufflinks as cf\n{READ}cf.go_offline()\ndf[['carat', 'price']].iplot()"
    component = make_component(("carat", "price"), code=code, modules=("cufflinks", "pandas"))
    assert outcome(gems, component) == {1: ""}
