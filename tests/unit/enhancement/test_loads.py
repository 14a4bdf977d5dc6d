"""Loads of every kind become the frame."""

from __future__ import annotations

import pytest

from lakebook.enhancement.load_options import Frame
from lakebook.enhancement.loads import Tables, Unloadable, replace_loads, without_fetching
from lakebook.enhancement.script import Script

FRAME = Frame("lake", ("Date", "AveragePrice", "sold", "When"), ("Date",), ("When",))


def replaced(code: str) -> str:
    return str(replace_loads(Script.parse(code), Tables(FRAME))[0])


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
    _, repairs = replace_loads(Script.parse("df = pd.read_csv('a.csv')"), Tables(FRAME))
    assert [(r.kind, r.before, r.after) for r in repairs] == [
        ("load", "df = pd.read_csv('a.csv')", "df = lake.copy()")
    ]


def test_a_path_in_a_variable_goes_with_it() -> None:
    assert replaced("path = '../input/a.csv'\ndf = pd.read_csv(path)\nn = 3") == "df = lake.copy()\nn = 3"


def test_a_variable_that_is_used_elsewhere_stays() -> None:
    assert "path = 'a.csv'" in replaced("path = 'a.csv'\ndf = pd.read_csv(path)\nplt.title(path)")


def test_what_was_dropped_is_told() -> None:
    code = "df = pd.read_csv('a.csv', sep=';', usecols=['gone'], index_col=0, nrows=3)"
    _, repairs = replace_loads(Script.parse(code), Tables(FRAME))
    assert [(r.before, r.after) for r in repairs if r.kind == "load_option"] == [
        ("index_col=0", "# dropped: positions of columns belong to the old file"),
        ("sep=';'", "# dropped: the lake has read the file itself"),
        ("usecols=['gone']", "# dropped: the table has no such column"),
    ]


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ("with open('a.csv') as f:\n    df = pd.read_csv(f)\ndf.x", "df = lake.copy()\ndf.x"),
        (
            "with zipfile.ZipFile('z') as z:\n    with z.open('a.csv') as f:\n        d = pd.read_csv(f)",
            "d = lake.copy()",
        ),
        ("f = open('a.csv')\ndf = pd.read_csv(f)\nf.close()", "df = lake.copy()"),
        ("r = requests.get(url)\ndf = pd.read_csv(io.StringIO(r.text))", "df = lake.copy()"),
        ("url = 'https://a/b.csv'\nr = requests.get(url)\ndf = pd.read_csv(r)", "df = lake.copy()"),
        ("df = pd.read_html('https://a/b')[3]", "df = lake.copy()"),
        ("x = np.genfromtxt('a.txt', delimiter=',')", "x = lake.copy().select_dtypes('number').to_numpy()"),
        ("x, y = np.loadtxt('a', unpack=True)", "x, y = lake.copy().select_dtypes('number').to_numpy().T"),
        (
            "import glob\nfs = glob.glob('d/*.csv')\ndf = pd.concat([pd.read_csv(f) for f in fs])",
            "import glob\nfs = ['table.csv']\ndf = pd.concat([lake.copy() for f in fs])",
        ),
        (
            "import os\nfor d, _, fs in os.walk('in'):\n    for f in fs:\n"
            "        df = pd.read_csv(os.path.join(d, f))",
            "import os\nfor d, _, fs in [('', [], ['table.csv'])]:\n    for f in fs:\n"
            "        df = lake.copy()",
        ),
        (
            "for part in pd.read_csv('a.csv', chunksize=9):\n    n = part",
            "for part in (lambda whole: [whole[at:at + 9] for at in range(0, len(whole), 9)])(lake.copy()):\n"
            "    n = part",
        ),
        (
            "rows = list(csv.DictReader(open('a.csv')))",
            "rows = list(iter(lake.copy().assign(**{'Date': lambda frame: frame['Date'].astype(str)})"
            ".astype('str').to_dict('records')))",
        ),
        (
            "with open('a.json') as f:\n    rows = json.load(f)",
            "rows = json.loads(lake.copy().to_json(orient='records', date_format='iso'))",
        ),
    ],
)
def test_files_that_are_opened_listed_or_fetched(code: str, made: str) -> None:
    assert replaced(code) == made


def test_what_brings_a_file_is_left_out() -> None:
    code = "drive.mount('/content/drive')\n!1".replace("!1", "wget.download('http://a/b.csv')") + (
        "\nget_ipython().system('unzip a.zip')\nx = 1"
    )
    assert str(without_fetching(Script.parse(code))) == "x = 1"


TWO = Tables(
    FRAME,
    by_source={
        "a.csv": FRAME,
        "b.csv": Frame("lake_b", ("Date", "city")),
        "2015.csv": Frame("y15", ("x",)),
        "2016.csv": Frame("y16", ("x",)),
    },
)


@pytest.mark.parametrize(
    ("code", "made"),
    [
        (
            "a = pd.read_csv('d/a.csv', usecols=['Date'])\nb = pd.read_csv(os.path.join(D, 'B.csv'))",
            "a = lake.copy()[['Date']]\nb = lake_b.copy()",
        ),
        (
            "D = '../in/'\nfor y in range(2015, 2017):\n    df = pd.read_csv(f'{D}{y}.csv', nrows=5)",
            "D = '../in/'\nfor y in range(2015, 2017):\n    df = {'2015.csv': y15, '2016.csv': y16}"
            "[str(f'{D}{y}.csv').replace('\\\\', '/').rsplit('/', 1)[-1]].copy().head(5)",
        ),
        (
            "def get(name):\n    return pd.read_csv('d/' + name)\na = get('a.csv')\nb = get('b.csv')",
            "def get(name):\n    return {'a.csv': lake, 'b.csv': lake_b}"
            "[str('d/' + name).replace('\\\\', '/').rsplit('/', 1)[-1]].copy()\n"
            "a = get('a.csv')\nb = get('b.csv')",
        ),
    ],
)
def test_several_files_have_a_frame_each(code: str, made: str) -> None:
    assert str(replace_loads(Script.parse(code), TWO)[0]) == made


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
        ("sep=',', low_memory=False", ""),
        ("na_values='?'", ".replace(['?'], np.nan)"),
        ("na_values={'sold': [-999], 'gone': '?'}", ".replace({'sold': [-999]}, np.nan)"),
        ("dtype={'When': str, 'sold': 'category', 'Date': int}", ".astype({'sold': 'category'})"),
        ("dtype={'sold': str}", ".astype({'sold': 'str'})"),
        ("nrows=n", ".head(n)"),
        ("nrows=None", ""),
        ("skiprows=range(1, 11)", ".iloc[11 - 1:].reset_index(drop=True)"),
        ("skiprows=2", ""),
        ("squeeze=True", ".squeeze('columns')"),
        (
            "usecols=lambda c: c != 'x'",
            ".pipe(lambda frame: frame[[name for name in frame.columns if (lambda c: c != 'x')(name)]])",
        ),
        (
            "parse_dates=['When'], date_format='%d'",
            ".assign(**{'When': lambda frame: pd.to_datetime(frame['When'], format='%d')})",
        ),
        (
            "parse_dates=['When'], date_parser=read",
            ".assign(**{'When': lambda frame: frame['When'].map(read)})",
        ),
        (
            "converters={'When': strip, 'gone': strip}",
            ".assign(**{'When': lambda frame: frame['When'].map(strip)})",
        ),
        (
            "parse_dates={'at': ['When', 'sold']}",
            ".assign(**{'at': lambda frame: pd.to_datetime("
            "frame['When'].astype('str') + ' ' + frame['sold'].astype('str'))})"
            ".drop(columns=['When', 'sold'])",
        ),
        ("header=None, names=['Date', 'sold'], thousands=','", ""),
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
        ("a = pd.read_csv('a.csv', iterator=True)", "piece by piece"),
        ("a = pd.read_excel('a.xlsx', sheet_name=None)", "all sheets"),
        ("a = np.loadtxt('a.txt', usecols=(1, 2))", "positions"),
        ("from sklearn.datasets import load_iris\na = load_iris()", r"sample data .*\(load_iris\)"),
        ("a = px.data.gapminder()", "sample data"),
        ("from vega_datasets import data\na = data.cars()", "sample data"),
        ("import statsmodels.api as sm\na = sm.datasets.co2.load_pandas().data", "sample data"),
    ],
)
def test_what_one_table_cannot_stand_in_for(code: str, reason: str) -> None:
    with pytest.raises(Unloadable, match=reason):
        replaced(code)


def test_a_frame_called_data_is_no_sample_of_a_library() -> None:
    code = (
        "data = pd.read_csv('a.csv')\nkept = data[data.region.isin(['a'])]\nlabel = data.columns.str.strip()"
    )
    assert ".copy()" in replaced(code)
