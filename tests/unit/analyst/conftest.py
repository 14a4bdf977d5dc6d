"""Tables for the analyst's tests: planted truths, cards as a scan would build them, and a plain kernel."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from matplotlib import pyplot as plt
from scipy import stats

from lakebook.analyst.intent import Intent
from lakebook.analyst.methods import method_names, method_source
from lakebook.analyst.play import Candidate, Cells, Facts, FindingDraft, Play
from lakebook.analyst.profile import table_from_card
from lakebook.analyst.render import render_insight
from lakebook.analyst.table import Table
from lakebook.sources.card import Column, ColumnType, SourceCard, SourceUnit, ValueCount

matplotlib.use("Agg")


def column_type(values: pd.Series) -> ColumnType:
    known = values.dropna()
    if not len(known):
        return "empty"
    if pd.api.types.is_bool_dtype(known):
        return "boolean"
    if pd.api.types.is_datetime64_any_dtype(values):
        return "date"
    if pd.api.types.is_integer_dtype(values):
        return "integer"
    return "number" if pd.api.types.is_numeric_dtype(values) else "text"


def card_column(values: pd.Series) -> Column:
    kind = column_type(values)
    known = values.dropna()
    counts = known.astype(str).value_counts()
    written = {"date": lambda v: str(pd.Timestamp(v).date())}.get(kind, str)
    return Column(
        name=str(values.name),
        original_name=str(values.name),
        type=kind,
        role="text",
        nulls=int(values.isna().sum()),
        distinct=int(known.nunique()),
        min=written(known.min()) if len(known) else None,
        max=written(known.max()) if len(known) else None,
        values=tuple(ValueCount(str(v), int(n)) for v, n in counts.head(60).items()),
        values_complete=len(counts) <= 60,
    )


def table_of_frame(frame: pd.DataFrame) -> Table:
    unit = SourceUnit(
        unit="",
        kind="table",
        table="t",
        rows=len(frame),
        rows_in_file=len(frame),
        columns=tuple(card_column(frame[name]) for name in frame.columns),
        load_code="df = pd.read_csv(DATA_DIR / 't.csv')",
    )
    return table_from_card(SourceCard("t.csv", "ok", "csv", 1, "0" * 64, units=(unit,)), unit)


class Kernel:
    """What a notebook has and nothing else: frames, the four libraries, the methods' source."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.names: dict[str, Any] = {"df": frame, "base": frame, "np": np, "pd": pd, "plt": plt}
        self.names |= {"stats": stats, "sm": sm}
        exec(method_source(method_names()), self.names)

    def run(self, candidate: Candidate, cells: Cells) -> Facts:
        alone = {name: self.names[name] for name in ("df", "base", "np", "pd", "plt", "stats", "sm")}
        exec(method_source(cells.methods), alone)
        exec(cells.compute, alone)
        facts = alone[candidate.key]
        self.names.update(
            {k: v for k, v in alone.items() if k == candidate.key or k.startswith(candidate.key)}
        )
        self.names.update({k: v for k, v in alone.items() if k not in self.names})
        assert json.loads(json.dumps(facts, allow_nan=False)) == facts, "facts must survive JSON"
        return facts

    def tell(self, draft: FindingDraft) -> list[str]:
        """Render every sentence from freshly evaluated claims."""
        said = []
        for insight in draft.insights:
            values = {claim.name: eval(claim.expression, self.names) for claim in insight.claims}
            said.append(render_insight(insight, values)[0])
        return said

    def draw(self, code: str) -> int:
        """Run figure code; return how many figures it left open."""
        exec(code, self.names)
        figures = len(plt.get_fignums())
        for number in plt.get_fignums():
            plt.figure(number).canvas.draw()
        plt.close("all")
        return figures

    def play(self, play: Play, table: Table, intent: Intent) -> list[tuple[Candidate, Facts, FindingDraft]]:
        """Run every candidate of a play."""
        out = []
        for candidate in play.propose(table, intent).candidates:
            facts = self.run(candidate, play.compute(candidate, table))
            out.append((candidate, facts, play.read(candidate, facts, table, intent)))
        return out


@pytest.fixture
def table_of() -> Callable[[pd.DataFrame], Table]:
    """The table that the analyst sees of a frame."""
    return table_of_frame


@pytest.fixture
def kernel_of() -> Iterator[Callable[[pd.DataFrame], Kernel]]:
    """A fresh kernel on a frame."""
    yield Kernel
    plt.close("all")


@pytest.fixture
def describe() -> Intent:
    """The intent that asks for no column."""
    return Intent("describe", "describe")


@pytest.fixture
def panel() -> pd.DataFrame:
    """Weeks × kinds × places: a national total, three regions that make it up, two cities inside one region.

    Planted: a copied week off the grid, a gap of three weeks, a partial last year, prices weighted by volume.
    """
    rng = np.random.default_rng(7)
    weeks = pd.date_range("2019-01-06", periods=130, freq="7D").delete([60, 61, 62])
    rows = []
    for kind in ("plain", "organic"):
        for week in weeks:
            volumes = {
                p: float(np.round(rng.lognormal(m, 0.2), 2))
                for p, m in (("North", 8), ("South", 9), ("East", 7))
            }
            prices = {p: float(np.round(rng.normal(1.2, 0.1), 2)) for p in volumes}
            volumes |= {"Alpha": round(volumes["South"] * 0.3, 2), "Beta": round(volumes["South"] * 0.2, 2)}
            prices |= {"Alpha": round(prices["South"] * 1.1, 2), "Beta": round(prices["South"] * 0.9, 2)}
            parts = ("North", "South", "East")
            total = sum(volumes[p] for p in parts)
            prices["Total"] = round(sum(volumes[p] * prices[p] for p in parts) / total, 2)
            volumes["Total"] = total
            rows += [(week, kind, p, prices[p], volumes[p]) for p in volumes]
    frame = pd.DataFrame(rows, columns=["week", "kind", "place", "price", "volume"])
    copied = frame[frame["week"] == weeks[51]].assign(week=weeks[51] + pd.Timedelta(days=1))
    return pd.concat([frame, copied]).sort_values(["week", "kind", "place"]).reset_index(drop=True)


@pytest.fixture
def orders() -> pd.DataFrame:
    """Order lines: several lines an order, a row counter, a discount that state and product fix."""
    rng = np.random.default_rng(3)
    n = 1200
    order = np.sort(rng.integers(0, 420, n))
    states = np.array(["Ohio", "Texas", "Utah", "Iowa"])[rng.integers(0, 4, 420)]
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.sort(rng.integers(0, 900, 420)), unit="D")
    product = np.array(["Chair", "Desk", "Lamp"])[rng.integers(0, 3, n)]
    levels = [0.0, 0.1, 0.2, 0.3]
    rates = {
        (state, thing): levels[(i + j) % 4]
        for i, state in enumerate(["Ohio", "Texas", "Utah", "Iowa"])
        for j, thing in enumerate(["Chair", "Desk", "Lamp"])
    }
    sales = np.round(rng.lognormal(4, 1, n), 2)
    discount = [rates[s, p] for s, p in zip(states[order], product, strict=True)]
    return pd.DataFrame(
        {
            "Row ID": np.arange(1, n + 1),
            "Order ID": [f"O-{i:04d}" for i in order],
            "Order Date": days[order],
            "State": states[order],
            "Area": np.where(np.isin(states[order], ["Ohio", "Iowa"]), "Middle", "West"),
            "Product": product,
            "Sales": sales,
            "Discount": discount,
            "Profit": np.round(sales * (0.2 - np.array(discount)), 2),
        }
    )


@pytest.fixture
def catalogue() -> pd.DataFrame:
    """Titles: lists in cells, two units in one column, directors that only films have, a misplaced value."""
    rng = np.random.default_rng(5)
    n = 600
    film = rng.random(n) < 0.7
    pool = ["Drama", "Comedy", "Crime", "Family", "Science"]
    genres = [", ".join(rng.choice(pool, size=rng.integers(1, 4), replace=False)) for _ in range(n)]
    length = [f"{rng.integers(60, 150)} min" if f else f"{rng.integers(1, 9)} Seasons" for f in film]
    frame = pd.DataFrame(
        {
            "show_id": [f"s{i}" for i in range(n)],
            "type": np.where(film, "Movie", "TV Show"),
            "director": [f"Director {rng.integers(0, 90)}" if f else None for f in film],
            "date_added": pd.Timestamp("2016-01-01") + pd.to_timedelta(rng.integers(0, 1500, n), unit="D"),
            "rating": rng.choice(["G", "PG", "R"], n),
            "duration": length,
            "genres": genres,
        }
    )
    frame.loc[3, ["rating", "duration"]] = ["74 min", None]
    return frame
