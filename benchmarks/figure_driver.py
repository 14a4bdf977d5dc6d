"""Runs inside the sandbox: executes a notebook's statements and writes down what each cell drew.

`components.py` sends this file's text, then calls `run_steps`. It stands alone, for it knows neither Lakebook
nor the benchmark: only the data folder, where the files that a notebook reads are looked for by their names.
"""

# ruff: noqa: S102, S324, BLE001 (it runs code of others, whose errors are its result)

import hashlib
import json
import os
import signal
import warnings
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

warnings.filterwarnings("ignore")
_shown = []
_readers = {name: getattr(pd, name) for name in ("read_csv", "read_excel", "read_table", "read_json")}


class OutOfTime(BaseException):
    """A statement took too long."""


def _stop(*_):
    raise OutOfTime


def use_data(folder):
    """Let pandas find files by name anywhere below a folder."""
    places = {}
    for path in sorted(Path(folder).rglob("*")):
        places.setdefault(path.name.lower(), str(path))

    def find(path):
        if not isinstance(path, (str, os.PathLike)) or Path(path).exists():
            return path
        return places.get(str(path).replace("\\", "/").rpartition("/")[2].lower(), path)

    for name, reader in _readers.items():
        setattr(
            pd, name, lambda path, *args, _reader=reader, **options: _reader(find(path), *args, **options)
        )


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
    """Note the data of all open figures and close them, as the inline backend does at the end of a cell."""
    for number in plt.get_fignums():
        figure = plt.figure(number)
        if figure.axes:
            figure.canvas.draw()
            _shown.append(_digest(json.dumps([_axes_data(axes) for axes in figure.axes])))
    plt.close("all")


def _show_plotly(figure, *_, **__):
    document = figure.to_plotly_json() if hasattr(figure, "to_plotly_json") else figure
    _shown.append(_digest(json.dumps(document, default=lambda item: _digest(item), sort_keys=True)))


def _hook():
    plt.show = collect
    try:
        import plotly.basedatatypes
        import plotly.offline
    except ImportError:
        return
    plotly.basedatatypes.BaseFigure.show = _show_plotly
    plotly.offline.iplot = plotly.offline.plot = _show_plotly


def run_steps(steps, tolerant, seconds):
    """Execute statements; return which failed, and the figures of each cell.

    Args:
        steps: (cell, statement text) pairs in order.
        tolerant: go on after a statement that fails.
        seconds: how long one statement may take.
    """
    signal.signal(signal.SIGALRM, _stop)
    _hook()
    names = {"__name__": "__main__", "display": lambda *_, **__: None}
    failed, figures, error = [], {}, ""
    for position, (cell, text) in enumerate(steps):
        try:
            signal.alarm(seconds)
            exec(compile(text, f"cell {cell}", "exec"), names)
        except BaseException as problem:
            failed.append(position)
            error = f"{type(problem).__name__}: {problem}"[:200]
        finally:
            signal.alarm(0)
        if failed and not tolerant:
            break
        if position + 1 == len(steps) or steps[position + 1][0] != cell:
            try:
                collect()
            except Exception as problem:
                error = f"{type(problem).__name__}: {problem}"[:200]
                plt.close("all")
            figures[str(cell)] = list(_shown)
            _shown.clear()
    return {"failed": failed, "figures": figures, "error": error}


_ = sns
