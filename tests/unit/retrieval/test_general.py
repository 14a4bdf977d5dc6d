"""The baseline: cells as texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from lakebook.notebooks.component import MarkdownChunk, Notebook, NotebookCell
from lakebook.retrieval.general import cell_components, search_general
from lakebook.retrieval.result import EdaQuery
from lakebook.retrieval.texts import DIMENSIONS, Vectors, bm25, hashed_vectors, terms

QUERY = EdaQuery("q1", "Development of average_price over time", ("average_price", "date"))


@pytest.fixture
def notebooks() -> tuple[Notebook, ...]:
    codes = ("import pandas as pd", "df.plot(x='date', y='AveragePrice')", "df['age'].hist()", "")
    cells = tuple(NotebookCell(n, "code", code, code) for n, code in enumerate(codes))
    broken = Notebook("broken.ipynb", "1" * 64, "failed", cells=cells)
    return Notebook("b.ipynb", "0" * 64, "ok", cells=cells), broken


def test_every_cell_of_a_usable_notebook_is_a_component_of_itself(notebooks: tuple[Notebook, ...]) -> None:
    found = cell_components(notebooks)
    assert [one.cell for one in found] == [0, 1, 2]
    assert [one.target_code for one in found] == [cell.code for cell in notebooks[0].cells[:3]]
    assert len({one.id for one in found}) == 3


def test_a_cell_gets_imports_and_the_table_under_the_names_that_it_reads() -> None:
    codes = (
        "import seaborn as sns\nimport numpy as np",
        "small = data.head()\nsns.histplot(small)\nprint(len(data))",
    )
    cells = tuple(NotebookCell(n, "code", code, code) for n, code in enumerate(codes))
    (_, cell) = cell_components([Notebook("b.ipynb", "0" * 64, "ok", cells=cells)])
    prelude = cell.code.removesuffix(codes[1]).split("\n")
    assert prelude[0] == "import pandas as pd"
    assert set(prelude[1:]) == {"data = pd.read_csv('data.csv')", "import seaborn as sns", ""}


def test_the_nearest_cells_are_taken_whatever_their_columns(notebooks: tuple[Notebook, ...]) -> None:
    chunks = (
        MarkdownChunk("m", "b.ipynb", 3, "The price over time"),
        MarkdownChunk("n", "b.ipynb", 4, "Ships"),
    )
    result = search_general(notebooks, chunks, [QUERY], k=2)
    known = {one.id: one for one in cell_components(notebooks)}
    assert [known[one.component].cell for one in result.taken] == [1]
    assert {one.match for one in result.taken} == {"general"}
    assert [one.cell for one in result.passages] == [3]
    assert result == search_general(notebooks, chunks, [QUERY], k=2)


def test_vectors_of_a_model_decide_where_there_are_any(notebooks: tuple[Notebook, ...]) -> None:
    def embed(texts: Sequence[str]) -> Vectors:
        return np.array(
            [[1.0, 0.0] if "'age'" in text or text.strip() == "age" else [0.8, 0.6] for text in texts]
        )

    known = {one.id: one for one in cell_components(notebooks)}
    ages = EdaQuery("q1", "age", ())
    by_model = search_general(notebooks, (), [ages], k=1, embed=embed).taken
    assert [known[one.component].cell for one in by_model] == [2]
    without = search_general(notebooks, (), [ages], k=1, embed=lambda texts: None).taken
    assert without == search_general(notebooks, (), [ages], k=1).taken


def test_nothing_to_search_in() -> None:
    assert search_general((), (), [QUERY]).taken == ()
    assert search_general((), (), []).taken == ()


def test_hashed_vectors_have_length_one_and_are_the_same_each_time() -> None:
    found = hashed_vectors(["average price", "AveragePrice", "ships", ""])
    assert found.shape == (4, DIMENSIONS)
    assert np.allclose(np.linalg.norm(found, axis=1), [1, 1, 1, 0])
    assert np.allclose(found[0], found[1])
    assert abs(found[0] @ found[2]) < 0.5
    assert (found == hashed_vectors(["average price", "AveragePrice", "ships", ""])).all()


def test_terms_are_singular_words() -> None:
    assert terms("the Prices of countries, boxes and glasses") == ["price", "country", "box", "glass"]


def test_bm25_prefers_rare_words_and_short_texts() -> None:
    texts = [["price", "date"], ["price", "price", "region"], ["price", *"abcdefgh"], []]
    scores = bm25(["price", "date"], texts)
    assert scores[0] == max(scores)
    assert scores[1] > scores[2] > scores[3] == 0.0
    assert bm25(["zeppelin"], texts) == [0.0] * 4
    assert bm25(["price"], []) == []
