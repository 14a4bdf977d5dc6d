import json

import pytest

from lakebook.errors import NotebookError, UsageError
from lakebook.report.reading import language_of, read_notebook


def write(tmp_path, document):
    path = tmp_path / "n.ipynb"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path


def minimal(**more):
    cell = {
        "cell_type": "code",
        "source": ["1 +", " 1"],
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }
    return {"nbformat": 4, "nbformat_minor": 2, "metadata": {}, "cells": [cell, dict(cell)]} | more


def test_cells_without_ids_get_them_by_position(tmp_path):
    notebook = read_notebook(write(tmp_path, minimal()))
    assert [cell.id for cell in notebook.cells] == ["cell-0", "cell-1"]
    assert notebook.cells[0].source == "1 + 1"


def test_ids_that_are_there_are_kept_and_not_given_twice(tmp_path):
    document = minimal()
    document["cells"][0]["id"] = "cell-1"
    ids = [cell.id for cell in read_notebook(write(tmp_path, document)).cells]
    assert ids[0] == "cell-1"
    assert len(set(ids)) == 2


def test_format_3_is_read(tmp_path):
    cell = {"cell_type": "code", "input": ["x = 1"], "outputs": [], "language": "python", "metadata": {}}
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"cells": [cell]}]}
    notebook = read_notebook(write(tmp_path, old))
    assert notebook.cells[0].source == "x = 1"


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[]", "not a notebook"),
        ("{}", "not a notebook"),
        ({"nbformat": "4", "cells": []}, "not a notebook"),
        ({"nbformat": 4, "metadata": {}}, "damaged"),
        ({"nbformat": 4, "metadata": {}, "cells": [{"cell_type": "code"}]}, "damaged"),
        ({"nbformat": 4, "metadata": {}, "cells": 5}, "damaged"),
    ],
)
def test_what_is_not_a_notebook_is_named(tmp_path, document, message):
    path = write(tmp_path, document)
    with pytest.raises(NotebookError, match=message) as caught:
        read_notebook(path)
    assert caught.value.where == str(path)
    assert caught.value.hint


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UsageError, match="there is no such notebook"):
        read_notebook(tmp_path / "gone.ipynb")


def test_a_folder_is_named_as_one(tmp_path):
    with pytest.raises(UsageError, match="this is a folder"):
        read_notebook(tmp_path)


def test_binary_is_named(tmp_path):
    (tmp_path / "n.ipynb").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(NotebookError, match="cannot be read"):
        read_notebook(tmp_path / "n.ipynb")


@pytest.mark.parametrize(
    ("metadata", "language"),
    [
        ({}, "python"),
        ({"language_info": {"name": "R"}}, "r"),
        ({"kernelspec": {"language": "julia"}}, "julia"),
    ],
)
def test_language(tmp_path, metadata, language):
    assert language_of(read_notebook(write(tmp_path, minimal(metadata=metadata)))) == language
