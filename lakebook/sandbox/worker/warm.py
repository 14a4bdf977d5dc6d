"""The libraries that every cell may expect, imported once before the interpreter is forked.

Imported late, by the controller, when the process is already confined.
"""

from __future__ import annotations

import os
from typing import Any, NoReturn

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import scipy.stats
import seaborn
import statsmodels.api

from .confine import limit_memory
from .interpreter import Interpreter, prepare_path
from .outputs import Descriptors
from .shell import Runner


def make_runner(limits: dict[str, Any]) -> Runner:
    """Return a shell with the plotting path warm; nothing of the warming stays visible to cells."""
    runner = Runner(int(limits["output_chars"]), int(limits["display_bytes"]))
    runner.warm()
    matplotlib.rcParams["svg.hashsalt"] = "lakebook"  # names within an SVG are random otherwise
    figure = plt.figure()
    figure.add_subplot().plot([1, 2])
    figure.savefig(os.devnull, format="png")
    plt.close("all")
    pd.DataFrame({"a": [1.0, 2.0]}).groupby("a").size()
    return runner


def serve(
    runner: Runner, descriptors: Descriptors, requests: int, replies: int, worker_path: str, memory_mb: int
) -> NoReturn:
    """Become the interpreter."""
    status = 1
    try:
        prepare_path(worker_path)
        runner.attach(descriptors)
        limit_memory(memory_mb)
        Interpreter(runner, requests, replies).serve()
        status = 0
    finally:
        os._exit(status)


def versions() -> dict[str, str]:
    """Return the versions of the libraries that decide what a cell computes."""
    modules = (np, pd, matplotlib, scipy, seaborn, statsmodels)
    return {module.__name__: str(module.__version__) for module in modules}
