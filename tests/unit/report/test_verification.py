import math
from dataclasses import replace

import pytest

from lakebook.analyst.claim import Claim
from lakebook.report.notebook_writer import write_notebook
from lakebook.report.verification import (
    changed_sources,
    check_claims,
    compare,
    published_claims,
    unreached,
)
from lakebook.sandbox.base import Evaluation
from lakebook.storage import hash_file


def number(value, shown, spec=".2f"):
    return Claim("c001", "x", "number", "f['x']", value, shown, spec)


@pytest.mark.parametrize(
    ("now", "holds"),
    [(1.354, True), (1.3461, True), (1.36, False), (1.3449, False), (-1.35, False), (0, False)],
)
def test_numbers_agree_if_they_print_the_same(now, holds):
    check = compare(number(1.35, "1.35"), Evaluation("", now))
    assert check.holds is holds
    assert check.stated == "1.35"


def test_a_difference_in_the_last_bits_is_no_difference():
    # 0.285 prints as 0.28 or 0.29, by the last bit alone.
    one, other = 0.285, math.nextafter(0.285, 1)
    assert compare(number(one, f"{one:.2f}"), Evaluation("", other)).holds


@pytest.mark.parametrize(
    ("value", "spec", "shown", "now", "holds"),
    [
        (1234567, ",d", "1,234,567", 1234567.0, True),
        (1234567, ",d", "1,234,567", 1234568, False),
        (0.1234, ".1%", "12.3%", 0.1229, True),
        (0.1234, ".1%", "12.3%", 0.1241, False),
        (3, ",d", "3", 3.5, False),
        (-0.001, ".2f", "0.00", 0.001, True),
        (5, ",d", "5", "5", False),
        (5, ",d", "5", True, False),
        (5.0, ".1f", "5.0", None, False),
        (5.0, ".1f", "5.0", math.inf, False),
    ],
)
def test_formats(value, spec, shown, now, holds):
    assert compare(number(value, shown, spec), Evaluation("", now)).holds is holds


@pytest.mark.parametrize("kind", ["direction", "absence"])
@pytest.mark.parametrize(
    ("now", "holds"), [(True, True), (False, False), (None, False), (1, False), ("True", False)]
)
def test_words_stand_only_if_their_test_is_true(kind, now, holds):
    claim = Claim("c001", "x", kind, "slope > 0", True, "rises")
    check = compare(claim, Evaluation("", now))
    assert check.holds is holds
    assert check.recomputed == ("rises" if holds else "not 'rises'")


def test_a_false_predicate_cannot_be_stated_as_false():
    claim = Claim("c001", "x", "direction", "slope > 0", False, "rises")
    assert not compare(claim, Evaluation("", False)).holds


@pytest.mark.parametrize(
    ("now", "holds"), [("North", True), ("South", False), (["North"], False), (None, False)]
)
def test_labels(now, holds):
    assert compare(Claim("c001", "x", "label", "top", "North", "North"), Evaluation("", now)).holds is holds


def test_an_expression_that_fails_does_not_hold():
    check = compare(number(1, "1", "d"), Evaluation("", None, "NameError: f"))
    assert not check.holds
    assert "NameError: f" in check.reason


def test_a_shown_number_that_is_not_the_checked_one_does_not_hold():
    check = compare(number(1.35, "1.53"), Evaluation("", 1.35))
    assert not check.holds
    assert check.reason == "the text shows 1.53, the checked value is 1.35"
    assert not compare(number(1.35, "11.35"), Evaluation("", 1.35)).holds


def test_a_shown_number_may_carry_a_unit():
    assert compare(number(1.35, "$1.35 a piece"), Evaluation("", 1.35)).holds


def test_claims_are_read_back_as_they_were_written(document):
    found = published_claims(write_notebook(document))
    written = [
        c
        for f in document.findings.findings[:2]
        for i in f.insights
        if i.verdict != "withheld"
        for c in i.claims
    ]
    assert {item.claim for item in found} == {*written, *document.reused[0].insights[0].claims}
    assert all(item.shown_in_cell for item in found)
    assert found[0].cell == "trend_unit_price-insights"


def test_a_word_at_the_start_of_a_sentence_is_found_though_it_is_capitalised(document):
    first = document.findings.findings[0]
    claim = Claim("c001", "w", "direction", "True", True, "most rows")
    insight = replace(first.insights[0], text="Most rows are cheap.", claims=(claim,))
    findings = replace(document.findings, findings=(replace(first, insights=(insight,)),))
    (found, *_) = published_claims(write_notebook(replace(document, findings=findings)))
    assert found.shown_in_cell


def test_an_edited_number_is_caught(document):
    notebook = write_notebook(document)
    cell = next(c for c in notebook.cells if c.id == "trend_unit_price-insights")
    cell.source = cell.source.replace("2.54", "3.54")
    claims = published_claims(notebook)
    checks = check_claims(claims, [Evaluation("", item.claim.value) for item in claims])
    assert [c.claim for c in checks if not c.holds] == ["c002"]
    assert "no longer says '2.54'" in checks[1].reason


def test_unedited_claims_all_hold(document):
    claims = published_claims(write_notebook(document))
    checks = check_claims(claims, [Evaluation("", item.claim.value) for item in claims])
    assert len(checks) == 8
    assert all(check.holds for check in checks)


def test_a_foreign_notebook_has_no_claims():
    from nbformat.v4 import new_code_cell, new_notebook

    foreign = new_notebook(cells=[new_code_cell("1 + 1", metadata={"lakebook": "odd"})])
    assert published_claims(foreign) == ()


def test_unreached_claims_do_not_hold(document):
    checks = unreached(published_claims(write_notebook(document)), "not reached")
    assert {check.holds for check in checks} == {False}


def test_changed_sources(document, lake):
    notebook = write_notebook(document)
    assert changed_sources(notebook, lake) == ()
    (lake / "prices.csv").write_text("week\n1\n")
    assert changed_sources(notebook, lake) == ("prices.csv",)
    (lake / "prices.csv").unlink()
    assert changed_sources(notebook, lake) == ("prices.csv (not there)",)


def test_file_hash(tmp_path):
    (tmp_path / "x").write_bytes(b"abc")
    assert hash_file(tmp_path / "x").startswith("ba7816bf8f01cfea")
