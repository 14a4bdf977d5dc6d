"""Charts of libraries whose usual display needs a network are shown as the data that they are.

Altair shows HTML that loads its scripts from elsewhere; its other form, the Vega-Lite document, is whole in
itself, and viewers of notebooks draw it. Plotly has a setting for the same (`inside.worker_environment`).
"""

from __future__ import annotations

from typing import Any

_VEGA_LITE = range(4, 9)
_NEEDS_NETWORK = ("default", "html", "colab", "kaggle", "olli", "jupyter")


def register(shell: Any) -> None:
    """Teach a shell to show charts by name of their class, so that no library is imported for it."""
    formatter = shell.display_formatter.mimebundle_formatter
    for version in _VEGA_LITE:
        formatter.for_type_by_name(f"altair.vegalite.v{version}.api", "TopLevelMixin", _vega_lite)


def _vega_lite(chart: Any, **options: Any) -> Any:
    """Return the bundle of a chart by the renderer that the cell chose, if that one needs no network."""
    import altair

    if altair.renderers.active not in _NEEDS_NETWORK:
        return chart._repr_mimebundle_(**options)
    with altair.renderers.enable("mimetype"):
        return chart._repr_mimebundle_(**options)
