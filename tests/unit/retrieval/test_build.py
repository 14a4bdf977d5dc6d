"""The LanceDB index, written: only what changed, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lakebook.errors import RetrievalError
from lakebook.notebooks.component import Component, Corpus, MarkdownChunk, Notebook, NotebookCell, ShownColumn
from lakebook.retrieval import build
from lakebook.retrieval.build import build_index, update_index
from lakebook.retrieval.index import POINTER, ComponentIndex

ComponentMaker = Callable[..., Component]


def without(corpus: Corpus, notebook: str) -> Corpus:
    return replace(
        corpus,
        components=tuple(one for one in corpus.components if one.notebook != notebook),
        chunks=tuple(one for one in corpus.chunks if one.notebook != notebook),
    )


def seen(index: ComponentIndex) -> tuple[object, ...]:
    notebooks = index.notebooks_like([])
    return index.contents(), notebooks, index.entries(notebooks), index.prose(index.contents())


def test_only_changed_notebooks_are_written(tmp_path: Path, corpus: Corpus) -> None:
    first = build_index(tmp_path, corpus)
    assert (first.written, first.removed, first.kept) == (3, 0, 0)
    chunk = MarkdownChunk("m3", "two.ipynb", 0, "Volumes by size.")
    second = build_index(tmp_path, replace(without(corpus, "ship.ipynb"), chunks=(*corpus.chunks[:1], chunk)))
    assert (second.written, second.removed, second.kept) == (1, 1, 1)
    assert second.said == "1 notebooks written, 1 removed, 1 unchanged"
    assert list(second.index.contents()) == ["one.ipynb", "two.ipynb"]
    assert [one.id for one in second.index.prose(["one.ipynb", "two.ipynb"])] == ["m1", "m3"]


def test_nothing_changed_nothing_written(tmp_path: Path, corpus: Corpus) -> None:
    build_index(tmp_path, corpus)
    stamp = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.name != ".lock"}
    again = build_index(tmp_path, corpus)
    assert (again.written, again.removed, again.kept) == (0, 0, 3)
    assert stamp == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.name != ".lock"}


def test_what_a_notebook_tells_of_its_columns_is_content_too(
    tmp_path: Path, make_component: ComponentMaker
) -> None:
    cell = NotebookCell(0, "code", "", evidence=(ShownColumn("a", values=("x", "y")),))
    notebook = Notebook("a.ipynb", "0" * 64, "ok", cells=(cell,))
    corpus = Corpus((), (make_component(("a",)),))
    build_index(tmp_path, corpus)
    told = build_index(tmp_path, replace(corpus, notebooks=(notebook,)))
    assert told.written == 1
    (column,) = told.index.notebooks_like(["a"])["a.ipynb"]
    assert column.shown == ("x", "y")


def test_removed_and_added_again_is_as_before(tmp_path: Path, corpus: Corpus) -> None:
    before = seen(build_index(tmp_path, corpus).index)
    build_index(tmp_path, without(corpus, "one.ipynb"))
    assert seen(build_index(tmp_path, corpus).index) == before


def test_update_touches_what_it_is_given(
    tmp_path: Path, corpus: Corpus, make_component: ComponentMaker
) -> None:
    build_index(tmp_path, without(corpus, "ship.ipynb"))
    extra = Corpus((), (make_component(("price",), notebook="new.ipynb"),))
    done = update_index(tmp_path, extra, removed=["two.ipynb", "nowhere.ipynb"])
    assert (done.written, done.removed, done.kept) == (1, 1, 0)
    assert list(done.index.contents()) == ["new.ipynb", "one.ipynb"]


def test_an_open_index_outlives_later_builds(tmp_path: Path, corpus: Corpus) -> None:
    old = build_index(tmp_path, corpus).index
    before = seen(old)
    for notebook in ("one.ipynb", "ship.ipynb", "two.ipynb"):
        build_index(tmp_path, without(corpus, notebook))
    assert seen(old) == before
    assert len(ComponentIndex.open(tmp_path)) == 5


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("at", ["_add", "_publish", "_tidied"])
def test_a_build_that_dies_leaves_the_old_index_and_harms_no_later_one(
    tmp_path: Path, corpus: Corpus, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    build_index(tmp_path, corpus)
    before = seen(ComponentIndex.open(tmp_path))

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(build, at, die)
        with pytest.raises(Killed):
            build_index(tmp_path, replace(without(corpus, "one.ipynb"), chunks=corpus.chunks[1:] * 2))
    if at != "_tidied":  # there the new index is whole, only not in order
        assert seen(ComponentIndex.open(tmp_path)) == before
    smaller = without(corpus, "two.ipynb")
    after = build_index(tmp_path, smaller)
    assert seen(after.index) == seen(build_index(tmp_path / "anew", smaller).index)
    assert not after.notice


def test_a_first_build_that_dies_leaves_no_index(
    tmp_path: Path, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(build, "_publish", die)
        with pytest.raises(Killed):
            build_index(tmp_path, corpus)
    with pytest.raises(RetrievalError, match="no component index"):
        ComponentIndex.open(tmp_path)
    assert len(build_index(tmp_path, corpus).index) == 8
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["d2"]


def test_no_index_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(RetrievalError, match="no component index") as caught:
        ComponentIndex.open(tmp_path)
    assert "rebuilt from the notebooks" in caught.value.hint


@pytest.mark.parametrize("pattern", ["*.manifest", "*.lance", POINTER])
def test_a_damaged_index_is_built_anew_and_says_so(tmp_path: Path, corpus: Corpus, pattern: str) -> None:
    expected = seen(build_index(tmp_path, corpus).index)
    _damage(tmp_path, pattern)
    with pytest.raises(RetrievalError, match="index") as caught:
        seen(ComponentIndex.open(tmp_path))
    assert "rebuilt" in caught.value.hint
    built = build_index(tmp_path, corpus)
    assert "rebuilt" in built.notice
    assert seen(built.index) == expected


def test_damage_that_only_a_search_meets_is_mended_anew(tmp_path: Path, corpus: Corpus) -> None:
    """The hashes of the notebooks can be read, so a build sees nothing to do."""
    expected = seen(build_index(tmp_path, corpus).index)
    _damage(tmp_path / "d1" / "components.lance" / "data", "*.lance")
    with pytest.raises(RetrievalError, match="damaged"):
        seen(build_index(tmp_path, corpus).index)
    assert seen(build_index(tmp_path, corpus, anew=True).index) == expected


def _damage(folder: Path, pattern: str) -> None:
    damaged = [path for path in folder.rglob(pattern) if path.is_file()]
    assert damaged
    for path in damaged:
        path.write_bytes(b"?")


def test_an_index_of_another_format_is_built_anew(tmp_path: Path, corpus: Corpus) -> None:
    (tmp_path / "v0123456789abcdef").mkdir()
    (tmp_path / POINTER).write_text('{"format": "1", "data": "v0123456789abcdef", "versions": {}}')
    built = build_index(tmp_path, corpus)
    assert "rebuilt" in built.notice
    assert not (tmp_path / "v0123456789abcdef").exists()


def test_a_folder_that_cannot_be_written(tmp_path: Path, corpus: Corpus) -> None:
    (tmp_path / "index").write_text("a file")
    with pytest.raises(RetrievalError, match="could not be written"):
        build_index(tmp_path / "index", corpus)
