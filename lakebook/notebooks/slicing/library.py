"""Calls of library functions by their full path; what each does is in `taxonomy.toml`."""

from __future__ import annotations

import ast

from lakebook.notebooks import taxonomy
from lakebook.notebooks.slicing.arguments import ReadsArguments
from lakebook.notebooks.slicing.effects import RANDOM, STYLE
from lakebook.notebooks.slicing.memory import NOTHING, Objects
from lakebook.notebooks.taxonomy import names

_PYPLOT = ("matplotlib.pyplot", "pylab", "matplotlib.pylab")


class LibraryCalls(ReadsArguments):
    """Calls library functions."""

    def library_call(self, node: ast.Call, path: str) -> Objects:
        """Call a library function by its full path."""
        name = path.rpartition(".")[2]
        if path in names("functions", "style") or path.startswith("seaborn.set_"):
            self.arguments(node)
            self.weak |= self.memory.resource(self.style_of(path))
            self.uses |= self.style_bits()
            return NOTHING
        if path in names("functions", "options"):
            return self._set_option(node)
        if path in names("functions", "display"):
            return self.arguments(node).everything() & NOTHING
        if path in names("functions", "seed") or name in ("manual_seed", "set_random_seed"):
            return self._seed(node)
        if path.startswith(_PYPLOT):
            return self._pyplot_call(node, name, path)
        if path.startswith("seaborn.") and name not in names("functions", "seaborn_no_plot").exact:
            return self._figure_call(node, name)
        if path in names("functions", "draws_current_figure") and path not in names("functions", "no_plot"):
            return self._figure_call(node, name)
        if path in names("functions", "draws_own_figure"):
            return self._own_figure_call(node, name, path)
        return self._plain_library_call(node, name, path)

    def _set_option(self, node: ast.Call) -> Objects:
        """Set an option: most concern only how tables are printed, some what is computed or drawn."""
        self.arguments(node)
        option = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
        if not isinstance(option, str) or option in names("functions", "options_that_matter"):
            self.weak |= self.memory.resource(STYLE)
        return NOTHING

    def _seed(self, node: ast.Call) -> Objects:
        self.arguments(node)
        self.seeded = True
        if self.depth == 0:
            self.kill |= self.memory.resource(RANDOM)
        self.weak |= self.memory.resource(RANDOM)
        return NOTHING

    def _pyplot_call(self, node: ast.Call, name: str, path: str) -> Objects:
        if name in names("functions", "pyplot_no_plot").exact or ".cm." in path:
            self.arguments(node)
            return NOTHING
        if name in names("functions", "writes_file").exact or name == "savefig":
            self.write_file(node)
        arguments = self.plot_arguments(node, NOTHING)
        if name in names("functions", "new_figure").exact:
            self.draws = True
            self.uses |= self.style_bits()
            return self.new_figure()
        self.draw(self.artists(arguments))
        figure = self.current_figure()
        if name in names("functions", "end_figure").exact:
            self.figures = NOTHING
        return figure

    def _figure_call(self, node: ast.Call, name: str) -> Objects:
        """Draw on the axes passed, or on the current figure, or on a new one of its own."""
        arguments = self.plot_arguments(node, NOTHING)
        axes = arguments.keywords.get("ax", NOTHING)
        if axes:
            self.draw(axes, on_current=False)
            return axes
        if name in names("functions", "figure_level").exact:
            self.draw()
            return self.new_figure()
        self.draw()
        return self.current_figure()

    def _own_figure_call(self, node: ast.Call, name: str, path: str) -> Objects:
        arguments = self.plot_arguments(node, NOTHING)
        self.draws = self.draws or path not in names("functions", "no_plot")
        self.uses |= self.style_bits(own_figure=True)
        self.change(frozenset(o for o in self.artists(arguments) if name not in ("iplot", "plot", "show")))
        made = self.fresh("artist", self.artists(arguments))
        self.own_figures |= made
        return made

    def _plain_library_call(self, node: ast.Call, name: str, path: str) -> Objects:
        if path in names("functions", "writes_file"):
            self.write_file(node)
        if path in names("functions", "reads_file"):
            self.read_file(node)
        arguments = self.arguments(node)
        self.common_keywords(node, arguments)
        if path in names("functions", "random") or (
            name in names("functions", "random_unless_state").exact
            and "random_state" not in arguments.keywords
        ):
            self.randomize()
        if path in names("functions", "mutate_first") and arguments.positional:
            self.change(arguments.positional[0])
        if path in names("functions", "reads_style") and not node.args:
            self.uses |= self.style_bits()
        self.call_back(arguments, NOTHING)
        if path in names("functions", "view"):
            return self.memory.view(arguments.everything())
        if path in names("functions", "contain"):
            return self.fresh("deque" if name == "deque" else "", arguments.everything())
        if path.startswith("pandas."):
            empty = name == "DataFrame" and not node.args and "data" not in arguments.keywords
            return self.fresh("empty frame" if empty else "frame")
        if not taxonomy.is_known_module(path):
            return self.unknown_call(node, arguments, NOTHING)
        makes_model = name[:1].isupper() or path.startswith(("sklearn.pipeline.", "sklearn.compose."))
        if not (path.startswith("sklearn.") and makes_model):
            return self.fresh()
        given = arguments.everything() | self.memory.elements(arguments.everything())
        given |= self.memory.elements(given)
        held = frozenset(one for one in given if self.memory.kinds.get(one) == "model")
        return self.fresh("" if "warm_start" in arguments.keywords else "model", held)
