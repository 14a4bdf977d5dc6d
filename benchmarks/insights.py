"""Both error kinds of what is said about figures: on figures of nothing, and on figures with planted truth.

Run: `python benchmarks/insights.py [RUNS]` (default 40; a few minutes of one core). Each figure is drawn,
read
back and judged as in a run. A false alarm is the kind's sentence on a figure with nothing in it (wanted:
about
5 % or less); a find is a sentence with the planted name or direction. Beside it stands what a reader without
statistics would say: that the last point is higher than the first, that the tallest bar is the best one.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from lakebook.analyst.methods.drawn import drawn_data
from lakebook.analyst.methods.figure_facts import shown_facts
from lakebook.analyst.methods.season import ar1_paths
from lakebook.analyst.table import Table
from lakebook.enhancement.drawn import axes_from
from lakebook.enhancement.insights.choice import KINDS
from lakebook.enhancement.insights.place import Place

TABLE = Table("t.csv", "t.csv", "", "0" * 64, 1, 1, (), "")
Figure = Callable[[np.random.Generator], pd.DataFrame]


@dataclass(frozen=True)
class Trial:
    """A kind of insight on one way of making figures: `draw` draws and returns the frame behind."""

    kind: str
    name: str
    draw: Figure
    planted: bool
    baseline: Callable[[Sequence[float]], bool] | None = None


def said(kind: str, frame: pd.DataFrame) -> tuple[bool, list[float]]:
    """Tell whether the kind says something of the open figure, and return the first series drawn."""
    drawn = json.loads(json.dumps(drawn_data()))
    plt.close("all")
    facts = shown_facts(drawn, frame, [])
    axes = axes_from(drawn)[0]
    places = [Place("drawn", "shown", 0, n, axes, facts[0], TABLE) for n in range(min(len(axes.series), 4))]
    return any(KINDS[kind](place) is not None for place in places), list(axes.series[0].y)


def line(values: np.ndarray, step: str) -> pd.DataFrame:
    """Draw a line over dates."""
    dates = pd.date_range("2015-01-04", periods=len(values), freq=step)
    plt.plot(dates, values)
    plt.ylabel("level")
    return pd.DataFrame()


def noise(rng: np.random.Generator, n: int, rho: float) -> np.ndarray:
    """Return one path of AR(1) noise around 10 with a standard deviation of 1."""
    path = ar1_paths(rho, n, 1, seed=int(rng.integers(1 << 30)))[0]
    return np.asarray(path * np.sqrt(1 - rho**2) + 10)


def series_trials() -> list[Trial]:
    """Return the kinds over time: white noise, persistent noise, random walks, rolling means."""
    made: list[Trial] = []
    for n, step, name in ((12, "YS", "12 years"), (48, "MS", "48 months"), (169, "7D", "169 weeks")):
        t = np.arange(n)
        plants = {
            "trend": 3 * t / n,
            "season": np.sqrt(2) * np.sin(2 * np.pi * t / (12 if step == "MS" else 52.18)),
            "shift": np.where(t > 0.6 * n, 3.0, 0.0),
            "unusual": np.where(t == n // 2, 8.0, 0.0),
        }
        for kind, plant in plants.items():
            if (kind == "season" and step == "YS") or (kind in ("shift", "unusual") and n < 40):
                continue
            base = _baseline(kind)
            for rho in (0.0, 0.6, 0.9):
                made.append(
                    Trial(
                        kind,
                        f"{name}, rho {rho}",
                        lambda r, n=n, q=rho, s=step: line(noise(r, n, q), s),
                        False,
                        base,
                    )
                )
            made.append(
                Trial(
                    kind,
                    f"{name}, random walk",
                    lambda r, n=n, s=step: line(10 + r.normal(size=n).cumsum(), s),
                    False,
                    base,
                )
            )
            made.append(
                Trial(
                    kind,
                    f"{name}, rolling mean of 5",
                    lambda r, n=n, s=step: line(_rolling(r, n), s),
                    False,
                    base,
                )
            )
            for rho in (0.0, 0.6):
                made.append(
                    Trial(
                        kind,
                        f"{name}, planted, rho {rho}",
                        lambda r, n=n, q=rho, s=step, p=plant: line(noise(r, n, q) + p, s),
                        True,
                        base,
                    )
                )
    return made


def _rolling(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.convolve(rng.normal(10, 1, size=n + 4), np.ones(5) / 5, "valid")


def _baseline(kind: str) -> Callable[[Sequence[float]], bool]:
    """Return what a reader without statistics would go by."""

    def first_and_last(y: Sequence[float]) -> bool:
        return abs(y[-1] - y[0]) >= 0.05 * abs(float(np.median(y)))

    def three_sigma(y: Sequence[float]) -> bool:
        return bool(np.max(np.abs(np.array(y) - np.mean(y))) > 3 * np.std(y))

    def halves(y: Sequence[float]) -> bool:
        half = len(y) // 2
        return bool(abs(np.mean(y[half:]) - np.mean(y[:half])) > 0.5 * np.std(y))

    def monthly_peak(y: Sequence[float]) -> bool:
        period = 12 if len(y) < 60 else 52
        means = [np.mean(y[k::period]) for k in range(period)]
        return bool(np.ptp(means) > np.std(y))

    return {"trend": first_and_last, "unusual": three_sigma, "shift": halves, "season": monthly_peak}[kind]


def grouped(rng: np.random.Generator, n: int, k: int, effect: float, tie: bool = False) -> pd.DataFrame:
    """Draw the means of k groups; the first is higher by `effect` standard deviations."""
    names = [f"g{place}" for place in range(k)]
    frame = pd.DataFrame({"group": rng.choice(names, n), "value": rng.normal(10, 1, n)})
    frame.loc[frame["group"] == "g0", "value"] += effect
    if tie:
        frame["value"] = 5.0
    means = frame.groupby("group")["value"].mean()
    plt.bar(means.index, means)
    plt.ylabel("value")
    return frame


def counted(rng: np.random.Generator, k: int, tail: float) -> pd.DataFrame:
    """Draw how many rows k categories have: equally likely, or with a long tail."""
    weights = np.arange(1, k + 1) ** -tail
    frame = pd.DataFrame(
        {"group": rng.choice([f"g{i:02d}" for i in range(k)], 2000, p=weights / weights.sum())}
    )
    counts = frame["group"].value_counts()
    plt.bar(counts.index, counts)
    plt.ylabel("rows")
    return frame


def apart(rng: np.random.Generator, k: int, shift: float, skewed: bool) -> pd.DataFrame:
    """Draw k bars of one distribution; the last is moved by `shift` of its spread."""
    values = np.exp(rng.normal(0, 1, k)) if skewed else rng.normal(50, 5, k)
    values[-1] += shift * (5 if not skewed else 1)
    plt.bar([f"g{i}" for i in range(k)], values)
    plt.ylabel("value")
    return pd.DataFrame()


def scattered(rng: np.random.Generator, n: int, slope: float, walk: bool = False) -> pd.DataFrame:
    """Draw two columns against each other: independent, related, or two random walks."""
    x, e = rng.normal(size=n), rng.normal(size=n)
    if walk:
        x, e = x.cumsum(), e.cumsum()
    plt.scatter(x, slope * x + e)
    plt.xlabel("x")
    plt.ylabel("y")
    return pd.DataFrame()


def correlated(rng: np.random.Generator, n: int, k: int, slope: float) -> pd.DataFrame:
    """Draw the correlations of k columns, the first two related by `slope`."""
    frame = pd.DataFrame(rng.normal(size=(n, k)), columns=[f"c{i}" for i in range(k)])
    frame["c1"] += slope * frame["c0"]
    table = frame.corr()
    plt.pcolormesh(table.to_numpy())
    plt.xticks(np.arange(k) + 0.5, list(table))
    plt.yticks(np.arange(k) + 0.5, list(table))
    return frame


def two_lines(rng: np.random.Generator, n: int, rho: float, gap: float) -> pd.DataFrame:
    """Draw two lines over months, one higher by `gap` standard deviations."""
    dates = pd.date_range("2015-01-01", periods=n, freq="MS")
    plt.plot(dates, noise(rng, n, rho) + gap, label="a")
    plt.plot(dates, noise(rng, n, rho), label="b")
    plt.ylabel("level")
    return pd.DataFrame()


def histogram(rng: np.random.Generator, n: int, skewed: bool) -> pd.DataFrame:
    """Draw a histogram of a symmetric or a skewed column."""
    frame = pd.DataFrame({"value": np.exp(rng.normal(0, 0.8, n)) if skewed else rng.normal(10, 2, n)})
    plt.hist(frame["value"], bins=20)
    plt.xlabel("value")
    return frame


def figure_trials() -> list[Trial]:
    """Return the kinds that are not over time."""

    def tallest(y: Sequence[float]) -> bool:
        return max(y) > min(y)

    def far(y: Sequence[float]) -> bool:
        return bool(max(y) > np.mean(y) + 2 * np.std(y))

    made = []
    for n in (100, 2000):
        made += [
            Trial(
                "difference", f"4 groups, {n} rows, same", lambda r, n=n: grouped(r, n, 4, 0), False, tallest
            ),
            Trial(
                "difference",
                f"20 groups, {n} rows, same",
                lambda r, n=n: grouped(r, n, 20, 0),
                False,
                tallest,
            ),
            Trial(
                "difference",
                f"4 groups, {n} rows, planted",
                lambda r, n=n: grouped(r, n, 4, 0.8),
                True,
                tallest,
            ),
        ]
    made += [
        Trial("difference", "4 groups, ties", lambda r: grouped(r, 200, 4, 0, tie=True), False, tallest),
        Trial("extremes", "4 groups, ties", lambda r: grouped(r, 200, 4, 0, tie=True), False, tallest),
        Trial("concentration", "20 equal categories", lambda r: counted(r, 20, 0.0), False, far),
        Trial("concentration", "20 categories, long tail", lambda r: counted(r, 20, 1.6), True, far),
    ]
    for k in (8, 15, 40):
        made.append(Trial("apart", f"{k} bars, normal", lambda r, k=k: apart(r, k, 0, False), False, far))
        made.append(Trial("apart", f"{k} bars, long tail", lambda r, k=k: apart(r, k, 0, True), False, far))
        if k > 8:
            made.append(
                Trial("apart", f"{k} bars, planted", lambda r, k=k: apart(r, k, 10, False), True, far)
            )
    for n in (30, 300):
        made += [
            Trial("relation", f"{n} points, independent", lambda r, n=n: scattered(r, n, 0), False),
            Trial(
                "relation", f"{n} points, two random walks", lambda r, n=n: scattered(r, n, 0, True), False
            ),
            Trial("relation", f"{n} points, planted", lambda r, n=n: scattered(r, n, 1.0), True),
            Trial(
                "correlations",
                f"8 columns, {n} rows, independent",
                lambda r, n=n: correlated(r, n, 8, 0),
                False,
            ),
            Trial(
                "correlations", f"8 columns, {n} rows, planted", lambda r, n=n: correlated(r, n, 8, 1.0), True
            ),
            Trial("shape", f"{n} values, symmetric", lambda r, n=n: histogram(r, n, False), False),
            Trial("shape", f"{n} values, skewed", lambda r, n=n: histogram(r, n, True), True),
        ]
    for rho in (0.0, 0.6, 0.9):
        made.append(
            Trial(
                "lines apart",
                f"48 months, rho {rho}, same",
                lambda r, q=rho: two_lines(r, 48, q, 0),
                False,
                _gap,
            )
        )
    made.append(
        Trial("lines apart", "48 months, planted, rho 0.6", lambda r: two_lines(r, 48, 0.6, 2), True, _gap)
    )
    return made


def _gap(y: Sequence[float]) -> bool:
    return True


def main() -> None:
    """Print one line a trial."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    started = time.process_time()
    print(f"{'kind':14}{'figure':36}{'said':>8}{'baseline':>10}   ({runs} figures each)")
    for trial in sorted([*series_trials(), *figure_trials()], key=lambda one: (one.kind, one.planted)):
        hits = naive = 0
        for seed in range(runs):
            frame = trial.draw(np.random.default_rng(seed))
            told, first = _said_of(trial, frame)
            hits += told
            naive += bool(trial.baseline and trial.baseline(first))
        base = f"{naive / runs:.0%}" if trial.baseline else "–"
        wanted = "found" if trial.planted else "false"
        print(f"{trial.kind:14}{trial.name:36}{hits / runs:>8.0%}{base:>10}   {wanted}", flush=True)
    print(f"{time.process_time() - started:.0f} s of CPU")


def _said_of(trial: Trial, frame: pd.DataFrame) -> tuple[bool, list[float]]:
    """A relation or a shape is told in words for none and for some: only the latter counts."""
    if trial.kind not in ("relation", "shape"):
        return said(trial.kind, frame)
    drawn = json.loads(json.dumps(drawn_data()))
    plt.close("all")
    facts = shown_facts(drawn, frame, [])[0]["series"][0]
    return bool(facts.get("word") or facts.get("leans")), [0.0]


if __name__ == "__main__":
    main()
