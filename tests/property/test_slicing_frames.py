"""Whatever is done to a few frames, a slice for some columns shows them as the whole program does."""

import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakebook.notebooks.slicing.slicer import analyze

pd = pytest.importorskip("pandas")

PROLOGUE = """
import pandas as pd
df = pd.DataFrame({"a": [3, 1, 2, 3], "b": ["x", "y", "x", None], "c": [1.5, None, 0, 2], "d": [1, 1, 2, 2]})
other = pd.DataFrame({"a": [1, 2, 3], "d": [7, 8, 9], "e": [4, 5, 6]})
third = other
def tidy(frame):
    frame["z"] = frame["a"] * 2
    return frame
"""
STEPS = (
    "{f}['{n}'] = {f}['{k}']",
    "{f}['{n}'] = {f}['a'] + {i}",
    "{f}['{k}'] = {f}['{k}'].fillna(0)",
    "{f}['{k}'] = {f}['{k}'].astype(str)",
    "{f} = {f}[{f}['a'] > {i}]",
    "{f} = {f}[['a', '{k}']]",
    "{f} = {f}.loc[{f}['a'] < 3].copy()",
    "{f} = {f}.drop('{k}', axis=1)",
    "{f} = {f}.drop(columns=['{k}'])",
    "{f}.drop('{k}', axis=1, inplace=True)",
    "{f}.drop([0], inplace=True)",
    "{f} = {f}.dropna()",
    "{f} = {f}.dropna(subset=['{k}'])",
    "{f}.dropna(inplace=True)",
    "{f}.dropna(subset=['{k}'], inplace=True)",
    "{f} = {f}.fillna({i})",
    "{f}.fillna({i}, inplace=True)",
    "{f} = {f}.rename(columns={{'{k}': '{n}'}})",
    "{f}.rename(columns={{'{k}': '{n}'}}, inplace=True)",
    "{f} = {f}.rename(columns=str.lower)",
    "{f} = {f}.sort_values('{k}')",
    "{f}.sort_values(['{k}', 'a'], inplace=True)",
    "{f} = {f}.drop_duplicates('{k}')",
    "{f} = {f}.reset_index(drop=True)",
    "{f}.reset_index(inplace=True, drop=True)",
    "{f} = {f}.set_index('{k}')",
    "{f} = {f}.reset_index()",
    "{f}.index = {f}.index + {i}",
    "{f} = {f}.assign({n}=lambda t: t['a'] + {i})",
    "{f} = {f}.query('a > {i}')",
    "{f} = {f}.query('{k} == {k} and a < @limit')",
    "limit = {i}",
    "{f} = {f}.astype({{'a': float}})",
    "{f} = {f}.head({i} + 1)",
    "{f} = {f}.merge({g}, on='a')",
    "{f} = pd.merge({f}, {g}, on='a', how='left')",
    "{f} = {f}.merge({g}, left_on='a', right_on='d')",
    "{f} = {f}.join({g}[['e']])",
    "{f} = pd.concat([{f}, {g}])",
    "{f} = pd.concat([{f}, {g}], ignore_index=True)",
    "{f} = {f}.groupby('{k}').agg({{'a': 'sum'}}).reset_index()",
    "{f} = {f}.groupby('{k}', as_index=False)['a'].sum()",
    "{f} = {f}.groupby('{k}').count()",
    "{f}['{n}'] = {f}.apply(lambda row: row['a'] + {i}, axis=1)",
    "{f}['{n}'] = {f}.groupby('{k}')['a'].transform('sum')",
    "{f}['{n}'] = len({f})",
    "{f}['{n}'] = {f}.shape[0]",
    "{f}.loc[{f}['a'] > {i}, '{k}'] = {i}",
    "{f}.loc[len({f}), 'a'] = {i}",
    "{f}.loc[{f}['{k}'] == {i}, 'a'] = {i}",
    "{f} = tidy({f})",
    "tidy({f})",
    "{f} = {g}",
    "{f} = {g}.copy()",
    "for column in ['a', '{k}']:\n    {f}[column] = {f}[column].fillna(1)",
    "for frame in [df, other]:\n    frame['{n}'] = frame['a'] + 1",
    "for frame in [df, other]:\n    frame.fillna({i}, inplace=True)",
    "if len({f}) > {i}:\n    {f}['{n}'] = 1\n    {g}['{n}'] = 2",
    "del {f}['{k}']",
    "{f}.insert(0, '{n}', {i})",
    "{f} = {f}.replace({{'{k}': {{1: 5}}}})",
    "{f}.columns = [name + '_' for name in {f}.columns]",
    "{f} = pd.get_dummies({f}, columns=['{k}'])",
    "{f} = {f}.melt(id_vars=['a'], value_vars=['{k}'])",
)
TARGETS = (
    "{f}['a']",
    "{f}['{k}']",
    "{f}.{n}",
    "{f}[['a', '{n}']]",
    "{f}",
    "len({f})",
    "{f}.index",
    "{f}.groupby('a').size()",
    "{f}.groupby('a')['{k}'].count()",
    "{f}.shape[0]",
    "{f}.describe()",
    "{f}['{k}_x']",
    "{f}.columns",
)


@st.composite
def _filled(draw: st.DrawFn, forms: tuple[str, ...]) -> str:
    return draw(st.sampled_from(forms)).format(
        f=draw(st.sampled_from(["df", "df", "other", "third"])),
        g=draw(st.sampled_from(["df", "other", "third"])),
        k=draw(st.sampled_from("abcde")),
        n=draw(st.sampled_from("bcez")),
        i=draw(st.integers(0, 3)),
    )


def _run(texts: list[str]) -> tuple[str, str]:
    """Run statements; return what was shown and the kind of error."""
    shown: list[str] = []

    def show(value: object) -> None:
        shown.append(value.to_json() if isinstance(value, (pd.DataFrame, pd.Series)) else repr(value))

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec("\n".join(texts), {"show": show})
    except Exception as error:  # noqa: BLE001 (whatever pandas makes of a random program)
        return "", f"{type(error).__name__}: {error}"
    return shown[-1], ""


@settings(max_examples=120, deadline=None)
@given(st.lists(_filled(STEPS), min_size=1, max_size=9), _filled(TARGETS))
def test_a_slice_of_frames_shows_the_same(steps: list[str], target: str) -> None:
    alive = [PROLOGUE]
    for step in steps:  # statements that fail are left out, as a notebook that ran has none
        if not _run([*alive, step, "show(0)"])[1]:
            alive.append(step)
    whole, error = _run([*alive, f"show({target})"])
    if error:
        return
    program = analyze([(0, alive[0]), (1, "\n".join(alive[1:]) or "pass"), (2, f"show({target})")])

    left = [kept.statement.text for kept in program.explain(2)]

    assert _run(left) == (whole, "")
