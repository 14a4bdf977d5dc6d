"""A small avocado table, components on it, and a session that runs snippets of our own in this process."""

from __future__ import annotations

import base64
import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from lakebook.analyst.table import Table, TableColumn
from lakebook.correspondence.evidence import OldColumn
from lakebook.enhancement.run import preparation
from lakebook.notebooks.component import Component
from lakebook.retrieval.correspondence import correspond
from lakebook.retrieval.result import RetrievedComponent
from lakebook.sandbox.base import CellError, CellResult, Evaluation

HEAD = "import pandas as pd\nimport matplotlib.pyplot as plt\nimport seaborn as sns\n"
LOAD = "df = pd.read_csv('../input/avocado.csv', index_col=0)\n"


@pytest.fixture(autouse=True)
def _no_open_figures() -> Any:
    yield
    plt.close("all")


@pytest.fixture
def frame() -> pd.DataFrame:
    dates = pd.date_range("2018-01-07", periods=40, freq="7D")
    rows = [
        (date, 1 + 0.01 * place + shift, 100.0 * (place + 1), kind, date.year, city)
        for place, date in enumerate(dates)
        for shift, kind in ((0.0, "conventional"), (0.5, "organic"))
        for city in ("Albany", "Total U.S.")
    ]
    names = ["date", "average_price", "total_volume", "type", "year", "geography"]
    return pd.DataFrame(rows, columns=names)


@pytest.fixture
def table(frame: pd.DataFrame) -> Table:
    def text(name: str) -> TableColumn:
        counts = frame[name].value_counts()
        levels = tuple((str(level), int(rows)) for level, rows in counts.items())
        return TableColumn(name, "text", "dim", 0, len(levels), levels=levels, levels_complete=True)

    columns = (
        TableColumn("date", "datetime", "time", 0, 40),
        TableColumn("average_price", "number", "ratio", 0, 80),
        TableColumn("total_volume", "number", "flow", 0, 40),
        text("type"),
        TableColumn("year", "integer", "time", 0, 1),
        text("geography"),
    )
    return Table("a.csv", "a.csv", "", "0" * 64, len(frame), len(frame), columns, "")


@pytest.fixture
def make_component() -> Callable[..., Component]:
    def make(code: str, columns: Sequence[str] = ("AveragePrice", "Date"), **more: Any) -> Component:
        return Component(
            id=more.pop("id", "c1"),
            notebook="old.ipynb",
            cell=more.pop("cell", 4),
            cell_id="",
            target_cells=(4,),
            upstream_cells=(),
            code=code,
            target_code=code,
            columns=tuple(columns),
            chart_types=more.pop("chart_types", ("line",)),
            **more,
        )

    return make


@pytest.fixture
def make_retrieved(table: Table) -> Callable[..., RetrievedComponent]:
    old = ["Date", "AveragePrice", "Total Volume", "type", "year", "region"]

    def make(component: Component, query: str = "q1") -> RetrievedComponent:
        pairs = correspond([OldColumn(name) for name in old], table)
        kept = tuple(pair for pair in pairs if pair.old in component.columns)
        return RetrievedComponent(query, component.id, 1, "exact", 1.0, kept)

    return make


class InProcessSession:
    """Runs code in this process, which is right for snippets of our own only."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame
        self.runs: list[str] = []
        self.shared: list[str] = []
        space: dict[str, Any] = {"df": frame.copy(), "np": np, "pd": pd, "plt": plt}
        exec(compile(preparation(), "<preparation>", "exec"), space)
        self.spaces = [space]

    def run_forked(
        self, cells: Sequence[str], *, evaluate: Sequence[str] = (), seconds: float | None = None
    ) -> tuple[list[CellResult], list[Evaluation]]:
        space = _copy_of(self.spaces[-1])
        results = []
        plt.close("all")
        for cell in cells:
            self.runs.append(cell)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    exec(compile(cell, "<cell>", "exec"), space)
                except Exception as error:  # noqa: BLE001 - any exception is the result of the cell
                    results.append(CellResult((), CellError(type(error).__name__, str(error)), "error"))
                    plt.close("all")
                    return results, []
            said = "".join(str(item.message) for item in caught)
            stream = ({"output_type": "stream", "name": "stderr", "text": said},) if said else ()
            results.append(CellResult((*stream, *map(_picture, plt.get_fignums()))))
        plt.close("all")
        return results, [Evaluation(text, space.get(text)) for text in evaluate]

    def run(self, code: str, *, seconds: float | None = None) -> CellResult:
        space = self.spaces[-1]
        try:
            exec(compile(code, "<shared>", "exec"), space)
        except Exception as error:  # noqa: BLE001 - any exception is the result of the cell
            return CellResult((), CellError(type(error).__name__, str(error)), "error")
        pictures = tuple(map(_picture, plt.get_fignums()))
        plt.close("all")
        self.shared.append(code)
        return CellResult(pictures)

    def evaluate(self, expressions: Sequence[str]) -> list[Evaluation]:
        return [Evaluation(text, eval(text, self.spaces[-1])) for text in expressions]

    @contextmanager
    def copied(self) -> Iterator[None]:
        self.spaces.append(_copy_of(self.spaces[-1]))
        try:
            yield
        finally:
            self.spaces.pop()

    def close(self) -> None:
        plt.close("all")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _copy_of(space: dict[str, Any]) -> dict[str, Any]:
    """Return a namespace whose frames can be changed without harm to the first."""
    return {name: value.copy() if isinstance(value, pd.DataFrame) else value for name, value in space.items()}


def _picture(number: int) -> dict[str, Any]:
    data = io.BytesIO()
    plt.figure(number).savefig(data, format="png", dpi=20)
    text = base64.b64encode(data.getvalue()).decode()
    return {"output_type": "display_data", "data": {"image/png": text}, "metadata": {}}


@pytest.fixture
def session(frame: pd.DataFrame) -> InProcessSession:
    return InProcessSession(frame)
