"""Small programs with the statements that a slice must keep marked `#+`; each is run whole and sliced."""

import ast
import random
import textwrap

import numpy as np
import pytest

from lakebook.notebooks.slicing.slicer import Program, analyze

CASES = {
    # -- frames changed in place
    "column stored": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": [1, 2], "b": [3, 4]})  #+
        df["double"] = df["a"] * 2  #+
        df["half"] = df["b"] / 2
        ---
        show(list(df["double"]))
    """,
    "whole frame wants every column": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": [1, 2]})  #+
        df["b"] = 1  #+
        df["c"] = 2  #+
        n = 3
        ---
        show(df.sum().sum())
    """,
    "column overwritten": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": [1, 2]})  #+
        df["b"] = 1
        df["b"] = 2  #+
        ---
        show(list(df["b"]))
    """,
    "column computed from itself": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": ["1", "2"]})  #+
        df["a"] = df["a"].astype(int)  #+
        df["a"] = df["a"] + 1  #+
        ---
        show(list(df["a"]))
    """,
    "drop in place": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": [1, 2], "b": [3, 4]})  #+
        df.drop("b", axis=1, inplace=True)  #+
        other = df.copy()
        ---
        show(list(df.columns))
    """,
    "drop of another column": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": [1, 2], "b": [3, 4]})  #+
        df.drop("b", axis=1, inplace=True)
        ---
        show(list(df["a"]))
    """,
    "in place by a flag": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": [2, 1]})  #+
        flag = True  #+
        df.sort_values("a", inplace=flag)  #+
        ---
        show(list(df.a))
    """,
    "not in place": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": [2, 1]})  #+
        df.sort_values("a", inplace=False)
        df.sort_values("a")
        ---
        show(list(df.a))
    """,
    "loc assignment": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": [1, 2], "b": [0, 0]})  #+
        df.loc[df["a"] > 1, "a"] = 9  #+
        df.loc[df["b"] > 1, "b"] = 9
        ---
        show(list(df["a"]))
    """,
    "loc assignment needs what was there": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": [1, 2]})  #+
        df["b"] = 5  #+
        df.loc[0, "b"] = 6  #+
        ---
        show(list(df["b"]))
    """,
    "at assignment": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": [1, 2]})  #+
        df.at[0, "a"] = 7  #+
        ---
        show(list(df["a"]))
    """,
    "columns renamed by assignment": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": [1]})  #+
        df.columns = ["z"]  #+
        ---
        show(list(df["z"]))
    """,
    "rename in place": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": [1]})  #+
        df.rename(columns={"a": "z"}, inplace=True)  #+
        ---
        show(list(df["z"]))
    """,
    "column deleted": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": [1], "b": [2]})  #+
        del df["b"]  #+
        ---
        show(list(df.columns))
    """,
    "column popped": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": [1], "b": [2]})  #+
        b = df.pop("b")  #+
        ---
        show(list(df.columns))
    """,
    "column inserted": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": [1]})  #+
        df.insert(0, "b", 2)  #+
        ---
        show(list(df.columns))
    """,
    "columns in a loop over a literal list": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": ["1"], "b": ["2"], "c": ["3"]})  #+
        for name in ["a", "b"]:  #+
            df[name] = df[name].astype(int)
        for name in ["c"]:
            df[name] = df[name].astype(int)
        ---
        show(list(df["a"]))
    """,
    "columns in a loop over a named list": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": ["1"], "b": ["2"]})  #+
        numbers = ["a"]  #+
        for name in numbers:  #+
            df[name] = df[name].astype(int)
        df["b"] = 0
        ---
        show(list(df["a"]))
    """,
    "column by a name in a variable": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": [1], "b": [2]})  #+
        column = "a"  #+
        df[column] = 5  #+
        df["b"] = 6
        ---
        show(list(df["a"]))
    """,
    "frame filled from nothing": """
        import pandas as pd  #+
        df = pd.DataFrame()  #+
        df["a"] = [1, 2]  #+
        df["b"] = 7  #+
        ---
        show(list(df["b"]))
    """,
    # -- copies pass on the demand for single columns
    "filtered copy": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": [1, 2], "b": [3, 4]})  #+
        df["unused"] = 0
        df["wanted"] = df["b"] * 2  #+
        big = df[df["a"] > 1]  #+
        ---
        show(list(big["wanted"]))
    """,
    "chain of copies": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": [2, 1], "b": [3, 4]})  #+
        df["unused"] = 0
        df = df.sort_values("a")  #+
        df = df.reset_index(drop=True)  #+
        df = df.head(1)  #+
        ---
        show(list(df["b"]))
    """,
    "copy then changed": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": [1, 2]})  #+
        part = df[df["a"] > 1].copy()
        part["a"] = 0
        ---
        show(list(df["a"]))
    """,
    "renamed copy": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": [1, 2]})  #+
        df["b"] = df["a"] + 1  #+
        df["c"] = 0
        new = df.rename(columns={"b": "z"})  #+
        ---
        show(list(new["z"]))
    """,
    "chosen columns": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": [1, 2], "b": [3, 4]})  #+
        df["c"] = 0
        part = df[["a", "b"]]  #+
        ---
        show(part.sum().sum())
    """,
    "rows dropped by any column": """
        import pandas as pd  #+
        df = pd.DataFrame({"a": [1, 2], "b": [3, 4]})  #+
        df["c"] = [None, 1]  #+
        df = df.dropna()  #+
        ---
        show(list(df["a"]))
    """,
    "group by": """
        import pandas as pd  #+
        df = pd.DataFrame({"k": [1, 1], "v": [1, 2]})  #+
        df["w"] = 0
        groups = df.groupby("k")  #+
        total = groups["v"].sum()  #+
        ---
        show(list(total))
    """,
    "merge": """
        import pandas as pd  #+
        left = pd.DataFrame({"k": [1], "a": [2]})  #+
        right = pd.DataFrame({"k": [1], "b": [3]})  #+
        third = pd.DataFrame({"k": [1], "c": [3]})
        both = left.merge(right, on="k")  #+
        ---
        show(list(both["b"]))
    """,
    # -- names, aliases, containers
    "alias": """
        a = {"k": 1}  #+
        b = a  #+
        b["k"] = 2  #+
        c = {}
        c["k"] = 3
        ---
        show(a["k"])
    """,
    "alias chain": """
        a = [1]  #+
        b = a  #+
        c = b  #+
        c += [2]  #+
        d = [3]
        ---
        show(a)
    """,
    "one of two names rebound": """
        a = [1]  #+
        b = a
        b = [2]
        b.append(3)
        ---
        show(a)
    """,
    "two targets": """
        a = b = []  #+
        b.append(1)  #+
        ---
        show(a)
    """,
    "append": """
        one = []  #+
        two = []
        one.append(1)  #+
        two.append(2)
        ---
        show(one)
    """,
    "list inside a dict": """
        inner = [1]  #+
        box = {"k": inner}  #+
        box["k"].append(2)  #+
        ---
        show(inner)
    """,
    "list inside a list": """
        inner = []  #+
        outer = []  #+
        outer.append(inner)  #+
        inner.append(3)  #+
        ---
        show(outer)
    """,
    "element of a list changed": """
        rows = [{"a": 1}, {"a": 2}]  #+
        first = rows[0]  #+
        first["a"] = 9  #+
        ---
        show(rows)
    """,
    "two elements changed": """
        rows = [{"a": 1}, {"a": 2}]  #+
        rows[0]["a"] = 8  #+
        rows[1]["a"] = 9  #+
        ---
        show(rows[0]["a"])
    """,
    "set default": """
        d = {}  #+
        d.setdefault("a", []).append(1)  #+
        e = {}
        ---
        show(d)
    """,
    "swap": """
        a = 1  #+
        b = 2  #+
        a, b = b, a  #+
        ---
        show(a)
    """,
    "starred target": """
        first, *rest = [1, 2, 3]  #+
        other = 0
        ---
        show(rest)
    """,
    "number counted up": """
        x = 1  #+
        x += 2  #+
        y = 0
        y += x
        ---
        show(x)
    """,
    "number copied by name": """
        x = 1  #+
        y = x
        y += 5
        ---
        show(x)
    """,
    "deleted and made again": """
        x = 1
        del x
        x = 2  #+
        ---
        show(x)
    """,
    "walrus": """
        if (n := 3) > 2:  #+
            m = n
        ---
        show(m)
    """,
    "comprehension has its own scope": """
        x = 5  #+
        y = [x for x in range(3)]
        ---
        show(x)
    """,
    "star import": """
        from math import *  #+
        import json
        ---
        show(floor(2.5))
    """,
    "module renamed": """
        import numpy as np  #+
        import json as np2
        ---
        show(int(np.int64(3)))
    """,
    "submodule imports": """
        import os  #+
        import os.path  #+
        import json
        ---
        show(os.sep)
    """,
    # -- arrays and views
    "slice of an array": """
        import numpy as np  #+
        a = np.zeros(4)  #+
        v = a[:2]  #+
        v[0] = 7  #+
        ---
        show(list(a))
    """,
    "reshaped array": """
        import numpy as np  #+
        a = np.zeros(4)  #+
        w = a.reshape(2, 2)  #+
        w[1, 1] = 3  #+
        ---
        show(list(a))
    """,
    "masked copy of an array": """
        import numpy as np  #+
        a = np.zeros(4)  #+
        b = a[a > 1].copy()
        b[:] = 1
        ---
        show(list(a))
    """,
    "function that fills its argument": """
        import numpy as np  #+
        a = np.zeros((2, 2))  #+
        b = np.zeros((2, 2))
        np.fill_diagonal(a, 5)  #+
        np.fill_diagonal(b, 5)
        ---
        show(a.sum())
    """,
    # -- control flow
    "branch": """
        flag = True  #+
        if flag:  #+
            x = 1
        else:
            x = 2
        y = 3
        ---
        show(x)
    """,
    "condition that may change": """
        items = [1]  #+
        if len(items) > 0:  #+
            items.append(2)
        ---
        show(items)
    """,
    "default before a branch": """
        x = 0  #+
        if 1 > 2:  #+
            x = 1
        ---
        show(x)
    """,
    "while": """
        i = 0  #+
        while i < 3:  #+
            i += 1
        j = 0
        ---
        show(i)
    """,
    "try": """
        try:  #+
            import no_such_module_at_all as m
        except ImportError:
            m = None
        z = 1
        ---
        show(m)
    """,
    "with": """
        import io  #+
        with io.StringIO("abc") as f:  #+
            text = f.read()
        u = 1
        ---
        show(text)
    """,
    "loop over frames": """
        import pandas as pd  #+
        a = pd.DataFrame({"x": [1]})  #+
        b = pd.DataFrame({"x": [2]})
        c = pd.DataFrame({"x": [3]})
        for d in [a, b]:  #+
            d["y"] = d["x"] * 2
        c["y"] = 0
        ---
        show(list(a["y"]))
    """,
    "match": """
        value = 2  #+
        match value:  #+
            case 1:
                name = "one"
            case _:
                name = "many"
        ---
        show(name)
    """,
    # -- functions and classes
    "function that changes its argument": """
        def f(d):  #+
            d["z"] = 1
        d = {}  #+
        f(d)  #+
        e = {}
        f(e)
        ---
        show(d)
    """,
    "function that changes a copy": """
        def f(d):
            d = dict(d)
            d["z"] = 1
            return d
        d = {"a": 1}  #+
        f(d)
        ---
        show(d)
    """,
    "pure function": """
        def g(x):
            return x + 1
        a = 1  #+
        g(a)
        b = 2 * a  #+
        ---
        show(b)
    """,
    "function through a function": """
        def h(d):  #+
            d["q"] = 1
        def f(d):  #+
            h(d)
        d = {}  #+
        f(d)  #+
        ---
        show(d)
    """,
    "keyword argument changed": """
        def f(x, box=None):  #+
            box["n"] = x
        d = {}  #+
        f(1, box=d)  #+
        ---
        show(d)
    """,
    "argument returned": """
        def same(x):  #+
            return x
        a = [1]  #+
        b = same(a)  #+
        b.append(2)  #+
        ---
        show(a)
    """,
    "global read late": """
        K = 3
        def f(x):  #+
            return x * K
        K = 4  #+
        Z = 9
        ---
        show(f(2))
    """,
    "global written": """
        n = 0  #+
        def inc():  #+
            global n
            n += 1
        inc()  #+
        inc()  #+
        q = 1
        ---
        show(n)
    """,
    "closure": """
        def make(k):  #+
            def f(x):
                return x * k
            return f
        double = make(2)  #+
        triple = make(3)
        ---
        show(double(5))
    """,
    "closure over a list": """
        seen = []  #+
        def add(x):  #+
            seen.append(x)
        list(map(add, [1, 2]))  #+
        ---
        show(seen)
    """,
    "lambda over a dict": """
        import pandas as pd  #+
        names = {1: "a"}  #+
        df = pd.DataFrame({"x": [1]})  #+
        df["y"] = df["x"].apply(lambda v: names[v])  #+
        unused = 2
        ---
        show(list(df["y"]))
    """,
    "default argument": """
        k = 4  #+
        def f(x=k):  #+
            return x
        k = 5
        ---
        show(f())
    """,
    "decorator": """
        def plus_one(f):  #+
            return lambda *a: f(*a) + 1
        @plus_one  #+
        def g(x):
            return x
        z = 0
        ---
        show(g(1))
    """,
    "recursion": """
        def total(items):  #+
            return items[0] + total(items[1:]) if items else 0
        numbers = [1, 2]  #+
        numbers.append(3)  #+
        other = [5]
        ---
        show(total(numbers))
    """,
    "helper that cleans a frame": """
        import pandas as pd  #+
        def clean(frame):  #+
            frame["b"] = frame["a"] + 1
            return frame
        df = pd.DataFrame({"a": [1]})  #+
        df["z"] = 0
        df = clean(df)  #+
        ---
        show(list(df["b"]))
    """,
    "method that changes the instance": """
        class Counter:  #+
            def __init__(self):
                self.value = 0
            def inc(self):
                self.value += 1
        a = Counter()  #+
        a.inc()  #+
        b = Counter()
        b.inc()
        ---
        show(a.value)
    """,
    "attribute through an alias": """
        class Thing:  #+
            pass
        a = Thing()  #+
        a.x = 1
        b = a  #+
        b.x = 2  #+
        ---
        show(a.x)
    """,
    "inherited method": """
        class Base:  #+
            def set(self, v):
                self.v = v
        class Child(Base):  #+
            pass
        c = Child()  #+
        c.set(4)  #+
        d = Child()
        d.set(5)
        ---
        show(c.v)
    """,
    "attribute set by name": """
        class Thing:  #+
            pass
        a = Thing()  #+
        b = Thing()
        setattr(a, "q", 1)  #+
        setattr(b, "q", 1)
        ---
        show(a.q)
    """,
    # -- state beside the names
    "seed": """
        import numpy as np  #+
        np.random.seed(0)  #+
        a = np.random.rand(2)  #+
        b = np.random.rand(2)  #+
        c = 1
        ---
        show(list(b))
    """,
    "seed set again": """
        import numpy as np  #+
        np.random.seed(0)
        a = np.random.rand(2)
        np.random.seed(1)  #+
        ---
        show(list(np.random.rand(2)))
    """,
    "shuffle": """
        import random  #+
        random.seed(0)  #+
        items = [1, 2, 3, 4, 5, 6, 7, 8]  #+
        random.shuffle(items)  #+
        ---
        show(items)
    """,
    "generator": """
        g = (x for x in [1, 2, 3])  #+
        next(g)  #+
        ---
        show(next(g))
    """,
    "iterator consumed": """
        it = iter([1, 2, 3])  #+
        a = next(it)  #+
        ---
        show(list(it))
    """,
    "code in a literal string": """
        exec("v = 3")  #+
        w = 4
        ---
        show(v)
    """,
    "module attribute": """
        import math  #+
        math.answer = 42  #+
        other = 1
        ---
        show(math.answer)
    """,
}


def _program(text: str) -> tuple[Program, set[int], str]:
    before, target = textwrap.dedent(text).strip("\n").split("---\n")
    marked = {number for number, line in enumerate(before.splitlines(), 1) if line.endswith("#+")}
    return analyze([(0, before), (1, target)]), marked, target


def _shown(statements: list[str]) -> list[str]:
    shown: list[str] = []
    random.seed()
    np.random.seed(None)
    exec("\n".join(statements), {"show": lambda value: shown.append(repr(value))})
    return shown


def _line(node: ast.stmt) -> int:
    return min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", []))])


@pytest.mark.parametrize("name", CASES)
def test_keeps_exactly_what_is_needed(name: str) -> None:
    program, marked, _ = _program(CASES[name])

    kept = [program.statements[index] for index in program.slice(1)]

    assert {_line(one.node) for one in kept if one.cell == 0} == marked


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_the_slice_shows_what_the_whole_shows(name: str) -> None:
    program, _, _ = _program(CASES[name])

    whole = _shown([one.text for one in program.statements])
    sliced = _shown([kept.statement.text for kept in program.explain(1)])

    assert whole
    assert sliced == whole
