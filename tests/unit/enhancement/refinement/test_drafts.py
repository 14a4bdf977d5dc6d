"""What others said of a component's figures: kept with the verdict, and shown with it."""

from __future__ import annotations

import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from lakebook.analyst.methods.drawn import drawn_data
from lakebook.analyst.methods.figure_facts import shown_facts
from lakebook.analyst.render import insight_from_draft
from lakebook.enhancement.drawn import axes_from
from lakebook.enhancement.enhanced import EnhancedComponent
from lakebook.enhancement.refinement.drafts import said_drafts
from lakebook.enhancement.refinement.drawn_text import labels_text, values_text
from lakebook.report.insights import insights_markdown, said_markdown

OLD = """## Towns

I had fun here. The 3 friends were highest. Kiel has the highest rent. Bonn has the highest rent at 3.0.
Rents are high because of 5
students.
"""


def component() -> tuple[EnhancedComponent, list[dict[str, object]], dict[str, object]]:
    plt.bar(["Ulm", "Bonn", "Kiel"], [12.5, 10.0, 25.1])
    plt.ylabel("rent")
    drawn = json.loads(json.dumps(drawn_data()))
    facts = shown_facts(drawn, pd.DataFrame(), [])
    done = EnhancedComponent("c", "q", "ok", function="component_1_x", drawn=axes_from(drawn))
    return done, facts, {"drawn_1_x": drawn, "shown_1_x": facts, "np": np}


def test_what_stands_first_then_what_is_withheld_and_talk_is_left_out() -> None:
    done, facts, space = component()
    drafts = said_drafts(done, facts, [(OLD, "old.ipynb, cell 3")])
    assert [draft.original.verdict for draft in drafts if draft.original] == [
        "verified",
        "corrected",
        "withheld",
    ]
    insights = [
        insight_from_draft(
            draft, {c.name: eval(c.expression, dict(space)) for c in draft.claims}, id=f"i{n}", step="c"
        )
        for n, draft in enumerate(drafts)
    ]
    assert [one.verdict for one in insights] == ["verified", "corrected", "withheld"]
    assert insights[1].text == "Kiel has the highest rent at 25.1."
    assert insights[1].reason == "Bonn was said, it is Kiel; 3.0 was said, 25.1 is drawn"
    assert (insights[2].text, insights[2].claims) == ("", ())
    assert insights_markdown(insights) == ""
    shown = said_markdown(insights)
    assert "*Holds here* (old.ipynb, cell 3): Kiel has the highest rent." in shown
    assert "It said: “Bonn has the highest rent at 3.0.”" in shown
    assert "*Not repeated* (old.ipynb, cell 3): “Rents are high because of 5 students.”" in shown


def test_a_sentence_whose_claim_fails_when_it_is_recomputed_is_withheld() -> None:
    done, facts, _ = component()
    draft = said_drafts(done, facts, [("Kiel has the highest rent.", "old")])[0]
    assert insight_from_draft(draft, {}, id="i1", step="c").verdict == "withheld"


def test_a_figure_in_words() -> None:
    done, _, _ = component()
    assert labels_text(done.drawn) == "y: rent"
    assert values_text(done.drawn) == "bar: Ulm 12.5, Bonn 10, Kiel 25.1"
