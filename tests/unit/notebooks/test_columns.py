import textwrap

import pytest

from lakebook.notebooks.columns import UsedColumns, columns_of
from lakebook.notebooks.schema import Schema
from tests.unit.notebooks.lineage.conftest import FRUIT, NUMBERS

LOAD = """
import numpy as np
import pandas as pd
import matplotlib.pyplot as plt
import seaborn as sns
import plotly.express as px
import plotly.graph_objs as go
from plotly.offline import iplot
df = pd.read_csv("fruit.csv")
"""


def used(target: str, schema: Schema | None = FRUIT) -> UsedColumns:
    text = textwrap.dedent(target).strip("\n") + "\n"
    return columns_of(LOAD + text, schema, target_code=text)


CASES = [
    ("df['AveragePrice'].hist()", {"AveragePrice"}, ("histogram",)),
    ("df.AveragePrice.plot(kind='hist')", {"AveragePrice"}, ("histogram",)),
    ("sns.boxplot(x='type', y='AveragePrice', data=df)", {"type", "AveragePrice"}, ("box",)),
    ("sns.countplot(df['type'])", {"type"}, ("count",)),
    ("df.plot(x='Date', y='AveragePrice')", {"Date", "AveragePrice"}, ("line",)),
    ("df.plot.scatter('Total Volume', 'AveragePrice')", {"Total Volume", "AveragePrice"}, ("scatter",)),
    ("plt.scatter(df['4046'], df.AveragePrice)", {"4046", "AveragePrice"}, ("scatter",)),
    ("px.scatter(df, x='4046', y='year', color='type')", {"4046", "year", "type"}, ("scatter",)),
    ("iplot([go.Bar(x=df.region, y=df['4046'])])", {"region", "4046"}, ("bar",)),
    ("df.boxplot(column='AveragePrice', by='type')", {"AveragePrice", "type"}, ("box",)),
    ("sns.pairplot(df[['year', '4046']])", {"year", "4046"}, ("pairplot",)),
    ("sns.pairplot(df, vars=['year', '4046'], hue='type')", {"year", "4046", "type"}, ("pairplot",)),
    # whole frames
    ("sns.heatmap(df.corr())", set(NUMBERS), ("heatmap",)),
    ("sns.pairplot(df)", set(NUMBERS), ("pairplot",)),
    ("df.hist()", set(NUMBERS), ("histogram",)),
    ("sns.heatmap(df.isnull())", set(FRUIT.names), ("heatmap",)),
    ("df.isnull().sum().plot(kind='bar')", set(FRUIT.names), ("bar",)),
    ("sns.heatmap(df.drop('year', axis=1).corr())", set(NUMBERS) - {"year"}, ("heatmap",)),
    # grouping and counting
    ("df.region.value_counts().plot.pie()", {"region"}, ("pie",)),
    ("df.groupby('region')['4046'].sum().plot(kind='bar')", {"region", "4046"}, ("bar",)),
    ("df.groupby('region').size().plot.bar()", {"region"}, ("bar",)),
    (
        """
        t = df.groupby(['year', 'type']).agg({'AveragePrice': 'mean'}).reset_index()
        sns.barplot(x='year', y='AveragePrice', hue='type', data=t)
        """,
        {"year", "type", "AveragePrice"},
        ("bar",),
    ),
    (
        """
        t = df.groupby('region', as_index=False)['4046'].sum()
        sns.barplot(data=t, x='region', y='4046')
        """,
        {"region", "4046"},
        ("bar",),
    ),
    (
        """
        t = df.groupby('region').agg(price=('AveragePrice', 'mean'))
        plt.bar(t.index, t['price'])
        """,
        {"region", "AveragePrice"},
        ("bar",),
    ),
    ("pd.crosstab(df.region, df.type).plot.bar(stacked=True)", {"region", "type"}, ("bar",)),
    (
        "df.pivot_table(index='year', columns='type', values='AveragePrice').plot()",
        {"year", "type", "AveragePrice"},
        ("line",),
    ),
    (
        """
        wide = df.pivot(index='Date', columns='type', values='AveragePrice')
        wide['premium'] = wide['organic'] - wide['conventional']
        plt.plot(wide.index, wide['premium'])
        """,
        {"Date", "type", "AveragePrice"},
        ("line",),
    ),
    (
        """
        long = df.melt(id_vars='type', value_vars=['4046', 'Total Volume'])
        sns.boxplot(x='variable', y='value', hue='type', data=long)
        """,
        {"4046", "Total Volume", "type"},
        ("box",),
    ),
    # derived columns lead back to their base
    (
        """
        df['month'] = pd.to_datetime(df.Date).dt.month
        sns.lineplot(data=df, x='month', y='AveragePrice')
        """,
        {"Date", "AveragePrice"},
        ("line",),
    ),
    (
        """
        df['revenue'] = df['AveragePrice'] * df['Total Volume']
        df['revenue'].plot()
        """,
        {"AveragePrice", "Total Volume"},
        ("line",),
    ),
    (
        """
        df.rename(columns={'AveragePrice': 'price'}, inplace=True)
        df['price'].hist()
        """,
        {"AveragePrice"},
        ("histogram",),
    ),
    (
        """
        df['half'] = df['4046'].apply(lambda v: v / 2)
        df['half'].hist()
        """,
        {"4046"},
        ("histogram",),
    ),
    (
        """
        df['both'] = df.apply(lambda row: row['4046'] + row['year'], axis=1)
        df['both'].hist()
        """,
        {"4046", "year"},
        ("histogram",),
    ),
    (
        """
        df.columns = [c.lower() for c in df.columns]
        df['averageprice'].hist()
        """,
        {"AveragePrice"},
        ("histogram",),
    ),
    # loops, lists, functions, texts
    (
        """
        fig, axes = plt.subplots(1, 2)
        for i, name in enumerate(['AveragePrice', '4046']):
            axes[i].hist(df[name])
        """,
        {"AveragePrice", "4046"},
        ("histogram",),
    ),
    (
        """
        for ax, name in zip(plt.subplots(1, 2)[1], ['year', '4046']):
            sns.kdeplot(df[name], ax=ax)
        """,
        {"year", "4046"},
        ("kde",),
    ),
    (
        """
        numbers = [c for c in df.columns if df[c].dtype != 'object' and c != 'year']
        for c in numbers:
            if c not in ('Date',):
                sns.histplot(df[c])
        """,
        {"4046", "AveragePrice", "Total Volume"},
        ("histogram",),
    ),
    (
        """
        for c in df.select_dtypes(include='number').columns:
            sns.kdeplot(df[c])
        """,
        set(NUMBERS),
        ("kde",),
    ),
    (
        """
        def draw(name, kind='hist'):
            df[name].plot(kind=kind)
        draw('AveragePrice')
        draw('4046', kind='box')
        """,
        {"AveragePrice", "4046"},
        ("histogram", "box"),
    ),
    (
        """
        plu = 40
        df[f'{plu}46'].hist()
        """,
        {"4046"},
        ("histogram",),
    ),
    (
        """
        g = sns.FacetGrid(df, col='type')
        g.map(plt.hist, 'AveragePrice')
        """,
        {"type", "AveragePrice"},
        ("histogram",),
    ),
    (
        """
        from collections import Counter
        words = Counter()
        for text in df['region']:
            words.update(w for w in text.split())
        names, counts = zip(*words.most_common(5))
        plt.bar(names, counts)
        """,
        {"region"},
        ("bar",),
    ),
    ("df.iloc[:, 1].hist()", {"AveragePrice"}, ("histogram",)),
    ("df.iloc[:, [1, 3]].plot()", {"AveragePrice", "4046"}, ("line",)),
    ("plt.plot([1, 2, 3])", set(), ("line",)),
]


@pytest.mark.parametrize(("target", "columns", "charts"), CASES)
def test_shown_columns_and_chart_types(target: str, columns: set[str], charts: tuple[str, ...]) -> None:
    found = used(target)

    assert set(found.shown) == columns
    assert found.charts == charts


NAMED = [case for case in CASES if case[1] and not case[1] >= set(NUMBERS) - {"year"}]


@pytest.mark.parametrize(
    ("target", "columns", "charts"),
    [case for case in NAMED if not any(word in case[0] for word in ("iloc", "df.columns", "color='type'"))],
)
def test_names_are_found_without_a_schema(target: str, columns: set[str], charts: tuple[str, ...]) -> None:
    found = used(target, None)

    assert set(found.shown) == columns
    assert found.charts == charts


def test_filters_and_keys_are_told_apart() -> None:
    found = used(
        """
        organic = df[(df['type'] == 'organic') & (df.year > 2015)]
        organic.groupby('region')['AveragePrice'].mean().plot(kind='bar')
        """
    )

    assert found.shown == ("AveragePrice", "region")
    assert found.filters == ("type", "year")
    assert found.keys == ("region",)


def test_a_filter_may_be_shown_too() -> None:
    found = used("df[df['AveragePrice'] > 1]['AveragePrice'].hist()")

    assert found.shown == ("AveragePrice",)
    assert found.filters == ("AveragePrice",)


def test_query_text_filters() -> None:
    found = used("""df.query('year > 2015 and type == "organic"').AveragePrice.plot(kind='hist')""")

    assert found.filters == ("type", "year")


def test_loc_filters_by_its_rows() -> None:
    found = used("df.loc[df['region'] == 'West', 'AveragePrice'].hist()")

    assert (found.shown, found.filters) == (("AveragePrice",), ("region",))


def test_only_the_target_counts() -> None:
    text = "df['4046'].hist()\n"

    found = columns_of(LOAD + "df['year'].hist()\n" + text, FRUIT, target_code=text)

    assert found.shown == ("4046",)


def test_names_that_the_table_does_not_have_are_not_columns() -> None:
    found = used("df['AveragePrice'].hist()\ndf['no such'].hist()")

    assert found.shown == ("AveragePrice",)


def test_a_whole_frame_of_unknown_columns_is_unsure() -> None:
    assert used("sns.pairplot(df)", None).unsure != ""
    assert used("sns.pairplot(df)").unsure == ""


def test_a_chart_of_computed_numbers_is_unsure_and_a_named_one_is_not() -> None:
    assert used("plt.plot([1, 2, 3])").unsure != ""
    assert used("df['4046'].hist()").unsure == ""


def test_an_index_column_shows_on_the_axis() -> None:
    text = "df['4046'].plot()\n"
    code = LOAD.replace('"fruit.csv"', '"fruit.csv", index_col="Date"') + text

    found = columns_of(code, FRUIT, target_code=text)

    assert found.shown == ("4046", "Date")
    assert found.keys == ("Date",)


def test_code_that_loops_for_ever_is_cut_short() -> None:
    nested = "\n".join("    " * depth + f"for x{depth} in range(40):" for depth in range(6))
    found = used(nested + "\n" + "    " * 6 + "df['4046'].hist()")

    assert found.shown == ("4046",)
    assert found.unsure != ""


def test_a_statement_that_goes_wrong_costs_only_itself() -> None:
    found = used("x = df[[][3]]\ny = {}.get()\ndf['4046'].hist()")

    assert found.shown == ("4046",)


def test_values_picked_row_by_row_are_of_their_column() -> None:
    target = """
    kept = []
    for row in range(len(df)):
        if df["year"][row] > 2015:
            kept.append(df["AveragePrice"][row])
    plt.hist(kept)
    """
    assert used(target).shown == ("AveragePrice",)
