"""The table of plain renames: that it is true of the installed libraries, and that edits follow it."""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from typing import Any

import pytest

from lakebook.enhancement.repairs.renamed import RULES, keywords, tables
from lakebook.enhancement.repairs.rule import NO_FAULT, Fault
from lakebook.enhancement.script import Script

BY_KIND = {rule.kind: rule for rule in RULES}


def mended(kind: str, code: str, fault: Fault = NO_FAULT) -> str:
    script, repairs = BY_KIND[kind].apply(Script.parse(code), fault)
    assert bool(repairs) is (str(script) != code)
    return str(script)


def found(full: str) -> Any:
    """Return what a full name means, None if nothing does."""
    parts = full.split(".")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for length in range(len(parts), 0, -1):
            try:
                thing: Any = importlib.import_module(".".join(parts[:length]))
            except ImportError:
                continue
            for part in parts[length:]:
                thing = getattr(thing, part, None)
            return thing
    return None


def is_installed(full: str) -> bool:
    root = full.split(".")[0]
    return importlib.util.find_spec(root) is not None


CHECKED = [
    pair
    for table in ("modules", "names")
    for pair in sorted(tables()[table].items())
    if is_installed(pair[1])
]


@pytest.mark.parametrize(("old", "new"), CHECKED)
def test_no_old_name_exists_and_every_new_one_does(old: str, new: str) -> None:
    assert found(new) is not None
    assert found(old) is None


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = np.NaN", "x = np.nan"),
        ("s.astype(np.float)", "s.astype(float)"),
        ("import numpy\nnumpy.bool8", "import numpy\nnp.bool_"),
        ("x = pd.np.nan", "x = np.nan"),
        ("from numpy import NaN\nx = NaN", "from numpy import nan as NaN\nx = NaN"),
        ("pd.scatter_matrix(df)", "pd.plotting.scatter_matrix(df)"),
        (
            "from pandas.tools.plotting import scatter_matrix, lag_plot",
            "from pandas.plotting import scatter_matrix, lag_plot",
        ),
        ("import pandas.tools.plotting as p", "import pandas.plotting as p"),
        ("d = pd.datetime.now()", "import datetime\nd = datetime.datetime.now()"),
        (
            "from datetime import datetime\nd = pd.datetime.now()",
            "from datetime import datetime\nd = datetime.now()",
        ),
        ("sns.plt.show()", "plt.show()"),
        ("c = plt.cm.get_cmap('jet')", "c = plt.get_cmap('jet')"),
        ("import scipy\nscipy.mean(x)", "import scipy\nnp.mean(x)"),
        (
            "from scipy.misc import factorial, imread",
            "from scipy.special import factorial\nfrom scipy.misc import imread",
        ),
        ("x = np.math.sqrt(2)", "import math\nx = math.sqrt(2)"),
        (
            "from sklearn.cross_validation import train_test_split",
            "from sklearn.model_selection import train_test_split",
        ),
        (
            "from sklearn import cross_validation\ncross_validation.KFold()",
            "from sklearn import model_selection as cross_validation\ncross_validation.KFold()",
        ),
        (
            "from sklearn.preprocessing import Imputer, scale",
            "from sklearn.impute import SimpleImputer as Imputer\nfrom sklearn.preprocessing import scale",
        ),
        (
            "from sklearn.metrics import plot_confusion_matrix\nplot_confusion_matrix(m, X, y)",
            "from sklearn.metrics import "
            "ConfusionMatrixDisplay\nConfusionMatrixDisplay.from_estimator(m, X, y)",
        ),
        (
            "from sklearn import metrics\nmetrics.plot_roc_curve(m, X, y)",
            "from sklearn import metrics\nmetrics.RocCurveDisplay.from_estimator(m, X, y)",
        ),
        ("from itertools import izip\nfor a in izip(b, c):\n    d", "for a in zip(b, c):\n    d"),
        ("import plotly.plotly as py\npy.iplot(f)", "import plotly.offline as py\npy.iplot(f)"),
        ("import chart_studio.plotly as py", "import plotly.offline as py"),
        ("from plotly.plotly import iplot", "from plotly.offline import iplot"),
        ("px.scatter_mapbox(df)", "px.scatter_map(df)"),
        (
            "from IPython.core.display import display, HTML",
            "from IPython.display import display\nfrom IPython.core.display import HTML",
        ),
        ("from collections import Iterable", "from collections.abc import Iterable"),
    ],
)
def test_names(code: str, expected: str) -> None:
    assert mended("renamed_name", code) == expected
    assert mended("renamed_name", expected) == expected


@pytest.mark.parametrize(
    "code",
    [
        "x = np.nan + np.float64(1) + np.bool_(1)",
        "np = make()\nx = np.NaN",
        "x = settings.float + config.pd.np",
        "from sklearn.model_selection import train_test_split",
        "import plotly.express as px\npx.bar(df)",
        "try:\n    from sklearn.cross_validation import KFold\nexcept ImportError:\n    "
        "from sklearn.model_selection import KFold",
        "from .cross_validation import KFold",
        "import collections\ncollections.Counter(x)",
    ],
)
def test_names_that_are_right_today_stay(code: str) -> None:
    assert mended("renamed_name", code) == code


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("plt.hold(True)\nplt.plot(x)", "plt.plot(x)"),
        ("ax.hold(False)", ""),
        ("plotly.tools.set_credentials_file(username='a')", ""),
        ("if x:\n    plt.hold(True)", "if x:\n    pass"),
    ],
)
def test_idle_settings_go(code: str, expected: str) -> None:
    assert mended("idle_setting", code) == expected


@pytest.mark.parametrize("code", ["held = hold(x)", "plt.plot(x)", "pass", "x.holds()"])
def test_other_statements_stay(code: str) -> None:
    assert mended("idle_setting", code) == code


def gone(owner: str, name: str) -> Fault:
    return Fault("AttributeError", f"'{owner}' object has no attribute '{name}'")


@pytest.mark.parametrize(
    ("code", "expected", "fault"),
    [
        (
            "for k, v in d.iteritems():\n    f(k)",
            "for k, v in d.items():\n    f(k)",
            gone("dict", "iteritems"),
        ),
        ("s.iteritems()", "s.items()", gone("Series", "iteritems")),
        ("df.as_matrix()", "df.to_numpy()", gone("DataFrame", "as_matrix")),
        ("df.applymap(f)", "df.map(f)", gone("DataFrame", "applymap")),
        ("ax.set_axis_bgcolor('w')", "ax.set_facecolor('w')", gone("Axes", "set_axis_bgcolor")),
        ("h = g.legendHandles", "h = g.legend_handles", gone("Legend", "legendHandles")),
        ("t.label.set_fontsize(3)", "t.label1.set_fontsize(3)", gone("XTick", "label")),
    ],
)
def test_attributes(code: str, expected: str, fault: Fault) -> None:
    assert BY_KIND["renamed_attribute"].answers(fault)
    assert mended("renamed_attribute", code, fault) == expected


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("t.label.set_fontsize(3)", gone("Line2D", "label")),
        ("df.iteritems()", gone("Mine", "iteritems")),
        ("df.as_matrix()", gone("DataFrame", "AveragePrice")),
    ],
)
def test_attributes_of_other_classes_stay(code: str, fault: Fault) -> None:
    assert mended("renamed_attribute", code, fault) == code


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("plt.hist(x, normed=True)", "plt.hist(x, density=True)"),
        ("df.a.plot(kind='hist', normed=1)", "df.a.plot(kind='hist', density=1)"),
        ("plt.grid(b=True)", "plt.grid(visible=True)"),
        ("plt.title(s='a')", "plt.title(label='a')"),
        ("plt.annotate(s='a', xy=p)", "plt.annotate(text='a', xy=p)"),
        ("plt.bar(left=x, height=y)", "plt.bar(x=x, height=y)"),
        ("plt.subplot(111, axisbg='w')", "plt.subplot(111, facecolor='w')"),
        ("plt.boxplot(x, labels=n)", "plt.boxplot(x, tick_labels=n)"),
        ("plt.plot(x, hold=True)", "plt.plot(x)"),
        ("plt.imshow(x, cmap='spectral')", "plt.imshow(x, cmap='nipy_spectral')"),
        ("df.plot(kind='bar', sort_columns=True)", "df.plot(kind='bar')"),
        ("sns.jointplot(x='a', y='b', data=df, stat_func=f)", "sns.jointplot(x='a', y='b', data=df)"),
        ("sns.FacetGrid(df, size=4)", "sns.FacetGrid(df, height=4)"),
        ("sns.stripplot(x=a, split=True)", "sns.stripplot(x=a, dodge=True)"),
        ("pd.to_datetime(s, infer_datetime_format=True)", "pd.to_datetime(s)"),
        ("s.between(1, 2, inclusive=False)", "s.between(1, 2, inclusive='neither')"),
        ("pd.read_csv('a', error_bad_lines=False)", "pd.read_csv('a', on_bad_lines='skip')"),
        ("pd.read_csv('a', delim_whitespace=True)", "pd.read_csv('a', sep='\\\\s+')"),
        ("seasonal_decompose(s, freq=12)", "seasonal_decompose(s, period=12)"),
        ("RandomForestRegressor(criterion='mse')", "RandomForestRegressor(criterion='squared_error')"),
        ("LogisticRegression(penalty='none')", "LogisticRegression(penalty=None)"),
    ],
)
def test_keywords(code: str, expected: str) -> None:
    assert mended("renamed_keyword", code) == expected
    assert mended("renamed_keyword", expected) == expected


@pytest.mark.parametrize(
    "code",
    [
        "f(b=1)",
        "plt.hist(x, density=True)",
        "plt.text(0, 0, s='x', size=9)",
        "sns.relplot(data=df, size='a')",
        "sns.scatterplot(data=df, size='a')",
        "plt.pie(x, labels=n)",
        "s.between(1, 2, inclusive='left')",
        "plt.imshow(x, cmap='jet')",
        "plt.legend(labels=n)",
        "pd.concat([a, b], join_axes=[a.index])",
        "resample(freq='ME')",
    ],
)
def test_keywords_that_are_right_today_stay(code: str) -> None:
    assert mended("renamed_keyword", code) == code


POSITIONAL = Fault("TypeError", "DataFrame.drop() takes from 1 to 2 positional arguments but 3 were given")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("df.drop('a', 1)", "df.drop('a', axis=1)"),
        ("pd.concat([a, b], 1)", "pd.concat([a, b], axis=1)"),
        ("df.pivot('a', 'b', 'c')", "df.pivot(index='a', columns='b', values='c')"),
        ("df.sort_values('a', 0, False)", "df.sort_values('a', axis=0, ascending=False)"),
        ("df.any(1)", "df.any(axis=1)"),
        ("df.dropna(1)", "df.dropna(axis=1)"),
        ("s.str.split(' ', 1)", "s.str.split(' ', n=1)"),
        ("s.str.replace('a', '', 1)", "s.str.replace('a', '', n=1)"),
        ("plt.subplots(1, 2, True)", "plt.subplots(1, 2, sharex=True)"),
        ("plt.tight_layout(2)", "plt.tight_layout(pad=2)"),
    ],
)
def test_positional_arguments(code: str, expected: str) -> None:
    assert BY_KIND["positional_argument"].answers(POSITIONAL)
    assert mended("positional_argument", code) == expected
    assert mended("positional_argument", expected) == expected


@pytest.mark.parametrize(
    "code",
    [
        "df.drop('a', axis=1)",
        "names.split(' ', 1)",
        "text.replace('a', 'b', 1)",
        "any(x)",
        "f.pivot(*args)",
        "df.set_index('a', drop=False)",
    ],
)
def test_positional_arguments_that_are_right_today_stay(code: str) -> None:
    assert mended("positional_argument", code) == code


def test_only_the_lines_that_failed_are_tried_first() -> None:
    fault = Fault("TypeError", POSITIONAL.message, ("b = df.drop('b', 1)",))
    code = "a = thing.drop(x, y)\nb = df.drop('b', 1)"
    assert mended("positional_argument", code, fault) == "a = thing.drop(x, y)\nb = df.drop('b', axis=1)"


def test_every_row_says_something() -> None:
    assert all(row.calls and row.old for row in keywords())
    assert all(row.old != row.new or row.values for row in keywords())
    assert all("*" in order for kind in ("positional", "positional_str") for order in tables()[kind].values())
