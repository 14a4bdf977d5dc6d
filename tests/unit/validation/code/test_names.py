"""Columns are followed through pandas code: what surely is not there is rejected, nothing else."""

from __future__ import annotations

from typing import Any

import pytest

READ = "import pandas as pd\ndf = pd.read_csv('data/orders.csv')\n"

WRONG = {
    "subscript": "orders['amout'].sum()",
    "several": "orders[['region', 'Amount']]",
    "after a copy": "df = orders.copy()\ndf['regoin'].value_counts()",
    "after a filter": "df = orders[orders['amount'] > 3]\ndf['Amount'].mean()",
    "groupby": "orders.groupby('Region')['amount'].sum()",
    "of groups": "orders.groupby('region')['Amount'].sum()",
    "by": "orders.sort_values(by='Amount')",
    "query": "orders.query('amont > 3')",
    "dropped": "df = orders.drop(columns=['amount'])\ndf['amount'].sum()",
    "renamed": "df = orders.rename(columns={'amount': 'value'})\ndf['amount'].sum()",
    "chosen": "df = orders[['region', 'amount']]\ndf['status']",
    "loc": "orders.loc[orders['amount'] > 1, 'Regions']",
    "row by row": "orders.apply(lambda row: row['amout'] * 2, axis=1)",
    "in a function": "def total(frame):\n    return frame['amout'].sum()\ntotal(orders)",
    "after agg": "t = orders.groupby('region').agg(total=('amount', 'sum')).reset_index()\nt['amount']",
    "merge key": "orders.merge(customers, on='customer')",
    "usecols": "import pandas as pd\npd.read_csv('orders.csv', usecols=['amout'])",
    "from the file": READ + "df['amout'].sum()",
    "subset": "orders.dropna(subset=['amout'])",
    "in a loop over literals": "for name in ['amount', 'amout']:\n    print(orders[name].sum())",
    "columns replaced": "df = orders[['region', 'amount']]\ndf.columns = ['a', 'b']\ndf['amount']",
}


@pytest.mark.parametrize("shape", sorted(WRONG))
def test_b1_rejects_a_column_that_is_not_there(found: Any, shape: str) -> None:
    finding, *_ = found(WRONG[shape], "B1py")
    assert finding.action == "reject"
    assert "Its columns: " in finding.observed


def test_a_file_read_as_its_card_reads_it_is_known(found: Any, knowledge: Any) -> None:
    from dataclasses import replace

    orders = knowledge.table("orders")
    skips = orders.load_code.replace(")", ", skiprows=2)")
    knowledge.learn_table(
        replace(orders, name="late", source="late.csv", rows_in_source=102, load_code=skips)
    )
    read = "import pandas as pd\ndf = pd.read_csv('late.csv', skiprows={})\n"
    assert len(found(read.format(2) + "df['amout']", "B1py")) == 1
    assert found(read.format(1) + "df['amout']", "B1py") == []
    assert found(read.format(2) + "df[df['region'] == 'x']", "F1py") == []  # the rows may be others


def test_a_sheet_is_known_by_its_name(found: Any, knowledge: Any) -> None:
    from dataclasses import replace

    orders = knowledge.table("orders")
    load = (
        'df = pd.read_excel(\n    DATA_DIR / "book.xlsx", sheet_name="A", engine="calamine", skiprows=1,'
        ' header=None, names=["a"], dtype=object\n)\ndf = df.infer_objects()\n'
    )
    for sheet in ("A", "B"):
        knowledge.learn_table(replace(orders, name=sheet, source=f"book.xlsx#{sheet}", load_code=load))
    read = "import pandas as pd\ndf = pd.read_excel('book.xlsx'{})\ndf['amout']"
    assert len(found(read.format(", sheet_name='A'"), "B1py")) == 1
    for unknown in ("", ", sheet_name=None", ", sheet_name='C'", ", sheet_name='A', header=2"):
        assert found(read.format(unknown), "B1py") == []


RIGHT = {
    "there": "orders['amount'].sum(); orders.region; orders[['region', 'amount']]",
    "made before": "orders['net'] = orders['amount'] * 0.8\norders['net'].sum()",
    "assigned": "orders.assign(net=lambda d: d['amount'])['net']",
    "renamed": "df = orders.rename(columns={'amount': 'value'})\ndf['value'].sum()",
    "renamed by what is not known": "df = orders.rename(columns=str.upper)\ndf['AMOUNT']",
    "columns rewritten": "orders.columns = orders.columns.str.upper()\norders['AMOUNT']",
    "merged": "orders.merge(customers, on='customer_id')['name']",
    "merged with suffixes": "orders.merge(customers, on='customer_id')['region_x']",
    "own suffixes": "orders.merge(customers, on='customer_id', suffixes=('', '_c'))[['region', 'region_c']]",
    "unknown frame": "df = load()\ndf['whatever']",
    "unknown function": "clean(orders)\norders['tidy']",
    "dummies": "df = pd.get_dummies(orders)\ndf['region_north']",
    "agg": "t = orders.groupby('region').agg(total=('amount', 'sum')).reset_index()\nt[['region', 'total']]",
    "as_index": "t = orders.groupby('region', as_index=False)['amount'].sum()\nt[['region', 'amount']]",
    "size": "t = orders.groupby('region').size().reset_index(name='n')\nt['n']",
    "index": "df = orders.reset_index()\ndf['index']",
    "set and reset": "df = orders.set_index('region').reset_index()\ndf['region']",
    "guarded": "if 'tax' in orders.columns:\n    print(orders['tax'])",
    "tried": "try:\n    orders['tax']\nexcept KeyError:\n    print('none')",
    "perhaps made": "if flag:\n    orders['tax'] = 1\norders['tax']",
    "a loop over what is not known": "for name in names:\n    orders[name + '_2'] = 1\norders['amount_2']",
    "other file": "import pandas as pd\ndf = pd.read_csv('elsewhere.csv')\ndf['x']",
    "other reading": "import pandas as pd\ndf = pd.read_csv('orders.csv', sep=';')\ndf['x']",
    "partly read": "import pandas as pd\ndf = pd.read_csv('partly.csv')\ndf['x']",
    "concat": "df = pd.concat([orders, visits])\ndf[['minutes', 'region']]",
    "concat of what is not known": "df = pd.concat([orders, other])\ndf['x']",
    "pivoted": "p = orders.pivot_table(index='region', columns='status', values='amount')\np['Male']",
    "dictionary": "facts = {'a': 1}\nfacts['b'] = 2",
    "row index": "orders.loc[0]; orders.iloc[0]['amount']",
    "melted": "m = orders.melt(id_vars='region')\nm[['region', 'variable', 'value']]",
    "deleted and made": "del orders['amount']\norders['amount'] = 1\norders['amount']",
    "method": "orders.query('amount > 3 and region == \"north\"')",
    "indicator": "orders.merge(customers, on='customer_id', how='left', indicator=True)['_merge']",
    "letters": "df = pd.DataFrame({}, columns=list('abc'))\ndf['b']",
    "counted by group": "t = orders.groupby('region')['amount'].count().reset_index()\nt['amount']",
    "merged on an index level": "a = orders.groupby('region')[['amount']].sum()\n"
    "b = orders.groupby('region')[['size']].sum()\nm = a.merge(b, on='region')\n"
    "m.merge(b, on='region')",
    "value counts": "c = orders['region'].value_counts().reset_index()\nc['count']",
}


@pytest.mark.parametrize("shape", sorted(RIGHT))
def test_b1_is_silent_on_what_is_or_may_be_there(found: Any, shape: str) -> None:
    assert found(RIGHT[shape], "B1py") == []


def test_b1_offers_the_nearest(found: Any) -> None:
    (finding,) = found("orders['Amuont']", "B1py")
    assert "'amount'" in finding.hint


def test_j11_says_what_a_merged_column_is_called_now(found: Any) -> None:
    (finding,) = found("m = orders.merge(customers, on='customer_id')\nm['region']", "J11py")
    assert "'region_x' and 'region_y'" in finding.observed
    assert found("m = orders.merge(customers, on='customer_id')\nm['name']", "J11py") == []
    assert found("m = orders.merge(customers, on=['customer_id', 'region'])\nm['region']", "J11py") == []


@pytest.mark.parametrize(
    "code",
    ["pd.to_numeric(orders['price'], errors='coerce')", "pd.to_numeric(orders.price, errors='coerce').sum()"],
)
def test_b8_tells_what_is_lost(found: Any, code: str) -> None:
    (finding,) = found(code, "B8py")
    assert finding.action == "advise"
    assert "'1,200'" in finding.observed
    assert finding.values == ("'1,200'",)


@pytest.mark.parametrize(
    "code",
    [
        "pd.to_numeric(orders['amount'], errors='coerce')",
        "pd.to_numeric(orders['size'], errors='coerce')",
        "pd.to_numeric(orders['price'].str.replace(',', ''), errors='coerce')",
        "pd.to_numeric(orders['paid'], errors='coerce')",
        "pd.to_numeric(orders['price'])",
    ],
)
def test_b8_is_silent_where_no_number_is_lost(found: Any, code: str) -> None:
    assert [finding for finding in found(code, "B8py") if finding.action != "not_checked"] == []


def test_b8_says_when_it_cannot_know(found: Any) -> None:
    (finding,) = found("pd.to_numeric(customers['name'], errors='coerce')", "B8py")
    assert finding.action == "not_checked"


@pytest.mark.parametrize("how", ["bool", "'bool'", "np.bool_"])
def test_b10_rejects_text_as_truth(found: Any, how: str) -> None:
    (finding,) = found(f"orders['paid'].astype({how}).sum()", "B10py")
    assert finding.action == "reject"


@pytest.mark.parametrize("code", ["orders['size'].astype(bool)", "(orders['paid'] == 'True').astype(bool)"])
def test_b10_is_silent_on_numbers_and_truths(found: Any, code: str) -> None:
    assert found(code, "B10py") == []
