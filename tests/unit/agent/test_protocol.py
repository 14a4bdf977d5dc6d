"""Replies as models write them, good and bad: what is asked for is found, and nothing else is run."""

from __future__ import annotations

import pytest

from lakebook.agent.protocol import Malformed, Surroundings, read_reply, write_turn

LAKE = Surroundings(("sales", "Orders"), {"sales.csv": "sales", "in/sales.csv": "sales"})
SQL = "SELECT sum(amount) AS total FROM sales"


def operations(reply: str) -> list[tuple[str, str]]:
    """Return operator and code of each operation."""
    turn = read_reply(reply, LAKE)
    return [(one.operator, getattr(one, "sql", getattr(one, "code", ""))) for one in turn.operations]


@pytest.mark.parametrize(
    "reply",
    [
        f"<Code>\n{SQL}\n</Code>",
        f"<Code>{SQL};</Code>",
        f"<Analyze>Sum it.</Analyze>\n<Code>\n```sql\n{SQL}\n```\n</Code>",
        f"<Analyze>Sum it.\n<Code>\n```sql\n{SQL}\n```",
        f"<code>\n```\n{SQL}\n```\n</code>",
        f"Let me see.\n\n```sql\n{SQL};\n```\nThat sums it.",
        SQL,
        f"<Code>\n```python\n{SQL}\n```\n</Code>",
        f"<Code><Code>\n{SQL}\n</Code></Code>",
        f"<Analyze>first\n```sql\n{SQL}\n```\n</Analyze>",
        f"<Answer>\n```sql\n{SQL}\n```\n</Answer>",
        f"<think>I could answer <Answer>5</Answer></think><Code>{SQL}</Code>",
        f'{{"operator": "Query", "sql": "{SQL}"}}',
        f'[{{"operator": "query", "sql": "{SQL}",}}]',
        f'<Code>{{"operations": [{{"name": "Query", "arguments": {{"sql": "{SQL}"}}}}]}}</Code>',
        f"{{'Query': {{'sql': '{SQL}'}}}}",
        f'{{"sql": "{SQL}"}}',
        f"<Code>{SQL}</Code>\n<Execute>\ntotal: 17\n</Execute>\n<Answer>It is 17.</Answer>",
    ],
)
def test_one_query_is_found_however_it_is_written(reply: str) -> None:
    turn = read_reply(reply, LAKE)
    assert operations(reply) == [("Query", SQL)]
    assert turn.answer is None


def test_names_are_read_as_the_columns_that_there_are_and_that_is_told() -> None:
    around = Surroundings(("sales",), columns={"sales": ("Net Amount",)})
    turn = read_reply("<Code>SELECT sum(net_amount) FROM sales</Code>", around)
    assert [one.arguments["sql"] for one in turn.operations] == ['SELECT sum("Net Amount") FROM sales']
    assert turn.notes == ('net_amount was read as "Net Amount"',)


def test_results_that_a_model_invents_end_the_reply() -> None:
    turn = read_reply(
        f"<Code>{SQL}</Code><Execute>42</Execute><Code>SELECT 1</Code><Answer>42</Answer>", LAKE
    )
    assert len(turn.operations) == 1
    assert turn.answer is None


def test_an_answer_by_reference_may_come_with_its_query() -> None:
    turn = read_reply(f"<Code>{SQL}</Code>\n<Answer>Sales were {{r001.total}}.</Answer>", LAKE)
    assert len(turn.operations) == 1
    assert turn.answer is not None
    assert turn.answer.text == "Sales were {r001.total}."


def test_several_statements_are_several_operations() -> None:
    assert operations("<Code>SELECT 1; -- one\nSELECT ';' AS b;\n</Code>") == [
        ("Query", "SELECT 1"),
        ("Query", "-- one\nSELECT ';' AS b"),
    ]


def test_python_gets_inputs_outputs_and_the_tables_of_the_files_that_it_reads() -> None:
    code = "import pandas as pd\ndf = pd.read_csv('in/sales.csv')\nprint('Total:', df['amount'].sum())"
    turn = read_reply(f"<Code>\n```python\n{code}\n```\n</Code>", LAKE)
    operation = turn.operations[0]
    assert operation.operator == "Compute"
    assert operation.inputs == ("sales",)
    assert operation.outputs == ("value_1",)
    assert "df = sales.copy()" in operation.code


def test_a_read_with_options_that_choose_rows_stays_as_it_is() -> None:
    turn = read_reply("<Code>\nimport pandas as pd\ndf = pd.read_csv('sales.csv', nrows=5)\n</Code>", LAKE)
    operation = turn.operations[0]
    assert operation.operator == "Compute"
    assert "nrows=5" in operation.code
    assert operation.inputs == ()


def test_later_python_finds_what_earlier_python_defined() -> None:
    first = read_reply("<Code>\nbig = sales[sales.amount > 5]\nprint(len(big))\n</Code>", LAKE).operations[0]
    assert first.operator == "Compute"
    around = Surroundings(LAKE.tables, LAKE.files, (first.code,))
    second = read_reply("<Code>\nprint(big['amount'].mean())\n</Code>", around).operations[0]
    assert second.operator == "Compute"
    assert second.code.startswith("big = sales[sales.amount > 5]\n")
    assert "len(big)\nprint" not in second.code
    assert second.inputs == ("sales",)


def test_other_operators_come_as_json() -> None:
    probe = '{"operator": "Probe", "table": "sales", "columns": "region"}'
    reply = f'<Code>[{probe}, {{"action": "Search", "query": "fees"}}]</Code>'
    assert [one.operator for one in read_reply(reply, LAKE).operations] == ["Probe", "Search"]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("I think the total is large.", "asks for nothing"),
        ("<Analyze>Let me think about it.</Analyze>", "asks for nothing"),
        ("<Code></Code>", "empty"),
        ('<Code>{"operator": "Query"}</Code>', "operation 1 (Query)"),
        ('<Code>{"operator": "Probe", "table": "sales", "columns": ["a"], "kind": "mode"}</Code>', "(Probe)"),
        ('<Code>{"operator": "Query", "sql": "SELECT 1", "rm": "-rf"}</Code>', "(Query)"),
        ("<Code>" + "SELECT 1;" * 9 + "</Code>", "too many"),
        ("<think>never closed <Code>SELECT 1</Code>", "empty"),
    ],
)
def test_a_reply_that_cannot_be_used_is_told_why(reply: str, said: str) -> None:
    with pytest.raises(Malformed) as fault:
        read_reply(reply, LAKE)
    assert said in fault.value.message
    assert fault.value.complaint


def test_half_a_statement_is_not_run() -> None:
    with pytest.raises(Malformed, match="cut off"):
        read_reply("<Analyze>sum</Analyze><Code>SELECT sum(amount) FROM sales WHERE reg", LAKE, cut=True)
    whole = read_reply(f"<Code>{SQL}</Code><Code>SELECT sum(amount) FROM sa", LAKE, cut=True)
    assert len(whole.operations) == 1


def test_lines_of_an_answer_that_are_set_apart() -> None:
    lines = ["The mean is {r001.mean}.", "**Value**: {r001.mean}", "- Assumption: per row, not per week"]
    answer = read_reply("\n".join(["<Answer>", *lines, "</Answer>"])).answer
    assert answer is not None
    assert (answer.text, answer.value, answer.assumptions) == (
        "The mean is {r001.mean}.",
        "{r001.mean}",
        ("per row, not per week",),
    )


def test_an_answer_as_json() -> None:
    answer = read_reply(
        '<Answer>{"answer": "It is {r001}.", "value": 3, "assumption": "net"}</Answer>'
    ).answer
    assert answer is not None
    assert (answer.text, answer.value, answer.assumptions) == ("It is {r001}.", "3", ("net",))


def test_tags_in_code_and_quotes_are_no_tags() -> None:
    turn = read_reply("<Code>```python\nprint('<Answer>no</Answer>')\n```</Code>", LAKE)
    assert turn.answer is None
    assert len(turn.operations) == 1
    answer = read_reply("<Answer>Look at the <code>region</code> column: {r001.n}.</Answer>").answer
    assert answer is not None
    assert "region" in answer.text


def test_a_question_to_the_person() -> None:
    assert read_reply("<Ask>Net or gross?</Ask>").ask == "Net or gross?"


def test_a_turn_that_is_written_reads_back() -> None:
    turn = read_reply(
        f"<Analyze>Sum.</Analyze><Code>{SQL}; SELECT '</Code>' AS x</Code>"
        "<Answer>{r001.total} `</Answer>`\nAssumption: net\n</Answer>",
        LAKE,
    )
    assert read_reply(write_turn(turn), LAKE) == turn
