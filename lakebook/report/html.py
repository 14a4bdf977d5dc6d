"""The HTML report: one file that loads nothing, runs nothing, and reads well on screen and on paper."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from lakebook.report.outline import Block, Code, Contents, Prose, ReportOutline
from lakebook.report.outputs import Output
from lakebook.report.prose import render_code
from lakebook.report.richtext import inner_html

# What a folded cell is called; foreign notebooks have no roles.
LABELS = {
    "setup": "Code: set-up",
    "methods": "Code: methods",
    "load": "Code: load",
    "prepare": "Code: prepare",
    "compute": "Code: computation",
    "figure": "Code: figure",
    "reuse": "Code: earlier component",
}


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("lakebook.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    return environment.get_template("report.html.j2")


@cache
def _stylesheet() -> Markup:
    text = (resources.files("lakebook.report") / "templates" / "report.css").read_text(encoding="utf-8")
    return Markup(text)  # noqa: S704 - our own file


def write_html(outline: ReportOutline) -> str:
    """Write the report as one HTML file."""
    contents = table_of_contents(outline)
    return _template().render(
        outline=outline,
        css=_stylesheet(),
        contents=contents,
        sentences=outline.sentences(),
        top_level=min((entry.level for entry in contents), default=1),
        blocks=[_shown(block, outline.language) for block in outline.blocks],
    )


def table_of_contents(outline: ReportOutline) -> list[Contents]:
    """Return the upper levels of headings that occur: one of our own notebooks, two of others."""
    levels = sorted({entry.level for entry in outline.contents})[: 1 if outline.version else 2]
    return [entry for entry in outline.contents if entry.level in levels and entry.text]


def _shown(block: Block, language: str) -> dict[str, Any]:
    """Return what the template shows of a block. Only trees that `richtext` made safe are taken as HTML."""
    if isinstance(block, Prose):
        return {"kind": "prose", "role": block.role, "html": _safe(inner_html(block.body)), "output": None}
    if isinstance(block, Code):
        return {
            "kind": "code",
            "failed": block.failed,
            "label": LABELS.get(block.role, "Code") + (", failed" if block.failed else ""),
            "lines": len(block.source.splitlines()),
            "html": _safe(inner_html(render_code(block.source, language))),
            "output": None,
        }
    return _shown_output(block)


def _shown_output(output: Output) -> dict[str, Any]:
    body = _safe(inner_html(output.body)) if output.body is not None else ""
    return {"kind": output.kind, "output": output, "html": body}


def _safe(html: str) -> Markup:
    return Markup(html)  # noqa: S704 - written from a safe tree
