"""Loads of every kind become the frame."""

from __future__ import annotations

import pytest

from lakebook.enhancement.loads import Frame, Unloadable, replace_loads
from lakebook.enhancement.script import Script

FRAME = Frame("lake", ("Date", "AveragePrice", "sold", "When"), ("Date",))


def replaced(code: str) -> str:
    return str(replace_loads(Script.parse(code), FRAME)[0])


@pytest.mark.parametrize(
    "code",
    [
        "df = pd.read_csv('../input/avocado.csv')",
        "df = pd.read_csv(r'C:\\Users\\me\\avocado.csv', sep=';', encoding='latin1')",
        "df = pd.read_csv('https://example.org/avocado.csv')",
        "df = pd.read_csv(os.path.join('/content/drive', 'avocado.csv'))",
        "df = pd.read_csv(f'{folder}/avocado.csv')",
        "df = pandas.read_excel('avocado.xlsx', sheet_name=0)",
        "df = read_csv('avocado.csv')",
        "df = pd.read_parquet('avocado.parquet')",
        "df = pd.read_csv(filepath_or_buffer='avocado.csv', index_col=0)",
        "df = sns.load_dataset('avocado')",
    ],
)
def test_every_kind_of_path(code: str) -> None:
    assert replaced(code) == "df = lake.copy()"


def test_the_replaced_line_is_recorded() -> None:
    _, repairs = replace_loads(Script.parse("df = pd.read_csv('a.csv')"), FRAME)
    assert [(r.kind, r.before, r.after) for r in repairs] == [
        ("load", "df = pd.read_csv('a.csv')", "df = lake.copy()")
    ]


def test_a_path_in_a_variable_goes_with_it() -> None:
    assert replaced("path = '../input/a.csv'\ndf = pd.read_csv(path)\nn = 3") == "df = lake.copy()\nn = 3"


def test_a_variable_that_is_used_elsewhere_stays() -> None:
    assert "path = 'a.csv'" in replaced("path = 'a.csv'\ndf = pd.read_csv(path)\nplt.title(path)")


def test_inside_a_function_and_in_a_chain() -> None:
    assert "return lake.copy().dropna()" in replaced(
        "def load(p):\n    return pd.read_csv('a.csv').dropna()\nd = load(1)"
    )


@pytest.mark.parametrize(
    ("options", "steps"),
    [
        ("index_col='Date'", ".set_index('Date')"),
        ("index_col=['Date', 'sold']", ".set_index(['Date', 'sold'])"),
        ("index_col=0", ""),
        ("index_col=0, parse_dates=True", ".set_index('Date')"),
        ("index_col=False", ""),
        ("index_col='Unnamed: 0'", ""),
        ("parse_dates=['Date']", ""),
        ("parse_dates=['When']", ".assign(**{'When': lambda frame: pd.to_datetime(frame['When'])})"),
        ("usecols=['Date', 'sold']", "[['Date', 'sold']]"),
        ("usecols=[0, 1]", ""),
        ("usecols=['gone']", ""),
        ("nrows=100", ".head(100)"),
        ("sep=',', low_memory=False, na_values='?'", ""),
    ],
)
def test_options_that_still_apply(options: str, steps: str) -> None:
    assert replaced(f"df = pd.read_csv('a.csv', {options})") == f"df = lake.copy(){steps}"


def test_the_same_file_twice_is_one_table() -> None:
    code = "a = pd.read_csv('../input/x.csv')\nb = pd.read_csv('C:\\\\data\\\\X.csv')"
    assert replaced(code) == "a = lake.copy()\nb = lake.copy()"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("x = 1", "reads no file"),
        ("a = pd.read_csv('a.csv')\nb = pd.read_csv('b.csv')", r"more than one file \(a.csv, b.csv\)"),
        ("a = pd.read_sql('select 1', con)", "read_sql"),
        ("a = pd.read_csv('a.csv', chunksize=10)", "in pieces"),
    ],
)
def test_what_one_table_cannot_stand_in_for(code: str, reason: str) -> None:
    with pytest.raises(Unloadable, match=reason):
        replaced(code)
