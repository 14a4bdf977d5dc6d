"""Whether a name may be used before it is defined, from the syntax alone."""

import pytest

from lakebook.notebooks.slicing.slicer import analyze
from lakebook.notebooks.slicing.undefined import may_use_undefined

SETTLED = {
    "binding above": ["import numpy as np", "x = np.ones(3)", "print(x)"],
    "submodule": ["import os.path", "os.path.join('a')"],
    "function": ["k = 2", "def f(a, *b, c=k, **d):\n    e = a\n    return e, b, c, d, k, f", "f(1)"],
    "recursion": ["def f(a):\n    return f(a)", "f(1)"],
    "lambda": ["g = lambda v: v + 1\ng(1)"],
    "comprehension": ["xs = [1]", "[a + b for a in xs for b in [a] if b]\n{a: a for a in xs}"],
    "loop": ["for i, (j, *k) in []:\n    print(i, j, k)\nelse:\n    print(i)"],
    "with and try": [
        "with open('a') as f:\n    f.read()\ntry:\n    pass\nexcept ValueError as e:\n    print(e)"
    ],
    "match": [
        "match 1:\n    case [a, *b]:\n        print(a, b)",
        "match 1:\n    case {'k': c, **d} as e:\n        print(c, d, e)",
    ],
    "augmented": ["n = 1", "n += n"],
    "annotated": ["n: Unknown = 1\nprint(n)"],
    "star import": ["from numpy import *", "print(ones)"],
    "class": ["base = object", "class A(base):\n    def f(self):\n        return A, self", "A().f()"],
    "query": ["import pandas as pd", "m = 1\ndf = pd.DataFrame()", "df.query('a > @m')"],
    "nested function": ["def f(a):\n    def g(b):\n        return a, b\n    return g", "f(1)(2)"],
    "method called compile": ["m = object()", "m.compile(vars=1)"],
    "several targets": ["a, b = c = 1, 2", "print(a, b, c)"],
    "deleted": ["x = 1\ndel x"],
}

UNDEFINED = {
    "nowhere": ["print(x)"],
    "below": ["print(x)", "x = 1"],
    "its own value": ["x = x + 1"],
    "counter": ["n += 1"],
    "target": ["x[0] = 1"],
    "query": ["import pandas as pd\ndf = pd.DataFrame()", "df.query('a > @m')"],
    "called too early": ["def f():\n    return x", "f()", "x = 1"],
    "called by its decorator": ["def now(f):\n    return f()", "@now\ndef g():\n    return g"],
    "default": ["def f(a=x):\n    return a"],
    "decorator": ["@x\ndef f():\n    pass"],
    "base": ["class A(x):\n    pass"],
    "local of a function": ["def f():\n    x = 1", "f()", "print(x)"],
    "parameter": ["f = lambda x: x", "print(x)"],
    "name of a comprehension": ["[x for x in []]", "print(x)"],
    "first iterable": ["sum(x for x in x)"],
    "only annotated": ["x: int", "print(x)"],
    "before a star": ["print(ones)", "from numpy import *"],
    "text that is run": ["eval('x')"],
    "names of a class": ["class A:\n    a = 1\n    def f(self):\n        return a", "A().f()"],
    "its dictionary": ["print(globals()['x'])"],
}

UNTOLD = {
    "function called later": ["def f():\n    return x", "x = 1", "f()"],
    "function never called": ["def f():\n    return x"],
    "declared global": ["def f():\n    global x\n    x = 1", "f()", "print(x)"],
    "walrus": ["if (n := 1):\n    print(n)"],
    "text that defines": ["exec('x = 1')", "print(x)"],
    "text with an address": ["print('me@home')"],
}


def unresolved(cells: list[str]) -> set[str]:
    """Return what the forward pass found undefined."""
    return {name for one in analyze(list(enumerate(cells))).statements for name in one.unresolved}


@pytest.mark.parametrize("name", SETTLED)
def test_what_is_bound_above_is_settled(name: str) -> None:
    """No forward pass is needed, and one would find nothing."""
    assert not may_use_undefined(SETTLED[name])
    assert not unresolved(SETTLED[name])


@pytest.mark.parametrize("name", UNDEFINED)
def test_what_the_forward_pass_finds_is_never_missed(name: str) -> None:
    """A name that is used undefined is never taken to be defined."""
    assert may_use_undefined(UNDEFINED[name])
    assert unresolved(UNDEFINED[name])


@pytest.mark.parametrize("name", UNTOLD)
def test_what_the_syntax_does_not_tell_is_left_to_the_forward_pass(name: str) -> None:
    """It is no more than a first look: the forward pass finds these defined."""
    assert may_use_undefined(UNTOLD[name])
    assert not unresolved(UNTOLD[name])


def test_deep_nesting_is_left_to_the_forward_pass() -> None:
    """An expression too deep to follow settles nothing."""
    assert may_use_undefined(["a = 1", f"a{'.b' * 900}"])
