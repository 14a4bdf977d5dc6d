"""Write the pandas statements that load a unit: plain, short, and readable by whoever opens the notebook.

The statements use only `DATA_DIR` and `pd`, import what else they need, and give the same rows, names and
types as the loaded table. What each format's opening statement is belongs to the format.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

_LOOP_FROM = 3
_WIDTH = 100


def literal(text: str) -> str:
    """Return the text as a double-quoted Python literal."""
    return json.dumps(text, ensure_ascii=False)


def literals(texts: Iterable[str]) -> str:
    """Return a Python list of texts."""
    return f"[{', '.join(literal(text) for text in texts)}]"


def data_file(relative: str) -> str:
    """Return the expression for a file of the lake."""
    return f"DATA_DIR / {literal(relative)}"


def call(function: str, arguments: Sequence[str]) -> str:
    """Write a call on one line if it fits, else one argument a line."""
    line = f"{function}({', '.join(arguments)})"
    if len(line) <= _WIDTH:
        return line
    inner = "".join(f"    {argument},\n" for argument in arguments)
    return f"{function}(\n{inner})"


def conversions(templates: Iterable[tuple[str, str]]) -> list[str]:
    """Write the statements that convert columns; three or more that share one become a loop."""
    columns: dict[str, list[str]] = {}
    for name, template in templates:
        if template:
            columns.setdefault(template, []).append(name)
    statements = []
    for template, names in columns.items():
        if len(names) < _LOOP_FROM:
            for name in names:
                column = f"df[{literal(name)}]"
                expression = template.replace("{name}", literal(name)).replace("{}", column)
                statements.append(f"{column} = {expression}")
        else:
            expression = template.replace("{name}", "name").replace("{}", "df[name]")
            listed = _wrapped(names)
            statements.append(f"for name in {listed}:\n    df[name] = {expression}")
    return statements


def _wrapped(names: Sequence[str]) -> str:
    line = literals(names)
    if len(line) <= _WIDTH - 10:
        return line
    return "[\n" + "".join(f"    {literal(name)},\n" for name in names) + "]"
