"""Both error kinds of the plays' methods: how often noise is called a finding, and planted truth is missed.

Run: `python benchmarks/plays_null.py [RUNS]` (default 40; a few minutes). Each line gives the verdict rule of
a play on series or tables with nothing in them (false alarms, wanted: about 5 % or less) and with something
planted (found, wanted: high where the plant is large). Notes on plays, §6.2 and §8.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
import pandas as pd

from lakebook.analyst.methods.forecasting import unusual_points
from lakebook.analyst.methods.groups import group_difference, rate_by_group, two_categories
from lakebook.analyst.methods.mixture import dose_response, pooled_and_within
from lakebook.analyst.methods.relations import association_screen
from lakebook.analyst.methods.season import ar1_paths, seasonality
from lakebook.analyst.methods.trend import level_shift, trend

Rule = Callable[[pd.Series], bool]


def weekly(values: np.ndarray) -> pd.Series:
    return pd.Series(values, index=pd.date_range("2015-01-04", periods=len(values), freq="7D"))


def says_season(series: pd.Series) -> bool:
    return bool(seasonality(series, "week")[0]["seasonal"])


def says_trend(series: pd.Series) -> bool:
    facts = trend(series, "week")
    beyond = facts["low"] > 0 or facts["high"] < 0
    shaky = facts["rho"] > 0.6 and facts["points"] < 100
    return bool(beyond and facts["p"] < 0.05 and abs(facts["change_share"]) >= 0.05 and not shaky)


def says_shift(series: pd.Series) -> bool:
    facts, _ = level_shift(series, "week")
    return bool(facts["count"] and facts["firm"] and facts["p"] <= 0.05)


def says_unusual(series: pd.Series) -> bool:
    facts, _ = unusual_points(series, "week")
    return bool(
        facts["largest"] > max(3.5, facts["largest_by_chance"])
        and not (facts["share"] > 0.03 and facts["unusual"] > 3)
    )


def plant(name: str, n: int) -> np.ndarray:
    t = np.arange(n)
    shapes = {
        "season": np.sqrt(2) * np.sin(2 * np.pi * t / 52.18),
        "trend": 3 * t / n,
        "shift": np.where(t > 0.6 * n, 2.0, 0.0),
        "unusual": np.where(t == n // 2, 8.0, 0.0),
    }
    return shapes[name]


def series_rates(runs: int) -> None:
    rules: dict[str, Rule] = {
        "season": says_season,
        "trend": says_trend,
        "shift": says_shift,
        "unusual": says_unusual,
    }
    print(f"{'series':32}" + "".join(f"{name:>18}" for name in rules))
    for n in (60, 169, 281):
        for rho in (0.0, 0.5, 0.9):
            noise = ar1_paths(rho, n, runs, seed=1000 + n) * np.sqrt(1 - rho**2) + 10
            cells = []
            for name, rule in rules.items():
                if name == "season" and n < 105:
                    cells.append("–")
                    continue
                false = np.mean([rule(weekly(row)) for row in noise])
                found = np.mean([rule(weekly(row + plant(name, n))) for row in noise])
                cells.append(f"{false:.0%} / {found:.0%}")
            print(f"n={n}, rho={rho}".ljust(32) + "".join(f"{cell:>18}" for cell in cells), flush=True)


def table_rates(runs: int) -> None:
    print(f"\n{'tables':32}" + "".join(f"{f'n={n}':>18}" for n in (60, 1000, 10000)))
    for name, rule in TABLE_RULES.items():
        cells = []
        for n in (60, 1000, 10000):
            few = max(5, runs // 4) if n == 10000 else runs
            false = np.mean([rule(random_table(n, seed, 0.0)) for seed in range(few)])
            found = np.mean([rule(random_table(n, seed, 1.0)) for seed in range(few)])
            cells.append(f"{false:.0%} / {found:.0%}")
        print(name.ljust(32) + "".join(f"{cell:>18}" for cell in cells), flush=True)


def random_table(n: int, seed: int, planted: float) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.normal(size=n) for name in ("x", "y", "z", "u")})
    frame["g"], frame["h"] = rng.choice(list("abc"), n), rng.choice(list("pq"), n)
    frame["dose"] = rng.integers(0, 5, n)
    frame["y"] += planted * ((frame["g"] == "a") * 1.0 + frame["x"] - 1.2 * (frame["dose"] - 1.5))
    frame.loc[rng.random(n) < 0.5 * planted * (frame["g"] == "a"), "h"] = "p"
    return frame.assign(one=1.0)


def says_groups(frame: pd.DataFrame) -> bool:
    facts, _ = group_difference(frame, "g", "y")
    return bool(facts["p"] < 0.05 and facts["effect"] >= 0.02)


def says_rate(frame: pd.DataFrame) -> bool:
    facts, _ = rate_by_group(frame, "g", "y", "one")
    return bool(facts["outside"] and facts["p"] < 0.05)


def says_together(frame: pd.DataFrame) -> bool:
    facts, _ = two_categories(frame, "g", "h")
    return bool(facts["p"] < 0.05 and facts["effect"] >= 0.1)


def says_dose(frame: pd.DataFrame) -> bool:
    facts, _ = dose_response(frame, "dose", "y")
    if not facts["enough"]:
        return False
    turn = facts["break_found"] and facts["break_share"] >= 0.9
    return bool(turn or (facts["p"] < 0.05 and abs(facts["rho"]) >= 0.1))


def says_simpson(frame: pd.DataFrame) -> bool:
    """The plant is the same within strata, so that "found" is a false alarm here too."""
    facts, _ = pooled_and_within(frame, "y", ["x", "z", "u"], ["g", "h"], 20)
    return bool(facts["enough"] and facts["fired"] > 0)


def says_screen(frame: pd.DataFrame) -> bool:
    facts, _ = association_screen(frame, ["x", "y", "z", "u"], ["g", "h"], [], [])
    return bool(facts["kept"] > 0)


TABLE_RULES: dict[str, Callable[[pd.DataFrame], bool]] = {
    "G01 groups differ": says_groups,
    "G03 a rate stands out": says_rate,
    "G06 Simpson (none planted)": says_simpson,
    "G08 categories together": says_together,
    "G10 dose": says_dose,
    "R01 any pair of 15": says_screen,
}


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    began = time.perf_counter()
    print(f"false alarms on noise / planted truth found, {runs} runs a cell\n")
    series_rates(runs)
    table_rates(runs)
    print(f"\n{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
