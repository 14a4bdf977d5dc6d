"""Nothing of the data is in what leaves: canaries in every place where a value can stand."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lakebook.analyst.claim import Claim, Insight
from lakebook.analyst.intent import Intent
from lakebook.analyst.model.analyst import ModelAnalyst
from lakebook.analyst.model.budget import Budget
from lakebook.analyst.model.protocol import EndpointFailed, Reply, Request
from lakebook.analyst.plan import Finding
from lakebook.analyst.table import Structure, Table, TableColumn

CANARY = "CANARY"
values = st.text(st.characters(categories=["L", "N"]), max_size=8).map(lambda text: f"{CANARY}{text}")
replies = st.one_of(
    st.just("nonsense"),
    st.text(max_size=40),
    st.just('{"sentences": ["It is {c001}.", "It is 5.", "No."]}'),
)


class Wire:
    """Keeps what would leave; answers, or fails."""

    name = "m"

    def __init__(self, reply: str) -> None:
        self.sent: list[Request] = []
        self.reply = reply

    def complete(self, request: Request, on_text: Any = None) -> Reply:
        self.sent.append(request)
        if not self.reply:
            raise EndpointFailed("down")
        return Reply(self.reply)


def table_of(value: str) -> Table:
    columns = tuple(
        TableColumn(name, "text", use, 3, 9, min=value, max=value, levels=((value, 4),), levels_complete=True)
        for name, use in (("Region", "dim"), ("Profit", "flow"), ("Rate", "ratio"))
    )
    structure = Structure(totals=(("Region", (value,)),), gaps=((value, value),), stale=(value,))
    return Table(value, f"{value}.csv", value, value, 12, 12, columns, f"df = {value!r}", structure)


def findings_of(value: str, template: str) -> tuple[Finding, ...]:
    made = []
    for number in (1, 2, 3):
        shown = Claim(f"c{number:03d}", "n", "label", f"f[{value!r}]", value, value)
        insight = Insight(f"i{number}", "s", template, template.replace("{n}", value), (shown,), "verified")
        texts = (value,) * 6
        rest = {"population": value, "reason": value, "insights": (insight,)}
        made.append(Finding("s", "G01", *texts, (), (), value, "supported", 1.0, **rest))  # type: ignore[arg-type]
    return tuple(made)


def sent_by(privacy: str, value: str, reply: str, template: str) -> list[Request]:
    wire = Wire(reply)
    analyst = ModelAnalyst(wire, privacy, Budget(9, 9999))  # type: ignore[arg-type]
    table = table_of(value)
    analyst.read_intent("which regions lose profit?", table)
    intent = Intent("which regions lose profit?", "compare", target="Profit")
    analyst.summarize(intent, table, findings_of(value, template))
    return wire.sent


@given(values, replies)
def test_under_samples_only_sentences_leave_and_their_claims_stay(value: str, reply: str) -> None:
    sent = sent_by("samples", value, reply, "Profit is highest for {n}.")
    assert {request.purpose for request in sent} == {"intent", "summary"}
    assert not [request for request in sent if CANARY in repr(request)]


@given(values)
def test_a_value_that_leaves_under_samples_stands_in_a_sentence(value: str) -> None:
    sent = sent_by("samples", value, "nonsense", f"Profit of {value} is highest in {{n}}.")
    for request in sent:
        text = repr(request).replace(f"Profit of {value} is highest in", "")
        assert CANARY not in text
    assert [request for request in sent if CANARY in repr(request)]


@given(values, replies)
def test_under_schema_no_sentence_leaves_at_all(value: str, reply: str) -> None:
    sent = sent_by("schema", value, reply, f"Profit of {value} is highest in {{n}}.")
    assert {request.purpose for request in sent} == {"intent"}
    assert CANARY not in repr(sent)
    assert "highest in" not in repr(sent)
