"""Columns that the data drop: what is named later is there, and a chart of the whole table is in doubt."""

import pytest

from tests.unit.notebooks.lineage.conftest import NUMBERS, used

CASES = [
    (
        """
        high = []
        for c in df.columns:
            if df[c].isnull().mean() > 0.5:
                high.append(c)
        df.drop(columns=high, inplace=True)
        df.plot.scatter(x='year', y='4046')
        """,
        {"4046", "year"},
        False,
    ),
    (
        """
        high = [c for c in df.columns if df[c].isnull().mean() > 0.5]
        d = df.drop(high, axis=1)
        d.hist()
        """,
        set(NUMBERS),
        True,
    ),
    (
        """
        miss = df.isnull().mean()
        d = df.drop(miss[miss > 0.3].index, axis=1)
        sns.histplot(d['year'])
        """,
        {"year"},
        False,
    ),
    (
        """
        miss = df.isnull().mean()
        d = df.drop(columns=miss[miss > 0.3].index)
        sns.heatmap(d.corr())
        """,
        set(NUMBERS),
        True,
    ),
    (
        """
        corr = df.corr().abs()
        upper = corr.where(np.triu(np.ones(corr.shape), k=1).astype(bool))
        to_drop = [c for c in upper.columns if any(upper[c] > 0.9)]
        d = df.drop(to_drop, axis=1)
        sns.heatmap(d.corr())
        """,
        set(NUMBERS),
        True,
    ),
    (
        """
        cols = set()
        m = df.corr()
        for i in range(len(m.columns)):
            for j in range(i):
                if abs(m.iloc[i, j]) > 0.8:
                    cols.add(m.columns[i])
        df.drop(labels=cols, axis=1, inplace=True)
        sns.boxplot(data=df, x='type', y='year')
        """,
        {"type", "year"},
        False,
    ),
    (
        """
        def f(d):
            out = []
            for c in d.columns:
                if d[c].nunique() == 1:
                    out.append(c)
            return d.drop(out, axis=1)
        d = f(df)
        sns.scatterplot(x=d.year, y=d['4046'])
        """,
        {"4046", "year"},
        False,
    ),
    (
        """
        for c in df.columns:
            if df[c].isnull().sum() > 100:
                df.drop(c, axis=1, inplace=True)
        sns.scatterplot(x='year', y='4046', data=df)
        """,
        {"4046", "year"},
        False,
    ),
    (
        """
        for c in df.columns:
            if df[c].isnull().sum() > 100:
                df = df.drop(c, axis=1)
        sns.heatmap(df.corr())
        """,
        set(NUMBERS),
        True,
    ),
    (
        """
        for c in df.columns:
            if df[c].isnull().sum() > 100:
                del df[c]
        sns.scatterplot(x='year', y='4046', data=df)
        """,
        {"4046", "year"},
        False,
    ),
    (
        """
        d = df.drop(df.columns[df.isnull().mean() > 0.5], axis=1)
        d['year'].hist()
        """,
        {"year"},
        False,
    ),
    (
        """
        d = df.loc[:, df.isnull().mean() < 0.5]
        d['year'].hist()
        """,
        {"year"},
        False,
    ),
    (
        """
        d = df.drop(['region', 'type'], axis=1)
        d.boxplot()
        """,
        set(NUMBERS),
        False,
    ),
    (
        """
        gone = unknown_list()
        d = df.drop(columns=gone)
        d.year.hist()
        """,
        {"year"},
        False,
    ),
    (
        """
        gone = unknown_list()
        d = df.drop(columns=gone)
        d.hist()
        """,
        set(NUMBERS),
        True,
    ),
    (
        """
        p = df.isnull().sum() / len(df)
        p = p[p > 0.4]
        d = df.drop(list(p.index), axis=1)
        d.hist()
        """,
        set(NUMBERS),
        True,
    ),
    (
        """
        miss = pd.DataFrame({'c': df.columns, 'p': df.isnull().mean()})
        d = df.drop(miss[miss.p > 0.4]['c'], axis=1)
        d.plot.scatter('year', '4046')
        """,
        {"4046", "year"},
        False,
    ),
    (
        """
        cols = [c for c in df.columns if df[c].nunique() < 20]
        d = df[cols]
        d['4046'].hist()
        """,
        {"4046"},
        True,
    ),
    (
        """
        cols = []
        for c in df.columns:
            if df[c].isnull().mean() < 0.3:
                cols.append(c)
        d = df[cols]
        sns.boxplot(data=d, x='type', y='year')
        """,
        {"type", "year"},
        None,
    ),
    (
        """
        best = df.corr()['year'].abs().nlargest(3).index
        d = df[best]
        d.plot.scatter('year', '4046')
        """,
        {"4046", "year"},
        None,
    ),
    (
        """
        thresh = 0.6 * len(df)
        df.dropna(thresh=thresh, axis=1, inplace=True)
        sns.heatmap(df.corr())
        """,
        set(NUMBERS),
        True,
    ),
    (
        """
        nulls = df.isnull().sum()
        bad = nulls[nulls > 100].index.tolist()
        bad.append('region')
        df = df.drop(columns=bad)
        sns.scatterplot(x='year', y='4046', data=df)
        """,
        {"4046", "year"},
        None,
    ),
    (
        """
        def reduce(d):
            m = d.corr().abs()
            drop = set()
            for i in m.columns:
                for j in m.columns:
                    if i != j and m.loc[i, j] > 0.9:
                        drop.add(j)
            return d.drop(list(drop), axis=1)
        x = reduce(df)
        x.hist()
        """,
        set(NUMBERS),
        True,
    ),
    (
        """
        const = [c for c in df if df[c].std() == 0]
        df.drop(const, axis='columns', inplace=True)
        df.boxplot(column='4046', by='type')
        """,
        {"4046", "type"},
        None,
    ),
    (
        """
        keep = df.columns[df.notnull().mean() > 0.8]
        df = df[keep]
        df.groupby('type')['4046'].mean().plot.bar()
        """,
        {"4046", "type"},
        None,
    ),
    (
        """
        from sklearn.feature_selection import VarianceThreshold
        s = VarianceThreshold()
        s.fit(df)
        df = df[df.columns[s.get_support()]]
        plt.plot(df['Date'], df['4046'])
        """,
        {"4046", "Date"},
        None,
    ),
    (
        """
        import json
        df.drop(json.load(open('gone.json')), axis=1, inplace=True)
        df.year.hist()
        """,
        {"year"},
        None,
    ),
    (
        """
        try:
            df.drop(['region'], axis=1, inplace=True)
        except KeyError:
            pass
        df.hist()
        """,
        set(NUMBERS),
        False,
    ),
    (
        """
        df = df.loc[:, ~df.columns.duplicated()]
        df.hist()
        """,
        set(NUMBERS),
        None,
    ),
    (
        """
        df = df.loc[:, (df != df.iloc[0]).any()]
        sns.histplot(df['year'])
        """,
        {"year"},
        None,
    ),
    (
        """
        to_drop = []
        for col in df.select_dtypes('number').columns:
            if df[col].var() < 0.01:
                to_drop.append(col)
        df = df.drop(to_drop, axis=1).reset_index(drop=True)
        sns.scatterplot(data=df, x='year', y='4046', hue='type')
        """,
        {"4046", "type", "year"},
        None,
    ),
    (
        """
        x = [c for c in df.columns if df[c].isna().sum() / df.shape[0] > 0.5]
        print(x)
        df_clean = df.drop(x, axis=1).dropna()
        df_clean.groupby('region').size().plot(kind='barh')
        """,
        {"region"},
        None,
    ),
    (
        """
        high = [(a, b) for a in df.columns for b in df.columns if a != b and abs(df[a].corr(df[b])) > 0.9]
        d = df.drop([b for a, b in high], axis=1)
        d[['year']].hist()
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
