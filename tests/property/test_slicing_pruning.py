"""Whatever nests in a small program, its pruned slice parses, shows the same, and cannot be pruned again."""

import ast
import textwrap

from hypothesis import given, settings
from hypothesis import strategies as st

from lakebook.notebooks.slicing.slicer import analyze

PROLOGUE = """
import contextlib
a, b, c = [1], [2, 3], []
d = {"p": [4], "q": [5]}
n = 1
m = 2
def push(x, y):
    x.append(y)
    n = y
    return x
def late():
    a.append(n)
"""
SIMPLE = (
    "{l} = [{i}]",
    "{l} = {k}",
    "{l} = {k} + [{n}]",
    "{l} = {l}[-9:] + [{i}]",
    "{l}.append({n})",
    "{l}.append(len({k}))",
    "{l} += [{m}]",
    "{l}, {k} = {k}, {l}",
    "d['{s}'] = {l}",
    "d['{s}'].append({i})",
    "{l} = d['{s}']",
    "{n} = {i}",
    "{n} += {m}",
    "{n} = len({l}) + {m}",
    "{n} = {m}",
    "{l} = push({k}, {n})",
    "push({l}, {i})",
    "late()",
    "print({l})",
    "pass",
    "del {l}[:1]",
    "# a comment\n{n} = {i}",
    '"""a text"""',
)
NESTING = (
    "for {v} in range(3):\n{body}",
    "for {v} in {l}[:3]:\n{body}",
    "for {v} in [{n}, {i}, {m}]:\n{body}",
    "for {v} in [{l}, {k}]:\n{body}",
    "for {v}, {w} in [({n}, {l}), ({m}, {k})]:\n{body}",
    "for {v}, {w} in enumerate({l}[:2]):\n{body}",
    "for {v} in range(4):\n    if {v} > {n}:\n        break\n{body}",
    "for {v} in range(4):\n{body}\n    if {v} % 2:\n{inner}\n        continue\n{body2}",
    "for {v} in {k}[:2]:\n{body}\nelse:\n{body2}",
    "if {n} > {m}:\n{body}",
    "if {n} > {m}:\n{body}\nelse:\n{body2}",
    "if len({l}) > {m}:\n{body}\nelif {n} < {i}:\n{body2}\nelse:\n{body}",
    "with contextlib.nullcontext({l}) as {v}:\n{body}",
    "with contextlib.suppress(IndexError):\n{body}\n    {l}[50]\n{body2}",
    "try:\n{body}\n    {l}[50]\n{body2}\nexcept (IndexError, TypeError):\n{body}",
    "t{deep} = 0\nwhile t{deep} < 3:\n    t{deep} += 1\n{body}",
    "t{deep} = 0\nwhile True:\n    t{deep} += 1\n{body}\n    if t{deep} > 2:\n        break",
)
LISTS, NUMBERS, KEYS, VARIABLES = "abc", "nm", "pq", "nxyb"


@st.composite
def _names(draw: st.DrawFn) -> dict[str, object]:
    return {
        "l": draw(st.sampled_from(LISTS)),
        "k": draw(st.sampled_from(LISTS)),
        "n": draw(st.sampled_from(NUMBERS)),
        "m": draw(st.sampled_from(NUMBERS)),
        "s": draw(st.sampled_from(KEYS)),
        "v": draw(st.sampled_from("xn")),
        "w": draw(st.sampled_from("ya")),
        "i": draw(st.integers(0, 9)),
    }


@st.composite
def _simple(draw: st.DrawFn) -> str:
    return draw(st.sampled_from(SIMPLE)).format(**draw(_names()))


@st.composite
def blocks(draw: st.DrawFn, depth: int = 2) -> str:
    """A few statements, some with blocks inside."""
    found: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        if depth and draw(st.booleans()):
            parts = {
                "body": textwrap.indent(draw(blocks(depth - 1)), "    "),
                "body2": textwrap.indent(draw(_simple()), "    "),
                "inner": textwrap.indent(draw(_simple()), "        "),
            }
            form = draw(st.sampled_from(NESTING))
            found.append(form.format(**draw(_names()), **parts, deep=depth))
        else:
            found.append(draw(_simple()))
    return "\n".join(found)


TARGETS = st.sampled_from(("a", "b", "c", "d['p']", "d", "n", "m", "[a, n]"))


def _shown(texts: list[str]) -> str | None:
    """Run statements, each as a cell would; None if one fails or the values grow without bound."""
    found: list[str] = []
    space = {"show": lambda value: found.append(repr(value)), "print": lambda *_: None}
    try:
        exec("\n".join(texts), space)
    except (TypeError, IndexError, RecursionError, AttributeError, NameError):
        return None
    return found[-1] if found else None


@settings(max_examples=60, deadline=None)
@given(st.lists(blocks(), min_size=1, max_size=3), TARGETS)
def test_a_pruned_slice_shows_what_the_whole_program_shows(body: list[str], target: str) -> None:
    program = analyze([(0, PROLOGUE), (1, "\n".join(body)), (2, f"show({target})")])
    whole = _shown([one.text for one in program.statements])
    if whole is None:
        return

    left = [kept.statement.text for kept in program.explain(2)]

    assert _shown(left) == whole


@settings(max_examples=40, deadline=None)
@given(st.lists(blocks(), min_size=1, max_size=3), TARGETS)
def test_a_slice_of_a_slice_is_no_more_and_shows_the_same(body: list[str], target: str) -> None:
    program = analyze([(0, PROLOGUE), (1, "\n".join(body)), (2, f"show({target})")])
    left = [(kept.statement.cell, kept.statement.text) for kept in program.explain(2)]
    cells = [(cell, "\n".join(text for at, text in left if at == cell)) for cell in (0, 1, 2)]

    again = [kept.statement.text for kept in analyze(cells).explain(2)]

    lines = [line for _, text in left for line in text.splitlines()]
    assert all(line in lines for text in again for line in text.splitlines() if line.strip() != "pass")
    assert sum(map(_size, again)) <= sum(_size(text) for _, text in left)
    assert _shown(again) == _shown([text for _, text in left])


def _size(text: str) -> int:
    return sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(text)))


def test_what_stands_behind_an_exception_that_is_swallowed_may_not_have_run() -> None:
    body = "with contextlib.suppress(IndexError):\n    a = [0]\n    a[50]\n    n = 0\na = a + [n]"
    program = analyze([(0, "import contextlib\nn = 1"), (1, body), (2, "show(a)")])
    assert _shown([kept.statement.text for kept in program.explain(2)]) == "[0, 1]"
