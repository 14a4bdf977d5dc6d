"""The hand-written cases, rule by rule: at least five wrong and five right ones, run through the runtime.

Cases of Query are SQL over `case_lake`; cases of Load are texts of files; cases of Compute are pandas code,
run in the sandbox; cases of Answer are a question or a contract, a query, and what is answered. How a rule
fares is told by two counts: wrong cases in which it (or any rule) speaks, and right cases in which anything
speaks.
"""

from __future__ import annotations

import hashlib
import io
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import Any

import pandas as pd

from lakebook.operators.arguments import Answer, Compute, Load
from lakebook.operators.record import Finding
from lakebook.operators.runtime import Runtime
from lakebook.operators.workbench import bench_opener
from lakebook.sandbox.choose import choose_sandbox
from lakebook.sources.card import SourceMap
from lakebook.validation.contract import Artifact, Contract
from lakebook.validation.question import read_question
from rules_suite import case_lake
from rules_suite.suite import alarms, open_lake, runtime

OPERATORS = ("Query", "Load", "Answer")
"""The operators whose rules must all have cases here; of Compute the most common ones have."""

_CASES = Path(__file__).parent / "cases"


@dataclass
class RuleCases:
    """The cases of one rule and what came of them."""

    id: str
    operator: str
    wrong: tuple[Any, ...]
    right: tuple[Any, ...]
    caught: int = 0
    by_it: int = 0
    rejects: int = 0
    advice: int = 0
    told: list[str] = field(default_factory=list)


def load() -> list[RuleCases]:
    """Return the cases of all rules, by file and then in the order of the files."""
    found: list[Mapping[str, Any]] = []
    for path in sorted(_CASES.glob("*.toml")):
        with path.open("rb") as file:
            found += tomllib.load(file)["rule"]
    return [
        RuleCases(one["id"], one.get("operator", "Query"), tuple(one["wrong"]), tuple(one["right"]))
        for one in found
    ]


def run(folder: Path) -> list[RuleCases]:
    """Run all cases and return them with their counts."""
    cases = load()
    case_lake.write(folder / "files")
    source_map, _ = open_lake(folder / "files", folder / "state")
    with runtime(source_map, folder / "state") as made:
        for rule in cases:
            if rule.operator == "Query":
                _count(rule, lambda case: _query(made, case))
    for rule in cases:
        if rule.operator == "Load":
            _count(rule, lambda case: _load(folder / "loads", case))
    for rule in cases:
        if rule.operator == "Answer":
            _count(rule, lambda case: _answer(source_map, folder / "state", case))
    _run_code([rule for rule in cases if rule.operator == "Compute"], source_map, folder)
    return cases


def _answer(source_map: SourceMap, state: Path, case: Mapping[str, Any]) -> tuple[str, tuple[Finding, ...]]:
    """Run the query of a case and submit an answer that rests on it."""
    if "code" in case:
        return _deliver(source_map, state, case)
    question = read_question(case["question"]) if "question" in case else None
    contract = Contract(**case["contract"]) if "contract" in case else None
    with runtime(source_map, state, question=question, contract=contract) as made:
        ran = made.query(case["sql"])
        value = case.get("value", ran.rows[0][0] if ran.rows else None)
        references = tuple(case.get("references", [ran.record.id]))
        record = made.run(Answer(value=value, text=case.get("text", ""), references=references))
    return str(dict(case)), tuple(record.findings)


def _deliver(source_map: SourceMap, state: Path, case: Mapping[str, Any]) -> tuple[str, tuple[Finding, ...]]:
    """Run the code of a case, which writes a file, and submit that file where another may be asked for."""
    wanted = {name: case[name] for name in ("columns", "sorted_by", "rows") if name in case}
    contract = Contract(artifacts=tuple(Artifact(path, **wanted) for path in case["artifacts"]))
    files = tuple(case.get("files", case["artifacts"]))
    bench = bench_opener(choose_sandbox, state.parent / "deliveries")
    with runtime(source_map, state, contract=contract, bench=bench) as made:
        made.run(Compute(code=case["code"], inputs=("orders", "customers"), artifacts=files))
        record = made.run(Answer(text="The file is there.", artifacts=files))
    return str(dict(case)), tuple(record.findings)


def _run_code(rules: Sequence[RuleCases], source_map: SourceMap, folder: Path) -> None:
    """Run the cases of Compute in one session of the sandbox."""
    bench = bench_opener(choose_sandbox, folder / "bench")
    names = [unit.table for _, unit in source_map.tables()]
    with runtime(source_map, folder / "state", bench=bench) as made:
        for rule in rules:
            _count(rule, lambda case: _compute(made, case, names))


def _compute(made: Runtime, code: str, names: Sequence[str]) -> tuple[str, tuple[Finding, ...]]:
    """Run code over the tables that it names; an error of the code is no finding of a rule."""
    inputs = tuple(name for name in names if re.search(rf"\b{name}\b", code))
    record = made.run(Compute(code=f"{code}\nprint(n)" if "n = " in code else code, inputs=inputs))
    return repr(code), tuple(record.findings)


def _count(rule: RuleCases, heard: Callable[[Any], tuple[str, tuple[Finding, ...]]]) -> None:
    for case in rule.wrong:
        _count_wrong(rule, *heard(case))
    for case in rule.right:
        _count_right(rule, *heard(case))


def _load(folder: Path, case: str | Mapping[str, Any]) -> tuple[str, tuple[Finding, ...]]:
    """Write a file of this text, or a workbook of these sheets, into a folder of its own, and load it."""
    place = folder / hashlib.sha256(repr(case).encode()).hexdigest()[:16]
    (place / "files").mkdir(parents=True, exist_ok=True)
    if isinstance(case, str):
        (place / "files" / "table.csv").write_text(case, encoding="utf-8")
    else:
        with pd.ExcelWriter(place / "files" / "table.xlsx") as book:
            for sheet, text in case["sheets"].items():
                pd.read_csv(io.StringIO(text)).to_excel(book, sheet_name=sheet, index=False)
    source_map, files = open_lake(place / "files", place / "state")
    with runtime(source_map, place / "state") as made:
        named = [Load(table=table) for table in files] or [Load(path=source_map.cards[0].path)]
        records = [made.run(one) for one in named]
    found = [finding for record in records for finding in record.findings]
    failed = [Finding("operator", "reject", record.error) for record in records if record.error]
    return repr(case), (*found, *failed)


def _query(made: Runtime, case: str | Mapping[str, Any]) -> tuple[str, tuple[Finding, ...]]:
    """Return the SQL of a case and what was found; a case may begin with a probe whose values it repeats."""
    if isinstance(case, str):
        return case, alarms(made, case)
    table, _, column = case["probe"].partition(".")
    result: Any = made.probe(table, column).result
    values = ", ".join(f"'{value}'" for value in list(result["values"])[: case["take"]])
    sql = Template(case["sql"]).substitute(values=values)
    return sql[:120], alarms(made, sql)


def _count_wrong(rule: RuleCases, case: str, found: tuple[Finding, ...]) -> None:
    spoken = {one.rule for one in found if one.action in ("reject", "advise")}
    rule.caught += bool(spoken)
    rule.by_it += rule.id in spoken
    if rule.id not in spoken:
        rule.told.append(f"missed (spoke: {', '.join(sorted(spoken)) or 'none'}): {case}")


def _count_right(rule: RuleCases, case: str, found: tuple[Finding, ...]) -> None:
    rule.rejects += any(one.action == "reject" for one in found)
    rule.advice += any(one.action == "advise" for one in found)
    for one in found:
        if one.action != "not_checked":
            rule.told.append(f"false alarm {one.rule} {one.action}: {one.message} || {case}")
