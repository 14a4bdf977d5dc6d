"""Filters of pandas code against the values that are known, and samples left in."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize(
    "code",
    [
        "orders[orders['region'] == 'North']",
        "orders[orders.region == 'NORTH']['amount'].sum()",
        "orders[(orders['region'] == 'west') & (orders['amount'] > 3)]",
        "orders[(orders['amount'] > 3)][orders['region'] == 'west']",
        "orders.loc[orders['region'] == 'north ', 'amount'].mean()",
        "orders[orders['region'].isin(['North', 'South'])]",
        "orders.query(\"region == 'North'\")",
        "orders[orders['region'].str.upper() == 'north']",
        "orders[orders['size'] == 7]",
        "where = 'Nord'\norders[orders['region'] == where]",
        "import pandas as pd\ndf = pd.read_csv('orders.csv')\ndf[df['region'] == 'North']",
        "df = orders[orders['amount'] > 5]\ndf[df['region'] == 'North']",
        "import numpy as np\norders['is_north'] = np.where(orders['region'] == 'NORTH', 1, 0)",
    ],
)
def test_f1_rejects_a_value_that_no_row_has(found: Any, code: str) -> None:
    (finding,) = found(code, "F1py")
    assert finding.action == "reject"
    assert "no row passes" in finding.message


def test_f1_offers_the_nearest_and_lists_what_it_shows(found: Any) -> None:
    (finding,) = found("orders[orders['region'] == 'NORTH']", "F1py")
    assert finding.hint == "Nearest: 'north'."
    assert "'north'" in finding.values


def test_f1_advises_where_some_values_of_a_list_occur(found: Any) -> None:
    (finding,) = found("orders[orders['region'].isin(['north', 'East'])]", "F1py")
    assert finding.action == "advise"
    assert "'East'" in finding.message


@pytest.mark.parametrize(
    "code",
    [
        "orders[orders['region'] == 'north']",
        "orders[orders['region'] != 'North']",
        "for frame in [orders, customers]:\n    print(len(frame[frame['region'] == 'North-West']))",
        "orders[(orders['region'] == 'x') | (orders['amount'] > 3)]",
        "orders[orders['region'].str.lower() == 'north-west']",
        "orders['region'] = orders['region'].str.upper()\norders[orders['region'] == 'NORTH']",
        "orders['region'] = orders['region'].replace('north', 'N')\norders[orders['region'] == 'N']",
        "orders[orders['region'].isin(['?', 'N/A', ''])]",
        "orders[orders['size'] == 2.0]",
        "orders[orders['paid'] == True]",
        "partly[partly['city'] == 'Bonn']",
        "import pandas as pd\ndf = pd.read_csv('partly.csv')\ndf[df['city'] == 'Bonn']",
        "orders.loc[orders['amount'] > 9, 'region'] = 'big'\norders[orders['region'] == 'big']",
        "customers[customers['name'] == 'Ada']",
        "print((orders['region'] == 'East').sum())",
        "df = pd.concat([orders, visits])\ndf[df['region'] == 'East']",
        "df = orders.fillna({'region': 'none'})\ndf[df['region'] == 'none at all']",
    ],
)
def test_f1_is_silent_on_values_that_occur_or_may(found: Any, code: str) -> None:
    assert found(code, "F1py") == []


def test_f10_tells_pattern_from_text(found: Any) -> None:
    (finding,) = found("orders[orders['status'].str.contains('U.S')]", "F10py")
    assert "'UxS'" in finding.observed
    for right in ("'U.S', regex=False", "'Male|Female'", "'^U'", "'ale'", "r'U\\.S'"):
        assert found(f"orders[orders['status'].str.contains({right})]", "F10py") == []


def test_f11_finds_values_inside_values(found: Any) -> None:
    (finding,) = found("orders[orders['status'].str.contains('male', case=False)]", "F11py")
    assert "'Female'" in finding.observed
    for right in ("'Fem'", "'Male'", "'U.S.'"):
        assert found(f"orders[orders['status'].str.contains({right})]", "F11py") == []


SAMPLED = [
    "orders.head(10)['amount'].sum()",
    "orders[:20]['amount'].mean()",
    "df = orders.sample(10, random_state=1)\ndf.groupby('region')['amount'].sum()",
    "orders.iloc[:50]['amount'].median()",
    "import pandas as pd\ndf = pd.read_csv('orders.csv', nrows=50)\ndf['amount'].mean()",
    "import pandas as pd\ndf = pd.read_csv('orders.csv', nrows=50)\nprint(len(df))",
    "import pandas as pd\ndf = pd.read_csv('orders.csv', nrows=50)\ndf['region'].unique()",
    "import pandas as pd\ndf = pd.read_csv('orders.csv').head(20)\ndf[df['amount'] > 3]",
    "df = orders.head(30)\nm = df.merge(customers, on='customer_id')\nm['amount'].sum()",
]


@pytest.mark.parametrize("code", SAMPLED)
def test_f16_rejects_an_aggregate_over_a_part(found: Any, code: str) -> None:
    (finding,) = found(code, "F16py", "What is the total amount?")
    assert finding.action == "reject"
    assert "of 100 rows" in finding.observed


@pytest.mark.parametrize("code", SAMPLED)
def test_f16_advises_without_a_question_and_leaves_it_to_one_that_asks(found: Any, code: str) -> None:
    assert [finding.action for finding in found(code, "F16py")] == ["advise"]
    assert found(code, "F16py", "What is the mean amount of the first 50 rows?") == []


@pytest.mark.parametrize(
    "code",
    [
        "orders.head()\norders['amount'].sum()",
        "orders.sort_values('amount').head(3)['amount'].mean()",
        "orders.nlargest(3, 'amount')['amount'].sum()",
        "orders.groupby('region')['amount'].sum().head(3).sum()",
        "orders.sample(frac=1, random_state=1)['amount'].sum()",
        "orders.head(100)['amount'].sum()",
        "orders.iloc[:, 1:3].sum()",
        "orders[:98]['amount'].sum()",
        "orders.head(5).describe()",
        "print(orders.head(10))",
        "import pandas as pd\ndf = pd.read_csv('orders.csv', nrows=5)\nprint(df.head(), df.columns)",
    ],
)
def test_f16_is_silent_on_all_rows_and_on_the_first_of_an_order(found: Any, code: str) -> None:
    assert found(code, "F16py", "What is the total amount?") == []
