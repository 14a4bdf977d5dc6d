"""Columns and chart types of a component by a language model, taken only where they name what there is.

What belongs here: one question about one component, and judging the reply. The static answer stays the one
that is used unless it is empty (NotebookRAG §4.2.2, which asks a model about every component).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lakebook.analyst.model.privacy import columns_request
from lakebook.analyst.model.protocol import BadReply, LanguageModel, json_in
from lakebook.notebooks.bare_code import bare_code
from lakebook.notebooks.component import Component
from lakebook.notebooks.taxonomy import chart_types
from lakebook.settings import Privacy

_BY_A_MODEL = "columns are a model's answer"


def labelled(component: Component, names: Sequence[str], model: LanguageModel, privacy: Privacy) -> Component:
    """Return a component with a model's answer beside the static one, and in its place where that is empty.

    Args:
        component: one in doubt.
        names: of columns that the notebook's tables may have.
        model: who is asked; a reply that is kept costs nothing.
        privacy: what may leave.

    Raises:
        ModelFailed: no reply, or one that names what is not there.
        NotAllowed: no code may leave.
    """
    known = tuple(dict.fromkeys((*component.columns, *component.filter_columns, *names)))
    types = tuple(dict.fromkeys(chart_types().values()))
    before = component.code.removesuffix(component.target_code)
    request = columns_request(
        bare_code(before, known), bare_code(component.target_code, known), known, types, privacy
    )
    reply = json_in(model.complete(request).text)
    columns = _names(reply, "columns", known)
    charts = _names(reply, "chart_types", types)
    taken = not component.columns and columns
    return replace(
        component,
        columns=component.columns or tuple(sorted(columns)),
        chart_types=component.chart_types or charts,
        reason=f"{component.reason}; {_BY_A_MODEL}" if taken else component.reason,
        model_columns=tuple(sorted(columns)),
        model_chart_types=charts,
    )


def _names(reply: dict[str, Any], key: str, known: Sequence[str]) -> tuple[str, ...]:
    """Return the names under a key of the reply. Raises BadReply if one of them is not known."""
    given = reply.get(key)
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise BadReply(f'there is no list "{key}" of names')
    if not set(given) <= set(known):
        raise BadReply(f'"{key}" names something that is not there')
    return tuple(dict.fromkeys(given))
