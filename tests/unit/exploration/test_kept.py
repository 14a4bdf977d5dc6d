"""The index is made once for each content of a lake; a changed file costs only itself."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lakebook.exploration import kept
from lakebook.exploration.ranking import rank, read_question
from lakebook.exploration.search import search_lake
from lakebook.sources.card import SourceCard, SourceMap
from tests.unit.exploration.conftest import Lake

Make = Callable[[dict[str, str]], Lake]

FILES = {f"{name}.csv": f"{name},n\nx,1\ny,2\n" for name in ("apples", "pears", "plums")}


@pytest.fixture
def tokenised(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    seen: list[str] = []
    real = kept.terms_of

    def terms_of(card: SourceCard, state: object) -> object:
        seen.append(card.path)
        return real(card, state)  # type: ignore[arg-type]

    monkeypatch.setattr(kept, "terms_of", terms_of)
    return seen


def test_an_unchanged_lake_loads_its_index(
    make_lake: Make, tokenised: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = make_lake(FILES)
    made = lake.index()
    assert sorted(tokenised) == sorted(FILES)
    monkeypatch.setattr(kept, "build_index", lambda *_: pytest.fail("it was built again"))
    loaded = lake.index()
    assert (loaded.files, loaded.groups, loaded.entries) == (made.files, made.groups, made.entries)
    assert loaded.postings.vocabulary == made.postings.vocabulary
    for name in ("starts", "entries", "fields", "weights"):
        assert (getattr(loaded.postings, name) == getattr(made.postings, name)).all()


def test_a_changed_file_alone_is_tokenised_again(make_lake: Make, tokenised: list[str]) -> None:
    lake = make_lake(FILES)
    lake.index()
    tokenised.clear()
    (lake.folder / "pears.csv").write_text("pears,quince\nx,1\n")
    assert "pears.csv" in lake.files("quince")
    assert tokenised == ["pears.csv"]


def test_a_damaged_index_is_made_again(make_lake: Make) -> None:
    lake = make_lake(FILES)
    lake.index()
    for file in (lake.state / "index").glob("*.arrow"):
        file.write_bytes(b"no")
    assert lake.files("apples") == ["apples.csv"]
    shutil.rmtree(lake.state / "index")
    assert lake.files("apples") == ["apples.csv"]


def test_only_the_newest_indexes_stay(make_lake: Make) -> None:
    lake = make_lake(FILES)
    for n in range(6):
        (lake.folder / "pears.csv").write_text(f"pears,n{n}\nx,1\n")
        lake.index()
    assert len(list((lake.state / "index").glob("*.arrow"))) == 3
    assert len(list((lake.state / "index").glob("*.json"))) == 3


def test_search_reads_nothing_of_the_lake_again(make_lake: Make) -> None:
    lake = make_lake(FILES | {"guide.md": "# Guide\n\nHow apples are counted.\n"})
    source_map = lake.map()
    shutil.rmtree(lake.folder)
    result = search_lake(source_map, lake.state, "how are apples counted")
    assert {piece.path for piece in result.evidence} == {"apples.csv", "guide.md"}


def test_an_empty_lake_has_an_index(tmp_path: Path) -> None:
    for _ in range(2):
        index = kept.open_index(SourceMap(()), tmp_path)
        assert rank(index, read_question(index, "anything in 2020")).files == ()
