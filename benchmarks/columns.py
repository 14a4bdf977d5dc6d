"""How right are the columns and chart types of components? Against labels by hand, beside two simpler ways.

    python benchmarks/columns.py LABELS --notebooks DIR [--errors] [--json FILE]
    python benchmarks/columns.py LABELS --list

LABELS is a file of benchmarks/labels: `columns_look.json` to develop on, `columns_third.json` scored once
and then shown to who develops, `columns_unseen.json` and `columns_fourth.json` to score only, though the
kinds of their misses are known by now, so that a blind figure needs a new set (the fourth: 28
notebooks of 26 repositories, found by the names of their data sets and drawn by lot before their cells were
seen). DIR holds a checkout of each repository in a folder `owner+name`; `--list` prints repositories,
commits and paths. A notebook whose sha256 is not the labelled one is left out, and said so.

The labels were written by reading the notebooks, before any run of this code on them; the cells were taken by
lot from all that draw, at most six a notebook. Rule of the labels: base columns of the loaded tables that the
chart shows or visibly conditions on, derived columns traced back; a whole-frame chart shows all columns that
it would draw, given the tables' schema (recorded from saved outputs or the data file); group keys that are an
axis are shown; what only selects rows is a filter column; a column named for hovering is shown. Left out
were, by rules written before: empty pictures, pictures of images, text without a chart, model metrics,
drawings without a column of a loaded table, cells whose upstream cannot be read. `doubt` marks labels that
someone may see otherwise; the score is given with and without them. Facets are no chart type of their own;
`also_chart_types` are names for the same picture that count as right.

Printed with Wilson intervals of 95 %; several cells of one notebook are not independent, so the mean over
notebooks stands beside. Baselines: columns of the schema named in the cell (`cell only`), or anywhere in the
component (`named anywhere`), with the chart types of the calls there. A file `<LABELS>_corrections.json`, if
there is one, lists labels found wrong after a run; the score with them is given apart. `<LABELS>_second.json`
holds a second labelling of a third, taken by lot, by the same hand without looking at the first: how far the
rule leaves the answer open at best. NotebookRAG §4.2.2.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lakebook.notebooks.component import Component, Notebook
from lakebook.notebooks.extract import extract_components
from lakebook.notebooks.read import read_notebook
from lakebook.notebooks.schema import ColumnKind, Schema
from lakebook.notebooks.taxonomy import chart_types

GIVEN, INFERRED, CELL, ANYWHERE = "schema given", "schema inferred", "cell only", "named anywhere"
WAYS = (GIVEN, INFERRED, CELL, ANYWHERE)
LIBRARIES = {
    "altair": r"\balt\.",
    "bokeh": r"(?<![.\w])show\(|\.(vbar|hbar|quad|multi_line)\(",
    "plotly": r"\b(px|go|ff)\.|\bplotly\b|\biplot\(",
    "seaborn": r"\b(sns|sb)\.",
    "pandas": r"(?<!\bplt)(?<!\bax)\.(plot|hist|boxplot)\b",
    "matplotlib": r"\bplt\.|\bax\w*\.",
}
_FACETS = frozenset({"facet"})
_Z = 1.959964


@dataclass(frozen=True, slots=True)
class Label:
    """What a person says of one drawing cell."""

    notebook: str
    cell: int
    columns: frozenset[str]
    filters: frozenset[str]
    charts: tuple[frozenset[str], ...]
    is_doubtful: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What one way of reading says of the same cell."""

    columns: frozenset[str] = frozenset()
    filters: frozenset[str] = frozenset()
    charts: frozenset[str] = frozenset()
    is_sure: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    """A label and the answers to it; `code` is the component, `names` the columns of the tables it reads."""

    label: Label
    library: str
    answers: dict[str, Answer]
    code: str
    names: tuple[str, ...]


def main() -> int:
    options = _options()
    notebooks = json.loads(options.labels.read_text())
    if options.list:
        for entry in notebooks:
            print(f"{entry['repository']}  {entry['commit']}  {entry['path']}")
        return 0
    rows, problems = score_rows(notebooks, options.notebooks, {})
    for problem in problems:
        print(problem, file=sys.stderr)
    if not rows:
        print("no labelled notebook was found", file=sys.stderr)
        return 1
    _report(rows, notebooks)
    second = options.labels.with_name(f"{options.labels.stem}_second.json")
    if second.is_file():
        _agreement(notebooks, json.loads(second.read_text()))
    corrections = options.labels.with_name(f"{options.labels.stem}_corrections.json")
    if corrections.is_file():
        wrong = {_key(one): one for one in json.loads(corrections.read_text())}
        print(f"\nwith {len(wrong)} labels corrected after a run")
        corrected, _ = score_rows(notebooks, options.notebooks, wrong)
        print_overall(corrected, (GIVEN,))
    if options.errors:
        _errors(rows)
    if options.json:
        options.json.write_text(json.dumps([_plain(row) for row in rows], indent=1, ensure_ascii=False))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Score columns and chart types of components.")
    parser.add_argument("labels", type=Path)
    parser.add_argument(
        "--notebooks", type=Path, default=Path(), help="folder of checkouts, `owner+name` each"
    )
    parser.add_argument("--list", action="store_true", help="print which notebooks are labelled, and stop")
    parser.add_argument("--errors", action="store_true", help="also print each difference")
    parser.add_argument("--json", type=Path, help="also write labels and answers here")
    return parser.parse_args()


def _key(entry: dict[str, Any]) -> tuple[str, str, int]:
    return entry["repository"], entry["path"], entry["cell"]


def score_rows(
    notebooks: Sequence[dict[str, Any]], folder: Path, wrong: dict[tuple[str, str, int], dict[str, Any]]
) -> tuple[list[Row], list[str]]:
    rows: list[Row] = []
    problems: list[str] = []
    for entry in notebooks:
        root = folder / entry["repository"].replace("/", "+")
        path = root / entry["path"]
        name = f"{entry['repository']}: {entry['path']}"
        if not path.is_file():
            problems.append(f"{name}: not in {root}")
            continue
        if hashlib.sha256(path.read_bytes()).hexdigest() != entry["sha256"]:
            problems.append(f"{name}: not the version that was labelled")
            continue
        notebook = read_notebook(path.absolute(), root.absolute())
        try:
            components = _components(notebook, entry["tables"])
        except Exception as error:  # noqa: BLE001 - a crash is an answer: every label of the notebook is missed
            problems.append(f"{name}: {type(error).__name__}: {error}")
            components = {GIVEN: {}, INFERRED: {}}
        for one in entry["components"]:
            fixed = one | wrong.get((entry["repository"], entry["path"], one["cell"]), {})
            label = Label(
                notebook=name,
                cell=one["cell"],
                columns=frozenset(fixed["columns"]),
                filters=frozenset(fixed["filter_columns"]),
                charts=(
                    frozenset(fixed["chart_types"]),
                    *(frozenset(also) for also in fixed.get("also_chart_types", ())),
                ),
                is_doubtful=bool(one.get("doubt")),
            )
            rows.append(_row(label, notebook.cells[one["cell"]].code, components, entry["tables"]))
    return rows, problems


def _components(notebook: Notebook, tables: dict[str, dict[str, str]]) -> dict[str, dict[int, Component]]:
    """Return the components of a notebook by cell: without a schema, and each with that of what it reads."""
    inferred = {one.cell: one for one in extract_components(notebook)}
    given: dict[int, Component] = {}
    by_schema: dict[tuple[str, ...], dict[int, Component]] = {}
    for cell, component in inferred.items():
        used = _tables_of(component.code, tables)
        if used not in by_schema:
            schema = Schema.of_kinds({c: _kind(k) for name in used for c, k in tables[name].items()})
            by_schema[used] = {one.cell: one for one in extract_components(notebook, schema)}
        given[cell] = by_schema[used][cell]
    return {GIVEN: given, INFERRED: inferred}


def _tables_of(code: str, tables: dict[str, dict[str, str]]) -> tuple[str, ...]:
    """Return the tables whose file or name the code mentions, or all."""
    named = [name for name in tables if name in code]
    named = named or [name for name in tables if re.search(rf"\b{re.escape(Path(name).stem)}\b", code)]
    return tuple(named or tables)


def _kind(kind: str) -> ColumnKind:
    kinds: dict[str, ColumnKind] = {"number": "number", "boolean": "number", "datetime": "datetime"}
    return kinds.get(kind, "text")


def _row(
    label: Label, source: str, components: dict[str, dict[int, Component]], tables: dict[str, dict[str, str]]
) -> Row:
    cell = label.cell
    answers = {way: _answer(found[cell]) if cell in found else Answer() for way, found in components.items()}
    code = components[INFERRED][cell].code if cell in components[INFERRED] else source
    names = dict.fromkeys(column for name in _tables_of(code, tables) for column in tables[name])
    answers[CELL] = _named(source, names)
    answers[ANYWHERE] = _named(code, names)
    return Row(label, _library(source), answers, code, tuple(names))


def _answer(component: Component) -> Answer:
    return Answer(
        frozenset(component.columns),
        frozenset(component.filter_columns),
        frozenset(component.chart_types) - _FACETS,
        is_sure=not component.columns_doubt,
    )


def _named(code: str, names: Iterable[str]) -> Answer:
    """Read code as text: quoted names and attributes that are columns, names of calls that draw."""
    found = {name for name in names if re.search(rf"""(['"]){re.escape(name)}(?:\1|:[A-Z]\b)""", code)}
    found |= {name for name in names if name.isidentifier() and re.search(rf"\.{name}\b(?!\()", code)}
    types = chart_types()
    calls = re.findall(r"\b(\w+)\(", code) + [
        f"{kind}plot" for kind in re.findall(r"kind\s*=\s*['\"](\w+)", code)
    ]
    return Answer(
        frozenset(found), charts=frozenset(types[call] for call in calls if call in types) - _FACETS
    )


def _library(source: str) -> str:
    return next((name for name, pattern in LIBRARIES.items() if re.search(pattern, source)), "own function")


def _columns_equal(row: Row, way: str) -> bool:
    return row.answers[way].columns == row.label.columns


def _charts_equal(row: Row, way: str) -> bool:
    return row.answers[way].charts in row.label.charts


def _jaccard(row: Row, way: str) -> float:
    mine, theirs = row.answers[way].columns, row.label.columns
    return len(mine & theirs) / len(mine | theirs) if mine | theirs else 1.0


def wilson(right: int, total: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927)."""
    if not total:
        return 0.0, 1.0
    share, square = right / total, _Z * _Z
    middle = (share + square / (2 * total)) / (1 + square / total)
    half = _Z / (1 + square / total) * math.sqrt(share * (1 - share) / total + square / (4 * total * total))
    return middle - half, middle + half


def _share(right: int, total: int) -> str:
    low, high = wilson(right, total)
    return f"{right}/{total} = {100 * right / max(total, 1):.1f} % [{100 * low:.1f}, {100 * high:.1f}]"


def _report(rows: Sequence[Row], notebooks: Sequence[dict[str, Any]]) -> None:
    excluded = Counter(one["reason"].partition(" (")[0] for entry in notebooks for one in entry["excluded"])
    drawing = sum(entry["drawing_cells"] for entry in notebooks)
    read = {row.label.notebook for row in rows}
    sampled = excluded.total() + sum(len(entry["components"]) for entry in notebooks)
    print(
        f"{len(read)} of {len(notebooks)} notebooks, "
        f"{len({name.partition(':')[0] for name in read})} repositories, {len(rows)} components\n"
        f"{sampled} of {drawing} drawing cells taken by lot, {excluded.total()} of them left out: "
        f"{dict(excluded.most_common())}"
    )
    print_overall(rows, WAYS)
    clear = [row for row in rows if not row.label.is_doubtful]
    print(f"\nwithout the {len(rows) - len(clear)} doubtful labels")
    print_overall(clear, WAYS)
    filters = sum(row.answers[GIVEN].filters == row.label.filters for row in rows)
    both = sum(
        row.answers[GIVEN].filters | row.answers[GIVEN].columns == row.label.filters | row.label.columns
        for row in rows
    )
    print(f"\nfilter columns exact {_share(filters, len(rows))}; shown or filter {_share(both, len(rows))}")
    _split("how sure", rows, lambda row: "sure" if row.answers[GIVEN].is_sure else "unsure")
    _split("library", rows, lambda row: row.library)
    _split("chart type", rows, lambda row: "+".join(sorted(row.label.charts[0])))
    _confusions(rows)


def print_overall(rows: Sequence[Row], ways: Sequence[str]) -> None:
    for way in ways:
        by_notebook: defaultdict[str, list[bool]] = defaultdict(list)
        for row in rows:
            by_notebook[row.label.notebook].append(_columns_equal(row, way))
        means = [sum(found) / len(found) for found in by_notebook.values()]
        missed = sum(len(row.label.columns - row.answers[way].columns) for row in rows)
        false = sum(len(row.answers[way].columns - row.label.columns) for row in rows)
        print(
            f"{way:16} exact set {_share(sum(_columns_equal(row, way) for row in rows), len(rows))}"
            f" (mean of notebooks {100 * sum(means) / len(means):.1f} %),"
            f" Jaccard {sum(_jaccard(row, way) for row in rows) / len(rows):.3f},"
            f" columns missed {missed}, false {false} of {sum(len(row.label.columns) for row in rows)};"
            f" chart types {_share(sum(_charts_equal(row, way) for row in rows), len(rows))}"
        )


def _agreement(notebooks: Sequence[dict[str, Any]], second: Sequence[dict[str, Any]]) -> None:
    first = {
        (entry["repository"], entry["path"], one["cell"]): one
        for entry in notebooks
        for one in entry["components"]
    }
    print(f"\nlabelled twice: {len(second)}")
    for clear in (False, True):
        pairs = [(first[_key(one)], one) for one in second if not clear or not first[_key(one)].get("doubt")]
        same = {
            kind: _share(sum(sorted(one[kind]) == sorted(other[kind]) for one, other in pairs), len(pairs))
            for kind in ("columns", "filter_columns", "chart_types")
        }
        print(f"  {'without doubtful' if clear else 'all':16} {same}")


def _split(title: str, rows: Sequence[Row], of: Callable[[Row], str]) -> None:
    groups: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[of(row)].append(row)
    print(f"\nby {title} (schema given): exact set; chart types")
    for name, group in sorted(groups.items(), key=lambda item: -len(item[1])):
        exact = sum(_columns_equal(row, GIVEN) for row in group)
        charts = sum(_charts_equal(row, GIVEN) for row in group)
        print(f"  {name:20} {_share(exact, len(group))}; {charts}/{len(group)}")


def _confusions(rows: Sequence[Row]) -> None:
    wrong = Counter(
        ("+".join(sorted(row.label.charts[0])), "+".join(sorted(row.answers[GIVEN].charts)) or "nothing")
        for row in rows
        if not _charts_equal(row, GIVEN)
    )
    print(f"\nchart types confused (label, answer): {wrong.total()}")
    for (label, answer), count in wrong.most_common():
        print(f"  {label:24} {answer:32} {count}")


def _errors(rows: Sequence[Row]) -> None:
    print("\ndifferences (schema given)")
    for row in rows:
        if _columns_equal(row, GIVEN) and _charts_equal(row, GIVEN):
            continue
        answer = row.answers[GIVEN]
        print(
            f"  {row.label.notebook} [{row.label.cell}]{' (doubtful label)' if row.label.is_doubtful else ''}"
            f"{'' if answer.is_sure else ' (unsure)'}:"
            f" missed {sorted(row.label.columns - answer.columns)}"
            f" false {sorted(answer.columns - row.label.columns)}"
            f" charts {sorted(row.label.charts[0])} -> {sorted(answer.charts)}"
        )


def _plain(row: Row) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(json.dumps(asdict(row), default=sorted))
    return plain


if __name__ == "__main__":
    sys.exit(main())
