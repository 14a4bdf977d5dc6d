"""The action protocol holds on any text: one kind of error, and what is written reads back."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from lakebook.agent.protocol import Malformed, Surroundings, read_reply, write_turn
from lakebook.agent.references import bind, fill
from lakebook.agent.results import UnknownReference
from lakebook.operators.record import ExecutionRecord

LAKE = Surroundings(("sales",), {"sales.csv": "sales"})
PIECES = st.sampled_from(
    [
        *(
            "<Analyze>",
            "</Analyze>",
            "<Understand>",
            "<Code>",
            "</Code>",
            "<code>",
            "< / Code >",
            "<Execute>",
        ),
        *(
            "<Answer>",
            "</Answer>",
            "<Ask>",
            "</Ask>",
            "<think>",
            "</think>",
            "```",
            "```sql\n",
            "```python\n",
        ),
        *("\n```\n", "~~~", "`", "\n", " ", ";", "{", "}", "[", "]", '"', "'", ","),
        *("SELECT a FROM sales", "print(sales)", '{"operator":"Query","sql":"SELECT 1"}', '{"text": "a"}'),
        *('{"operator":"Probe","table":"sales","columns":["a"]}', "Value: {r001.a}", "Assumption: net"),
        *("{r001.a}", "{r001}", "{x}", "import os", "df = 1", "17", "what?", "import pandas as pd\n"),
    ]
)
REPLIES = st.one_of(
    st.text(max_size=200), st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=25).map("".join)
)


@given(REPLIES, st.booleans())
@settings(max_examples=400, deadline=None)
def test_a_reply_is_read_or_refused_and_a_turn_reads_back(reply: str, cut: bool) -> None:
    try:
        turn = read_reply(reply, LAKE, cut=cut)
    except Malformed:
        return
    assert turn.operations or turn.answer or turn.ask
    assert read_reply(write_turn(turn), LAKE) == turn


CELLS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5))


@given(
    st.lists(st.one_of(PIECES, st.text(max_size=8), st.floats().map(str)), max_size=10).map("".join),
    st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=3),
    st.one_of(st.none(), st.integers(0, 6)),
)
@settings(max_examples=200, deadline=None)
def test_references_are_filled_or_refused(text: str, rows: list[list[object]], decimals: int | None) -> None:
    result = {"columns": ["a", "b.c"], "rows": rows, "row_count": len(rows), "more": False}
    records = [ExecutionRecord("r001", "Query", "", {}, result=result)]  # type: ignore[arg-type]
    with suppress(UnknownReference):
        fill(bind(text, records), records, decimals)
