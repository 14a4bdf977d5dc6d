"""What the rules on the question catch, and how often they speak of right operations.

Run: `python benchmarks/question_rules.py DATA [--state FOLDER]`. DATA is as for `offline_questions.py`.
The right operations are the statements of its questions that were answered right, as pandas confirms;
each is then spoilt in every way that its words speak against: the statistic, the grouping, the
conditions, the order, the number of rows, DISTINCT, the division. A mutant that gives the right result
all the same is not counted.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import sqlglot
from offline_cases import CASES
from offline_questions import LAKES, judge, opened
from sqlglot import exp

from lakebook.agent.offline import OfflineAnswer, answer
from lakebook.operators.record import ExecutionRecord, Finding
from lakebook.operators.runtime import Runtime
from lakebook.validation.invocation import Invocation
from lakebook.validation.question import read_question
from lakebook.validation.registry import check


def said(question: str, sql: str, found: OfflineAnswer, runtime: Runtime) -> list[Finding]:
    """Return what the rules say of a question that this statement answers."""
    record = ExecutionRecord("r001", "Query", "", {"sql": sql}, inputs=found.sources)
    invocation = Invocation(
        "Answer", question=read_question(question), records=(record,), references=("r001",), value=found.value
    )
    every = check(invocation, runtime.knowledge, "before")
    return [finding for finding in every if finding.rule.startswith("W") and finding.rule != "W8"]


def other_statistic(tree: Any) -> bool:
    """Average for median, median for average, average for total, values for different values."""
    changes: dict[type[exp.Expression], type[exp.Expression]] = {
        exp.Median: exp.Avg,
        exp.Avg: exp.Median,
        exp.Sum: exp.Avg,
        exp.Corr: exp.Avg,
        exp.StddevSamp: exp.Avg,
    }
    for kind, other in changes.items():
        nodes = list(tree.find_all(kind))
        for node in nodes:
            node.replace(other(this=node.this.copy()))
        if nodes:
            return True
    return False


def no_distinct(tree: Any) -> bool:
    """COUNT(x) for COUNT(DISTINCT x)."""
    nodes = [node for node in tree.find_all(exp.Count) if isinstance(node.this, exp.Distinct)]
    for node in nodes:
        node.set("this", node.this.expressions[0].copy())
    return bool(nodes)


def no_group(tree: Any) -> bool:
    """The same measure over all rows."""
    if tree.args.get("group") is None or tree.args.get("qualify") is not None:
        return False
    named = [node.sql() for node in tree.args["group"].expressions]
    kept = [one for one in tree.expressions if one.unalias().sql() not in named]
    tree.set("expressions", kept)
    tree.set("group", None)
    tree.set("order", None)
    return True


def no_where(tree: Any) -> bool:
    """All rows."""
    if tree.args.get("where") is None:
        return False
    tree.set("where", None)
    return True


def positive(tree: Any) -> bool:
    """What was excluded is all that is kept."""
    nodes = list(tree.find_all(exp.NEQ))
    for node in nodes:
        node.replace(exp.EQ(this=node.this.copy(), expression=node.expression.copy()))
    return bool(nodes)


def _as_limit(tree: Any) -> int:
    """Write the cut as ORDER BY and LIMIT, as most people do; return the rows kept, 0 if nothing was cut."""
    qualify = tree.args.get("qualify")
    if qualify is None:
        return 0
    kept = int(qualify.this.expression.this)
    tree.set("qualify", None)
    tree.set("limit", exp.Limit(expression=exp.Literal.number(kept)))
    return kept


def other_limit(tree: Any) -> bool:
    """Twice the rows, and one more."""
    kept = _as_limit(tree)
    if kept < 2:
        return False
    tree.set("limit", exp.Limit(expression=exp.Literal.number(2 * kept + 1)))
    return True


def other_end(tree: Any) -> bool:
    """The other end of the order."""
    if not _as_limit(tree):
        return False
    first = tree.args["order"].expressions[0]
    first.set("desc", not first.args.get("desc"))
    return True


def no_division(tree: Any) -> bool:
    """The part alone."""
    nodes = list(tree.find_all(exp.Div))
    for node in nodes:
        node.replace(node.this.expression.copy())
    return bool(nodes)


MUTATIONS: tuple[Callable[[Any], bool], ...] = (
    other_statistic, no_distinct, no_group, no_where, positive, other_limit, other_end, no_division,
)  # fmt: skip


def mutants(sql: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each mutation that applies, and the spoilt statement."""
    for mutation in MUTATIONS:
        tree = sqlglot.parse_one(sql, dialect="duckdb")
        if mutation(tree):
            yield mutation.__name__, tree.sql(dialect="duckdb")


def main() -> None:
    """Print false advice on right statements, and what is caught of each mutation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--state", type=Path)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    state = options.state or Path(tempfile.mkdtemp())
    right = false = 0
    made: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    for lake in LAKES:
        cases = [case for case in CASES if case.lake == lake and case.expected is not None]
        with opened(lake, options.data, state) as (runtime, frames):
            for case in cases:
                found = answer(case.question, runtime)
                if not isinstance(found, OfflineAnswer) or judge(found, case, frames) != "right":
                    continue
                right += 1
                if advice := said(case.question, found.sql, found, runtime):
                    false += 1
                    print("advice on right:", case.question, "|", advice[0].message)
                true = runtime.lake.fetch(found.sql).rows
                for name, spoilt in mutants(found.sql):
                    if runtime.lake.fetch(spoilt).rows == true:
                        continue
                    made[name] += 1
                    hit = bool(said(case.question, spoilt, found, runtime))
                    caught[name] += hit
                    if options.verbose and not hit:
                        print("missed:", name, "|", case.question, "|", spoilt)
    print(f"right statements {right}, advised on {false}")
    for name, number in sorted(made.items()):
        print(f"{name:16} {caught[name]} of {number} caught")
    print(f"in all           {caught.total()} of {made.total()} caught")


if __name__ == "__main__":
    main()
