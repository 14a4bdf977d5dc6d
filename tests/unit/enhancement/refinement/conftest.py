"""A figure that a test drew, and what refinement makes of a sentence about it, every claim recomputed."""

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
from lakebook.enhancement.drawn import axes_from
from lakebook.enhancement.refinement.refine import refine
from lakebook.enhancement.refinement.scene import scene_of

Refine = Callable[..., tuple[str, str]]


@pytest.fixture
def said() -> Refine:
    """Return (verdict, text) of a sentence about the open figures; the reason of a withheld one."""

    def of(sentence: str, frame: pd.DataFrame | None = None) -> tuple[str, str]:
        drawn = json.loads(json.dumps(drawn_data()))
        facts = json.loads(json.dumps(shown_facts(drawn, pd.DataFrame() if frame is None else frame, [])))
        scenes = [scene_of(a, f"drawn[{n}]", f"shown[{n}]", facts[n]) for n, a in enumerate(axes_from(drawn))]
        (refined,) = refine(sentence, scenes)
        if refined.verdict == "withheld":
            assert not refined.template
            return "withheld", refined.reason
        assert not re.search(r"\d", re.sub(r"\{\w+\}", "", refined.template)), (
            "a number that no claim carries"
        )
        space: dict[str, Any] = {"drawn": drawn, "shown": facts, "np": np}
        values = {claim.name: eval(claim.expression, dict(space)) for claim in refined.claims}
        return refined.verdict, render_insight(InsightDraft(refined.template, refined.claims), values)[0]

    return of
