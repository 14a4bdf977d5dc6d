"""Functions of modules that are not there: what they give and draw is guessed, and in doubt."""

import pytest

from tests.unit.notebooks.lineage.conftest import FRUIT, NUMBERS, used

CASES = [
    (
        """
        from utils import load_data
        d = load_data('x.csv')
        d.plot.scatter(x='year', y='4046')
        """,
        set(NUMBERS) - {"AveragePrice", "Total Volume"},
        None,
    ),
    (
        """
        import helpers
        d = helpers.clean(df)
        sns.histplot(d['year'])
        """,
        {"year"},
        True,
    ),
    (
        """
        import helpers
        d = helpers.clean(df)
        d.hist()
        """,
        set(NUMBERS),
        True,
    ),
    (
        """
        import viz
        viz.plot_bar(df, 'year', '4046')
        """,
        set(NUMBERS) - {"AveragePrice", "Total Volume"},
        True,
    ),
    (
        """
        import viz
        viz.plot_bar(data=df, x='year', y='4046')
        """,
        set(NUMBERS) - {"AveragePrice", "Total Volume"},
        True,
    ),
    (
        """
        from src.plots import plot_dist
        plot_dist(df['year'])
        """,
        {"year"},
        True,
    ),
    (
        """
        from utils import load_data
        X, y = load_data('x.csv')
        sns.histplot(X['year'])
        """,
        {"year"},
        True,
    ),
    (
        """
        from utils import load_data
        d = load_data('x.csv')
        d.hist()
        """,
        set(NUMBERS),
        True,
    ),
    (
        """
        import helpers
        d = helpers.clean(df)
        sns.boxplot(data=d, x='type', y='4046')
        """,
        {"4046", "type"},
        True,
    ),
    (
        """
        import helpers
        d = helpers.group(df, 'region')
        px.bar(d, x='region', y='4046')
        """,
        {"4046", "region"},
        True,
    ),
    (
        """
        import helpers
        d = helpers.clean(df)
        plt.bar(d.index, d['4046'])
        """,
        {"4046"},
        True,
    ),
    (
        """
        import helpers
        d = helpers.clean(df)
        d.groupby('region')['4046'].mean().plot.bar()
        """,
        {"4046", "region"},
        True,
    ),
    (
        """
        import viz
        viz.plot_hist(df)
        """,
        set(FRUIT.names),
        True,
    ),
    (
        """
        import helpers as h
        df = h.clean(df)
        d = df[df.year > 2016]
        d['4046'].hist()
        """,
        {"4046"},
        True,
    ),
    (
        """
        from viz import plot_corr
        plot_corr(df[['year', '4046']])
        """,
        set(NUMBERS) - {"AveragePrice", "Total Volume"},
        True,
    ),
    (
        """
        from viz import *
        plot_counts(df, col='type')
        """,
        {"type"},
        True,
    ),
    (
        """
        import helpers
        a, b = helpers.split(df)
        a['year'].hist()
        """,
        {"year"},
        True,
    ),
    (
        """
        import helpers
        d = helpers.clean(df)
        d['ratio'] = d['4046'] / d['Total Volume']
        d.ratio.hist()
        """,
        set(NUMBERS) - {"AveragePrice", "year"},
        True,
    ),
    (
        """
        from viz import plot_counts
        plot_counts(df.type, df, ['year', 'region'])
        """,
        {"region", "type", "year"},
        True,
    ),
    (
        """
        from mylib import Loader
        l = Loader('a')
        d = l.load()
        sns.histplot(d['year'])
        """,
        {"year"},
        True,
    ),
    (
        """
        import helpers
        colors = helpers.get_colors()
        plt.bar(df.region, df.year, color=colors)
        """,
        {"region", "year"},
        False,
    ),
    (
        """
        import helpers
        model = helpers.load_model('m')
        plt.scatter(df.year, model.predict(df[['4046']]))
        """,
        set(NUMBERS) - {"AveragePrice", "Total Volume"},
        None,
    ),
    (
        """
        from helpers import load_data
        fig, ax = load_data()
        ax.bar(df.region, df.year)
        """,
        {"region", "year"},
        False,
    ),
    (
        """
        from helpers import Cleaner
        d = Cleaner(df).run()
        d.plot.scatter(x='year', y='4046')
        """,
        set(NUMBERS) - {"AveragePrice", "Total Volume"},
        True,
    ),
    (
        """
        d = clean_up(df)
        d.plot.scatter(x='year', y='4046')
        """,
        set(NUMBERS) - {"AveragePrice", "Total Volume"},
        True,
    ),
    (
        """
        from helpers import smooth
        plt.plot(smooth(df['year']))
        """,
        {"year"},
        None,
    ),
]


@pytest.mark.parametrize(("target", "columns", "unsure"), CASES)
def test_columns_and_doubt(target: str, columns: set[str], unsure: bool | None) -> None:
    result = used(target)
    assert set(result.shown) == columns
    assert unsure is None or bool(result.unsure) == unsure
