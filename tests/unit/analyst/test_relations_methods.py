"""Methods of relations: screens hold their error rate, planted relations and leaks are found, edges stand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lakebook.analyst.methods.relations import (
    association_screen,
    collinearity,
    leak_hints,
    rank_interval,
    strongest_partner,
    target_overview,
    within_between,
)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def noise_table(seed: int, n: int) -> pd.DataFrame:
    frame = pd.DataFrame(rng(seed).normal(size=(n, 5)), columns=list("abcde"))
    for place, name in enumerate(("g", "h")):
        frame[name] = rng(seed + 1000 + place).choice(list("pqr"), n)
    return frame


class TestScreen:
    def test_planted_pairs_come_first(self) -> None:
        frame = noise_table(1, 400)
        frame["b"] = frame["a"] + 0.5 * frame["b"]
        frame["c"] += (frame["g"] == "p") * 2
        facts, _ = association_screen(frame, list("abcde"), ["g", "h"], [], [])
        assert facts["kept"] == 2
        assert {(p["a"], p["b"]) for p in facts["pairs"][:2]} == {("a", "b"), ("c", "g")}
        assert facts["tested"] == len(facts["tests"]) == 21

    @pytest.mark.parametrize("n", [60, 1000])
    def test_null_keeps_nothing(self, n: int) -> None:
        kept = sum(
            association_screen(noise_table(seed, n), list("abcde"), ["g", "h"], [], [])[0]["kept"]
            for seed in range(10)
        )
        assert kept <= 1

    def test_pairs_by_construction_are_left_out(self) -> None:
        frame = noise_table(2, 200).assign(b=lambda f: 2 * f["a"])
        facts, _ = association_screen(frame, list("ab"), [], [["a", "b"]], [])
        assert facts["tested"] == 0

    def test_clusters_widen_p(self) -> None:
        frame = pd.DataFrame({"u": np.repeat(range(12), 50)})
        frame["a"] = rng(1).normal(size=12)[frame["u"]]
        frame["b"] = rng(5).normal(size=12)[frame["u"]]
        loose = association_screen(frame, ["a", "b"], [], [], [])[0]
        strict = association_screen(frame, ["a", "b"], [], [], ["u"])[0]
        assert strict["pairs"][0]["p"] > loose["pairs"][0]["p"]
        assert strict["independent"] == 12

    def test_asked_column_comes_first(self) -> None:
        frame = noise_table(3, 400)
        frame["b"] = frame["a"] + 0.1 * frame["b"]
        frame["d"] = frame["c"] + 1.5 * frame["d"]
        facts, _ = association_screen(frame, list("abcd"), [], [], [], first="d")
        assert (facts["pairs"][0]["a"], facts["pairs"][0]["b"]) == ("c", "d")

    def test_constant_and_short(self) -> None:
        frame = pd.DataFrame({"a": 1.0, "b": range(10)})
        assert association_screen(frame, ["a", "b"], [], [], [])[0]["enough"] is False


class TestPartner:
    def test_closest_is_named_with_interval(self) -> None:
        frame = noise_table(4, 300).assign(y=lambda f: f["c"] + 0.5 * f["d"])
        facts, _ = strongest_partner(frame, "y", list("abcd"), [])
        assert facts["x"] == "c"
        assert facts["low"] < facts["rho"] < facts["high"]
        assert facts["one_direction"]

    def test_u_shape_is_not_one_direction(self) -> None:
        x = rng(1).normal(0.4, 1, 500)
        facts, _ = strongest_partner(pd.DataFrame({"x": x, "y": x**2}), "y", ["x"], [])
        assert facts["one_direction"] is False

    def test_heavy_tails_ask_for_logs(self) -> None:
        x = np.exp(rng(2).normal(0, 2, 500))
        facts, _ = strongest_partner(pd.DataFrame({"x": x, "y": rng(3).random(500)}), "y", ["x"], [])
        assert facts["log_x"]
        assert not facts["log_y"]

    def test_nothing_in_common(self) -> None:
        frame = pd.DataFrame({"x": [1.0] * 40 + [np.nan] * 40, "y": [np.nan] * 40 + [1.0] * 40})
        assert strongest_partner(frame, "y", ["x"], [])[0]["enough"] is False

    def test_interval_covers(self) -> None:
        hits = 0
        for seed in range(100):
            data = pd.DataFrame(rng(seed).normal(size=(80, 2)))
            low, high = rank_interval(float(data.corr(method="spearman").iloc[0, 1]), 80)
            hits += low <= 0 <= high
        assert hits >= 90


class TestCollinearity:
    def test_exact_sum_and_groups(self) -> None:
        frame = noise_table(5, 300).assign(s=lambda f: f["a"] + f["b"], k=lambda f: f["c"] + 0.05 * f["d"])
        facts, table = collinearity(frame, ["a", "b", "c", "e", "s", "k"])
        assert set(facts["exact"]) == {"a", "b", "s"}
        assert ["c", "k"] in facts["groups"]
        assert table.loc["e", "vif"] < 1.5

    def test_vif_of_known_correlation(self) -> None:
        z = rng(6).normal(size=(20_000, 3))
        frame = pd.DataFrame({"a": z[:, 0], "b": 0.8 * z[:, 0] + 0.6 * z[:, 1], "c": z[:, 2]})
        assert collinearity(frame, list("abc"))[1].loc["a", "vif"] == pytest.approx(1 / (1 - 0.64), rel=0.05)

    def test_independent_columns(self) -> None:
        facts, _ = collinearity(noise_table(7, 300), list("abcde"))
        assert facts["strong"] == 0
        assert facts["groups"] == []

    def test_too_few(self) -> None:
        assert collinearity(noise_table(8, 20), list("abc"))[0]["enough"] is False


class TestWithinBetween:
    def test_opposite_slopes(self) -> None:
        entity = np.repeat(np.arange(30), 20)
        level = entity / 3
        x = level + rng(1).normal(size=600)
        y = 3 * level - (x - level) - 20 + 0.2 * rng(2).normal(size=600)
        facts, table = within_between(pd.DataFrame({"x": x - 5, "y": y, "e": entity}), "x", "y", ["e"])
        assert facts["opposite"]
        assert facts["within"] == pytest.approx(-1.0, abs=0.1)
        assert list(table.index) == ["all rows", "between entities", "within entities"]

    def test_same_slope_is_silent(self) -> None:
        entity = np.repeat(np.arange(30), 20)
        x = entity + rng(1).normal(size=600) - 15
        facts, _ = within_between(pd.DataFrame({"x": x, "y": 2 * x - 1, "e": entity}), "x", "y", ["e"])
        assert not facts["differ"]

    def test_few_entities(self) -> None:
        frame = pd.DataFrame({"x": range(20), "y": range(20), "e": list("ab") * 10})
        assert within_between(frame, "x", "y", ["e"])[0]["enough"] is False


class TestTargets:
    def test_number(self) -> None:
        facts, _ = target_overview(pd.DataFrame({"y": np.arange(101.0)}), "y")
        assert facts["median"] == 50
        assert facts["baseline_error"] == pytest.approx(np.abs(np.arange(101) - 50).mean())

    def test_category_with_blanks(self) -> None:
        facts, _ = target_overview(pd.DataFrame({"y": ["a"] * 15 + ["b"] * 4 + [None]}), "y")
        assert (facts["top"], facts["rarest"]) == ("a", "b")
        assert facts["top_share"] == pytest.approx(15 / 19)
        assert facts["missing"] == pytest.approx(0.05)

    def test_constant(self) -> None:
        assert target_overview(pd.DataFrame({"y": [1.0] * 50}), "y")[0]["enough"] is False

    def test_leak_is_found(self) -> None:
        frame = noise_table(9, 500).assign(y=lambda f: f["a"] + 0.3 * f["b"], copy=lambda f: f["y"] * 2 + 1)
        facts, _ = leak_hints(frame, "y", ["a", "b", "copy", "g"], [])
        assert facts["suspects"] == ["copy"]

    def test_leak_of_a_category(self) -> None:
        frame = noise_table(10, 500).assign(code=lambda f: f["g"].str.upper())
        assert leak_hints(frame, "g", ["a", "code"], [])[0]["suspects"] == ["code"]

    def test_null_has_no_suspects(self) -> None:
        facts, _ = leak_hints(noise_table(11, 500), "a", ["b", "c", "g", "h"], [])
        assert facts["suspects"] == []
        assert facts["top_score"] < 0.05

    def test_clusters_are_held_out_whole(self) -> None:
        unit = np.repeat(np.arange(60), 10)
        frame = pd.DataFrame({"u": unit, "id": unit, "y": rng(1).normal(size=60)[unit]})
        assert leak_hints(frame, "y", ["id"], [])[0]["top_score"] > 0.4
        assert leak_hints(frame, "y", ["id"], ["u"])[0]["top_score"] < 0.2
