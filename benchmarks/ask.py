"""`lakebook ask` on thirty questions with known answers: right, wrong but delivered, refused.

Usage: python benchmarks/ask.py DATA [--work DIR] [--who offline,model,unchecked] [--only 1,2,3]
       [--seconds 90] [--rounds 6] [--privacy full] [--json FILE]

DATA is a folder with avocado/, happiness/, netflix/ and superstore/ (see `asking/questions.py`). The model is
the one that is set (OPENAI_BASE_URL, LAKEBOOK_MODEL). `model` answers with all checks, `unchecked` with
`--no-validation`, `offline` is the offline analyst alone. A model's first reply to a question is asked for
once and kept, so that both runs begin alike. Statements are mended by sure means only, not by the model.
Time runs out after so many seconds a question: the next call is then not made, and the question counts as
refused, told apart. Printed is one line a question, then the sums.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from benchmarks.asking.questions import Question, chosen, is_right
from lakebook.agent.loop import Task, ask
from lakebook.agent.outcome import Outcome
from lakebook.agent.without_model import ask_offline
from lakebook.analyst.model.budget import Budget
from lakebook.analyst.model.layers import open_model
from lakebook.analyst.model.protocol import ModelFailed
from lakebook.errors import SandboxUnavailable
from lakebook.exploration.search import search_lake
from lakebook.operators.opening import open_lake_runtime
from lakebook.sandbox.base import Sandbox
from lakebook.sandbox.choose import choose_sandbox
from lakebook.settings import ModelSettings, Privacy, load_settings
from lakebook.sources.card import SourceMap
from lakebook.sources.map_lake import map_lake
from lakebook.sources.scan import scan
from lakebook.validation.contract import Contract
from lakebook.validation.question import read_question
from lakebook.validation.repair import Repairing

WHO = ("offline", "model", "unchecked")


@dataclass(frozen=True, slots=True)
class Scored:
    """How one question went: `verdict` is right, wrong, refused, or late."""

    number: int
    question: str
    who: str
    verdict: str
    delivered: Any
    truth: Any
    how: str
    rounds: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Setup:
    """Where and how questions are asked."""

    data: Path
    work: Path
    model: ModelSettings | None
    privacy: Privacy
    rounds: int
    seconds: float

    def lake(self, name: str) -> tuple[SourceMap, Path, Path]:
        """Return the map of a lake, its folder, and its state folder."""
        folder, state = self.data / name, self.work / name
        return map_lake(folder, scan(folder), state), folder, state


def put(question: Question, who: str, setup: Setup) -> Outcome:
    """Put a question to the offline analyst, or to the model with or without checks."""
    source_map, folder, state = setup.lake(question.lake)
    contract = Contract(question.kind, question.decimals, question.unit)
    with open_lake_runtime(
        source_map,
        state,
        setup.work / "runs" / who,
        root=folder,
        sandbox=_sandbox,
        question=read_question(question.text),
        contract=contract,
        validation=who != "unchecked",
        repairing=Repairing(),
    ) as runtime:
        if who == "offline" or setup.model is None:
            return ask_offline(question.text, runtime, contract)
        found = search_lake(source_map, state, question.text)
        task = Task(
            question.text, contract, setup.privacy, setup.rounds, found, validation=who != "unchecked"
        )
        budget = Budget(10_000, 10**9, max_seconds=setup.seconds)
        model = open_model(setup.model, setup.work, budget)
        try:
            return ask(task, model, runtime, source_map)
        except ModelFailed as failure:
            return Outcome("failed", model.name, reason=failure.message)


def _sandbox() -> Sandbox:
    found = choose_sandbox("auto")
    if not found.isolated:
        raise SandboxUnavailable("code of a model is not run without isolation.")
    return found


def score(number: int, question: Question, who: str, setup: Setup) -> Scored:
    """Put a question and judge what came."""
    started = time.monotonic()
    outcome = put(question, who, setup)
    took = round(time.monotonic() - started, 1)
    truth = question.truth(setup.data)
    truth = truth.item() if hasattr(truth, "item") else truth
    delivered = outcome.answer.value if outcome.answer else None
    if outcome.answer is None:
        verdict = "late" if outcome.ending == "budget" and took >= setup.seconds * 0.5 else "refused"
    else:
        verdict = "right" if is_right(question, delivered, truth) else "wrong"
    code = [str(one.arguments.get("sql", one.arguments.get("code", ""))) for one in outcome.resting_on]
    how = " | ".join(code) if outcome.answer else f"{outcome.ending}: {outcome.reason}"
    return Scored(number, question.text, who, verdict, delivered, truth, how, outcome.rounds, took)


def run(
    who: Sequence[str], only: Sequence[int], setup: Setup, tell: Callable[[Scored], None]
) -> Iterator[Scored]:
    """Put every question to everyone in turn, so that a run that is cut short compares alike."""
    for number, question in chosen(only):
        for one in who:
            scored = score(number, question, one, setup)
            tell(scored)
            yield scored


def summary(scored: Sequence[Scored]) -> str:
    """Return the sums, one line for each who."""
    lines = []
    for who in WHO:
        mine = [one for one in scored if one.who == who]
        if not mine:
            continue
        counts = Counter(one.verdict for one in mine)
        delivered = counts["right"] + counts["wrong"]
        share = f"{counts['wrong'] / delivered:.0%}" if delivered else "none delivered"
        lines.append(
            f"{who:9} of {len(mine)}: right {counts['right']}, wrong but delivered {counts['wrong']} "
            f"({share} of deliveries), refused {counts['refused']}, out of time {counts['late']}; "
            f"median {sorted(one.seconds for one in mine)[len(mine) // 2]:.0f} s"
        )
    return "\n".join(lines)


def _tell(one: Scored) -> None:
    shown = " ".join(one.how.split())[:150]
    print(
        f"{one.number:2} {one.who:9} {one.verdict:7} {one.seconds:5.0f} s  {one.delivered!r} "
        f"(true {one.truth!r})  {shown}",
        flush=True,
    )


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--work", type=Path, default=Path("ask-benchmark"))
    parser.add_argument("--who", default=",".join(WHO))
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=90.0)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--privacy", default="full")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    who = [one for one in given.who.split(",") if one in WHO]
    model = load_settings().language_model
    if model is None and set(who) - {"offline"}:
        sys.exit("no model is set: set OPENAI_BASE_URL and LAKEBOOK_MODEL, or give --who offline")
    setup = Setup(given.data, given.work, model, cast(Privacy, given.privacy), given.rounds, given.seconds)
    only = [int(one) for one in given.only.split(",") if one]
    scored: list[Scored] = []
    try:
        for one in run(who, only, setup, _tell):
            scored.append(one)
    finally:
        print(summary(scored))
        if given.json:
            given.json.write_text(json.dumps([asdict(one) for one in scored], indent=1, default=str))


if __name__ == "__main__":
    main()
