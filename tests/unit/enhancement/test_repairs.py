"""Each repair on what it is for and on what it must leave alone."""

from __future__ import annotations

import ast

import pytest

from lakebook.enhancement.repairs.plot_rules import palette_rule
from lakebook.enhancement.repairs.registry import RULES, answering, before_run
from lakebook.enhancement.repairs.rule import Fault
from lakebook.enhancement.script import Script

BY_KIND = {rule.kind: rule for rule in RULES}


def repaired(kind: str, code: str) -> str:
    script, repairs = BY_KIND[kind].apply(Script.parse(code))
    assert bool(repairs) is (str(script) != code)
    return str(script)


CHANGED = [
    ("numeric_only", "df.corr()", "df.corr(numeric_only=True)"),
    ("numeric_only", "df.groupby('a').mean()", "df.groupby('a').mean(numeric_only=True)"),
    ("numeric_only", "df[['a', 'b']].sum()", "df[['a', 'b']].sum(numeric_only=True)"),
    ("numeric_only", "df.quantile(0.5)", "df.quantile(0.5, numeric_only=True)"),
    ("append_to_concat", "x = a.append(b)", "x = pd.concat([a, b])"),
    (
        "append_to_concat",
        "x = a.append([b, c], ignore_index=True)",
        "x = pd.concat([a, b, c], ignore_index=True)",
    ),
    (
        "value_counts_names",
        "t = df['a'].value_counts().reset_index()",
        "t = df['a'].value_counts().rename_axis('index').reset_index(name='a')",
    ),
    (
        "value_counts_names",
        "t = df.a.value_counts().reset_index()",
        "t = df.a.value_counts().rename_axis('index').reset_index(name='a')",
    ),
    ("mixed_dates", "d = pd.to_datetime(s)", "d = pd.to_datetime(s, format='mixed')"),
    ("mixed_dates", "d = pd.to_datetime(s, format='%d')", "d = pd.to_datetime(s, format='mixed')"),
    (
        "mixed_dates",
        "d = pd.to_datetime(s, dayfirst=True, infer_datetime_format=True)",
        "d = pd.to_datetime(s, dayfirst=True, format='mixed')",
    ),
    ("drop_missing", "df.drop('a', axis=1)", "df.drop('a', axis=1, errors='ignore')"),
    ("drop_missing", "df.drop(['a'], 1)", "df.drop(['a'], axis=1, errors='ignore')"),
    ("drop_axis", "df.drop('a', 1)", "df.drop('a', axis=1)"),
    ("chained_inplace", "df['a'].fillna(0, inplace=True)", "df['a'] = df['a'].fillna(0)"),
    ("chained_inplace", "df.a.replace(1, 2, inplace=True)", "df.a = df.a.replace(1, 2)"),
    ("frequency_alias", "s.resample('M').mean()", "s.resample('ME').mean()"),
    ("frequency_alias", "s.resample('2Q').mean()", "s.resample('2QE').mean()"),
    ("frequency_alias", "pd.Grouper(key='d', freq='A-DEC')", "pd.Grouper(key='d', freq='YE-DEC')"),
    ("frequency_alias", "s.resample('15T').sum()", "s.resample('15min').sum()"),
    ("frequency_alias", "pd.date_range(a, b, freq='H')", "pd.date_range(a, b, freq='h')"),
    ("object_dtype", "df.select_dtypes('object')", "df.select_dtypes(['object', 'str'])"),
    (
        "object_dtype",
        "df.select_dtypes(include=['O', 'int'])",
        "df.select_dtypes(include=['O', 'int', 'str'])",
    ),
    ("object_dtype", "x = df[c].dtype == object", "x = pd.api.types.is_string_dtype(df[c].dtype)"),
    ("object_dtype", "x = df[c].dtype != 'O'", "x = not pd.api.types.is_string_dtype(df[c].dtype)"),
    ("object_dtype", "x = df.dtypes == 'object'", "x = df.dtypes.map(pd.api.types.is_string_dtype)"),
    ("removed_name", "x = np.NaN", "x = np.nan"),
    ("removed_name", "s.astype(np.float)", "s.astype(float)"),
    ("removed_name", "for k, v in d.iteritems():\n    f(k)", "for k, v in d.items():\n    f(k)"),
    ("removed_name", "df.ix[0]", "df.loc[0]"),
    ("removed_name", "d.dt.week", "d.dt.isocalendar().week"),
    ("removed_name", "s.fillna(method='ffill')", "s.ffill()"),
    ("removed_name", "s.fillna(method='bfill', limit=1)", "s.bfill(limit=1)"),
    ("removed_name", "pd.value_counts(s)", "pd.Series(s).value_counts()"),
    ("removed_name", "s.clip_upper(3)", "s.clip(upper=3)"),
    ("removed_name", "s.mad()", "(s - s.mean()).abs().mean()"),
    ("distplot_to_histplot", "sns.distplot(x)", "sns.histplot(x, kde=True, stat='density')"),
    ("distplot_to_histplot", "sns.distplot(x, kde=False, bins=9)", "sns.histplot(x, bins=9)"),
    ("distplot_to_histplot", "sns.distplot(x, 9, hist=False, color='r')", "sns.kdeplot(x, color='r')"),
    ("seaborn_keywords", "sns.countplot('a', data=df)", "sns.countplot(x='a', data=df)"),
    ("seaborn_keywords", "sns.countplot(df['a'])", "sns.countplot(x=df['a'])"),
    ("seaborn_keywords", "sns.barplot(df.a, df.b)", "sns.barplot(x=df.a, y=df.b)"),
    ("seaborn_keywords", "sns.boxplot('a', 'b', 'c', df)", "sns.boxplot(x='a', y='b', hue='c', data=df)"),
    ("seaborn_keywords", "sns.lmplot('a', 'b', df)", "sns.lmplot(x='a', y='b', data=df)"),
    (
        "factorplot_to_catplot",
        "sns.factorplot(x='a', size=9, data=df)",
        "sns.catplot(x='a', height=9, data=df, kind='point')",
    ),
    ("factorplot_to_catplot", "sns.factorplot(x='a', kind='bar')", "sns.catplot(x='a', kind='bar')"),
    ("size_to_height", "sns.FacetGrid(df, size=4)", "sns.FacetGrid(df, height=4)"),
    ("seaborn_style", "plt.style.use('seaborn-whitegrid')", "plt.style.use('seaborn-v0_8-whitegrid')"),
    ("seaborn_style", "plt.style.use('my_own')", ""),
    ("renamed_keyword", "plt.hist(x, normed=True)", "plt.hist(x, density=True)"),
    ("renamed_keyword", "plt.grid(b=True)", "plt.grid(visible=True)"),
    ("renamed_keyword", "sns.kdeplot(x, shade=True)", "sns.kdeplot(x, fill=True)"),
    ("renamed_keyword", "sns.barplot(x=a, ci=None)", "sns.barplot(x=a, errorbar=None)"),
    ("renamed_keyword", "sns.barplot(x=a, ci=95)", "sns.barplot(x=a, errorbar=('ci', 95))"),
    ("plotly_offline", "import plotly.plotly as py", "import plotly.offline as py"),
    ("plotly_offline", "from plotly.plotly import iplot", "from plotly.offline import iplot"),
]

UNCHANGED = [
    ("numeric_only", "df['a'].mean()"),
    ("numeric_only", "df.corr(numeric_only=False)"),
    ("numeric_only", "np.mean(x)"),
    ("numeric_only", "df.mean(axis)"),
    ("append_to_concat", "names.append(b)"),
    ("value_counts_names", "t = df['a'].value_counts()"),
    ("value_counts_names", "t = df['a'].value_counts().reset_index(name='n')"),
    ("mixed_dates", "d = pd.to_datetime(s, errors='coerce')"),
    ("drop_missing", "df.drop('a', axis=1, errors='ignore')"),
    ("drop_axis", "df.drop(columns='a')"),
    ("chained_inplace", "df.fillna(0, inplace=True)"),
    ("chained_inplace", "df['a'].fillna(0)"),
    ("chained_inplace", "df['a'].fillna(0, inplace=False)"),
    ("frequency_alias", "s.resample('W').mean()"),
    ("frequency_alias", "s.resample('MS').mean()"),
    ("frequency_alias", "f('M')"),
    ("object_dtype", "df.select_dtypes('number')"),
    ("object_dtype", "x = df[c].dtype == 'int64'"),
    ("removed_name", "x = np.nan + df.loc[0].map(f)"),
    ("distplot_to_histplot", "sns.histplot(x)"),
    ("seaborn_keywords", "sns.boxplot(df)"),
    ("seaborn_keywords", "sns.boxplot(df, x='a')"),
    ("seaborn_keywords", "sns.boxplot(x='a', y='b', data=df)"),
    ("seaborn_keywords", "sns.heatmap(df)"),
    ("seaborn_keywords", "other.countplot('a', data=df)"),
    ("factorplot_to_catplot", "sns.catplot(x='a')"),
    ("size_to_height", "plt.text(0, 0, 'x', size=9)"),
    ("size_to_height", "sns.relplot(data=df, size='a')"),
    ("seaborn_style", "plt.plot(x)"),
    ("renamed_keyword", "f(b=1)"),
    ("plotly_offline", "import plotly.express as px"),
]


@pytest.mark.parametrize(("kind", "before", "after"), CHANGED)
def test_mends(kind: str, before: str, after: str) -> None:
    assert repaired(kind, before) == after


@pytest.mark.parametrize(("kind", "before"), UNCHANGED)
def test_leaves_alone(kind: str, before: str) -> None:
    assert repaired(kind, before) == before


def test_every_rule_is_tried_both_ways() -> None:
    assert {rule.kind for rule in RULES} == {kind for kind, *_ in CHANGED} == {kind for kind, _ in UNCHANGED}


@pytest.mark.parametrize(("kind", "before", "after"), CHANGED)
def test_a_rule_has_nothing_left_to_do_after_itself(kind: str, before: str, after: str) -> None:
    if after:
        assert repaired(kind, after) == after


def test_rules_are_named_once_and_say_why() -> None:
    assert len(BY_KIND) == len(RULES) >= 15
    assert all(rule.why and rule.kind.isidentifier() for rule in RULES)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault("ValueError", "could not convert string to float: 'Albany'"), "numeric_only"),
        (Fault("TypeError", "agg function failed [how->mean,dtype->object]"), "numeric_only"),
        (Fault("AttributeError", "'DataFrame' object has no attribute 'append'"), "append_to_concat"),
        (Fault("KeyError", "'index'"), "value_counts_names"),
        (Fault("ValueError", 'time data "1/1/2018" doesn\'t match format "%Y"'), "mixed_dates"),
        (Fault("KeyError", "\"['Unnamed: 0'] not found in axis\""), "drop_missing"),
        (Fault("ValueError", "Invalid frequency: M"), "frequency_alias"),
        (Fault("AttributeError", "module 'seaborn' has no attribute 'factorplot'"), "factorplot_to_catplot"),
        (Fault("OSError", "'seaborn' is not a valid package style"), "seaborn_style"),
        (
            Fault("TypeError", "FacetGrid.__init__() got an unexpected keyword argument 'size'"),
            "size_to_height",
        ),
    ],
)
def test_faults_are_answered(fault: Fault, kind: str) -> None:
    assert kind in [rule.kind for rule in answering(fault)]


def test_an_unknown_fault_is_answered_by_nothing() -> None:
    assert answering(Fault("ZeroDivisionError", "division by zero")) == ()
    assert all(not rule.answers(Fault("KeyError", "'x'")) for rule in before_run())


def test_the_palette_takes_the_axis_that_the_warning_names() -> None:
    rule = palette_rule(
        "Passing `palette` without assigning `hue` is deprecated. Assign the `y` variable to `hue`"
    )
    assert rule is not None
    call = "sns.boxplot(x='a', y='b', data=df, palette='pink')"
    assert str(rule.apply(Script.parse(call))[0]) == f"{call[:-1]}, hue='b', legend=False)"
    assert rule.apply(Script.parse("sns.boxplot(x='a', y='b', hue='c', palette='pink')"))[1] == []
    assert palette_rule("some other warning") is None


@pytest.mark.parametrize(("kind", "before", "after"), CHANGED)
def test_what_comes_out_is_python(kind: str, before: str, after: str) -> None:
    compile(ast.parse(repaired(kind, before)), "<x>", "exec")
