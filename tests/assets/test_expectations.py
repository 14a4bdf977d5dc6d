"""Expectations that a previous card gives: another draw meets them, a changed table does not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from assets.checks.expectations import suite_of, unmet_by
from lakebook.sources.card import SourceUnit
from lakebook.sources.map_lake import map_lake
from lakebook.sources.scan import scan

# Great Expectations imports modules that Python itself calls deprecated.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def frame(seed: int) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    price = pd.Series(random.lognormal(3, 0.5, 200).round(2))
    price[:10] = None
    return pd.DataFrame({"shop": random.choice(["N", "S", "W"], 200), "price": price})


@pytest.fixture
def unit(tmp_path: Path) -> SourceUnit:
    lake = tmp_path / "lake"
    lake.mkdir()
    frame(1).to_csv(lake / "a.csv", index=False)
    ((_, found),) = map_lake(lake, scan(lake), tmp_path / "state").tables()
    return found


def test_another_draw_meets_them(unit: SourceUnit) -> None:
    assert unmet_by(frame(2), "a", suite_of(unit)) == []


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda table: table.rename(columns={"price": "cost"}), "match_set"),
        (lambda table: table.assign(price=table.price * 100), "median"),
        (lambda table: table.assign(shop="east"), "in_set"),
        (lambda table: table.assign(price=table.price.where(table.index > 100)), "not_be_null"),
    ],
)
def test_a_changed_table_does_not(unit: SourceUnit, change: object, named: str) -> None:
    unmet = unmet_by(change(frame(2)), "a", suite_of(unit))  # type: ignore[operator]
    assert any(named in text for text in unmet), unmet
