"""Methods of groups: planted truth, null data, rare levels, ties and edges."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lakebook.analyst.methods.groups import (
    by_cluster,
    contribution,
    group_difference,
    median_interval,
    merge_rare,
    rate_by_group,
    shift_between,
    two_categories,
)
from lakebook.analyst.methods.mixture import dose_response, mix_and_rate, pooled_and_within, shares_over_time


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


class TestGroupDifference:
    def frame(self, gap: float, seed: int = 0, n: int = 100) -> pd.DataFrame:
        return pd.DataFrame(
            {
                "g": np.repeat(["a", "b", "c"], n),
                "y": rng(seed).normal(size=3 * n) + np.repeat([0, 0, gap], n),
            }
        )

    def test_planted_shift(self) -> None:
        facts, table = group_difference(self.frame(2.0), "g", "y")
        assert facts["top"] == "c"
        assert facts["shift_low"] < 2.0 < facts["shift_high"] or facts["shift"] == pytest.approx(2.0, abs=0.4)
        assert facts["effect"] > 0.2
        assert facts["pairs_differ"] == 2
        assert table["median"].is_monotonic_decreasing

    def test_null_is_silent(self) -> None:
        found = [group_difference(self.frame(0.0, seed), "g", "y")[0] for seed in range(20)]
        assert sum(f["p"] < 0.05 and f["effect"] >= 0.02 for f in found) <= 2

    def test_large_n_with_tiny_effect_stays_below_the_floor(self) -> None:
        facts, _ = group_difference(self.frame(0.08, 1, 8000), "g", "y")
        assert facts["p"] < 0.05
        assert facts["effect"] < 0.02

    def test_one_group_ties_and_no_rows(self) -> None:
        frame = pd.DataFrame({"g": ["a"] * 30, "y": np.arange(30.0)})
        assert group_difference(frame, "g", "y")[0]["enough"] is False
        assert group_difference(self.frame(0).assign(y=1.0), "g", "y")[0]["enough"] is False
        assert group_difference(frame.head(0), "g", "y")[0]["enough"] is False

    def test_rare_levels_are_merged_and_blanks_named(self) -> None:
        merged = merge_rare(pd.Series(["a"] * 20 + ["b"] * 2 + ["c"] + [None] * 12), 10, 5)
        assert set(merged) == {"a", "other (2)", "(missing)"}

    def test_unlike_spread_is_flagged(self) -> None:
        frame = pd.DataFrame(
            {"g": np.repeat(["a", "b"], 200), "y": rng(3).normal(size=400) * np.repeat([1, 6], 200)}
        )
        assert group_difference(frame, "g", "y")[0]["shapes_differ"]

    def test_median_interval_covers(self) -> None:
        hits = 0
        for seed in range(200):
            low, high = median_interval(rng(seed).normal(size=60))
            hits += low <= 0 <= high
        assert hits >= 180

    def test_shift_of_known_distance(self) -> None:
        shift, low, high = shift_between(np.arange(50.0) + 5, np.arange(50.0))
        assert low < shift == 5.0 < high

    def test_clusters_count_once(self) -> None:
        frame = pd.DataFrame({"o": [1, 1, 2], "g": ["a", "a", "b"], "y": [1.0, 2.0, 4.0]})
        assert by_cluster(frame, "g", "y", ["o"], "sum")["y"].tolist() == [3.0, 4.0]


class TestContribution:
    def test_losses_apart(self) -> None:
        frame = pd.DataFrame({"g": ["a", "a", "b", "b", "c"], "y": [10.0, -2, 5, -9, 1]})
        facts, table = contribution(frame, "g", "y")
        assert facts["top"] == "a"
        assert facts["losing_levels"] == ["b"]
        assert facts["losses"] == -11.0
        assert facts["loss_share_top"] == "b"
        assert table["total"].sum() == facts["whole"] == 5.0

    def test_lead_within_error_is_not_sure(self) -> None:
        frame = pd.DataFrame({"g": np.repeat(["a", "b"], 50), "y": rng(1).exponential(size=100)})
        assert contribution(frame, "g", "y")[0]["lead_sure"] is False

    def test_lead_far_beyond_error_is_sure(self) -> None:
        frame = pd.DataFrame({"g": ["a"] * 500 + ["b"] * 20, "y": 1.0})
        assert contribution(frame, "g", "y")[0]["lead_sure"] is True

    def test_rank_gap_to_size(self) -> None:
        frame = pd.DataFrame(
            {"g": list("abcdefg"), "y": [7.0, 6, 5, 4, 3, 2, 1], "s": [1.0, 2, 3, 4, 5, 6, 7]}
        )
        facts, _ = contribution(frame, "g", "y", size="s")
        assert (facts["gap_level"], facts["gap_size_rank"], facts["gap_rank"]) == ("g", 1, 7)

    def test_one_level_or_all_zero(self) -> None:
        assert contribution(pd.DataFrame({"g": ["a"], "y": [1.0]}), "g", "y")[0]["enough"] is False
        assert contribution(pd.DataFrame({"g": ["a", "b"], "y": [0.0, 0.0]}), "g", "y")[0]["enough"] is False


class TestRates:
    def test_small_group_needs_a_larger_distance(self) -> None:
        den = np.ones(2210)
        group = np.repeat(["a", "b", "small"], [1100, 1100, 10])
        num = np.where(rng(2).random(2210) < 0.5, 1.0, 0.0)
        num[:1100] = np.where(rng(3).random(1100) < 0.8, 1.0, 0.0)
        facts, table = rate_by_group(pd.DataFrame({"g": group, "n": num, "d": den}), "g", "n", "d")
        assert facts["top"] in ("a", "small")
        assert table.loc["a", "outside"]
        assert abs(table.loc["small", "shrunken"] - facts["overall"]) <= abs(
            table.loc["small", "rate"] - facts["overall"]
        )

    def test_null_is_silent(self) -> None:
        found = 0
        for seed in range(20):
            frame = pd.DataFrame(
                {
                    "g": rng(seed).integers(0, 8, 800).astype(str),
                    "n": rng(seed + 99).normal(1, 1, 800),
                    "d": 1.0,
                }
            )
            facts, _ = rate_by_group(frame, "g", "n", "d")
            found += facts["outside"] > 0 and facts["p"] < 0.05
        assert found <= 2

    def test_one_group(self) -> None:
        assert (
            rate_by_group(pd.DataFrame({"g": ["a"] * 9, "n": 1.0, "d": 1.0}), "g", "n", "d")[0]["enough"]
            is False
        )


class TestTwoCategories:
    def test_planted_cell(self) -> None:
        a = np.repeat(["x", "y"], 300)
        b = np.where((a == "x") & (rng(1).random(600) < 0.6), "hit", rng(2).choice(["u", "v"], 600))
        facts, shares = two_categories(pd.DataFrame({"a": a, "b": b}), "a", "b")
        assert facts["effect"] > 0.4
        assert facts["cell_b"] == "hit"
        assert shares.sum(axis=1).to_numpy() == pytest.approx(1.0)

    def test_null_is_silent(self) -> None:
        found = [
            two_categories(
                pd.DataFrame(
                    {"a": rng(s).choice(list("pqr"), 400), "b": rng(s + 50).choice(list("uvw"), 400)}
                ),
                "a",
                "b",
            )[0]
            for s in range(20)
        ]
        assert sum(f["p"] < 0.05 and f["effect"] >= 0.1 for f in found) <= 2

    def test_small_counts_fall_back_to_permutations(self) -> None:
        frame = pd.DataFrame({"a": ["x"] * 6 + ["y"] * 6, "b": ["u"] * 5 + ["v"] * 7})
        facts, _ = two_categories(frame, "a", "b")
        assert facts["dense"] is False
        assert facts["p"] >= 1 / 200

    def test_one_level(self) -> None:
        assert (
            two_categories(pd.DataFrame({"a": ["x"] * 20, "b": list("uv") * 10}), "a", "b")[0]["enough"]
            is False
        )


class TestMixture:
    def panel(self) -> pd.DataFrame:
        return pd.DataFrame({
            "t": pd.to_datetime(["2018-05-01", "2018-05-01", "2019-05-01", "2019-05-01"]),
            "g": ["cheap", "dear", "cheap", "dear"], "r": [1.0, 3.0, 1.0, 3.0], "w": [90.0, 10.0, 50.0, 50.0],
        })  # fmt: skip

    def test_pure_mix(self) -> None:
        facts, table = mix_and_rate(self.panel(), "g", "r", "w", "t", 2018, 2019)
        assert facts["rate_part"] == pytest.approx(0.0)
        assert facts["mix_part"] == pytest.approx(facts["change"]) == pytest.approx(0.8)
        assert table["total"].sum() == pytest.approx(0.8)

    def test_parts_add_up_exactly(self) -> None:
        frame = pd.DataFrame(
            {
                "t": pd.to_datetime(rng(1).choice(["2018-01-01", "2019-01-01"], 400)),
                "g": rng(2).choice(list("abcd"), 400),
                "r": rng(3).random(400),
                "w": rng(4).random(400),
            }
        )
        assert mix_and_rate(frame, "g", "r", "w", "t", 2018, 2019)[0]["rest"] < 1e-12

    def test_missing_year(self) -> None:
        assert mix_and_rate(self.panel(), "g", "r", "w", "t", 2018, 2022)[0]["enough"] is False

    def test_simpson_reversal(self) -> None:
        stratum = np.repeat(["a", "b", "c"], 200)
        base = np.repeat([0.0, 5.0, 10.0], 200)
        x = base + rng(1).normal(size=600)
        y = 2 * base - (x - base) + 0.3 * rng(2).normal(size=600)
        facts, table = pooled_and_within(pd.DataFrame({"x": x, "y": y, "s": stratum}), "y", ["x"], ["s"])
        assert facts["reversal"]
        assert facts["pooled"] > 0 > facts["within"]
        assert (table["r"] < 0).all()

    def test_fading(self) -> None:
        base = np.repeat([0.0, 6.0], 300)
        frame = pd.DataFrame(
            {"x": base + rng(1).normal(size=600), "y": base + rng(2).normal(size=600), "s": base.astype(str)}
        )
        facts, _ = pooled_and_within(frame, "y", ["x"], ["s"])
        assert facts["fading"]
        assert not facts["reversal"]

    def test_same_within_is_silent(self) -> None:
        x = rng(5).normal(size=600)
        frame = pd.DataFrame({"x": x, "y": x + rng(6).normal(size=600), "s": rng(7).choice(list("abc"), 600)})
        facts, _ = pooled_and_within(frame, "y", ["x"], ["s"])
        assert facts["fired"] == 0
        assert facts["screened"] == 1

    def test_no_stratum_large_enough(self) -> None:
        frame = pd.DataFrame({"x": range(20), "y": range(20), "s": list("ab") * 10})
        assert pooled_and_within(frame, "y", ["x"], ["s"])[0]["enough"] is False

    def test_shares_move(self) -> None:
        months = pd.date_range("2018-01-01", "2020-12-01", freq="MS")
        rows = [(m, g) for m in months for g in ["a"] * (10 + 10 * (m.year - 2018)) + ["b"] * 20]
        facts, shares = shares_over_time(pd.DataFrame(rows, columns=["t", "g"]), "g", "t", [2018, 2019, 2020])
        assert facts["mover"] in ("a", "b")
        assert abs(facts["mover_change"]) == pytest.approx(30 / 50 - 10 / 30)
        assert shares.sum(axis=1).to_numpy() == pytest.approx(1.0)
        assert facts["p"] < 0.05

    def test_shares_need_two_years_of_enough_rows(self) -> None:
        frame = pd.DataFrame({"t": pd.to_datetime(["2018-01-01", "2019-01-01"]), "g": ["a", "b"]})
        assert shares_over_time(frame, "g", "t", [2018, 2019])[0]["enough"] is False


class TestDose:
    def test_threshold_and_totals(self) -> None:
        dose = np.repeat([0.0, 0.1, 0.2, 0.3, 0.4], 80)
        y = np.where(dose < 0.25, 5.0, -4.0) + rng(1).normal(size=400)
        facts, _ = dose_response(pd.DataFrame({"d": dose, "y": y}), "d", "y")
        assert facts["break_found"]
        assert facts["break_level"] == 0.3
        assert facts["break_share"] == 1.0
        assert facts["total_before"] + facts["total_after"] == pytest.approx(y.sum())
        assert facts["rows_after"] == pytest.approx(0.4)

    def test_null_has_no_threshold(self) -> None:
        found = 0
        for seed in range(20):
            frame = pd.DataFrame({"d": np.repeat(range(6), 50), "y": rng(seed).normal(size=300)})
            facts, _ = dose_response(frame, "d", "y")
            found += (facts["break_found"] and facts["break_share"] >= 0.9) or (
                facts["p"] < 0.05 and abs(facts["rho"]) >= 0.1
            )
        assert found <= 2

    def test_many_values_are_binned(self) -> None:
        x = rng(2).random(500)
        facts, table = dose_response(pd.DataFrame({"d": x, "y": x}), "d", "y")
        assert facts["binned"]
        assert len(table) == 10
        assert facts["falling"] is False

    def test_too_few_levels_or_rows(self) -> None:
        assert (
            dose_response(pd.DataFrame({"d": [1, 2] * 50, "y": range(100)}), "d", "y")[0]["enough"] is False
        )
        assert dose_response(pd.DataFrame({"d": range(10), "y": range(10)}), "d", "y")[0]["enough"] is False
