"""Which setters of style a slice keeps: those that what draws the target's figure reads."""

import pytest

from lakebook.notebooks.slicing.slicer import analyze

IMPORTS = """
import matplotlib as mpl
import matplotlib.pylab as pylab
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import plotly.express as px
import plotly.io as pio
import seaborn as sns
from jupyterthemes import jtplot
from matplotlib import rcParams
df = pd.DataFrame({"a": [1], "b": [2]})
"""
MATPLOTLIB = ("plt.plot(df['a'])", "sns.barplot(x='a', y='b', data=df)", "df['a'].plot()")
PLOTLY = (
    "px.bar(df, x='a', y='b').show()",
    "fig = px.bar(df, x='a', y='b')\nfig.update_layout(title='t')\nfig",
)

ONLY_MATPLOTLIB = [
    "plt.rcParams['figure.figsize'] = (3, 4)",
    "rcParams['font.size'] = 7",
    "pylab.rcParams.update({'font.size': 7})",
    "mpl.rc('font', size=7)",
    "plt.style.use('ggplot')",
    "sns.set_theme()",
    "sns.set_palette('Set1')",
    "plt.viridis()",
    "mpl.colormaps.register(colours)",
    "mpl.font_manager.fontManager.addfont('a.ttf')",
    "jtplot.style()",
]
BOTH = ["pd.set_option('plotting.backend', 'plotly')", "pd.options.mode.use_inf_as_na = True"]
ONLY_PLOTLY = ["px.defaults.template = 'plotly_dark'", "pio.templates.default = 'ggplot2'"]
NEITHER = [
    "pd.set_option('display.max_columns', 50)",
    "pd.set_option('max_rows', 50)",
    "np.set_printoptions(precision=2)",
    "sns.axes_style('dark')",
    "plt.rcParams['font.size']",
]


def is_kept(setter: str, target: str) -> bool:
    program = analyze([(0, IMPORTS), (1, setter), (2, target)])
    return any(program.statements[index].cell == 1 for index in program.slice(2))


@pytest.mark.parametrize("target", MATPLOTLIB)
@pytest.mark.parametrize("setter", ONLY_MATPLOTLIB + BOTH)
def test_what_matplotlib_reads_is_kept_for_its_figures(setter: str, target: str) -> None:
    assert is_kept(setter, target)


@pytest.mark.parametrize("target", PLOTLY)
@pytest.mark.parametrize("setter", ONLY_PLOTLY + BOTH)
def test_what_plotly_reads_is_kept_for_its_figures(setter: str, target: str) -> None:
    assert is_kept(setter, target)


@pytest.mark.parametrize("target", PLOTLY)
@pytest.mark.parametrize("setter", ONLY_MATPLOTLIB + NEITHER)
def test_what_plotly_does_not_read_is_left_out(setter: str, target: str) -> None:
    assert not is_kept(setter, target)


@pytest.mark.parametrize("target", MATPLOTLIB)
@pytest.mark.parametrize("setter", NEITHER)
def test_what_only_concerns_printing_is_left_out(setter: str, target: str) -> None:
    assert not is_kept(setter, target)


@pytest.mark.parametrize(
    "reading",
    ["colours = sns.color_palette()", "size = plt.rcParams['font.size']", "cycle = mpl.rcParams.copy()"],
)
def test_a_style_that_is_read_is_kept(reading: str) -> None:
    name = reading.partition(" ")[0]

    assert is_kept("sns.set_palette('Set1')", f"{reading}\nprint({name})")


def test_a_palette_asked_for_by_name_needs_no_style() -> None:
    assert not is_kept("sns.set_palette('Set2')", "print(sns.color_palette('Set1'))")


def test_a_style_computed_before_it_is_set_is_kept_with_what_it_is_made_of() -> None:
    program = analyze(
        [
            (0, IMPORTS),
            (1, "size = plt.rcParams['figure.figsize']\nsize[0] = 10\nplt.rcParams['figure.figsize'] = size"),
            (2, MATPLOTLIB[0]),
        ]
    )

    assert [program.statements[index].cell for index in program.slice(2)].count(1) == 3


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("sns.set()", "sns.set_theme(style='dark')"),
        ("sns.set(rc={'figure.figsize': (3, 4)})", "sns.set(rc={'figure.figsize': (8, 9)})"),
        ("sns.set_palette('husl')", "sns.set(palette='muted')"),
        ("plt.rc('axes', grid=True)", "plt.rcParams['axes.grid'] = False"),
        ("plt.rcParams.update({'font.size': 7})", "mpl.rc('font', size=8)"),
        ("plt.style.use('ggplot')", "plt.rcdefaults()"),
        ("plt.rcParams['font.size'] = 7", "mpl.rcParams.update(mpl.rcParamsDefault)"),
        ("sns.set_theme()", "sns.reset_orig()"),
        ("plt.style.use('ggplot')", "plt.style.use('default')"),
    ],
)
def test_a_style_that_is_replaced_is_left_out(earlier: str, later: str) -> None:
    assert not is_kept(earlier, f"{later}\n{MATPLOTLIB[0]}")


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("sns.set(rc={'figure.figsize': (3, 4)})", "sns.set()"),
        ("sns.set_style('dark')", "sns.set_context('talk')"),
        ("sns.set_theme(palette='deep')", "sns.set_theme(palette=['red', 'blue'])"),
        ("sns.set_style('dark')", "sns.set_theme(style=None)"),
        ("plt.rc('axes', grid=True)", "plt.rc('axes', facecolor='white')"),
        ("plt.rcParams.update({'font.size': 7})", "if df.size:\n    plt.rcParams['font.size'] = 8"),
        ("mpl.font_manager.fontManager.addfont('a.ttf')", "plt.rcdefaults()"),
        ("plt.style.use('ggplot')", "plt.style.use('dark_background')"),
        ("px.defaults.width = 3", "plt.rcdefaults()"),
        ("sns.set()", "with plt.rc_context():\n    plt.rcdefaults()"),
    ],
)
def test_a_style_of_which_something_may_be_left_is_kept(earlier: str, later: str) -> None:
    target = PLOTLY[0] if earlier.startswith("px") else MATPLOTLIB[0]

    assert is_kept(earlier, f"{later}\n{target}")


def test_a_style_kept_aside_replaces_all_when_it_is_put_back() -> None:
    cells = [IMPORTS, "usual = plt.rcParams.copy()", "plt.style.use('ggplot')", "plt.rcParams.update(usual)"]
    program = analyze([*enumerate(cells), (4, MATPLOTLIB[0])])

    assert {program.statements[index].cell for index in program.slice(4)} == {0, 1, 3, 4}
