"""Figures that are put together from parts, and chart types over all libraries."""

import pytest

from tests.unit.notebooks.lineage.conftest import used

PLOTLY = [
    (
        """
        trace = go.Scatter(x=df['Date'], y=df['AveragePrice'], mode='markers')
        fig = go.Figure(data=[trace])
        fig.show()
        """,
        {"Date", "AveragePrice"},
        ("scatter",),
    ),
    ("go.Figure(go.Scatter(x=df['Date'], y=df['4046'])).show()", {"Date", "4046"}, ("line",)),
    (
        """
        from plotly.subplots import make_subplots
        fig = make_subplots(rows=1, cols=2)
        fig.add_trace(go.Bar(x=df['region'], y=df['4046']), row=1, col=1)
        fig.add_trace(go.Box(y=df['year']), row=1, col=2)
        fig.update_layout(title='x')
        """,
        {"region", "4046", "year"},
        ("bar", "box"),
    ),
    (
        """
        from plotly.offline import iplot
        data = [dict(type='bar', x=df['region'], y=df['4046'])]
        iplot(dict(data=data, layout=dict(title='t')))
        """,
        {"region", "4046"},
        ("bar",),
    ),
    (
        "px.scatter(df, x='4046', y='year', hover_data=['region'], facet_col='type')",
        {"4046", "year", "region", "type"},
        ("scatter",),
    ),
    (
        """
        fig = go.Figure()
        for kind in df['type'].unique():
            part = df[df['type'] == kind]
            fig.add_trace(go.Scatter(x=part['Date'], y=part['4046'], name=kind))
        fig.show()
        """,
        {"Date", "4046", "type"},
        ("line",),
    ),
    ("px.line(df, x='Date', y=['4046', 'Total Volume'])", {"Date", "4046", "Total Volume"}, ("line",)),
    ("px.histogram(df, 'AveragePrice', color='type')", {"AveragePrice", "type"}, ("histogram",)),
    ("px.sunburst(df, path=['type', 'region'], values='4046')", {"type", "region", "4046"}, ("pie",)),
    ("px.imshow(df[['year', '4046']].corr())", {"year", "4046"}, ("heatmap",)),
    (
        "go.Figure(go.Scatterpolar(r=df['4046'], theta=df['region'], fill='toself'))",
        {"4046", "region"},
        ("radar",),
    ),
    ("df.iplot(kind='bar', x='region', y='4046')", {"region", "4046"}, ("bar",)),
    ("df['4046'].iplot(kind='hist')", {"4046"}, ("histogram",)),
]
ALTAIR = [
    ("alt.Chart(df).mark_bar().encode(x='region:N', y='mean(4046):Q')", {"region", "4046"}, ("bar",)),
    ("alt.Chart(df).mark_bar().encode(alt.X('year:Q', bin=True), y='count()')", {"year"}, ("bar",)),
    (
        "alt.Chart(df).mark_rect().encode(alt.X('year').bin(maxbins=9), alt.Y('type'))",
        {"year", "type"},
        ("heatmap",),
    ),
    (
        """
        base = alt.Chart(df).encode(x='Date:T')
        base.mark_line().encode(y='AveragePrice:Q') + base.mark_point().encode(y='4046:Q')
        """,
        {"Date", "AveragePrice", "4046"},
        ("line", "scatter"),
    ),
    (
        """
        dots = alt.Chart().mark_point().encode(x='year', y='4046')
        alt.layer(dots, data=df)
        """,
        {"year", "4046"},
        ("scatter",),
    ),
    (
        """
        bars = alt.Chart(df).encode(x='ratio:Q').mark_bar()
        bars.transform_calculate(ratio='datum.year / datum.AveragePrice')
        """,
        {"year", "AveragePrice"},
        ("bar",),
    ),
    (
        "alt.Chart(df).transform_fold(['year', '4046']).mark_line().encode(x='Date:T', y='value:Q')",
        {"Date", "year", "4046"},
        ("line",),
    ),
    (
        """
        from altair.expr import datum, substring
        chart = alt.Chart(df).mark_circle().encode(x='first:N', y='year')
        chart.transform_calculate('first', substring(datum.region, 0, 1))
        """,
        {"region", "year"},
        ("scatter",),
    ),
    ("alt.Chart('data.json').mark_line().encode(x='Date:T')", {"Date"}, ("line",)),
    ("alt.Chart(df).mark_tick().encode(x='year').facet('type:N')", {"year", "type"}, ("strip",)),
]
BOKEH = "from bokeh.plotting import figure, show\nfrom bokeh.models import ColumnDataSource, HoverTool\n"
GLYPHS = [
    (
        """
        source = ColumnDataSource(df)
        p = figure(tooltips=[('place', '@region'), ('all', '@{Total Volume}')])
        p.circle(x='year', y='4046', source=source, color='green')
        show(p)
        """,
        {"year", "4046", "region", "Total Volume"},
        ("scatter",),
    ),
    (
        """
        p = figure()
        p.vbar(x='region', top='4046', source=ColumnDataSource(df))
        hover = HoverTool()
        hover.tooltips = [('price', '@AveragePrice')]
        p.add_tools(hover)
        show(p)
        """,
        {"region", "4046", "AveragePrice"},
        ("bar",),
    ),
    (
        """
        p = figure()
        p.line(df['Date'], df['4046'])
        """,
        {"Date", "4046"},
        ("line",),
    ),
]
OTHERS = [
    (
        """
        from wordcloud import WordCloud
        words = WordCloud().generate(' '.join(df['region']))
        plt.imshow(words)
        """,
        {"region"},
        ("wordcloud",),
    ),
    (
        """
        import folium
        m = folium.Map()
        for _, row in df.iterrows():
            folium.Marker([row['year'], row['4046']], popup=row['region']).add_to(m)
        m
        """,
        {"year", "4046", "region"},
        ("map",),
    ),
    (
        """
        import geopandas as gpd
        places = gpd.read_file('x.shp')
        places.plot(column='4046')
        """,
        {"4046"},
        ("map",),
    ),
    (
        """
        from plotnine import ggplot, aes, geom_point
        ggplot(df, aes(x='year', y='4046', color='type')) + geom_point()
        """,
        {"year", "4046", "type"},
        ("scatter",),
    ),
    (
        """
        import squarify
        s = df.groupby('region')['4046'].sum()
        squarify.plot(sizes=s, label=s.index)
        """,
        {"region", "4046"},
        ("treemap",),
    ),
    (
        """
        import networkx as nx
        nx.draw(nx.from_pandas_edgelist(df, 'region', 'type'))
        """,
        {"region", "type"},
        ("network",),
    ),
    ("plt.plot(df['year'], df['4046'], 'ro')", {"year", "4046"}, ("scatter",)),
    ("plt.plot(df['year'], df['4046'], 'r--')", {"year", "4046"}, ("line",)),
    ("plt.plot(df['year'], df['4046'], marker='o', linestyle='')", {"year", "4046"}, ("scatter",)),
    ("df.plot(x='year', y='4046', style='o')", {"year", "4046"}, ("scatter",)),
    ("sns.catplot(x='type', y='4046', data=df, kind='box')", {"type", "4046"}, ("box",)),
    ("sns.catplot(x='type', y='4046', data=df)", {"type", "4046"}, ("strip",)),
    ("sns.relplot(x='year', y='4046', data=df, kind='line')", {"year", "4046"}, ("line",)),
    ("sns.relplot(x='year', y='4046', data=df)", {"year", "4046"}, ("scatter",)),
    ("sns.displot(df, x='4046', kind='kde')", {"4046"}, ("kde",)),
    ("sns.displot(df['4046'])", {"4046"}, ("histogram",)),
    ("sns.distplot(df['4046'], hist=False)", {"4046"}, ("kde",)),
    ("sns.factorplot('type', '4046', data=df, hue='year')", {"type", "4046", "year"}, ("point",)),
    ("sns.countplot(data=df['region'])", {"region"}, ("count",)),
    ("sns.jointplot(x='year', y='4046', data=df, kind='hex')", {"year", "4046"}, ("joint",)),
    (
        """
        kind = 'barh'
        df['region'].value_counts().plot(kind=kind)
        """,
        {"region"},
        ("bar",),
    ),
    (
        """
        fig, ax = plt.subplots()
        ax.barh(range(len(df)), df['4046'])
        ax.set_yticklabels(df['region'])
        """,
        {"4046", "region"},
        ("bar",),
    ),
    (
        """
        fig = plt.figure()
        ax = fig.add_subplot(111, projection='3d')
        ax.scatter(df['year'], df['4046'], df['AveragePrice'])
        """,
        {"year", "4046", "AveragePrice"},
        ("scatter",),
    ),
    (
        """
        ax = df['4046'].plot()
        ax.twinx().plot(df['year'])
        """,
        {"4046", "year"},
        ("line",),
    ),
    (
        """
        g = sns.FacetGrid(df, col='type', hue='region')
        g.map_dataframe(sns.scatterplot, x='year', y='4046')
        """,
        {"type", "region", "year", "4046"},
        ("scatter",),
    ),
    ("sns.PairGrid(df[['year', '4046']]).map(plt.scatter)", {"year", "4046"}, ("pairplot",)),
    (
        """
        import folium
        m = folium.Map(location=[df['year'].mean(), 0])
        m.choropleth(geo_data='x.json', data=df, columns=['region', '4046'])
        """,
        {"year", "region", "4046"},
        ("map",),
    ),
    (
        """
        def draw(x, **kwargs):
            plt.hist(x)
        sns.FacetGrid(df, row='type').map(draw, '4046')
        """,
        {"type", "4046"},
        ("histogram",),
    ),
    ("plt.plot(figsize=(8, 5))", set(), ()),
    ("from pylab import *\nhist(df['4046'])", {"4046"}, ("histogram",)),
]


@pytest.mark.parametrize(("target", "columns", "charts"), [*PLOTLY, *ALTAIR, *OTHERS])
def test_columns_and_charts(target: str, columns: set[str], charts: tuple[str, ...]) -> None:
    found = used(target)

    assert set(found.shown) == columns
    assert found.charts == charts


@pytest.mark.parametrize(("target", "columns", "charts"), GLYPHS)
def test_glyphs_of_bokeh(target: str, columns: set[str], charts: tuple[str, ...]) -> None:
    found = used(target, upstream=BOKEH)

    assert set(found.shown) == columns
    assert found.charts == charts


def test_a_figure_made_upstream_is_shown_where_it_is_displayed() -> None:
    upstream = "fig = px.bar(df, x='region', y='4046')\nchart = alt.Chart(df).mark_line().encode(x='Date')"

    assert used("fig.show()", upstream=upstream).shown == ("4046", "region")
    assert used("fig", upstream=upstream).charts == ("bar",)
    assert used("chart.interactive()", upstream=upstream).shown == ("Date",)
    assert used("len(df)", upstream=upstream).shown == ()


def test_hovered_columns_of_a_source_are_shown() -> None:
    target = """
        p = figure()
        p.circle(x='year', y='4046', source=ColumnDataSource(df), fill_color='region')
        p.add_tools(HoverTool(tooltips=[('all', '@{Total Volume}')]))
        show(p)
        """

    assert used(target, upstream=BOKEH).shown == ("4046", "Total Volume", "region", "year")


def test_filters_of_altair_charts() -> None:
    found = used("alt.Chart(df).mark_bar().encode(x='region').transform_filter(alt.datum.year > 2015)")

    assert (found.shown, found.filters) == (("region",), ("year",))


def test_a_colour_is_no_column_of_a_table_of_which_nothing_is_known() -> None:
    target = "p = figure()\np.circle(x='a', y='b', source=ColumnDataSource(df), color='green')\nshow(p)"

    assert used(target, None, upstream=BOKEH).shown == ("a", "b")
    assert used("df.plot.scatter(x='a', y='b', c='red')", None).shown == ("a", "b")


def test_texts_name_columns_of_an_unknown_table_where_data_are_given() -> None:
    assert used("plt.plot('a', 'b', 'r--', data=df)", None).shown == ("a", "b")
    assert used("df.plot('a', 'b')", None).shown == ("a", "b")
    assert used("sns.boxplot('a', 'b', data=df)", None).shown == ("a", "b")
    assert used("px.scatter(df, 'a', 'b')", None).shown == ("a", "b")


def test_an_unknown_object_with_the_method_of_a_chart_is_unsure() -> None:
    assert used("thing.plot()").unsure != ""
    assert used("ax.plot(df['4046'])").unsure == ""


def test_functions_of_unknown_modules_that_are_called_as_charts_draw_them() -> None:
    found = used("import mycharts\nmycharts.Hist(df['4046'])")

    assert (found.shown, found.charts) == (("4046",), ("histogram",))
    assert found.unsure != ""
