"""Time methods: planted truth is found, noise is not, gaps and edges are handled as documented."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lakebook.analyst.methods.forecasting import baseline_errors, episodes, memory, unusual_points
from lakebook.analyst.methods.season import ar1_paths, expected_path, lag_one, season_test, seasonality
from lakebook.analyst.methods.time import fill_gaps, matched_change, on_grid, smooth, time_series, timeline
from lakebook.analyst.methods.trend import level_shift, pelt, robust_lag_one, trend


def weekly(values: np.ndarray, start: str = "2015-01-04") -> pd.Series:
    return pd.Series(values, index=pd.date_range(start, periods=len(values), freq="7D"), dtype=float)


def noise(n: int, rho: float, seed: int) -> np.ndarray:
    return ar1_paths(rho, n, 1, seed)[0] * np.sqrt(1 - rho**2)


YEAR = 2 * np.pi * np.arange(281) / 52.18


class TestTimeSeries:
    def frame(self) -> pd.DataFrame:
        days = pd.to_datetime(["2020-01-05", "2020-01-05", "2020-01-12", "2020-01-12", "2020-01-26"])
        return pd.DataFrame({"day": days, "price": [1.0, 3.0, 2.0, 2.0, 4.0], "sold": [1, 3, 1, 1, 2]})

    def test_weighted_mean(self) -> None:
        series = time_series(self.frame(), "day", "week", "price", how="mean", weight="sold")
        assert series.iloc[0] == pytest.approx(2.5)

    def test_plain_mean(self) -> None:
        assert time_series(self.frame(), "day", "week", "price", how="mean").iloc[0] == pytest.approx(2.0)

    def test_missing_step_stays_blank(self) -> None:
        series = time_series(self.frame(), "day", "week", "sold", how="sum")
        assert len(series) == 4
        assert np.isnan(series.iloc[2])
        assert series.iloc[3] == 2

    def test_empty_step_of_events_is_zero(self) -> None:
        days = pd.to_datetime(["2020-01-01", "2020-01-31", "2020-03-01", "2020-03-31"])
        series = time_series(pd.DataFrame({"day": days}), "day", "month", events=True)
        assert series.tolist() == [2.0, 0.0, 2.0]

    def test_partial_ends_of_events_are_left_out(self) -> None:
        days = pd.date_range("2020-01-20", "2020-04-10", freq="D")
        series = time_series(pd.DataFrame({"day": days}), "day", "month", events=True)
        assert [str(day.date()) for day in series.index] == ["2020-02-01", "2020-03-01"]

    def test_full_ends_stay(self) -> None:
        days = pd.date_range("2020-01-01", "2020-03-31", freq="D")
        assert len(time_series(pd.DataFrame({"day": days}), "day", "month", events=True)) == 3

    def test_off_grid_stamp_is_snapped_and_not_added_twice(self) -> None:
        days = [*pd.date_range("2020-01-05", periods=9, freq="7D"), pd.Timestamp("2020-02-03")]
        frame = pd.DataFrame({"day": days, "sold": 10.0})
        series = time_series(frame, "day", "week", "sold", how="sum")
        assert len(series) == 9
        assert series.max() == 10.0

    def test_whole_numbers_are_years(self) -> None:
        series = time_series(
            pd.DataFrame({"y": [2001, 2002, 2002], "v": [1, 2, 3]}), "y", "year", "v", how="sum"
        )
        assert series.tolist() == [1.0, 5.0]

    def test_no_rows(self) -> None:
        frame = pd.DataFrame({"day": pd.to_datetime([]), "v": []})
        assert time_series(frame, "day", "week", "v", how="sum").empty

    def test_blank_values_are_left_out(self) -> None:
        frame = self.frame().assign(price=[np.nan, 3.0, 2.0, 2.0, 4.0])
        assert time_series(frame, "day", "week", "price", how="mean").iloc[0] == 3.0

    @pytest.mark.parametrize(
        ("step", "wanted"), [("day", "2020-05-17"), ("month", "2020-05-01"), ("year", "2020-01-01")]
    )
    def test_grid(self, step: str, wanted: str) -> None:
        moved = on_grid(pd.Series(pd.to_datetime(["2020-05-17 13:40"])), step)
        assert str(moved.iloc[0].date()) == wanted


class TestGaps:
    def test_short_gap_is_filled_for_methods(self) -> None:
        series = weekly(np.arange(100.0))
        series.iloc[50] = np.nan
        filled = fill_gaps(series, 52)
        assert filled is not None
        assert filled.iloc[50] == pytest.approx(50.0)

    def test_long_gap_is_not(self) -> None:
        series = weekly(np.arange(100.0))
        series.iloc[40:60] = np.nan
        assert fill_gaps(series, 52) is None

    def test_long_gap_falls_back_to_waves(self) -> None:
        series = weekly(10 + np.sin(YEAR))
        series.iloc[100:120] = np.nan
        _, season, how = expected_path(series, "week")
        assert "sine waves" in how
        assert season.max() == pytest.approx(1.0, abs=0.05)

    def test_few_cycles_fall_back_to_trend(self) -> None:
        _, season, how = expected_path(weekly(np.arange(60.0)), "week")
        assert "without a season" in how
        assert (season == 0).all()

    def test_smooth_is_blank_at_gaps(self) -> None:
        series = weekly(np.arange(50.0))
        series.iloc[10:14] = np.nan
        assert smooth(series).isna().sum() == 4


class TestTimeline:
    def test_extremes_and_years(self) -> None:
        values = np.full(281, 10.0)
        values[60], values[200] = 30.0, 1.0
        facts, years = timeline(weekly(values), "week")
        assert facts["high"] == 30.0
        assert facts["low_at"] == str(weekly(values).index[200].date())
        assert facts["full_years"] == [2015, 2016, 2017, 2018, 2019]
        assert not years.loc[2020, "full"]

    def test_too_short(self) -> None:
        assert timeline(weekly(np.ones(2)), "week")[0]["enough"] is False

    def test_years_with_too_few_rows_are_not_compared(self) -> None:
        values = np.r_[np.full(52, 1.0), np.full(104, 100.0), np.full(52, 120.0)]
        series = weekly(values + np.arange(208) % 3)
        years = sorted({int(year) for year in series.index.year})
        assert timeline(series, "week")[0]["first_year"] == years[0]
        facts, table = timeline(series, "week", years_to_compare=years[1:])
        assert facts["first_year"] == years[1]
        assert not table.loc[years[0], "full"]


class TestMatchedChange:
    def test_growth_on_shared_steps_against_raw_fall(self) -> None:
        index = pd.date_range("2019-01-01", "2020-05-01", freq="MS")
        series = pd.Series([10.0] * 4 + [30.0] * 8 + [11.0] * 5, index=index)
        facts = matched_change(series, 2019, 2020, "month", total=True)
        assert facts["matched_steps"] == 5
        assert facts["raw_change"] < -0.5
        assert facts["change"] == pytest.approx(55 / 70 - 1)

    def test_no_level_above_zero_gives_no_change(self) -> None:
        index = pd.date_range("2019-01-01", periods=24, freq="MS")
        assert "change" not in matched_change(pd.Series(0.0, index=index), 2019, 2020, "month")

    def test_years_without_common_steps(self) -> None:
        index = pd.date_range("2019-01-01", periods=3, freq="MS")
        assert matched_change(pd.Series(1.0, index=index), 2019, 2020, "month")["matched_steps"] == 0


class TestSeason:
    def test_planted_season_is_found_with_its_peak(self) -> None:
        facts, profile = seasonality(weekly(10 + np.sin(YEAR) + 0.3 * noise(281, 0.3, 1)), "week")
        assert facts["seasonal"]
        assert facts["peak"] in ("March", "April")
        assert facts["trough"] in ("September", "October")
        assert facts["amplitude"] == pytest.approx(2.0, rel=0.25)
        assert list(profile.index[:2]) == ["January", "February"]

    def test_monthly_season(self) -> None:
        index = pd.date_range("2014-01-01", periods=60, freq="MS")
        values = 100 + 20 * (index.month == 11) + np.random.default_rng(0).normal(size=60)
        facts, _ = seasonality(pd.Series(values, index=index), "month")
        assert facts["seasonal"]
        assert facts["peak"] == "November"
        assert facts["peak_share"] == 1.0

    def test_week_of_days(self) -> None:
        index = pd.date_range("2020-01-06", periods=140, freq="D")
        values = (index.day_of_week == 5) * 3.0 + np.random.default_rng(0).normal(size=140)
        facts, _ = seasonality(pd.Series(values, index=index), "day")
        assert facts["cycle"] == "week"
        assert facts["peak"] == "Saturday"

    @pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
    def test_noise_is_silent_mostly(self, rho: float) -> None:
        found = sum(
            seasonality(weekly(noise(169, rho, 50 + seed)), "week", draws=39)[0]["seasonal"]
            for seed in range(12)
        )
        assert found <= 2

    @pytest.mark.parametrize("rho", [0.0, 0.86])
    def test_size_of_the_test(self, rho: float) -> None:
        ps = [season_test(weekly(noise(169, rho, seed)), 52.18, draws=99)["p"] for seed in range(60)]
        assert sum(p < 0.05 for p in ps) <= 9

    def test_one_cycle_is_too_few(self) -> None:
        facts, _ = seasonality(weekly(np.sin(YEAR[:60])), "week")
        assert facts["enough"] is False

    def test_constant(self) -> None:
        assert seasonality(weekly(np.ones(200)), "week")[0]["enough"] is False

    def test_same_result_twice(self) -> None:
        series = weekly(10 + np.sin(YEAR) + noise(281, 0.5, 3))
        assert seasonality(series, "week")[0] == seasonality(series, "week")[0]


class TestTrend:
    def test_planted_slope(self) -> None:
        facts = trend(weekly(10 + 2 * np.arange(281) / 52.18 + noise(281, 0.3, 5)), "week")
        assert facts["low"] < 2 < facts["high"]
        assert facts["low"] > 0
        assert facts["p"] < 0.05

    def test_slope_survives_a_season(self) -> None:
        facts = trend(weekly(10 + np.arange(281) / 52.18 + 3 * np.sin(YEAR) + noise(281, 0.2, 6)), "week")
        assert facts["slope"] == pytest.approx(1.0, abs=0.25)

    @pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
    def test_noise_is_silent_mostly(self, rho: float) -> None:
        results = [trend(weekly(10 + noise(169, rho, 900 + seed)), "week", draws=99) for seed in range(20)]
        found = [
            r
            for r in results
            if r["p"] < 0.05 and (r["low"] > 0 or r["high"] < 0) and abs(r["change_share"]) >= 0.05
        ]
        assert len(found) <= 3

    def test_bent(self) -> None:
        values = np.concatenate([np.linspace(0, 10, 140), np.linspace(10, 0, 141)]) + noise(281, 0, 7) / 5
        assert trend(weekly(values), "week")["bent"]

    def test_short_and_constant(self) -> None:
        assert trend(weekly(np.arange(5.0)), "week")["enough"] is False
        assert trend(weekly(np.ones(50)), "week")["enough"] is False

    def test_long_series_is_thinned(self) -> None:
        index = pd.date_range("2010-01-01", periods=3000, freq="D")
        facts = trend(pd.Series(np.arange(3000) / 365.25 + 5, index=index), "day", draws=19)
        assert facts["slope"] == pytest.approx(1.0, rel=0.02)


class TestShift:
    def test_planted_step(self) -> None:
        values = noise(200, 0.3, 8) + np.where(np.arange(200) >= 120, 3.0, 0.0) + 20
        facts, level = level_shift(weekly(values), "week")
        found = pd.Timestamp(facts["shifts"][0]["date"])
        assert facts["count"] == 1
        assert facts["firm"]
        assert abs((found - level.index[120]).days) <= 14
        assert facts["p"] <= 0.05

    def test_persistent_noise_dates_nothing_firmly(self) -> None:
        found = 0
        for seed in range(12):
            facts, _ = level_shift(weekly(noise(169, 0.9, 300 + seed)), "week")
            found += facts["count"] > 0 and facts["firm"] and facts["p"] <= 0.05
        assert found <= 1

    def test_short(self) -> None:
        assert level_shift(weekly(np.arange(30.0)), "week")[0]["enough"] is False

    def test_pelt_cuts_where_the_mean_moves(self) -> None:
        assert pelt(np.repeat([0.0, 5.0, 1.0], 20), penalty=3.0, shortest=5) == [20, 40]

    def test_pelt_leaves_a_flat_series_whole(self) -> None:
        assert pelt(np.zeros(50), penalty=3.0, shortest=5) == []

    def test_a_step_does_not_inflate_the_robust_correlation(self) -> None:
        values = noise(400, 0.0, 9) + np.where(np.arange(400) > 200, 20.0, 0.0)
        assert robust_lag_one(values) < 0.3
        assert lag_one(values) > 0.9


class TestUnusual:
    def test_planted_spike(self) -> None:
        values = 10 + np.sin(YEAR) + 0.2 * noise(281, 0.2, 11)
        values[77] += 4
        facts, points = unusual_points(weekly(values), "week")
        assert facts["top"][0]["date"] == str(weekly(values).index[77].date())
        assert points["unusual"].sum() == facts["unusual"] >= 1
        assert facts["beyond_three_sd"] >= 1

    def test_noise_flags_no_more_than_chance(self) -> None:
        counts = [unusual_points(weekly(noise(169, 0.5, s)), "week", draws=9)[0]["unusual"] for s in range(8)]
        assert np.mean(counts) < 1.0

    def test_constant_has_no_spread(self) -> None:
        assert unusual_points(weekly(np.ones(60)), "week")[0]["enough"] is False

    def test_episode_with_one_exception(self) -> None:
        z = weekly(np.array([0, 3, 3, 1, 3, 3, 0, 0, -3, -3, 0], dtype=float))
        found = episodes(z)
        assert len(found) == 1
        assert found[0]["steps"] == 5
        assert found[0]["side"] == "above"


class TestMemory:
    def test_persistence_and_half_life(self) -> None:
        facts, acf = memory(weekly(noise(281, 0.8, 12)), "week")
        assert facts["rho"] == pytest.approx(0.8, abs=0.12)
        assert facts["half_life"] == pytest.approx(np.log(0.5) / np.log(facts["rho"]))
        assert acf.iloc[0] == pytest.approx(1.0)

    def test_random_walk_is_a_unit_root(self) -> None:
        walk = np.cumsum(np.random.default_rng(4).normal(size=281))
        assert memory(weekly(walk), "week")[0]["kind"] in ("a unit root", "undecided")

    def test_white_noise_is_stable(self) -> None:
        facts, _ = memory(weekly(noise(281, 0.0, 13)), "week")
        assert facts["kind"] == "stable around a line"
        assert facts["first_quiet_lag"] <= 3


class TestBaselines:
    def test_last_value_wins_on_a_walk_and_season_on_a_season(self) -> None:
        walk = np.cumsum(np.random.default_rng(1).normal(size=281)) + 50
        near, _ = baseline_errors(weekly(walk), "week")
        assert near["best"][0] in ("last value", "drift")
        season, errors = baseline_errors(weekly(10 + 5 * np.sin(YEAR) + 0.1 * noise(281, 0, 2)), "week")
        assert season["best"][season["horizons"].index(26)] == "same season last cycle"
        assert (errors["origins"] >= 20).all()

    def test_errors_are_mean_absolute_errors(self) -> None:
        facts, errors = baseline_errors(weekly(np.arange(281.0)), "week")
        assert errors.loc[4, "last value"] == pytest.approx(4.0)
        assert errors.loc[4, "drift"] == pytest.approx(0.0, abs=1e-9)
        assert facts["same_everywhere"]

    def test_short(self) -> None:
        assert baseline_errors(weekly(np.arange(12.0)), "week")[0]["enough"] is False
