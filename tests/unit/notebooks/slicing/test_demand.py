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
