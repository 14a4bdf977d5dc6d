import json
from pathlib import Path

import pytest

from lakebook.notebooks.component import Component, Notebook
from lakebook.notebooks.extract import extract_components
from lakebook.notebooks.merge import merged_groups
from lakebook.notebooks.read import read_notebook

LOAD = "import pandas as pd\ndf = pd.read_csv('a.csv')"
PICTURE = {"output_type": "display_data", "data": {"image/png": ""}}


def read(folder: Path, *cells: tuple[str, int | None]) -> Notebook:
    listed = [
        {
            "cell_type": "code",
            "source": source,
            "execution_count": count,
            "outputs": [PICTURE] if "hist" in source else [],
        }
        for source, count in cells
    ]
    path = folder / "n.ipynb"
    path.write_text(json.dumps({"cells": listed}))
    return read_notebook(path, folder)


def only(notebook: Notebook) -> Component:
    (found,) = extract_components(notebook)
    return found


def test_ascending_counts_need_no_decision(tmp_path: Path) -> None:
    found = read(tmp_path, (LOAD, 1), ("df['a'].hist()", 4))

    assert (found.order, found.order_reason) == ((), "")


def test_cells_are_taken_as_run_if_that_defines_what_they_use(tmp_path: Path) -> None:
    found = read(tmp_path, ("df['a'].hist()", 2), (LOAD, 1))

    assert found.order == (1, 0)
    assert "as they were run" in found.order_reason
    assert "`df`" in found.order_reason
    component = only(found)
    assert component.code == f"{LOAD}\n\ndf['a'].hist()\n"
    assert component.confidence == 1.0


def test_cells_are_merged_in_the_order_that_was_chosen(tmp_path: Path) -> None:
    found = read(tmp_path, ("x = df['a']", 2), ("x.hist()", 3), (LOAD, 1))

    assert merged_groups(found, {1}) == {1: (2, 0, 1)}
    assert only(found).code == f"{LOAD}\nx = df['a']\n\nx.hist()\n".replace("\nx = ", "\n\nx = ")


@pytest.mark.parametrize(
    ("counts", "reason"),
    [((3, 2), "no more names"), ((3, None), ""), ((3, 3), "repeated")],
)
def test_else_they_are_taken_as_they_stand_and_it_says_why(
    tmp_path: Path, counts: tuple[int, int | None], reason: str
) -> None:
    found = read(tmp_path, (LOAD, counts[0]), ("df['a'].hist()", counts[1]))

    assert found.order == ()
    assert reason in found.order_reason
    assert bool(found.order_reason) == bool(reason)


def test_incomplete_counts_decide_nothing(tmp_path: Path) -> None:
    found = read(tmp_path, ("df['a'].hist()", 2), (LOAD, 1), ("1", None))

    assert found.order == ()
    assert "1 of 3 cells have no execution count" in found.order_reason


def test_a_component_that_needs_an_earlier_run_says_so(tmp_path: Path) -> None:
    component = only(read(tmp_path, (LOAD, 9), ("df['a'].hist()", 2)))

    assert component.confidence < 1
    assert "needs an earlier run of cell 0, which was last run after cell 1" in component.reason


def test_only_the_component_that_needs_it_says_so(tmp_path: Path) -> None:
    cells = read(tmp_path, (LOAD, 1), ("y = 1", 9), ("df['a'].hist()", 2), ("df.b.hist(bins=y)", 3))
    first, second = extract_components(cells)

    assert "earlier run" not in first.reason
    assert "needs an earlier run of cell 1" in second.reason


def test_a_name_that_only_a_later_cell_defines_names_that_cell(tmp_path: Path) -> None:
    component = only(read(tmp_path, ("df['a'].hist()", None), (LOAD, None)))

    assert "needs an earlier run of cell 1, which defines `df`" in component.reason
    assert component.confidence < 1
