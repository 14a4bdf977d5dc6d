"""The text of a code cell made plain Python 3: magics, shell lines, help requests, exported calls, Python 2.

What can be rewritten mechanically is; what cannot costs the cell, or in a cell of imports the one line. Only
text that does not parse is touched, apart from `get_ipython()` calls, which parse and mean magics.
"""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from dataclasses import dataclass

_TRANSPARENT_CELL_MAGICS = frozenset({"time", "timeit", "capture", "prun", "notify", "snakeviz", "memit"})
_TRANSPARENT_LINE_MAGICS = ("%time ", "%timeit ", "%prun ", "%memit ")
_MAGIC_LINE = re.compile(r"^(\s*)(%|!|\?|,|;|/(?=\w))")
_MAGIC_VALUE = re.compile(r"^(\s*[A-Za-z_][\w, ]*=)\s*(!|%)(.*)$")
_HELP_LINE = re.compile(r"^\s*[\w.\[\]\"'()]+\?{1,2}\s*$")
_OPTIONS = re.compile(r"^%\w+\s+((-\w+\s*\d*\s+)*)")
_EXPORTED = "get_ipython()"
_OPEN_ENDS = ("\\", "(", ",", "[", "{", "%", "+", "-", "*", "/", "=")

_PYTHON_2 = (
    (re.compile(r"^(\s*)print\s*>>\s*([\w.]+)\s*,\s*(.*)$", re.M), r"\1print(\3, file=\2)"),
    (re.compile(r"^(\s*)print[ \t]+(?![=.])(.*?),?[ \t]*$", re.M), r"\1print(\2)"),
    (re.compile(r"([;:][ \t]*)print[ \t]+(?![=.(])([^\n;]*?),?[ \t]*$", re.M), r"\1print(\2)"),
    (re.compile(r"^(\s*)print(\([^\n]*\)[ \t]*%[^\n]*)$", re.M), r"\1print(\2)"),
    (re.compile(r"^(\s*)print[ \t]*$", re.M), r"\1print()"),
    (re.compile(r"\bexcept[ \t]+([\w.]+)[ \t]*,[ \t]*(\w+)[ \t]*:"), r"except \1 as \2:"),
    (re.compile(r"\bexcept[ \t]+(\([\w., \t]+\))[ \t]*,[ \t]*(\w+)[ \t]*:"), r"except \1 as \2:"),
    (re.compile(r"^(\s*)raise[ \t]+([\w.]+)[ \t]*,[ \t]*(.+)$", re.M), r"\1raise \2(\3)"),
    (re.compile(r"^(\s*)exec[ \t]+(?!\()(.+)$", re.M), r"\1exec(\2)"),
    (re.compile(r"<>"), "!="),
    (re.compile(r"\b(0[xX][0-9a-fA-F]+|\d+)[lL]\b"), r"\1"),
    (re.compile(r"\b[uU][rR](?=['\"])"), "r"),
)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Plain Python, or why there is none; `note` names a line that was left out of usable code."""

    code: str
    problem: str = ""
    note: str = ""


def parse(code: str) -> ast.Module:
    """Parse Python without the warnings that old code gives rise to.

    Raises:
        SyntaxError: also for what the parser refuses in other ways (NUL bytes, too deep nesting).
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(code)
        except (ValueError, RecursionError, MemoryError) as error:
            raise SyntaxError(str(error) or "too deeply nested") from error


def clean(source: str) -> Cleaned:
    """Return a cell's text as plain Python."""
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    if source.lstrip().startswith("%%"):
        return _cell_magic(source.lstrip())
    if _EXPORTED in source:
        source = _without_exported_calls(source)
    tree = _tree(source)
    if tree is not None:
        return Cleaned(source)
    without_magics = _without_magics(source, by_brackets=True)
    if _tree(without_magics) is not None:
        return Cleaned(without_magics)
    without_magics = _without_magics(source, by_brackets=False)
    python_3 = without_magics
    for pattern, replacement in _PYTHON_2:
        python_3 = pattern.sub(replacement, python_3)
    for candidate in (without_magics, python_3, textwrap.dedent(without_magics), textwrap.dedent(python_3)):
        if _tree(candidate) is not None:
            return Cleaned(candidate)
    return _without_broken_import(without_magics)


def _tree(code: str) -> ast.Module | None:
    try:
        return parse(code)
    except SyntaxError:
        return None


def _cell_magic(source: str) -> Cleaned:
    head, _, rest = source.partition("\n")
    words = head[2:].split()
    name = words[0] if words else ""
    if name not in _TRANSPARENT_CELL_MAGICS:
        return Cleaned("", f"a `%%{name}` cell, no Python")
    inner = clean(rest)
    return Cleaned(f"# {head}\n{inner.code}", inner.problem, inner.note)


def _without_magics(source: str, *, by_brackets: bool) -> str:
    """Take out magics and shell lines.

    Args:
        source: the cell.
        by_brackets: count brackets to tell where a statement goes on; brackets inside texts mislead it.
    """
    lines: list[str] = []
    continued = False
    in_text = False
    depth = 0
    for line in source.split("\n"):
        if continued:
            lines.append("# " + line)
            continued = line.rstrip().endswith("\\")
        elif in_text or (by_brackets and depth > 0) or (lines and _is_open(lines[-1])):
            lines.append(line)
        else:
            plain = _plain_line(line)
            continued = plain != line and line.rstrip().endswith("\\")
            lines.append(plain)
        if (lines[-1].count('"""') + lines[-1].count("'''")) % 2 and not lines[-1].lstrip().startswith("#"):
            in_text = not in_text
        if not lines[-1].lstrip().startswith("#"):
            depth += sum(lines[-1].count(sign) for sign in "([{") - sum(
                lines[-1].count(sign) for sign in ")]}"
            )
    return "\n".join(lines)


def _is_open(line: str) -> bool:
    """Return True if a statement surely goes on after this line."""
    return not line.lstrip().startswith("#") and line.rstrip().endswith(_OPEN_ENDS)


def _plain_line(line: str) -> str:
    magic = _MAGIC_LINE.match(line)
    if magic:
        indent, text = magic.group(1), line.strip()
        if text.startswith(_TRANSPARENT_LINE_MAGICS):
            return indent + _OPTIONS.sub("", text)
        if text.startswith("%pylab"):
            return f"{indent}from pylab import *"
        return f"{indent}pass  # {text}" if indent else f"# {text}"
    assigned = _MAGIC_VALUE.match(line)
    if assigned and _tree(line.strip()) is None:
        return f"{assigned.group(1)} None  # {assigned.group(2)}{assigned.group(3)}"
    if _HELP_LINE.match(line):
        return f"# {line.strip()}"
    return line


def _without_exported_calls(source: str) -> str:
    """Rewrite what nbconvert makes of magics: `get_ipython().run_line_magic(...)` and its kin."""
    tree = _tree(source)
    if tree is None:
        return "\n".join(re.sub(r"^(\s*)get_ipython\(\).*$", r"\1pass", line) for line in source.split("\n"))
    lines = source.split("\n")
    for node in reversed([item for item in ast.walk(tree) if isinstance(item, (ast.Expr, ast.Assign))]):
        call = node.value
        if not (isinstance(call, ast.Call) and ast.unparse(call.func).startswith(_EXPORTED + ".")):
            continue
        first, last = node.lineno - 1, (node.end_lineno or node.lineno)
        indent = " " * node.col_offset
        original = " ".join(part.strip() for part in lines[first:last])
        lines[first:last] = [indent + part for part in _replacement(node, call, original).split("\n")]
    return "\n".join(lines)


def _replacement(node: ast.Expr | ast.Assign, call: ast.Call, original: str) -> str:
    if isinstance(node, ast.Assign):
        return f"{ast.unparse(node.targets[0])} = None  # {original}"
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    texts = [
        item.value for item in call.args if isinstance(item, ast.Constant) and isinstance(item.value, str)
    ]
    if method == "run_cell_magic" and len(texts) == 3 and texts[0] in _TRANSPARENT_CELL_MAGICS:
        return clean(texts[2]).code or "pass"
    if method == "run_line_magic" and len(texts) == 2 and texts[0] in ("time", "timeit"):
        return texts[1]
    if method in ("magic", "run_line_magic") and texts and texts[0].startswith("pylab"):
        return "from pylab import *"
    return f"pass  # {original}"


def _without_broken_import(source: str) -> Cleaned:
    """In a cell of imports leave out the lines that do not parse; elsewhere the cell is lost."""
    lines = source.split("\n")
    filled = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    imports = [line for line in filled if line.startswith(("import ", "from "))]
    if filled and len(imports) * 2 >= len(filled):
        broken = [number for number, line in enumerate(lines) if line.strip() and _tree(line) is None]
        kept = [f"# {line}" if number in broken else line for number, line in enumerate(lines)]
        if len(broken) < len(filled) and _tree("\n".join(kept)) is not None:
            places = ", ".join(str(number + 1) for number in broken)
            return Cleaned("\n".join(kept), note=f"line {places} is no Python and was left out")
    return Cleaned("", _syntax_problem(source))


def _syntax_problem(source: str) -> str:
    try:
        parse(source)
    except SyntaxError as error:
        place = f" in line {error.lineno}" if error.lineno else ""
        return f"syntax error{place}: {error.msg}"
    return "syntax error"
