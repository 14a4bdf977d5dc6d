"""What goes beside the figure, and what is refused."""

from __future__ import annotations

import pytest

from lakebook.enhancement.cleaning import clean, enclose, refusal, still_writes
from lakebook.enhancement.script import Script


def cleaned(code: str) -> str:
    return str(clean(Script.parse(code))[0])


@pytest.mark.parametrize(
    "line",
    [
        "print(df.shape)",
        "display(df)",
        "df.head()",
        "df",
        "df.shape",
        "df['a']",
        "plt.savefig('x.png')",
        "df.to_csv('out.csv')",
        "os.makedirs('out')",
        "warnings.filterwarnings('ignore')",
        "pd.set_option('display.max_rows', 5)",
        "pd.options.display.max_rows = 5",
        "plt.show()",
        "plt.close('all')",
        "fig.show()",
    ],
)
def test_taken_out(line: str) -> None:
    assert cleaned(f"df.plot()\n{line}") == "df.plot()"


@pytest.mark.parametrize(
    "line",
    [
        "names.remove('a')",
        "df.plot()",
        "ax.set_title('x')",
        "sns.set(style='whitegrid')",
        "plt.rcParams['figure.figsize'] = (3, 3)",
        "df.drop(columns=['a'], inplace=True)",
        "text = df.to_csv()",
    ],
)
def test_kept(line: str) -> None:
    assert line in cleaned(f"{line}\ndf.plot()")


def test_what_goes_is_recorded_once_a_kind() -> None:
    _, repairs = clean(Script.parse("print(1)\nprint(2)\ndf.plot()\nplt.savefig('a')\nplt.show()"))
    assert [(r.kind, r.before, r.after) for r in repairs] == [
        ("write_removed", "plt.savefig('a')", ""),
        ("print_removed", "print(1)\nprint(2)", ""),
        ("show_removed", "plt.show()", ""),
    ]


def test_a_block_is_never_left_empty() -> None:
    assert cleaned("for c in cs:\n    print(c)\ndf.plot()") == "for c in cs:\n    pass\ndf.plot()"


def test_show_between_two_plots_starts_a_new_figure() -> None:
    assert cleaned("a.plot()\nplt.show()\nplt.bar(x, y)") == "a.plot()\nplt.figure()\nplt.bar(x, y)"
    assert cleaned("a.plot()\nplt.show()\nplt.figure(figsize=(3, 3))\nb.plot()").count("figure") == 1
    assert cleaned("a.plot()\nplt.show()\nx = 1\nsns.catplot(data=b)").count("plt.figure") == 0
    assert "plt.figure()" in cleaned("for c in cs:\n    df[c].plot()\n    plt.show()")


def test_plotly_figures_are_shown() -> None:
    head = "import plotly.express as px\n"
    assert cleaned(head + "fig = px.bar(df)\nfig.show()").endswith("fig.show()")
    assert cleaned(head + "fig = px.bar(df)\nfig").endswith("fig.show()")
    assert cleaned(head + "px.bar(df)").endswith("px.bar(df).show()")
    assert cleaned("fig = 1\nfig") == "fig = 1"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("def f():\n    global n\n    n = 1", "global names"),
        ("global n\nn = 1", "global names"),
        ("from pylab import *", "every name of pylab"),
        ("await f()", "awaits"),
        ("return 3", "returns outside"),
        ("x = input()", r"calls input"),
        ("exec('x = 1')", "calls exec"),
        ("import subprocess", "subprocess"),
        ("from urllib.request import urlopen", "urllib"),
    ],
)
def test_refused(code: str, reason: str) -> None:
    assert reason.replace("\\", "") in refusal(Script.parse(code))


@pytest.mark.parametrize(
    "code",
    [
        "def f():\n    return 3",
        "async def f():\n    await g()",
        "re.compile('x')",
        "from os import path",
        "x = 1",
    ],
)
def test_not_refused(code: str) -> None:
    assert refusal(Script.parse(code)) == ""


@pytest.mark.parametrize(
    ("code", "writes"),
    [
        ("n = df.to_csv('a.csv')", True),
        ("with open('a', 'w') as f:\n    f.write('x')", True),
        ("open('a', mode='a')", True),
        ("with open('a') as f:\n    t = f.read()", False),
        ("t = df.to_csv()", False),
        ("names = [n for n in x if n.remove(1)]", False),
    ],
)
def test_still_writes(code: str, writes: bool) -> None:
    assert bool(still_writes(Script.parse(code))) is writes


def test_a_global_name_of_the_component_is_shared_with_the_function_around() -> None:
    code = "count = 0\ndef more():\n    global count\n    count += 1\n    return count"
    script, repairs = enclose(Script.parse(code))
    assert [(one.kind, one.before, one.after) for one in repairs] == [
        ("global_enclosed", "global count", "nonlocal count")
    ]
    assert refusal(script) == ""


@pytest.mark.parametrize(
    "code", ["n = 1", "def f():\n    n = 1\n    return n", "def f(n):\n    global m\n    m = n"]
)
def test_other_names_stay_as_they_are(code: str) -> None:
    script, repairs = enclose(Script.parse(code))
    assert (str(script), repairs) == (code, [])
