"""Whatever stands in a file or a cell, reading and cutting end with a status and code that compiles."""

import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakebook.notebooks.clean import clean, parse
from lakebook.notebooks.extract import extract_components
from lakebook.notebooks.read import read_notebook

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
CELLS = st.lists(
    st.dictionaries(
        st.sampled_from(
            ["cell_type", "source", "input", "outputs", "execution_count", "id", "metadata", "level"]
        ),
        JSON | st.sampled_from(["code", "markdown", "heading", "x = 1", ["df.hist()"]]),
        max_size=6,
    )
    | JSON,
    max_size=4,
)
LINES = st.sampled_from(
    [
        "import pandas as pd",
        "df = pd.read_csv('a.csv')",
        "df['a'] = df.b + 1",
        "df = df[df['a'] > 1]",
        "df.drop('a', axis=1, inplace=True)",
        "def f(x): return f(x)",
        "f(df)",
        "for c in df: df[c].hist()",
        "df.plot()",
        "%matplotlib inline",
        "!ls",
        "print 'a'",
        "x = (",
        "]",
        "class A(A): pass",
        "a = A().b.c",
        "lambda: (yield)",
        "return 3",
        "del df",
        "global q",
        "exec('df = 1')",
        "with open('x') as y: pass",
        "import a.b.c as d, e",
        "from . import *",
        "df.loc[:, 'a':'b'] = [c for c in df if c]",
        "a, *b = c = d.e[f] = {**{}}",
        "match df:\n    case {'a': z}: pass",
        "a = [a, a, df]",
        "a += a",
        "a.append(a)",
        "a.extend(a)",
        "a = a + a",
        "a = 'b'",
        "a = f'{a}{a}{df}'",
        "df['%d' % a].hist()",
        "df[a].hist()",
        "df[f'{a}'].plot()",
        "df[[a]].plot()",
        "a = {a: a, 'b': df, 3: a}",
        "a = a.get([1], a)",
        "a = range(a, a, a)",
        "a = a * a",
        "a = 99999999999999999999 * 10",
        "df.iloc[:, -5:a].plot()",
        "df = df.groupby(a).agg(a)",
        "df = df.merge(df, on=a)",
        "df.columns = a",
        "for a in a: df[a].hist()",
        "plt.plot(a)",
        "a = [c for c in a if c in a]",
        "a = '{:>9999}{0.x}'.format(a, a)",
        "df.rename(columns={a: a}).loc[a, a].plot(x=a, y=[a, a])",
        "sns.boxplot(data=df, x=a, y=a, hue=[a])",
        "px.line(df, x=a, y=[a], color=a)",
        "x = a / 2\nprint x",
        ">>> df.hist()",
        "%%time\ndf.hist()",
        "a, df = df, a",
    ]
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200) | CELLS.map(lambda cells: json.dumps({"cells": cells}).encode()))
def test_no_file_makes_reading_raise(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "n.ipynb"
    path.write_bytes(data)

    found = read_notebook(path, tmp_path)

    assert found.status in ("ok", "partial", "skipped", "failed")
    assert (found.reason == "") == (found.status == "ok")
    extract_components(found)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=120) | st.lists(LINES, max_size=8).map("\n".join))
def test_cleaned_code_parses_or_is_empty(text: str) -> None:
    cleaned = clean(text)

    parse(cleaned.code)
    assert cleaned.code == "" or cleaned.problem == ""


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cells=st.lists(st.lists(LINES, min_size=1, max_size=5).map("\n".join), max_size=5))
def test_every_component_parses_and_ends_with_its_target(tmp_path: Path, cells: list[str]) -> None:
    path = tmp_path / "n.ipynb"
    listed = [{"cell_type": "code", "source": text, "outputs": []} for text in cells]
    path.write_text(json.dumps({"cells": listed}))

    for component in extract_components(read_notebook(path, tmp_path)):
        parse(component.code)
        assert component.code.endswith(component.target_code)
        assert component.target_cells[-1] == component.cell
        assert 0 < component.confidence <= 1
        assert (component.confidence == 1) == (component.reason == "")
