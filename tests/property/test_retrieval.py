"""What search gives depends on what the notebooks hold, not on their order nor on what was there before."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from lakebook.analyst.table import Table, TableColumn
from lakebook.notebooks.component import Component, Corpus, MarkdownChunk
from lakebook.retrieval.build import build_index
from lakebook.retrieval.result import EdaQuery, Retrieval
from lakebook.retrieval.search import search

NAMES = ("price", "date", "region", "kind", "volume")
TABLE = Table(
    "a.csv", "a.csv", "", "0" * 64, 9, 9,
    tuple(TableColumn(name, "number", "flow", 0, 9) for name in (*NAMES, "extra")), "",
)  # fmt: skip
QUERIES = (
    EdaQuery("q1", "price over time", ("price", "date")),
    EdaQuery("q2", "price by region", ("price", "region")),
    EdaQuery("q3", "distribution of volume", ("volume",)),
)

columns = st.lists(st.sampled_from((*NAMES, "elsewhere")), min_size=1, max_size=3, unique=True).map(tuple)
drafts = st.lists(
    st.tuples(
        st.sampled_from("abcd"),
        st.integers(0, 5),
        columns,
        st.sampled_from(("line", "bar", "box")),
        st.booleans(),
    ),
    max_size=14,
)


def corpus_of(drawn: list[tuple[str, int, tuple[str, ...], str, bool]]) -> Corpus:
    components = {}
    for notebook, cell, names, chart, plain in drawn:
        code = f"df[{list(names)!r}].plot()" if plain else f"sns.{chart}(data=df, x={names[0]!r})"
        one = Component(
            f"{notebook}{cell}",
            f"{notebook}.ipynb",
            cell,
            "",
            (cell,),
            (),
            code,
            code,
            names,
            (),
            (),
            (chart,),
        )
        components[one.id] = one
    chunks = {
        MarkdownChunk(f"m{a}{b}", f"{a}.ipynb", b, f"How {' and '.join(c)} go") for a, b, c, _, _ in drawn
    }
    return Corpus(
        (), tuple(components.values()), tuple({one.id: one for one in sorted(chunks, key=repr)}.values())
    )


def found(folder: Path, corpus: Corpus) -> Retrieval:
    return search(build_index(folder, corpus).index, QUERIES, TABLE)


@settings(max_examples=12, deadline=None)
@given(drafts, st.randoms(use_true_random=False))
def test_order_and_history_do_not_matter(
    drawn: list[tuple[str, int, tuple[str, ...], str, bool]], lot
) -> None:
    corpus = corpus_of(drawn)
    components, chunks = list(corpus.components), list(corpus.chunks)
    lot.shuffle(components)
    lot.shuffle(chunks)
    fewer = tuple(one for one in components if one.notebook != "a.ipynb")
    with tempfile.TemporaryDirectory() as folder:
        expected = found(Path(folder) / "one", corpus)
        shuffled = replace(corpus, components=tuple(components), chunks=tuple(chunks))
        assert found(Path(folder) / "two", shuffled) == expected
        found(Path(folder) / "one", replace(corpus, components=fewer))
        assert found(Path(folder) / "one", shuffled) == expected


@settings(max_examples=12, deadline=None)
@given(drafts)
def test_what_is_promised_of_every_answer(drawn: list[tuple[str, int, tuple[str, ...], str, bool]]) -> None:
    corpus = corpus_of(drawn)
    known = {one.id: one for one in corpus.components}
    with tempfile.TemporaryDirectory() as folder:
        result = found(Path(folder), corpus)
    for query in QUERIES:
        mine = [one for one in result.taken if one.query == query.id]
        kinds = [("exact", "partial", "text").index(one.match) for one in mine]
        assert len(mine) <= 5
        assert kinds == sorted(kinds)
        assert [one.rank for one in mine] == list(range(1, len(mine) + 1))
        keys = {(frozenset(known[one.component].columns), known[one.component].chart_types) for one in mine}
        assert len(keys) == len(mine)
        for one in mine:
            shown = set(known[one.component].columns)
            there = shown - {"elsewhere"}
            assert there == shown or len(there) >= 2  # most of what it shows can be shown without the rest
            assert (one.match == "exact") == (there == set(query.columns))
            assert there & set(query.columns)
    assert not {one.component for one in result.taken} & {one.component for one in result.left_out}
