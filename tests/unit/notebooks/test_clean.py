import ast
import textwrap

import pytest
from IPython.core.inputtransformer2 import TransformerManager

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


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (" df = load()\nif df:\n  show()\n", "df = load()\nif df:\n show()\n"),
        ("\n  a = 1\nb = 2\n", "\na = 1\nb = 2\n"),
    ],
)
def test_a_cell_whose_first_line_alone_is_indented_is_read_as_it_ran(text: str, code: str) -> None:
    assert clean(text).code == code


def test_an_indented_line_below_the_first_stays_an_error() -> None:
    cleaned = clean("a = 1\n  b = 2\n")
    assert cleaned.code == ""
    assert "unexpected indent" in cleaned.problem


@pytest.mark.parametrize("text", ["x = '\x00'", "(" * 5000 + ")" * 5000, "x = 1 +" * 3000, "-" * 40000 + "1"])
def test_what_the_parser_refuses_is_a_problem_and_no_exception(text: str) -> None:
    assert clean(text).problem != ""


def test_parse_does_not_warn_about_old_escapes() -> None:
    assert isinstance(parse("x = '\\d'"), ast.Module)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (">>> x = 1\n>>> if x:\n...     y = 2", ["x = 1", "if x:\n    y = 2"]),
        ("In [1]: x = 1\nIn [12]: y = 2", ["x = 1", "y = 2"]),
        ("In[1] = x", ["In[1] = x"]),
    ],
)
def test_prompts_of_a_pasted_session_are_left_out(text: str, left: list[str]) -> None:
    assert effective(text) == left


def test_a_syntax_error_shows_its_line() -> None:
    assert clean("x = 1\naws s3 ls").problem == "syntax error in line 2 (`aws s3 ls`): invalid syntax"


IPYTHON = [
    "%matplotlib inline\nx = 1",
    "%matplotlib inline  # first\nx = 1",
    "%config InlineBackend.figure_format = 'retina'\nx = 1",
    "%load_ext autoreload\n%autoreload 2\nx = 1",
    "%run other.py\nx = 1",
    "%env A=1\n%cd data\nx = 1",
    "%pylab inline\nplot(x)",
    "x = %time f()\ny = 1",
    "%time x = 1",
    "%time\nx = 1",
    "%timeit -n 10 -r 3 f(1)",
    "%prun f(1)",
    "!ls\nx = 1",
    "!ls | head > a.txt\nx = 1",
    "!pip install -q a \\\n  b\nx = 1",
    "!!ls\nx = 1",
    "files = !ls *.csv\nx = 1",
    "a, b = %sx ls\nx = 1",
    "x?\ny = 1",
    "?x\ny = 1",
    "x.y??\ny = 1",
    "np.*load*?\ny = 1",
    "%%time\nx = 1\ny = 2",
    "%%timeit -n 1\nx = 1",
    "%%capture out\n!ls\nx = 1",
    "%%time\n%%capture\nx = 1",
    "%%time\n\n\nx = 1",
    "%%prun -l 5\nf()",
    "x = await f()\nawait g()",
    "async with a as b:\n    pass",
    "for x in y:\n    !echo {x}\n    z = x",
    "if a:\n    %time z = f()\nelse:\n    ?x",
    "def f():\n    %time x = 1\n    return x",
    "x = 5 %3",
    "x = (5\n%3)",
    "x = [5\n# c\n%5]",
    "s = '''\n%time\n!ls\n'''\nx = 1",
    "df.head();",
    "x = 1;",
    "    x = 1\n    y = 2",
    ">>> x = 1\n>>> y = 2",
    "In [1]: x = 1\nIn [2]: y = 2",
    "x = 'what?'",
    "print(f'{x!r}')",
    "x = 1\n\nx?",
    "from a import b\n%matplotlib inline",
]


@pytest.mark.parametrize("text", IPYTHON)
def test_ipython_finds_the_same_magics(text: str) -> None:
    translated = TransformerManager().transform_cell(text + "\n")

    assert effective(text) == effective(translated)
