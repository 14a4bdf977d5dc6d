"""The map of a lake with settled dates: made once, and not again while nothing changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakebook.sources import profile
from lakebook.sources.map_lake import map_lake
from lakebook.sources.scan import scan


def test_settled_dates_cost_an_unchanged_lake_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake, state = tmp_path / "lake", tmp_path / "state"
    lake.mkdir()
    (lake / "a.csv").write_text("when,n\n01/02/2021,1\n03/04/2021,2\n05/06/2021,3\n", encoding="utf-8")
    (lake / "README.md").write_text("All dates are written DD/MM/YYYY.\n", encoding="utf-8")
    first = map_lake(lake, scan(lake), state)
    card = first.card("a.csv")
    assert card is not None
    assert card.units[0].columns[0].min == "2021-02-01"
    monkeypatch.setattr(profile, "find_groups", lambda cards: pytest.fail("the lake was mapped again"))
    assert map_lake(lake, scan(lake), state) == first


def test_another_setting_settles_them_anew(tmp_path: Path) -> None:
    lake, state = tmp_path / "lake", tmp_path / "state"
    lake.mkdir()
    (lake / "a.csv").write_text("when,n\n01/02/2021,1\n03/04/2021,2\n05/06/2021,3\n", encoding="utf-8")
    read = {}
    for order in ("day", "month", None):
        card = map_lake(lake, scan(lake), state, day_order=order).card("a.csv")  # type: ignore[arg-type]
        assert card is not None
        read[order] = card.units[0].columns[0]
    assert (read["day"].min, read["month"].min) == ("2021-02-01", "2021-01-02")
    assert [read[order].ambiguous_dates for order in ("day", "month", None)] == [False, False, True]
