import ast
import json
from pathlib import Path

import pytest

from lakebook.notebooks.component import Component, Notebook, NotebookCell
from lakebook.notebooks.extract import build_corpus, explain_components, extract_components, markdown_chunks
from lakebook.notebooks.merge import merged_groups
from lakebook.notebooks.read import read_notebook
from lakebook.notebooks.schema import Schema, infer_schema
from lakebook.progress import silent
from lakebook.sources.card import FileEntry, Manifest


def code(text: str, *outputs: str, count: int | None = None) -> NotebookCell:
    return NotebookCell(0, "code", text, code=text, output_types=outputs, execution_count=count)


def prose(text: str) -> NotebookCell:
    return NotebookCell(0, "markdown", text)


def book(*cells: NotebookCell, status: str = "ok") -> Notebook:
    numbered = tuple(
        NotebookCell(
            index,
            cell.kind,
            cell.source,
            cell.code,
            f"id{index}",
            cell.execution_count,
            cell.output_types,
            cell.problem,
            cell.shown_columns,
        )
        for index, cell in enumerate(cells)
    )
    return Notebook("folder/n.ipynb", "0" * 64, status, cells=numbered)  # type: ignore[arg-type]


IMPORTS = code("import pandas as pd\nimport matplotlib.pyplot as plt\nimport os")
LOAD = code('df = pd.read_csv("../input/fruit.csv")\nother = pd.read_csv("other.csv")')


def only(notebook: Notebook, schema: Schema | None = None) -> Component:
    (component,) = extract_components(notebook, schema)
    return component


def test_a_component_is_the_target_after_what_it_needs() -> None:
    found = only(
        book(IMPORTS, LOAD, code("print(df.shape)", "stream"), code("df['price'].hist()\nplt.show()"))
    )

    assert found.code == (
        "import pandas as pd\nimport matplotlib.pyplot as plt\n\n"
        'df = pd.read_csv("../input/fruit.csv")\n\n'
        "df['price'].hist()\nplt.show()\n"
    )
    assert found.code.endswith(found.target_code)
    assert found.cell == 3
    assert found.cell_id == "id3"
    assert found.upstream_cells == (0, 1)
    assert (found.statements_kept, found.statements_before) == (3, 6)
    assert found.columns == ("price",)
    assert found.chart_types == ("histogram",)
    assert found.reads == ("../input/fruit.csv",)
    assert found.modules == ("matplotlib", "pandas")
    assert (found.confidence, found.reason) == (1.0, "")


def test_cells_that_do_not_draw_are_no_components() -> None:
    assert extract_components(book(IMPORTS, LOAD, code("df.head()", "text/html"))) == ()


def test_a_saved_picture_makes_a_component_of_what_nobody_knows_to_draw() -> None:
    found = only(book(code("import mystery\nmystery.go()", "image/png")))

    assert found.chart_types == ()
    assert found.confidence < 1
    assert "mystery" in found.reason


def test_each_drawing_cell_is_one_component() -> None:
    found = extract_components(book(IMPORTS, LOAD, code("df['a'].hist()"), code("df['b'].hist()")))

    assert [one.columns for one in found] == [("a",), ("b",)]
    assert len({one.id for one in found}) == 2


def test_identity_is_stable_and_depends_on_the_code() -> None:
    first = only(book(IMPORTS, LOAD, code("df['a'].hist()")))
    again = only(book(IMPORTS, LOAD, code("df['a'].hist()")))
    other = only(book(IMPORTS, LOAD, code("df['a'].hist(bins=3)")))

    assert first.id == again.id
    assert first.id != other.id


@pytest.mark.parametrize("status", ["failed", "skipped"])
def test_unusable_notebooks_give_nothing(status: str) -> None:
    assert extract_components(book(IMPORTS, LOAD, code("df['a'].hist()"), status=status)) == ()


def test_a_lost_cell_does_not_stop_the_others() -> None:
    lost = NotebookCell(0, "code", "for for", problem="syntax error")

    assert only(book(IMPORTS, lost, LOAD, code("df['a'].hist()"), status="partial")).cell == 3


def test_comments_and_layout_of_the_target_are_kept() -> None:
    target = "# prices\nax = df['a'].hist(\n    bins=3,  # few\n)\n"

    assert target in only(book(IMPORTS, LOAD, code(target))).code


def test_statements_on_one_line_are_cut_apart() -> None:
    found = only(
        book(
            code("import pandas as pd; import os; é = 'ü'; df = pd.read_csv('a.csv')"), code("df['a'].hist()")
        )
    )

    assert found.code == "import pandas as pd\ndf = pd.read_csv('a.csv')\n\ndf['a'].hist()\n"


def test_decorated_functions_keep_their_decorators() -> None:
    define = code("import functools\n@functools.cache\ndef size():\n    return 3")
    found = only(book(IMPORTS, LOAD, define, code("df['a'].hist(bins=size())")))

    assert "@functools.cache\ndef size():" in found.code


def test_the_merged_cell_is_part_of_the_target_but_sliced() -> None:
    prepare = code("small = df[df['a'] > 1]\nunused = 3")
    found = only(book(IMPORTS, LOAD, code("df.head()", "text/html"), prepare, code("small['b'].hist()")))

    assert found.target_cells == (3, 4)
    assert found.target_code == "small = df[df['a'] > 1]\n\nsmall['b'].hist()\n"
    assert found.upstream_cells == (0, 1, 3)
    assert found.filter_columns == ("a",)
    assert "unused" not in found.code


def test_the_heading_above_the_group() -> None:
    found = only(book(IMPORTS, LOAD, prose("# Load\n\n## Prices *by* week\nmore"), code("df['a'].hist()")))

    assert found.heading == "Prices by week"


def test_prose_without_heading_gives_its_first_sentence() -> None:
    assert (
        only(book(IMPORTS, LOAD, prose("Prices rise. Always."), code("df['a'].hist()"))).heading
        == "Prices rise."
    )


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        ("from helpers_of_mine import *", "may define any name"),
        ("import helpers_of_mine", "author's own"),
        ("exec(open('x.py').read())", "never defined"),
        ("", "never defined"),
    ],
)
def test_what_cannot_be_seen_lowers_the_confidence(before: str, reason: str) -> None:
    target = (
        "helpers_of_mine.style()\ndf[column].hist()" if before.startswith("import") else "df[column].hist()"
    )
    cells = [IMPORTS, LOAD, *([code(before)] if before else []), code(target)]

    found = only(book(*cells))

    assert found.confidence < 0.6
    if not before.startswith("exec"):
        assert reason in found.reason


def test_division_in_python_2_lowers_the_confidence_where_it_matters(tmp_path: Path) -> None:
    cells = [
        "import pandas as pd\ndf = pd.read_csv('a.csv')\nprint 'read'",
        "df['share'] = df['part'] / df['whole']",
        "df['part'].hist()",
        "df['share'].hist()",
    ]
    first, second = extract_components(python_2(tmp_path, cells))

    assert (first.confidence, first.reason) == (1, "")
    assert second.confidence == 0.8
    assert second.reason == (
        "Python 2 cut the quotient of whole numbers: `df['part'] / df['whole']` may have given other numbers"
    )


def test_division_that_was_asked_for_is_no_doubt(tmp_path: Path) -> None:
    cells = ["from __future__ import division\nprint 1", "x = a = 3\nplt.plot([a / 2])"]

    (found,) = extract_components(python_2(tmp_path, ["import matplotlib.pyplot as plt", *cells]))

    assert found.confidence >= 0.9
    assert "Python 2" not in found.reason


def python_2(folder: Path, cells: list[str]) -> Notebook:
    listed = [{"cell_type": "code", "source": source, "outputs": []} for source in cells]
    (folder / "n.ipynb").write_text(json.dumps({"cells": listed}))
    return read_notebook(folder / "n.ipynb", folder)


def test_cells_run_out_of_order_are_told() -> None:
    found = only(book(code(IMPORTS.code, count=5), code(LOAD.code, count=2), code("df['a'].hist()", count=3)))

    assert found.confidence == 0.8
    assert "another order" in found.reason


def test_ascending_counts_with_gaps_are_fine() -> None:
    found = only(book(code(IMPORTS.code, count=2), code(LOAD.code, count=5), code("df['a'].hist()", count=9)))

    assert found.confidence == 1.0


def test_a_schema_decides_what_a_whole_frame_shows() -> None:
    schema = Schema.of_kinds({"a": "number", "b": "number", "c": "text"})

    found = only(book(IMPORTS, LOAD, code("df.hist()")), schema)

    assert found.columns == ("a", "b")
    assert found.confidence == 1.0


@pytest.mark.parametrize(
    ("load", "reads"),
    [
        ("df = pd.read_csv(filepath_or_buffer='a.csv')", ("a.csv",)),
        ("folder = 'data/'\ndf = pd.read_csv(folder + 'a.csv')", ("data/a.csv",)),
        ("import os\ndf = pd.read_csv(os.path.join('data', 'a.csv'))", ("data/a.csv",)),
        ("name = 'a'\ndf = pd.read_csv(f'{name}.csv')", ("a.csv",)),
        ("df = pd.read_excel('a.xlsx', sheet_name=1)", ("a.xlsx",)),
        ("import sys\ndf = pd.read_csv(sys.argv[1])", ("",)),
        ("df = pd.merge(pd.read_csv('a.csv'), pd.read_csv('b.csv'))", ("a.csv", "b.csv")),
    ],
)
def test_the_paths_that_are_read(load: str, reads: tuple[str, ...]) -> None:
    assert only(book(IMPORTS, code(load), code("df['a'].hist()"))).reads == reads


def test_explanations_name_what_each_statement_is_wanted_for() -> None:
    (found,) = explain_components(
        book(IMPORTS, LOAD, code("df['b'] = 1\ndf['c'] = 2"), code("df['b'].hist()"))
    )

    reasons = {one.text: one.wanted_for for one in found.upstream}
    assert "df" in reasons['df = pd.read_csv("../input/fruit.csv")']
    assert reasons["df['b'] = 1"] == ("df['b']",)
    assert "df['c'] = 2" not in reasons


def test_style_is_kept_key_by_key() -> None:
    style = code("plt.rcParams['figure.dpi'] = 50\nplt.rcParams['figure.dpi'] = 90\nplt.style.use('ggplot')")
    found = only(book(IMPORTS, LOAD, style, code("df['b'].hist()")))

    assert "= 90" in found.code
    assert "ggplot" in found.code
    assert "= 50" not in found.code


def test_figures_of_earlier_cells_are_left_out() -> None:
    found = extract_components(
        book(IMPORTS, LOAD, code("plt.figure(figsize=(9, 9))\ndf['a'].hist()"), code("df['b'].hist()"))
    )

    assert "figsize" not in found[1].code


def test_a_figure_object_is_followed_across_cells() -> None:
    found = extract_components(
        book(
            IMPORTS, LOAD, code("fig, ax = plt.subplots()\nax.plot(df['a'])"), code("ax.set_title('t')\nfig")
        )
    )

    assert "ax.plot(df['a'])" in found[-1].code


def test_display_options_are_left_out() -> None:
    options = code(
        "pd.set_option('display.max_columns', 50)\nimport warnings\nwarnings.filterwarnings('ignore')"
    )

    assert "set_option" not in only(book(IMPORTS, LOAD, options, code("df['a'].hist()"))).code


def test_a_written_file_that_is_read_again_is_kept() -> None:
    through_file = code("df.to_csv('tmp.csv')\nother.to_csv('else.csv')\nback = pd.read_csv('tmp.csv')")
    found = only(book(IMPORTS, LOAD, through_file, code("back['a'].hist()")))

    assert "df.to_csv('tmp.csv')" in found.code
    assert "else.csv" not in found.code


# -- merging -----------------------------------------------------------------------------------------------


def test_cells_are_merged_into_the_one_that_shows_something() -> None:
    cells = book(
        code("a = 1"), code("b = 2"), code("a + b", "text/plain"), code("c = 3"), code("c", "text/plain")
    )

    assert merged_groups(cells) == {2: (0, 1, 2), 4: (3, 4)}


def test_markdown_closes_a_group() -> None:
    cells = book(code("a = 1"), prose("# Next"), code("b = 2"), code("b", "text/plain"))

    assert merged_groups(cells) == {0: (0,), 3: (2, 3)}


def test_what_draws_without_saved_output_closes_a_group() -> None:
    assert merged_groups(book(code("a = 1"), code("plot(a)"), code("b = 2")), {1}) == {1: (0, 1), 2: (2,)}


def test_cells_without_code_are_not_merged() -> None:
    assert merged_groups(book(code(""), code("a", "text/plain"))) == {1: (1,)}


# -- prose and schema --------------------------------------------------------------------------------------


def test_prose_is_cut_between_paragraphs() -> None:
    long = "\n\n".join(f"Paragraph {number}. " + "word " * 60 for number in range(12))

    chunks = markdown_chunks(book(prose("# Short"), code("x = 1"), prose(long)))

    assert chunks[0].text == "# Short"
    assert [one.cell for one in chunks][:2] == [0, 2]
    assert len(chunks) > 3
    assert all(len(one.text) < 2500 for one in chunks)
    assert all(f"Paragraph {number}." in "".join(one.text for one in chunks) for number in range(12))
    assert len({one.id for one in chunks}) == len(chunks)


def test_pictures_inside_prose_are_left_out() -> None:
    (chunk,) = markdown_chunks(book(prose("See ![x](data:image/png;base64,AAAABBBB) here")))

    assert "AAAA" not in chunk.text


def test_a_schema_is_gathered_from_saved_tables_and_subscripts() -> None:
    head = NotebookCell(0, "code", "df.head()", code="df.head()", shown_columns=("Date", "Price"))
    notebook = book(
        LOAD, head, code("df['new'] = df['Volume'] * 2\ndf['new'].hist()\ndf[['Price', 'Region']]")
    )

    found = infer_schema(notebook)

    assert found.names == ("Date", "Price", "Volume", "Region")
    assert not found.complete
    assert found.kind("Date") == "unknown"


# -- whole corpora -----------------------------------------------------------------------------------------


def test_one_bad_notebook_does_not_stop_a_corpus(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": "# Fruit"},
        {
            "cell_type": "code",
            "source": "import pandas as pd\npd.read_csv('a.csv')['a'].hist()",
            "outputs": [],
        },
    ]
    (tmp_path / "good.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}}))
    (tmp_path / "bad.ipynb").write_text("{")
    manifest = Manifest(tuple(FileEntry(name, 0, "") for name in ("bad.ipynb", "good.ipynb")))

    corpus = build_corpus(tmp_path, manifest, silent)

    assert [(one.path, one.status) for one in corpus.notebooks] == [
        ("bad.ipynb", "failed"),
        ("good.ipynb", "ok"),
    ]
    assert [one.notebook for one in corpus.components] == ["good.ipynb"]
    assert [one.text for one in corpus.chunks] == ["# Fruit"]
    assert corpus.components[0].heading == "Fruit"


CORPUS = Path(__file__).parents[3] / "notebooks_corpus"


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the example corpus is not there")
def test_every_component_of_the_example_corpus_compiles_and_defines_what_it_uses() -> None:
    paths = sorted(path for path in CORPUS.rglob("*.ipynb"))
    manifest = Manifest(tuple(FileEntry(path.relative_to(CORPUS).as_posix(), 0, "") for path in paths))

    corpus = build_corpus(CORPUS, manifest, silent)

    assert len(corpus.components) > 40
    for component in corpus.components:
        ast.parse(component.code)
        assert component.chart_types, (component.notebook, component.cell)
        assert component.columns, (component.notebook, component.cell)
        assert "never defined" not in component.reason
    assert {one.status for one in corpus.notebooks} >= {"ok", "failed", "skipped"}


ONE_PASS = Schema.of_kinds({"price": "number", "size": "number", "region": "text"})


def test_each_target_shows_what_it_draws_itself_though_all_are_read_in_one_pass() -> None:
    first, second, third = extract_components(
        book(
            IMPORTS,
            LOAD,
            code("shown = df['price']\nshown.hist()"),
            code("shown = df['size']\nshown.plot()"),
            code("shown.plot(kind='bar')"),
        ),
        ONE_PASS,
    )

    assert (first.columns, first.chart_types) == (("price",), ("histogram",))
    assert (second.columns, second.chart_types) == (("size",), ("line",))
    assert (third.columns, third.chart_types) == (("size",), ("bar",))


def test_a_key_that_only_another_component_groups_by_is_no_key_of_this_one() -> None:
    first, second = extract_components(
        book(
            IMPORTS,
            LOAD,
            code("df.groupby('region')['price'].mean().plot(kind='bar')"),
            code("df['region'].hist()"),
        ),
        ONE_PASS,
    )

    assert first.key_columns == ("region",)
    assert second.key_columns == ()


def test_a_loop_too_long_to_follow_makes_unsure_only_the_components_that_need_it() -> None:
    slow = "total = 0\n" + "".join(f"{'    ' * depth}for i{depth} in range(30):\n" for depth in range(5))
    first, second = extract_components(
        book(
            IMPORTS,
            LOAD,
            code(f"{slow}{'    ' * 5}total += df['price'].sum()"),
            code("df['size'].hist()"),
            code("(df['price'] / total).hist()"),
        ),
        ONE_PASS,
    )

    assert (first.columns, first.confidence) == (("size",), 1.0)
    assert second.columns == ("price",)
    assert "too long" in second.reason
