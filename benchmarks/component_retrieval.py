"""Components found by column beside cells found as texts, judged by what they draw of a new table.

Usage: python benchmarks/component_retrieval.py CASES.toml [--queries 8] [--intent TEXT] [--json]

CASES.toml names, for each case, old notebooks and the table that they are to be used on:

    [[cases]]
    name = "avocado"
    notebooks = "corpus/avocado"          # a folder of notebooks that others wrote
    table = "data/avocado_2020.csv"       # a newer version of what they were about
    intent = "forecast average_price by region"

For each case the intent is broken into queries as `lakebook run` does offline, and at most five pieces of old
work are taken for each: components by column (`search`), and cells by cosine of hashed words (`general`). All
of them go through the same rerun on the table, in the sandbox, with the same repairs. A piece

- runs, if it draws something worth showing;
- shows a column, if its drawing changes when the values of that column change: half of the rows get other
  values, chosen at random by a fixed seed. This looks at no annotation and at no name. Pieces that draw
  different things in two equal runs, or whose figures are not of matplotlib, are not judged by this.

Printed are, a method: taken = pieces taken over all queries; runs = those that run; all = those that show
every column of their query; coverage = mean share of its columns that a piece shows; P@5 = `all` over five a
query; answered = queries with at least one piece that shows all. Both kinds of error: wrong = pieces taken
that do not run or show no wanted column at all; missed = queries that only the other method answers.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lakebook.analyst.intent_reader import read_intent
from lakebook.analyst.profile import table_from_card
from lakebook.analyst.table import Table
from lakebook.enhancement.drawn import axes_from, source
from lakebook.enhancement.enhanced import DrawnAxes, EnhancedComponent
from lakebook.enhancement.rerun import rerun
from lakebook.errors import SandboxError
from lakebook.notebooks.component import Corpus
from lakebook.notebooks.extract import build_corpus
from lakebook.report.execute import open_for_notebook
from lakebook.retrieval.build import build_index
from lakebook.retrieval.general import cell_components, search_general
from lakebook.retrieval.queries import eda_queries
from lakebook.retrieval.result import EdaQuery, RetrievedComponent
from lakebook.retrieval.search import search
from lakebook.sandbox.base import Session
from lakebook.sandbox.choose import choose_sandbox
from lakebook.sources.card import FileEntry, Manifest
from lakebook.sources.profile import profile_lake
from lakebook.sources.scan import scan
from lakebook.storage import hash_file

K = 5
_SECONDS = 20.0
_SET_UP = """\
import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import stats

DATA_DIR = Path(os.environ["LAKEBOOK_DATA_DIR"])
"""
_CHANGE = """\
_column = df[{name!r}]
_some = np.random.default_rng(3).random(len(df)) < 0.5
df = df.copy()
if pd.api.types.is_bool_dtype(_column):
    df[{name!r}] = _column ^ _some
elif pd.api.types.is_numeric_dtype(_column):
    df[{name!r}] = np.where(_some, _column * 1.7 + 3, _column)
elif pd.api.types.is_datetime64_any_dtype(_column):
    df[{name!r}] = _column.where(~_some, _column + pd.Timedelta(days=411))
else:
    df[{name!r}] = _column.astype(object).where(~_some, _column.mode().iloc[0])
base = df
"""


@dataclass
class Judged:
    """What became of a piece of old work on the table.

    Attributes:
        runs: it drew something. `shows`: the columns that its drawing depends on, None if it is not judged.
    """

    runs: bool
    shows: set[str] | None


@dataclass
class Judge:
    """Runs pieces and changes columns under them; each piece and column once."""

    session: Session
    steady: dict[str, bool] = field(default_factory=dict)
    tried: dict[tuple[str, str], bool | None] = field(default_factory=dict)

    def shows(self, piece: EnhancedComponent, column: str) -> bool | None:
        """Tell whether the drawing depends on a column; None if that cannot be told."""
        key = (piece.component, column)
        if key not in self.tried:
            if not self._is_steady(piece):
                self.tried[key] = None
            else:
                self.tried[key] = self._drawn(piece, _CHANGE.format(name=column)) != piece.drawn
        return self.tried[key]

    def _is_steady(self, piece: EnhancedComponent) -> bool:
        """Tell whether it draws the same twice."""
        if piece.component not in self.steady:
            self.steady[piece.component] = bool(piece.drawn) and self._drawn(piece, "") == piece.drawn
        return self.steady[piece.component]

    def _drawn(self, piece: EnhancedComponent, before: str) -> tuple[DrawnAxes, ...] | None:
        cells = [source(), f"{before}\n{piece.code}\n\n{piece.function}()\nfound = drawn_data()"]
        try:
            results, values = self.session.run_forked(cells, evaluate=["found"], seconds=_SECONDS)
        except SandboxError:
            return None
        if not results or results[-1].error is not None or not values or values[0].error:
            return None
        return axes_from(values[0].value)


@dataclass
class Case:
    """A table with its old notebooks, opened."""

    name: str
    table: Table
    corpus: Corpus
    queries: tuple[EdaQuery, ...]
    folder: Path


def open_case(given: dict[str, str], root: Path, state: Path, most: int) -> Case:
    """Read the table and the notebooks of a case, and break its intent into queries."""
    file = root / given["table"]
    manifest = Manifest((FileEntry(file.name, file.stat().st_size, hash_file(file)),))
    card = profile_lake(file.parent, manifest, state).cards[0]
    table = table_from_card(card, card.units[0])
    notebooks = root / given["notebooks"]
    corpus = build_corpus(notebooks, scan(notebooks))
    queries = eda_queries(read_intent(given["intent"], table), table)[:most]
    return Case(given["name"], table, corpus, queries, file.parent)


def open_session(case: Case) -> Session:
    """Return a sandboxed session in which the table is loaded."""
    session = open_for_notebook(choose_sandbox("auto"), case.folder)
    for cell in (_SET_UP, f"{case.table.load_code}\nbase = df"):
        result = session.run(cell)
        if result.error is not None:
            raise SystemExit(f"{case.name}: {result.error.name}: {result.error.message}")
    return session


def compare(case: Case, state: Path) -> dict[str, Any]:
    """Retrieve by both methods, run what was taken, and judge it."""
    index = build_index(state / "index", case.corpus).index
    taken = {
        "columns": search(index, case.queries, case.table, K).taken,
        "general": search_general(case.corpus.notebooks, (), case.queries, K).taken,
    }
    components = {one.id: one for one in (*case.corpus.components, *cell_components(case.corpus.notebooks))}
    result: dict[str, Any] = {"notebooks": len(case.corpus.notebooks), "queries": len(case.queries)}
    result["components"] = len(case.corpus.components)
    rated: dict[str, dict[str, list[Judged]]] = {}
    with open_session(case) as session:
        judge = Judge(session)
        for method, pieces in taken.items():
            ran = {
                one.enhanced.component: one.enhanced
                for one in rerun(pieces, components, case.table, session, seconds_each=_SECONDS)
            }
            rated[method] = rate(case.queries, pieces, ran, judge)
    for method, by_query in rated.items():
        other = rated["general" if method == "columns" else "columns"]
        result[method] = figures(case.queries, by_query, other)
    return result


def rate(
    queries: Sequence[EdaQuery],
    pieces: Iterable[RetrievedComponent],
    ran: dict[str, EnhancedComponent],
    judge: Judge,
) -> dict[str, list[Judged]]:
    """Return, for every query, what became of each piece that was taken for it."""
    wanted = {query.id: query.columns for query in queries}
    rated: dict[str, list[Judged]] = {query.id: [] for query in queries}
    for piece in pieces:
        enhanced = ran[piece.component]
        if enhanced.status != "ok":
            rated[piece.query].append(Judged(False, set()))
            continue
        told = {column: judge.shows(enhanced, column) for column in wanted[piece.query]}
        shows = None if None in told.values() else {column for column, shown in told.items() if shown}
        rated[piece.query].append(Judged(True, shows))
    return rated


def figures(
    queries: Sequence[EdaQuery], rated: dict[str, list[Judged]], other: dict[str, list[Judged]]
) -> dict[str, float]:
    """Return the figures of a method: see the top of this file."""
    pairs = [(set(query.columns), one) for query in queries for one in rated[query.id]]
    judged = [(wanted, one.shows) for wanted, one in pairs if one.shows is not None]
    full = sum(wanted <= shows for wanted, shows in judged)
    answered = {query.id for query in queries if _answers(query, rated)}
    elsewhere = {query.id for query in queries if _answers(query, other)}
    return {
        "taken": len(pairs),
        "runs": sum(one.runs for _, one in pairs),
        "not judged": len(pairs) - len(judged),
        "all": full,
        "coverage": statistics.fmean(
            [len(wanted & shows) / len(wanted) for wanted, shows in judged] or [0.0]
        ),
        "P@5": full / (K * len(queries)) if queries else 0.0,
        "answered": len(answered),
        "wrong": sum(not wanted & shows for wanted, shows in judged),
        "missed": len(elsewhere - answered),
    }


def _answers(query: EdaQuery, rated: dict[str, list[Judged]]) -> bool:
    return any(one.shows is not None and set(query.columns) <= one.shows for one in rated[query.id])


def main() -> None:
    """Compare on every case and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--queries", type=int, default=8, help="most queries a case")
    parser.add_argument("--only", default="", help="name of one case")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    results: dict[str, Any] = {}
    for entry in tomllib.loads(given.cases.read_text(encoding="utf-8"))["cases"]:
        if given.only and entry["name"] != given.only:
            continue
        with tempfile.TemporaryDirectory(prefix="lakebook-") as state:
            case = open_case(entry, given.cases.parent, Path(state), given.queries)
            results[case.name] = compare(case, Path(state))
        if not given.json:
            show(case.name, results[case.name])
    if given.json:
        sys.stdout.write(json.dumps(results) + "\n")


def show(name: str, result: dict[str, Any]) -> None:
    """Print one case."""
    head = f"{result['notebooks']} notebooks, {result['components']} components, {result['queries']} queries"
    sys.stdout.write(f"{name}: {head}\n")
    for method in ("columns", "general"):
        said = "  ".join(
            f"{key} {value:.2f}" if isinstance(value, float) else f"{key} {value}"
            for key, value in result[method].items()
        )
        sys.stdout.write(f"  {method:8} {said}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
