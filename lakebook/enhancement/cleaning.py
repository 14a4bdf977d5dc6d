"""What an old component does beside its figure, taken out or refused.

Taken out, and recorded: what it prints, writes, and sets for the whole session; `plt.show()`, which closes
the figure before its data can be read. Refused, with the reason: what cannot be confined to one function.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from lakebook.enhancement.calls import calls
from lakebook.enhancement.enhanced import Repair
from lakebook.enhancement.script import Script, Statement, dotted, method, statement_of
from lakebook.syntax import parse_python


def enclose(script: Script) -> tuple[Script, list[Repair]]:
    """Let functions share names with the function around them where they shared them with the notebook.

    Names that only functions bind stay global, and the component is refused for them.
    """
    bound = frozenset(name for statement in script.statements for name in _bound_outside(statement.node))
    return script.edited(_Enclosed(bound).visit, "global_enclosed")


class _Enclosed(ast.NodeTransformer):
    def __init__(self, bound: frozenset[str]) -> None:
        self._bound, self._depth = bound, 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1
        return node

    def visit_Global(self, node: ast.Global) -> ast.AST:
        known = self._depth > 0 and set(node.names) <= self._bound
        return ast.Nonlocal(node.names) if known else node


def _bound_outside(node: ast.AST) -> Iterator[str]:
    """Yield the names that a statement binds, not those of the functions and classes in it."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    for child in ast.iter_child_nodes(node):
        yield from _bound_outside(child)


def refusal(script: Script) -> str:
    """Return why the component cannot be confined to one function, "" if it can."""
    for node in script.nodes():
        if isinstance(node, ast.Global):
            return f"assigns global names ({', '.join(node.names)})"
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            return f"imports every name of {node.module}"
        if isinstance(node, ast.Import | ast.ImportFrom) and (
            bad := _imported(node) & calls("forbidden_modules")
        ):
            return f"uses {min(bad)}, which reaches outside"
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in calls("forbidden")
        ):
            return f"calls {node.func.id}()"
    for statement in script.statements:
        if any(isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith) for node in _own(statement.node)):
            return "awaits at the top level"
        if any(isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) for node in _own(statement.node)):
            return "returns outside of a function"
    return ""


def still_writes(script: Script) -> str:
    """Return what the component still writes after cleaning, "" if nothing."""
    for node in script.nodes():
        if not isinstance(node, ast.Call):
            continue
        if method(node) in calls("writes") and _is_writing(node):
            return f"writes files inside an expression ({dotted(node.func) or method(node)})"
        if dotted(node.func) == "open" and _opens_for_writing(node):
            return "writes a file (open)"
    return ""


def clean(script: Script) -> tuple[Script, list[Repair]]:
    """Take out what the component prints, shows, writes and sets for the session."""
    repairs: list[Repair] = []
    plotly = any("plotly" in name for name in _modules(script))
    for kind, drop in (
        ("write_removed", _is_write),
        ("setting_removed", _is_setting),
        ("print_removed", _is_print),
    ):
        script, made = script.edited(_Dropper(drop).visit, kind)
        repairs += [_merged(kind, made)] if made else []
    if plotly:
        script = _with_shown_figure(script)
    script = Script(tuple(s for s in script.statements if not _is_look(s.node)))
    script, made = _without_shows(script, plotly)
    return script, repairs + made


def _merged(kind: str, repairs: list[Repair]) -> Repair:
    before = "\n".join(dict.fromkeys(repair.before for repair in repairs if repair.before))
    after = "\n".join(dict.fromkeys(repair.after for repair in repairs if repair.after))
    return Repair(kind, before, after)


class _Dropper(ast.NodeTransformer):
    """Drops statements at every depth; an emptied block gets `pass`."""

    def __init__(self, drop: Callable[[ast.stmt], bool]) -> None:
        self.drop = drop

    def visit(self, node: ast.AST) -> ast.AST | None:
        if isinstance(node, ast.stmt) and self.drop(node):
            return None
        result: ast.AST = self.generic_visit(node)
        if isinstance(result, ast.stmt | ast.ExceptHandler) and getattr(result, "body", None) == []:
            setattr(result, "body", [ast.Pass()])  # noqa: B010 - not every statement has a body
        return result


class _Shows(ast.NodeTransformer):
    """Turns `plt.show()` into a new figure for what follows, as showing one closes it.

    The empty figure that this leaves behind at the end is dropped, or closed by `drawn_data`.
    """

    def __init__(self, plotly: bool) -> None:
        self.plotly = plotly

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        call = node.value
        if not isinstance(call, ast.Call) or method(call) not in {"show", "close", "draw", "pause"}:
            return node
        on = dotted(call.func).rpartition(".")[0]
        if on in {"plt", "pyplot", "pylab", "matplotlib.pyplot"}:
            if method(call) != "show":
                return ast.Pass()
            return parse_python("plt.figure()").body[0]
        return node if self.plotly or method(call) != "show" else ast.Pass()


def _with_shown_figure(script: Script) -> Script:
    """Show the plotly figure that stands alone in the last line: inside a function it would show nothing."""
    last = script.statements[-1].node if script.statements else None
    if not isinstance(last, ast.Expr) or not isinstance(last.value, ast.Name | ast.Call):
        return script
    if isinstance(last.value, ast.Call) and dotted(last.value.func).split(".")[0] not in {"px", "go", "ff"}:
        return script
    shown = parse_python(f"{ast.unparse(last)}.show()").body[0]
    return Script((*script.statements[:-1], statement_of(shown)))


def _without_shows(script: Script, plotly: bool) -> tuple[Script, list[Repair]]:
    """Drop `plt.show()`, or start a new figure in its place if what follows would draw into the old one."""
    kept: list[Statement] = []
    repairs: list[Repair] = []
    for place, statement in enumerate(script.statements):
        alone = Script((statement,))
        edited, made = alone.edited(_Shows(plotly).visit, "show_removed")
        node = edited.statements[0].node if edited.statements else ast.Pass()
        rest = script.statements[place + 1 :]
        if made and not isinstance(statement.node, ast.Expr):
            repairs += made
        elif made and (isinstance(node, ast.Pass) or _opens_figure(rest)):
            repairs.append(Repair("show_removed", made[0].before, ""))
            continue
        elif made:
            repairs += made
        if not isinstance(node, ast.Pass):
            kept += edited.statements
    return Script(tuple(kept)), [_merged("show_removed", repairs)] if repairs else []


def _opens_figure(rest: Sequence[Statement]) -> bool:
    """Return True if nothing more is drawn, or the next statement that draws opens its own figure."""
    for statement in rest:
        made = [method(call) for call in ast.walk(statement.node) if isinstance(call, ast.Call)]
        if calls("own_figure").intersection(made):
            return True
        if any(isinstance(n, ast.Name) and n.id in {"plt", "sns", "ax"} for n in ast.walk(statement.node)):
            return False
        if {"plot", "hist", "boxplot", "bar", "barh"}.intersection(made):
            return False
    return True


def _own(node: ast.AST) -> list[ast.AST]:
    """Return the nodes of a statement that are not inside a nested function or class."""
    found: list[ast.AST] = []
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            continue
        found.append(one)
        waiting.extend(ast.iter_child_nodes(one))
    return found


def _imported(node: ast.Import | ast.ImportFrom) -> set[str]:
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
    return {name.split(".")[0] for name in names}


def _modules(script: Script) -> set[str]:
    return {
        name
        for node in script.nodes()
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in _imported(node)
    }


def _is_print(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and dotted(node.value.func) in calls("prints")
    )


def _is_look(node: ast.stmt) -> bool:
    """Return True for a statement that only shows a value: `df`, `df.shape`, `df.head()`."""
    if not isinstance(node, ast.Expr):
        return False
    value = node.value
    if isinstance(value, ast.Constant | ast.Name | ast.Attribute | ast.Subscript | ast.Compare):
        return not any(isinstance(n, ast.Call) for n in ast.walk(value))
    return (
        isinstance(value, ast.Call)
        and method(value) in calls("looks")
        and isinstance(value.func, ast.Attribute)
    )


def _is_setting(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return dotted(node.value.func) in calls("sets")
    if isinstance(node, ast.Assign):
        return any(dotted(target).startswith(("pd.options.", "pandas.options.")) for target in node.targets)
    return False


def _is_write(node: ast.stmt) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and method(call) in calls("writes") and _is_writing(call)


def _is_writing(call: ast.Call) -> bool:
    """Return False for calls that share a name with writing: `list.remove(x)`, `df.to_json()` to a string."""
    name = method(call)
    if name in calls("writes_if_module"):
        return dotted(call.func).split(".")[0] in calls("write_modules")
    if name in calls("writes_if_arguments"):
        return bool(call.args or call.keywords)
    return True


def _opens_for_writing(call: ast.Call) -> bool:
    texts = [
        a.value for a in (*call.args[1:], *(k.value for k in call.keywords)) if isinstance(a, ast.Constant)
    ]
    return any(isinstance(text, str) and any(mode in text for mode in "wax+") for text in texts)
