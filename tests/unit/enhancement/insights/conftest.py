"""Figures drawn by a test, put into words as a run does, every claim recomputed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from lakebook.analyst.methods.drawn import drawn_data
from lakebook.analyst.methods.figure_facts import shown_facts
from lakebook.analyst.play import InsightDraft
from lakebook.analyst.render import render_insight
from lakebook.analyst.table import Table
from lakebook.enhancement.drawn import axes_from, drawn_name
from lakebook.enhancement.enhanced import EnhancedComponent
from lakebook.enhancement.insights.choice import component_drafts, shown_name

Say = Callable[..., list[str]]


def drafted(table: Table, frame: pd.DataFrame) -> tuple[tuple[InsightDraft, ...], dict[str, Any]]:
    drawn = json.loads(json.dumps(drawn_data()))
    facts = json.loads(json.dumps(shown_facts(drawn, frame, [])))
    done = EnhancedComponent("c", "q", "ok", function="component_1_x", drawn=axes_from(drawn))
    space = {drawn_name(done.function): drawn, shown_name(done.function): facts, "np": np}
    return component_drafts(done, table, facts), space


@pytest.fixture
def say(table: Table) -> Say:
    """Write the sentences about the open figures, every claim recomputed from the drawn data."""

    def sentences(frame: pd.DataFrame | None = None) -> list[str]:
        drafts, space = drafted(table, pd.DataFrame() if frame is None else frame)
        texts = []
        for draft in drafts:
            assert not re.search(r"\d", re.sub(r"\{\w+\}", "", draft.template))
            values = {claim.name: eval(claim.expression, dict(space)) for claim in draft.claims}
            json.dumps(values)
            texts.append(render_insight(draft, values)[0])
        return texts

    return sentences
