"""Columns renamed in the code: every sure mention, no value, no free text, nothing that is not sure."""

from __future__ import annotations

import pytest

from lakebook.enhancement.renaming import Renamed, rename_columns
from lakebook.enhancement.script import Script

NAMES = {"Price": "average_price", "Date": "when", "Volume": "Sales (USD)", "size": "count"}
COLUMNS = ("Date", "Price", "Volume", "size", "type")
HEAD = "df = lake.copy()\n"


def renamed(code: str) -> Renamed:
    return rename_columns(Script.parse(HEAD + code), NAMES, {"lake": COLUMNS})


def written(code: str) -> str:
    made = renamed(code)
    assert not made.kept
    return str(made.script).removeprefix(HEAD.strip()).strip("\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("df['Price'].plot()", "df['average_price'].plot()"),
        ("df[['Price', 'Volume']].hist()", "df[['average_price', 'Sales (USD)']].hist()"),
        ("df.Price.plot()", "df.average_price.plot()"),
        ("df.Volume.plot()", "df['Sales (USD)'].plot()"),
        ("df.Volume = 3", "df['Sales (USD)'] = 3"),
        (
            "df['Price'] = df.Price / df['Volume']",
            "df['average_price'] = df.average_price / df['Sales (USD)']",
        ),
        ("df.loc[df['type'] == 'Price', 'Price']", "df.loc[df['type'] == 'Price', 'average_price']"),
        (
            "df.groupby(['type', 'Date'])['Price'].mean()",
            "df.groupby(['type', 'when'])['average_price'].mean()",
        ),
        ("df.groupby('type').Price.mean()", "df.groupby('type').average_price.mean()"),
        ("df.groupby('type').agg({'Price': 'mean'})", "df.groupby('type').agg({'average_price': 'mean'})"),
        (
            "df.groupby('type').agg(Price=('Price', 'sum'))",
            "df.groupby('type').agg(average_price=('average_price', 'sum'))",
        ),
        ("df.assign(Volume=1)", "df.assign(**{'Sales (USD)': 1})"),
        ("df.plot(x='Date', y='Price')", "df.plot(x='when', y='average_price')"),
        ("df.plot.scatter('Date', 'Price')", "df.plot.scatter('when', 'average_price')"),
        (
            "sns.boxplot(x='type', y='Price', hue='Date', data=df)",
            "sns.boxplot(x='type', y='average_price', hue='when', data=df)",
        ),
        ("sns.lmplot('Date', 'Price', df)", "sns.lmplot('when', 'average_price', df)"),
        ("df.sort_values(by=['Price', 'Date'])", "df.sort_values(by=['average_price', 'when'])"),
        ("df.drop(['Price', 'gone'], axis=1)", "df.drop(['average_price', 'gone'], axis=1)"),
        ("df.rename(columns={'Price': 'p'}).p.plot()", "df.rename(columns={'average_price': 'p'}).p.plot()"),
        (
            "df.query('Price > 2 and type == \"Price\" and Volume < @Price')",
            "df.query('average_price > 2 and type == \"Price\" and `Sales (USD)` < @Price')",
        ),
        ("df.query('`Price` > 2')", "df.query('average_price > 2')"),
        (
            "smf.ols('Price ~ C(type) + Volume', df)",
            "smf.ols('average_price ~ C(type) + Q(\"Sales (USD)\")', df)",
        ),
        (
            "cols = ['Price', 'Volume']\nfor c in cols:\n    df[c].hist()",
            "cols = ['average_price', 'Sales (USD)']\nfor c in cols:\n    df[c].hist()",
        ),
        (
            "def show(frame, name):\n    frame[name].hist()\nshow(df, 'Price')",
            "def show(frame, name):\n    frame[name].hist()\nshow(df, 'average_price')",
        ),
        (
            "df.apply(lambda row: row['Price'] * 2, axis=1)",
            "df.apply(lambda row: row['average_price'] * 2, axis=1)",
        ),
        (
            "c = 'Price'\nplt.title(f'{c} by day')\ndf[c].plot()",
            "c = 'average_price'\nplt.title(f'{c} by day')\ndf[c].plot()",
        ),
        ("n = df.size", "n = df.size"),
        ("df['size'].plot()", "df['count'].plot()"),
        (
            "px.line(df, x='Date', y='Price', labels={'Price': 'price'})",
            "px.line(df, x='when', y='average_price', labels={'average_price': 'price'})",
        ),
        ("'Price' in df.columns", "'average_price' in df.columns"),
    ],
)
def test_every_mention_of_a_column(old: str, new: str) -> None:
    assert written(old) == new


@pytest.mark.parametrize(
    "code",
    [
        "plt.title('Price')",
        "plt.ylabel('Price of it')",
        "df[df['type'] == 'Price']['type'].hist()",
        "df[df.type.isin(['Price', 'Date'])].type.hist()",
        "df['type'].replace({'Price': 'p'}).hist()",
        "plt.plot([1], label='Price')",
        "df['type'].map({'Price': 1}).hist()",
    ],
)
def test_values_and_words_stay(code: str) -> None:
    assert written(code) == code


@pytest.mark.parametrize(
    ("code", "kept"),
    [
        ("d = {'Price': 1}\nd['Price']", {"Price"}),
        ("use('Price')", {"Price"}),
        ("s = df['type'].value_counts()\ns['Price']", {"Price"}),
        ("df['when'] = pd.to_datetime(df['Date'])", {"Date"}),
        ("df.merge(df, on='type')['Price_x'].plot()", {"Price"}),
        ("def later(frame):\n    return frame.Price", {"Price"}),
        ("df.columns = df.columns.str.lower()\ndf.price.plot()", set(NAMES)),
        ("df.columns = [c.lower() for c in df.columns]", set(NAMES)),
        ("df.rename(columns=str.lower).price.plot()", set(NAMES)),
        ("df[[c for c in df.columns if 'rice' in c]].hist()", set(NAMES)),
        ("for c in df.columns:\n    if c.startswith('P'):\n        df[c].hist()", set(NAMES)),
        ("df.filter(like='Pri').hist()", set(NAMES)),
    ],
)
def test_what_is_not_sure_is_kept_with_the_reason(code: str, kept: set[str]) -> None:
    made = renamed(code)
    assert set(made.kept) == kept
    assert all(made.kept.values())
    assert not kept & set(made.done)
    assert all(NAMES[name] not in str(made.script).replace("df['when']", "") for name in kept)


def test_names_that_change_places() -> None:
    made = rename_columns(
        Script.parse("lake['a'].plot()\nlake.b.plot()"), {"a": "b", "b": "a"}, {"lake": ("a", "b")}
    )
    assert str(made.script) == "lake['b'].plot()\nlake.a.plot()"


def test_sql_is_rewritten_by_its_grammar() -> None:
    made = written("sqldf(\"select type, sum(Volume) as Volume from df where type = 'Price' group by type\")")
    assert 'SUM("Sales (USD)") AS "Sales (USD)"' in made
    assert "type = \\'Price\\'" in made or "type = 'Price'" in made


def test_edits_are_recorded() -> None:
    made = renamed("df['Price'].plot()")
    assert [(r.kind, r.before, r.after) for r in made.repairs] == [
        ("column_renamed", "df['Price'].plot()", "df['average_price'].plot()")
    ]
