"""Names in SQL: read as the column that they can only mean, and otherwise left alone."""

from __future__ import annotations

import pytest

from lakebook.agent.names import with_real_names

COLUMNS = {
    "orders": (
        "Customer ID",
        "Sub-Category",
        "Category",
        "Sales",
        "order_date",
        "a",
        "b",
        "a-b",
        "Sales Net",
    ),
    "other": ("customer_id",),
}


@pytest.mark.parametrize(
    ("sql", "read"),
    [
        (
            "SELECT count(DISTINCT customer_id) FROM orders",
            'SELECT count(DISTINCT "Customer ID") FROM orders',
        ),
        ("SELECT o.CustomerID FROM orders o", 'SELECT o."Customer ID" FROM orders o'),
        (
            "SELECT Sub-Category FROM orders GROUP BY sub-category",
            'SELECT "Sub-Category" FROM orders GROUP BY "Sub-Category"',
        ),
        ("SELECT sum(Sales Net) FROM orders", 'SELECT sum("Sales Net") FROM orders'),
        ('SELECT "Order Date" FROM orders', "SELECT order_date FROM orders"),
        ("SELECT Customer ID FROM orders", 'SELECT "Customer ID" FROM orders'),
    ],
)
def test_a_name_that_can_mean_one_column(sql: str, read: str) -> None:
    made, notes = with_real_names(sql, COLUMNS)
    assert made == read
    assert notes
    assert with_real_names(made, COLUMNS) == (made, ())


@pytest.mark.parametrize(
    "sql",
    [
        'SELECT "Customer ID", category FROM orders',
        "SELECT a-b FROM orders",
        "SELECT sales - a AS sub FROM orders",
        "SELECT 'customer_id' FROM orders WHERE Category = 'Sub-Category'",
        "SELECT customer_id FROM other",
        "SELECT customer_id FROM orders JOIN other ON true",
        "SELECT sales AS customer_id FROM orders ORDER BY customer_id",
        "SELECT Sales customerid FROM orders ORDER BY customerid",
        "WITH customerid AS (SELECT 1 AS x) SELECT x FROM customerid, orders",
        "SELECT colour FROM orders",
        "SELECT orderdate(Sales) FROM orders",
        "SELECT 'unclosed FROM orders",
        "",
    ],
)
def test_what_runs_or_is_in_doubt_is_left_alone(sql: str) -> None:
    assert with_real_names(sql, COLUMNS) == (sql, ())
