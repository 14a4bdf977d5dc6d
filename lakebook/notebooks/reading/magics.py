"""What IPython adds to Python, taken out: magics, shell lines, help requests, and their exported form.

A magic that runs Python (`%time`, `%%capture`) leaves the Python; any other becomes a comment, or `None`
where its value was stored. Only text that does not parse is given to `without_magics`: a line that begins
with `%` inside a statement or a string stays.
"""

from __future__ import annotations

import ast
import re

from lakebook.notebooks.reading.lexer import statement_end

RUNS_PYTHON = frozenset(
    {"time", "timeit", "capture", "prun", "notify", "snakeviz", "memit", "mprun", "lprun", "debug", "heat"}
)
"""Cell magics whose body is Python of the notebook."""

EXPORTED = "get_ipython()"
_PROMPTS = (
    re.compile(r"[ \t]*(?:>>>|\.\.\.)(?: |$)"),
    re.compile(r"[ \t]*(?:In \[\d+\]|\.{3,}): ?"),
)
_RUNNING_LINES = frozenset({"time", "timeit", "prun", "memit"})
_MAGIC_LINE = re.compile(r"[ \t]*(?:%|!|\?|,|;|/(?=\w))")
_MAGIC_VALUE = re.compile(r"([ \t]*[A-Za-z_][\w., \t\[\]'\"]*=)[ \t]*([!%])(.*)$", re.S)
_HELP = re.compile(r"[ \t]*[\w.\[\]\"'()%*]+[ \t]*\?{1,2}[ \t]*(?:#.*)?$")
_LINE_MAGIC = re.compile(r"%(\w+)\s*((?:-\w+\s*\d*\s+)*)(.*)$", re.S)


def cell_magic(source: str) -> tuple[str, str, str] | None:
    """Return (name, first line, body) of a cell that begins with `%%`, None for any other."""
    stripped = source.lstrip()
    if not stripped.startswith("%%"):
        return None
    head, _, body = stripped.partition("\n")
    words = head[2:].split()
    return (words[0] if words else ""), head, body


def without_prompts(source: str) -> str:
    """Return the text of a session that was pasted with its prompts (`>>>`, `In [1]:`) without them."""
    lines = source.split("\n")
    first = next((line for line in lines if line.strip()), "")
    for prompt in _PROMPTS:
        if prompt.match(first):
            return "\n".join(prompt.sub("", line, count=1) for line in lines)
    return source


def without_magics(source: str) -> str:
    """Return the text with magics, shell lines and help requests as comments."""
    written: list[str] = []
    position = 0
    while position < len(source):
        if _MAGIC_LINE.match(source, position):
            end = _end_of_magic(source, position)
            line = source[position:end]
            written.append(_plain_magic(line.rstrip("\n")) + line[len(line.rstrip("\n")) :])
        else:
            end = statement_end(source, position)
            written.append(_plain_statement(source[position:end]))
        position = end
    return "".join(written)


def without_exported_calls(source: str, tree: ast.Module) -> str:
    """Rewrite what nbconvert makes of magics: `get_ipython().run_line_magic(...)` and its kin."""
    lines = source.split("\n")
    found = [node for node in ast.walk(tree) if isinstance(node, (ast.Expr, ast.Assign))]
    found = [node for node in found if _is_exported(node.value)]
    for node in sorted(found, key=lambda node: -node.lineno):
        first, last = node.lineno - 1, (node.end_lineno or node.lineno)
        before = lines[first].encode()[: node.col_offset].decode()
        after = lines[last - 1].encode()[node.end_col_offset :].decode()
        if before.strip() or after.strip(" \t;"):
            continue  # it shares its line with another statement
        original = " ".join(part.strip() for part in lines[first:last])
        lines[first:last] = [before + part for part in _replacement(node, original).split("\n")]
    return "\n".join(lines)


def _end_of_magic(source: str, position: int) -> int:
    while True:
        end = source.find("\n", position)
        if end < 0:
            return len(source)
        if not source[position:end].rstrip().endswith("\\"):
            return end + 1
        position = end + 1


def _plain_magic(line: str) -> str:
    text = line.lstrip()
    indent = line[: len(line) - len(text)]
    magic = _LINE_MAGIC.match(text)
    if magic and magic[1] in _RUNNING_LINES and magic[3].strip():
        return indent + magic[3]
    if magic and magic[1] == "pylab":
        return f"{indent}from pylab import *"
    first, *more = text.split("\n")
    head = f"{indent}pass  # {first}" if indent else f"# {first}"
    return "\n".join([head, *(f"{indent}# {one.strip()}" for one in more)])


def _plain_statement(text: str) -> str:
    """Return a logical line as Python, if it asks for help or stores the value of a magic."""
    line = text.rstrip("\n")
    ending = text[len(line) :]
    if "?" in line and _HELP.match(line):
        stripped = line.lstrip()
        indent = line[: len(line) - len(stripped)]
        return f"{indent}pass  # {stripped}{ending}" if indent else f"# {stripped}{ending}"
    stored = _MAGIC_VALUE.match(line) if "!" in line or "%" in line else None
    if stored is None:
        return text
    magic = _LINE_MAGIC.match(stored[2] + stored[3])
    if magic and magic[1] in _RUNNING_LINES and stored[2] == "%":
        return f"{stored[1]} None  # {stored[2]}{stored[3]}{ending}"
    comment = stored[3].replace("\\\n", " ").replace("\n", " ")
    return f"{stored[1]} None  # {stored[2]}{comment}{ending}"


def _is_exported(node: ast.expr) -> bool:
    function = node.func if isinstance(node, ast.Call) else None
    shell = function.value if isinstance(function, ast.Attribute) else None
    maker = shell.func if isinstance(shell, ast.Call) else None
    return isinstance(maker, ast.Name) and maker.id == "get_ipython"


def _replacement(node: ast.Expr | ast.Assign, original: str) -> str:
    if isinstance(node, ast.Assign):
        return f"{ast.unparse(node.targets[0])} = None  # {original}"
    call = node.value
    method = call.func.attr if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else ""
    given = call.args if isinstance(call, ast.Call) else []
    texts = [item.value for item in given if isinstance(item, ast.Constant) and isinstance(item.value, str)]
    name, _, rest = (texts or [""])[0].partition(" ")
    if method == "run_cell_magic" and len(texts) == 3 and name in RUNS_PYTHON:
        return texts[2].strip("\n") or "pass"
    if method == "run_line_magic" and len(texts) == 2 and name in _RUNNING_LINES:
        return re.sub(r"^\s*(?:-\w+\s*\d*\s+)*", "", texts[1]) or "pass"
    if method == "magic" and name in _RUNNING_LINES and rest:
        return rest
    if method in ("magic", "run_line_magic") and name == "pylab":
        return "from pylab import *"
    return f"pass  # {original}"
