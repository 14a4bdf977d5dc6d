from pathlib import Path

import pytest

from lakebook.notebooks.read import is_notebook, read_notebook
from lakebook.notebooks.reading.markdown import is_markdown_notebook, raw_markdown
from lakebook.notebooks.reading.raw import RawNotebook
from lakebook.notebooks.reading.scripts import is_script, raw_script

LIGHT = "# ---\n# jupyter:\n#   jupytext:\n#     text_representation:\n#       format_name: light\n# ---\n\n"


def cells(found: RawNotebook) -> list[tuple[str, str]]:
    return [(cell.kind, cell.source) for cell in found.cells]


def test_percent_scripts() -> None:
    text = (
        "# %% [markdown]\n# # Title\n# text\n\n# %%\n# %%time\nx = 1\n\ny = 2\n"
        '# %% a name {"tags": []}\nz = 3\n# %% [raw]\n# raw\n# %% [md]\n"""\nMore\n"""\n'
    )

    assert is_script(text)
    assert cells(raw_script(text)) == [
        ("markdown", "# Title\ntext"),
        ("code", "# %%time\nx = 1\n\ny = 2"),
        ("code", "z = 3"),
        ("raw", "raw"),
        ("markdown", "More"),
    ]


def test_light_scripts() -> None:
    text = (
        LIGHT + "# # Title\n# text\n\nx = 1\n\nfor i in x:\n\n    print(i)\n\n# +\ny = 2\n\nz = 3\n# -\n\nz\n"
    )

    assert is_script(text)
    assert cells(raw_script(text)) == [
        ("markdown", "# Title\ntext"),
        ("code", "x = 1"),
        ("code", "for i in x:\n\n    print(i)"),
        ("code", "y = 2\n\nz = 3"),
        ("code", "z"),
    ]


def test_an_empty_line_inside_a_statement_cuts_nothing() -> None:
    text = LIGHT + 'x = """\na\n\nb\n"""\n\ny = (1,\n\n2)\n'

    assert cells(raw_script(text)) == [("code", 'x = """\na\n\nb\n"""'), ("code", "y = (1,\n\n2)")]


def test_exports_keep_their_counts() -> None:
    found = raw_script("# coding: utf-8\n\n# # Title\n\n# In[3]:\n\n\nx = 1\n\n\n# In[ ]:\n\n\ny\n")

    assert [(cell.source, cell.execution_count) for cell in found.cells] == [
        ("# Title", None),
        ("x = 1", 3),
        ("y", None),
    ]


@pytest.mark.parametrize("text", ["x = 1\n", "# plain\nx = 5 %% 3\n", "'# ---'\n", ""])
def test_other_scripts_are_no_notebooks(text: str) -> None:
    assert not is_script(text)


MARKDOWN = (
    "---\njupyter:\n  jupytext:\n    formats: md\n  kernelspec:\n    language: python\n---\n\n"
    '# Title\n\n```python tags=["a"]\nx = 1\n```\n\n```bash\nls\n```\n\n'
    "```{code-cell} ipython3\n:tags: [hide]\ny = 2\n```\nend\n"
)


def test_markdown_notebooks() -> None:
    assert is_markdown_notebook(MARKDOWN)
    assert cells(raw_markdown(MARKDOWN)) == [
        ("markdown", "# Title"),
        ("code", "x = 1"),
        ("markdown", "```bash\nls\n```"),
        ("code", "y = 2"),
        ("markdown", "end"),
    ]


@pytest.mark.parametrize("text", ["# A readme\n```python\nx = 1\n```\n", "---\ntitle: x\n---\n", ""])
def test_other_markdown_is_no_notebook(text: str) -> None:
    assert not is_markdown_notebook(text)


def test_an_unclosed_fence_is_code() -> None:
    assert cells(raw_markdown("```python\nx = 1")) == [("code", "x = 1")]


def test_each_format_is_found_and_read(tmp_path: Path) -> None:
    for name, text in (("a.md", MARKDOWN), ("b.py", LIGHT + "x = 1\n"), ("c.py", "# %%\nx = 1\n")):
        (tmp_path / name).write_text(text)
        assert is_notebook(tmp_path / name)
        assert read_notebook(tmp_path / name, tmp_path).status == "ok"
    (tmp_path / "d.md").write_text("# A readme\n")
    assert not is_notebook(tmp_path / "d.md")


def test_another_language_in_the_header_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(MARKDOWN.replace("language: python", "language: R"))

    assert read_notebook(tmp_path / "a.md", tmp_path).reason == "written in r, not Python"


@pytest.mark.parametrize("mark", ["#" * 79, "# %%"])
def test_examples_of_sphinx_gallery(mark: str) -> None:
    text = (
        '"""\nPrices by week\n==============\n\nWhat this shows.\n"""\n\nimport pandas as pd\n\n'
        f"{mark}\n# Load\n# ----\n# The table.\n\ndf = pd.read_csv('a.csv')\n# a remark\n\n"
        f"{mark}\n# Draw\ndf.plot()\n"
    )

    assert is_script(text)
    assert [(cell.kind, cell.source) for cell in raw_script(text).cells] == [
        ("markdown", "Prices by week\n==============\n\nWhat this shows."),
        ("code", "import pandas as pd"),
        ("markdown", "Load\n----\nThe table."),
        ("code", "df = pd.read_csv('a.csv')\n# a remark"),
        ("markdown", "Draw"),
        ("code", "df.plot()"),
    ]


def test_a_module_with_a_titled_docstring_is_no_notebook() -> None:
    assert not is_script('"""\nTitle\n=====\n"""\nimport os\n' + "#" * 79 + "\nx = 1\n")


def test_fences_as_pandoc_writes_them_are_code() -> None:
    text = "---\njupyter: 1\n---\n::: {.cell .code}\n``` {.python}\nx = 1\n```\n:::\n"

    assert [cell.source for cell in raw_markdown(text).cells if cell.kind == "code"] == ["x = 1"]
