import json
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from lakebook.notebooks.component import Notebook
from lakebook.notebooks.read import find_notebooks, read_corpus, read_notebook
from lakebook.progress import silent
from lakebook.sources.card import FileEntry, Manifest


def write(folder: Path, name: str, content: object) -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


def read(folder: Path, name: str, content: object) -> Notebook:
    return read_notebook(write(folder, name, content), folder)


def cell(source: object, **more: object) -> dict[str, object]:
    return {
        "cell_type": "code",
        "source": source,
        "outputs": [],
        "execution_count": None,
        "metadata": {},
        **more,
    }


def notebook(*cells: object, **metadata: object) -> dict[str, object]:
    return {"nbformat": 4, "nbformat_minor": 4, "metadata": metadata, "cells": list(cells)}


def test_a_modern_notebook(tmp_path: Path) -> None:
    output = new_output("display_data", data={"image/png": "AAAA", "text/plain": "<Figure>"})
    code = new_code_cell("x = 1\nx", execution_count=3, outputs=[output])
    document = new_notebook(cells=[new_markdown_cell("# Title"), code])
    path = write(tmp_path, "n.ipynb", nbformat.writes(document))

    found = read_notebook(path, tmp_path)

    assert (found.path, found.status, found.reason, found.language) == ("n.ipynb", "ok", "", "python")
    assert [one.kind for one in found.cells] == ["markdown", "code"]
    assert found.cells[1].code == "x = 1\nx"
    assert found.cells[1].execution_count == 3
    assert found.cells[1].cell_id == code["id"]
    assert found.cells[1].output_types == ("image/png", "text/plain")
    assert len(found.sha256) == 64


def test_format_3_with_headings_and_prompt_numbers(tmp_path: Path) -> None:
    old = {
        "nbformat": 3,
        "metadata": {"name": ""},
        "worksheets": [
            {
                "cells": [
                    {"cell_type": "heading", "level": 2, "source": ["Prices"]},
                    {
                        "cell_type": "code",
                        "input": ["print 'a'\n", "x = 1"],
                        "language": "python",
                        "prompt_number": 7,
                        "outputs": [{"output_type": "display_data", "png": "AAAA"}, {"output_type": "pyerr"}],
                    },
                ]
            }
        ],
    }

    found = read(tmp_path, "old.ipynb", old)

    assert found.status == "ok"
    assert found.cells[0].source == "## Prices"
    assert found.cells[1].code == "print('a')\nx = 1"
    assert found.cells[1].execution_count == 7
    assert found.cells[1].output_types == ("image/png", "error")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{ not json", "invalid JSON"),
        ("", "empty"),
        ("[1, 2]", "no object"),
        ('{"a": 1}', "no list of cells"),
        ('{"cells": 5}', "no list of cells"),
        ('{"cells": [5]}', "not a notebook"),
    ],
)
def test_what_is_no_notebook_fails_with_a_reason(tmp_path: Path, content: str, reason: str) -> None:
    found = read(tmp_path, "bad.ipynb", content)

    assert found.status == "failed"
    assert reason in found.reason
    assert found.cells == ()


def test_a_missing_file_fails_with_a_reason(tmp_path: Path) -> None:
    assert read_notebook(tmp_path / "none.ipynb", tmp_path).status == "failed"


@pytest.mark.parametrize(
    ("metadata", "language"),
    [
        ({"kernelspec": {"name": "ir", "language": "R"}}, "r"),
        ({"language_info": {"name": "julia"}}, "julia"),
        ({"kernelspec": {"name": "julia-1.6"}}, "julia-1.6"),
    ],
)
def test_another_language_is_skipped_by_name(
    tmp_path: Path, metadata: dict[str, object], language: str
) -> None:
    found = read(tmp_path, "r.ipynb", notebook(cell("x <- 1"), **metadata))

    assert (found.status, found.language) == ("skipped", language)
    assert language in found.reason


def test_no_kernel_means_python(tmp_path: Path) -> None:
    assert read(tmp_path, "n.ipynb", notebook(cell("x = 1"))).status == "ok"


def test_an_empty_notebook_is_skipped(tmp_path: Path) -> None:
    assert read(tmp_path, "n.ipynb", notebook()).reason == "it is empty"
    assert read(tmp_path, "n.ipynb", notebook(cell("  \n"))).reason == "it has no code"


def test_one_broken_cell_makes_it_partial(tmp_path: Path) -> None:
    found = read(tmp_path, "n.ipynb", notebook(cell("x = 1"), cell("for for"), cell("y = x")))

    assert found.status == "partial"
    assert "cell 1" in found.reason
    assert "syntax error" in found.reason
    assert [one.code for one in found.cells] == ["x = 1", "", "y = x"]


def test_only_broken_cells_make_it_failed(tmp_path: Path) -> None:
    assert read(tmp_path, "n.ipynb", notebook(cell("for for"))).status == "failed"


def test_what_strict_parsers_refuse_is_read_leniently(tmp_path: Path) -> None:
    text = json.dumps(notebook(cell("x = 1"))).replace('"metadata": {}', '"metadata": {"v": NaN}')

    assert read(tmp_path, "n.ipynb", text).status == "ok"
    assert read(tmp_path, "s.ipynb", '{"cells": [{"cell_type": "code", "source": "x = \'\\ud800\'"}]}').cells


def test_the_header_of_a_saved_table_is_kept(tmp_path: Path) -> None:
    html = (
        '<table border="1" class="dataframe"><thead><tr style="text-align: right;"><th></th><th>Date</th>'
        "<th>Total &amp; more</th></tr></thead></table>"
    )
    output = {"output_type": "execute_result", "data": {"text/html": [html]}}

    found = read(tmp_path, "n.ipynb", notebook(cell("df.head()", outputs=[output])))

    assert found.cells[0].shown_columns == ("Date", "Total & more")


def test_an_exported_script_is_cut_at_its_markers(tmp_path: Path) -> None:
    script = (
        "#!/usr/bin/env python\n# coding: utf-8\n\n# # Title\n\n# In[1]:\n\nx = 1\n\n"
        "# ## Next\n# text\n\n# In[ ]:\n\ny = 2\n"
    )

    found = read(tmp_path, "n.py", script)

    assert [(one.kind, one.source) for one in found.cells] == [
        ("markdown", "# Title"),
        ("code", "x = 1"),
        ("markdown", "## Next\ntext"),
        ("code", "y = 2"),
    ]


def test_a_corpus_takes_notebooks_and_passes_over_the_rest(tmp_path: Path) -> None:
    write(tmp_path, "a.ipynb", notebook(cell("x = 1")))
    write(tmp_path, "b.py", "# In[1]:\nx = 1\n")
    write(tmp_path, "c.py", "x = 1\n")
    write(tmp_path, "d.csv", "x\n1\n")
    (tmp_path / ".ipynb_checkpoints").mkdir()
    write(tmp_path / ".ipynb_checkpoints", "a-checkpoint.ipynb", notebook(cell("x = 1")))
    names = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    manifest = Manifest(tuple(FileEntry(name, 0, "") for name in names))

    assert [one.path for one in read_corpus(tmp_path, manifest, silent)] == ["a.ipynb", "b.py"]
    assert [path.name for path in find_notebooks(tmp_path)] == ["a.ipynb", "b.py"]


def test_progress_is_told_of_each_notebook(tmp_path: Path) -> None:
    write(tmp_path, "a.ipynb", notebook(cell("x = 1")))
    told: list[tuple[str, int, int, str]] = []

    read_corpus(tmp_path, Manifest((FileEntry("a.ipynb", 0, ""),)), lambda *what: told.append(what))

    assert told == [("reading notebooks", 0, 1, "a.ipynb"), ("reading notebooks", 1, 1, "")]
