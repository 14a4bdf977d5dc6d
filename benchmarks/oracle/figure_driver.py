"""Runs inside the sandbox: executes a notebook's statements and writes down what each cell drew.

`runs.py` sends this file's text, then calls `use_data` and `run_steps`. It stands alone, for it knows neither
Lakebook nor the benchmark: only the folders where the files that a notebook reads are looked for by their
names. Figures are those of matplotlib (seaborn, pandas and others draw with it) and of plotly.
"""

# ruff: noqa: S102, S324, BLE001 (it runs code of others, whose errors are its result)

import ast
import builtins
import hashlib
import json
import os
import random
import signal
import sys
import time
import types
import warnings
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

warnings.filterwarnings("ignore")
_DOTS_PER_INCH = 50
_shown = []
_beside = []
_drawing = [True]


class OutOfTime(BaseException):
    """A statement took too long."""


def _stop(*_):
    raise OutOfTime


# -- the files of the notebook -------------------------------------------------------------------------------


def use_data(folders):
    """Let what reads files find them by their names anywhere below the folders.

    Of files of one name, the one is taken whose folders are most like those around the notebook (`_beside`).
    """
    places = {}
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            places.setdefault(path.name.lower(), []).append(path)

    def find(path):
        if not isinstance(path, (str, os.PathLike)) or Path(path).exists():
            return path
        found = places.get(str(path).replace("\\", "/").rpartition("/")[2].lower())
        return str(max(found, key=lambda one: len(set(one.parts) & set(_beside)))) if found else path

    def finding(reader, keyword):
        def read(*args, **options):
            if args:
                return reader(find(args[0]), *args[1:], **options)
            return reader(**{**options, keyword: find(options.get(keyword))})

        return read

    first = {"read_excel": "io", "read_json": "path_or_buf"}
    for name in ("read_csv", "read_excel", "read_table", "read_json"):
        setattr(pd, name, finding(getattr(pd, name), first.get(name, "filepath_or_buffer")))
    np.loadtxt, np.genfromtxt = finding(np.loadtxt, "fname"), finding(np.genfromtxt, "fname")
    builtins.open = finding(builtins.open, "file")
    sns.load_dataset = lambda name, **options: pd.read_csv(f"{name}.csv", **options)


# -- what a figure shows -------------------------------------------------------------------------------------


def _digest(values):
    try:
        return hashlib.md5(np.round(np.asarray(values, dtype=float), 6).tobytes()).hexdigest()[:12]
    except (TypeError, ValueError):
        return hashlib.md5(repr(values).encode()).hexdigest()[:12]


def _axes_data(axes):
    return [
        axes.get_title(),
        axes.get_xlabel(),
        axes.get_ylabel(),
        [round(float(end), 5) for end in (*axes.get_xlim(), *axes.get_ylim())],
        sorted(_digest(line.get_xydata()) for line in axes.lines),
        sorted(_digest(one.get_offsets()) for one in axes.collections),
        sorted(_digest(one.get_path().vertices) + _digest(one.get_extents().extents) for one in axes.patches),
        [_digest(image.get_array()) for image in axes.images],
        sorted(text.get_text() for text in axes.texts),
        [label.get_text() for label in axes.get_xticklabels()][:30],
    ]


def collect(*_, **__):
    """Note what all open figures show and close them, as the inline backend does at the end of a cell."""
    try:
        for number in plt.get_fignums():
            figure = plt.figure(number)
            if figure.axes and _drawing[0]:
                figure.set_dpi(_DOTS_PER_INCH)
                figure.canvas.draw()
                picture = hashlib.md5(np.asarray(figure.canvas.buffer_rgba()).tobytes()).hexdigest()[:12]
                _shown.append(
                    ["matplotlib", _digest(json.dumps([_axes_data(axes) for axes in figure.axes])), picture]
                )
    finally:
        plt.close("all")


def _plain(value):
    """Make a plotly document comparable: no identities, which are drawn at random."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items() if key != "uid"}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return _digest(value.tolist() if hasattr(value, "tolist") else value)


def _show_plotly(figure, *_, **__):
    document = figure.to_plotly_json() if hasattr(figure, "to_plotly_json") else figure
    _shown.append(["plotly", _digest(json.dumps(_plain(document), sort_keys=True, default=repr)), ""])


def _show_value(value):
    """Show the value of a cell's last expression, as a notebook does."""
    if type(value).__module__.startswith("plotly.") and hasattr(value, "to_plotly_json"):
        _show_plotly(value)


def _hook():
    plt.show = collect
    try:
        import plotly.basedatatypes
        import plotly.offline
    except ImportError:
        return
    plotly.basedatatypes.BaseFigure.show = _show_plotly
    plotly.offline.iplot = plotly.offline.plot = _show_plotly
    plotly.offline.init_notebook_mode = lambda *_, **__: None
    # What plotly had for showing figures from its own server, before version 4.
    online = types.ModuleType("plotly.plotly")
    online.iplot = online.plot = _show_plotly
    sys.modules["plotly.plotly"] = plotly.plotly = online


# -- running -------------------------------------------------------------------------------------------------


def _execute(text, cell, names, *, show):
    tree = ast.parse(text)
    last = tree.body.pop() if show and tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, f"cell {cell}", "exec"), names)
    if last is not None:
        _show_value(eval(compile(ast.Expression(last.value), f"cell {cell}", "eval"), names))  # noqa: S307


def run_steps(steps, beside, drawn, tolerant, step_seconds, total_seconds):
    """Execute code; return which steps failed, what each cell showed, the last error and the time taken.

    The random generators start anywhere, as they do in a new process: what depends on them is not
    determined by the code.

    Args:
        steps: (cell, code) pairs in order.
        beside: names of folders around the notebook.
        drawn: the cells whose figures are wanted, None for all.
        tolerant: go on after a step that fails.
        step_seconds: processor time that one step may take.
        total_seconds: the same for all steps.
    """
    _beside[:] = beside
    signal.signal(signal.SIGPROF, _stop)
    _hook()
    random.seed(os.urandom(16))
    np.random.seed(int.from_bytes(os.urandom(4), "little"))
    names = {"__name__": "__main__", "display": _show_value}
    failed, figures, error = [], {}, ""
    begin = time.process_time()
    for position, (cell, text) in enumerate(steps):
        _drawing[0] = drawn is None or cell in drawn
        ends = position + 1 == len(steps) or steps[position + 1][0] != cell
        try:
            left = total_seconds - (time.process_time() - begin)
            signal.setitimer(signal.ITIMER_PROF, max(0.001, min(step_seconds, left)))
            _execute(text, cell, names, show=ends)
            if ends:
                collect()
        except BaseException as problem:
            failed.append(position)
            error = f"{type(problem).__name__}: {problem}"[:200]
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        if failed and not tolerant:
            break
        if ends:
            plt.close("all")
            figures[str(cell)] = list(_shown)
            _shown.clear()
    seconds = round(time.process_time() - begin, 2)
    return {"failed": failed, "figures": figures, "error": error, "seconds": seconds}
