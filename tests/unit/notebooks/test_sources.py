"""Which files a component reads, and what it asks of each."""

from __future__ import annotations

import pytest

from lakebook.notebooks.sources import Source, sources_of


def told(code: str) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    return [(one.name, one.columns, one.shared) for one in sources_of(code)]


def test_columns_belong_to_the_table_that_they_are_asked_of() -> None:
    code = (
        "import pandas as pd\n"
        "a = pd.read_csv('in/orders.csv')\n"
        "b = pd.read_csv('in/customers.csv')\n"
        "a['when'] = pd.to_datetime(a['day'])\n"
        "a['when'].hist()\n"
        "b.city.value_counts().plot.bar()\n"
    )
    assert told(code) == [("orders.csv", ("day",), ()), ("customers.csv", ("city",), ())]


def test_keys_belong_to_both_and_what_comes_later_to_either() -> None:
    code = (
        "import pandas as pd\n"
        "m = pd.read_csv('a.csv').merge(pd.read_csv('b.csv'), left_on='id', right_on='key')\n"
        "m['price'].hist()"
    )
    assert told(code) == [("a.csv", ("id",), ("price",)), ("b.csv", ("key",), ("price",))]


def test_stacked_tables_share_what_is_asked_of_the_whole() -> None:
    code = (
        "import pandas as pd\nparts = []\n"
        "for year in range(2015, 2018):\n"
        "    part = pd.read_csv(f'in/{year}.csv')\n"
        "    part['year'] = year\n"
        "    parts.append(part)\n"
        "df = pd.concat(parts)\n"
        "df['Score'].hist()"
    )
    assert told(code) == [(f"{year}.csv", (), ("Score",)) for year in (2015, 2016, 2017)]


@pytest.mark.parametrize(
    ("read", "name"),
    [
        ("pd.read_csv(os.path.join(folder, 'A.csv'))", "a.csv"),
        ("pd.read_csv(Path(folder) / 'sub' / 'a.csv')", "a.csv"),
        ("pd.read_csv(folder + 'a' + '.csv')", "a.csv"),
        ("pd.read_csv('{}/{}.csv'.format(folder, 'a'))", "a.csv"),
        ("pd.read_csv('%s/a.csv' % folder)", "a.csv"),
        ("pd.read_csv(r'C:\\\\Users\\\\me\\\\a.csv')", "a.csv"),
        ("pd.read_csv('https://host/a.csv?raw=true')", "a.csv"),
        ("pd.read_csv(open(folder + 'a.csv'))", "a.csv"),
        ("pd.read_excel('a.xlsx', sheet_name='Two')", "a.xlsx#Two"),
        ("np.genfromtxt(folder + '/a.txt')", "a.txt"),
        ("json.load(open('a.json'))", "a.json"),
        ("pd.read_csv(unknown + 'a.csv')", "a.csv"),
        ("pd.read_csv(sys.argv[1])", "line 1"),
    ],
)
def test_paths_of_every_kind(read: str, name: str) -> None:
    head = "import os, json; from pathlib import Path; import pandas as pd, numpy as np; folder = '../in/'"
    assert [one.name for one in sources_of(f"{head}; df = {read}")] == [name]


@pytest.mark.parametrize(
    "code",
    [
        "import glob\nfor f in glob.glob('in/*.csv'):\n    df = pd.read_csv(f)",
        "import os\nfor f in os.listdir('in'):\n    df = pd.read_csv('in/' + f)",
        "import os\nfor d, _, fs in os.walk('in'):\n    for f in fs:\n        pd.read_csv(d + f)",
        "from pathlib import Path\ndf = pd.concat([pd.read_csv(f) for f in Path('in').glob('*.csv')])",
    ],
)
def test_a_listed_folder_is_one_source(code: str) -> None:
    (source,) = sources_of("import pandas as pd\n" + code)
    assert source.is_listing


def test_a_file_read_twice_is_one_source_and_every_call_is_known() -> None:
    code = (
        "import pandas as pd\na = pd.read_csv('x/A.csv')\nb = pd.read_csv('a.csv', nrows=3)\na['p']; b['q']"
    )
    assert sources_of(code) == (Source("a.csv", "x/A.csv", ("p", "q"), (), ((2, 4), (3, 4))),)


def test_code_that_never_runs_is_read_too() -> None:
    code = "import pandas as pd\ndef f():\n    return pd.read_csv('b.csv')\na = pd.read_csv('a.csv')"
    assert {one.name for one in sources_of(code)} == {"a.csv", "b.csv"}


def test_what_merely_looks_like_a_table_is_no_source() -> None:
    assert told("import pandas as pd\nx['a'].plot()\ny = config.read('a.ini')\nz = f.readline()") == []
