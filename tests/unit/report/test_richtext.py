import base64

import pytest

from lakebook.report.richtext import Element, is_safe_image, is_safe_link, parse_html, to_html

PNG = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\nrest").decode()

HOSTILE = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//x.test/a.js></SCRIPT>",
    "<script>alert(1)",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<img src='http://x.test/track.png'>",
    "<img src='//x.test/track.png'>",
    "<img src='javascript:alert(1)'>",
    "<img src='data:text/html;base64,PHNjcmlwdD4='>",
    "<svg onload=alert(1)><script>alert(1)</script></svg>",
    "<svg><a xlink:href='javascript:alert(1)'>x</a></svg>",
    "<math><mtext><script>alert(1)</script></mtext></math>",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href=' java\nscript:alert(1)'>x</a>",
    "<a href='&#106;avascript:alert(1)'>x</a>",
    "<a href='JaVaScRiPt:alert(1)'>x</a>",
    "<a href='\x01javascript:alert(1)'>x</a>",
    "<a href='vbscript:x'>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<a href='//x.test/'>x</a>",
    "<a href='http://ok.test' onclick='alert(1)'>x</a>",
    "<iframe src='http://x.test'></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data='x'></object><embed src='x'>",
    "<style>@import 'http://x.test/a.css'; body{display:none}</style>",
    "<link rel=stylesheet href='http://x.test/a.css'>",
    "<meta http-equiv=refresh content='0;url=http://x.test'>",
    "<base href='http://x.test/'>",
    "<form action='http://x.test'><input name=a><button>go</button></form>",
    "<div style='background:url(http://x.test/a.png)'>x</div>",
    "<div onmouseover=alert(1)>x</div>",
    "<p id='main' class='contents' style='position:fixed'>x</p>",
    "<template><script>alert(1)</script></template>",
    "<noscript><p title='</noscript><script>alert(1)</script>'></noscript>",
    "<video src='http://x.test/a.mp4'></video><audio src=x></audio>",
    "<!--><script>alert(1)</script>-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?php echo 1 ?>",
    "</div></main></body><p>after</p>",
    "<table><tr><td><table><tr><td></table></table></div>",
    "<a name='x\" onclick=\"alert(1)'>x</a>",
    "<span class='k\" onclick=\"alert(1)'>x</span>",
    "<td colspan='2\" onclick=\"alert(1)'>x</td>",
    "<ol start='1\" onclick=\"alert(1)'><li>x</ol>",
    "<textarea><script>alert(1)</script></textarea>",
    "<title><script>alert(1)</script></title>",
    "<xmp><script>alert(1)</script></xmp>",
    "<" * 50 + "script>alert(1)",
]
ALLOWED = {"href", "id", "class", "colspan", "rowspan", "align", "start", "src", "alt"}


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_runs_or_loads_survives(text):
    root = parse_html(text)
    for element in root.walk():
        assert element.tag not in {
            "script",
            "style",
            "iframe",
            "svg",
            "form",
            "object",
            "link",
            "meta",
            "base",
        }
        assert set(element.attributes) <= ALLOWED
        assert not element.attributes.get("src") or element.attributes["src"].startswith("data:image/")
        assert not element.attributes.get("href") or is_safe_link(element.attributes["href"])
        assert "class" not in element.attributes or element.tag == "span"
    written = to_html(root)
    again = parse_html(written)
    assert to_html(again.children[0]) == written
    for element in again.walk():
        assert not any(name.startswith("on") for name in element.attributes)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_stray_end_tag_leaves_the_block(text):
    written = to_html(parse_html(text))
    assert written.startswith("<div>")
    assert written.endswith("</div>")
    assert "</main>" not in written
    assert "</body>" not in written


@pytest.mark.parametrize(
    "target",
    [
        "http://a.test/x?y=1&z=2",
        "https://a.test",
        "mailto:a@b.test",
        "#part",
        "a/b.ipynb#cell-id=x",
        "../up.csv",
        "x:y/z"[2:],
    ],
)
def test_ordinary_links_are_kept(target):
    link = parse_html(f'<a href="{target}">x</a>').find("a")[0]
    assert link.attributes["href"] == target


@pytest.mark.parametrize(
    "target",
    [
        "",
        "javascript:x",
        " javascript:x",
        "java\tscript:x",
        "file:///etc/passwd",
        "//x.test",
        "\u200bjavascript:x",
    ],
)
def test_other_links_are_not(target):
    assert not is_safe_link(target)


def test_a_picture_is_kept_only_if_it_is_wholly_in_the_text():
    assert is_safe_image(PNG)
    assert parse_html(f'<img src="{PNG}" alt="a &quot;b&quot;">').find("img")[0].attributes["alt"] == 'a "b"'
    left_out = parse_html('<img src="http://x.test/a.png" alt="chart">')
    assert left_out.text() == "[picture left out: chart]"


def test_the_text_of_unknown_elements_stays():
    assert parse_html("<center>a <blink>b</blink></center> c").text() == "a b c"


def test_what_is_not_for_readers_goes_with_its_text():
    assert parse_html("a<style>b</style><script>c</script><svg><text>d</text></svg>e").text() == "ae"


def test_a_pandas_table_keeps_its_cells_and_spans():
    frame = """<div><style scoped>.x{}</style><table border="1" class="dataframe"><thead><tr style="x">
    <th></th><th colspan="2">a</th></tr></thead><tbody><tr><th rowspan="2">0</th><td>1</td><td>2</td></tr>
    <tr><td>3</td><td>4</td></tr></tbody></table></div>"""
    table = parse_html(frame).find("table")[0]
    assert [cell.text() for cell in table.find("td")] == ["1", "2", "3", "4"]
    assert table.find("th")[1].attributes == {"colspan": "2"}
    assert table.find("th")[2].attributes == {"rowspan": "2"}


def test_end_tags_may_be_left_out():
    items = parse_html("<ul><li>a<li>b</ul><table><tr><td>1<td>2<tr><td>3</table>")
    assert [item.text() for item in items.find("li")] == ["a", "b"]
    assert [len(row.find("td")) for row in items.find("tr")] == [2, 1]


def test_entities_are_text():
    assert parse_html("&lt;script&gt;").text() == "<script>"
    assert to_html(parse_html("&lt;script&gt;")) == "<div>&lt;script&gt;</div>"


def test_very_deep_nesting_is_flattened_not_refused():
    root = parse_html("<div>" * 5000 + "x" + "</div>" * 5000)
    assert root.text() == "x"
    assert to_html(root).count("<div>") < 5001


def test_an_element_is_equal_only_to_itself():
    assert Element("p", {}, ["x"]) != Element("p", {}, ["x"])
