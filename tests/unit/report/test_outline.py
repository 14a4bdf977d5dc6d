import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from lakebook.report.execute import execute_notebook
from lakebook.report.notebook_writer import write_notebook
from lakebook.report.outline import Code, Prose, read_outline
from lakebook.report.outputs import Output


@pytest.fixture
def outline(document, session):
    return read_outline(execute_notebook(write_notebook(document), session).notebook)


def test_title_and_question_stand_at_the_head_only(outline):
    assert (outline.title, outline.subtitle) == ("How prices move", "how do prices* move?")
    first = outline.blocks[0]
    assert isinstance(first, Prose)
    assert "How prices move" not in first.body.text()


def test_contents_lists_headings_with_targets_that_exist(outline):
    names = [entry.text for entry in outline.contents]
    assert names[:4] == [
        "Key findings",
        "About this notebook",
        "Set-up and data",
        "1. Prices rise over the weeks",
    ]
    ids = {
        e.attributes["id"]
        for b in outline.blocks
        if isinstance(b, Prose)
        for e in b.body.walk()
        if "id" in e.attributes
    }
    assert {entry.target for entry in outline.contents} <= ids


def test_links_of_the_answer_lead_to_their_sections(outline):
    answer = next(b for b in outline.blocks if isinstance(b, Prose) and b.role == "answer")
    targets = [
        a.attributes["href"][1:] for a in answer.body.find("a") if a.attributes.get("class") != "claim"
    ]
    assert targets == [e.target for e in outline.contents if e.text.startswith(("1.", "2."))]


def test_every_number_of_an_insight_links_to_its_claim(outline):
    links = [
        a.attributes["href"]
        for b in outline.blocks
        if isinstance(b, Prose) and b.role == "insights"
        for a in b.body.find("a")
    ]
    assert sorted(links) == [f"#claim-c00{n}" for n in range(1, 9)]


def test_claims_know_section_record_source_and_result(outline):
    row = outline.claims[0]
    assert (row.section_title, row.record, row.source, row.holds) == (
        "1. Prices rise over the weeks",
        "r003",
        "prices.csv",
        True,
    )
    assert row.target in {entry.target for entry in outline.contents}
    assert [len(rows) for rows in outline.sentences()] == [2, 2, 1, 1, 2]


def test_status_says_what_was_checked(outline):
    facts = {fact.label: (fact.value, fact.ok) for fact in outline.status}
    assert facts["Numbers in the text"] == ("8 of 8 recomputed and equal", True)
    assert facts["Code cells"] == ("8 ran without error", True)
    assert facts["Rows analysed"] == ("80 of 81 in the file", None)
    assert facts["Data"][0] == "prices.csv"


def test_figures_are_numbered_and_described(outline):
    figures = [b for b in outline.blocks if isinstance(b, Output) and b.kind == "figure"]
    assert [f.number for f in figures] == [1, 2]
    assert figures[0].alt == "Prices rise over the weeks. The mean price rises from 1.72 to 2.54."
    assert figures[0].file_name == "figure-01.png"


def test_an_unexecuted_notebook_claims_nothing(document):
    outline = read_outline(write_notebook(document))
    facts = {fact.label: (fact.value, fact.ok) for fact in outline.status}
    assert facts["Numbers in the text"] == ("8, not recomputed yet", None)
    assert facts["Code cells"] == ("0 of 8 were run", None)
    assert {row.holds for row in outline.claims} == {None}


def test_a_claim_that_fails_is_shown_as_failed(document, session, lake):
    path = lake / "prices.csv"
    path.write_text(path.read_text() + "40,North,9.9,1\n")
    outline = read_outline(execute_notebook(write_notebook(document), session).notebook)
    failed = [row.claim.claim.id for row in outline.claims if row.holds is False]
    assert "c008" in failed
    assert outline.status[0].ok is False
    assert "of 8 recomputed and equal" in outline.status[0].value


def test_a_failed_run_is_not_complete(document, session):
    notebook = write_notebook(document)
    next(c for c in notebook.cells if c.id == "prepare").source = "1 / 0"
    outline = read_outline(execute_notebook(notebook, session).notebook)
    assert not outline.complete
    assert [b.source for b in outline.blocks if isinstance(b, Code) and b.failed] == ["1 / 0"]
    facts = {fact.label: fact for fact in outline.status}
    assert facts["Code cells"].value == "stopped at an error after 3 of 8"
    assert facts["Code cells"].ok is False


def test_a_foreign_notebook_is_read_as_it_is():
    cells = [
        new_markdown_cell("Intro, see [below](#My-Part) and [nowhere](#gone)\n\n<a id='spot'></a>"),
        new_markdown_cell("# My Part\n# My Part\n[up](#spot)"),
        new_code_cell("plot()", outputs=[new_output("display_data", {"image/svg+xml": "<svg/>"})]),
    ]
    outline = read_outline(new_notebook(cells=cells), "name")
    assert outline.title == "My Part"
    assert (outline.version, outline.claims) == ("", ())
    links = {
        a.text(): a.attributes.get("href")
        for b in outline.blocks
        if isinstance(b, Prose)
        for a in b.body.find("a")
    }
    assert links["below"] == "#my-part"
    assert links["nowhere"] is None
    assert links["up"].startswith("#at-spot")
    figure = outline.blocks[-1]
    assert (figure.alt, figure.file_name) == ("Figure under “My Part”", "figure-01.svg")


def test_a_notebook_without_headings_is_called_by_its_file():
    outline = read_outline(new_notebook(cells=[new_code_cell("1")]), "file name")
    assert outline.title == "file name"
    assert outline.contents == ()


def test_an_empty_notebook_is_no_error():
    assert read_outline(new_notebook(), "x").blocks == ()
