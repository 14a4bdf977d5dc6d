"""What selects rows, and what is counted."""

import pytest

from tests.unit.notebooks.lineage.conftest import FRUIT, used

CASES = [
    (
        """
        def count(frame, col):
            return frame[col].value_counts()
        count(df[df.year > 2016], 'type').plot.bar()
        """,
        {"type"},
        {"year"},
    ),
    (
        """
        def count(frame, col):
            return frame[col].value_counts().reset_index()
        x = count(df[df.year > 2016], 'type')
        sns.barplot(x=x['type'], y=x['count'])
        """,
        {"type"},
        {"year"},
    ),
    (
        """
        def count(frame, col):
            out = {}
            for v in frame[col].unique():
                out[v] = len(frame[frame[col] == v])
            return out
        x = count(df[df.year > 2016], 'type')
        plt.bar(list(x.keys()), list(x.values()))
        """,
        {"type"},
        {"year"},
    ),
    (
        """
        def top(frame):
            f = frame[frame['year'] > 2016]
            return f.groupby('region')['4046'].sum()
        top(df).plot.bar()
        """,
        {"4046", "region"},
        {"year"},
    ),
    (
        """
        def n(d, y):
            return len(d[d.year == y])
        plt.bar(['a', 'b'], [n(df, 2015), n(df, 2016)])
        """,
        {"year"},
        None,
    ),
    (
        """
        def count(frame, col):
            return frame.groupby(col).size()
        count(df[df['type'] == 'organic'], 'region').plot(kind='bar')
        """,
        {"region"},
        {"type"},
    ),
    (
        """
        def draw(d, t):
            d = d[d['type'] == t]
            plt.hist(d['year'])
        draw(df, 'organic')
        """,
        {"year"},
        {"type"},
    ),
    (
        """
        def count(frame, col):
            return frame[col].value_counts()
        a = count(df[df.year > 2016], 'type')
        plt.pie(a, labels=a.index)
        """,
        {"type"},
        {"year"},
    ),
    (
        """
        def count(frame, col):
            c = Counter(frame[col])
            return c.most_common(5)
        a = count(df[df.year > 2016], 'type')
        plt.bar([x[0] for x in a], [x[1] for x in a])
        """,
        {"type"},
        {"year"},
    ),
    (
        """
        def count(frame, col):
            return [len(frame[frame[col] == v]) for v in ['a', 'b']]
        a = count(df[df.year > 2016], 'type')
        plt.bar(['a', 'b'], a)
        """,
        {"type"},
        {"year"},
    ),
    (
        """
        def cnt(frame, col):
            return frame[col].count()
        plt.bar(['a', 'b'], [cnt(df[df.year > 2016], 'type'), cnt(df[df.year < 2016], 'type')])
        """,
        {"type"},
        {"year"},
    ),
    (
        """
        organic = df[df['type'] == 'organic']
        x = [len(organic[organic['region'] == r]) for r in ['a', 'b']]
        plt.bar(['a', 'b'], x)
        """,
        {"region"},
        {"type"},
    ),
    (
        """
        m = df['year'] > 2016
        plt.hist(df.loc[m, '4046'])
        """,
        {"4046"},
        {"year"},
    ),
    (
        """
        m = (df['year'] > 2016) & (df.type == 'organic')
        df[m]['4046'].hist()
        """,
        {"4046"},
        {"type", "year"},
    ),
    ("df.query('year>2016 and type==\"organic\"')['4046'].hist()", {"4046"}, {"type", "year"}),
    ("df[df.region.isin(['a'])]['4046'].hist()", {"4046"}, {"region"}),
    ("df.groupby('region').get_group('a')['4046'].hist()", {"4046"}, {"region"}),
    (
        """
        d = df[df['4046'].notnull()]
        d['year'].hist()
        """,
        {"year"},
        set(),
    ),
    (
        """
        d = df.dropna(subset=['4046']).drop_duplicates('region')
        d['year'].hist()
        """,
        {"year"},
        set(),
    ),
    ("df[~df['4046'].isnull()]['year'].hist()", {"year"}, set()),
    ("plt.hist(df['year'][df['type'] == 'organic'])", {"year"}, {"type"}),
    ("df['year'].loc[df.type == 'organic'].hist()", {"year"}, {"type"}),
    ("df['4046'].where(df.type == 'organic').hist()", {"4046"}, {"type"}),
    (
        """
        d = df[(df.type == 'organic') & df['4046'].notna()]
        d.year.hist()
        """,
        {"year"},
        {"type"},
    ),
    ("df.set_index('region').loc['a']['year'].hist()", {"year"}, {"region"}),
    (
        """
        for r in df.region.unique():
            d = df[df.region == r]
            plt.plot(d.Date, d['4046'], label=r)
        """,
        {"4046", "Date", "region"},
        None,
    ),
    (
        """
        top = df.groupby('region')['4046'].sum().nlargest(5).index
        d = df[df.region.isin(top)]
        sns.boxplot(data=d, x='region', y='year')
        """,
        {"region", "year"},
        set(),
    ),
    ("df.nlargest(10, '4046')['year'].hist()", {"year"}, {"4046"}),
    ("df.sort_values('4046').head(10)['year'].hist()", {"year"}, None),
    ("df[df['type'].str.contains('org')]['year'].hist()", {"year"}, {"type"}),
    (
        """
        d = df.loc[lambda x: x.type == 'organic']
        d.year.hist()
        """,
        {"year"},
        {"type"},
    ),
    (
        """
        d = df.drop(df[df.year < 2016].index)
        d['4046'].hist()
        """,
        {"4046"},
        set(),
    ),
    (
        """
        q = df['4046'].quantile(0.99)
        d = df[df['4046'] < q]
        d['4046'].hist()
        """,
        {"4046"},
        set(),
    ),
    (
        """
        plt.hist(df[df['type'] == 'organic'].year)
        plt.hist(df[df['type'] != 'organic'].year)
        """,
        {"year"},
        {"type"},
    ),
    (
        """
        d = df[df.year.between(2015, 2016)]
        d.region.value_counts().plot.bar()
        """,
        {"region"},
        {"year"},
    ),
    (
        """
        d = df[df['year'].apply(lambda v: v > 2015)]
        d.region.value_counts().plot.bar()
        """,
        {"region"},
        {"year"},
    ),
    (
        """
        d = df[df.apply(lambda r: r['year'] > 2015, axis=1)]
        d.region.value_counts().plot.bar()
        """,
        {"region"},
        {"year"},
    ),
    (
        """
        d = df[np.logical_and(df.year > 2015, df.type == 'organic')]
        d.region.value_counts().plot.bar()
        """,
        {"region"},
        {"type", "year"},
    ),
    (
        """
        idx = df[df.year > 2015].index
        df.loc[idx, '4046'].hist()
        """,
        {"4046"},
        {"year"},
    ),
    (
        """
        idx = np.where(df.year > 2015)
        df.iloc[idx]['4046'].hist()
        """,
        {"4046"},
        {"year"},
    ),
    ("df.filter(items=['year']).hist()", {"year"}, set()),
    ("df.groupby('region').filter(lambda g: len(g) > 10)['year'].hist()", {"year"}, {"region"}),
    ("df['4046'].mask(df.type == 'organic').hist()", {"4046"}, {"type"}),
    (
        """
        d = df.copy()
        d = d[d.year > 2015]
        d['4046'].hist()
        """,
        {"4046"},
        {"year"},
    ),
    (
        """
        vc = df.region.value_counts()
        keep = vc[vc > 100].index
        d = df[df.region.isin(keep)]
        d.year.hist()
        """,
        {"year"},
        {"region"},
    ),
    (
        """
        df.xs('a', level='region') if False else 0
        d = df.set_index(['region', 'Date']).xs('a')
        d.year.hist()
        """,
        {"year"},
        {"region"},
    ),
    (
        """
        z = (df['4046'] - df['4046'].mean()) / df['4046'].std()
        d = df[abs(z) < 3]
        d['year'].hist()
        """,
        {"year"},
        None,
    ),
    (
        """
        for t in df['type'].unique():
            part = df[df['type'] == t]
            plt.hist(part['year'], label=t)
        """,
        {"type", "year"},
        set(),
    ),
    (
        """
        missing = df.isnull().sum().reset_index()
        missing.columns = ['column', 'n']
        missing = missing[missing['n'] > 0]
        sns.barplot(data=missing, x='column', y='n')
        """,
        set(FRUIT.names),
        set(),
    ),
    (
        """
        missing = pd.DataFrame({'column': df.columns, 'n': df.isnull().sum()})
        missing = missing[missing['n'] > 0]
        sns.barplot(data=missing, x='column', y='n')
        """,
        set(FRUIT.names),
        set(),
    ),
    (
        """
        def share(frame, col, value):
            return len(frame[frame[col] == value]) / len(frame)
        late = df[df.year > 2016]
        plt.bar(['o'], [share(late, 'type', 'organic')])
        """,
        {"type"},
        None,
    ),
    (
        """
        def freq(s):
            return s.value_counts(normalize=True)
        freq(df.loc[df.year == 2016, 'type']).plot.pie()
        """,
        {"type"},
        {"year"},
    ),
    (
        """
        def plot_counts(frame, col):
            sns.countplot(x=col, data=frame)
        plot_counts(df[df['year'] == 2016], 'type')
        """,
        {"type"},
        {"year"},
    ),
    (
        """
        def last(frame, y=2016):
            return frame.query('year >= @y')
        sns.boxplot(x='type', y='4046', data=last(df))
        """,
        {"4046", "type"},
        {"year"},
    ),
    (
        """
        def counts(frame):
            d = {}
            for v in frame['type']:
                d[v] = d.get(v, 0) + 1
            return d
        c = counts(df[df.year == 2016])
        plt.bar(c.keys(), c.values())
        """,
        {"type"},
        {"year"},
    ),
    (
        """
        a = df['type'] == 'organic'
        b = df['year'] > 2016
        plt.scatter(df[a & b]['AveragePrice'], df[a & b]['4046'])
        """,
        {"4046", "AveragePrice"},
        {"type", "year"},
    ),
    (
        """
        g = df.groupby('type')
        o = g.get_group('organic')
        o.plot.scatter('year', '4046')
        """,
        {"4046", "year"},
        {"type"},
    ),
    (
        "sns.lineplot(data=df[df['region'].isin(['a', 'b'])], x='Date', y='4046', hue='region')",
        {"4046", "Date", "region"},
        None,
    ),
    (
        """
        d = df[df['region'].str.len() > 3]
        d['year'].hist()
        """,
        {"year"},
        {"region"},
    ),
    (
        """
        d = df[df['Date'].dt.year == 2016]
        d['4046'].hist()
        """,
        {"4046"},
        {"Date"},
    ),
    (
        """
        d = df[df['4046'] > 0].dropna()
        d['year'].hist()
        """,
        {"year"},
        {"4046"},
    ),
    (
        """
        d = df[df['region'].notnull() & df['type'].notnull()]
        d['year'].hist()
        """,
        {"year"},
        set(),
    ),
    (
        """
        from scipy import stats
        d = df[np.abs(stats.zscore(df['4046'])) < 3]
        d['year'].hist()
        """,
        {"year"},
        set(),
    ),
    (
        """
        lo, hi = df['4046'].quantile([0.05, 0.95])
        d = df[df['4046'].between(lo, hi)]
        d['year'].hist()
        """,
        {"year"},
        set(),
    ),
    (
        """
        d = df[df['year'].eq(2016)]
        d['4046'].hist()
        """,
        {"4046"},
        {"year"},
    ),
    (
        """
        d = df.loc[df['year'].idxmax()]
        plt.bar(['a'], [d['4046']])
        """,
        {"4046"},
        {"year"},
    ),
    ("px.histogram(df.query(\"region == 'a'\"), x='year')", {"year"}, {"region"}),
    (
        "alt.Chart(df[df.type == 'organic']).mark_bar().encode(x='region', y='mean(4046)')",
        {"4046", "region"},
        {"type"},
    ),
]


@pytest.mark.parametrize(("target", "columns", "filters"), CASES)
def test_columns_and_filters(target: str, columns: set[str], filters: set[str] | None) -> None:
    result = used(target)
    assert set(result.shown) == columns
    assert filters is None or set(result.filters) - columns == filters
