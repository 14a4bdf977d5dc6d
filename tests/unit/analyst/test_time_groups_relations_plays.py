"""The plays of time, groups and relations from end to end: the code runs alone, claims hold, figures pass.

Each table is planted; its code is run as a notebook would run it, with only the embedded methods, and every
claim of every sentence is recomputed from what the code left.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

mpl.use("Agg")

import matplotlib.pyplot as plt

from lakebook.analyst.figure_lint import lint
from lakebook.analyst.intent import Intent
from lakebook.analyst.methods import method_source
from lakebook.analyst.play import Candidate, FindingDraft, Play
from lakebook.analyst.plays import all_plays
from lakebook.analyst.render import shown_as
from lakebook.analyst.table import Structure, Table

PLAYS = [play for play in all_plays() if play.id[0] in "TGR"]
BANNED = re.compile(
    r"\b(drives?|causes?|caused|due to|impact of|because of|leads to|results in)\b", re.IGNORECASE
)

MakeTable = Callable[[pd.DataFrame], Table]


@cache
def _embedded(methods: tuple[str, ...]) -> str:
    return method_source(methods)


def run(
    play: Play, candidate: Candidate, table: Table, frame: pd.DataFrame, intent: Intent
) -> tuple[dict[str, Any], FindingDraft]:
    cells = play.compute(candidate, table)
    space: dict[str, Any] = {
        "df": frame,
        "base": frame.copy(),
        "np": np,
        "pd": pd,
        "plt": plt,
        "stats": stats,
        "sm": sm,
    }
    exec(_embedded(cells.methods), space)
    exec(cells.compute, space)
    facts = json.loads(json.dumps(space[candidate.key], allow_nan=False))
    return space, play.read(candidate, facts, table, intent)


def check_finding(finding: FindingDraft, space: dict[str, Any]) -> None:
    assert len(finding.title) <= 80
    assert not re.search(r"\d", re.sub("“[^”]*”", "", finding.title)), finding.title
    assert 0 <= finding.effect <= 1
    assert 0 <= finding.reliability <= 1
    assert finding.insights
    for insight in finding.insights:
        names = re.findall(r"\{(\w+)\}", insight.template)
        assert set(names) == {claim.name for claim in insight.claims}
        bare = re.sub(r"`[^`]*`|“[^”]*”|\{\w+\}", "", insight.template)
        assert not re.search(r"\d", bare), insight.template
        assert not BANNED.search(insight.template), insight.template
        for claim in insight.claims:
            value = eval(claim.expression, space)
            shown_as(claim, value.item() if isinstance(value, np.generic) else value)


def check_figure(code: str, space: dict[str, Any]) -> None:
    plt.close("all")
    before = {name: space[name].copy() for name in ("df", "base")}
    exec(code, space)
    assert len(plt.get_fignums()) == 1
    errors = [finding for finding in lint(plt.gcf()) if finding.level == "error"]
    assert errors == []
    for name, frame in before.items():
        pd.testing.assert_frame_equal(space[name], frame)


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    plt.close("all")


def panel() -> pd.DataFrame:
    """Twelve shops in three regions, weekly: price with season and trend, volume that answers it."""
    rng = np.random.default_rng(0)
    weeks = pd.date_range("2015-01-04", periods=281, freq="7D").delete(range(204, 208))
    rows = []
    for shop in range(12):
        kind = "organic" if shop % 2 else "plain"
        level = 1.0 + 0.5 * (shop % 2) + 0.02 * shop
        t = (weeks - weeks[0]).days.to_numpy() / 365.25
        price = level + 0.25 * np.sin(2 * np.pi * t) + 0.06 * t + rng.normal(0, 0.05, len(weeks))
        volume = np.exp(8 - 1.5 * np.log(price) + rng.normal(0, 0.1, len(weeks)))
        rows.append(
            pd.DataFrame(
                {"week": weeks, "shop": f"shop {shop}", "kind": kind, "price": price, "volume": volume}
            )
        )
    return pd.concat(rows, ignore_index=True)


def orders() -> pd.DataFrame:
    """Order lines: a discount beyond a threshold makes a loss; one category loses on the whole."""
    rng = np.random.default_rng(1)
    n = 3000
    order = np.sort(rng.integers(0, 1500, n))
    days = pd.to_datetime("2016-01-01") + pd.to_timedelta(
        np.sort(rng.integers(0, 1096, 1500))[order], unit="D"
    )
    discount = rng.choice([0.0, 0.1, 0.2, 0.3, 0.5], n, p=[0.4, 0.2, 0.2, 0.1, 0.1])
    category = rng.choice(["chairs", "paper", "tables"], n)
    sales = np.exp(rng.normal(4, 1, n))
    margin = 0.3 - discount - 0.35 * (category == "tables") + rng.normal(0, 0.1, n)
    return pd.DataFrame({
        "order_id": [f"o{i}" for i in order], "order_date": days, "category": category,
        "segment": rng.choice(["home", "office"], 1500)[order], "sales": sales.round(2),
        "discount": discount, "quantity": rng.integers(1, 9, n), "profit": (sales * margin).round(2),
    })  # fmt: skip


def catalogue() -> pd.DataFrame:
    """Entries that come in over the years, one type gaining share."""
    rng = np.random.default_rng(2)
    n = 2400
    days = pd.to_datetime("2015-01-01") + pd.to_timedelta(
        np.sort((rng.random(n) ** 0.6 * 2190).astype(int)), unit="D"
    )
    share = 0.2 + 0.5 * np.arange(n) / n
    kind = np.where(rng.random(n) < share, "show", "film")
    rating = np.where((kind == "film") & (rng.random(n) < 0.5), "adult", rng.choice(["all", "teen"], n))
    return pd.DataFrame({"entry": [f"e{i}" for i in range(n)], "added": days, "kind": kind, "rating": rating})


def noise() -> pd.DataFrame:
    """A panel in which nothing is going on."""
    rng = np.random.default_rng(3)
    weeks = pd.date_range("2015-01-04", periods=200, freq="7D")
    frame = pd.DataFrame({"week": np.repeat(weeks, 12), "shop": [f"shop {i}" for i in range(12)] * 200})
    frame["kind"] = np.where(frame["shop"].str[-1].isin(list("02468")), "organic", "plain")
    frame["price"] = 2 + rng.normal(0, 0.2, len(frame))
    frame["volume"] = 1000 * np.exp(rng.normal(0, 0.2, len(frame)))
    return frame


WEEKLY = Structure(
    key=("week", "shop"), time="week", time_step="week", period_complete=(2015, 2016, 2017, 2018),
    entities=("shop",),
    weights=(("price", "volume"),), determined=(("shop", "kind"),),
)  # fmt: skip
SCENES: dict[str, tuple[Callable[[], pd.DataFrame], Structure, Intent]] = {
    "panel": (panel, WEEKLY, Intent("forecast price", "forecast", target="price", columns=("price",))),
    "orders": (
        orders,
        Structure(
            time="order_date", time_step="day", period_complete=(2016, 2017, 2018), coarse_key="order_id"
        ),
        Intent(
            "why do we lose profit",
            "regress",
            others=("compare",),
            target="profit",
            columns=("profit", "category"),
        ),
    ),
    "catalogue": (
        catalogue,
        Structure(
            key=("entry",),
            time="added",
            time_step="day",
            period_complete=(2015, 2016, 2017, 2018, 2019, 2020),
        ),
        Intent("describe", "describe"),
    ),
    "noise": (noise, WEEKLY, Intent("forecast price", "forecast", target="price", columns=("price",))),
}


def scene(name: str, table_of: MakeTable) -> tuple[pd.DataFrame, Table, Intent]:
    make, structure, intent = SCENES[name]
    frame = make()
    return frame, table_of(frame).with_structure(structure), intent


def findings(name: str, table_of: MakeTable) -> dict[str, FindingDraft]:
    frame, table, intent = scene(name, table_of)
    found = {}
    for play in PLAYS:
        for candidate in play.propose(table, intent).candidates:
            found[f"{play.id} {candidate.key}"] = run(play, candidate, table, frame, intent)[1]
    return found


@pytest.mark.parametrize("name", list(SCENES))
@pytest.mark.parametrize("play", PLAYS, ids=lambda play: play.id)
def test_code_runs_alone_claims_hold_and_figures_pass(name: str, play: Play, table_of: MakeTable) -> None:
    frame, table, intent = scene(name, table_of)
    proposal = play.propose(table, intent)
    assert proposal.candidates or proposal.reason
    for candidate in proposal.candidates:
        assert candidate.key.isidentifier()
        assert set(candidate.columns) <= set(frame.columns)
        space, finding = run(play, candidate, table, frame, intent)
        check_finding(finding, space)
        code = play.figure(candidate, space[candidate.key], table)
        if code:
            check_figure(code, space)


def test_planted_truth_of_the_panel(table_of: MakeTable) -> None:
    found = findings("panel", table_of)
    assert found["T02 season_of_price"].verdict == "supported"
    assert found["T02 season_of_price"].title in (
        "Price peaks in March",
        "Price peaks in April",
        "Price peaks in March and April",
    )
    assert found["T04 trend_of_price"].title == "Price rises over the years"
    assert found["G01 price_by_kind"].title == "Price is highest for organic"
    assert found["R02 partner_of_price"].title == "Where volume is higher, price tends to be lower"
    assert found["T09 like_for_like_price"].insights[-1].caution


def test_planted_truth_of_the_orders(table_of: MakeTable) -> None:
    found = findings("orders", table_of)
    assert (
        found["G10 profit_over_discount"].title
        == "Beyond a threshold of discount, profit is negative on average"
    )
    assert found["G02 profit_from_category"].title == "Tables adds up to a loss of profit"
    assert found["G03 profit_rate_by_category"].title == "Per sales, tables yields the least profit"
    assert found["G01 profit_by_segment"].verdict == "not_supported"


def test_planted_truth_of_the_catalogue(table_of: MakeTable) -> None:
    found = findings("catalogue", table_of)
    assert found["G09 shares_of_kind"].verdict == "supported"
    assert found["G08 kind_and_rating"].verdict == "supported"
    assert found["T01 course_of_rows"].verdict == "supported"


def test_noise_supports_nothing_but_descriptions(table_of: MakeTable) -> None:
    descriptive = ("T01", "T08", "G02")
    found = findings("noise", table_of)
    supported = [key for key, finding in found.items() if finding.verdict == "supported"]
    assert [key for key in supported if not key.startswith(descriptive)] == []


def test_tests_are_logged(table_of: MakeTable) -> None:
    for key, finding in findings("panel", table_of).items():
        if key.startswith(("T02", "T04", "T07", "G01", "G06", "R01", "R02")):
            assert finding.tests, key
            assert all(0 <= test.p <= 1 and test.n > 0 for test in finding.tests)


def test_same_facts_twice_and_whatever_the_order_of_rows(table_of: MakeTable) -> None:
    frame, table, intent = scene("panel", table_of)
    for play in PLAYS:
        for candidate in play.propose(table, intent).candidates[:1]:
            first = run(play, candidate, table, frame, intent)[0][candidate.key]
            again = run(play, candidate, table, frame, intent)[0][candidate.key]
            assert json.dumps(first) == json.dumps(again)


@pytest.mark.parametrize(
    "broken",
    [
        lambda frame: frame.head(0),
        lambda frame: frame.head(7),
        lambda frame: frame.assign(price=1.0, volume=1.0),
        lambda frame: frame.assign(price=np.nan),
        lambda frame: frame.assign(kind="one", shop="one"),
    ],
    ids=["no rows", "seven rows", "constant", "all blank", "one group"],
)
def test_data_that_is_not_as_the_profile_says(
    broken: Callable[[pd.DataFrame], pd.DataFrame], table_of: MakeTable
) -> None:
    """Code is planned on a profile; it must still end with a reason when the rows say otherwise."""
    frame, table, intent = scene("panel", table_of)
    bad = broken(frame)
    for play in PLAYS:
        for candidate in play.propose(table, intent).candidates:
            space, finding = run(play, candidate, table, bad, intent)
            check_finding(finding, space)
            code = play.figure(candidate, space[candidate.key], table)
            if code:
                check_figure(code, space)


def test_table_without_time_or_numbers_gives_reasons(table_of: MakeTable) -> None:
    table = table_of(pd.DataFrame({"name": ["a", "b", "c"]}))
    for play in PLAYS:
        proposal = play.propose(table, Intent("describe", "describe"))
        assert proposal.candidates == ()
        assert proposal.reason
