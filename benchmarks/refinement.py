"""Both error kinds of refinement: right statements that are changed, and wrong ones that pass.

Run: `python benchmarks/refinement.py [FIGURES]` (default 40 of each form; a minute of one core). Statements
are
written from templates about figures whose numbers are known; each stands once as it is true and once with one
fact planted wrong (another name, a number off, a direction turned). Statements that no figure can settle
(causes, advice, denials, foreign subjects) must be withheld. A correction is right if it gives the true one.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from lakebook.analyst.methods.drawn import drawn_data
from lakebook.analyst.methods.figure_facts import shown_facts
from lakebook.analyst.play import InsightDraft
from lakebook.analyst.render import render_insight
from lakebook.enhancement.drawn import axes_from
from lakebook.enhancement.refinement.refine import refine
from lakebook.enhancement.refinement.scene import Scene, scene_of

TOWNS = ("Ulm", "Bonn", "Kiel", "Mainz", "Trier", "Essen", "Jena", "New York", "San Jose", "Lyon")
MEASURES = ("mean rent", "sales", "total volume", "price", "happiness score")


@dataclass(frozen=True)
class Case:
    """A true statement, empty if none can be, and one with a fact wrong; `also` corrects it as well."""

    form: str
    right: str
    wrong: str
    also: str = ""


@dataclass(frozen=True)
class Drawn:
    """A figure as refinement sees it, and what its claims are computed over."""

    scenes: tuple[Scene, ...]
    space: dict[str, object]


def read(frame: pd.DataFrame) -> Drawn:
    drawn = json.loads(json.dumps(drawn_data()))
    plt.close("all")
    facts = json.loads(json.dumps(shown_facts(drawn, frame, [])))
    scenes = tuple(
        scene_of(axes, f"drawn[{at}]", f"shown[{at}]", facts[at]) for at, axes in enumerate(axes_from(drawn))
    )
    return Drawn(scenes, {"drawn": drawn, "shown": facts, "np": np})


def bars(rng: np.random.Generator) -> tuple[Drawn, list[Case]]:
    k = int(rng.integers(4, 9))
    names = list(rng.permutation(TOWNS)[:k])
    values = np.round(np.sort(rng.uniform(5, 95, k))[::-1] + np.arange(k)[::-1], 1)
    order = rng.permutation(k)
    m = str(rng.choice(MEASURES))
    (plt.barh if rng.random() < 0.3 else plt.bar)([names[i] for i in order], values[order])
    ax = plt.gca()
    lying = not ax.get_xticklabels() or ax.get_xlim()[1] > k + 1
    (ax.set_xlabel if lying else ax.set_ylabel)(m)
    (ax.set_ylabel if lying else ax.set_xlabel)("town")
    hi, second, lo = names[0], names[1], names[-1]
    a, b = names[1], names[-2] if k > 4 else names[-1]
    va, vb = values[names.index(a)], values[names.index(b)]
    off = round(float(values[0] * rng.choice([0.7, 1.2, 1.5])), 1)
    percent, ratio = 100 * (va / vb - 1), va / vb
    return read(pd.DataFrame()), [
        Case(
            "highest",
            f"{hi} has the highest {m} at {values[0]}.",
            f"{second} has the highest {m} at {values[0]}.",
        ),
        Case(
            "highest value",
            f"The {m} is highest in {hi} with {values[0]}.",
            f"The {m} is highest in {hi} with {off}.",
        ),
        Case("highest turned", f"{hi} shows the largest {m}.", f"{lo} shows the largest {m}."),
        Case(
            "lowest",
            f"The lowest {m} is seen in {lo} ({values[-1]}).",
            f"The lowest {m} is seen in {a} ({values[-1]}).",
        ),
        Case("second", f"The second highest {m} is {second}.", f"The second highest {m} is {hi}."),
        Case(
            "higher",
            f"{a} has a higher {m} than {b}.",
            f"{b} has a higher {m} than {a}.",
            f"{b} has a lower {m} than {a}.",
        ),
        Case(
            "lower",
            f"The {m} of {b} is lower than that of {a}.",
            f"The {m} of {a} is lower than that of {b}.",
            f"The {m} of {a} is higher than that of {b}.",
        ),
        Case(
            "percent",
            f"The {m} in {a} is {percent:.0f}% higher than in {b}.",
            f"The {m} in {a} is {percent * 1.6 + 3:.0f}% higher than in {b}.",
        ),
        Case(
            "times",
            f"{a} has {ratio:.1f} times the {m} of {b}.",
            f"{a} has {ratio + 0.8:.1f} times the {m} of {b}.",
        ),
        Case(
            "values",
            f"{a} and {b} have {va} and {vb}, respectively.",
            f"{a} and {b} have {va} and {vb + 3:.1f}, respectively.",
        ),
        Case("hedged", f"{a} reaches about {va:.0f}.", f"{a} reaches about {va * 1.4:.0f}."),
        Case(
            "over",
            f"{a} has a {m} of over {np.floor(va - 1):.0f}.",
            f"{a} has a {m} of over {va + 9:.0f}.",
            f"{a} has a {m} of {va:.0f}.",
        ),
        Case("count", f"There are {k} towns in the chart.", f"There are {k + 2} towns in the chart."),
        Case(
            "two clauses",
            f"{hi} is highest with {values[0]}, while {lo} is lowest with {values[-1]}.",
            f"{hi} is highest with {values[0]}, while {a} is lowest with {values[-1]}.",
        ),
        Case("cause", "", f"{hi} has the highest {m} because of its students."),
        Case("advice", "", f"{hi} has the highest {m}, so investors should buy there."),
        Case("foreign", "", f"The crime rate is highest in {hi}."),
        Case("denial", "", f"{lo} does not have the highest {m}."),
        Case("stranger", "", f"Berlin has the highest {m}."),
        Case("no fact", "", f"The {m} of the towns differs greatly."),
    ]


def counts(rng: np.random.Generator) -> tuple[Drawn, list[Case]]:
    names = list(rng.permutation(TOWNS)[:4])
    frame = pd.DataFrame({"town": rng.choice(names, 400, p=[0.55, 0.25, 0.15, 0.05])})
    number = frame["town"].value_counts()
    pie = rng.random() < 0.5
    if pie:
        plt.pie(number, labels=list(number.index))
        plt.title("Share of rows by town")
    else:
        plt.bar(number.index, number)
        plt.ylabel("rows")
        plt.xlabel("town")
    share = number / number.sum()
    a, b = number.index[0], number.index[1]
    cases = [
        Case(
            "share",
            f"{a} accounts for {share[a]:.0%} of the rows.",
            f"{a} accounts for {share[a] + 0.2:.0%} of the rows.",
        ),
        Case(
            "share of two",
            f"{a} makes up {share[a]:.1%} and {b} {share[b]:.1%} of the total.",
            f"{a} makes up {share[a]:.1%} and {b} {share[b] + 0.1:.1%} of the total.",
        ),
    ]
    if share[a] > 0.5:
        cases.append(
            Case("majority", f"{a} holds the majority of the rows.", f"{b} holds the majority of the rows.")
        )
        cases.append(
            Case(
                "more than half",
                f"{a} represents more than half of the rows.",
                f"{b} represents more than half of the rows.",
            )
        )
    return read(frame), cases


def lines(rng: np.random.Generator) -> tuple[Drawn, list[Case]]:
    n = int(rng.choice([36, 60, 84]))
    up = bool(rng.random() < 0.5)
    dates = pd.date_range("2013-01-01", periods=n, freq="MS")
    values = np.round(50 + (1 if up else -1) * 20 * np.arange(n) / n + rng.normal(0, 1.5, n), 2)
    m = str(rng.choice(MEASURES))
    plt.plot(dates, values)
    plt.ylabel(m)
    word, other = ("increased", "decreased") if up else ("decreased", "increased")
    now, wrong = ("rises", "falls") if up else ("falls", "rises")
    first, last = values[0], values[-1]
    i, j = 3, n - 4
    rose, fell = ("rose", "fell") if values[j] > values[i] else ("fell", "rose")
    peak = dates[int(values.argmax())]
    size = abs(values[j] / values[i] - 1)
    return read(pd.DataFrame()), [
        Case(
            "from to",
            f"The {m} {word} from {first} to {last}.",
            f"The {m} {word} from {first} to {last + 7:.2f}.",
        ),
        Case(
            "from to turned",
            f"The {m} {word} from {first} to {last}.",
            f"The {m} {other} from {first} to {last}.",
        ),
        Case("trend", f"The {m} {now} over time.", f"The {m} {wrong} over time."),
        Case(
            "between",
            f"Between {dates[i]:%B %Y} and {dates[j]:%B %Y} the {m} {rose}.",
            f"Between {dates[i]:%B %Y} and {dates[j]:%B %Y} the {m} {fell}.",
        ),
        Case(
            "between percent",
            f"The {m} {rose} by {size:.0%} between {dates[i]:%B %Y} and {dates[j]:%B %Y}.",
            f"The {m} {rose} by {size + 0.2:.0%} between {dates[i]:%B %Y} and {dates[j]:%B %Y}.",
        ),
        Case(
            "peak",
            f"The {m} peaked in {peak:%B %Y} at {values.max():.2f}.",
            f"The {m} peaked in {dates[i + 5]:%B %Y} at {values.max():.2f}.",
        ),
        Case(
            "value at",
            f"In {dates[i]:%B %Y} the {m} was {values[i]:.1f}.",
            f"In {dates[i]:%B %Y} the {m} was {values[i] + 4:.1f}.",
        ),
        Case("future", "", f"The {m} will rise next year."),
        Case("year of months", "", f"The {m} was {values[i]} in 2014."),
    ]


def noise(rng: np.random.Generator) -> tuple[Drawn, list[Case]]:
    n = 60
    plt.plot(pd.date_range("2013-01-01", periods=n, freq="MS"), 50 + rng.normal(0, 2, n))
    plt.ylabel("price")
    return read(pd.DataFrame()), [
        Case("trend of noise", "", "The price rises over time."),
        Case("trend of noise", "", "Prices show a downward trend."),
    ]


def scatter(rng: np.random.Generator) -> tuple[Drawn, list[Case]]:
    slope = float(rng.choice([-2.0, -1.0, 1.0, 2.0]))
    x = rng.normal(size=200)
    y = slope * x + rng.normal(size=200)
    plt.scatter(x, y)
    plt.xlabel("age")
    plt.ylabel("income")
    r = float(np.corrcoef(x, y)[0, 1])
    way, other = ("positive", "negative") if slope > 0 else ("negative", "positive")
    return read(pd.DataFrame()), [
        Case(
            "sign", f"Age and income have a {way} correlation.", f"Age and income have a {other} correlation."
        ),
        Case(
            "coefficient",
            f"The correlation between age and income is {r:.2f}.",
            f"The correlation between age and income is {r - np.sign(r) * 0.25:.2f}.",
        ),
        Case("strength", "Age and income are strongly correlated.", "Age and income are weakly correlated."),
        Case("cause", "", "Higher age leads to higher income."),
    ]


def heat(rng: np.random.Generator) -> tuple[Drawn, list[Case]]:
    frame = pd.DataFrame(rng.normal(size=(150, 4)), columns=["age", "income", "rent", "size"])
    frame["income"] += 1.5 * frame["age"]
    frame["rent"] -= 1.5 * frame["size"]
    table = frame.corr()
    plt.pcolormesh(table.to_numpy())
    plt.xticks(np.arange(4) + 0.5, list(table))
    plt.yticks(np.arange(4) + 0.5, list(table))
    r = float(table.loc["age", "income"])
    return read(frame), [
        Case(
            "cell",
            f"age and income have a correlation of {r:.2f}.",
            f"age and income have a correlation of {r - 0.3:.2f}.",
        ),
        Case(
            "cell sign",
            "rent and size are negatively correlated.",
            "rent and size are positively correlated.",
        ),
    ]


FORMS = (bars, counts, lines, noise, scatter, heat)


def outcome(text: str, drawn: Drawn) -> tuple[str, str]:
    """Return the verdict on a statement of one sentence and the text that a reader would see."""
    (refined,) = refine(text, drawn.scenes)
    if refined.verdict == "withheld":
        return "withheld", refined.reason
    # The expressions are our own.
    values = {claim.name: eval(claim.expression, dict(drawn.space)) for claim in refined.claims}  # noqa: S307
    return refined.verdict, render_insight(InsightDraft(refined.template, refined.claims), values)[0]


def plain(text: str) -> str:
    """Return a text without what a correction may do to it: hedges, commas and digits beyond need."""
    text = re.sub(r"\b(about|over|nearly) ", "", text.replace(",", ""))
    return re.sub(r"\d+(?:\.\d+)?", lambda m: f"{float(m[0]):.3g}", text)


def run(figures: int) -> Iterator[tuple[str, bool, str, str, str]]:
    """Yield form, whether the statement is right, its outcome, the statement and what came of it."""
    for form in FORMS:
        for seed in range(figures):
            drawn, cases = form(np.random.default_rng([seed, len(form.__name__)]))
            for case in cases:
                if case.right:
                    verdict, text = outcome(case.right, drawn)
                    yield case.form, True, verdict, case.right, text
                verdict, text = outcome(case.wrong, drawn)
                if verdict == "corrected":
                    verdict = (
                        "corrected"
                        if plain(text) in (plain(case.right), plain(case.also))
                        else "corrected otherwise"
                    )
                yield case.form, False, verdict, case.wrong, text


def main() -> None:
    """Print counts, and every right statement that was changed or wrong one that passed."""
    figures = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    tally: Counter[tuple[bool, str]] = Counter()
    of_form: Counter[tuple[str, bool, str]] = Counter()
    for form, right, verdict, said, text in run(figures):
        tally[right, verdict] += 1
        of_form[form, right, verdict] += 1
        if (right and verdict == "corrected") or (
            not right and verdict in ("verified", "corrected otherwise")
        ):
            print(f"{form}: {'right' if right else 'wrong'}, {verdict}: {said} -> {text}")
    for form in sorted({form for form, _, _ in of_form}):
        parts = [
            f"{'right' if r else 'wrong'} {v} {n}" for (f, r, v), n in sorted(of_form.items()) if f == form
        ]
        print(f"{form:18}{', '.join(parts)}")
    for right in (True, False):
        whole = sum(n for (r, _), n in tally.items() if r is right)
        shares = ", ".join(f"{v} {n} ({n / whole:.1%})" for (r, v), n in sorted(tally.items()) if r is right)
        print(f"{'right' if right else 'wrong'} statements, {whole}: {shares}")


if __name__ == "__main__":
    main()
