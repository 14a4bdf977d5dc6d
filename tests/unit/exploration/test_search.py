"""Search over a small lake with planted answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakebook.exploration.bm25 import Bm25, singular, tokens
from lakebook.exploration.search import SearchResult, search_lake
from lakebook.sources.profile import profile_lake
from lakebook.sources.scan import scan

FILES = {
    "sales/orders_2019.csv": "order_id,region,revenue\nA1,North,10\nA2,Umbria,20\n",
    "sales/orders_2020.csv": "order_id,region,revenue\nB1,North,30\nB2,South,40\n",
    "weather/stations.csv": "station,temperature,wind\nKöln,12.5,3\nBonn,13.5,4\n",
    "people.csv": "name,age\nAnn,31\nBob,42\n",
    "guide.md": "# Guide\n\nHow revenue is defined:\n\n- net of tax\n- after returns\n\n"
    "Unrelated words follow here.\n",
    "photo.png": "\x89PNG",
}


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        path = tmp_path / "lake" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("latin-1" if name.endswith("png") else "utf-8"))
    return tmp_path / "lake"


def search(lake: Path, question: str, k: int = 10) -> SearchResult:
    state = lake.parent / "state"
    return search_lake(profile_lake(lake, scan(lake), state), lake, question, k, state=state)


def test_a_question_finds_its_group_once_with_all_members(lake: Path) -> None:
    result = search(lake, "How did the revenue of orders change by region?")
    assert result.groups[0].id == "sales/orders_{date}.csv"
    assert result.groups[0].members == ("sales/orders_2019.csv", "sales/orders_2020.csv")
    assert [group.id for group in result.groups].count("sales/orders_{date}.csv") == 1
    assert "revenue" in result.groups[0].why


def test_columns_find_a_file_whose_name_says_nothing(lake: Path) -> None:
    assert search(lake, "wind temperatures").groups[0].id == "weather/stations.csv"


def test_values_find_a_file_and_the_row_is_shown(lake: Path) -> None:
    result = search(lake, "what happened in Umbria")
    assert result.groups[0].matched[0] == "sales/orders_2019.csv"
    rows = [piece for piece in result.evidence if piece.position.startswith("rows")]
    assert rows[0].position == "rows 2"
    assert rows[0].text_or_rows == ({"order_id": "A2", "region": "Umbria", "revenue": "20"},)
    assert rows[0].coverage == "all 2 rows"
    values = [piece for piece in result.evidence if piece.position == "values of region"]
    assert "'Umbria' in 1 rows" in values[0].text_or_rows


def test_a_passage_comes_with_its_list_and_its_lines(lake: Path) -> None:
    result = search(lake, "definition revenue defined")
    passages = [piece for piece in result.evidence if piece.path == "guide.md"]
    assert passages[0].position == "lines 3-6"
    assert "net of tax" in str(passages[0].text_or_rows)
    assert "Unrelated" not in str(passages[0].text_or_rows)


def test_what_is_left_out_is_said(lake: Path) -> None:
    result = search(lake, "revenue age wind", k=1)
    assert len(result.groups) == 1
    assert any("more groups matched" in note for note in result.omitted)
    assert any("hold none of the words" in note for note in search(lake, "revenue").omitted)


def test_nothing_matches(lake: Path) -> None:
    result = search(lake, "zzz qqq")
    assert (result.groups, result.evidence) == ((), ())
    assert any("no word" in note for note in search(lake, "the of").omitted)


def test_without_a_state_folder_values_still_speak(lake: Path) -> None:
    source_map = profile_lake(lake, scan(lake), lake.parent / "state")
    result = search_lake(source_map, lake, "Umbria")
    assert [piece.position for piece in result.evidence] == ["values of region"]


def test_the_same_search_gives_the_same_result(lake: Path) -> None:
    assert search(lake, "revenue by region") == search(lake, "revenue by region")


def test_tokens() -> None:
    assert tokens("TotalVolume of the prices in Mar 2020") == ["total", "volume", "price", "march", "2020"]
    assert tokens("wu334") == ["wu334", "wu", "334"]
    assert [singular(word) for word in ("cities", "class", "gas", "prices")] == [
        "city",
        "class",
        "gas",
        "price",
    ]


def test_bm25_prefers_rare_words_and_short_documents() -> None:
    index = Bm25.of([["a", "b"], ["a"], ["a", "b", "c", "d", "e"], ["z"]])
    assert [number for number, _ in index.rank(["a"])] == [1, 0, 2]
    assert index.rank(["z", "a"])[0][0] == 3
    assert index.rank(["nope"]) == []
    assert index.matched(0, ["b", "x", "a"]) == ["b", "a"]
    assert Bm25.of([]).rank(["a"]) == []
