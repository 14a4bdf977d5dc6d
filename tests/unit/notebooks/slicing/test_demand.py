"""What a target does not want falls out: other columns through copies, forgotten fits, repeated imports.

The statements that a slice must keep are marked `#+`; the rest must go, and the target must show the same.
"""

import random
import textwrap

import pytest

from lakebook.notebooks.slicing.slicer import analyze

FRAME = """
import pandas as pd  #+
df = pd.DataFrame({"a": ["x", "y", "x"], "b": [3, 1, 2], "c": [1.0, None, 3.0]})  #+
"""
RESOURCES = {
    "imported twice": (
        """
        import math  #+
        import math
        from math import pi
        """,
        "show(math.e)",
    ),
    "imported twice, in between another thing": (
        """
        import math as m
        m = 3
        import math as m  #+
        """,
        "show(m.e)",
    ),
    "imported twice, deleted in between": (
        """
        import math
        del math
        import math  #+
        """,
        "show(math.e)",
    ),
    "imported again after a try": (
        """
        try:
            import nowhere_to_be_found as m
        except ImportError:
            m = None
        import math as m  #+
        """,
        "show(m.e)",
    ),
    "imported again in the target": (
        """
        import math
        """,
        "import math\nshow(math.e)",
    ),
    "a list that shares elements": (
        """
        pairs = [[1], [2]]  #+
        names = []
        for pair in pairs:
            names.append(pair)
        names.reverse()
        """,
        "show(pairs)",
    ),
    "elements that change in another list": (
        """
        pairs = [[1], [2]]  #+
        names = []  #+
        names.append(pairs[0])  #+
        names[0].append(5)  #+
        names.append(7)
        """,
        "show(pairs)",
    ),
    "a list is rearranged": (
        """
        a = [3, 1]  #+
        b = a  #+
        b.append(2)  #+
        b.reverse()  #+
        """,
        "show(a)",
    ),
    "a slot of a dict is popped": (
        """
        d = {"p": 1, "q": 2}  #+
        d.pop("p")  #+
        """,
        "show(d)",
    ),
}


def _check(code: str, target: str) -> None:
    code = textwrap.dedent(code).strip("\n")
    expected = [line for line in code.splitlines() if line.endswith("#+")]

    left = [kept.statement.text for kept in analyze([(0, code), (1, target)]).explain(1)]

    kept_lines = "\n".join(left).splitlines()
    wanted = [line.removesuffix("#+").rstrip() for line in expected]
    assert kept_lines[: len(kept_lines) - len(target.splitlines())] == wanted
    assert _shown("\n".join(left)) == _shown(f"{code}\n{target}")


def _shown(code: str) -> list[str]:
    shown: list[str] = []
    random.seed()
    exec(code, {"show": lambda *values: shown.append(repr(values)), "print": lambda *_: None})
    return shown


@pytest.mark.parametrize("name", RESOURCES)
def test_only_what_is_wanted_of_other_state(name: str) -> None:
    _check(*RESOURCES[name])


MODEL = """
from sklearn.preprocessing import LabelEncoder, StandardScaler
from sklearn.pipeline import make_pipeline
le = LabelEncoder()
df = {}
"""
FITS = {
    "fitted anew": ('df["a"] = le.fit_transform(a)\ndf["b"] = le.fit_transform(b)', 'df["b"]', [1]),
    "fitted and used": ("le.fit(a)\nle.fit(b)\nx = le.transform(c)", "x", [1, 2]),
    "fitted once, used twice": (
        "le.fit(a)\nx = le.transform(b)\ny = le.transform(c)",
        "y",
        [0, 2],
    ),
    "settings are kept": ("le.set_params(x=1)\nle.fit(a)\nle.fit(b)", "le", [0, 2]),
    "fitted perhaps": ("le.fit(a)\nif n:\n    le.fit(b)", "le.classes_", [0, 1]),
    "fitted through a pipeline": (
        "s = StandardScaler()\np = make_pipeline(s, le)\np.fit(a)",
        "s.mean_",
        [0, 1, 2],
    ),
}


@pytest.mark.parametrize("name", FITS)
def test_a_fit_forgets_the_one_before(name: str) -> None:
    code, target, expected = FITS[name]
    before = len(MODEL.strip().splitlines())
    program = analyze([(0, MODEL + "a = b = c = n = [1]\n"), (1, code), (2, f"show({target})")])

    kept = [index for index in program.slice(2) if program.statements[index].cell == 1]

    assert [index - before - 1 for index in kept] == expected


def test_three_dimensions_need_their_import() -> None:
    imports = "import matplotlib.pyplot as plt\nfrom mpl_toolkits.mplot3d import Axes3D\n"

    flat = analyze([(0, imports), (1, "plt.plot([1])")])
    deep = analyze([(0, imports), (1, "plt.subplots(subplot_kw={'projection': '3d'})")])

    assert flat.slice(1) == [0, 2]
    assert deep.slice(1) == [0, 1, 2]


COLUMNS = {
    "drop of a column into the same name": (
        """
        df["z"] = df["b"] + 1
        df = df.drop("z", axis=1)
        """,
        "show(list(df['a']))",
    ),
    "drop into the same name, all columns wanted": (
        """
        df["z"] = df["b"] + 1  #+
        df = df.drop("z", axis=1)  #+
        """,
        "show(list(df.columns))",
    ),
    "drop into the same name, with an alias": (
        """
        df["z"] = df["b"] + 1  #+
        old = df  #+
        df = df.drop("z", axis=1)  #+
        df["a"] = 0  #+
        """,
        "show(list(old.a), list(df.a))",
    ),
    "drop of a row": (
        """
        df = df.set_index("b")  #+
        df.drop(3, inplace=True)  #+
        """,
        "show(list(df['a']))",
    ),
    "changed in place, column by column": (
        """
        df["z"] = df["b"] + 1
        df["c"] = df["c"] + 1  #+
        df.bfill(inplace=True)  #+
        df.sort_values("b", inplace=True)  #+
        """,
        "show(list(df['c']))",
    ),
    "renamed in place": (
        """
        df["b"] = df["b"] + 1  #+
        df["c"] = df["c"] + 1
        df.rename(columns={"b": "n", "c": "m"}, inplace=True)  #+
        """,
        "show(list(df['n']))",
    ),
    "renamed nobody knows how": (
        """
        df["a"] = df["b"] + 1  #+
        df = df.rename(columns=str.upper)  #+
        """,
        "show(list(df['A']))",
    ),
    "rows by every column": (
        """
        df["z"] = [1, None, 2]  #+
        df = df.dropna()  #+
        """,
        "show(list(df['a']))",
    ),
    "rows by one column": (
        """
        df["z"] = [1, None, 2]
        df = df.dropna(subset=["c"])  #+
        """,
        "show(list(df['a']))",
    ),
    "number of rows": (
        """
        df["z"] = df["b"] + 1
        df = df[df["b"] > 1]  #+
        n = len(df)  #+
        m = df.shape[0]
        """,
        "show(n)",
    ),
    "the index": (
        """
        df = df.set_index("b")  #+
        df["z"] = df.index + 1
        df.index = df.index + 5  #+
        """,
        "show(list(df.index))",
    ),
    "a row more": (
        """
        df.loc[len(df), "b"] = 5  #+
        df.loc[df["b"] > 2, "c"] = 5
        """,
        "show(list(df['a']))",
    ),
    "merged": (
        """
        other = pd.DataFrame({"a": ["x", "y"], "p": [1, 2], "q": [3, 4]})  #+
        other["q"] = 5
        other["p"] = other["p"] + 1  #+
        df["b"] = 0
        df["a"] = df["a"].str.lower()  #+
        df = df.merge(other, on="a")  #+
        """,
        "show(list(df['p']), list(df['c']))",
    ),
    "merged with columns of one name": (
        """
        other = pd.DataFrame({"a": ["x", "y"], "b": [1, 2]})  #+
        other["b"] = 5  #+
        df = pd.merge(df, other, on="a")  #+
        """,
        "show(list(df['b_y']))",
    ),
    "merged on what nobody knows": (
        """
        other = pd.DataFrame({"a": ["x", "y"], "p": [1, 2]})  #+
        other["b"] = [3, 2]  #+
        df = df.merge(other)  #+
        """,
        "show(list(df['p']))",
    ),
    "one below the other": (
        """
        df["z"] = 1
        other = df.copy()  #+
        other["b"] = 0
        other["c"] = 7  #+
        both = pd.concat([df, other])  #+
        """,
        "show(list(both['c']))",
    ),
    "grouped": (
        """
        df["z"] = df["c"] + 1
        sizes = df.groupby("a").size()  #+
        df["c"] = df["c"] + 1  #+
        sums = df.groupby("a").agg({"c": "sum"})  #+
        """,
        "show(list(sizes), sums.values.tolist())",
    ),
    "row by row": (
        """
        df["z"] = 1
        df["n"] = df.apply(lambda row: row["b"] + 1, axis=1)  #+
        """,
        "show(list(df['n']))",
    ),
    "row by row, all of it": (
        """
        df["z"] = 1  #+
        df["n"] = df.apply(lambda row: row["b"] + len(row), axis=1)  #+
        """,
        "show(list(df['n']))",
    ),
    "queried": (
        """
        limit = 2  #+
        df["z"] = 1
        df = df.query("b < @limit")  #+
        """,
        "show(list(df['a']))",
    ),
    "filled with what text columns refuse": (
        """
        df["a"] = df["b"]  #+
        df = df.fillna(0)  #+
        """,
        "show(list(df['c']))",
    ),
    "filled column by column": (
        """
        df["a"] = df["b"]
        df = df.fillna({"c": 0, "a": 1})  #+
        """,
        "show(list(df['c']))",
    ),
    "converted all at once": (
        """
        df["a"] = df["b"]  #+
        df = df.astype(float)  #+
        """,
        "show(list(df['c']))",
    ),
    "assigned": (
        """
        df["z"] = 1
        df = df.assign(n=lambda frame: frame["b"] + 1)  #+
        """,
        "show(list(df['n']))",
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", COLUMNS)
def test_only_the_columns_that_are_wanted(name: str) -> None:
    code, target = COLUMNS[name]

    _check(FRAME + textwrap.dedent(code), target)
