"""The component index at scale: time of a column search and of one more notebook, memory and disk.

Usage: python benchmarks/index_scale.py [--components 1000000] [--searches 200] [--state DIR] [--json]

Synthetic notebooks of ten components each are about synthetic tables: some tables have thousands of
notebooks, most a few, as on public sites, and names such as `year` stand in many tables. Printed are

- build: seconds and peak memory of building from nothing, megabytes on disk;
- columns: `ComponentIndex.using` for one to three columns of a random table (the five components that need
  all of them and least besides), beside the same question asked of a Parquet file by DuckDB, and of Arrow by
  a scan that does not even sort;
- analysis: what a search reads for an analysis: the 300 notebooks whose columns are most like a table's, and
  their components that need a column that is asked for;
- popular: `using` for the most frequent column of all, the worst case;
- change: adding, changing and removing one notebook, each with its switch to the new version.

Times are in ms after one warm-up, on the clock and as CPU time of all threads of the process: on a machine
that others use too, the clock says how busy they are.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lakebook.correspondence.evidence import OldColumn
from lakebook.notebooks.component import Component, Corpus
from lakebook.retrieval.build import update_index, write_index
from lakebook.retrieval.entry import Entry
from lakebook.retrieval.index import ComponentIndex
from lakebook.retrieval.tables import SCHEMAS, NotebookRows, entry_row

A_NOTEBOOK = 10
_CHARTS = ("line", "bar", "scatter", "hist", "box", "heatmap", "count", "pie")
_COMMON = (
    "year",
    "date",
    "name",
    "type",
    "region",
    "country",
    "price",
    "age",
    "sex",
    "id",
    "category",
    "score",
)
_FIRST, _SECOND = (
    "total mean unit net gross daily max min first last home away old new raw adjusted local",
    "sales profit order fare class rank code rate level income rooms weight height tax speed depth",
)
_WORDS = "plt figure sns title xlabel ylabel show hue palette ax set rotation size groupby sort head"


class Synthetic:
    """A world of tables and notebooks, the same for the same size."""

    def __init__(self, components: int) -> None:
        self.random = random.Random(7)  # noqa: S311 (repeatable, not secret)
        self.notebooks = max(1, components // A_NOTEBOOK)
        names = [f"{a}_{b}" for a in _FIRST.split() for b in _SECOND.split()] + [
            f"{b}_{n}" for b in _SECOND.split() for n in range(90)
        ]
        often = [1 / rank**0.6 for rank in range(1, len(names) + 1)]
        count = max(20, self.notebooks // 20)
        self.tables = [
            list(dict.fromkeys((*self.random.sample(_COMMON, 3), *self.random.choices(names, often, k=9))))
            for _ in range(count)
        ]
        popularity = [1 / rank**0.8 for rank in range(1, count + 1)]
        self.about = self.random.choices(range(count), popularity, k=self.notebooks)

    def rows(self) -> Iterator[NotebookRows]:
        """Yield the rows of every notebook."""
        for number in range(self.notebooks):
            yield self.notebook(number, self.tables[self.about[number]])

    def notebook(self, number: int, table: list[str]) -> NotebookRows:
        """Return a notebook's rows: ten entries, two passages, the columns of its table."""
        path = f"notebooks/{number % 997:03d}/analysis_{number:07d}.ipynb"
        components = []
        for cell in range(A_NOTEBOOK):
            needed = self.random.sample(table, 1 + cell % 4)
            words = sorted({*self.random.sample(_WORDS.split(), 9), *needed, "df"})
            name = hashlib.sha256(f"{path}{cell}".encode()).hexdigest()[:16]
            chart = self.random.choice(_CHARTS)
            columns, heading = tuple(needed), f"{needed[0]} by {chart}"
            entry = Entry(name, path, cell, columns, columns, (), (chart,), heading, tuple(words), 5, 1.0)
            components.append(entry_row(entry))
        chunks = tuple(
            {"id": f"{path}{cell}", "notebook": path, "cell": cell, "text": f"We look at {table[cell]}."}
            for cell in range(2)
        )
        packed = orjson.dumps([asdict(OldColumn(name)) for name in sorted(table)])
        content = hashlib.sha256(orjson.dumps(components)).hexdigest()
        said = " ".join(table).replace("_", " ")
        row = {"notebook": path, "content": content, "words": said, "columns": packed}
        return NotebookRows(path, content, tuple(components), chunks, row)

    def asked(self) -> tuple[list[str], list[str]]:
        """Return a random table, as often as it has notebooks, and one to three of its columns."""
        table = self.tables[self.about[self.random.randrange(self.notebooks)]]
        return table, self.random.sample(table, self.random.randint(1, 3))


def times(work: Callable[[Any], object], given: list[Any]) -> dict[str, float]:
    """Return median and 95th percentile of the time of each call in ms; a first call warms up."""
    work(given[0])
    clock, processor = [], []
    for one in given:
        started, used = time.perf_counter(), time.process_time()
        work(one)
        processor.append(1000 * (time.process_time() - used))
        clock.append(1000 * (time.perf_counter() - started))
    return {
        f"{name} {share}": at(sorted(taken))
        for name, taken in (("clock", clock), ("CPU", processor))
        for share, at in (("p50", statistics.median), ("p95", lambda one: one[int(0.95 * (len(one) - 1))]))
    }


def memory() -> float:
    """Return the peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def disk(folder: Path) -> float:
    """Return the size of a folder in MB."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def searched(index: ComponentIndex, world: Synthetic, searches: int) -> dict[str, dict[str, float]]:
    """Time the searches."""
    asked = [world.asked() for _ in range(searches)]

    def analysis(one: tuple[list[str], list[str]]) -> int:
        return len(index.entries(index.notebooks_like(one[0]), one[1]))

    popular = Counter(name for table in world.about for name in world.tables[table]).most_common(1)[0][0]
    return {
        "columns": times(lambda one: index.using(one[1], 5), asked),
        "analysis": times(analysis, asked[: max(20, searches // 4)]),
        "popular": times(lambda _: index.using([popular], 5), [None] * 20),
    }


def baselines(file: Path, world: Synthetic, searches: int) -> dict[str, dict[str, float]]:
    """Time the same question over a Parquet file and over Arrow in memory, with no index."""
    connection = duckdb.connect()
    sql = """
        SELECT id FROM read_parquet($file) WHERE list_has_all(needed, $names)
        ORDER BY rank LIMIT 5
    """
    asked = [world.asked() for _ in range(min(20, searches))]
    table = pq.read_table(file, columns=["id", "needed"])
    flat, parent = pc.list_flatten(table["needed"]), pc.list_parent_indices(table["needed"])

    def scan(names: list[str]) -> int:
        hits = parent.filter(pc.is_in(flat, pa.array(names)))
        rows, counts = np.unique(np.asarray(hits), return_counts=True)
        return len(rows[counts == len(names)])

    return {
        "DuckDB over Parquet": times(
            lambda one: connection.execute(sql, {"file": str(file), "names": one[1]}).fetchall(), asked
        ),
        "scan of Arrow in memory": times(lambda one: scan(one[1]), asked),
    }


def changed(folder: Path, world: Synthetic) -> dict[str, dict[str, float]]:
    """Time adding, changing and removing one notebook."""

    def corpus(number: int, extra: str = "") -> Corpus:
        table = world.tables[number % len(world.tables)]
        path = f"notebooks/new/{number}.ipynb"
        code = f"import pandas as pd\ndf = pd.read_csv('data.csv')\n{extra}df[{table[:2]!r}].plot()"
        columns = tuple(table[:2])
        parts = (
            Component(f"{path}{cell}", path, cell, "", (cell,), (), code, code, columns, (), (), ("line",))
            for cell in range(A_NOTEBOOK)
        )
        return Corpus((), tuple(parts))

    numbers = list(range(10))
    return {
        "add": times(lambda n: update_index(folder, corpus(n)), numbers),
        "change": times(lambda n: update_index(folder, corpus(n, "df = df.dropna()\n")), numbers),
        "remove": times(lambda n: update_index(folder, Corpus(()), [f"notebooks/new/{n}.ipynb"]), numbers),
    }


def write_parquet(world: Synthetic, file: Path) -> None:
    """Write the components as one Parquet file, for the baseline."""
    with pq.ParquetWriter(file, SCHEMAS["components"]) as writer:
        part: list[dict[str, Any]] = []
        for rows in world.rows():
            part.extend(rows.components)
            if len(part) >= 100_000:
                writer.write_table(pa.Table.from_pylist(part, SCHEMAS["components"]))
                part = []
        writer.write_table(pa.Table.from_pylist(part, SCHEMAS["components"]))


def main() -> None:
    """Build, search, change, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--components", type=int, default=1_000_000)
    parser.add_argument("--searches", type=int, default=200)
    parser.add_argument("--state", type=Path, help="keep the index here and use the one that is there")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    folder = given.state or Path(tempfile.mkdtemp(prefix="lakebook-scale-"))
    index_folder = folder / "index"
    result: dict[str, Any] = {"components": given.components}
    world = Synthetic(given.components)
    if not index_folder.exists():
        started = time.perf_counter()
        write_index(index_folder, world.rows())
        taken = {"seconds": time.perf_counter() - started, "CPU seconds": time.process_time()}
        result["build"] = taken | {"peak MB": memory()}
    index = ComponentIndex.open(index_folder)
    result["index"] = {"components": len(index), "MB on disk": disk(index_folder)}
    result |= searched(index, world, given.searches)
    result["memory"] = {"peak MB": memory()}
    result |= {f"{name} one notebook": found for name, found in changed(index_folder, world).items()}
    result["columns after changes"] = searched(ComponentIndex.open(index_folder), world, given.searches)[
        "columns"
    ]
    file = folder / "components.parquet"
    if not file.exists():
        write_parquet(Synthetic(given.components), file)
    result |= baselines(file, world, given.searches)
    if given.state is None:
        shutil.rmtree(folder)
    if given.json:
        sys.stdout.write(json.dumps(result) + "\n")
        return
    for name, figures in result.items():
        said = (
            "  ".join(f"{key} {value:,.1f}" for key, value in figures.items())
            if isinstance(figures, dict)
            else ""
        )
        sys.stdout.write(f"{name:26} {said or figures}\n")


if __name__ == "__main__":
    main()
