"""What plotly and altair show is kept as data and has a printed form; the cell of a component says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from lakebook.analyst.methods.shown import keep_shown, with_shown
from lakebook.enhancement.drawn import call_and_read, interactive, readers

PLOTLY = "import plotly.express as px\npx.bar(x=[1], y=[2]).show()"


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    import plotly.io

    bundles: list[dict[str, Any]] = []
    monkeypatch.setattr("IPython.display.display", lambda bundle, raw=False: bundles.append(bundle))
    monkeypatch.setattr(
        "plotly.io._renderers.ipython_display.display", lambda b, raw=False: bundles.append(b)
    )
    before = plotly.io.renderers.default
    yield bundles
    plotly.io.renderers.default = before


def test_a_figure_that_is_shown_is_kept_and_printed(shown: list[dict[str, Any]]) -> None:
    import plotly.express as px

    kept = keep_shown("plotly")
    px.bar(x=["a", "b"], y=[1, 2]).show()
    px.line(x=[1, 2, 3], y=[1, 2, 3]).show()
    assert [axes["series"][0]["mark"] for axes in kept] == ["bar", "line"]
    assert [axes["figure"] for axes in kept] == [0, 1]
    for bundle in shown:
        assert bundle["image/png"].startswith("iVBOR")
        assert "application/vnd.plotly.v1+json" in bundle


def test_places_go_on_after_those_of_matplotlib() -> None:
    drawn = [{"figure": 0, "twin": -1}]
    both = with_shown(drawn, [{"figure": 0, "twin": -1}, {"figure": 0, "twin": 0}])
    assert [(axes["figure"], axes["twin"]) for axes in both] == [(0, -1), (1, -1), (1, 1)]


def test_the_cell_of_a_component_reads_what_it_shows() -> None:
    assert interactive(PLOTLY) == ("plotly",)
    assert interactive("import matplotlib.pyplot as plt  # not plotly") == ()
    assert readers("plt.plot([1])") == {"drawn_data"}
    assert readers(PLOTLY) == {"drawn_data", "keep_shown", "with_shown"}
    assert call_and_read("plt.plot([1])", "component_1_x") == "component_1_x()\ndrawn_1_x = drawn_data()"
    assert call_and_read(PLOTLY, "component_1_x") == (
        'shown_plotly = keep_shown("plotly")\ncomponent_1_x()\n'
        "drawn_1_x = with_shown(drawn_data(), shown_plotly)"
    )
