from dataclasses import replace

from lakebook.enhancement.enhanced import Repair
from lakebook.report.notebook_writer import write_notebook
from lakebook.report.prose import render_markdown
from lakebook.report.reuse import component_source, repairs_markdown


def cell(notebook, key):
    return next(c for c in notebook.cells if c.id == key)


def test_a_reused_component_links_back_to_notebook_and_cell(document):
    head = cell(write_notebook(document), "trend_unit_price-reuse-comp1-head")
    assert "### Earlier work on this question: Price by week" in head.source
    assert (
        "[weekly (old).ipynb, cell 4](../old%20notebooks/weekly%20%28old%29.ipynb#cell-id=abc-1)"
        in head.source
    )
    assert head.metadata.lakebook.reused == {
        "component": "comp1",
        "notebook": "weekly (old).ipynb",
        "cell": 3,
        "cell_id": "abc-1",
    }


def test_the_link_leads_to_a_file_that_is_there(document):
    head = cell(write_notebook(document), "trend_unit_price-reuse-comp1-head").source
    target = render_markdown(head).find("a")[0].attributes["href"].split("#")[0]
    from urllib.parse import unquote

    assert (document.out_dir / unquote(target)).resolve() == (
        document.corpus_dir / "weekly (old).ipynb"
    ).resolve()


def test_columns_and_repairs_are_told(document):
    head = cell(write_notebook(document), "trend_unit_price-reuse-comp1-head").source
    assert "`AvgPrice` → `unit_price` (same unit)" in head
    assert "unchanged: `week`" in head
    assert "- df['AvgPrice']\n+ df['unit_price']" in head


def test_a_repair_that_changes_the_question_says_so():
    text = repairs_markdown((Repair("drop_column", "a\nb", "", changes_meaning=True),))
    assert "@@ drop_column (changes the question asked) @@" in text
    assert "- a\n- b" in text
    assert "#" not in text


def test_the_evidence_for_a_repair_stands_with_it():
    repair = Repair(
        "other_value", "x == 'male'", "x == 'M'", True, "sex has 'M': its values go by one letter"
    )
    text = repairs_markdown((repair,))
    assert "# sex has 'M': its values go by one letter\n- x == 'male'" in text


def test_the_cell_defines_calls_and_reads_what_was_drawn(document):
    methods = "def drawn_data():\n    return []\n"
    source = component_source(document.reused[0], methods, document.table)
    assert source.endswith("\n    component_comp1()\ndrawn_comp1 = drawn_data()")
    assert 'warnings.simplefilter("ignore", DeprecationWarning)' in source
    compile(source, "<cell>", "exec")


def test_drawn_data_is_left_out_where_no_method_reads_it(document):
    assert component_source(document.reused[0], "", document.table).endswith("\n    component_comp1()")


def test_a_call_that_is_there_is_not_repeated(document):
    item = document.reused[0]
    code = item.enhanced.code + "\n\ncomponent_comp1()\n"
    source = component_source(replace(item, enhanced=replace(item.enhanced, code=code)), "", document.table)
    assert source.count("\ncomponent_comp1()") == 1


def test_without_a_corpus_folder_the_place_is_plain_text(document):
    head = cell(
        write_notebook(replace(document, corpus_dir=None)), "trend_unit_price-reuse-comp1-head"
    ).source
    assert "From weekly (old).ipynb, cell 4, run on this data." in head


def test_a_component_of_no_section_gets_its_own_place(document):
    findings = tuple(replace(f, components=()) for f in document.findings.findings)
    written = write_notebook(replace(document, findings=replace(document.findings, findings=findings)))
    ids = [c.id for c in written.cells]
    assert "more-reuse-comp1" in ids
    assert ids.index("groups_region-head") < ids.index("more-head") < ids.index("limits")


def test_a_failed_component_has_no_cell(document):
    assert not any("comp2" in c.id for c in write_notebook(document).cells)
