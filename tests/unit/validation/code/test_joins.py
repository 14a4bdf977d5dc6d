"""Merges of pandas code: products, repeated rows, keys."""

from __future__ import annotations

from typing import Any

import pytest


def actions(findings: Any) -> list[str]:
    return [finding.action for finding in findings]


@pytest.mark.parametrize(
    "code",
    [
        "orders.merge(customers, how='cross')['amount'].sum()",
        "m = pd.merge(orders, customers, how='cross')\nm.groupby('name')['amount'].sum()",
    ],
)
def test_j1_rejects_a_product_that_is_added_up(found: Any, code: str) -> None:
    assert actions(found(code, "J1py")) == ["reject"]
    assert found(code, "J1py", confirm_cross=True) == []


def test_j1_advises_on_a_product_whose_rows_are_not_counted(found: Any) -> None:
    code = "orders[orders['amount'] > 5].merge(customers, how='cross')['amount'].sum()"
    assert actions(found(code, "J1py")) == ["advise"]


@pytest.mark.parametrize("code", ["orders.merge(customers, how='cross')", "a.merge(b, how='cross')"])
def test_j1_advises_on_a_product_of_which_nothing_is_chosen(found: Any, code: str) -> None:
    assert actions(found(code, "J1py")) == ["advise"]
    assert found(code, "J1py", confirm_cross=True) == []


@pytest.mark.parametrize(
    "code",
    [
        "m = orders.merge(customers, how='cross')\nm = m[m['amount'] > m['credit']]\nm['amount'].sum()",
        "orders.merge(customers, on='customer_id')['amount'].sum()",
        "m = orders.merge(settings, how='cross')\nm['y'] = m['amount'] * m['factor']\nm['y'].sum()",
        "settings.merge(orders, how='cross')",
    ],
)
def test_j1_is_silent_where_combinations_are_chosen(found: Any, code: str) -> None:
    assert found(code, "J1py") == []


@pytest.mark.parametrize(
    "code",
    [
        "orders.merge(customers, on='customer_id')['credit'].sum()",
        "m = customers.merge(orders, on='customer_id', how='left')\nm.groupby('name')['credit'].mean()",
        "m = pd.merge(customers, orders, left_on='customer_id', right_on='customer_id')\nm['credit'].sum()",
    ],
)
def test_j4_rejects_a_sum_over_repeated_rows(found: Any, code: str) -> None:
    (finding,) = found(code, "J4py")
    assert finding.action == "reject"
    assert "40 different values in 100 rows of orders" in finding.observed


def test_j4_advises_where_both_sides_repeat_and_it_is_not_certain(found: Any) -> None:
    assert actions(found("orders.merge(visits, on='customer_id')['minutes'].sum()", "J4py")) == ["advise"]
    narrowed = "o = orders[orders['amount'] > 3]\no.merge(customers, on='customer_id')['credit'].sum()"
    assert found(narrowed, "J4py") == []


@pytest.mark.parametrize(
    "code",
    [
        "orders.merge(customers, on='customer_id')['amount'].sum()",
        "orders.merge(customers, on='customer_id').groupby('name')['amount'].sum()",
        "t = orders.groupby('customer_id')['amount'].sum().reset_index()\n"
        "customers.merge(t, on='customer_id')['credit'].sum()",
        "orders.merge(customers, on='customer_id')['credit'].max()",
        "orders.merge(customers, on='customer_id')['customer_id'].nunique()",
        "customers.merge(customers.copy(), on='customer_id')['credit_x'].sum()",
        "o = orders.drop_duplicates('customer_id')\no.merge(customers, on='customer_id')['credit'].sum()",
    ],
)
def test_j4_is_silent_where_each_row_counts_once(found: Any, code: str) -> None:
    assert found(code, "J4py") == []


def test_j4_knows_keys_of_several_columns(found: Any, knowledge: Any) -> None:
    from tests.unit.validation.code.conftest import column, plain

    key = (column("region", values=("n", "s")), column("month", "integer", {1: 2, 2: 2}))
    knowledge.learn_table(
        plain("plan", (*key, column("goal", "number", distinct=4)), 4, keys=(("region", "month"),))
    )
    code = "import pandas as pd\nplan = pd.read_csv('plan.csv')\n"
    code += "m = plan.merge(plan.copy(), on=['region', 'month'])\n"
    assert found(code + "m['goal_x'].sum()", "J4py") == []
    assert found(code.replace(", 'month'", "") + "m['goal_x'].sum()", "J4py") != []


def test_j6_rejects_text_with_numbers(found: Any) -> None:
    assert actions(found("orders.merge(customers, left_on='order_id', right_on='code')", "J6py")) == [
        "reject"
    ]
    assert found("orders.merge(customers, on='customer_id')", "J6py") == []
    cast = "orders['order_id'] = orders['order_id'].astype(str)\n"
    assert found(cast + "orders.merge(customers, left_on='order_id', right_on='code')", "J6py") == []


def test_j8_rejects_keys_that_are_missing_on_both_sides(found: Any) -> None:
    (finding,) = found("orders.merge(customers, on='region')", "J8py")
    assert finding.observed == "missing in 4 rows of the left and 2 of the right"
    dropped = "orders.dropna(subset=['region']).merge(customers, on='region')"
    assert found(dropped, "J8py") == []
    assert found("orders.merge(customers, on='customer_id')", "J8py") == []


def test_j10_advises_on_keys_that_nobody_named(found: Any) -> None:
    (finding,) = found("orders.merge(customers)", "J10py")
    assert "customer_id, region" in finding.message
    assert found("orders.merge(customers, on='customer_id')", "J10py") == []
    assert found("orders[['customer_id', 'amount']].merge(customers)", "J10py") == []
    assert found("orders.merge(customers, how='cross')", "J10py") == []


def test_j13_advises_on_columns_that_lost_rows_apart(found: Any) -> None:
    apart = "from scipy.stats import pearsonr\npearsonr(orders['amount'].dropna(), orders['price'].dropna())"
    assert actions(found(apart, "J13py")) == ["advise"]
    together = "from scipy.stats import pearsonr\nd = orders.dropna()\npearsonr(d['amount'], d['size'])"
    assert found(together, "J13py") == []
    none_lost = "from scipy.stats import pearsonr\npearsonr(orders['day'].dropna(), orders['size'].dropna())"
    assert found(none_lost, "J13py") == []


def test_j14_advises_on_one_column_under_two_names(found: Any) -> None:
    code = "a = orders.rename(columns={'amount': 'Amount'})\npd.concat([a, visits])"
    (finding,) = found(code, "J14py")
    assert "'Amount' and 'amount'" in finding.message
    assert found("pd.concat([orders, visits])", "J14py") == []
