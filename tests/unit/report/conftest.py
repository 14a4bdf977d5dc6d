"""A small analysis, written by hand, and a session that runs in this process."""

from __future__ import annotations

import ast
import base64
import contextlib
import hashlib
import io
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import matplotlib as mpl
import pytest

from lakebook.analyst.claim import Claim, Insight
from lakebook.analyst.intent import Intent
from lakebook.analyst.plan import Finding, Findings, NotApplicable, Plan
from lakebook.analyst.table import Table, TableColumn
from lakebook.enhancement.enhanced import EnhancedComponent, Repair
from lakebook.notebooks.component import Component
from lakebook.report.document import NotebookDocument, ReusedComponent
from lakebook.retrieval.result import Correspondence, RetrievedComponent
from lakebook.sandbox.base import CellError, CellResult, Evaluation
from lakebook.sources.card import Column, SourceCard, SourceUnit

mpl.use("agg")


class InProcessSession:
    """Runs cells with `exec`; enough of a kernel for notebooks that we wrote."""

    def __init__(self, data_dir: Path) -> None:
        self.state: dict[str, Any] = {"__name__": "__main__"}
        self.ran: list[str] = []
        self.inputs = {"data": str(data_dir)}
        exec(f"import os\nos.environ['LAKEBOOK_DATA_DIR'] = {str(data_dir)!r}", self.state)

    def run(self, code: str, *, seconds: float | None = None) -> CellResult:
        import matplotlib.pyplot as plt

        self.ran.append(code)
        printed, outputs = io.StringIO(), []
        tree = ast.parse(code)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(tree, "<cell>", "exec"), self.state)
                shown = (
                    eval(compile(ast.Expression(last.value), "<cell>", "eval"), self.state) if last else None
                )
        except Exception as error:  # noqa: BLE001 - what a kernel does
            outputs.append(
                {"output_type": "error", "ename": type(error).__name__, "evalue": str(error), "traceback": []}
            )
            return CellResult(
                tuple(outputs), CellError(type(error).__name__, str(error), ("line 1",)), "error"
            )
        if printed.getvalue():
            outputs.append({"output_type": "stream", "name": "stdout", "text": printed.getvalue()})
        if shown is not None:
            data = {"text/plain": repr(shown)}
            if hasattr(shown, "_repr_html_"):
                data["text/html"] = shown._repr_html_()
            outputs.append(
                {"output_type": "execute_result", "data": data, "metadata": {}, "execution_count": None}
            )
        for number in plt.get_fignums():
            picture = io.BytesIO()
            plt.figure(number).savefig(picture, format="png", metadata={"Software": None})
            encoded = base64.b64encode(picture.getvalue()).decode()
            outputs.append({"output_type": "display_data", "data": {"image/png": encoded}, "metadata": {}})
        plt.close("all")
        return CellResult(tuple(outputs))

    def evaluate(self, expressions: Sequence[str]) -> list[Evaluation]:
        found = []
        for expression in expressions:
            try:
                value = eval(expression, self.state)
            except Exception as error:  # noqa: BLE001
                found.append(Evaluation(expression, None, f"{type(error).__name__}: {error}"))
                continue
            value = value.item() if hasattr(value, "item") else value
            found.append(
                Evaluation(expression, None if isinstance(value, float) and math.isnan(value) else value)
            )
        return found

    def run_forked(
        self, cells: Sequence[str], *, evaluate: Sequence[str] = (), seconds: float | None = None
    ) -> tuple[list[CellResult], list[Evaluation]]:
        raise NotImplementedError

    def close(self) -> None:
        self.state.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """A folder with one file: weekly prices of two regions, a blank line and a rejected row left out."""
    folder = tmp_path / "lake"
    folder.mkdir()
    lines = ["week,region,unit_price,sold"]
    for week in range(40):
        for region, base in (("North", 1.2), ("South & <East>", 1.5)):
            price = base + 0.3 * math.sin(2 * math.pi * week / 20) + 0.04 * week
            lines.append(f"{week},{region},{price:.3f},{100 + (week * 37) % 50}")
    (folder / "prices.csv").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "old notebooks"
    folder.mkdir()
    (folder / "weekly (old).ipynb").write_text("{}")
    return folder


def claim(number: int, kind: str, expression: str, value: Any, shown: str, spec: str = "") -> Claim:
    return Claim(
        f"c{number:03d}", f"v{number}", kind, expression, value, shown, spec, "r003", ("unit_price",), 80
    )  # type: ignore[arg-type]


def insight(number: int, text: str, *claims: Claim, **more: Any) -> Insight:
    return Insight(f"i{number:03d}", "s01", text, text, claims, more.pop("verdict", "verified"), **more)


@pytest.fixture
def document(lake: Path, corpus: Path, tmp_path: Path) -> NotebookDocument:
    """A document with two published findings, one left out, one reused component and one that failed."""
    data = (lake / "prices.csv").read_bytes()
    sha256 = hashlib.sha256(data).hexdigest()
    names = ("week", "region", "unit_price", "sold")
    columns = tuple(TableColumn(n, "number", "flow", 0, 40) for n in names)
    load = 'df = pd.read_csv(DATA_DIR / "prices.csv")'
    table = Table("prices.csv", "prices.csv", "", sha256, 80, 81, columns, load)
    level = Finding(
        step="s01",
        play="T01",
        key="trend_unit_price",
        title="Prices rise over the weeks",
        goal="Do prices rise?",
        method="Means of the first and the last ten weeks.",
        compute="trend_unit_price_weeks = base.groupby('week')['unit_price'].mean()\n"
        "trend_unit_price = {'first': float(trend_unit_price_weeks.iloc[:10].mean()),"
        " 'last': float(trend_unit_price_weeks.iloc[-10:].mean())}\ntrend_unit_price",
        figure="fig, ax = plt.subplots(figsize=(7.2, 3.8))\nax.plot(trend_unit_price_weeks)\n"
        "ax.set_title('Prices rise over the weeks', loc='left')\nplt.show()",
        methods=(),
        columns=("week", "unit_price"),
        record="r003",
        verdict="supported",
        score=0.9,
        population="80 of 80 rows, none left out",
        tests=2,
        insights=(
            insight(
                1,
                "The mean price rises from 1.72 to 2.54.",
                claim(1, "number", "trend_unit_price['first']", 1.7194, "1.72", ".2f"),
                claim(2, "number", "trend_unit_price['last']", 2.5406, "2.54", ".2f"),
            ),
            insight(
                2,
                "Rows with $5 or more are rare: 0.",
                claim(3, "absence", "(base['unit_price'] < 5).all()", True, "rare"),
                claim(4, "number", "int((base['unit_price'] >= 5).sum())", 0, "0", ",d"),
            ),
            insight(
                3, "Only 2 cycles of the season are seen.", claim(5, "number", "2", 2, "2", "d"), caution=True
            ),
            insight(4, "This was never computed: 42.", verdict="withheld", reason="the expression failed"),
        ),
        components=("comp1", "comp2"),
    )
    groups = replace(
        level,
        key="groups_region",
        step="s02",
        play="G02",
        title="South & <East> is dearer than North",
        goal="Which region_is dearer?",
        compute="groups_region = base.groupby('region')['unit_price'].mean().to_dict()",
        figure="",
        columns=("region", "unit_price"),
        score=0.7,
        verdict="suggestive",
        components=(),
        insights=(
            insight(
                5,
                "South & <East> costs 25.0% more.",
                claim(
                    6,
                    "number",
                    "groups_region['South & <East>'] / groups_region['North'] - 1",
                    0.15151515151515116,
                    "15.2%",
                    ".1%",
                ),
                claim(
                    7,
                    "label",
                    "max(groups_region, key=groups_region.get)",
                    "South & <East>",
                    "South & <East>",
                ),
            ),
        ),
    )
    groups = replace(groups, insights=(replace(groups.insights[0], text="South & <East> costs 15.2% more."),))
    dropped = replace(level, key="dropped", title="Nothing new", published=False, reason="implied by another")
    intent = Intent(
        "how do prices* move?", "describe", target="unit_price", assumptions=("price is per unit",)
    )
    plan = Plan(intent, table, (), (NotApplicable("T02", "Seasonality", "1.4 cycles, 2 needed"),))
    component = Component(
        "comp1",
        "weekly (old).ipynb",
        3,
        "abc-1",
        (3,),
        (0, 1),
        "",
        "",
        ("AvgPrice",),
        heading="Price by week",
    )
    enhanced = EnhancedComponent(
        "comp1",
        "q1",
        "ok",
        code="def component_comp1():\n    frame = pd.read_csv(DATA_DIR / 'prices.csv')\n"
        "    plt.plot(frame['week'], frame['unit_price'], '.')",
        function="component_comp1",
        repairs=(Repair("column", "df['AvgPrice']", "df['unit_price']"),),
        figures=1,
        columns=("unit_price",),
    )
    retrieved = RetrievedComponent(
        "q1",
        "comp1",
        1,
        "exact",
        0.9,
        (
            Correspondence("AvgPrice", "unit_price", 0.9, "same unit"),
            Correspondence("week", "week", 1.0, "same"),
        ),
        why="it uses the query's columns",
    )
    drawn = insight(6, "The figure shows 80 points.", claim(8, "number", "len(base)", 80, "80", ",d"))
    good = ReusedComponent(component, enhanced, retrieved, (drawn,))
    bad = ReusedComponent(
        replace(component, id="comp2", cell=7, cell_id=""),
        EnhancedComponent("comp2", "q1", "failed", error="KeyError: 'type'"),
        replace(retrieved, component="comp2"),
    )
    unit = SourceUnit(
        "",
        "table",
        "prices",
        80,
        81,
        1,
        0,
        warnings=("1 row could not be read",),
        columns=(Column("week", "week", "integer", "time", 0, 40, warnings=("starts at zero",)),),
    )
    return NotebookDocument(
        title="How prices move",
        intent=intent,
        table=table,
        plan=plan,
        findings=Findings((level, groups, dropped), 9, 3),
        prepare_code="base = df.drop_duplicates()",
        data_dir=lake,
        out_dir=tmp_path / "out",
        reused=(good, bad),
        methods="def mean_of(x):\n    return sum(x) / len(x)\n",
        corpus_dir=corpus,
        answer="Prices move with the season.",
        limits="- Only one file was read.",
        cards=(
            SourceCard(
                "prices.csv", "partial", "csv", len(data), sha256, "1 row was rejected", "utf-8", (unit,)
            ),
        ),
        libraries=(("pandas", "3.1.0"), ("numpy", "2.4.0")),
    )


@pytest.fixture
def new_session(lake: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], InProcessSession]:
    """Start fresh sessions; the environment is put back after the test."""
    monkeypatch.setenv("LAKEBOOK_DATA_DIR", "")
    return lambda: InProcessSession(lake)


@pytest.fixture
def session(new_session: Callable[[], InProcessSession]) -> InProcessSession:
    return new_session()
