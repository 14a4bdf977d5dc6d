"""What a chart of altair shows, read from its vega-lite specification."""

from lakebook.analyst.methods.drawn_panel import Drawn


def vega_axes(spec: Drawn) -> list[Drawn]:
    """Return the axes of a vega-lite specification."""
    return []
