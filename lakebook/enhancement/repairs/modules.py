"""What the names of a script mean in libraries: `sns.countplot` is `seaborn.countplot`, say.

What belongs here: resolving names, and writing a name of a library with what the script has imported. What
was renamed is told in `renamed.toml`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lakebook.enhancement.script import Script, dotted
from lakebook.syntax import parse_expression

# The set-up cell of a notebook has imported these.
_SET_UP = {
    "pd": "pandas",
    "np": "numpy",
    "plt": "matplotlib.pyplot",
    "stats": "scipy.stats",
    "sm": "statsmodels.api",
}
# Names that mean these modules even if their import was lost.
_USUAL = {
    **_SET_UP,
    "sns": "seaborn",
    "mpl": "matplotlib",
    "px": "plotly.express",
    "go": "plotly.graph_objects",
    **{name: name for name in ("pandas", "numpy", "matplotlib", "seaborn", "scipy", "plotly", "sklearn")},
}
# The same module under another name, longest first.
_SAME = (
    ("matplotlib.pyplot.style", "matplotlib.style"),
    ("matplotlib.pyplot.mlab", "matplotlib.mlab"),
    ("plotly.graph_objs", "plotly.graph_objects"),
    ("matplotlib.pyplot.cm", "matplotlib.cm"),
    ("matplotlib.pylab", "matplotlib.pyplot"),
    ("pylab", "matplotlib.pyplot"),
)


@dataclass(frozen=True, slots=True)
class Modules:
    """The local names of modules and of what was imported from them, and what each means in full."""

    names: Mapping[str, str]

    @classmethod
    def of(cls, script: Script) -> Modules:
        """Read the imports of a script; a usual name that it binds to something else means nothing."""
        imported = dict(_imports(script))
        bound = {
            node.id
            for node in script.nodes()
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        usual = {name: full for name, full in _USUAL.items() if name not in bound}
        return cls({**usual, **{name: _canonical(full) for name, full in imported.items()}})

    def full(self, node: ast.AST) -> str:
        """Return the full name of what is read, "" if it does not begin with a library's name."""
        root, dot, rest = dotted(node).partition(".")
        known = self.names.get(root)
        return _canonical(f"{known}{dot}{rest}") if known else ""

    def written(self, full: str) -> tuple[ast.expr, str]:
        """Return how the script may write a full name, and what it has to import for that ("" if nothing)."""
        module, _, name = full.rpartition(".")
        if module == "builtins":
            return ast.Name(name, ast.Load()), ""
        for local, known in self.names.items():
            if known == full and (local in _SET_UP or local not in _USUAL):
                return ast.Name(local, ast.Load()), ""
        prefix = module
        while prefix:
            for local, known in self.names.items():
                if known == prefix and (local in _SET_UP or local not in _USUAL or prefix == module):
                    rest = full[len(prefix) + 1 :]
                    return parse_expression(f"{local}.{rest}"), ""
            prefix = prefix.rpartition(".")[0]
        return parse_expression(full), module or full


def _imports(script: Script) -> Iterator[tuple[str, str]]:
    for node in script.nodes():
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.split(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (root, root)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _canonical(full: str) -> str:
    for old, new in _SAME:
        if full == old or full.startswith(f"{old}."):
            return f"{new}{full[len(old) :]}"
    return full
