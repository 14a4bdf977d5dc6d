"""Invariants of the report: text stays text, foreign HTML stays harmless, for any input."""

from hypothesis import given, settings
from hypothesis import strategies as st

from lakebook.report.cells import cell_id
from lakebook.report.markup import escape, escape_inline
from lakebook.report.prose import render_markdown
from lakebook.report.richtext import BLOCKS, INLINE, is_safe_image, is_safe_link, parse_html, to_html

LINE = st.text(
    st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp", "Zs"), whitelist_characters=" "), max_size=60
)
TAGS = "<script> </script> <p\t <td> </table> <table> <!-- --> <svg> </svg> <style> </style> <li> <ul> </div>"
PARTS = (
    "onclick=x > <a\thref='java script:x'> <img\tsrc= data:image/png;base64,AA== ' \" x &lt; <![CDATA[ < /"
)
PIECES = st.lists(st.sampled_from([*TAGS.split(" "), *PARTS.split(" "), "\x00", " "]), max_size=25)


def words(text: str) -> list[str]:
    return text.split()


@given(LINE)
@settings(max_examples=300, deadline=None)
def test_escaped_text_reads_as_it_was(text):
    body = render_markdown(escape(text))
    assert words(body.text()) == words(text)
    assert {element.tag for element in body.walk()} <= {"div", "p"}


@given(LINE)
@settings(max_examples=200, deadline=None)
def test_escaped_text_reads_as_it_was_in_a_table(text):
    body = render_markdown(f"| a |\n| --- |\n| x {escape_inline(text)} |")
    assert words(body.find("td")[0].text()) == ["x", *words(text)]


@given(PIECES)
@settings(max_examples=400, deadline=None)
def test_any_html_becomes_safe_and_stays_the_same(pieces):
    root = parse_html("".join(pieces))
    for element in root.walk():
        assert element.tag in BLOCKS | INLINE
        assert set(element.attributes) <= {
            "href",
            "id",
            "class",
            "colspan",
            "rowspan",
            "align",
            "start",
            "src",
            "alt",
        }
        assert (
            is_safe_image(element.attributes["src"])
            if element.tag == "img"
            else "src" not in element.attributes
        )
        assert is_safe_link(element.attributes["href"]) if "href" in element.attributes else True
    written = to_html(root)
    assert "<script" not in written
    # Written and read once more it is harmless still, and no text was lost.
    assert parse_html(written).text() == root.text()


@given(st.text(max_size=100), st.text(max_size=100))
def test_cell_ids_are_valid_and_different(one, other):
    assert len(cell_id(one)) <= 64
    assert (cell_id(one) == cell_id(other)) is (one == other) or {one, other} & {"", "cell"}
