"""What the figure checks say: one objection of a careful reader.

Nothing but the noun; the checks stand in the modules beside this one. Paper: NotebookRAG §4.2.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class FigureFinding:
    """What a careful reader would object to in a figure.

    Attributes:
        check: the number of the check (docs/figures.md).
        level: an `error` misleads or hides, a `warning` costs the reader time, an `info` is advice.
        axes: the place in the drawn data of the axes it was found in, -1 for the whole figure.
        mended: True if a repair took it away.
    """

    check: str
    message: str
    level: Level = "error"
    axes: int = -1
    mended: bool = False
