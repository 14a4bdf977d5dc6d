"""What is broken, huge or made to do harm ends with a status and a reason, within a bound."""

import json
import os
import time
import tracemalloc
from pathlib import Path

import pytest

from lakebook.notebooks import extract
from lakebook.notebooks import read as reading
from lakebook.notebooks.component import Notebook
from lakebook.notebooks.extract import extract_components, markdown_chunks
from lakebook.notebooks.read import find_notebooks, is_notebook, read_notebook


def code(source: str, *outputs: object) -> dict[str, object]:
    return {"cell_type": "code", "source": source, "outputs": list(outputs), "execution_count": None}


def read(folder: Path, content: object, name: str = "n.ipynb") -> Notebook:
    path = folder / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(json.dumps({"cells": content}))
    found = read_notebook(path, folder)
    extract_components(found)
    markdown_chunks(found)
    return found


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS pointer"),
        (b"<!DOCTYPE html><html></html>", "page of HTML"),
        (b'{"cells": [\n<<<<<<< HEAD\n', "merge conflict"),
        (b'{"cells": [{"cell_type": "code", "sou', "invalid JSON"),
        (b"\x00\x01\x02", "invalid JSON"),
        (b"PK\x03\x04\x14\x00", "it is a zip archive"),
        (b"\x1f\x8b\x08\x00", "compressed with gzip"),
        (b'{"cells": {"cell_type": "code"}}', "no list of cells"),
        (b'{"cells": [null, 5]}', "no list of cells"),
        (b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested more than"),
        (b'{"a":' * 500 + b"1" + b"}" * 500, "no list of cells"),
    ],
)
def test_no_notebook(tmp_path: Path, content: bytes, reason: str) -> None:
    found = read(tmp_path, content)

    assert found.status == "failed"
    assert reason in found.reason or "nested more than" in found.reason


@pytest.mark.parametrize(
    "source",
    ["x = '\x00'", "(" * 5_000, "-" * 50_000 + "1", "x" + ".a" * 40_000, "[" * 900 + "]" * 900],
)
def test_a_cell_that_python_refuses_costs_that_cell(tmp_path: Path, source: str) -> None:
    found = read(tmp_path, [code(source), code("y = 1")])

    assert found.status == "partial"
    assert found.reason.startswith("cell 0: ")
    assert found.cells[1].code == "y = 1"


@pytest.mark.parametrize("depth", [50, 150, 400, 900])
def test_what_python_takes_nested_is_cut_without_an_exception(tmp_path: Path, depth: int) -> None:
    cells = [
        code("import pandas as pd\ndf = pd.read_csv('a.csv')\n" + f"x = {'-' * depth}df.a"),
        code("y = df" + ".a" * depth),
        code("z = " + " + ".join(["df.b"] * depth)),
        code("x.hist()\ny.hist()\nz.hist()"),
    ]

    assert read(tmp_path, cells).status in ("ok", "partial")


def test_lone_surrogates_are_replaced(tmp_path: Path) -> None:
    content = (
        b'{"cells": [{"cell_type": "code", "id": "\\udc00", "source": "x = \'\\ud800\'", "outputs": []}]}'
    )

    found = read(tmp_path, content)

    assert found.status == "ok"
    assert found.cells[0].source == "x = '?'"
    json.dumps([found.cells[0].source, found.cells[0].cell_id], ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "cp1252", "latin-1"],
)
def test_every_encoding_is_read(tmp_path: Path, encoding: str) -> None:
    text = json.dumps({"cells": [code("x = 'é'")]}, ensure_ascii=False)

    assert read(tmp_path, text.encode(encoding)).cells[0].code == "x = 'é'"
    assert read(tmp_path, "# %%\nx = 'é'".encode(encoding), "n.py").cells[0].code == "x = 'é'"


def test_a_mark_that_was_copied_into_a_cell_is_left_out(tmp_path: Path) -> None:
    assert read(tmp_path, [code("\ufeffx = 1")]).cells[0].code == "x = 1"


def test_control_characters_and_huge_numbers_in_the_json_are_read(tmp_path: Path) -> None:
    number = b"9" * 5_000
    content = (
        b'{"cells": [{"cell_type": "code", "source": "x = 1\ny = 2", "execution_count": ' + number + b"}]}"
    )

    found = read(tmp_path, content)

    assert found.cells[0].code == "x = 1\ny = 2"
    assert found.cells[0].execution_count is None


def test_what_is_no_cell_keeps_its_place(tmp_path: Path) -> None:
    wrong = [None, 1, "x", [], {}, {"cell_type": 7, "source": 7}, {"cell_type": "code", "source": {"a": 1}}]

    found = read(
        tmp_path, json.dumps({"cells": [*wrong, code("x = 1")], "metadata": [], "worksheets": 3}).encode()
    )

    assert found.status == "ok"
    assert [one.kind for one in found.cells] == ["raw"] * 6 + ["code", "code"]
    assert found.cells[7].code == "x = 1"


def test_worksheets_of_wrong_types_are_passed_over(tmp_path: Path) -> None:
    sheets = [None, {"cells": None}, {"cells": [{"cell_type": "code", "input": "x = 1", "outputs": None}, 5]}]

    found = read(tmp_path, json.dumps({"worksheets": sheets, "nbformat": 3}).encode())

    assert [one.code for one in found.cells] == ["x = 1", ""]


@pytest.mark.parametrize("sign", ["\x0c", "\x0b", "\x1c", "\x85", "\u2028", "\u2029"])
def test_only_what_ends_a_line_for_python_does(tmp_path: Path, sign: str) -> None:
    lines = [
        "import pandas as pd",
        f"s = 'a{sign}b'  # {sign}",
        "df = pd.read_csv('a.csv')  # é",
        "df[s].hist()",
    ]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": [code("\n".join(lines[:3])), code(lines[3])]}))

    (component,) = extract_components(read_notebook(tmp_path / "n.ipynb", tmp_path))

    assert (
        component.code == f"import pandas as pd\ns = 'a{sign}b'\ndf = pd.read_csv('a.csv')\n\ndf[s].hist()\n"
    )


def test_a_cell_of_megabytes_costs_that_cell(tmp_path: Path) -> None:
    found = read(tmp_path, [code("x = [" + "1, " * 700_000 + "]"), code("y = 1")])

    assert found.status == "partial"
    assert "2,100,006 characters" in found.reason


def test_more_code_than_is_read_costs_the_cells_beyond(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST_CODE", 30)

    found = read(tmp_path, [code("x = 1"), code("y = 2 # " + "-" * 40), code("z = 3")])

    assert [one.code for one in found.cells] == ["x = 1", "", "z = 3"]
    assert "longer than 30" in found.reason


def test_more_cells_than_are_read_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_CELLS", 2)

    found = read(tmp_path, [code("x = 1")] * 5)

    assert (found.status, len(found.cells)) == ("partial", 2)
    assert found.reason == "3 cells after the first 2 were left out"


def test_prose_of_megabytes_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LONGEST_PROSE", 10)

    found = read(tmp_path, [{"cell_type": "markdown", "source": "word " * 9}, code("x = 1")])

    assert [len(one.source) for one in found.cells] == [10, 5]
    assert found.notes == ("cell 0: only the first 10 of 45 characters are read",)


def test_a_file_that_is_too_large_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LARGEST_FILE", 10)

    found = read(tmp_path, [code("x = 1")])

    assert found.status == "failed"
    assert "more than the 10 that are read" in found.reason


def test_large_outputs_are_passed_over(tmp_path: Path) -> None:
    lines = ["x" * 1_000 + "\n"] * 5_000
    outputs = [{"output_type": "stream", "text": lines}, {"data": {"text/html": lines, "image/png": ""}}]
    content = [code("df.hist()", *outputs)]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": content}))

    tracemalloc.start()
    found = read_notebook(tmp_path / "n.ipynb", tmp_path)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert found.status == "ok"
    assert kept < 1_000_000


RECURSIVE = (
    "def f(x, y): return g(y, [x]) or f([y, x], x)\n"
    "def g(x, y): return h(x, y) or g({'a': y}, f(y, x))\n"
    "def h(*a): return [f(*a), g(*a), h(*a)] + [lambda: f(*a)]\n"
)


def test_functions_that_call_each_other_end_in_time(tmp_path: Path) -> None:
    started = time.process_time()

    found = read(tmp_path, [code(RECURSIVE), *[code("q = f(q, h(q, g(q, q)))\nq.hist()")] * 20])

    assert found.status == "ok"
    assert time.process_time() - started < 10


BROKEN_TABLES = [
    "<thead>" * 28_000,
    "<thead>" + "<tr " * 40_000,
    "<thead>" + "<tr>" * 40_000 + "</thead>",
    "<thead><tr>" + "<th>" * 40_000 + "</tr></thead>",
    "<thead><tr>" + "<th" * 40_000 + "</th></tr></thead>",
    "<thead><tr><th></th><th>" + "<" * 100_000 + "</th></tr></thead>",
    "<thead><tr><th></th><th>a</th></tr></thead>" + "<tr><td>" * 20_000,
]


@pytest.mark.parametrize("table", BROKEN_TABLES, ids=range(len(BROKEN_TABLES)))
def test_broken_tables_take_no_longer_than_whole_ones(tmp_path: Path, table: str) -> None:
    output = {"output_type": "execute_result", "data": {"text/html": "dataframe" + table}}
    started = time.process_time()

    read(tmp_path, [code("df = pd.read_csv('a.csv')\ndf" + " " * 50_000 + "x\ndf.head()", output)])

    assert time.process_time() - started < 6


def test_text_that_looks_like_types_takes_no_longer(tmp_path: Path) -> None:
    output = {"output_type": "stream", "text": "a 1 non-null " + " " * 190_000 + "x"}
    started = time.process_time()

    read(tmp_path, [code("df = pd.read_csv('a.csv')\ndf.info()", output)])

    assert time.process_time() - started < 6


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("n.py", "# coding: utf-8\n" * 20_000 + "\n" * 20_000),
        ("n.py", "# ---\n# jupytext: 1\n# ---\n" + "\n" * 50_000),
        ("n.py", "# ---\n# jupytext: 1\n# ---\n" + "x = (\n\n" * 20_000),
        ("n.py", "# %%\n" * 50_000),
        ("n.py", "# In[ ]:\n" * 50_000),
        ("n.md", "---\njupyter: 1\n---\n" + "```python\n" * 20_000),
    ],
)
def test_scripts_are_cut_in_one_pass(tmp_path: Path, name: str, text: str) -> None:
    started = time.process_time()

    read(tmp_path, text.encode(), name)

    assert time.process_time() - started < 6


@pytest.mark.parametrize(
    "source",
    [
        " + ".join(["df.b"] * 2_500),
        " / ".join(["Path('a')"] * 1_500),
        "pd.read_csv(" + " + ".join(["'a'"] * 2_500) + ")",
        "df" + ".head()" * 1_000,
    ],
)
def test_long_chains_are_followed_or_doubted(tmp_path: Path, source: str) -> None:
    read(
        tmp_path,
        [code("import pandas as pd\ndf = pd.read_csv('a.csv')"), code(f"x = {source}"), code("x.hist()")],
    )


def test_a_text_that_doubles_is_no_path(tmp_path: Path) -> None:
    doubling = "\n".join(["a = 'xxxx'", *["a = f'{a}{a}'"] * 40])

    read(tmp_path, [code(f"import pandas as pd\n{doubling}\ndf = pd.read_csv(a)"), code("df.hist()")])


GROWING = [
    {"cell_type": "code", "source": f"df['c{at + 1}'] = df['c{at}'] * 2\ndf['c{at}'].hist()", "outputs": []}
    for at in range(300)
]


def test_more_figures_than_are_cut_are_left_without_what_they_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extract, "MOST_STATEMENTS", 2_000)
    path = tmp_path / "n.ipynb"
    path.write_text(json.dumps({"cells": [code("import pandas as pd\ndf = pd.read_csv('a.csv')"), *GROWING]}))

    components = extract_components(read_notebook(path, tmp_path))

    whole = [one for one in components if "left out" not in one.reason]
    assert len(components) == 300
    assert 10 < len(whole) < 100
    assert whole == list(components[: len(whole)])
    assert whole[-1].confidence == 1
    assert components[-1].confidence <= 0.1
    assert components[-1].code == components[-1].target_code


GROWTH = {
    "a text that doubles": ["a = 'x'", *["a = a + a"] * 60, "df[a].hist()"],
    "a text that is filled wide": ["df['%2000000000d' % 3].hist()", "df['{:>2000000000}'.format(3)].hist()"],
    "a text that is padded": ["df['x'.zfill(10**9)].hist()", "df['x'.zfill(2000000000)].hist()"],
    "a format that does not fit": [
        "df['%d' % 'a'].hist()",
        "df['%z' % 3].hist()",
        "df['{0.x}'.format(1)].hist()",
    ],
    "a number that squares": ["a = 7", *["a = a * a"] * 40, "df[f'{a}'].hist()"],
    "ranges that are none": ["for i in range(1e999): df.hist()", "for i in range(1, 2, 3, 4): df.hist()"],
    "a list that doubles": ["a = ['x']", *["a += a"] * 40, "for c in a: df[c].hist()"],
    "lists that hold one list twice": ["a = [df]", *["a = [a, a]"] * 60, "plt.plot(a)"],
    "dictionaries that hold one twice": ["a = {1: df}", *["a = {1: a, 2: a}"] * 60, "plt.plot(a)"],
    "a list that holds itself": ["a = [df]", "a.append(a)", "plt.plot(a)"],
    "a table merged with itself": ["d = df[['a', 'b']]", *["d = d.merge(d, on='k')"] * 60, "d.hist()"],
    "functions of functions": [
        "d = df[['a', 'b']]",
        *["d = d.groupby('a').agg(['min', 'max'])"] * 40,
        "d.hist()",
    ],
    "keys that are no keys": [
        "{'a': 1}.get([1]).hist()",
        "df[([1], 2)].hist()",
        "df.iloc[:, -(10**30) :].hist()",
    ],
    "loops in loops": [
        "\n".join("  " * at + f"for i{at} in df:" for at in range(18)) + "\n" + "  " * 18 + "x = df.a"
    ],
    "lists in loops in loops": [
        "\n".join("  " * at + f"for i{at} in [1, 2, 3, 4, 5]:" for at in range(15))
        + "\n"
        + "  " * 15
        + "df.hist()"
    ],
}


@pytest.mark.parametrize("lines", GROWTH.values(), ids=GROWTH)
def test_what_grows_is_let_go(tmp_path: Path, lines: list[str]) -> None:
    started = time.process_time()

    found = read(
        tmp_path,
        [code("import pandas as pd\ndf = pd.read_csv('a.csv')"), *map(code, lines), code("df.hist()")],
    )

    assert found.status == "ok"
    assert time.process_time() - started < 8


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "folder.ipynb").mkdir()
    os.mkfifo(tmp_path / "pipe.ipynb")
    (tmp_path / "loop.ipynb").symlink_to("loop.ipynb")
    (tmp_path / "gone.ipynb").symlink_to("nowhere.ipynb")

    reasons = {path.name: read_notebook(path, tmp_path).reason for path in tmp_path.iterdir()}

    assert "folder, pipe or device" in reasons["folder.ipynb"]
    assert "folder, pipe or device" in reasons["pipe.ipynb"]
    assert reasons["loop.ipynb"].startswith("cannot be read: Too many levels of symbolic links")
    assert reasons["gone.ipynb"].startswith("cannot be read: No such file")
    assert find_notebooks(tmp_path) == []


def test_a_folder_that_holds_itself_is_walked_once(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "again").symlink_to(tmp_path)
    (tmp_path / "inner" / "n.ipynb").write_text(json.dumps({"cells": [code("x = 1")]}))

    assert len(find_notebooks(tmp_path)) == 1


def test_a_file_that_may_not_be_read_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "n.py").write_text("# %%\nx = 1\n")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)

    assert read_notebook(tmp_path / "n.py", tmp_path).reason == "cannot be read: Permission denied"
    assert not is_notebook(tmp_path / "n.py")
