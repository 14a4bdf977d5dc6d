"""A table that is read from several files: its load cells, where it is said, and changed files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lakebook.report.document import NotebookDocument
from lakebook.report.notebook_writer import write_notebook
from lakebook.report.status import read_status
from lakebook.report.verification import changed_sources
from lakebook.sources.card import SourceCard, SourceUnit


@pytest.fixture
def together(document: NotebookDocument, lake: Path) -> NotebookDocument:
    """The document, with its table read from two files."""
    cards = []
    for name, text in (("p_2019.csv", "a\n1\n2\n"), ("p_2020.csv", "a\n3\n")):
        (lake / name).write_text(text)
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        units = (SourceUnit("", "table", name[:-4], 1, 1, warnings=("said of one file",)),)
        cards.append(SourceCard(name, "ok", "csv", len(text), sha256, units=units))
    said = ("p_2019.csv: 'A' is read as 'a' (0.990: same name)",)
    unit = SourceUnit("", "table", "p", 3, 3, warnings=said)
    group = SourceCard("p_{date}.csv", "ok", "group", 10, "f" * 64, units=(unit,))
    load = (
        'members = [pd.read_csv(DATA_DIR / path) for path in ["p_2019.csv", "p_2020.csv"]]\n'
        "df = pd.concat(members, ignore_index=True)\n"
    )
    table = replace(
        document.table,
        source=group.path,
        path=group.path,
        sha256=group.sha256,
        rows=3,
        rows_in_file=3,
        load_code=load,
    )
    return replace(document, table=table, cards=tuple(cards), group=group)


def source(document: NotebookDocument, key: str) -> str:
    return str(next(cell.source for cell in write_notebook(document).cells if cell.id == key))


def test_the_files_are_listed_with_their_hashes_and_the_notes_are_the_groups(
    together: NotebookDocument,
) -> None:
    text = source(together, "sources")
    for card in (*together.cards, together.group):
        assert card is not None
        assert card.sha256[:12] in text
    assert "**all together**, `p_{date}.csv`" in text
    assert "is read as" in text
    assert "said of one file" not in text
    assert "2 files read as one table" in source(together, "about")


def test_the_status_counts_the_files(together: NotebookDocument, document: NotebookDocument) -> None:
    facts = {fact.label: fact.value for fact in read_status(write_notebook(together))}
    assert facts["Data"] == "p_{date}.csv · 2 files"
    assert facts["Rows analysed"] == "3 of 3 in the files"
    assert {fact.label: fact.value for fact in read_status(write_notebook(document))}["Data"] == "prices.csv"


def test_the_cells_load_all_files_and_name_those_that_changed(
    together: NotebookDocument, lake: Path, new_session: Callable[[], object]
) -> None:
    from tests.unit.report.conftest import InProcessSession

    notebook = write_notebook(together)
    codes = {cell.id: cell.source for cell in notebook.cells if cell.cell_type == "code"}

    def printed() -> str:
        session = new_session()
        assert isinstance(session, InProcessSession)
        results = [session.run(codes[key]) for key in ("setup", "load", "same-files")]
        assert [result.error for result in results] == [None, None, None]
        outputs = (output for result in results for output in result.outputs)
        return "".join(str(output.get("text", "")) for output in outputs)

    assert "3 rows loaded from 2 files; the analysis was made on 3 of 3." in printed()
    assert "All 2 files are the ones that were analysed." in printed()
    assert changed_sources(notebook, lake) == ()
    (lake / "p_2020.csv").write_text("a\n4\n")
    assert "Changed since the analysis: p_2020.csv." in printed()
    assert changed_sources(notebook, lake) == ("p_2020.csv",)


def test_why_a_table_was_taken_is_said(document: NotebookDocument) -> None:
    assert "No dataset was named" not in source(document, "about")
    chosen = replace(document, chosen="the table with most rows (80) of 2")
    assert "No dataset was named; this is the table with most rows (80) of 2." in source(chosen, "about")
