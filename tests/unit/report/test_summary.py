from dataclasses import replace

import pytest

from lakebook.report.opening import key_findings
from lakebook.report.summary import checks_line, summarize
from lakebook.report.verification import ClaimCheck


def check(number, holds):
    return ClaimCheck(f"c{number:03d}", "", "1", "1", holds)


def test_the_summary_tells_findings_and_checks(document):
    text = summarize(document.findings, [check(1, True), check(2, True)])
    assert "1. Prices rise over the weeks: The mean price rises from 1.72 to 2.54." in text
    assert "(suggestive only)" in " ".join(text.split())
    assert text.endswith("2 sections. All 2 numbers in the text were recomputed and hold.")
    assert max(map(len, text.splitlines())) <= 88
    assert "Nothing new" not in text


@pytest.mark.parametrize(
    ("checks", "line"),
    [
        ([], "The text states no number that could be recomputed."),
        ([check(1, True)], "The one number in the text was recomputed and holds."),
        ([check(1, True), check(2, False)], "1 of 2 numbers in the text do NOT hold when recomputed: c002."),
        ([check(1, False)], "1 of 1 numbers in the text do NOT hold when recomputed: c001."),
    ],
)
def test_checks_line(checks, line):
    assert checks_line(checks) == line


def test_nothing_found_is_said(document):
    assert summarize(replace(document.findings, findings=()), []).startswith(
        "Nothing could be stated with support."
    )


def test_key_findings_are_the_best_supported_ones(document):
    finding = document.findings.findings[0]
    scores = [0.1, 0.9, 0.5, 0.4, 0.6, 0.7, 0.8, 0.2]
    findings = [replace(finding, key=f"k{n}", score=score) for n, score in enumerate(scores)]
    assert key_findings(findings) == [1, 6, 5, 4, 2, 3]


def test_suggestive_findings_only_fill_up(document):
    finding = document.findings.findings[0]
    weak = [
        replace(finding, verdict="suggestive", score=0.99),
        replace(finding, verdict="suggestive", score=0.98),
    ]
    firm = [replace(finding, score=0.1), replace(finding, score=0.2), replace(finding, score=0.3)]
    assert key_findings([*weak, *firm]) == [4, 3, 2]
    assert key_findings([*weak, *firm[:2]]) == [3, 2, 0]


def test_a_finding_of_cautions_only_is_no_key_finding(document):
    finding = document.findings.findings[0]
    cautions = tuple(replace(i, caution=True) for i in finding.insights)
    assert key_findings([replace(finding, insights=cautions)]) == []


def test_answers_come_before_the_traps_and_what_a_row_is_stays_below(document):
    finding = document.findings.findings[0]
    plays = ["S01", "S04", "S06", "S08", "S02", "G02", "T01", "U01", "T02", "T08"]
    findings = [replace(finding, play=p, key=p, score=1 - n / 20) for n, p in enumerate(plays)]
    assert [plays[i] for i in key_findings(findings)] == ["G02", "T01", "T02", "T08", "S04", "S06"]


def test_one_closest_partner_is_enough_at_the_top(document):
    finding = document.findings.findings[0]
    plays = ["R01", "R02", "R07", "G01", "G02"]
    findings = [replace(finding, play=p, key=p, score=1 - n / 20) for n, p in enumerate(plays)]
    assert [plays[i] for i in key_findings(findings)] == ["R01", "G01", "G02"]


def test_what_the_question_names_comes_first(document):
    finding = document.findings.findings[0]
    findings = [replace(finding, key=f"k{n}", score=1 - n / 20, answers=n % 3) for n in range(6)]
    assert key_findings(findings) == [2, 5, 1, 4]
    few = [replace(f, answers=min(1, f.answers) if f.key == "k1" else 0) for f in findings]
    assert key_findings(few) == [1, 0, 2, 3, 4, 5]
