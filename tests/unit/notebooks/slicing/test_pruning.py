"""What is left of compound statements: the author's lines that matter for the target, and nothing else."""

import ast
import textwrap

import pytest

from lakebook.notebooks.slicing.slicer import analyze

# upstream code, target, what is left of the upstream code
CASES = {
    "loop body": (
        """
        a, b = [], []
        for i in range(3):
            # squares
            a.append(i * i)
            # cubes
            b.append(i ** 3)
            print(i)
        """,
        "show(a)",
        """
        a, b = [], []
        for i in range(3):
            # squares
            a.append(i * i)
        """,
    ),
    "loop that only gives its variable": (
        """
        a = []
        for i in range(3):
            a.append(i)
            # the last one
        """,
        "show(i)",
        """
        for i in range(3):
            pass
        """,
    ),
    "carried from round to round": (
        """
        x = y = z = 0
        for i in range(4):
            z = y
            y = x
            x = i
        """,
        "show(z)",
        """
        x = y = z = 0
        for i in range(4):
            z = y
            y = x
            x = i
        """,
    ),
    "bound anew in every round": (
        """
        part = [9]
        part.append(10)
        found = []
        for i in range(2):
            part = [i]
            part.append(1)
            found.append(part)
        """,
        "show(found)",
        """
        found = []
        for i in range(2):
            part = [i]
            part.append(1)
            found.append(part)
        """,
    ),
    "break and what it stands in": (
        """
        a, b = [], []
        for i in range(9):
            b.append(i)
            if i > 2:
                print("enough")
                break
            a.append(i)
        """,
        "show(a)",
        """
        a, b = [], []
        for i in range(9):
            if i > 2:
                break
            a.append(i)
        """,
    ),
    "break that depends on a name": (
        """
        a, b, n = [], [], 0
        for i in range(9):
            b.append(i)
            n += 2
            if n > 5:
                break
            a.append(i)
        """,
        "show(a)",
        """
        a, b, n = [], [], 0
        for i in range(9):
            n += 2
            if n > 5:
                break
            a.append(i)
        """,
    ),
    "continue before the name is bound": (
        """
        last = -1
        for i in range(5):
            if i % 2:
                continue
            last = i
        """,
        "show(last)",
        """
        last = -1
        for i in range(5):
            if i % 2:
                continue
            last = i
        """,
    ),
    "break of an inner loop": (
        """
        a, b = [], []
        for i in range(3):
            for j in range(3):
                if j == 1:
                    break
                b.append(j)
            a.append(i)
        """,
        "show(a)",
        """
        a, b = [], []
        for i in range(3):
            a.append(i)
        """,
    ),
    "while": (
        """
        n, a, b = 0, [], []
        while n < 3:
            a.append(n)
            b.append(n)
            n += 1
        """,
        "show(b)",
        """
        n, a, b = 0, [], []
        while n < 3:
            b.append(n)
            n += 1
        """,
    ),
    "branches": (
        """
        n, a, b = 3, [], []
        if n > 5:
            a.append(1)
        elif n > 2:
            # only this
            b.append(2)
            a.append(2)
        else:
            a.append(3)
        """,
        "show(b)",
        """
        n, a, b = 3, [], []
        if n > 5:
            pass
        elif n > 2:
            # only this
            b.append(2)
        """,
    ),
    "only the else branch": (
        """
        n, a, b = 3, [], []
        if n > 5:
            a.append(1)
            a.append(2)
        # otherwise
        else:

            b.append(2)
            a.append(2)
        """,
        "show(b)",
        """
        n, a, b = 3, [], []
        if n > 5:
            pass
        # otherwise
        else:

            b.append(2)
        """,
    ),
    "bound in both branches": (
        """
        n = 3
        x = [5]
        if n > 2:
            x = [1]
            print(x)
        else:
            x = [2]
        """,
        "show(x)",
        """
        n = 3
        if n > 2:
            x = [1]
        else:
            x = [2]
        """,
    ),
    "bound in one branch": (
        """
        n = 3
        x = [5]
        if n > 4:
            x = [1]
            print(x)
        """,
        "show(x)",
        """
        n = 3
        x = [5]
        if n > 4:
            x = [1]
        """,
    ),
    "with": (
        """
        import warnings
        a, b = [], []
        with warnings.catch_warnings():
            a.append(1)
            b.append(2)
        """,
        "show(b)",
        """
        import warnings
        a, b = [], []
        with warnings.catch_warnings():
            b.append(2)
        """,
    ),
    "try is kept whole": (
        """
        a, b = [], []
        try:
            a.append(1)
            b.append(1 / 0)
        except ZeroDivisionError:
            a.append(2)
        """,
        "show(a)",
        """
        a, b = [], []
        try:
            a.append(1)
            b.append(1 / 0)
        except ZeroDivisionError:
            a.append(2)
        """,
    ),
    "an exception that is swallowed": (
        """
        import contextlib
        a, b = [], []
        with contextlib.suppress(ZeroDivisionError):
            b.append(1 / 0)
            a.append(1)
        """,
        "show(a)",
        """
        import contextlib
        a, b = [], []
        with contextlib.suppress(ZeroDivisionError):
            b.append(1 / 0)
            a.append(1)
        """,
    ),
    "statements on one line": (
        """
        a, b = [], []
        for i in range(2): a.append(i); b.append(i)
        for i in range(2):
            a.append(i); b.append(i)
        """,
        "show(a)",
        """
        a, b = [], []
        for i in range(2): a.append(i); b.append(i)
        for i in range(2):
            a.append(i); b.append(i)
        """,
    ),
    "literal list with one element that matters": (
        """
        a, b, c = [1], [2], [3]
        for one in [a, b, c]:
            one.append(0)
        """,
        "show(b)",
        """
        a, b, c = [1], [2], [3]
        for one in [b]:
            one.append(0)
        """,
    ),
    "literal tuple over lines": (
        """
        a, b, c = [1], [2], [3]
        for one in (a,  # first
                    b, c):
            one.append(0)
            print(one)
        """,
        "show(a)",
        """
        a, b, c = [1], [2], [3]
        for one in (a,):
            one.append(0)
        """,
    ),
    "literal pairs": (
        """
        d = {}
        for key, value in [("p", 1), ("q", 2), ("r", 3)]:
            d[key] = value
        """,
        "show(d['p'], d['r'])",
        """
        d = {}
        for key, value in [("p", 1), ("r", 3)]:
            d[key] = value
        """,
    ),
    "columns from a literal list": (
        """
        import pandas as pd
        df = pd.DataFrame({"a": ["1"], "b": ["2"]})
        df["a"] = df["a"] + "0"
        df["b"] = df["b"] + "0"
        for column in ["a", "b"]:
            df[column] = df[column].astype(int)
        """,
        "show(list(df['b']))",
        """
        import pandas as pd
        df = pd.DataFrame({"a": ["1"], "b": ["2"]})
        df["b"] = df["b"] + "0"
        for column in ["b"]:
            df[column] = df[column].astype(int)
        """,
    ),
    "what one element leaves to the next": (
        """
        total, seen = 0, []
        for n in [1, 2, 3]:
            total = total + n
            seen.append(n)
        """,
        "show(total)",
        """
        total, seen = 0, []
        for n in [1, 2, 3]:
            total = total + n
        """,
    ),
    "the last element stays bound": (
        """
        seen = []
        for n in [1, 2, 3]:
            seen.append(n)
        """,
        "show(n)",
        """
        for n in [3]:
            pass
        """,
    ),
    "a literal list with break": (
        """
        a, b = [1], [2]
        for one in [a, b]:
            if len(a) > 1:
                break
            one.append(0)
        """,
        "show(b)",
        """
        a, b = [1], [2]
        for one in [a, b]:
            if len(a) > 1:
                break
            one.append(0)
        """,
    ),
    "a function that prints": (
        """
        @staticmethod
        def f(x, y=[],
              z=2):
            'doubles'
            # tells what it got
            print(len(x), x.count(1))
            print(y.pop() if y else 0)
            try:
                print(x)
            except TypeError:
                pass
            for i in x:
                print(i)
                y.append(i)
            if x:
                print("yes")
            else:
                print("no")
            return y
        """,
        "show(f([1, 2], [3]))",
        """
        @staticmethod
        def f(x, y=[],
              z=2):
            print(y.pop() if y else 0)
            try:
                print(x)
            except TypeError:
                pass
            for i in x:
                y.append(i)
            if x:
                pass
            return y
        """,
    ),
    "a class that tells": (
        """
        class Box:
            'holds one thing'

            def __init__(self, v):
                self.v = v
                print("made", v)

            def say(self):
                print(self.v)
        """,
        "show(Box(2).v)",
        """
        class Box:

            def __init__(self, v):
                self.v = v

            def say(self):
                print(self.v)
        """,
    ),
    "a function inside of a branch": (
        """
        n = 1
        if n:
            def f(x):
                print(x)
                return x
            g = 2
        else:
            def f(x):
                return 0
        """,
        "show(f(3))",
        """
        n = 1
        if n:
            def f(x):
                print(x)
                return x
        else:
            def f(x):
                return 0
        """,
    ),
    "lines in a string": (
        '''
        a, b = [], []
        for i in range(2):
            a.append("""
        # no comment
            x""")
            # a comment
            b.append(i)
        ''',
        "show(a)",
        '''
        a, b = [], []
        for i in range(2):
            a.append("""
        # no comment
            x""")
        ''',
    ),
}


def _texts(name: str) -> tuple[str, str, list[str]]:
    code, target, expected = (textwrap.dedent(part).strip("\n") for part in CASES[name])
    left = [kept.statement.text for kept in analyze([(0, code), (1, target)]).explain(1)]
    return code, expected, left


@pytest.mark.parametrize("name", CASES)
def test_leaves_what_matters(name: str) -> None:
    _, expected, left = _texts(name)

    assert "\n".join(left[:-1]) == expected


@pytest.mark.parametrize("name", CASES)
def test_what_is_left_shows_the_same(name: str) -> None:
    code, _, left = _texts(name)

    assert _shown("\n".join(left)) == _shown(f"{code}\n{left[-1]}")


@pytest.mark.parametrize("name", CASES)
def test_the_node_is_that_of_the_text(name: str) -> None:
    code, target, _ = (textwrap.dedent(part).strip("\n") for part in CASES[name])

    for kept in analyze([(0, code), (1, target)]).explain(1):
        assert ast.dump(kept.statement.node) == ast.dump(ast.parse(kept.statement.text).body[0])


@pytest.mark.parametrize("name", CASES)
def test_a_slice_of_a_slice_is_itself(name: str) -> None:
    _, _, left = _texts(name)

    again = analyze([(0, "\n".join(left[:-1])), (1, left[-1])]).explain(1)

    assert [kept.statement.text for kept in again] == left


def _shown(code: str) -> list[str]:
    shown: list[str] = []
    exec(code, {"show": lambda *values: shown.append(repr(values)), "print": lambda *_: None})
    return shown
