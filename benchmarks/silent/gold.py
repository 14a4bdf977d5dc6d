"""Gold pipelines: KramaBench's reference solutions with the questions that they answer."""

from __future__ import annotations

import ast
import json
from pathlib import Path

from benchmarks.silent.cases import Case


def is_gold(material: Path) -> bool:
    """Say whether a folder holds solutions and the workload that they solve."""
    return (material / "solutions").is_dir() and (material / "workload").is_dir()


def read_gold(material: Path) -> list[Case]:
    """Return the pipelines that can be parsed, as right cases."""
    questions = {
        task["id"]: task["query"]
        for path in sorted((material / "workload").glob("*.json"))
        for task in json.loads(path.read_text(encoding="utf-8"))
    }
    cases = []
    for path in sorted((material / "solutions").rglob("*.py")):
        code = path.read_text(encoding="utf-8", errors="replace")
        code = "\n".join("" if line.lstrip().startswith(("!", "%")) else line for line in code.splitlines())
        try:
            ast.parse(code)
        except SyntaxError:
            continue
        cases.append(Case(path.stem, path.stem, code, questions.get(path.stem, ""), right=True))
    return cases
