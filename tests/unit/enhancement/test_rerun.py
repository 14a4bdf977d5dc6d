"""Components from old code to a figure on the new data."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from lakebook.analyst.table import Table
from lakebook.enhancement.adapt import adapt
from lakebook.enhancement.enhanced import EnhancedComponent
from lakebook.enhancement.rerun import enhance, rerun
from lakebook.errors import SandboxFailed
from lakebook.notebooks.component import Component
from lakebook.retrieval.result import RetrievedComponent
from lakebook.sandbox.base import CellError, CellResult, Evaluation

HEAD = "import pandas as pd\nimport matplotlib.pyplot as plt\nimport seaborn as sns\n"
LOAD = "df = pd.read_csv('../input/avocado.csv', index_col=0)\n"
Run = Callable[..., EnhancedComponent]


@pytest.fixture
def run(
    table: Table,
    session: Any,
    make_component: Callable[..., Component],
    make_retrieved: Callable[..., RetrievedComponent],
) -> Run:
    def one(code: str, *columns: str) -> EnhancedComponent:
        component = make_component(HEAD + LOAD + code, columns or ("AveragePrice", "Date"))
        (enhanced,) = enhance([make_retrieved(component)], {component.id: component}, table, session)
        return enhanced

    return one


def kinds(enhanced: EnhancedComponent) -> list[str]:
    return [repair.kind for repair in enhanced.repairs]


def test_a_good_component_keeps_its_code(run: Run) -> None:
    done = run("by = df.groupby('Date')['AveragePrice'].mean()\nplt.plot(by.index, by.values)\nplt.show()")
    assert (done.status, done.error, done.figures) == ("ok", "", 1)
    assert done.columns == ("average_price", "date")
    assert done.drawn[0].x_is_date
    assert kinds(done) == ["load", "load_option", "show_removed", "column_renamed", "figure_ticks_apart"]
    turned = "plt.setp(plt.gcf().axes[0].get_xticklabels(), rotation=45, ha='right', rotation_mode='anchor')"
    assert done.code == (
        f"def {done.function}(lake=df):\n"
        "    with plt.rc_context():\n"
        "        df = lake.copy()\n"
        "        by = df.groupby('date')['average_price'].mean()\n"
        "        plt.plot(by.index, by.values)\n"
        f"        {turned}\n"
    )


def test_the_function_has_a_readable_name(run: Run) -> None:
    done = run("df['AveragePrice'].plot()")
    assert done.function == "component_1_line_average_price_date"
    assert done.function.isidentifier()


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("sns.heatmap(df.corr())", "numeric_only"),
        ("df.set_index('Date')['AveragePrice'].resample('M').mean().plot()", "frequency_alias"),
        ("df.drop('Unnamed: 0', axis=1, inplace=True)\ndf['AveragePrice'].plot()", "drop_missing"),
        ("plt.style.use('seaborn')\ndf['AveragePrice'].plot()", "seaborn_style"),
        ("df = df.append(df)\ndf['AveragePrice'].plot()", "append_to_concat"),
        ("sns.FacetGrid(df, col='type', size=3).map(plt.hist, 'AveragePrice')", "renamed_keyword"),
        ("sns.factorplot('type', 'AveragePrice', data=df, kind='bar')", "factorplot_to_catplot"),
        ("df['m'] = df['Date'].str[5:7]\ndf.groupby('m')['AveragePrice'].mean().plot()", "dates_as_text"),
        ("df['m'] = df['Date'].apply(lambda d: d.split('-')[1])\ndf['AveragePrice'].plot()", "dates_as_text"),
        ("df[df['region'] == 'TotalUS']['AveragePrice'].plot()", "respelled_value"),
        ("sns.lineplot(x='Date', y='Total Volume', data=df)", "map_column"),
        ("df['Total Volume'].plot()", "map_column"),
        ("sns.boxplot(x='type', y='AveragePrice', data=df, palette='pink')", "palette_hue"),
    ],
)
def test_what_fails_is_mended(code: str, kind: str, run: Run) -> None:
    done = run(code, "AveragePrice", "Date", "type", "region")
    assert (done.status, done.error) == ("ok", "")
    assert kind in kinds(done)


def test_a_lost_import_is_put_back(
    table: Table, session: Any, make_component: Callable[..., Component], make_retrieved: Callable[..., Any]
) -> None:
    component = make_component(LOAD + "sns.histplot(df['AveragePrice'])", ("AveragePrice",))
    (done,) = enhance([make_retrieved(component)], {component.id: component}, table, session)
    fixed = ["load", "load_option", "column_renamed", "missing_import", "figure_title"]
    assert (done.status, kinds(done)) == ("ok", fixed)


@pytest.mark.parametrize(
    ("code", "status", "reason"),
    [
        ("df['nothing like it'].plot()", "failed", "KeyError"),
        ("1 / 0", "failed", "ZeroDivisionError: division by zero"),
        ("df[df['type'] == 'steel']['AveragePrice'].plot()", "dropped", ""),
        ("x = df['AveragePrice'].mean()", "dropped", "draws no figure"),
        ("df['year'].plot()", "dropped", "the same"),
    ],
)
def test_what_cannot_be_mended_says_why(code: str, status: str, reason: str, run: Run) -> None:
    done = run(code, "AveragePrice", "Date", "type", "year")
    assert done.status == status
    assert reason in done.error
    assert done.error


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("df = pd.read_csv('a.csv'", "does not parse"),
        ("global x\n" + LOAD, "global names"),
        ("df = make()", "reads no file"),
        (LOAD + "n = df.to_csv('out.csv')", "writes files"),
    ],
)
def test_what_cannot_be_confined_is_never_run(
    code: str,
    reason: str,
    table: Table,
    session: Any,
    make_component: Callable[..., Component],
    make_retrieved: Callable[..., RetrievedComponent],
) -> None:
    component = make_component(code)
    (done,) = enhance([make_retrieved(component)], {component.id: component}, table, session)
    assert done.status == "failed"
    assert reason in done.error
    assert session.runs == []


def test_no_name_leaks_and_df_is_unharmed(run: Run, session: Any) -> None:
    run("df['AveragePrice'] = 0\nleak = 3\nplt.rcParams['lines.linewidth'] = 9\ndf['Date'].plot()")
    code = session.runs[-1]
    module = ast.parse(code)
    assert [type(node).__name__ for node in module.body] == ["FunctionDef", "Expr", "Assign", "Assign"]
    assert "AveragePrice" not in session.frame.columns


def test_each_component_once_and_progress(
    table: Table,
    session: Any,
    make_component: Callable[..., Component],
    make_retrieved: Callable[..., RetrievedComponent],
) -> None:
    one = make_component(HEAD + LOAD + "df['AveragePrice'].plot()", id="a")
    two = make_component(HEAD + LOAD + "df['AveragePrice'].hist()", id="b")
    components = {"a": one, "b": two}
    retrieved = [make_retrieved(one), make_retrieved(two), make_retrieved(one, "q2")]
    seen: list[tuple[int, int]] = []
    done = list(rerun(retrieved, components, table, session, lambda s, d, t, w: seen.append((d, t))))
    assert [item.enhanced.component for item in done] == ["a", "b"]
    assert [item.enhanced.query for item in done] == ["q1", "q1"]
    assert all(item.pictures[0].startswith(b"\x89PNG") for item in done)
    assert seen == [(0, 2), (1, 2), (2, 2)]
    assert enhance([], components, table, session) == ()


class _Broken:
    """A session that always answers with the same result, or dies."""

    def __init__(self, result: CellResult | None) -> None:
        self.result = result

    def run_forked(
        self, cells: Sequence[str], *, evaluate: Sequence[str] = (), seconds: float | None = None
    ) -> tuple[list[CellResult], list[Evaluation]]:
        if self.result is None:
            raise SandboxFailed("the worker died")
        return [self.result], []


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (CellResult((), None, "timeout"), "stopped after 20 s"),
        (CellResult((), CellError("MemoryError", ""), "memory"), "out of memory"),
        (
            CellResult((), CellError("MemoryError", "out of memory at 9 MB: x"), "memory"),
            "out of memory at 9 MB: x",
        ),
        (CellResult((), CellError("OSError", "disk full at 64 MB"), "disk"), "disk full at 64 MB"),
        (CellResult((), None, "died"), "died"),
        (None, "the worker died"),
        (CellResult(()), "draws no figure"),
    ],
)
def test_a_broken_run_never_stops_the_rest(
    result: CellResult | None,
    reason: str,
    table: Table,
    make_component: Callable[..., Component],
    make_retrieved: Callable[..., RetrievedComponent],
) -> None:
    component = make_component(HEAD + LOAD + "df['AveragePrice'].plot()")
    (done,) = enhance([make_retrieved(component)], {component.id: component}, table, _Broken(result))  # type: ignore[arg-type]
    assert done.status in ("failed", "dropped")
    assert reason in done.error


def test_idle_imports_go_and_used_ones_stay(
    table: Table, make_component: Callable[..., Component], make_retrieved: Callable[..., RetrievedComponent]
) -> None:
    code = (
        "import os, re\nimport xgboost\nimport numpy as np\nimport pandas as pd\n"
        + LOAD
        + "re.sub('a', 'b', 'c')"
    )
    component = make_component(code)
    adapted = adapt(make_retrieved(component), component, table, 7)
    assert not isinstance(adapted, str)
    assert "import re\n" in adapted.code()
    assert "xgboost" not in adapted.code()
    assert "numpy" not in adapted.code()
    assert "os" not in adapted.script.names_bound()


def test_a_component_that_uses_the_name_lake(
    table: Table, make_component: Callable[..., Component], make_retrieved: Callable[..., RetrievedComponent]
) -> None:
    component = make_component(LOAD + "lake = 3\ndf['AveragePrice'].plot()")
    adapted = adapt(make_retrieved(component), component, table, 1)
    assert not isinstance(adapted, str)
    assert "(lake_frame=df)" in adapted.code()


class _Plain:
    """A session in which nothing can be shared."""

    def run(self, code: str, *, seconds: float | None = None) -> CellResult:
        return CellResult((), CellError("RuntimeError", "not here"), "error")

    def evaluate(self, expressions: Sequence[str]) -> list[Evaluation]:
        return [Evaluation(text) for text in expressions]

    @contextmanager
    def copied(self) -> Iterator[None]:
        yield


class SlowSession(_Plain):
    """Answers every run after a moment, and notes how many runs were under way at once."""

    under_way = 0
    most = 0

    def run_forked(
        self, cells: Sequence[str], *, evaluate: Sequence[str] = (), seconds: float | None = None
    ) -> tuple[list[CellResult], list[Evaluation]]:
        SlowSession.under_way += 1
        SlowSession.most = max(SlowSession.most, SlowSession.under_way)
        time.sleep(0.2)  # longer than the work between runs
        SlowSession.under_way -= 1
        series = {"mark": "bar", "label": "", "labels": ["a", "b"], "x": [0, 1], "y": [1, len(cells[-1])]}
        axes = {
            "title": "",
            "xlabel": "",
            "ylabel": "",
            "x_is_date": False,
            "categories": 2,
            "series": [series],
        }
        return [CellResult(())], [Evaluation(name, [axes]) for name in evaluate]


def test_several_sessions_share_the_work_and_change_nothing(
    table: Table,
    make_component: Callable[..., Component],
    make_retrieved: Callable[..., RetrievedComponent],
) -> None:
    made = [
        make_component(
            f"{HEAD}{LOAD}x{n} = df['AveragePrice'] * {n}\nx{n}.plot.hist()", ("AveragePrice",), id=f"c{n}"
        )
        for n in range(6)
    ]
    retrieved = [make_retrieved(component) for component in made]
    by_id = {component.id: component for component in made}
    alone = enhance(retrieved, by_id, table, SlowSession())
    assert SlowSession.most == 1
    assert enhance(retrieved, by_id, table, [SlowSession(), SlowSession()]) == alone
    assert SlowSession.most == 2
    assert [one.component for one in alone] == [component.id for component in made]
