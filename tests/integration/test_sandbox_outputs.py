"""A cell in the sandbox shows what it shows in Jupyter, and the same again when it runs again."""

from __future__ import annotations

import base64
import re
import warnings
from collections.abc import Iterator
from typing import Any

import nbformat
import pytest

from lakebook.sandbox.base import Limits, SessionOptions
from lakebook.sandbox.bubblewrap import BubblewrapSandbox
from lakebook.sandbox.session import WorkerSession

_TROUBLE = BubblewrapSandbox().probe()
pytestmark = [pytest.mark.sandbox, pytest.mark.skipif(bool(_TROUBLE), reason=_TROUBLE)]

CELLS = [
    "1 + 1",
    "x = 3",
    "x;",
    "print('a'); print('b')",
    "import sys; print('out'); print('err', file=sys.stderr)",
    "import pandas as pd\nframe = pd.DataFrame({'a': [1, 2], 'b': ['x', None]})\nframe",
    "frame['a']",
    "display(frame)\nprint('between')\n'last'",
    "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1, 3, 2])\nax.set_title('t')",
    "plt.plot([1, 2]); plt.show(); print('after')",
    "fig, axes = plt.subplots(1, 2, figsize=(8, 3)); axes[0].hist([1, 2, 2]); axes[1].bar(['a'], [1]);",
    "fig",
    "import seaborn as sns\nsns.scatterplot(data=frame, x='a', y='a')",
    "frame.plot()",
    "plt.savefig('nothing.png'); plt.close('all')",
    "from IPython.display import HTML, Markdown, display, clear_output\nHTML('<b>x</b>')",
    "display(Markdown('*m*'), HTML('<i>i</i>'))",
    "print('gone'); clear_output(); print('stays')",
    "h = display('first', display_id=True); h.update('second')",
    "None",
    "float('nan'), 1e300",
    "def f():\n    return undefined_name\nf()",
    "1 +",
    "raise ValueError('two\\nlines')",
    "class Odd(Exception):\n    def __str__(self):\n        return 'odd'\nraise Odd()",
    "%matplotlib inline",
    "%%time\npass_ = 1",
    "!echo from a shell",
    "_ , __",
    "import plotly.express as px\nfigure = px.scatter(x=[1, 2], y=[3, 4])\ntype(figure).__name__",
    "'ümläut ✓'",
    "import numpy as np\nnp.arange(3)",
    "assert 1 == 2, 'not equal'",
    "import asyncio\nawait asyncio.sleep(0, 'awaited')",
    "from IPython.display import SVG, JSON, Latex, Image, Math\nSVG('<svg xmlns=\"http://www.w3.org/2000/svg\"/>')",
    "display(JSON({'a': [1, None]}), Latex('$x$'))",
    "for n in range(3):\n    clear_output(wait=True)\n    display(n)\n    print('step', n)",
]

_VARIES = re.compile(r"\x1b\[[0-9;]*m|CPU times.*|Wall time.*|[\w-]+\.py(?=, line)")


@pytest.fixture(scope="module")
def session() -> Iterator[WorkerSession]:
    with BubblewrapSandbox().open(SessionOptions(limits=Limits(memory_mb=1500))) as opened:
        yield opened


@pytest.fixture(scope="module")
def in_jupyter(tmp_path_factory: pytest.TempPathFactory) -> list[list[dict[str, Any]]]:
    """Run the cells in a real kernel."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from nbclient import NotebookClient

        cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
        metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        notebook = nbformat.v4.new_notebook(cells=cells, metadata=metadata)
        folder = str(tmp_path_factory.mktemp("jupyter"))
        client = NotebookClient(notebook, allow_errors=True, timeout=60, coalesce_streams=True)
        client.execute(cwd=folder)
    return [[dict(output) for output in cell["outputs"]] for cell in notebook["cells"]]


@pytest.fixture(scope="module")
def in_sandbox(session: WorkerSession) -> list[list[dict[str, Any]]]:
    return [list(session.run(cell).outputs) for cell in CELLS]


def settle(value: Any) -> Any:
    """Take out what differs from run to run in Jupyter itself: times, files of cells; and colours."""
    if isinstance(value, dict):
        return {key: settle(item) for key, item in value.items()}
    if isinstance(value, list):
        return [settle(item) for item in value]
    return _VARIES.sub("", value) if isinstance(value, str) else value


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(CELLS)), ids=[re.sub(r"\W+", "-", cell)[:40] for cell in CELLS])
def test_outputs_equal_jupyters(
    in_jupyter: list[list[dict[str, Any]]], in_sandbox: list[list[dict[str, Any]]], place: int
) -> None:
    assert settle(in_sandbox[place]) == settle(in_jupyter[place])


@pytest.mark.parametrize(
    ("code", "mime"),
    [
        ("import matplotlib.pyplot as plt\nplt.plot([1, 2]);", "image/png"),
        (
            "import matplotlib.pyplot as plt\n"
            "%config InlineBackend.figure_formats = ['svg']\n"
            "plt.plot([1, 2]);",
            "image/svg+xml",
        ),
        ("%config InlineBackend.figure_formats = ['png']\nframe.style.highlight_max()", "text/html"),
        ("frame.groupby('b')[['a']].sum()", "text/html"),
        ("import plotly.express as px\npx.bar(x=['a'], y=[1])", "application/vnd.plotly.v1+json"),
        ("import plotly.express as px\npx.line(x=[1, 2], y=[3, 4]).show()", "application/vnd.plotly.v1+json"),
        ("from IPython.display import Markdown\nMarkdown('*m*')", "text/markdown"),
    ],
)
def test_kinds_of_outputs_are_kept(session: WorkerSession, code: str, mime: str) -> None:
    session.run("import pandas as pd\nframe = pd.DataFrame({'a': [1, 2], 'b': ['x', 'y']})")
    result = session.run(code)
    assert result.error is None, result.error
    assert [mime in output["data"] for output in result.outputs] == [True]


ALTAIR = """
import altair as alt, pandas as pd
alt.Chart(pd.DataFrame({'a': [1, 2], 'b': [3, 4]})).mark_bar().encode(x='a:Q', y='b:Q')
"""


def test_altair_charts_are_documents_that_need_no_network(session: WorkerSession) -> None:
    pytest.importorskip("altair")
    for code in (
        ALTAIR,
        ALTAIR.strip() + ".interactive()",
        "(alt.Chart(pd.DataFrame({'a': [1]})).mark_point() | alt.Chart(pd.DataFrame({'a': [1]})).mark_bar())",
    ):
        (output,) = session.run(code).outputs
        (kind,) = [mime for mime in output["data"] if mime.startswith("application/vnd.vegalite")]
        assert "$schema" in output["data"][kind]
        assert "text/html" not in output["data"]
    (output,) = session.run("alt.renderers.enable('svg' if False else 'json')\n" + ALTAIR).outputs[-1:]
    assert "application/json" in output["data"]
    session.run("alt.renderers.enable('default');")


FIGURE = """
import matplotlib.pyplot as plt, numpy as np
fig, ax = plt.subplots(figsize=(7, 4))
ax.hist(np.random.default_rng(1).normal(size=500), bins=30, label="values")
ax.set(title="A title", xlabel="x", ylabel="count")
ax.legend()
plt.show()
"""


def png(output: dict[str, Any]) -> bytes:
    return base64.b64decode(output["data"]["image/png"])


def test_equal_code_gives_equal_bytes_in_another_session(session: WorkerSession) -> None:
    here = session.run(FIGURE).outputs
    again, _ = session.run_forked([FIGURE])
    with BubblewrapSandbox().open(SessionOptions()) as other:
        there = other.run(FIGURE).outputs
    assert png(here[0]) == png(again[0].outputs[0]) == png(there[0])
    assert png(here[0]).startswith(b"\x89PNG")


def test_equal_code_gives_equal_svg(session: WorkerSession) -> None:
    code = f"%config InlineBackend.figure_formats = ['svg']\n{FIGURE}"
    first, again = session.run_forked([code])[0][0], session.run_forked([code])[0][0]
    assert first.outputs[0]["data"]["image/svg+xml"] == again.outputs[0]["data"]["image/svg+xml"]


def test_png_has_no_time_and_a_fixed_resolution(session: WorkerSession) -> None:
    content = png(session.run(FIGURE).outputs[0])
    assert b"tIME" not in content
    assert b"Creation" not in content
    width = int.from_bytes(content[16:20], "big")
    assert 550 < width < 720  # 7 inches at 100 dots, less what the tight box cuts


def test_order_of_streams_is_the_order_of_writing(session: WorkerSession) -> None:
    code = "import sys\nprint('a')\nprint('b', file=sys.stderr)\nprint('c')\ndisplay('d')\nprint('e')"
    kinds = [(o["output_type"], o.get("name"), o.get("text")) for o in session.run(code).outputs]
    assert kinds == [
        ("stream", "stdout", "a\n"),
        ("stream", "stderr", "b\n"),
        ("stream", "stdout", "c\n"),
        ("display_data", None, None),
        ("stream", "stdout", "e\n"),
    ]


def test_figures_are_closed_at_the_end_of_a_cell(session: WorkerSession) -> None:
    result = session.run("import matplotlib.pyplot as plt\nplt.figure()\nplt.plot([1, 2]);")
    assert len([o for o in result.outputs if "image/png" in o.get("data", {})]) == 1
    assert session.evaluate(["len(plt.get_fignums())"])[0].value == 0


def test_output_of_c_code_and_child_processes_is_kept(session: WorkerSession) -> None:
    code = (
        "import os, subprocess\nos.write(1, b'from a descriptor ')\nsubprocess.run(['echo', 'from a child']);"
    )
    texts = [o["text"] for o in session.run(code).outputs if o["output_type"] == "stream"]
    assert texts == ["from a descriptor from a child\n"]


def test_a_display_past_the_limit_is_left_out_and_said_so() -> None:
    limits = Limits(display_bytes=2000)
    with BubblewrapSandbox().open(SessionOptions(limits=limits)) as small:
        outputs = small.run(FIGURE).outputs
        assert set(outputs[0]["data"]) == {"text/plain"}
        assert "left out" in outputs[0]["data"]["text/plain"]
        assert small.run("'short'").outputs[0]["data"]["text/plain"] == "'short'"
