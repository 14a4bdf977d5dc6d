"""Each construct that people's notebooks have, shown by one of the example corpus, and what is made of it."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from lakebook.notebooks.component import Component, Notebook
from lakebook.notebooks.extract import extract_components
from lakebook.notebooks.read import read_notebook

CORPUS = Path(__file__).parents[3] / "notebooks_corpus"
WHOLE_DIVISION = (
    "Python 2 cut the quotient of whole numbers: `totals / totals.sum()` may have given other numbers"
)


@dataclass(frozen=True)
class Shown:
    """A component of the corpus: where it is, what it shows, and statements that it keeps and leaves out."""

    file: str
    cell: int
    columns: tuple[str, ...]
    charts: tuple[str, ...]
    kept: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    confidence: float = 1.0
    reason: str = ""


CONSTRUCTS = {
    "Jupytext percent, change through an alias": Shown(
        "superstore_quarterly.py",
        5,
        ("Order Date", "Profit", "Sales"),
        ("line",),
        ('history["margin"] = history["Profit"] / history["Sales"]', "history = orders"),
        ("sums",),
    ),
    "loop over a literal list, pruned to the one element": Shown(
        "superstore_quarterly.py",
        8,
        ("Order Date", "Profit"),
        ("bar",),
        ('for column in ["Profit"]:', "sums = {}"),
        ('"Quantity"', "margin"),
    ),
    "function with a global; a key that is not literal wants every column": Shown(
        "superstore_quarterly.py",
        11,
        ("Region", "Sales"),
        ("bar",),
        ("def by(key):", "count = 0", "orders = "),
        ("sums", "plt."),
    ),
    "MyST with cell options, altair": Shown(
        "streaming_ratings.md",
        5,
        ("rating", "type"),
        ("bar",),
        ("mark_bar()", "import altair as alt"),
        (":tags:", "titles.head()"),
    ),
    "bokeh, a derived column back to its base": Shown(
        "streaming_ratings.md", 7, ("date_added",), ("line",), ("show(plot)",), ("altair", "rating")
    ),
    "exported calls, a changed copy does not touch its original": Shown(
        "shipping_delays.py",
        5,
        ("Order Date", "Ship Date", "Ship Mode"),
        ("box",),
        ("df['delay'] = ",),
        ("late", "get_ipython"),
    ),
    "exported cell magic keeps its body, changes of other columns are left out": Shown(
        "shipping_delays.py",
        6,
        ("Segment", "Ship Mode"),
        ("count",),
        ("late = df[df['delay'] > 4].copy()", "sns.countplot"),
        ("late.loc", "Row ID", "run_cell_magic"),
    ),
    "nbformat 3, Python 2 with a quotient of whole numbers": Shown(
        "course_week_3.ipynb",
        6,
        ("Category", "Quantity"),
        ("bar",),
        ("share = totals / totals.sum()",),
        ("print", "pylab"),
        0.8,
        WHOLE_DIVISION,
    ),
    "Python 2 with a float in the quotient": Shown(
        "course_week_3.ipynb", 8, ("Category", "Quantity"), ("bar",), ("totals * 100.0",), ("share",)
    ),
    "Python 2 exception clause": Shown(
        "course_week_3.ipynb",
        9,
        ("Discount",),
        ("histogram",),
        ("except KeyError as e:", "print(e)"),
        ("totals",),
    ),
    "order of execution, %%capture and %%time keep their bodies": Shown(
        "customers_rerun.ipynb",
        1,
        ("Customer Name", "Profit"),
        ("bar",),
        ("import pandas as pd", "orders.columns = [", "top = top.sort_values()"),
        ("wc -l", "pip", "info", "nsmallest"),
    ),
    "columns added half-way, a filter": Shown(
        "avocado_full_eda.ipynb",
        10,
        ("AveragePrice",),
        ("histogram",),
        ("df[df['type']=='organic']",),
        ("os.walk",),
        0.8,
        "the cells were last run in another order than they stand in",
    ),
    "subplots in a loop, plain pandas charts": Shown(
        "superstore_losses_scratch.ipynb",
        4,
        ("Category", "Region", "Segment", "Ship Mode"),
        ("pie",),
        ("df.drop_duplicates(inplace=True)", "for c,ax in zip("),
        ("seaborn",),
        0.8,
        "the cells were last run in another order than they stand in",
    ),
}


@cache
def cut(file: str) -> tuple[Notebook, dict[int, Component]]:
    notebook = read_notebook(CORPUS / file, CORPUS)
    return notebook, {one.cell: one for one in extract_components(notebook)}


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_each_construct_gives_its_component(construct: str) -> None:
    wanted = CONSTRUCTS[construct]

    found = cut(wanted.file)[1][wanted.cell]

    assert found.columns == wanted.columns
    assert found.chart_types == wanted.charts
    assert (found.confidence, found.reason) == (wanted.confidence, wanted.reason)
    assert [text for text in wanted.kept if text not in found.code] == []
    assert [text for text in wanted.left_out if text in found.code] == []


def test_the_whole_code_of_one() -> None:
    assert cut("superstore_quarterly.py")[1][8].code == (
        "from pathlib import Path\n"
        "import pandas as pd\n"
        'DATA = Path("exports")\n\n'
        'orders = pd.read_csv(DATA / "superstore.csv", encoding="latin1")\n'
        'orders["Order Date"] = pd.to_datetime(orders["Order Date"])\n'
        'orders["quarter"] = orders["Order Date"].dt.to_period("Q").astype(str)\n\n'
        "sums = {}\n"
        'for column in ["Profit"]:\n'
        '    sums[column] = orders.groupby("quarter")[column].sum()\n\n'
        'sums["Profit"].plot.bar(title="Profit")\n'
    )


@pytest.mark.parametrize(
    ("file", "groups"),
    [
        ("superstore_quarterly.py", {5: (5,), 8: (7, 8), 11: (10, 11)}),
        ("customers_rerun.ipynb", {10: (10,), 1: (1,)}),
        ("course_week_3.ipynb", {6: (5, 6), 8: (8,), 9: (9,)}),
    ],
)
def test_cells_that_only_prepare_are_merged_into_what_follows(
    file: str, groups: dict[int, tuple[int, ...]]
) -> None:
    assert {cell: one.target_cells for cell, one in cut(file)[1].items()} == groups


@pytest.mark.parametrize(
    ("file", "status", "reason"),
    [
        ("prix_avocats.ipynb", "skipped", "written in r, not Python"),
        ("broken_export.ipynb", "failed", "not a notebook: invalid JSON"),
        ("Untitled.ipynb", "skipped", "it is empty"),
        ("syntax_draft.ipynb", "partial", "syntax error in line"),
        ("customers_rerun.ipynb", "partial", "cell 5: a `%%bash` cell, no Python"),
        ("streaming_ratings.md", "ok", ""),
    ],
)
def test_what_cannot_be_used_says_why(file: str, status: str, reason: str) -> None:
    notebook = cut(file)[0]

    assert notebook.status == status
    assert reason in notebook.reason


def test_the_order_that_was_chosen_is_told() -> None:
    notebook = cut("customers_rerun.ipynb")[0]

    assert notebook.order == (3, 4, 6, 7, 8, 10, 1)
    assert notebook.order_reason == (
        "the cells are taken as they were run: as they stand, `plt`, `top` would be used undefined"
    )
    assert "as they stand, not as they were run" in cut("superstore_losses_scratch.ipynb")[0].order_reason


def test_what_was_rewritten_is_told() -> None:
    assert cut("course_week_3.ipynb")[0].notes == ("written in Python 2, rewritten where that is mechanical",)
