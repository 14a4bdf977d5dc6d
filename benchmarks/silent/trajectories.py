"""Model-written analyses with labels: InfiAgent-DABench's questions, DatawiseAgent's published trajectories.

An analysis is the cells that a model ran for one question, in order. It is right if every part of its final
answer equals the label, compared as the benchmark's own script does. Nothing of it is run here.
"""

from __future__ import annotations

import ast
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.silent.cases import Case

_PART = re.compile(
    r"```python\n(?P<code>.*?)\n```\n|^Code output:\nExit Code: (?P<exit>\d+)", re.DOTALL | re.MULTILINE
)
_ANSWER = re.compile(r"@(\w+)\[(.*?)\]")
LABELS = "InfiAgentBench/data/da-dev-labels.jsonl"
TABLES = "InfiAgentBench/data/da-dev-tables"
_RESULTS = "experimental_results/InfiAgent-Bench"


def evaluation_folder(material: Path) -> Path | None:
    """Return the folder that holds labels, tables and trajectories, None if the material is another."""
    found = [path for path in (material, material / "evaluation") if (path / LABELS).is_file()]
    return found[0] if found else None


def read_cases(folder: Path) -> list[Case]:
    """Return an analysis for every model and question."""
    labels = {one["id"]: dict(one["common_answers"]) for one in _lines(folder / LABELS)}
    cases = []
    given: dict[int, list[tuple[str, dict[str, Any]]]] = defaultdict(list)
    for run, model in _runs(folder / _RESULTS):
        answers = {one["id"]: one for one in _lines(_reformatted(run, model))}
        for one in _lines(run):
            answer = answers.get(one["id"], {}).get("response") or ""
            given[one["id"]].append((model, {**one, "answer": dict(_ANSWER.findall(str(answer)))}))
    for number, analyses in sorted(given.items()):
        label = labels[number]
        for model, one in analyses:
            right = _equal(one["answer"], label)
            kind = "" if right else _kind(one["answer"], label, [other["answer"] for _, other in analyses])
            cells = _cells(one["response"] or "")
            cases.append(
                Case(
                    f"{number}/{model}",
                    one["file_path"],
                    as_one(cells),
                    f"{one['input_text']}\n{one['format']}",
                    right,
                    kind,
                    any(code == "1" for _, code in cells),
                )
            )
    return cases


def _runs(folder: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(folder.glob("results_datawise-*.jsonl")):
        yield path, path.name.removeprefix("results_datawise-").partition("-temperature")[0]


def _reformatted(run: Path, model: str) -> Path:
    return next(path for path in (run.parent / "reformat").glob("*.jsonl") if f"-{model}-temp" in path.name)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _cells(response: str) -> list[tuple[str, str | None]]:
    """Return the cells of a trajectory with their exit codes, None for one that did not run.

    Several cells may be run at once: their outputs follow the last of them, in order.
    """
    cells: list[tuple[str, str | None]] = []
    waiting: list[int] = []
    for part in _PART.finditer(response):
        if part["code"] is not None:
            waiting.append(len(cells))
            cells.append((part["code"], None))
        elif waiting:
            place = waiting.pop(0)
            cells[place] = (cells[place][0], part["exit"])
    return cells


def _equal(answer: dict[str, str], label: dict[str, str]) -> bool:
    return all(_same(answer.get(name), value) for name, value in label.items())


def _same(one: str | None, other: str, within: float = 1e-6) -> bool:
    if one == other:
        return True
    try:
        return one is not None and abs(float(one) - float(other)) < within
    except ValueError:
        return False


def _kind(answer: dict[str, str], label: dict[str, str], others: list[dict[str, str]]) -> str:
    """Return the class of a wrong answer, by what can be told of the answers alone."""
    if not answer or not answer.keys() & label.keys():
        return "no answer"
    if all(_alike(answer.get(name), value) for name, value in label.items()):
        return "format or rounding only"
    if not any(_equal(other, label) for other in others):
        return "no model agrees with the label"
    wrong = [name for name, value in label.items() if not _same(answer.get(name), value)]
    try:
        near = all(abs(float(answer[name]) / float(label[name]) - 1) < 0.05 for name in wrong)
    except (ValueError, KeyError, ZeroDivisionError):
        near = False
    return "another number, within 5 %" if near else "another value"


def _alike(one: str | None, other: str) -> bool:
    """Say whether two answers differ in writing or in the digits after the point only."""
    if one is None:
        return False
    if re.sub(r"\W", "", one).casefold() == re.sub(r"\W", "", other).casefold():
        return True
    try:
        first, second = float(one.rstrip("%")), float(other.rstrip("%"))
    except ValueError:
        return False
    digits = min(len(text.partition(".")[2]) for text in (one, other))
    return abs(first - second) <= 1.01 * 10.0**-digits


def as_one(cells: list[tuple[str, str | None]]) -> str:
    """Return the cells that ran as one code; what a cell shows at its end is kept as shown.

    A cell that failed has run as far as it got: it stands under a condition.
    """
    body: list[ast.stmt] = []
    for code, left in cells:
        if left is None:
            continue
        plain = "\n".join("" if line.lstrip().startswith(("!", "%")) else line for line in code.splitlines())
        try:
            statements = ast.parse(plain).body
        except SyntaxError:
            continue
        if not statements:
            continue
        if isinstance(statements[-1], ast.Expr):
            shown = ast.Call(ast.Name("display", ast.Load()), [statements[-1].value], [])
            statements[-1] = ast.Expr(shown)
        body += statements if left == "0" else [ast.If(ast.Name("failed", ast.Load()), statements, [])]
    return ast.unparse(ast.fix_missing_locations(ast.Module(body, [])))
