"""What changes the kind of a column's values, and so what a chart of all numbers takes."""

import pytest

from tests.unit.notebooks.lineage.conftest import NUMBERS, used

CASES = [
    (
        """
        df.loc[:, 'year'] = df['year'].astype(str)
        df.hist()
        """,
        set(NUMBERS) - {"year"},
        False,
    ),
    (
        """
        for c in ['year', '4046']:
            df.loc[:, c] = df[c].astype(str)
        df.hist()
        """,
        {"AveragePrice", "Total Volume"},
        False,
    ),
    (
        """
        df.loc[:, 'type'] = pd.to_numeric(df['type'])
        df.hist()
        """,
        set(NUMBERS) | {"type"},
        False,
    ),
    (
        """
        for c in ['year']:
            df[c] = df[c].astype('category')
        sns.heatmap(df.corr())
        """,
        set(NUMBERS) - {"year"},
        False,
    ),
    (
        """
        df[['year', '4046']] = df[['year', '4046']].astype(str)
        df.hist()
        """,
        {"AveragePrice", "Total Volume"},
        False,
    ),
    (
        """
        cols = ['year', '4046']
        df.loc[:, cols] = df[cols].astype(str)
        df.hist()
        """,
        {"AveragePrice", "Total Volume"},
        False,
    ),
    (
        """
        df[['type', 'region']] = df[['type', 'region']].apply(pd.to_numeric)
        df.hist()
        """,
        set(NUMBERS) | {"region", "type"},
        False,
    ),
    (
        """
        df.year = df.year.astype(str)
        df.hist()
        """,
        set(NUMBERS) - {"year"},
        False,
    ),
    (
        """
        df.loc[df.year > 2016, 'year'] = 2016
        df.hist()
        """,
        set(NUMBERS),
        False,
    ),
    (
        """
        df['type'] = df['type'].map({'organic': 1, 'conventional': 0})
        df.hist()
        """,
        set(NUMBERS) | {"type"},
        False,
    ),
    (
        """
        df.loc[:, 'type'] = df['type'].replace({'organic': 1, 'conventional': 0})
        df.hist()
        """,
        set(NUMBERS) | {"type"},
        False,
    ),
    (
        """
        df['type'] = df['type'].apply(lambda x: 1 if x == 'organic' else 0)
        df.hist()
        """,
        set(NUMBERS) | {"type"},
        False,
    ),
    (
        """
        df = df.astype({'year': 'str'})
        df.hist()
        """,
        set(NUMBERS) - {"year"},
        False,
    ),
    (
        """
        df['type'].replace(['organic', 'conventional'], [0, 1], inplace=True)
        df.hist()
        """,
        set(NUMBERS) | {"type"},
        False,
    ),
    (
        """
        df['year'] = df['year'].apply(str)
        df.hist()
        """,
        set(NUMBERS) - {"year"},
        False,
    ),
    (
        """
        df['year'] = df['year'].map(lambda y: f'Y{y}')
        df.hist()
        """,
        set(NUMBERS) - {"year"},
        False,
    ),
    (
        """
        df.loc[:, 'Date'] = pd.to_datetime(df.loc[:, 'Date'])
        df.loc[:, 'm'] = df['Date'].dt.month
        sns.barplot(x='m', y='4046', data=df)
        """,
        {"4046", "Date"},
        False,
    ),
    (
        """
        for c in df.select_dtypes('number').columns:
            df[c] = df[c].astype('category')
        sns.heatmap(df[['year', '4046']])
        """,
        {"4046", "year"},
        None,
    ),
    (
        """
        for c in ['type', 'region']:
            df[c] = df[c].astype('category').cat.codes
        sns.heatmap(df.corr())
        """,
        set(NUMBERS) | {"region", "type"},
        None,
    ),
    (
        """
        from sklearn.preprocessing import LabelEncoder
        for c in ['type', 'region']:
            df[c] = LabelEncoder().fit_transform(df[c])
        sns.heatmap(df.corr())
        """,
        set(NUMBERS) | {"region", "type"},
        None,
    ),
    (
        """
        df = df.assign(year=df.year.astype(str))
        df.hist()
        """,
        set(NUMBERS) - {"year"},
        None,
    ),
    (
        """
        df['year'] = pd.Categorical(df['year'])
        df.hist()
        """,
        set(NUMBERS) - {"year"},
        None,
    ),
    (
        """
        df['big'] = np.where(df['4046'] > 10, 'yes', 'no')
        df.hist()
        """,
        set(NUMBERS),
        None,
    ),
    (
        """
        df.iloc[:, 5] = df.iloc[:, 5].astype(str)
        df.hist()
        """,
        set(NUMBERS) - {"year"},
        None,
    ),
    (
        """
        df.loc[:, ['type', 'region']] = df[['type', 'region']].apply(lambda s: s.astype('category').cat.codes)
        df.hist()
        """,
        set(NUMBERS) | {"region", "type"},
        None,
    ),
    (
        """
        df.loc[:, 'year'] = df.loc[:, 'year'].map(str)
        df.hist()
        """,
        set(NUMBERS) - {"year"},
        None,
    ),
    (
        """
        df['type'] = pd.factorize(df['type'])[0]
        df.hist()
        """,
        set(NUMBERS) | {"type"},
        None,
    ),
]


@pytest.mark.parametrize(("target", "columns", "unsure"), CASES)
def test_columns_and_doubt(target: str, columns: set[str], unsure: bool | None) -> None:
    result = used(target)
    assert set(result.shown) == columns
    assert unsure is None or bool(result.unsure) == unsure
