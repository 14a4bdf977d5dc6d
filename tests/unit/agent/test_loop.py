"""The loop with a model that is scripted: what goes back to it, and how a question ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lakebook.agent.loop import Task, ask
from lakebook.analyst.model.protocol import BudgetSpent, EndpointFailed
from lakebook.exploration.search import search_lake
from lakebook.operators.opening import open_lake_runtime
from lakebook.operators.runtime import Runtime
from lakebook.settings import Privacy
from lakebook.sources.card import SourceMap
from lakebook.sources.map_lake import map_lake
from lakebook.sources.scan import scan
from lakebook.validation.contract import Contract
from lakebook.validation.question import read_question
from tests.unit.agent.conftest import Asker, Scripted

TOTAL = "<Code>SELECT sum(amount) AS total FROM sales</Code>"
BY_REGION = (
    "<Code>SELECT region, sum(amount) AS total FROM sales GROUP BY region ORDER BY total DESC LIMIT 1</Code>"
)
ANSWER = "<Answer>Sales were {r001.total} in all.</Answer>"
TASK = Task("What are the total sales?", Contract("number"), privacy="full")


def test_a_query_and_an_answer_by_reference(put: Asker) -> None:
    model = Scripted(TOTAL, ANSWER)
    outcome = put(TASK, model)
    assert outcome.ending == "answered"
    assert outcome.answer is not None
    assert (outcome.answer.text, outcome.answer.value, outcome.answer.type) == (
        "Sales were 50 in all.",
        50,
        "number",
    )
    assert [record.operator for record in outcome.records] == ["Query", "Answer"]
    assert outcome.resting_on[0].id == "r001"
    assert outcome.verdict == "pass"
    assert outcome.rounds == 2
    first = model.requests[0].messages
    assert "Question: What are the total sales?" in first[1][1]
    assert "one number" in first[1][1]
    assert "[50" in model.last or "50.0" in model.last


def test_query_and_answer_in_one_reply_need_one_round(put: Asker) -> None:
    outcome = put(TASK, Scripted(f"{TOTAL}\n{ANSWER}"))
    assert outcome.ending == "answered"
    assert outcome.rounds == 1


def test_an_answer_beside_a_rejected_query_waits(put: Asker) -> None:
    wrong = "<Code>SELECT sum(amounts) AS total FROM sales</Code>"
    model = Scripted(f"{wrong}\n<Answer>It is 50.</Answer>", TOTAL, "<Answer>It is {r002.total}.</Answer>")
    outcome = put(TASK, model)
    assert outcome.ending == "answered"
    told = model.requests[1].messages[-1][1]
    assert "reject" in told
    assert "amount" in told
    assert "Your answer was not taken yet" in told


def test_a_typed_number_counts_if_a_result_holds_it(put: Asker) -> None:
    outcome = put(TASK, Scripted(TOTAL, "<Answer>Sales were 50.</Answer>"))
    assert outcome.answer is not None
    assert outcome.answer.references[0].record == "r001"


def test_an_invented_number_is_refused_until_the_end(put: Asker) -> None:
    outcome = put(TASK, Scripted(TOTAL, *["<Answer>Sales were 71.</Answer>"] * 4))
    assert outcome.ending == "rejected"
    assert outcome.answer is None
    assert outcome.verdict == "reject"


def test_without_checks_an_invented_number_is_delivered(source_map: SourceMap, tmp_path: Path) -> None:
    model = Scripted(f"{TOTAL}<Answer>Sales were 71.</Answer>")
    with open_lake_runtime(source_map, tmp_path / "state", tmp_path / "run", validation=False) as runtime:
        outcome = ask(replace(TASK, validation=False), model, runtime, source_map)
    assert outcome.answer is not None
    assert outcome.answer.value == 71
    assert outcome.verdict == "not_checked"
    assert outcome.answer.references == ()


def test_under_schema_no_value_goes_before_the_model(put: Asker) -> None:
    task = replace(TASK, question="Which region sells most?", contract=Contract("text"), privacy="schema")
    model = Scripted(
        BY_REGION, "<Answer>North, with 40.</Answer>", "<Answer>{r001.region}: {r001.total}</Answer>"
    )
    outcome = put(task, model)
    assert outcome.answer is not None
    assert outcome.answer.value == "North"
    assert outcome.answer.text == "North: 40"
    seen = "\n".join(
        text for request in model.requests for role, text in request.messages if role != "assistant"
    )
    assert "North" not in seen
    assert "28.5" not in seen
    assert "rests on no result" in seen


def test_what_is_sent_again_is_not_run_again(put: Asker) -> None:
    wrong = "<Code>SELECT sum(amounts) AS total FROM sales</Code>"
    model = Scripted(wrong, wrong.replace("SELECT ", "SELECT  "), TOTAL, "<Answer>{r002.total}</Answer>")
    outcome = put(TASK, model)
    assert outcome.ending == "answered"
    assert [record.operator for record in outcome.records] == ["Query", "Query", "Answer"]
    assert "You sent r001 again" in model.requests[2].messages[-1][1]


def test_what_was_read_otherwise_is_told_to_the_person(put: Asker) -> None:
    outcome = put(
        TASK, Scripted("<Code>SELECT sum(net_amount) AS n FROM sales</Code><Answer>{r001.n}</Answer>")
    )
    assert outcome.notes == ('net_amount was read as "Net Amount".',)


def test_an_answer_beside_a_query_that_ran_before_is_taken(put: Asker) -> None:
    model = Scripted(
        f"{TOTAL}<Answer>There were 71.</Answer>", f"{TOTAL}<Answer>There were {{r001}}.</Answer>"
    )
    outcome = put(TASK, model)
    assert outcome.answer is not None
    assert outcome.answer.value == 50
    assert "Write the same sentence with {r001} in place of the value" in model.last


def test_a_loop_without_news_ends(put: Asker) -> None:
    outcome = put(TASK, Scripted(*[TOTAL] * 9))
    assert outcome.ending == "declined"
    assert "repeating" in outcome.reason
    assert len(outcome.records) == 1


def test_a_malformed_reply_is_asked_for_twice_more(put: Asker) -> None:
    outcome = put(TASK, Scripted("Well.", "<Code>SELECT sum(amou…", TOTAL, ANSWER))
    assert outcome.ending == "answered"
    outcome = put(TASK, Scripted("Well.", "Hm.", "So."))
    assert outcome.ending == "failed"


def test_a_model_may_decline(put: Asker) -> None:
    outcome = put(TASK, Scripted("<Answer>Decline: no column holds weights</Answer>"))
    assert (outcome.ending, outcome.reason) == ("declined", "no column holds weights")


def test_rounds_and_money_are_a_budget(put: Asker) -> None:
    queries = [f"<Code>SELECT {number} AS a FROM sales LIMIT 1</Code>" for number in range(9)]
    model = Scripted(*queries)
    outcome = put(replace(TASK, rounds=3), model)
    assert outcome.ending == "budget"
    assert outcome.records
    assert "last reply" in model.last
    assert put(TASK, Scripted(TOTAL, BudgetSpent("spent"))).ending == "budget"


def test_an_endpoint_that_dies_later_ends_the_work_and_one_that_never_spoke_is_told(put: Asker) -> None:
    outcome = put(TASK, Scripted(TOTAL, EndpointFailed("gone", hint="Start it.")))
    assert outcome.ending == "failed"
    assert "gone" in outcome.reason
    with pytest.raises(EndpointFailed):
        put(TASK, Scripted(EndpointFailed("never there")))


BOTH = '<Code>SELECT sum(amount) AS a FROM sales; SELECT sum("Net Amount") AS b FROM sales</Code>'
MEANT = "<Ask>Gross ({r001.a}) or net ({r002.b})?</Ask>"


def test_a_person_is_asked_only_if_the_meanings_differ(put: Asker) -> None:
    heard: list[str] = []

    def person(question: str) -> str:
        heard.append(question)
        return "net"

    model = Scripted("<Ask>Gross or net?</Ask>", BOTH, MEANT, "<Answer>{r002.b}</Answer>")
    outcome = put(replace(TASK, person=person), model)
    assert heard == ["Gross (50) or net (47.5)?"]
    assert outcome.answer is not None
    assert outcome.answer.value == 47.5
    assert "The person says: net" in model.last


def test_a_person_is_not_asked_if_every_meaning_gives_the_same(put: Asker) -> None:
    def person(question: str) -> str:
        raise AssertionError(question)

    same = BOTH.replace('"Net Amount"', "amount + 0")
    model = Scripted(same, MEANT, "<Answer>{r001.a}</Answer>")
    assert put(replace(TASK, person=person), model).ending == "answered"
    assert "every meaning gives the same" in model.last


def test_with_nobody_there_an_assumption_is_stated(put: Asker) -> None:
    model = Scripted(BOTH, MEANT, "<Answer>{r001.a}\nAssumption: gross</Answer>")
    outcome = put(TASK, model)
    assert outcome.answer is not None
    assert outcome.answer.assumptions == ("gross",)
    assert "Nobody is there" in model.last


def test_a_long_conversation_is_folded_in_the_middle(put: Asker) -> None:
    long = "x" * 9_000
    queries = [f"<Analyze>{long}</Analyze><Code>SELECT {n} AS a FROM sales LIMIT 1</Code>" for n in range(6)]
    model = Scripted(*queries, "<Answer>Decline: tired</Answer>")
    put(TASK, model)
    sent = model.requests[-1].messages
    assert sum(len(text) for _, text in sent) < 40_000
    assert "Question:" in sent[1][1]
    assert any(text.endswith("(left out)") for _, text in sent)


CANARY, NUMBER = "Canarybird", "86753"


@pytest.mark.parametrize("privacy", ["samples", "schema"])
def test_nothing_of_a_cell_reaches_the_model_whatever_it_does(
    lake: Path, tmp_path: Path, privacy: Privacy
) -> None:
    """Values stand in cells, documents, results that code made of them, findings and errors."""
    (lake / "sales.csv").write_text(f"region,amount\n{CANARY},{NUMBER}\nother,5\n", encoding="utf-8")
    (lake / "notes.md").write_text(f"# Regions\n\nThe region {CANARY} sells most.\n", encoding="utf-8")
    source_map = map_lake(lake, scan(lake), tmp_path / "state")
    found = search_lake(source_map, tmp_path / "state", "Which region sells most?")
    task = Task("Which region sells most?", Contract("number"), privacy, rounds=20, found=found)
    steps = [
        '{"operator": "Search", "query": "which region sells most"}',
        '{"operator": "Read", "path": "notes.md"}',
        '{"operator": "Inspect", "table": "sales", "kind": "head"}',
        '{"operator": "Probe", "table": "sales", "columns": ["region"]}',
        '{"operator": "Probe", "table": "sales", "columns": ["amount"], "kind": "range"}',
        "SELECT * FROM sales ORDER BY amount",
        "SELECT amount FROM sales WHERE region = 'othr'",
        "SELECT CAST(region AS integer) AS n FROM sales",
        "PIVOT sales ON region USING sum(amount)",
        "SELECT error(region) FROM sales",
    ]
    answers = ["{r006.region}", "{r006.colour}", "{r099.colour}", "{r004.values.x}"]
    model = Scripted(
        *(f"<Code>{step}</Code>" for step in steps), *(f"<Answer>{text}</Answer>" for text in answers)
    )
    with open_lake_runtime(source_map, tmp_path / "state", tmp_path / "run", root=lake) as runtime:
        ask(task, model, runtime, source_map)
    sent = "\n".join(text for one in model.requests for role, text in one.messages if role != "assistant")
    assert len(model.requests) == len(steps) + len(answers)
    assert CANARY.lower() not in sent.lower()
    assert NUMBER not in sent.replace(",", "")


MEAN = Task("What is the mean amount?", Contract("number"), privacy="full")


@pytest.fixture
def asked(source_map: SourceMap, tmp_path: Path) -> Iterator[Runtime]:
    """Return a runtime that knows the question, so that rules compare it with the operations."""
    with open_lake_runtime(
        source_map, tmp_path / "state", tmp_path / "run", question=read_question(MEAN.question)
    ) as runtime:
        yield runtime


def test_advice_on_an_answer_is_told_once_and_a_better_answer_taken(
    asked: Runtime, source_map: SourceMap
) -> None:
    better = "<Code>SELECT avg(amount) AS mean FROM sales</Code><Answer>It is {r003.mean}.</Answer>"
    model = Scripted(f"{TOTAL}<Answer>It is {{r001.total}}.</Answer>", better)
    outcome = ask(MEAN, model, asked, source_map)
    assert "a rule doubts it" in model.last
    assert outcome.answer is not None
    assert outcome.answer.value == 12.5
    assert outcome.verdict == "pass"


def test_an_answer_that_is_sent_again_against_advice_is_taken_with_it(
    asked: Runtime, source_map: SourceMap
) -> None:
    answer = "<Answer>It is {r001.total}.</Answer>"
    outcome = ask(MEAN, Scripted(TOTAL, answer, answer), asked, source_map)
    assert outcome.answer is not None
    assert outcome.verdict == "advise"
    assert outcome.rounds == 3


def test_an_answer_that_only_advice_kept_back_is_given_if_nothing_better_comes(
    asked: Runtime, source_map: SourceMap
) -> None:
    answer = "<Answer>It is {r001.total}.</Answer>"
    outcome = ask(replace(MEAN, rounds=3), Scripted(TOTAL, answer, "Hm."), asked, source_map)
    assert outcome.ending == "answered"
    assert outcome.verdict == "advise"
    assert "advised" in outcome.notes[-1]
