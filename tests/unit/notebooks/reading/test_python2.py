import ast

import pytest

from lakebook.notebooks.clean import clean
from lakebook.notebooks.reading.python2 import (
    divisions_of_whole_numbers,
    has_old_names,
    rewrite_names,
    rewrite_syntax,
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("print 'a; b', x", "print('a; b', x)"),
        ("print ('%d') % n", "print(('%d') % n)"),
        ("print (a), b", "print((a), b)"),
        ("print [a for a in b]", "print([a for a in b])"),
        ("if x: print y; print z", "if x: print(y); print(z)"),
        ("else_ = {1: 2}; print else_[1:2]", "else_ = {1: 2}; print(else_[1:2])"),
        ("print 'a', \\\n  'b'", "print('a', \\\n  'b')"),
        ("print f(\n 1)  # why", "print(f(\n 1))  # why"),
        ("print >>f", "print(file=f)"),
        ("exec code in ns", "exec(code, ns)"),
        ("exec 'x = 1' in a, b", "exec('x = 1', a, b)"),
        ("raise E, 'no', t", "raise E('no').with_traceback(t)"),
        ("try: f()\nexcept (A, B), e: pass", "try: f()\nexcept (A, B) as e: pass"),
        ("x = `n` + `m`", "x = repr(n) + repr(m)"),
        ("x = ur'\\d'", "x = r'\\d'"),
        ("m = 0777 + 10L", "m = 0o777 + 10"),
        ("a <> b", "a != b"),
        ("f = lambda x: x; print f", "f = lambda x: x; print(f)"),
        ("print lambda: 1", "print(lambda: 1)"),
    ],
)
def test_syntax_is_rewritten(old: str, new: str) -> None:
    assert rewrite_syntax(old) == new
    ast.parse(new)


@pytest.mark.parametrize(
    "text",
    [
        "print(a, b)",
        "print = log",
        "print.x",
        "s = 'print x <> y'  # print x",
        "exec('x')",
        "raise ValueError('a, b')",
        "x = {'a': 1, 'b': 00}",
        "t = '''\nprint x\n'''",
        "x[a:b], 0.5, 1e5, 0",
    ],
)
def test_what_python_3_has_too_stays(text: str) -> None:
    assert rewrite_syntax(text) == text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("d.has_key(k)", "(k in d)"),
        ("not self.d['x'].has_key('y')", "not ('y' in self.d['x'])"),
        ("for k, v in d.iteritems(): pass", "for k, v in d.items(): pass"),
        ("xrange(3)", "range(3)"),
        ("self.xrange(3); 'xrange'", "self.xrange(3); 'xrange'"),
        ("iteritems(d)", "iteritems(d)"),
    ],
)
def test_names_are_replaced(old: str, new: str) -> None:
    assert has_old_names(old)
    assert rewrite_names(old) == new


def test_only_python_2_notebooks_lose_their_names() -> None:
    assert clean("xrange = 3\nxrange").code == "xrange = 3\nxrange"
    assert clean("xrange(3)", python_2=True).code == "range(3)"


def test_a_rewritten_cell_tells_that_it_is_python_2() -> None:
    assert clean("print 'x'").python_2
    assert not clean("!ls\nprint('x')").python_2


def test_broken_code_is_not_made_something_else() -> None:
    assert clean("x = 1\nprint y z").code == ""


@pytest.mark.parametrize(
    "text", ["`" * 3, "'" * 5001, "(" * 9000, "print " * 3000, "\\\n" * 4000, "0" * 9000]
)
def test_any_text_can_be_tried(text: str) -> None:
    rewrite_syntax(text)
    rewrite_names(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = a / b", ["a / b"]),
        ("x = df.a / df.b.sum() * 100", ["df.a / df.b.sum()"]),
        ("x /= 2", ["x /= 2"]),
        ("if a:\n    x = (a +\n         b) / 2", ["(a + b) / 2"]),
        ("x = a / b\ny = a / b", ["a / b"]),
        ("x = a / 2.0", []),
        ("x = a * 1.0 / b", []),
        ("x = float(a) / b", []),
        ("x = df.a / df.b.mean()", []),
        ("x = a // b", []),
        ("x = Path('a') / 'b'", []),
    ],
)
def test_divisions_that_may_have_been_of_whole_numbers(text: str, told: list[str]) -> None:
    assert divisions_of_whole_numbers(ast.parse(text).body) == told
