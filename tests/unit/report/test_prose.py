import base64

import pytest

from lakebook.report.prose import claim_number, mark_claims, render_code, render_markdown, without_claim_links
from lakebook.report.richtext import to_html


def marked(source, *mentions):
    body = render_markdown(source)
    mark_claims(body, mentions)
    return body


def shown(body):
    return body.text().strip()


def test_every_number_gets_its_mark_in_order():
    body = marked("It rises from 1.5 to 2.5.", ("c001", "1.5"), ("c002", "2.5"))
    assert shown(body) == "It rises from 1.51 to 2.52."
    assert [a.attributes["href"] for a in body.find("a")] == ["#claim-c001", "#claim-c002"]


def test_the_same_number_twice_is_marked_twice():
    assert shown(marked("5 of 5 rows", ("c001", "5"), ("c002", "5"))) == "51 of 52 rows"


def test_claims_out_of_order_are_found():
    assert shown(marked("a 7 b 8", ("c001", "8"), ("c002", "7"))) == "a 72 b 81"


def test_part_of_a_longer_number_is_not_marked():
    body = marked("15 and 1.55 and 5", ("c001", "5"))
    assert shown(body) == "15 and 1.55 and 51"


def test_a_capital_at_the_start_is_no_obstacle():
    assert shown(marked("Most rows are so.", ("c001", "most rows"))) == "Most rows1 are so."


def test_a_claim_that_is_not_found_is_linked_at_the_end():
    assert shown(marked("Nothing here.", ("c012", "99"))) == "Nothing here.12"


def test_code_and_links_are_not_marked():
    body = marked("`5` [5](http://x.test) 5", ("c001", "5"))
    assert body.find("code")[0].text() == "5"
    assert to_html(body).index("claim-c001") > to_html(body).index("http://x.test")


def test_marked_words_in_bold():
    assert marked("**5 rows**", ("c001", "5")).find("strong")[0].find("sup")


@pytest.mark.parametrize(
    ("claim", "number"), [("c001", "1"), ("c120", "120"), ("x9", "x9"), ("c000", "c000")]
)
def test_claim_number(claim, number):
    assert claim_number(claim) == number


def test_the_links_of_the_notebook_are_taken_out_before():
    source = "It is 5. <sup>[c001–c002](#Where-every-number-comes-from)</sup>\n\nx<sup>2</sup>"
    assert without_claim_links(source) == "It is 5.\n\nx<sup>2</sup>"


def test_a_list_right_after_a_sentence_is_a_list():
    assert len(render_markdown("so:\n- a\n- b").find("li")) == 2


def test_pictures_come_from_attachments():
    png = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
    body = render_markdown("![a](attachment:x.png) ![b](attachment:gone.png)", {"x.png": {"image/png": png}})
    assert [image.attributes["alt"] for image in body.find("img")] == ["a"]
    assert "[picture left out: b]" in body.text()


def test_code_is_coloured_and_complete():
    body = render_code("def f(x):\n    return x < 1  # <b>")
    assert body.text().strip() == "def f(x):\n    return x < 1  # <b>"
    assert {"k", "nf"} <= {span.attributes.get("class") for span in body.find("span")}


def test_unknown_languages_are_plain():
    assert render_code("x <- 1", "no-such-language").text().strip() == "x <- 1"
