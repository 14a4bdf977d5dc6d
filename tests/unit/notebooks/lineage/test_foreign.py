"""Functions of modules that are not there: what they give and draw is guessed, and in doubt."""

import pytest

from tests.unit.notebooks.lineage.conftest import FRUIT, NUMBERS, used

CASES = [
    (
        """
        import viz
        viz.plot_many([df, df[df.year > 2016]], 'year')
        """,
        {"year"},
        True,
    ),
    (
        """
        from helpers import Store
        store = Store('x')
        store.open_all()
        store.df['year'].hist()
        """,
        {"year"},
        None,
    ),
    (
        """
        import helpers
        d = helpers.merge_all([df, df], on='region')
        d.plot.scatter('year', '4046')
        """,
        {"4046", "year"},
        True,
    ),
    (
        """
        from helpers import plot_groups
        plot_groups(df.groupby('region'), 'year')
        """,
        {"year"},
        True,
    ),
    (
        """
        from utils import load_data
        d = load_data('x.csv')
        d.plot.scatter(x='year', y='4046')
        """,
        {"4046", "year"},
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
        {"4046", "year"},
        True,
    ),
    (
        """
        import viz
        viz.plot_bar(data=df, x='year', y='4046')
        """,
        {"4046", "year"},
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
        {"4046", "year"},
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
        {"4046", "Total Volume"},
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
        {"4046", "year"},
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
        {"4046", "year"},
        True,
    ),
    (
        """
        d = clean_up(df)
        d.plot.scatter(x='year', y='4046')
        """,
        {"4046", "year"},
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
    (
        """
        from src.data import make_dataset
        df = make_dataset.load()
        sns.countplot(x='type', data=df)
        """,
        {"type"},
        True,
    ),
    (
        """
        import project.plots as pp
        pp.bar(df['region'], df['4046'])
        """,
        {"4046", "region"},
        True,
    ),
    (
        """
        from eda import univariate
        univariate(df, 'year')
        df['4046'].hist()
        """,
        {"4046"},
        False,
    ),
    (
        """
        from eda import plot_distribution as pdist
        pdist(data=df, column='year', bins=20)
        """,
        {"year"},
        True,
    ),
    (
        """
        from mytools import *
        df = read_my_csv('a.csv')
        plt.scatter(df.year, df['4046'])
        """,
        {"4046", "year"},
        True,
    ),
    (
        """
        from prep import add_features
        df = add_features(df)
        sns.pairplot(df, vars=['year', '4046'])
        """,
        {"4046", "year"},
        True,
    ),
    (
        """
        from prep import split_xy
        X_train, X_test, y_train, y_test = split_xy(df, 'year')
        sns.histplot(X_train['4046'])
        """,
        {"4046"},
        True,
    ),
    (
        """
        from prep import agg
        top = agg(df, by='region', value='4046')
        top.plot(kind='bar')
        """,
        {"4046", "region"},
        True,
    ),
    (
        """
        from prep import Pipeline
        p = Pipeline()
        d = p.run(df)
        d['year'].plot()
        """,
        {"year"},
        True,
    ),
    (
        """
        from myviz import correlation_heatmap
        correlation_heatmap(df[['year', '4046']])
        """,
        {"4046", "year"},
        True,
    ),
    (
        """
        from helpers import stats
        s = stats(df['4046'])
        print(s)
        plt.plot(df.year)
        """,
        {"year"},
        False,
    ),
    (
        """
        from utils import get_df
        df2 = get_df('train')
        fig = px.scatter(df2, x='year', y='4046')
        fig.show()
        """,
        {"4046", "year"},
        True,
    ),
    (
        """
        import common
        df2 = common.load()
        df2.groupby('type').year.mean().plot()
        """,
        {"type", "year"},
        True,
    ),
    (
        """
        from plotting import scatter_matrix_custom as smc
        smc(df, ['year', '4046', 'AveragePrice'])
        """,
        set(NUMBERS) - {"Total Volume"},
        True,
    ),
    (
        """
        from lib.viz import make_bar
        make_bar(x=df['type'], y=df['4046'], title='t')
        """,
        {"4046", "type"},
        True,
    ),
    (
        """
        from prep import bucket
        df['b'] = bucket(df['year'])
        sns.countplot(x='b', data=df)
        """,
        {"year"},
        None,
    ),
    (
        """
        from prep import monthly
        m = monthly(df)
        plt.plot(m['Date'], m['total'])
        """,
        {"Date"},
        True,
    ),
    (
        """
        import mylib
        res = mylib.analyse(df)
        print(res)
        df.year.hist()
        """,
        {"year"},
        False,
    ),
]


@pytest.mark.parametrize(("target", "columns", "unsure"), CASES)
def test_columns_and_doubt(target: str, columns: set[str], unsure: bool | None) -> None:
    result = used(target)
    assert set(result.shown) == columns
    assert unsure is None or bool(result.unsure) == unsure
