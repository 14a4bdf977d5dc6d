"""How well does a language model label columns and chart types? On a sample, with the code beside it.

    python benchmarks/columns_model.py LABELS --notebooks DIR [--sample 40]

The endpoint and the model are those of OPENAI_BASE_URL, OPENAI_API_KEY and LAKEBOOK_MODEL. The model gets a
component's code, the columns of the tables that it reads and the chart types, and answers in JSON that can
name only those (NotebookRAG §4.2.2 has a model do this). Labels marked as doubtful and components longer than
`--letters` are left out for both; the rest is drawn by lot. A reply that cannot be read counts as an empty
answer. `--replies FILE` keeps the replies, and reads those that are there already, so that the code can be
scored anew beside the same replies. See `columns.py` for the labels and the measures.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from columns import CELL, GIVEN, Answer, Row, print_overall, score_rows

from lakebook.analyst.model.client import OpenAIModel
from lakebook.analyst.model.protocol import ModelFailed, Request
from lakebook.notebooks.taxonomy import chart_types

MODEL = "model"
SEED = 20261130
_SYSTEM = """You read Python code that loads a table and draws a chart with its last lines. Answer in JSON:
`columns`, the columns of the table that the chart shows on its axes, in colours, groups or facets (for a
computed column, those that it is computed from; not those that only select rows), and `chart_types`, what the
last lines draw."""


def main() -> int:
    options = _options()
    rows, problems = score_rows(json.loads(options.labels.read_text()), options.notebooks, {})
    for problem in problems:
        print(problem, file=sys.stderr)
    clear = [row for row in rows if not row.label.is_doubtful]
    by_lot = random.Random(SEED).sample(clear, len(clear))  # noqa: S311
    usable = [row for row in by_lot if len(row.code) <= options.letters]
    sample = usable[: options.sample]
    model = OpenAIModel(
        os.environ["LAKEBOOK_MODEL"],
        base_url=os.environ.get("OPENAI_BASE_URL", ""),
        api_key=os.environ.get("OPENAI_API_KEY", ""),
    )
    replies = json.loads(options.replies.read_text()) if options.replies and options.replies.is_file() else {}
    asked: list[Row] = []
    failed = 0
    for row in sample:
        key = f"{row.label.notebook} [{row.label.cell}]"
        if key not in replies:
            replies[key] = _ask(model, row)
            print(f"{len(replies)}/{len(sample)}", file=sys.stderr)
            if options.replies:
                options.replies.write_text(json.dumps(replies, indent=1, ensure_ascii=False))
        answer = _answer(replies[key]["text"])
        failed += answer is None
        asked.append(replace(row, answers=row.answers | {MODEL: answer or Answer()}))
    seconds = sum(reply["seconds"] for reply in replies.values()) / max(len(replies), 1)
    print(f"{model.name}: {len(asked)} of {len(usable)} components by lot, {failed} without a readable reply")
    print(f"{seconds:.1f} s of clock a component")
    print_overall(asked, (MODEL, GIVEN, CELL))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Score a model's labels of columns and chart types.")
    parser.add_argument("labels", type=Path)
    parser.add_argument(
        "--notebooks", type=Path, required=True, help="folder of checkouts, `owner+name` each"
    )
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--letters", type=int, default=4_000, help="longest component")
    parser.add_argument("--replies", type=Path, help="keep the model's replies here")
    return parser.parse_args()


def _ask(model: OpenAIModel, row: Row) -> dict[str, Any]:
    kinds = sorted(set(chart_types().values()))
    schema = {
        "type": "object",
        "properties": {"columns": _some_of(row.names), "chart_types": _some_of(kinds)},
        "required": ["columns", "chart_types"],
        "additionalProperties": False,
    }
    text = f"Columns: {json.dumps(row.names)}\nChart types: {json.dumps(kinds)}\n\n```python\n{row.code}\n```"
    started = time.perf_counter()
    try:
        said = model.complete(Request("test", (("system", _SYSTEM), ("user", text)), schema)).text
    except ModelFailed as error:
        said = ""
        print(f"{row.label.notebook} [{row.label.cell}]: {error}", file=sys.stderr)
    return {"text": said, "seconds": time.perf_counter() - started}


def _answer(text: str) -> Answer | None:
    try:
        said = json.loads(text)
        return Answer(frozenset(said["columns"]), charts=frozenset(said["chart_types"]) - {"facet"})
    except (ValueError, KeyError, TypeError):
        return None


def _some_of(values: tuple[str, ...] | list[str]) -> dict[str, object]:
    return {
        "type": "array",
        "items": {"type": "string", "enum": list(values)},
        "maxItems": max(len(values), 1),
    }


if __name__ == "__main__":
    sys.exit(main())
