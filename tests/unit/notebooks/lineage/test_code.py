"""Loops, functions, tests and dictionaries of the notebook's own, and columns that the data choose."""

import pytest

from tests.unit.notebooks.lineage.conftest import FRUIT, NUMBERS, PROFILED, used

CASES = [
    (
        """
        i = 0
        names = ['year', '4046']
        while i < len(names):
            df[names[i]].hist()
            i += 1
        """,
        {"year", "4046"},
    ),
    (
        """
        for x, y in zip(['year', 'AveragePrice'], ['4046', 'Total Volume']):
            plt.scatter(df[x], df[y])
        """,
        set(NUMBERS),
    ),
    (
        """
        titles = {'year': 'Year', '4046': 'Small'}
        for column, title in titles.items():
            df[column].hist()
        """,
        {"year", "4046"},
    ),
    (
        """
        import itertools
        for a, b in itertools.combinations(['year', '4046'], 2):
            plt.scatter(df[a], df[b])
        """,
        {"year", "4046"},
    ),
    (
        """
        for i in range(2):
            df[df.columns[i + 1]].hist()
        """,
        {"AveragePrice", "Total Volume"},
    ),
    (
        """
        for name in df.columns:
            if name in ('Date', 'type', 'region'):
                continue
            df[name].hist()
        """,
        set(NUMBERS),
    ),
    (
        """
        def grade(row):
            if row['AveragePrice'] > 2:
                return 'high'
            return 'low'
        df['grade'] = df.apply(grade, axis=1)
        sns.countplot(x='grade', data=df)
        """,
        {"AveragePrice"},
    ),
    (
        """
        df['late'] = df['year'].apply(lambda y: 'late' if y > 2016 else 'early')
        df['late'].value_counts().plot.bar()
        """,
        {"year"},
    ),
    (
        """
        counts = {}
        for text in df['region']:
            for word in text.split(','):
                if word not in counts:
                    counts[word] = 0
                counts[word] += 1
        plt.bar(list(counts.keys()), list(counts.values()))
        """,
        {"region"},
    ),
    (
        """
        levels = []
        for price in df['AveragePrice']:
            if price > 1:
                levels.append('high')
            else:
                levels.append('low')
        sns.countplot(x=levels)
        """,
        {"AveragePrice"},
    ),
    (
        """
        class Explorer:
            def __init__(self, data):
                self.data = data
            def draw(self, name):
                self.data[name].hist()
        Explorer(df).draw('4046')
        """,
        {"4046"},
    ),
    (
        """
        def first(frame, *names, **options):
            frame[list(names)].plot(**options)
        first(df, 'year', '4046', kind='hist')
        """,
        {"year", "4046"},
    ),
    (
        """
        def outer(name):
            def inner():
                df[name].hist()
            inner()
        outer('4046')
        """,
        {"4046"},
    ),
    (
        """
        for place in df['region'].unique():
            part = df[df['region'] == place]
            plt.plot(part['Date'], part['4046'])
            plt.title(f'Sales of {place}')
        """,
        {"Date", "4046", "region"},
    ),
    ("plt.bar(*zip(*Counter(df['region']).most_common(3)))", {"region"}),
    ("list(map(lambda c: df[c].hist(), ['year', '4046']))", {"year", "4046"}),
    ("[sns.kdeplot(df[c]) for c in ['year', '4046']]", {"year", "4046"}),
    ("df[['%s046' % 4]].hist()", {"4046"}),
    ("df['{}046'.format(4)].hist()", {"4046"}),
]


@pytest.mark.parametrize(("target", "columns"), CASES)
def test_shown_columns(target: str, columns: set[str]) -> None:
    assert set(used(target).shown) == columns


CHOSEN_BY_DATA = [
    (
        "for c in [c for c in df if df[c].nunique() < 20]:\n    df[c].value_counts().plot.bar()",
        {"type", "year"},
    ),
    ("df[df.columns[df.isnull().any()]].isnull().sum().plot.bar()", {"Total Volume", "region"}),
    (
        "missing = df.isnull().sum()\nmissing[missing > 0].plot.bar()",
        {"Total Volume", "region"},
    ),
    ("df.loc[:, df.nunique() < 10].nunique().plot.bar()", {"type", "year"}),
    ("df.select_dtypes('int64').hist()", {"year"}),
    ("df[df.dtypes[df.dtypes == 'float64'].index].hist()", {"AveragePrice", "Total Volume", "4046"}),
    (
        """
        def split(data, few=10):
            texts = [c for c in data.columns if str(data[c].dtypes) in ['object', 'category']]
            codes = [c for c in data.columns if data[c].nunique() < few and data[c].dtypes != 'O']
            numbers = [c for c in data.columns if data[c].dtypes != 'O' and c not in codes]
            return texts, numbers
        texts, numbers = split(df)
        df[numbers].hist()
        """,
        {"AveragePrice", "Total Volume", "4046"},
    ),
]


@pytest.mark.parametrize(("target", "columns"), CHOSEN_BY_DATA)
def test_a_profile_of_the_data_decides_which_columns_are_taken(target: str, columns: set[str]) -> None:
    found = used(target, PROFILED)

    assert set(found.shown) == columns
    assert found.unsure == ""


def test_without_a_profile_columns_that_the_data_choose_are_unsure() -> None:
    found = used(
        "for c in [c for c in df if df[c].nunique() < 20]:\n    df[c].value_counts().plot.bar()", FRUIT
    )

    assert "depends on the data" in found.unsure
    assert {"type", "region"} <= set(found.shown)  # few texts differ, and most numbers do
    assert "AveragePrice" not in found.shown


def test_columns_of_known_kinds_need_no_profile() -> None:
    found = used(
        "for c in df.columns:\n    if df[c].dtype == 'object':\n        df[c].value_counts().plot.bar()"
    )

    assert (found.shown, found.unsure) == (("region", "type"), "")


@pytest.mark.parametrize(
    "target",
    [
        "df[[[1]]].hist()\ndf['4046'].hist()",
        "{}[df]\n[][{}]\ndf['4046'].hist()",
        "df.columns = 3\ndf['4046'].hist()",
        "def f(x):\n    return f(x)\nf(1)\ndf['4046'].hist()",
        "x = y = z\ndel x\ndf['4046'].hist()",
        "del df['no such']\ndf['4046'].hist()",
        "for a, b in df:\n    pass\ndf['4046'].hist()",
    ],
)
def test_what_is_not_understood_costs_nothing_else(target: str) -> None:
    assert "4046" in used(target).shown


def test_a_computation_without_tables_is_not_followed_over_and_over() -> None:
    deep = "def f0(n):\n    return unknown(n)\n"
    for at in range(1, 6):
        once = f"f{at - 1}(n)"
        deep += f"def f{at}(n):\n    a, b, c = {once}, {once}, {once}\n    return unknown(a, b, c)\n"
    found = used("for i in range(40):\n    x = f5(3)\n    y = f5('3')\ndf['4046'].hist()", upstream=deep)

    assert (found.shown, found.unsure) == (("4046",), "")


def test_a_function_that_is_called_alike_still_shows_what_its_other_arguments_bring() -> None:
    upstream = "def show(data, n):\n    if data is not None:\n        data.hist()"
    found = used(
        "show(None, 1)\nfor c in ['4046', 'year']:\n    show(None, 1)\n    show(df[c], 1)", upstream=upstream
    )

    assert found.shown == ("4046", "year")
