"""Times the source cards against their baselines, in one run: `python benchmarks/sources.py [--help]`.

Large table: the full card of a generated CSV against `SUMMARIZE` by DuckDB, and the time to a first card.
Middle table: 100,000 rows against ydata-profiling, where another interpreter has it. Small files: a first
pass over many, and passes with nothing changed. CPU seconds are those of fresh processes with all threads.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

BLOCK = 200_000
WORDS = np.array(["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel"])
COUNTRIES = np.array(["NA", "IN", "US", "DE", "FR", "GB", "BR", "CN", "JP", "ZA"])

SUMMARIZE = """
import duckdb, sys
rows = duckdb.connect().execute("SUMMARIZE FROM read_csv($file)", {"file": sys.argv[1]}).fetchall()
print(len(rows), "columns")
"""
CARD = """
import json, sys, time
started = time.perf_counter(), time.process_time()
from pathlib import Path
from lakebook.sources.profile import profile_lake
from lakebook.sources.scan import scan
imported = time.process_time()
first = []
def told(card):
    if not first:
        first.append((card.status, time.perf_counter() - started[0], time.process_time() - started[1]))
root, state = Path(sys.argv[1]), Path(sys.argv[2])
manifest = scan(root, state=state)
found = profile_lake(root, manifest, state, on_card=told)
unit = found.cards[0].units[0]
print(json.dumps({"rows": unit.rows, "columns": len(unit.columns), "first": first[0],
                  "work": time.process_time() - imported,
                  "exact": all(column.distinct_exact for column in unit.columns)}))
"""
YDATA = """
import json, sys, time, warnings
warnings.filterwarnings("ignore")
import pandas as pd
from ydata_profiling import ProfileReport
started = time.process_time()
report = ProfileReport(pd.read_csv(sys.argv[1]), minimal=True, progress_bar=False)
report.get_description()
described = time.process_time()
report.to_file(sys.argv[2])
print(json.dumps({"described": described - started, "reported": time.process_time() - started}))
"""
OVER_LAKE = """
import sys
from pathlib import Path
from lakebook.sources.profile import profile_lake
from lakebook.sources.scan import scan
root, state = Path(sys.argv[1]), Path(sys.argv[2])
print(len(profile_lake(root, scan(root, state=state), state).cards), "cards")
"""
IMPORTS = "from lakebook.sources.profile import profile_lake"


def measured(code: str, *arguments: str, python: str = sys.executable) -> tuple[str, float, float]:
    """Run code in a fresh interpreter; return what it prints, its CPU seconds and its peak memory in MB."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([python, "-c", code, *arguments], stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"a measured process failed with {process.returncode}")
        output.seek(0)
        printed = output.read().decode()
    return printed.strip(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def block(start: int, rows: int, seed: int) -> pa.RecordBatch:
    """Generate rows of twenty mixed columns."""
    rng = np.random.default_rng((seed, start))

    def words() -> np.ndarray:
        return WORDS[rng.integers(0, len(WORDS), rows)]

    def joined(*parts: np.ndarray) -> np.ndarray:
        text = parts[0]
        for part in parts[1:]:
            text = np.char.add(np.char.add(text, " "), part)
        return text

    return pa.record_batch(
        {
            "row_id": np.arange(start, start + rows),
            "order_id": rng.integers(0, 400_000, rows),
            "country": COUNTRIES[rng.integers(0, len(COUNTRIES), rows)],
            "city": np.char.add("City ", rng.integers(0, 500, rows).astype(str)),
            "segment": np.array(["Consumer", "Corporate", "Home"])[rng.integers(0, 3, rows)],
            "order_date": np.datetime64("2015-01-01") + rng.integers(0, 3650, rows),
            "created": np.datetime64("2020-01-01T00:00:00") + rng.integers(0, 10**8, rows),
            "quantity": rng.integers(1, 15, rows),
            "price": np.round(rng.gamma(2, 40, rows), 2),
            "discount": np.round(rng.integers(0, 9, rows) / 10, 1),
            "amount": np.round(rng.lognormal(4, 1, rows), 2),
            "temperature": pa.array(np.round(rng.normal(15, 8, rows), 1), mask=rng.random(rows) < 0.05),
            "latitude": np.round(rng.uniform(-60, 70, rows), 5),
            "longitude": np.round(rng.uniform(-180, 180, rows), 5),
            "active": rng.random(rows) < 0.3,
            "rating": pa.array(rng.integers(1, 6, rows), mask=rng.random(rows) < 0.2),
            "zip": np.char.zfill(rng.integers(0, 99_999, rows).astype(str), 5),
            "session": np.char.add("s", rng.integers(0, 2**40, rows).astype(str)),
            "note": joined(words(), words(), rng.integers(0, 2000, rows).astype(str)),
            "year": rng.integers(2000, 2026, rows),
        }
    )


def write_table(file: Path, rows: int, seed: int) -> None:
    """Write a generated table as CSV, block by block."""
    writer = None
    for start in range(0, rows, BLOCK):
        rows_of_block = block(start, min(BLOCK, rows - start), seed)
        if writer is None:
            options = pyarrow.csv.WriteOptions(quoting_style="none")
            writer = pyarrow.csv.CSVWriter(file, rows_of_block.schema, write_options=options)
        writer.write(rows_of_block)
    if writer is not None:
        writer.close()


def large(folder: Path, megabytes: int, seed: int) -> None:
    """Compare the full card of a large table with DuckDB's summary of the same file."""
    lake = folder / "large"
    lake.mkdir()
    write_table(lake / "table.csv", megabytes * 6_390, seed)
    size = (lake / "table.csv").stat().st_size / 1e6
    _, base, base_memory = measured(SUMMARIZE, str(lake / "table.csv"))
    printed, cpu, memory = measured(CARD, str(lake), str(folder / "large-state"))
    card = json.loads(printed)
    status, wall, first_cpu = card["first"]
    print(f"large table: {size:,.0f} MB, {card['rows']:,} rows x {card['columns']} columns")
    print(f"  SUMMARIZE (approximate)     {base:7.1f} s CPU  {base_memory:6,.0f} MB")
    exact = "exact" if card["exact"] else "not all exact"
    print(f"  full card ({exact})           {cpu:7.1f} s CPU  {memory:6,.0f} MB  {cpu / base:.2f} x")
    print(f"  first card ({status})      {first_cpu:7.1f} s CPU  {wall:6.1f} s on the clock")
    (lake / "table.csv").unlink()


def middle(folder: Path, python: str, seed: int) -> None:
    """Compare the card of 100,000 rows with ydata-profiling in its minimal mode."""
    lake = folder / "middle"
    lake.mkdir()
    write_table(lake / "table.csv", 100_000, seed)
    printed, cpu, memory = measured(CARD, str(lake), str(folder / "middle-state"))
    work = json.loads(printed)["work"]
    print("middle table: 100,000 rows x 20 columns, without imports (with them in brackets)")
    print(f"  card                        {work:7.2f} s CPU ({cpu:.1f})  {memory:6,.0f} MB")
    if not python:
        print("  ydata-profiling minimal     not measured: give --ydata-python")
        return
    page = str(folder / "report.html")
    printed, base, base_memory = measured(YDATA, str(lake / "table.csv"), page, python=python)
    took = json.loads(printed.splitlines()[-1])
    described, reported = took["described"], took["reported"]
    print(f"  ydata-profiling minimal     {described:7.2f} s CPU, description only  {described / work:.1f} x")
    print(f"  ydata-profiling minimal     {reported:7.2f} s CPU ({base:.1f})  {base_memory:6,.0f} MB", end="")
    print(f", with its report  {reported / work:.1f} x")


def small(folder: Path, files: int, seed: int) -> None:
    """Time a first pass over many small files, and a pass with nothing changed."""
    lake, state = folder / "small", folder / "small-state"
    lake.mkdir()
    rng = np.random.default_rng(seed)
    for number in range(files):
        city, kind = WORDS[rng.integers(0, 8, 20)], rng.choice(["A", "B"], 20)
        price = rng.random(20) * 100
        lines = (
            f"{row},{city[row]},2024-01-{row + 1:02d},{price[row]:.2f},{kind[row]}\n" for row in range(20)
        )
        (lake / f"f{number:05d}.csv").write_text("id,city,day,price,kind\n" + "".join(lines))
    for file in lake.iterdir():  # as if they had been there for a while
        os.utime(file, (1, 1))
    start = min(measured(IMPORTS)[1] for _ in range(3))
    runs = [measured(OVER_LAKE, str(lake), str(state)) for _ in range(3)]
    print(f"small files: {files:,} of 20 rows x 5 columns, start of the interpreter ({start:.2f} s) left out")
    for name, (_, cpu, memory) in zip(("first pass", "second pass", "third pass"), runs, strict=True):
        print(f"  {name:26}  {(cpu - start) / files * 1000:7.3f} ms CPU a file  {memory:6,.0f} MB")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("parts", nargs="*", help="large, middle, small; all of them if none is named")
    parser.add_argument("--megabytes", type=int, default=1_100, help="size of the large table")
    parser.add_argument("--files", type=int, default=10_000, help="number of small files")
    parser.add_argument("--ydata-python", default="", help="an interpreter that has ydata-profiling")
    parser.add_argument("--folder", type=Path, help="where to write; a temporary folder if not given")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args(arguments)
    parts = given.parts or ["large", "middle", "small"]
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder = Path(name)
        if "large" in parts:
            large(folder, given.megabytes, given.seed)
        if "middle" in parts:
            middle(folder, given.ydata_python, given.seed)
        if "small" in parts:
            small(folder, given.files, given.seed)


if __name__ == "__main__":
    main()
