"""Groups, order, missing values, chance, learning, reading and results of pandas code."""

from __future__ import annotations

from typing import Any

import pytest

SPLIT = "from sklearn.model_selection import train_test_split\n"


def actions(findings: Any) -> list[str]:
    return [finding.action for finding in findings]


WRONG = {
    "A4 sum": ("A4", "orders.groupby('region')['amount'].sum()"),
    "A4 size": ("A4", "orders.groupby(['region', 'size']).size()"),
    "A4 agg": ("A4", "orders.groupby('region').agg({'amount': ['mean', 'count']})"),
    "A7 columns": ("A7py", "orders['ratio'] = orders['amount'] // orders['size']"),
    "A7 aggregates": ("A7py", "orders['amount'].sum() // orders['size'].sum()"),
    "A7 percent": ("A7py", "share = part // whole * 100"),
    "A7 decimals": ("A7py", "print(f'{part // whole:.2f}')"),
    "A7 rounded": ("A7py", "round(part // whole, 2)"),
    "A7 counts": ("A7py", "values.sum() // len(values)"),
    "A13": ("A13py", "from scipy import stats\nstats.zscore(orders['amount'])"),
    "A13 pair": ("A13py", "from scipy.stats import pearsonr\npearsonr(orders['size'], orders['amount'])"),
    "A14": ("A14py", "orders['amount'].diff()"),
    "A17": ("A17py", "orders['x'] = orders['size'] * 1.1\norders[orders['x'] == 2.2]"),
    "O1": ("O1py", "orders.groupby('region')['amount'].sum().head(2)"),
    "O3": ("O3py", "orders['status'].value_counts().idxmax()"),
    "O3 mode": ("O3py", "orders['region'].mode()"),
    "O3 row": ("O3py", "orders.loc[orders['size'].idxmax(), 'region']"),
    "O4": ("O4py", "part = orders.sample(10)"),
    "O4 split": ("O4py", SPLIT + "train_test_split(orders[['size']], orders['amount'], test_size=0.2)"),
    "O15": ("O15py", "clean = orders.dropna()\nprint(orders['amount'].sum())"),
    "O17 target": (
        "O17py",
        SPLIT + "X = orders.drop(columns=['region'])\ny = orders['amount']\n"
        "train_test_split(X, y, random_state=1)",
    ),
    "O17 made from": (
        "O17py",
        SPLIT + "orders['high'] = orders['amount'] > 5\nX = orders[['amount', 'size']]\n"
        "train_test_split(X, orders['high'], random_state=1)",
    ),
    "O17 scaler": (
        "O17py",
        SPLIT + "from sklearn.preprocessing import StandardScaler\n"
        "X = StandardScaler().fit_transform(orders[['size']])\n"
        "train_test_split(X, orders['amount'], random_state=1)",
    ),
    "L2": ("L2py", "import pandas as pd\npd.read_csv('orders.csv', on_bad_lines='skip')"),
}


@pytest.mark.parametrize("shape", sorted(WRONG))
def test_what_is_wrong_is_told(found: Any, shape: str) -> None:
    rule, code = WRONG[shape]
    assert len(found(code, rule)) == 1


RIGHT = {
    "A4 mean": ("A4", "orders.groupby('region')['amount'].mean()"),
    "A4 said": ("A4", "orders.groupby('region', dropna=False)['amount'].sum()"),
    "A4 dropped": ("A4", "orders.dropna(subset=['region']).groupby('region')['amount'].sum()"),
    "A4 filtered": ("A4", "orders[orders['region'] == 'north'].groupby('region')['amount'].sum()"),
    "A4 whole": ("A4", "orders.groupby('size')['amount'].sum()"),
    "A4 filled": ("A4", "orders.fillna({'region': '-'}).groupby('region')['amount'].sum()"),
    "A7 bins": ("A7py", "orders['decade'] = orders['size'] // 10 * 10"),
    "A7 whole numbers": ("A7py", "pages = (len(rows) + 9) // 10\nprint(f'{n // 2:d}')"),
    "A13 dropped": ("A13py", "from scipy import stats\nstats.zscore(orders['amount'].dropna())"),
    "A13 whole": ("A13py", "from scipy import stats\nstats.zscore(orders['size'])"),
    "A13 said": ("A13py", "from scipy import stats\nstats.zscore(orders['amount'], nan_policy='omit')"),
    "A13 method": ("A13py", "orders['amount'].skew()"),
    "A14 grouped": ("A14py", "orders.groupby('customer_id')['amount'].diff()"),
    "A14 one series": ("A14py", "orders[orders['region'] == 'north'].sort_values('day')['amount'].diff()"),
    "A14 summed": ("A14py", "orders.groupby('day')['amount'].sum().cumsum()"),
    "A17 stored": ("A17py", "orders[orders['amount'] == 2.2]"),
    "A17 exact": ("A17py", "orders['x'] = orders['size'] * 2\norders[orders['x'] == 0.5]"),
    "O1 sorted": ("O1py", "orders.groupby('region')['amount'].sum().sort_values().head(2)"),
    "O1 looked at": ("O1py", "orders.head(3)\norders.groupby('region')['amount'].sum().head()"),
    "O1 counts": ("O1py", "orders['region'].value_counts().head(3)"),
    "O3 one": ("O3py", "orders['size'].mode()"),
    "O3 narrowed": ("O3py", "orders[orders['amount'] > 1]['status'].value_counts().idxmax()"),
    "O3 smallest": ("O3py", "orders['amount'].idxmax()"),
    "O4 shown": ("O4py", "print(orders.sample(10))"),
    "O15 looked for": ("O15py", "outliers = orders[orders['amount'] > 9]\nprint(orders['amount'].sum())"),
    "O4 seeded": ("O4py", "orders.sample(10, random_state=3)"),
    "O4 seeded before": ("O4py", "import numpy as np\nnp.random.seed(1)\npart = orders.sample(10)"),
    "O15 shown": ("O15py", "clean = orders.dropna()\nclean"),
    "O15 later": ("O15py", "clean = orders.dropna()\nprint(clean['amount'].sum())"),
    "O17": (
        "O17py",
        SPLIT + "X = orders[['size']]\ny = orders['amount']\ntrain_test_split(X, y, random_state=1)",
    ),
    "O17 dropped": (
        "O17py",
        SPLIT
        + "X = orders.drop(columns='amount')\ny = orders['amount']\ntrain_test_split(X, y, random_state=1)",
    ),
    "L2": ("L2py", "import pandas as pd\npd.read_csv('orders.csv', on_bad_lines='error')"),
}


@pytest.mark.parametrize("shape", sorted(RIGHT))
def test_what_is_right_is_left_alone(found: Any, shape: str) -> None:
    rule, code = RIGHT[shape]
    assert found(code, rule) == []


def test_o17_rejects_a_target_among_the_features_and_advises_on_the_rest(found: Any) -> None:
    assert actions(found(WRONG["O17 target"][1], "O17py")) == ["reject"]
    assert actions(found(WRONG["O17 made from"][1], "O17py")) == ["advise"]
    assert actions(found(WRONG["O17 scaler"][1], "O17py")) == ["advise"]


def test_l9_advises_where_a_name_is_read_as_missing(found: Any, knowledge: Any) -> None:
    from tests.unit.validation.code.conftest import column, plain

    knowledge.learn_table(plain("lands", (column("iso", values=("NA", "DE", "FR")),), 30))
    read, used = "import pandas as pd\nd = pd.read_csv('lands.csv'{})", "\nd['iso'].nunique()"
    (finding,) = found(read.format("") + used, "L9py")
    assert "'NA'" in finding.message
    assert found(read.format(", keep_default_na=False") + used, "L9py") == []
    assert found(read.format("") + "\nlen(d)", "L9py") == []
    knowledge.learn_table(plain("lands", (column("iso", values=("None", "Hilton", "Ibis")),), 30))
    assert found(read.format("") + used, "L9py") == []  # it may well mean that there is none
    knowledge.learn_table(plain("lands", (column("iso", values=("None", "Low", "High"), nulls=2),), 30))
    assert len(found(read.format("") + used, "L9py")) == 1  # blank cells stand beside it
    assert found("import pandas as pd\npd.read_csv('orders.csv')['region']", "L9py") == []
