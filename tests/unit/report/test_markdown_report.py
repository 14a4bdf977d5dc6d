import pytest

from lakebook.report.execute import execute_notebook
from lakebook.report.markdown import to_markdown, write_markdown
from lakebook.report.notebook_writer import write_notebook
from lakebook.report.outline import read_outline
from lakebook.report.prose import render_markdown
from lakebook.report.richtext import parse_html, to_html


@pytest.mark.parametrize(
    "source",
    [
        "# One\n\ntext",
        "a **b** *c* `d` ~~e~~",
        "- a\n- b\n  - c\n- d",
        "1. a\n2. b",
        "3. a\n4. b",
        "> quoted\n>\n> twice",
        "```\ncode <b>\n```",
        "| a | b |\n| --- | --- |\n| 1 | 2\\|3 |",
        "[a](http://x.test/a_(b)) and [b](c%20d.ipynb)",
        "---",
        "x<sup>2</sup>",
        "costs \\$5 \\* 3 \\_x\\_ &lt;b>",
    ],
)
def test_markdown_means_the_same_after_a_round_trip(source):
    body = render_markdown(source)
    again = render_markdown(to_markdown(body))
    assert squeeze(to_html(again)) == squeeze(to_html(body))


def squeeze(html):
    # Columns are aligned in what we write, whether they were before or not.
    return "".join(html.replace(' align="left"', "").split())


def test_html_of_others_becomes_markdown():
    body = parse_html(
        "<div><p>a <b>b</b></p><script>x</script><table><tr><th>h</th></tr><tr><td>1</td></tr></table></div>"
    )
    assert to_markdown(body) == "a **b**\n\n| h |\n| :-- |\n| 1 |"


@pytest.fixture
def report(document, session):
    return write_markdown(
        read_outline(execute_notebook(write_notebook(document), session).notebook), "figures"
    )


def test_the_report_has_everything(report):
    assert report.startswith(
        "# How prices move\n\n> how do prices\\* move?\n\n- Numbers in the text: **8 of 8"
    )
    assert (
        "![Prices rise over the weeks. The mean price rises from 1.72 to 2.54.](figures/figure-01.png)"
        in report
    )
    assert "data:image" not in report
    assert "The mean price rises from 1.72<sup>1</sup> to 2.54<sup>2</sup>." in report
    assert "<details><summary>Code: computation</summary>\n\n```python\n" in report
    assert (
        "| 1 | The mean price rises from 1.72 to 2.54. | 1.72 | `trend_unit_price['first']` | r003 | yes |"
        in report
    )


def test_the_report_is_readable_markdown(report):
    body = render_markdown(report)
    assert len(body.find("h2")) == 9
    assert len(body.find("table")) == 3
