"""What rules and baselines say of cases, counted with intervals."""

from __future__ import annotations

import ast
import json
import math
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lakebook.operators.record import Finding

_LINTED = ("F", "B", "PD", "RUF", "PLE", "PLW", "E7")
# What only a notebook's way of writing trips: names imported elsewhere, bare expressions, `df`.
_NOTEBOOK = frozenset(
    {"F821", "F401", "F811", "B018", "PD901", "E702", "E703", "RUF100", "F404", "RUF001", "RUF003"}
)


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its 95 % Wilson interval."""

    hits: int
    of: int

    def __str__(self) -> str:
        if not self.of:
            return "–"
        low, high = wilson(self.hits, self.of)
        return f"{self.hits}/{self.of} = {self.hits / self.of:.1%} [{low:.1%}, {high:.1%}]"


def wilson(hits: int, of: int, z: float = 1.96) -> tuple[float, float]:
    """Return the Wilson score interval of a share."""
    share = hits / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def told(findings: Iterable[Finding]) -> list[Finding]:
    """Return what is said of the code: not what could not be checked."""
    return [finding for finding in findings if finding.action in ("reject", "advise")]


def stands(finding: Finding, code: str) -> bool:
    """Say whether a finding is about a step that was not done again later.

    An analysis goes on after a look at what came out: what a step gave is replaced when a later statement
    binds all its names anew.
    """
    found = re.search(r"line (\d+) of the code", f"{finding.observed} {finding.message}")
    if not found:
        return True
    line = int(found[1])
    body = ast.parse(code).body
    place = next((at for at, one in enumerate(body) if one.lineno <= line <= (one.end_lineno or line)), None)
    if place is None:
        return True
    names = _bound(body[place])
    later = {name for one in body[place + 1 :] for name in _bound(one)}
    return not names or not names <= later


def _bound(statement: ast.stmt) -> set[str]:
    return {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def lint(codes: Sequence[str]) -> list[list[str]]:
    """Return what a linter says of each code: the rule ids, without those of a notebook's way of writing."""
    said: list[list[str]] = [[] for _ in codes]
    with tempfile.TemporaryDirectory() as folder:
        for place, code in enumerate(codes):
            (Path(folder) / f"c{place}.py").write_text(code, encoding="utf-8")
        command = [
            sys.executable, "-m", "ruff", "check", "--isolated", "--quiet", "--no-cache",
            "--select", ",".join(_LINTED), "--output-format", "json", folder,
        ]  # fmt: skip
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        for one in json.loads(ran.stdout or "[]"):
            if one["code"] and one["code"] not in _NOTEBOOK:
                said[int(Path(one["filename"]).stem[1:])].append(one["code"])
    return said


def more(first: Sequence[str], second: Sequence[str]) -> bool:
    """Say whether the second list holds something oftener than the first."""
    return any(second.count(one) > first.count(one) for one in set(second))
