"""What is left of values, findings, errors and code where no cell value may leave."""

from __future__ import annotations

import pytest

from lakebook.analyst.model.privacy.masking import bare_error, bare_python, bare_sql, bare_text, shape_of

NAMES = ("sales", "region", "Order Date", "q1_2019")


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ("AB-12 km", "XX-99 xx"),
        ("Zürich", "Xxxxxx"),
        ("東京 ３", "xx 9"),
        (-3.5, "-9.9"),
        ("😀!", "·!"),
        ("a" * 50, "x" * 40 + "…"),
        ("", ""),
    ],
)
def test_a_shape_shows_the_form_and_nothing_else(value: object, shape: str) -> None:
    assert shape_of(value) == shape


@pytest.mark.parametrize(
    ("text", "values", "left"),
    [
        ("region has no value 'Nort'.", (), "region has no value '…'."),
        ("Nearest: 'North', \"O'Brien\".", ("'North'", '"O\'Brien"'), "Nearest: …."),
        ("sales.region is null in 1,204 rows", (), "sales.region is null in 1,204 rows"),
        ("Order Date is null in 3 of 12 rows", (), "Order Date is null in 3 of 12 rows"),
        ("q1_2019 holds 7 different values, up to 99.5", (), "q1_2019 holds 7 different values, up to …"),
        ("WHERE amount > 1234 AND region = 'North'", (), "WHERE amount > … AND region = '…'"),
        ("column 'region' holds -9999", (), "column 'region' holds …"),
        ("it starts with Canary", ("Canary",), "it starts with …"),
        ("Write 'it''s'; 2019-01-02 is the first", (), "Write '…'; … is the first"),
    ],
)
def test_what_our_rules_write_keeps_names_and_counts(text: str, values: tuple[str, ...], left: str) -> None:
    assert bare_text(text, values, NAMES) == left


@pytest.mark.parametrize(
    ("error", "left"),
    [
        (
            "Conversion Error: Could not convert string 'Canary 7' to INT32",
            "Conversion Error: Could not convert string '…' to INT32",
        ),
        (
            'Binder Error: Referenced column "reigon" not found in FROM clause! Candidate bindings: "region"',
            "Binder Error: Referenced column '…' not found in FROM clause! Candidate bindings: \"region\"",
        ),
        ('Invalid Input Error: date field value out of range: "2020-13-01"', None),
        ("ValueError: bad row Canary of Zürich 2019 (42)", "ValueError: bad row … of … (…)"),
        ("KeyError: 'open'", "KeyError: '…'"),
        ("CanaryError: no", "…: no"),
        (
            "TypeError: '<' not supported between instances of 'str' and 'int'",
            "TypeError: '<' not supported between instances of 'str' and 'int'",
        ),
    ],
)
def test_of_an_error_only_known_words_are_left(error: str, left: str | None) -> None:
    found = bare_error(error, NAMES)
    assert found == left or (left is None and "2020" not in found and "13" not in found)


def test_of_code_the_structure_is_left() -> None:
    sql = "select region, 'Canary' as x -- Canary\nfrom sales where amount > 77123 and d = date '2020-01-01'"
    left = bare_sql(sql)
    assert left == "select region, '…' as x from sales where amount > … and d = date '…'"
    assert bare_sql("select 'Canary") == "…"
    assert bare_python("df['region'] == 'Canary'  # Canary", NAMES) == "df['region'] == '…'"
    assert "Canary" not in bare_python("f'{x} Canary {x:Canary}'")
    assert bare_python("x = 77123") == "x = 0"
    assert bare_python("x = 'Canary") == "…"
