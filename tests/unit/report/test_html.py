from html.parser import HTMLParser

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from lakebook.report.execute import execute_notebook
from lakebook.report.html import write_html
from lakebook.report.notebook_writer import write_notebook
from lakebook.report.outline import read_outline

VOID = {"meta", "br", "hr", "img", "input", "link"}


class Checker(HTMLParser):
    """Collects ids, links and sources, and fails on tags that do not match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.sources, self.tags = [], [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.append(tag)
        assert not any(name.startswith("on") for name in given)
        if "id" in given:
            self.ids.append(given["id"])
        if "href" in given:
            self.links.append(given["href"])
        if "src" in given:
            self.sources.append(given["src"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture
def page(document, session):
    return write_html(read_outline(execute_notebook(write_notebook(document), session).notebook))


def test_tags_match_and_ids_are_unique(page):
    seen = Checker(page)
    assert seen.open == []
    assert len(seen.ids) == len(set(seen.ids))


def test_every_link_inside_the_page_has_its_place(page):
    seen = Checker(page)
    inside = [link[1:] for link in seen.links if link.startswith("#")]
    assert len(inside) > 20
    assert set(inside) <= set(seen.ids)


def test_nothing_is_loaded_and_nothing_runs(page):
    seen = Checker(page)
    assert "script" not in seen.tags
    assert "link" not in seen.tags
    assert all(source.startswith("data:image/") for source in seen.sources)
    assert "default-src 'none'" in page
    assert "@import" not in page
    assert "url(" not in page


def test_findings_come_first_and_code_is_folded(page):
    assert page.index("Key findings</h2>") < page.index("Set-up and data</h2>")
    assert page.count('<details class="code">') == 8
    assert '<details class="code" open>' not in page


def test_values_of_the_data_are_text(page):
    assert "South &amp; &lt;East&gt;" in page
    assert "<East>" not in page


def test_dark_and_print_are_provided(page):
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page


def test_the_same_notebook_gives_the_same_page(document, session):
    notebook = execute_notebook(write_notebook(document), session).notebook
    assert write_html(read_outline(notebook)) == write_html(read_outline(notebook))


def test_a_failed_cell_is_open_and_marked(document, session):
    notebook = write_notebook(document)
    next(c for c in notebook.cells if c.id == "prepare").source = "1 / 0"
    page = write_html(read_outline(execute_notebook(notebook, session).notebook))
    assert '<details class="code failed" open>' in page
    assert "This notebook is not complete" in page
    assert 'class="prose role-error"' in page


def test_hostile_cells_do_no_harm():
    attack = "<script>alert(1)</script><img src=x onerror=alert(1)><iframe src='http://x.test'></iframe></div></main>"
    cells = [
        new_markdown_cell(f"# T {attack}\n\n[x](javascript:alert(1)) ![p](http://x.test/p.png) {attack}"),
        new_code_cell(
            f"print('{attack}')",
            metadata={"lakebook": {"role": "<script>", "alt": '"><script>alert(1)</script>'}},
            outputs=[
                new_output("stream", text=attack),
                new_output(
                    "display_data",
                    {"text/html": attack + "<table><tr><td onclick=alert(1)>1</td></tr></table>"},
                ),
                new_output("display_data", {"text/markdown": attack}),
                new_output("display_data", {"image/svg+xml": f"<svg>{attack}</svg>"}),
                new_output("error", ename=attack, evalue=attack, traceback=[attack]),
            ],
        ),
    ]
    notebook = new_notebook(
        cells=cells, metadata={"title": attack, "lakebook": {"analyst": attack, "version": attack}}
    )
    page = write_html(read_outline(notebook, attack))
    seen = Checker(page)
    assert seen.open == []
    assert "script" not in seen.tags
    assert "iframe" not in seen.tags
    assert all(source.startswith("data:image/") for source in seen.sources)
    assert all(link.startswith("#") for link in seen.links)
    assert seen.tags.count("main") == 1


def test_a_big_notebook_makes_a_bounded_page():
    table = "<table>" + ("<tr>" + "<td>1234</td>" * 250 + "</tr>") * 2000 + "</table>"
    cells = [new_code_cell("df", outputs=[new_output("execute_result", {"text/html": table})])]
    page = write_html(read_outline(new_notebook(cells=cells)))
    assert len(page) < 200_000
    assert "1,940 of 2,000 rows and 220 of 250 columns are only in the notebook" in page
