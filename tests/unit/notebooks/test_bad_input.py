"""What is broken, huge or made to do harm ends with a status and a reason, within a bound."""

import json
import time
import tracemalloc
from pathlib import Path

import pytest

from lakebook.notebooks import read as reading
from lakebook.notebooks.component import Notebook
from lakebook.notebooks.extract import extract_components, markdown_chunks
from lakebook.notebooks.read import read_notebook


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


def test_utf_16_is_read(tmp_path: Path) -> None:
    text = json.dumps({"cells": [code("x = 'é'")]}, ensure_ascii=False)

    assert read(tmp_path, text.encode("utf-16")).cells[0].code == "x = 'é'"


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
