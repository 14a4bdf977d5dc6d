"""Columns that decide on the groups or the order of rows are wanted, however they are named."""

import pytest

from lakebook.notebooks.slicing.slicer import analyze

MADE = "import pandas as pd\ndf = pd.read_csv('a.csv')\ndf['key'] = df['b'] + 1"

KEYED = [
    "df.groupby('key')['m'].mean().plot()",
    "df.groupby(['key', df.other])['m'].mean().plot()",
    "df.groupby(pd.Grouper(key='key', freq='D'))['m'].mean().plot()",
    "by = input()\ndf.groupby(by)['m'].mean().plot()",
    "by = input()\ndf.groupby(['other', by])['m'].mean().plot()",
    "df.groupby(lambda row: df.loc[row, 'key'])['m'].mean().plot()",
    "def bars(frame, by):\n    frame.groupby(by)['m'].mean().plot()\nbars(df, 'key')",
    "def bars(by, other=None):\n    df.groupby([other, by])['m'].mean().plot()\nbars('key', 'c')",
    "by = input()\ndf.sort_values(by)['m'].plot()",
    "by = input()\ndf.sort_values(by=[by])['m'].plot()",
    "by = input()\ndf.set_index(keys=by)['m'].plot()",
    "by = input()\ndf.nlargest(5, by)['m'].plot()",
]
OTHERWISE = [
    "df.groupby('c')['m'].mean().plot()",
    "df.groupby(['c', df.other])['m'].mean().plot()",
    "df.groupby(df['c'])['m'].mean().plot()",
    "df.groupby(pd.Grouper(key='c', freq='D'))['m'].mean().plot()",
    "df.sort_values('c', ascending=False)['m'].plot()",
    "df.nlargest(5, 'c')['m'].plot()",
    "by = ['c', 'd']\ndf.groupby(by)['m'].mean().plot()",
]


def is_kept(target: str) -> bool:
    program = analyze([(0, MADE), (1, target)])
    return any("df['key'] =" in program.statements[index].text for index in program.slice(1))


@pytest.mark.parametrize("target", KEYED)
def test_a_column_that_may_be_a_key_is_kept(target: str) -> None:
    assert is_kept(target)


@pytest.mark.parametrize("target", OTHERWISE)
def test_a_column_that_is_no_key_is_left_out(target: str) -> None:
    assert not is_kept(target)
