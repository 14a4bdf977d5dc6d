import ast
import json
import re
from dataclasses import replace

import nbformat
import pytest

from lakebook.errors import ReportError
from lakebook.report.cells import cell_id
from lakebook.report.notebook_writer import notebook_text, save_notebook, write_notebook


@pytest.fixture
def notebook(document):
    return write_notebook(document)


def cell(notebook, key):
    return next(c for c in notebook.cells if c.id == key)


def test_the_notebook_is_valid_and_every_id_is_unique(notebook):
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    ids = [c.id for c in notebook.cells]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", i) for i in ids)


def test_the_same_document_gives_the_same_bytes(document):
    assert notebook_text(write_notebook(document)) == notebook_text(write_notebook(document))


def test_a_changed_sentence_changes_only_its_cells(document):
    first = document.findings.findings[0]
    insight = replace(first.insights[1], text="Rows with $5 or more are very rare: 0.")
    changed = replace(first, insights=(first.insights[0], insight, *first.insights[2:]))
    findings = replace(document.findings, findings=(changed, *document.findings.findings[1:]))
    old = {c.id: c.source for c in write_notebook(document).cells}
    new = {c.id: c.source for c in write_notebook(replace(document, findings=findings)).cells}
    assert [key for key in new if new[key] != old[key]] == ["trend_unit_price-insights"]


def test_every_code_cell_is_python(notebook):
    sources = [c.source for c in notebook.cells if c.cell_type == "code"]
    assert len(sources) == 8
    for source in sources:
        ast.parse(source)
        assert "lakebook" not in source.replace("LAKEBOOK_DATA_DIR", "")


def test_no_cell_claims_to_have_run(notebook):
    assert all(c.execution_count is None and c.outputs == [] for c in notebook.cells if c.cell_type == "code")


def test_the_answer_comes_before_set_up_and_links_to_its_sections(notebook):
    ids = [c.id for c in notebook.cells]
    assert ids.index("title") < ids.index("answer") < ids.index("setup") < ids.index("load")
    answer = cell(notebook, "answer").source
    headings = {c.source.splitlines()[0][3:] for c in notebook.cells if c.source.startswith("## ")}
    assert "(#1.-Prices-rise-over-the-weeks)" in answer
    assert "1. Prices rise over the weeks" in headings
    assert "*(suggestive only)*" in answer


def test_the_parameters_cell_is_tagged_and_names_the_folder_relative(notebook):
    setup = cell(notebook, "setup")
    assert setup.metadata.tags == ["parameters"]
    assert '[NAMED] if NAMED else ["../lake", ' in setup.source


def test_methods_are_folded_in(notebook):
    methods = cell(notebook, "methods")
    assert methods.metadata.jupyter.source_hidden is True
    assert "def mean_of" in methods.source


def test_no_methods_cell_without_methods(document):
    ids = [c.id for c in write_notebook(replace(document, methods="")).cells]
    assert "methods" not in ids


def test_a_section_has_question_method_code_figure_and_insights(notebook):
    head = cell(notebook, "trend_unit_price-head").source
    assert "**Question.** Do prices rise?" in head
    assert "**Method.**" in head
    insights = cell(notebook, "trend_unit_price-insights").source
    assert "> **Caution.** Only 2 cycles" in insights
    assert "*Computed on: 80 of 80 rows, none left out.*" in insights
    assert "#Where-every-number-comes-from" in insights


def test_a_finding_without_figure_has_no_figure_cell(notebook):
    assert not any(c.id == "groups_region-figure" for c in notebook.cells)


def test_every_section_cell_says_where_its_numbers_come_from(notebook, document):
    own = cell(notebook, "trend_unit_price-compute").metadata.lakebook
    assert own.provenance == {
        "source": "prices.csv",
        "sha256": document.table.sha256,
        "columns": ["week", "unit_price"],
        "rows": 80,
        "rows_in_file": 81,
    }
    assert (own.section, own.role, own.record) == ("trend_unit_price", "compute", "r003")


def test_claims_stand_in_the_metadata_of_the_sentence(notebook):
    claims = cell(notebook, "trend_unit_price-insights").metadata.lakebook.claims
    assert [c.id for c in claims] == ["c001", "c002", "c003", "c004", "c005"]
    assert claims[0].text == "The mean price rises from 1.72 to 2.54."
    assert (claims[0].expression, claims[0].format, claims[0].kind) == (
        "trend_unit_price['first']",
        ".2f",
        "number",
    )
    assert notebook.metadata.lakebook.claims == 8


def test_a_withheld_sentence_is_nowhere_but_its_reason_is_told(notebook):
    text = notebook_text(notebook)
    assert "never computed" not in text
    assert "1 sentence was withheld: the expression failed" in cell(notebook, "not-done").source


def test_a_corrected_number_is_marked(document):
    first = document.findings.findings[0]
    corrected = replace(first, insights=(replace(first.insights[0], verdict="corrected"),))
    findings = replace(document.findings, findings=(corrected,))
    written = write_notebook(replace(document, findings=findings))
    assert "a number was corrected" in cell(written, "trend_unit_price-insights").source


def test_what_was_not_done_names_plays_findings_tests_and_components(notebook):
    text = cell(notebook, "not-done").source
    assert "**Seasonality**: 1.4 cycles, 2 needed" in text
    assert "**Nothing new** was looked at and left out: implied by another" in text
    assert "9 statistical tests were run, 3 are shown." in text
    assert "cell 8](../old%20notebooks/weekly%20%28old%29.ipynb) was not used: KeyError" in text


def test_all_rows_of_a_file_are_accounted_for(notebook):
    assert "| `prices.csv` | partial | 81 | 80 | 1 | 0 |" in cell(notebook, "sources").source
    assert "1 row could not be read" in cell(notebook, "sources").source


def test_every_claim_is_in_the_table_at_the_end(notebook):
    numbers = cell(notebook, "numbers").source
    rows = [line.split("|")[1].strip() for line in numbers.splitlines() if line.startswith("| c0")]
    assert rows == ["c001", "c002", "c003", "c004", "c005", "c006", "c007", "c008"]
    assert "`groups_region['South & <East>'] / groups_region['North'] - 1`" in numbers


def test_intent_and_names_cannot_inject_markup(document):
    intent = replace(document.intent, text="<img src=x onerror=alert(1)> **now**")
    written = write_notebook(replace(document, intent=intent, title="A <b>title</b> | x"))
    assert "<img" not in cell(written, "title").source
    assert "<b>" not in cell(written, "title").source
    assert "&lt;East>" in cell(written, "groups_region-head").source


def test_an_empty_analysis_still_gives_a_notebook(document):
    empty = replace(
        document, findings=replace(document.findings, findings=()), reused=(), cards=(), limits=""
    )
    written = write_notebook(empty)
    nbformat.validate(written)
    assert "Nothing in this table could be stated" in cell(written, "answer").source
    assert "states no number" in cell(written, "numbers").source


def test_two_findings_with_one_key_are_refused(document):
    first = document.findings.findings[0]
    with pytest.raises(ReportError, match="two cells would have the id"):
        write_notebook(replace(document, findings=replace(document.findings, findings=(first, first))))


def test_sources_carry_hashes_for_verify(notebook, document):
    (source,) = notebook.metadata.lakebook.sources
    assert (source.path, source.sha256) == ("prices.csv", document.table.sha256)
    assert notebook.metadata.lakebook.analyst == "offline analyst, no language model"


def test_the_corpus_note_is_told(document):
    note = "no notebook in the corpus uses columns of this table"
    assert note in cell(write_notebook(replace(document, corpus_note=note)), "about").source


def test_saving_leaves_no_part_file(notebook, tmp_path):
    path = save_notebook(notebook, tmp_path / "deep" / "a.ipynb")
    assert [p.name for p in path.parent.iterdir()] == ["a.ipynb"]
    assert json.loads(path.read_text())["nbformat"] == 4
    assert path.read_text().endswith("}\n")


def test_wide_tables_do_not_make_wide_notebooks(document):
    columns = tuple(replace(document.table.columns[0], name=f"column_{n}") for n in range(300))
    wide = replace(document, table=replace(document.table, columns=columns))
    assert len(notebook_text(write_notebook(wide))) < 100_000


@pytest.mark.parametrize("key", ["a b", "ä", "x" * 100, "", "trend/price"])
def test_any_key_gives_a_valid_cell_id(key):
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", cell_id(key))


def test_different_keys_give_different_ids():
    assert len({cell_id(k) for k in ("a b", "a_b", "a-b", "a/b", "x" * 100, "x" * 101)}) == 6
