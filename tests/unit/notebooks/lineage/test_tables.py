"""What becomes of columns where tables are selected from, joined, turned and grouped."""

import pytest

from lakebook.notebooks.columns import columns_of
from lakebook.notebooks.schema import Schema
from tests.unit.notebooks.lineage.conftest import FRUIT, LOAD, used

TEXTS = {"type", "region"}
CASES = [
    # joining
    (
        """
        other = pd.read_csv('more.csv')
        both = df.merge(other, on='region', suffixes=('', '_other'))
        sns.scatterplot(data=both, x='AveragePrice', y='4046_other')
        """,
        {"AveragePrice", "4046"},
    ),
    (
        """
        wide = df[['region', '4046']].set_index('region').join(df.set_index('region')[['year']])
        wide.plot()
        """,
        {"region", "4046", "year"},
    ),
    ("pd.concat([df[['year']], df[['4046']]], axis=1).plot()", {"year", "4046"}),
    ("pd.concat([df['year'], df['4046']]).hist()", {"year", "4046"}),
    # turning
    (
        "df.pivot_table('AveragePrice', 'year', 'type', aggfunc='mean').plot(kind='bar')",
        {"AveragePrice", "year", "type"},
    ),
    ("sns.heatmap(df.groupby(['year', 'type']).size().unstack())", {"year", "type"}),
    ("df.groupby(['year', 'type'])['4046'].sum().unstack().plot(kind='bar')", {"year", "type", "4046"}),
    ("pd.crosstab(index=df['region'], columns=[df['type']]).plot(kind='bar')", {"region", "type"}),
    ("pd.get_dummies(df['type'])['organic'].plot()", {"type"}),
    (
        """
        coded = pd.get_dummies(df, columns=['type'], drop_first=True)
        sns.scatterplot(data=coded, x='type_organic', y='year')
        """,
        {"type", "year"},
    ),
    ("sns.heatmap(df[['year', '4046']].describe().T)", {"year", "4046"}),
    ("df[['year', '4046', 'AveragePrice']].corr()['year'].drop('year').plot.bar()", {"4046", "AveragePrice"}),
    ("sns.heatmap(df[['year', '4046']].corr().iloc[:-1, [-1]].T)", {"year", "4046"}),
    ("df[['type', 'region']].stack().value_counts().plot.bar()", {"type", "region"}),
    # grouping
    (
        """
        t = df.groupby('region').agg({'4046': ['mean', 'max']})
        t.columns = ['_'.join(c) for c in t.columns]
        sns.barplot(x=t.index, y=t['4046_mean'])
        """,
        {"region", "4046"},
    ),
    ("df.groupby('region').agg({'4046': ['mean', 'max']})['4046']['max'].plot.bar()", {"region", "4046"}),
    (
        """
        t = df.groupby('region').agg(top=pd.NamedAgg(column='4046', aggfunc='max')).reset_index()
        px.bar(t, x='region', y='top')
        """,
        {"region", "4046"},
    ),
    (
        """
        t = df.groupby(['region', 'year'])['4046'].sum().reset_index()
        sns.barplot(data=t, x='year', y='4046')
        """,
        {"year", "4046"},  # a key that is no axis is not shown
    ),
    (
        """
        t = df.groupby('region').size().reset_index(name='n').sort_values('n')
        plt.barh(t['region'], t['n'])
        """,
        {"region"},
    ),
    (
        """
        for name, part in df.groupby('type'):
            plt.plot(part['Date'], part['AveragePrice'], label=name)
        """,
        {"Date", "AveragePrice", "type"},
    ),
    ("df.set_index('Date').resample('M')['4046'].sum().plot()", {"Date", "4046"}),
    ("df.set_index('Date')['4046'].rolling(7).mean().plot()", {"Date", "4046"}),
    ("df.groupby('type')['4046'].apply(lambda s: s.max() - s.min()).plot.bar()", {"type", "4046"}),
    (
        """
        df['change'] = df.groupby('region')['4046'].pct_change()
        df['change'].hist()
        """,
        {"4046"},
    ),
    ("df.groupby('type').plot(x='Date', y='4046')", {"type", "Date", "4046"}),
    ("df.groupby('type').boxplot(column='4046')", {"type", "4046"}),
    ("df.groupby('type')['4046'].plot()", {"type", "4046"}),
    ("plt.plot([row['year'] for row in df.to_dict('records')])", {"year"}),
    ("plt.plot(df.to_dict()['year'])", {"year"}),
    # counting
    (
        """
        t = df['region'].value_counts().reset_index()
        t.columns = ['place', 'n']
        sns.barplot(data=t, x='n', y='place')
        """,
        {"region"},
    ),
    (
        """
        t = df.region.value_counts().rename_axis('place').reset_index(name='n')
        px.pie(t, names='place', values='n')
        """,
        {"region"},
    ),
    ("plt.bar(['a', 'b'], [len(df[df.type == 'x']), len(df[df.type == 'y'])])", {"type"}),
    # repairs are not lineage
    (
        """
        df['4046'] = df['4046'].fillna(df.groupby('region')['4046'].transform('mean'))
        df['4046'].hist()
        """,
        {"4046"},
    ),
    (
        """
        df.loc[df['year'] > 2016, '4046'] = 0
        df['4046'].hist()
        """,
        {"4046"},
    ),
    # new columns
    (
        """
        df.loc[df['year'] > 2016, 'age'] = 'new'
        sns.countplot(x='age', data=df)
        """,
        {"year"},
    ),
    (
        """
        df['size'] = np.where(df['4046'] > df['Total Volume'] / 2, 'big', 'small')
        df['size'].value_counts().plot.pie()
        """,
        {"4046", "Total Volume"},
    ),
    ("df.eval('ratio = AveragePrice / year').ratio.hist()", {"AveragePrice", "year"}),
    ("df.assign(bin=pd.cut(df['4046'], 5))['bin'].value_counts().plot.bar()", {"4046"}),
    (
        """
        df[['a', 'b']] = df['region'].str.split('-', expand=True)
        df['b'].value_counts().plot.bar()
        """,
        {"region"},
    ),
    # columns chosen by lists
    ("df[[c for c in df.columns if c.startswith('A')]].hist()", {"AveragePrice"}),
    ("df[df.columns[1:3]].hist()", {"AveragePrice", "Total Volume"}),
    (
        "df[df.columns.difference(['year', '4046', 'type', 'region', 'Date'])].hist()",
        {"AveragePrice", "Total Volume"},
    ),
    ("df.loc[:, 'AveragePrice':'4046'].hist()", {"AveragePrice", "Total Volume", "4046"}),
    ("df.loc[:, ~df.columns.str.contains('PRICE|vol', case=False)].hist()", {"year", "4046"}),
    ("df.filter(like='Volume').hist()", {"Total Volume"}),
    ("df[list(set(df.columns) - set(df._get_numeric_data().columns) - {'Date'})].count().plot.bar()", TEXTS),
    ("df.select_dtypes(include=['object']).nunique().plot.bar()", {"type", "region"}),
    ("df.select_dtypes(exclude=[np.number]).count().plot.bar()", {"type", "region", "Date"}),
    ("sns.heatmap(df.drop(columns=['year', '4046']).corr())", {"AveragePrice", "Total Volume"}),
    (
        """
        from sklearn.preprocessing import StandardScaler
        x = StandardScaler().fit_transform(df[['year', '4046']])
        plt.scatter(x[:, 0], x[:, 1])
        """,
        {"year", "4046"},
    ),
    (
        """
        from sklearn.cluster import KMeans
        km = KMeans(3)
        df['group'] = km.fit_predict(df[['year', '4046']])
        sns.countplot(x='group', data=df)
        """,
        {"year", "4046"},
    ),
]


@pytest.mark.parametrize(("target", "columns"), CASES)
def test_shown_columns(target: str, columns: set[str]) -> None:
    assert set(used(target).shown) == columns


NARROWED = [
    ("df = df[df['year'] > 2015]", {"year"}),
    ("df = df.query('year > 2015')", {"year"}),
    ("df.query('year > 2015', inplace=True)", {"year"}),
    # cleaning: what is missing, double, wrong or far out
    ("df = df[df['year'].notnull()]", set()),
    ("df = df[~df['year'].isna() & (df['type'] == 'organic')]", {"type"}),
    ("df = df[df['year'].isnull() == False]", set()),
    ("df = df.dropna(subset=['year']).drop_duplicates('region')", set()),
    ("df = df[~df.isnull().any(axis=1)]", set()),
    ("df.drop(df[df['year'] < 0].index, inplace=True)", set()),
    ("df = df[df['year'] < df['year'].quantile(0.99)]", set()),
    ("df = df[np.abs(df['year'] - df['year'].mean()) <= 3 * df['year'].std()]", set()),
    (
        """
        low, high = np.percentile(df['year'], 25), np.percentile(df['year'], 75)
        df = df[(df['year'] > low - 1.5 * (high - low)) & (df['year'] < high + 1.5 * (high - low))]
        """,
        set(),
    ),
    (
        """
        q1, q3 = df.quantile(0.25), df.quantile(0.75)
        df = df[~((df < q1 - 1.5 * (q3 - q1)) | (df > q3 + 1.5 * (q3 - q1))).any(axis=1)]
        """,
        set(),
    ),
    ("df = df[df['year'].isnull()]", {"year"}),
    ("df = df[df['year'] > df['year'].mean()]", {"year"}),
]


@pytest.mark.parametrize(("upstream", "filters"), NARROWED)
def test_what_narrows_a_table_filters_later_charts_unless_it_cleans(upstream: str, filters: set[str]) -> None:
    found = used("df['4046'].hist()", upstream=upstream)

    assert found.shown == ("4046",)
    assert set(found.filters) == filters


def test_a_part_of_a_table_filters_the_charts_of_it() -> None:
    text = "late['4046'].hist()\n"

    found = columns_of(LOAD + "late = df[df['year'] > 2015]\n" + text, FRUIT, target_code=text)

    assert (found.shown, found.filters) == (("4046",), ("year",))


LOADS = [
    ("pd.read_csv('f.csv', names=['a', 'b'])", "t['b'].hist()", {"b"}),
    ("pd.read_csv('f.csv', index_col=0)", "t['4046'].plot()", {"Date", "4046"}),
    ("pd.read_csv('f.csv', usecols=['year', '4046'])", "t.hist()", {"year", "4046"}),
    (
        "pd.read_csv('f.csv', index_col='Date', parse_dates=True).sort_index()",
        "t['year'].plot()",
        {"Date", "year"},
    ),
    ("pd.read_excel('f.xlsx', sheet_name=None)['x']", "t['year'].hist()", {"year"}),
    ("pd.read_sql('select 1', connection)", "t['year'].hist()", {"year"}),
]


@pytest.mark.parametrize(("load", "target", "columns"), LOADS)
def test_how_a_table_is_loaded(load: str, target: str, columns: set[str]) -> None:
    schema = FRUIT if "a" not in columns and "b" not in columns else None

    assert set(used(target, schema, upstream=f"t = {load}").shown) == columns


def test_a_table_of_an_unknown_function_is_known_by_how_it_is_used() -> None:
    upstream = "from tools import fetch\nprices = fetch()\nprices.head()"

    assert used("prices['cost'].hist()", None, upstream=upstream).shown == ("cost",)
    guessed = used("sns.boxplot(x='kind', y='cost', data=fetch2())", None)
    assert guessed.shown == ("cost", "kind")
    assert guessed.unsure
    assert used("sns.boxplot(x='kind', y='cost', data=table)", None).shown == ("cost", "kind")


def test_measures_of_a_model_show_no_columns() -> None:
    target = """
        from sklearn.linear_model import LinearRegression
        from sklearn.metrics import roc_curve
        model = LinearRegression().fit(df[['4046']], df['year'])
        fpr, tpr, _ = roc_curve(df['year'], model.predict(df[['4046']]))
        plt.plot(fpr, tpr)
        """

    assert used(target).shown == ()


def test_predictions_of_a_model_show_what_it_was_given_last() -> None:
    target = """
        from sklearn.linear_model import LinearRegression
        model = LinearRegression()
        model.fit(df[['4046']], df['AveragePrice'])
        model.fit(df[['4046']], df['year'])
        plt.plot(df['4046'], model.predict(df[['4046']]))
        """

    assert used(target).shown == ("4046", "year")


def test_columns_of_an_unknown_table_that_got_new_names_are_unsure() -> None:
    upstream = "df.columns = df.columns.str.lower()"

    assert "depends on the data" in used("df['price'].hist()", None, upstream=upstream).unsure
    assert used("df['price'].hist()", None, upstream="df.columns = ['price', 'size']").unsure == ""
    assert used("df['averageprice'].hist()", upstream=upstream).shown == ("AveragePrice",)


def test_a_long_table_of_an_unknown_one_is_unsure() -> None:
    target = "long = df.melt('year')\nalt.Chart(long).mark_line().encode(x='year', y='value')"

    assert used(target, None).unsure != ""
    assert used(target).unsure == ""


def test_names_that_are_data_are_taken_for_any_column() -> None:
    assert used("df[some].hist()").unsure != ""


def test_several_tables_keep_their_columns_apart() -> None:
    text = "b.hist()\n"
    code = LOAD + "b = pd.read_csv('b.csv', usecols=['4046'])\n" + text

    assert columns_of(code, FRUIT, target_code=text).shown == ("4046",)


def test_a_schema_without_kinds_takes_all_columns_for_numbers() -> None:
    schema = Schema((("a", "unknown"), ("b", "unknown")))

    assert used("df.hist()", schema).shown == ("a", "b")


@pytest.mark.parametrize(
    "target",
    [
        """
        for kind in df['type'].unique():
            part = df[df['type'] == kind]
            plt.hist(part['year'], label=kind)
        """,
        """
        for kind in df['type'].unique():
            df[df['type'] == kind]['year'].hist()
            plt.title(f'{kind} fruit')
        """,
    ],
)
def test_groups_that_a_loop_names_are_shown_and_filter_nothing(target: str) -> None:
    found = used(target)

    assert found.shown == ("type", "year")
    assert found.filters == ()


@pytest.mark.parametrize(
    "table",
    [
        "df.isnull().sum().reset_index().rename(columns={'0': 'n'})",
        "pd.DataFrame({'index': df.columns, 'n': df.isnull().sum()})",
        "pd.DataFrame(df.isnull().sum(), columns=['n']).reset_index()",
    ],
)
def test_rows_that_are_columns_of_the_table_filter_nothing(table: str) -> None:
    found = used("sns.barplot(data=t[t['n'] > 0], x='index', y='n')", upstream=f"t = {table}")

    assert set(found.shown) == set(FRUIT.names)
    assert found.filters == ()
