"""Calls of library functions by their full path; what each does is in `taxonomy.toml`."""

from __future__ import annotations

import ast

from lakebook.notebooks import taxonomy
from lakebook.notebooks.slicing.arguments import Arguments
from lakebook.notebooks.slicing.effects import RANDOM, STYLE
from lakebook.notebooks.slicing.memory import NOTHING, Objects
from lakebook.notebooks.slicing.style import StyleCalls
from lakebook.notebooks.taxonomy import names

_PYPLOT = ("matplotlib.pyplot", "pylab", "matplotlib.pylab")


class LibraryCalls(StyleCalls):
    """Calls library functions."""

    def library_call(self, node: ast.Call, path: str) -> Objects:
        """Call a library function by its full path."""
        name = path.rpartition(".")[2]
        self.use_files(node, path)
        done = self._state_call(node, name, path)
        if done is not None:
            return done
        if path in names("functions", "style") or path.startswith("seaborn.set_"):
            return self.style_call(node, path)
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

    def _state_call(self, node: ast.Call, name: str, path: str) -> Objects | None:
        """Call a function of state beside the names (options, databases); None if it is none."""
        does = taxonomy.lists_with("functions", path)
        if "state" in does:
            self.patch(path)
        if "options" in does:
            return self._option(node, name)
        links = taxonomy.lists_with("databases", path)
        if "connect" in links:
            return self.connect(node, path)
        if "read" in links:
            return self.table_to_frame(node)
        if path.startswith("duckdb."):
            return self.connection_method(node, name, self.default_database())
        return None

    def _option(self, node: ast.Call, name: str) -> Objects:
        """Set or read an option: most concern only how tables are printed, some what is computed or drawn."""
        self.arguments(node)
        bit = self.memory.resource("options of pandas")
        self.uses |= bit
        if name in ("get_option", "describe_option"):
            return NOTHING
        self.weak |= bit
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
        combined = self.combined(node, name) if path.startswith("pandas.") else None
        if combined is not None:
            return combined
        lazy = path in names("functions", "lazy")
        arguments = self.arguments(node, read=not lazy)
        self.common_keywords(node, arguments)
        if path in names("functions", "remembers"):
            for one in arguments.everything():
                if one in self.routines:
                    self.routines[one].remembers = True
            return arguments.everything()
        if path in names("files", "writes"):
            self.change(self.streams(arguments))
        self._randomness(name, path, arguments)
        if path in names("functions", "mutate_first") and arguments.positional:
            self.change(arguments.positional[0])
        if path in names("functions", "reads_style") and not node.args:
            self.uses |= self.style_bits()
        if path.startswith("numpy.") and (name == "at" or len(arguments.positional) > 2):
            self._store_result(name, arguments)
        if path in names("functions", "formulas"):
            self.read_formula(node.args[0] if node.args else None)
        if lazy:
            return self.fresh("", arguments.everything())
        called = self.call_back(arguments, NOTHING)
        return self._library_result(node, name, path, arguments, called)

    def _randomness(self, name: str, path: str, arguments: Arguments) -> None:
        maybe = name in names("functions", "random_unless_state").exact
        if path in names("functions", "random") or (maybe and "random_state" not in arguments.keywords):
            self.randomize()

    def _library_result(
        self, node: ast.Call, name: str, path: str, arguments: Arguments, called: Objects
    ) -> Objects:
        if path in names("functions", "view"):
            return self.memory.view(arguments.everything())
        if path in names("functions", "contain"):
            return self.fresh("deque" if name == "deque" else "", arguments.everything() | called)
        if path in names("functions", "buffers"):
            return self.fresh("stream", arguments.everything())
        if path in names("functions", "generators"):
            self.has_generators = True
            return self.fresh("generator")
        if path in names("files", "path_classes"):
            return self._path(node)
        if path.startswith("pandas."):
            empty = name == "DataFrame" and not node.args and "data" not in arguments.keywords
            return self._frame(node, arguments, empty=empty)
        if not taxonomy.is_known_module(path):
            return self.unknown_call(node, arguments, NOTHING)
        makes_model = name[:1].isupper() or path.startswith(("sklearn.pipeline.", "sklearn.compose."))
        if not (path.startswith("sklearn.") and makes_model):
            return self.fresh()
        given = arguments.everything() | self.memory.elements(arguments.everything())
        given |= self.memory.elements(given)
        held = frozenset(one for one in given if self.memory.kinds.get(one) == "model")
        return self.fresh("" if "warm_start" in arguments.keywords else "model", held)

    def _frame(self, node: ast.Call, arguments: Arguments, *, empty: bool) -> Objects:
        made = self.fresh("empty frame" if empty else "frame")
        if any(one.arg == "copy" and getattr(one.value, "value", None) is False for one in node.keywords):
            self.memory.viewed[min(made)] = arguments.everything()
        return made

    def _path(self, node: ast.Call) -> Objects:
        """Make a path, which remembers its text if that is literal."""
        made = self.fresh("path")
        keys = self.keys_of(node.args[0]) if len(node.args) == 1 else None
        if keys is not None and keys.single:
            self.memory.strings[min(made)] = keys.names
        return made

    def _store_result(self, name: str, arguments: Arguments) -> None:
        """Change the array that a function of numpy is given to store its result in."""
        if name == "at":
            self.change(arguments.positional[0])
        elif name in names("functions", "ufuncs").exact:
            self.change(arguments.positional[2])

    # -- filled in by the layer above ----------------------------------------------------------------------

    def combined(self, node: ast.Call, name: str) -> Objects | None:
        """Put frames together; None for a function that does not."""
        raise NotImplementedError
