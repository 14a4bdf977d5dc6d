"""A model that writes notebooks drives `ask`: it reads files, prints, and goes on in the next block."""

from __future__ import annotations

from pathlib import Path

from lakebook.agent.loop import Task, ask
from lakebook.operators.opening import open_lake_runtime
from lakebook.sandbox.choose import choose_sandbox
from lakebook.sources.map_lake import map_lake
from lakebook.sources.scan import scan
from lakebook.validation.contract import Contract
from tests.unit.agent.conftest import SALES, Scripted

LOAD = """import pandas as pd
df = pd.read_csv('sales.csv')
print(df.head(2))
print('Mean:', df['amount'].mean(), f"{df['Net Amount'].sum():.2f}", df.groupby('region'))"""
BY_REGION = "by = df.groupby('region')['amount'].sum()\nby"
BLOCKS = (
    f"<Analyze>\nLoad the file.\n</Analyze>\n<Code>\n```python\n{LOAD}\n```\n</Code>",
    f"<Understand>\nNow by region.\n</Understand>\n<Code>\n```python\n{BY_REGION}\n```\n</Code>",
    "<Code>\n```python\nprint(df['amount'].max() - by.max())\n```",
)
ANSWER = "<Answer>The mean is {r002.value_2}; North has {r003.by.amount[0]}.\nValue: {r002.value_2}</Answer>"


def test_notebook_code_becomes_computations_that_an_answer_refers_to(tmp_path: Path) -> None:
    lake, state = tmp_path / "lake", tmp_path / "state"
    lake.mkdir()
    (lake / "sales.csv").write_text(SALES, encoding="utf-8")
    source_map = map_lake(lake, scan(lake), state)
    model = Scripted(*BLOCKS, ANSWER)
    task = Task("What is the mean amount?", Contract("number"), privacy="full")
    with open_lake_runtime(
        source_map, state, tmp_path / "run", root=lake, sandbox=lambda: choose_sandbox("auto")
    ) as runtime:
        outcome = ask(task, model, runtime, source_map)
    not_kept, first, second, third, _ = outcome.records
    assert "value_4 cannot be kept" in not_kept.error  # a grouping is shown, and is run again without a name
    assert not any(record.error for record in outcome.records[1:])
    assert first.inputs[0].source == "sales.csv"
    assert first.arguments["outputs"] == ["value_1", "value_2", "value_3"]
    assert str(second.arguments["code"]).startswith("import pandas as pd\ndf = sales.copy()\nby = ")
    assert third.arguments["inputs"] == ["sales"]
    assert "-10" in str(third.result)
    assert outcome.answer is not None
    assert outcome.answer.text == "The mean is 12.5; North has 40."
    assert outcome.answer.value == 12.5
