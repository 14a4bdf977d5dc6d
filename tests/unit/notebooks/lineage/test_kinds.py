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
        set(NUMBERS) - {"4046", "year"},
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
        set(NUMBERS) - {"4046", "year"},
        False,
    ),
    (
        """
        cols = ['year', '4046']
        df.loc[:, cols] = df[cols].astype(str)
        df.hist()
        """,
        set(NUMBERS) - {"4046", "year"},
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
]


@pytest.mark.parametrize(("target", "columns", "unsure"), CASES)
def test_columns_and_doubt(target: str, columns: set[str], unsure: bool | None) -> None:
    result = used(target)
    assert set(result.shown) == columns
    assert unsure is None or bool(result.unsure) == unsure
