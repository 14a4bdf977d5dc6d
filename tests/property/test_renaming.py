"""Code renamed on the new table draws what the old code drew on the old table."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from lakebook.enhancement.renaming import rename_columns
from lakebook.enhancement.script import Script

OLD = ("Total Volume", "price", "kind", "n", "Date")
_NEW = st.text("abcXYZ_ ()%1", min_size=1, max_size=9).map(str.strip).filter(bool)
_NUMBER, _OTHER, _LABEL = "{number}", "{other}", "{label}"
STEPS = (
    "df = df[df[{label!r}] != {value!r}]",
    "df[{number!r}] = df[{number!r}].fillna(df[{other!r}].mean())",
    "df['made'] = df[{number!r}] + df[{other!r}]",
    "df = df.sort_values(by=[{label!r}, {number!r}])",
    "df = df.assign(half=lambda frame: frame[{number!r}] / 2)",
    "df = df.query('`{number}` > -1')",
    "df = df.drop_duplicates(subset=[{label!r}, {number!r}])",
)
DRAWS = (
    "plt.plot(df[{number!r}].to_numpy(), df[{other!r}].to_numpy())",
    "df.groupby({label!r})[{number!r}].mean().plot.bar()",
    "df.plot.scatter(x={number!r}, y={other!r})",
    "for c in [{number!r}, {other!r}]:\n    plt.figure()\n    plt.plot(df[c].to_numpy())",
    "df.groupby({label!r}).agg({{{number!r}: 'sum', {other!r}: 'max'}}).plot.bar()",
    "def show(frame, name):\n    plt.plot(frame[name].to_numpy())\nshow(df, {number!r})",
    "df.pivot_table(index={label!r}, values={number!r}, aggfunc='sum').plot.bar()",
    "plt.bar(df[{label!r}].value_counts().index, df[{label!r}].value_counts().to_numpy())",
    "df[[{number!r}, {other!r}]].corr().plot()",
    "df[{label!r}].value_counts().plot.pie(label={number!r})",
)


def drawn(code: str, table: pd.DataFrame) -> list[Any]:
    plt.close("all")
    exec(code, {"lake": table.copy(), "plt": plt, "pd": pd, "np": np})
    found: list[Any] = []
    for number in plt.get_fignums():
        for axes in plt.figure(number).axes:
            found += [np.asarray(line.get_xydata(), dtype=float).tolist() for line in axes.lines]
            found += [[patch.get_height()] for patch in axes.patches if hasattr(patch, "get_height")]
            found += [np.asarray(one.get_offsets(), dtype=float).tolist() for one in axes.collections]
            found += [[patch.theta1, patch.theta2] for patch in axes.patches if hasattr(patch, "theta1")]
    plt.close("all")
    return found


@st.composite
def components(draw: Any) -> tuple[str, pd.DataFrame, dict[str, str]]:
    rows = draw(st.integers(3, 8))
    numbers = st.lists(st.integers(0, 50), min_size=rows, max_size=rows)
    labels = st.lists(st.sampled_from(["price", "n", "x"]), min_size=rows, max_size=rows)
    table = pd.DataFrame(
        {
            "Total Volume": draw(numbers),
            "price": [value / 2 for value in draw(numbers)],
            "kind": draw(labels),
            "n": draw(numbers),
            "Date": draw(labels),
        }
    )
    named = {
        "number": draw(st.sampled_from(["Total Volume", "price", "n"])),
        "other": draw(st.sampled_from(["Total Volume", "price", "n"])),
        "label": draw(st.sampled_from(["kind", "Date"])),
        "value": draw(st.sampled_from(["price", "x"])),
    }
    if named["other"] == named["number"]:
        named["other"] = {"Total Volume": "price", "price": "n", "n": "price"}[named["number"]]
    steps = draw(st.lists(st.sampled_from(STEPS), max_size=3))
    lines = [step.format(**named) for step in (*steps, draw(st.sampled_from(DRAWS)))]
    fresh = draw(st.lists(_NEW, min_size=len(OLD), max_size=len(OLD), unique=True))
    renamed = {old: new for old, new in zip(OLD, fresh, strict=True) if old != new and draw(st.booleans())}
    taken = set(OLD) - set(renamed)
    renamed = {old: new for old, new in renamed.items() if new not in taken}
    return "\n".join(["df = lake.copy()", *lines]), table, renamed


@settings(max_examples=60, deadline=None)
@given(components())
def test_the_same_is_drawn(made: tuple[str, pd.DataFrame, dict[str, str]]) -> None:
    code, table, names = made
    result = rename_columns(Script.parse(code), names, {"lake": OLD})
    kept = {new: old for old, new in names.items() if old not in result.done}
    new_table = table.rename(columns=names).rename(columns=kept)
    assert drawn(str(result.script), new_table) == drawn(code, table)
