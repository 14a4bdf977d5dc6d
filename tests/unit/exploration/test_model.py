"""A model chooses among candidates and orders the tail; when it fails, the search says so and goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from lakebook.analyst.model.budget import Budget
from lakebook.analyst.model.embedding import Embeddings
from lakebook.analyst.model.protocol import EmbeddingRequest, Vectors
from lakebook.exploration.model import ModelSelector, open_selector
from lakebook.settings import load_settings
from tests.unit.analyst.model.conftest import Scripted
from tests.unit.exploration.conftest import Lake

FILES = {
    "orders.csv": "order_id,region,revenue\nA1,Umbria,10\nA2,Tuscany,20\n",
    "regions.csv": "region,population\nUmbria,850\nTuscany,3600\n",
    "revenue_notes.md": "# Notes\n\nRevenue is net of tax; the password is hunter2.\n",
    "people.csv": "name,age\nAnn,31\n",
}


@dataclass
class Meaning:
    """Puts texts with a word of the list near each other."""

    words: Sequence[str]
    asked: list[str] = field(default_factory=list)
    name: str = "meaning"

    def embed(self, request: EmbeddingRequest) -> Vectors:
        self.asked += request.texts
        return Vectors(
            tuple((1.0, 0.0) if any(w in text for w in self.words) else (0.0, 1.0) for text in request.texts)
        )


@pytest.fixture
def lake(make_lake: Callable[[dict[str, str]], Lake]) -> Lake:
    return make_lake(FILES)


def offered(model: Scripted) -> dict[str, str]:
    """First file -> the name by which its group was offered."""
    groups = json.loads(model.asked[0].messages[1][1])["groups"]
    return {group["files"][0]: group["group"] for group in groups}


def test_the_model_chooses_what_evidence_is_read(lake: Lake) -> None:
    probe = Scripted("{}")
    lake.search("revenue by region", selector=ModelSelector(probe))
    wanted = offered(probe)["regions.csv"]
    model = Scripted(json.dumps({"groups": [wanted]}))
    result = lake.search("revenue by region", selector=ModelSelector(model))
    assert result.groups[0].id == "regions.csv"
    assert [group.id for group in result.groups if group.chosen] == ["regions.csv"]
    assert {piece.path for piece in result.evidence} == {"regions.csv"}
    assert result.notes == (f"The model scripted chose 1 of {len(offered(model))} candidate groups.",)


def test_no_value_and_no_text_of_a_file_leaves(lake: Lake) -> None:
    model, vectors = Scripted("{}"), Meaning(["x"])
    selector = ModelSelector(model, embeddings(vectors, lake.state))
    lake.search("revenue by region", selector=selector)
    sent = " ".join(text for request in model.asked for _, text in request.messages) + " ".join(vectors.asked)
    assert "orders.csv" in sent
    assert not any(word in sent for word in ("Umbria", "3600", "850", "hunter2", "net of tax", "Ann"))


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (Scripted(fails=True), "no reply"),
        (Scripted("I would take orders.csv"), "no JSON object"),
        (Scripted('{"groups": []}'), "names no group"),
        (Scripted('{"groups": "G1"}'), "names no group"),
        (Scripted('{"groups": ["G99"]}'), "no candidate"),
        (Scripted('{"groups": ["G1", {"a": 1}]}'), "no candidate"),
    ],
)
def test_a_model_that_is_of_no_use_leaves_the_order(lake: Lake, model: Scripted, why: str) -> None:
    plain = lake.search("revenue by region")
    result = lake.search("revenue by region", selector=ModelSelector(model))
    assert result.groups == plain.groups
    assert result.evidence == plain.evidence
    assert why in result.notes[0]
    assert "the first give evidence" in result.notes[0]


def embeddings(model: Meaning, state: Path) -> Embeddings:
    return Embeddings(model, state / "vectors", Budget(20, 60_000), state / "calls.jsonl")


def test_meaning_adds_to_the_tail_and_leaves_the_first(make_lake: Callable[[dict[str, str]], Lake]) -> None:
    files = {f"solar_{word}.csv": f"solar,{word}\n1,2\n" for word in ("one", "two", "six", "ten", "four")}
    lake = make_lake(files | {"sn_y_tot.csv": "c1,c2\n1,2\n", "other.csv": "d1,d2\n1,2\n"})
    plain = [group.id for group in lake.search("solar cycle").groups]
    assert "sn_y_tot.csv" not in plain
    model = Meaning(["sn_y", "cycle"])
    result = lake.search("solar cycle", selector=ModelSelector(None, embeddings(model, lake.state)))
    found = [group.id for group in result.groups]
    assert found[:5] == plain[:5]
    assert found[5] == "sn_y_tot.csv"
    assert any("6th on" in note for note in result.notes)
    before = len(model.asked)
    lake.search("solar cycle", selector=ModelSelector(None, embeddings(model, lake.state)))
    assert len(model.asked) == before


def test_no_setting_opens_no_model(tmp_path: Path) -> None:
    assert open_selector(load_settings(directory=tmp_path, environment={})) is None
    only_name = {"LAKEBOOK_MODEL": "m", "LAKEBOOK_EMBEDDING_MODEL": "e"}
    assert open_selector(load_settings(directory=tmp_path, environment=only_name)) is None
    address = only_name | {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    opened = open_selector(load_settings(directory=tmp_path, environment=address))
    assert opened is not None
    assert opened.model is not None
    assert opened.embeddings is not None
