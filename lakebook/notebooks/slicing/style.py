"""Calls that set the style of plots: which part each replaces, so that earlier setters need not be kept.

Matplotlib's style is kept apart by literal key (`axes.facecolor`); seaborn's theme is a part of its own, for
`seaborn.set_theme` sets the same keys each time. A reset replaces all keys, though not what was registered.
What another library reads is one part.
"""

from __future__ import annotations

import ast

from lakebook.notebooks.slicing.arguments import ReadsArguments
from lakebook.notebooks.slicing.effects import MATPLOTLIB_STYLE
from lakebook.notebooks.slicing.memory import NOTHING, Objects
from lakebook.notebooks.taxonomy import names

_THEME, _REGISTERED = f"{MATPLOTLIB_STYLE} of seaborn", f"{MATPLOTLIB_STYLE} registered"
_COPIED = "whole style"
_READING = frozenset({"copy", "get", "keys", "items", "values", "find_all"})
_PALETTES = frozenset({"deep", "muted", "pastel", "bright", "dark", "colorblind"})


class StyleCalls(ReadsArguments):
    """Calls setters of style."""

    def style_call(self, node: ast.Call, path: str) -> Objects:
        """Call something below `rcParams`, `style`, `seaborn.set` and the like."""
        arguments = self.arguments(node)
        name = path.rpartition(".")[2]
        if name in _READING:
            self.uses |= self.style_bits()
            return self.fresh(_COPIED if name == "copy" else "")
        if path in names("functions", "registers_style"):
            self.weak |= self.memory.resource(_REGISTERED)
        elif self._resets(node, path, arguments.everything()):
            self._set(self._whole(), self.memory.resource(MATPLOTLIB_STYLE))
        elif path in names("functions", "themes"):
            self._theme_call(node, name)
        else:
            keys = _literal_keys(node, name)
            if keys is None:
                self.weak |= self.memory.resource(self.style_of(path))
            else:
                self._set(self._keyed(keys))
        return NOTHING

    def store_style(self, target: ast.Subscript) -> None:
        """Store under a key of `rcParams` and the like."""
        self.value(target.slice)
        style = self.style_of(self.module_path(target.value))
        if isinstance(target.slice, ast.Constant):
            self._set(self.memory.resource(f"{style} {target.slice.value!r}"))
        else:
            self.weak |= self.memory.resource(style)

    def _theme_call(self, node: ast.Call, name: str) -> None:
        theme = self.memory.resource(_THEME)
        if not name.startswith("set_") or name == "set_theme":
            given = {keyword.arg: keyword.value for keyword in node.keywords}
            extra = given.pop("rc", None)
            keys = () if extra is None else _keys_of_dict(extra)
            if keys is not None and not node.args and all(_is_whole(*one) for one in given.items()):
                self._set(theme | self._keyed(keys))
                return
            self.weak |= self.memory.resource(MATPLOTLIB_STYLE)
        elif len(node.args) + len(node.keywords) > 1:  # settings beyond those of the theme
            self.weak |= self.memory.resource(MATPLOTLIB_STYLE)
        self.weak |= theme

    def _set(self, replaced: int, changed: int = 0) -> None:
        """Replace parts of the style, where it surely happens."""
        self.weak |= replaced | changed
        if self.depth == 0 and not self.entered:
            self.kill |= replaced

    def _whole(self) -> int:
        memory = self.memory
        whole = memory.resource(MATPLOTLIB_STYLE) | memory.resources(MATPLOTLIB_STYLE + " ")
        return whole & ~memory.resource(_REGISTERED)

    def _keyed(self, keys: tuple[str, ...]) -> int:
        bits = 0
        for key in keys:
            bits |= self.memory.resource(f"{MATPLOTLIB_STYLE} {key!r}")
        return bits

    def _resets(self, node: ast.Call, path: str, given: Objects) -> bool:
        """Return True for a call after which matplotlib's style is the same whatever it was before."""
        if path in names("functions", "resets_style"):
            return True
        if len(node.args) != 1 or node.keywords:
            return False
        if path.endswith(".style.use"):
            return isinstance(node.args[0], ast.Constant) and node.args[0].value == "default"
        whole = self.module_path(node.args[0]) in names("functions", "whole_styles").exact
        return path.endswith(".rcParams.update") and (whole or self.memory.kind(given) == _COPIED)


def _is_whole(keyword: str | None, value: ast.expr) -> bool:
    """Return True for an argument of `seaborn.set_theme` with which it sets all that it sets without it."""
    if not isinstance(value, ast.Constant) or value.value is None or keyword is None:
        return False
    return (keyword != "palette" or value.value in _PALETTES) and (
        keyword != "color_codes" or value.value is True
    )


def _literal_keys(node: ast.Call, name: str) -> tuple[str, ...] | None:
    """Return the keys that `rc("axes", grid=True)` or `rcParams.update({...})` sets, None if unknown."""
    if len(node.args) != 1:
        return None
    first = node.args[0]
    if name == "update" and not node.keywords:
        return _keys_of_dict(first)
    group = first.value if name == "rc" and isinstance(first, ast.Constant) else None
    if not isinstance(group, str) or any(keyword.arg is None for keyword in node.keywords):
        return None
    return tuple(f"{group}.{keyword.arg}" for keyword in node.keywords)


def _keys_of_dict(node: ast.expr) -> tuple[str, ...] | None:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        found = [keyword.arg for keyword in node.keywords]
        return None if node.args or None in found else tuple(key for key in found if key is not None)
    if not isinstance(node, ast.Dict):
        return None
    keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
    literal = tuple(key for key in keys if isinstance(key, str))
    return literal if len(literal) == len(node.keys) else None
