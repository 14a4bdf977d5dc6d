"""What components of one notebook share: run once, and never something that the function would not do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lakebook.analyst.table import Table
from lakebook.enhancement.adapt import adapt
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.run import Run, run_once
from lakebook.enhancement.shared import run_shared
from lakebook.errors import SandboxFailed

HEAD = "import pandas as pd\nimport matplotlib.pyplot as plt\nimport seaborn as sns\n"
LOAD = "df = pd.read_csv('../input/avocado.csv', index_col=0)\n"
CLEAN = "df['doubled'] = df['AveragePrice'] * 2\ndf = df[df['doubled'] > 2]\n"
Group = Callable[..., list[Adapted]]


@pytest.fixture
def group(table: Table, make_component: Callable[..., Any], make_retrieved: Callable[..., Any]) -> Group:
    def of(*codes: str) -> list[Adapted]:
        made = [make_component(HEAD + code, id=f"c{place}") for place, code in enumerate(codes)]
        adapted = [adapt(make_retrieved(one), one, table, place) for place, one in enumerate(made)]
        return [one for one in adapted if isinstance(one, Adapted)]

    return of


def same(left: Run, right: Run) -> bool:
    return (left.fault, left.axes, len(left.pictures)) == (right.fault, right.axes, len(right.pictures))


def test_what_is_shared_runs_once_and_draws_what_the_function_draws(group: Group, session: Any) -> None:
    plots = ("df['doubled'].plot()", "df['doubled'].hist()", "sns.boxplot(x='type', y='doubled', data=df)")
    made = group(*(LOAD + CLEAN + plot for plot in plots))
    runs = run_shared(made, session, 20)
    assert sorted(runs) == [0, 1, 2]
    assert all(
        runs[place].axes and same(run, run_once(made[place], session, 20)) for place, run in runs.items()
    )
    assert sum("* 2" in code for code in session.shared) == 1
    assert all("doubled" in code for code in session.runs[:3])
    assert not any("* 2" in code for code in session.runs[:3])


def test_they_part_where_they_differ_and_do_not_meet_again(group: Group, session: Any) -> None:
    more = "df['tripled'] = df['AveragePrice'] * 3\n"
    made = group(
        LOAD + CLEAN + "df['doubled'].plot()",
        LOAD + CLEAN + more + "df['tripled'].plot()",
        LOAD + CLEAN + more + "df['tripled'].hist()",
        LOAD + more + "df['tripled'].hist(bins=3)",
    )
    runs = run_shared(made, session, 20)
    assert [runs[place].fault for place in sorted(runs)] == [None] * 4
    assert [code.count("* 2") for code in session.shared if "* 2" in code] == [1]
    assert [code.count("* 3") for code in session.shared if "* 3" in code] == [1]
    assert all(same(run, run_once(made[place], session, 20)) for place, run in runs.items())


def test_one_cannot_change_what_another_sees(group: Group, session: Any) -> None:
    made = group(
        LOAD + "df['AveragePrice'] = 0\ndf['AveragePrice'].hist()", LOAD + "df['AveragePrice'].hist()"
    )
    runs = run_shared(made, session, 20)
    assert same(runs[1], run_once(made[1], session, 20))


@pytest.mark.parametrize(
    "first",
    [
        "x = 1 / 0\n",
        "def draw_two():\n    plt.plot([1, 2])\ndraw_two()\n",
    ],
    ids=["fails", "draws"],
)
def test_a_shared_part_that_fails_or_draws_leaves_them_to_be_run_alone(
    first: str, group: Group, session: Any
) -> None:
    made = group(LOAD + first + "df['AveragePrice'].plot()", LOAD + first + "df['AveragePrice'].hist()")
    assert run_shared(made, session, 20) == {}


@pytest.mark.parametrize(
    "code",
    [
        LOAD + "np = 3\ndf['AveragePrice'].plot()",
        LOAD + "df['n'] = len(dir())\ndf['AveragePrice'].plot()",
        "lake = pd.read_csv('a.csv')\nprint(df)\nlake['AveragePrice'].plot()",
    ],
    ids=["a name of the session", "local names", "the session's frame"],
)
def test_what_could_mean_something_else_outside_its_function_runs_alone(
    code: str, group: Group, session: Any
) -> None:
    made = group(code, LOAD + "df['AveragePrice'].hist()", LOAD + "df['AveragePrice'].plot()")
    assert sorted(run_shared(made, session, 20)) == [1, 2]


def test_what_others_import_is_no_import_of_ones_own(group: Group, session: Any, table: Table) -> None:
    lost = group("df = pd.read_csv('a.csv')\nsns.histplot(df['AveragePrice'])")[0]
    without = Adapted(
        lost.component,
        lost.function,
        type(lost.script)(tuple(s for s in lost.script.statements if "import" not in s.text)),
        lost.frame,
        lost.renames,
    )
    made = [
        *group(LOAD + "sns.boxplot(x=df['AveragePrice'])", LOAD + "sns.histplot(df['AveragePrice'])"),
        without,
    ]
    assert 2 not in run_shared(made, session, 20)


def test_a_failing_rest_is_a_fault_and_a_missing_name_is_asked_again(group: Group, session: Any) -> None:
    made = group(
        LOAD + "df['AveragePrice'].plot(nonsense=1)",
        LOAD + "absent.plot()",
        LOAD + "df['AveragePrice'].plot()",
    )
    runs = run_shared(made, session, 20)
    assert sorted(runs) == [0, 2]
    assert runs[0].fault is not None


def test_a_session_that_fails_leaves_the_rest_to_be_run_alone(group: Group, session: Any) -> None:
    def fail(*args: Any, **options: Any) -> None:
        raise SandboxFailed("gone")

    session.run_forked = fail
    assert (
        run_shared(group(LOAD + "df['AveragePrice'].plot()", LOAD + "df['year'].plot()"), session, 20) == {}
    )
