"""Numbers in the answer are claims like those of the findings under it."""

from __future__ import annotations

from dataclasses import replace

from lakebook.report.document import NotebookDocument
from lakebook.report.notebook_writer import write_notebook


def test_claims_of_the_answer_are_mentioned_first(document: NotebookDocument) -> None:
    claim = next(c for f in document.findings.findings if f.published for i in f.insights for c in i.claims)
    before = _answer(document)
    after = _answer(replace(document, answer=f"It is {claim.shown}.", answer_claims=(claim,)))
    assert after["mentions"] == [{"id": claim.id, "shown": claim.shown}, *before["mentions"]]


def _answer(document: NotebookDocument) -> dict[str, list[dict[str, str]]]:
    notebook = write_notebook(document)
    found: dict[str, list[dict[str, str]]] = next(
        cell.metadata["lakebook"] for cell in notebook.cells if cell.id == "answer"
    )
    return found
