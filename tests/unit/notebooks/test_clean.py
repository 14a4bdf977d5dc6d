import ast
import textwrap

import pytest

from lakebook.notebooks.clean import clean, parse


def code_of(text: str) -> str:
    cleaned = clean(textwrap.dedent(text).strip("\n"))
    assert cleaned.problem == ""
    ast.parse(cleaned.code)
    return cleaned.code


def effective(text: str) -> list[str]:
    """The statements that are left, comments and `pass` aside."""
    body = ast.parse(code_of(text)).body
    return [ast.unparse(node) for node in body if not isinstance(node, ast.Pass)]


def test_plain_python_is_left_as_it_is() -> None:
    text = "x = 5 % 3\ny = x != 2  # 100 %\nprint('!ls', y)\n"

    assert clean(text).code == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("%matplotlib inline\nx = 1", ["x = 1"]),
        ("!pip install seaborn\nx = 1", ["x = 1"]),
        ("!pip install a \\\n  b\nx = 1", ["x = 1"]),
        ("x = 1\nx?", ["x = 1"]),
        ("x = 1\n?x\npd.read_csv??", ["x = 1"]),
        ("%time x = f(1)", ["x = f(1)"]),
        ("%timeit -n 10 f(1)", ["f(1)"]),
        ("%pylab inline\nplot(x)", ["from pylab import *", "plot(x)"]),
        ("files = !ls\nn = 2", ["files = None", "n = 2"]),
        ("here = %pwd\nn = 2", ["here = None", "n = 2"]),
        ("%%time\nx = 1\ny = 2", ["x = 1", "y = 2"]),
        ("%%capture out\n%matplotlib inline\nx = 1", ["x = 1"]),
        ("if x:\n    !ls\n    y = 1", ["if x:\n    pass\n    y = 1"]),
        ("get_ipython().run_line_magic('matplotlib', 'inline')\nx = 1", ["x = 1"]),
        ("get_ipython().magic('matplotlib inline')\nx = 1", ["x = 1"]),
        ("get_ipython().system('pip install x')\nx = 1", ["x = 1"]),
        ("files = get_ipython().getoutput('ls')", ["files = None"]),
        ("get_ipython().run_cell_magic('time', '', 'x = 1\\ny = 2\\n')", ["x = 1", "y = 2"]),
        ("get_ipython().run_line_magic('time', 'x = 1')", ["x = 1"]),
    ],
)
def test_magics_are_removed_or_rewritten(text: str, left: list[str]) -> None:
    assert effective(text) == left


def test_a_percent_line_inside_a_text_stays() -> None:
    text = '!ls\nquery = """\n%here\n!there\n"""'

    assert effective(text) == ["query = '\\n%here\\n!there\\n'"]


def test_a_continued_modulo_is_no_magic() -> None:
    assert effective("!ls\nx = (7\n% 4)") == ["x = 7 % 4"]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("print 'a'", ["print('a')"]),
        ("print x, y", ["print(x, y)"]),
        ("print x,", ["print(x)"]),
        ("print\nprint 'b'", ["print()", "print('b')"]),
        ("print 'n: %d' % n", ["print('n: %d' % n)"]),
        ("if x <> 1:\n    print x", ["if x != 1:\n    print(x)"]),
        (
            "try:\n    f()\nexcept ValueError, e:\n    print e",
            ["try:\n    f()\nexcept ValueError as e:\n    print(e)"],
        ),
        ("raise ValueError, 'no'", ["raise ValueError('no')"]),
        ("n = 10L\nprint n", ["n = 10", "print(n)"]),
        ("print >>f, 'x'\nprint y", ["print('x', file=f)", "print(y)"]),
    ],
)
def test_python_2_is_rewritten_where_that_is_mechanical(text: str, left: list[str]) -> None:
    assert effective(text) == left


@pytest.mark.parametrize("name", ["bash", "html", "javascript", "R", "sql"])
def test_cells_in_another_language_have_no_code_and_say_so(name: str) -> None:
    cleaned = clean(f"%%{name}\nls -l")

    assert cleaned.code == ""
    assert f"%%{name}" in cleaned.problem


def test_a_broken_cell_is_lost_with_the_line_that_broke_it() -> None:
    cleaned = clean("x = 1\ny = = 2\nz = 3")

    assert cleaned.code == ""
    assert "line 2" in cleaned.problem


def test_a_broken_line_in_a_cell_of_imports_costs_that_line() -> None:
    cleaned = clean("import pandas as pd\nimport from numpy\nimport seaborn as sns")

    assert cleaned.problem == ""
    assert "line 2" in cleaned.note
    assert [ast.unparse(node) for node in ast.parse(cleaned.code).body] == [
        "import pandas as pd",
        "import seaborn as sns",
    ]


def test_an_indented_cell_is_read() -> None:
    assert effective("x = 1") == clean("    x = 1").code.split("\n")


@pytest.mark.parametrize("text", ["x = '\x00'", "(" * 5000 + ")" * 5000, "x = 1 +" * 3000, "-" * 40000 + "1"])
def test_what_the_parser_refuses_is_a_problem_and_no_exception(text: str) -> None:
    assert clean(text).problem != ""


def test_parse_does_not_warn_about_old_escapes() -> None:
    assert isinstance(parse("x = '\\d'"), ast.Module)
