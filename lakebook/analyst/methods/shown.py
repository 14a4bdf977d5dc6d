"""Figures of plotly and altair as they are shown: kept as data, and displayed with a printed form beside.

What belongs here: the hook into each library's own way of showing. What does not: reading and printing.
Notebooks whose reused components draw with these libraries carry its source. Paper: NotebookRAG §4.2.4.
"""

import base64
import json
from typing import Any

from lakebook.analyst.methods.drawn_panel import Drawn
from lakebook.analyst.methods.plotly_drawn import plotly_axes
from lakebook.analyst.methods.printed import printed_png
from lakebook.analyst.methods.vega_drawn import vega_axes


def keep_shown(library: str) -> list[Drawn]:
    """Let every figure of plotly or altair that is shown be kept as data; return the list where it is kept.

    Each is displayed with a printed form, for readers without a browser.
    """
    kept: list[Drawn] = []
    if library == "plotly":
        import plotly.io

        renderer = type(plotly.io.renderers["plotly_mimetype"])
        plain = renderer.to_mimebundle

        def to_mimebundle(self: Any, figure: Drawn) -> Drawn:
            return shown_bundle(plain(self, figure), plotly_axes, "plotly", kept)

        plotly.io.renderers["kept"] = type("Kept", (renderer,), {"to_mimebundle": to_mimebundle})()
        plotly.io.renderers.default = "kept"
    elif library == "altair":
        import altair

        def show(spec: Drawn, **options: Any) -> Drawn:
            bundle: Drawn = {"application/vnd.vegalite.v6+json": json.loads(json.dumps(spec, default=str))}
            return shown_bundle(bundle, vega_axes, "vegalite", kept)

        altair.renderers.register("kept", show)
        altair.renderers.enable("kept")
    return kept


def with_shown(drawn: list[Drawn], shown: list[Drawn]) -> list[Drawn]:
    """Return the axes of matplotlib's figures, then those that were shown, with their places among all."""
    shift, figures = len(drawn), 1 + max((axes["figure"] for axes in drawn), default=-1)
    moved = [
        {
            **axes,
            "figure": axes["figure"] + figures,
            "twin": axes["twin"] + shift if axes["twin"] >= 0 else -1,
        }
        for axes in shown
    ]
    return [*drawn, *moved]


def shown_bundle(bundle: Drawn, read: Any, word: str, kept: list[Drawn]) -> Drawn:
    """Keep the data of what a bundle shows, and add its printed form to the bundle."""
    spec = next(value for kind, value in bundle.items() if word in kind)
    count = 1 + max((axes["figure"] for axes in kept), default=-1)
    panels = [{**axes, "figure": count} for axes in read(spec)]
    shift = len(kept)
    kept += [{**axes, "twin": axes["twin"] + shift if axes["twin"] >= 0 else -1} for axes in panels]
    if any(axes["series"] for axes in panels):
        bundle["image/png"] = base64.b64encode(printed_png(panels)).decode()
    return bundle
