"""The model in the pipeline: what stages depend on, who is named as the analyst, and where the key is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lakebook.analysis import Analysis
from lakebook.analyst.claim import Claim, Insight
from lakebook.analyst.intent import Intent
from lakebook.analyst.model.privacy import NotAllowed, prose_embedding
from lakebook.analyst.model.summary import Sentence, Summary
from lakebook.analyst.plan import Finding, Findings
from lakebook.analyst.table import Table
from lakebook.pipeline.delivery import analyst_line, summary_text
from lakebook.pipeline.documents import Inquiry
from lakebook.pipeline.inquiry import _embed, retrieval_inputs
from lakebook.pipeline.project import Project
from lakebook.settings import ModelSettings
from resources.project import ProjectResource

MODEL = ModelSettings("m", "http://me:pw@127.0.0.1:9/v1", "secret-key")
NUMBERS = "every number by the offline analyst's code"
TABLE = Table("t", "t", "", "", 1, 1, (), "")


def inquiry(read_by: str) -> Inquiry:
    return Inquiry(Analysis("q"), TABLE, Intent("q", "compare"), (), read_by=read_by)


def test_without_a_model_the_project_is_offline(tmp_path: Path) -> None:
    project = Project(tmp_path, tmp_path)
    assert (project.language_model, project.analyst_version) == (None, "offline")


def test_switching_model_or_privacy_changes_what_stages_depend_on(tmp_path: Path) -> None:
    other, closed = ModelSettings("n", "http://h/v1"), ModelSettings("m", "http://h/v1", privacy="schema")
    projects = [Project(tmp_path, tmp_path, model=model) for model in (None, MODEL, other, closed)]
    versions = {project.analyst_version for project in projects}
    assert len(versions) == 4


def test_prose_is_embedded_only_where_it_may_leave(tmp_path: Path) -> None:
    closed = ModelSettings("e", "http://h/v1", privacy="schema")
    assert Project(tmp_path, tmp_path).embeddings is None
    assert Project(tmp_path, tmp_path, embedding=closed).embeddings is None
    opened = Project(tmp_path, tmp_path, embedding=ModelSettings("e", "http://h/v1"))
    assert opened.embeddings is not None
    assert opened.embeddings.name == "e"
    assert prose_embedding(["a"], "samples").texts == ("a",)
    with pytest.raises(NotAllowed, match="no prose leaves"):
        prose_embedding(["a"], "schema")


def test_an_embedding_model_that_fails_leaves_the_search_to_words(tmp_path: Path) -> None:
    project = Project(tmp_path, tmp_path, embedding=ModelSettings("e", "http://127.0.0.1:9/v1", max_calls=0))
    embed = _embed(project)
    assert embed is not None
    assert embed(["a"]) is None
    assert "e was of no use for the search" in project.notices[0]
    assert retrieval_inputs(project, "")["embedding"] == "e; no reply"
    assert _embed(Project(tmp_path, tmp_path)) is None


def test_one_analyst_and_so_one_budget_a_project(tmp_path: Path) -> None:
    project = Project(tmp_path, tmp_path, model=MODEL)
    assert project.language_model is project.language_model


@pytest.mark.parametrize(
    ("read_by", "sentences", "reason", "line"),
    [
        ("m", 1, "", f"model m for the reading of the question and the summary; {NUMBERS}"),
        ("", 1, "", f"model m for the summary; {NUMBERS}"),
        ("m", 0, "why", f"model m for the reading of the question; no summary by it, as why; {NUMBERS}"),
        ("", 0, "why", "offline analyst; the model m was of no use; no summary by it, as why"),
    ],
)
def test_the_notebook_says_who_did_what(read_by: str, sentences: int, reason: str, line: str) -> None:
    summary = Summary((Sentence("It is 5.", (), "i001"),) * sentences, reason)
    assert analyst_line("m", inquiry(read_by), summary) == line


def test_the_summary_is_marked_escaped_and_linked() -> None:
    claim = Claim("c001", "n", "label", "e", "<b>*x*", "<b>*x*")
    insight = Insight("i001", "s", "{n}", "<b>*x*", (claim,), "verified")
    given = ("s", "G01", "s", "A title", "", "", "", "", (), (), "", "supported", 1.0)
    finding = Finding(*given, insights=(insight,))
    text = summary_text(Summary((Sentence("It is <b>*x*.", (claim,), "i001"),)), "m_1*", Findings((finding,)))
    assert text.startswith("It is &lt;b>\\*x\\*. [(section)](#1.-A-title)")
    assert "in the words of the model m_1\\*" in text
    assert summary_text(Summary(reason="none"), "m", Findings(())) == ""


def test_dagster_knows_neither_key_nor_address(tmp_path: Path) -> None:
    project = Project(tmp_path, tmp_path, model=MODEL)
    resource = ProjectResource.of(project)
    told = repr(resource) + json.dumps(resource.model_dump(mode="json"), default=str)
    assert "'m'" in told
    assert "secret-key" not in told
    assert "pw" not in told
    assert "secret-key" not in repr(MODEL) + repr(project)
    assert resource.open() is project


def test_another_process_takes_key_and_address_from_its_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "own-key")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    resource = ProjectResource(state=str(tmp_path / "s"), data=str(tmp_path), model="m", privacy="schema")
    assert resource.open().model == ModelSettings("m", "", "own-key", "schema", 20, 60_000)
    monkeypatch.delenv("OPENAI_API_KEY")
    other = ProjectResource(state=str(tmp_path / "t"), data=str(tmp_path), model="m")
    assert other.open().model is None
