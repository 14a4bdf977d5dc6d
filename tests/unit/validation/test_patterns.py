"""What patterns take in, and what they pass over."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lakebook.operators.record import Finding

Said = Callable[[str, str], tuple[Finding, ...]]


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("code like 'a_b'", "'axb'"),
        ("code like '%a_b%'", "'axb'"),
        ("code like '50%'", "'500'"),
        ("code like '5%0%'", "'500'"),
        ("regexp_matches(price, '1.200')", ""),
        ("regexp_matches(price, '$15')", "'$15'"),
        ("regexp_matches(price, 'n/a*')", ""),
    ],
)
def test_f10_tells_what_a_sign_matches_besides_itself(said: Said, condition: str, told: str) -> None:
    findings = said(f"select count(*) from shop where {condition}", "F10")
    assert [finding.action for finding in findings] == (["advise"] if told else [])
    assert all(told in finding.values for finding in findings)


@pytest.mark.parametrize(
    "condition",
    [
        r"code like 'a\_b' escape '\'",
        "code like 'a%'",
        "code like '%5%'",
        "code like 'ax_'",
        "regexp_matches(code, '^a.b$')",
        "contains(price, '$15')",
    ],
)
def test_f10_is_silent_where_no_sign_stands_in_the_data(said: Said, condition: str) -> None:
    assert said(f"select count(*) from shop where {condition}", "F10") == ()


@pytest.mark.parametrize(
    ("condition", "inside"),
    [
        ("gender ilike '%male%'", "'Female'"),
        ("country like '%US%'", "'AUSTRIA'"),
        ("contains(country, 'US')", "'RUSSIA'"),
        ("note ilike '%love%'", "'Glove, left'"),
        ("regexp_matches(country, 'US')", "'AUSTRIA'"),
        ("position('US' in country) > 0", "'AUSTRIA'"),
        ("not country like '%US%'", "'AUSTRIA'"),
        ("country not like '%US%'", "'AUSTRIA'"),
        ("contains(lower(gender), 'male')", "'Female'"),
        ("lower(country) like '%us%'", "'AUSTRIA'"),
    ],
)
def test_f11_lists_what_only_has_the_text_inside_a_word(said: Said, condition: str, inside: str) -> None:
    (finding,) = said(f"select count(*) from shop where {condition}", "F11")
    assert finding.action == "advise"
    assert inside in finding.values


@pytest.mark.parametrize(
    "condition",
    [
        "gender like '%Male%'",
        "gender = 'Male'",
        "country like 'US%'",
        "note ilike '%child%'",
        "note ilike '%left%'",
    ],
)
def test_f11_is_silent_on_words_and_on_stems(said: Said, condition: str) -> None:
    assert said(f"select count(*) from shop where {condition}", "F11") == ()


def test_f19_tells_the_same_word_in_another_letter_case(said: Said) -> None:
    (finding,) = said("select count(*) from shop where note like '%love%'", "F19")
    assert finding.action == "advise"
    assert finding.values == ("'Love it'",)


def test_f19_tells_the_same_start_in_another_letter_case(said: Said) -> None:
    (finding,) = said("select count(*) from shop where state like 'm%'", "F19")
    assert set(finding.values) == {"'MA'", "'Mass'"}


def test_f11_tells_a_value_that_goes_on_after_a_whole_one(said: Said) -> None:
    (finding,) = said("select count(*) from shop where state ilike 'ma%'", "F11")
    assert "'Mass'" in finding.values
    assert said("select count(*) from shop where code like 'axb%' or country like 'US%'", "F11") == ()


def test_f19_tells_of_a_pattern_without_a_match(said: Said) -> None:
    (finding,) = said("select count(*) from shop where state like 'Z%'", "F19")
    assert "matches no row" in finding.message


@pytest.mark.parametrize("condition", ["note ilike '%love%'", "country like '%US%'", "state like 'M%'"])
def test_f19_is_silent_where_case_is_folded_or_meant(said: Said, condition: str) -> None:
    assert said(f"select count(*) from shop where {condition}", "F19") == ()
