"""How many silent errors in pandas code do the rules catch, and how often do they cry wolf?

Two kinds of material, each given by its folder (nothing of it is part of this project):

* gold pipelines with their questions: KramaBench (github.com/mitdbg/Kramabench: `solutions/`, `workload/`,
  `data/`). Each is right; its syntactic mutants are wrong, each of a known class.
* analyses that models wrote, scored right or wrong: InfiAgent-DABench's questions and labels with the
  trajectories of DatawiseAgent (github.com/V1staz/DatawiseAgent: `evaluation/InfiAgentBench`,
  `evaluation/experimental_results/InfiAgent-Bench`).

Sources are read by lakebook's own source map, so that rules on values have evidence; code is parsed, and run
only with `--run`, in the sandbox. Cases are halved by data file or pipeline: rules were developed on the half
`looked`, the half `scored` was only ever scored. Beside the rules stands what a linter says, and whether
something raised.

    python benchmarks/silent_errors.py MATERIAL... [--half scored] [--run 150] [--state DIR] [--show]
"""

from __future__ import annotations

import argparse
import random
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.silent.cases import Case, findings, question_findings
from benchmarks.silent.gold import is_gold, read_gold
from benchmarks.silent.mutants import MUTATIONS, Mutation, mutants
from benchmarks.silent.runs import Runs
from benchmarks.silent.scores import Rate, lint, more, stands, told
from benchmarks.silent.trajectories import TABLES, evaluation_folder, read_cases
from lakebook.cli.sources import map_folder
from lakebook.operators.record import Finding
from lakebook.validation.knowledge import Knowledge, knowledge_of

# Writes that arrived on pandas 2 and no longer do: an analysis that was right then is not on this pandas.
_SINCE_PANDAS_3 = "O12"
_TRACELESS = ("format or rounding only", "no answer", "no model agrees with the label")


def main() -> int:
    options = _options()
    warnings.simplefilter("ignore")
    for material in options.material:
        folder = evaluation_folder(material)
        if folder is not None:
            knowledge = knowledge_of(map_folder(folder / TABLES, options.state))
            _report_analyses(_half(read_cases(folder), options.half), knowledge, show=options.show)
        elif is_gold(material):
            knowledge = knowledge_of(map_folder(material / "data", options.state))
            _report_gold(_half(read_gold(material), options.half), knowledge, material, options)
        else:
            print(f"{material}: neither gold pipelines nor scored analyses; nothing is told of it.")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Silent errors in pandas code: caught, missed, false alarms."
    )
    parser.add_argument("material", nargs="+", type=Path, help="folders as described above")
    parser.add_argument("--half", choices=["looked", "scored", "both"], default="scored")
    parser.add_argument("--run", type=int, default=0, help="run so many mutants in the sandbox")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", type=Path, help="where cards are kept; a folder for each material's data")
    parser.add_argument("--show", action="store_true", help="also print every finding on right code")
    return parser.parse_args()


def _half(cases: list[Case], half: str) -> list[Case]:
    return [case for case in cases if half == "both" or case.half == half]


# -- analyses that models wrote ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Judged:
    """A case with what was said of it.

    Attributes:
        new: by rules on code; `old` is what only pandas 3 makes an error. `asked`: by rules on the question.
    """

    case: Case
    new: list[Finding]
    old: list[Finding]
    asked: list[Finding]
    linted: bool

    @property
    def lasting(self) -> list[Finding]:
        """Findings on steps that the analysis did not do again later."""
        return [finding for finding in self.new if stands(finding, self.case.code)]


def _report_analyses(cases: list[Case], knowledge: Knowledge, *, show: bool) -> None:
    print(f"\n# Analyses that models wrote: {len(cases)}")
    judged = []
    for case, said in zip(cases, lint([case.code for case in cases]), strict=True):
        found = told(findings(case.code, case.question, knowledge) or ())
        old = [finding for finding in found if finding.rule == _SINCE_PANDAS_3]
        asked = question_findings(case.code, case.question, knowledge)
        judged.append(Judged(case, [one for one in found if one not in old], old, asked, bool(said)))
    _report_wrong([one for one in judged if not one.case.right])
    _report_right([one for one in judged if one.case.right], show=show)


def _report_wrong(judged: list[Judged]) -> None:
    by_kind: dict[str, list[tuple[bool, ...]]] = defaultdict(list)
    for one in judged:
        row = (bool(one.new), bool(one.asked), bool(one.new or one.asked), one.linted, one.case.failed)
        by_kind[one.case.kind].append(row)
    print("\nwrong, by class | caught by rules on code | on the question | on either | linter | raised")
    for kind in sorted(by_kind):
        _row(kind, by_kind[kind])
    _row("all wrong", [row for rows in by_kind.values() for row in rows])
    traceless = sum(len(by_kind[kind]) for kind in _TRACELESS)
    print(f"of these without a trace in the code (format, no answer, label in doubt): {traceless}")


def _report_right(judged: list[Judged], *, show: bool) -> None:
    def share(holds: Callable[[Judged], bool]) -> Rate:
        return Rate(sum(map(holds, judged)), len(judged))

    def rejected(found: list[Finding]) -> bool:
        return any(finding.action == "reject" for finding in found)

    print(f"\nright: {len(judged)}")
    print(f"  alarm on a step that stands: {share(lambda one: bool(one.lasting))}")
    print(f"  rejected at a step that stands: {share(lambda one: rejected(one.lasting))}")
    print(f"  alarm on any step, those done again later with them: {share(lambda one: bool(one.new))}")
    print(f"  rejected at any step: {share(lambda one: rejected(one.new))}")
    outdated = share(lambda one: bool(one.old) and not one.new)
    print(f"  right on pandas 2, not on 3 (O12 alone): {outdated}")
    print(f"  alarm by rules on the question: {share(lambda one: bool(one.asked))}")
    print(f"  alarm by either, on a step that stands: {share(lambda one: bool(one.lasting or one.asked))}")
    print(f"  linter: {share(lambda one: one.linted)}")
    print(f"  a cell raised: {share(lambda one: one.case.failed)}")
    spoke = [{(found.rule, found.action) for found in (*one.new, *one.asked)} for one in judged]
    alarms = Counter(pair for pairs in spoke for pair in pairs)
    print(f"  by rule: {', '.join(f'{rule} {action} {n}' for (rule, action), n in sorted(alarms.items()))}")
    for one in judged if show else []:
        for finding in (*one.new, *one.asked):
            again = " (done again)" if finding in one.new and finding not in one.lasting else ""
            print(f"    {one.case.id}{again}: {finding.rule} {finding.action}: {finding.message}")


def _row(name: str, seen: list[tuple[bool, ...]]) -> None:
    columns = [Rate(sum(one[place] for one in seen), len(seen)) for place in range(5)]
    print(f"{name} | " + " | ".join(map(str, columns)))


# -- gold pipelines and their mutants ----------------------------------------------------------------------


def _report_gold(
    cases: list[Case], knowledge: Knowledge, material: Path, options: argparse.Namespace
) -> None:
    print(f"\n# Gold pipelines: {len(cases)}")
    gold = {case.id: told(findings(case.code, case.question, knowledge) or ()) for case in cases}
    rejected = sum(any(one.action == "reject" for one in found) for found in gold.values())
    print(f"alarm: {Rate(sum(map(bool, gold.values())), len(cases))}; rejected: {Rate(rejected, len(cases))}")
    asked = [question_findings(case.code, case.question, knowledge) for case in cases]
    print(f"alarm by rules on the question: {Rate(sum(map(bool, asked)), len(cases))}")
    for name, found in gold.items():
        for one in found if options.show else []:
            print(f"    right {name}: {one.rule} {one.action}: {one.message} | {one.observed}")
    made = [(case, mutation, code) for case in cases for mutation, code in mutants(case.code, options.seed)]
    outcome = _run(made, material, options)
    _report_mutants(made, gold, outcome, knowledge)


def _run(
    made: list[tuple[Case, Mutation, str]], material: Path, options: argparse.Namespace
) -> dict[int, str]:
    """Return for a sample of the mutants what became of them: `same`, `raised` or `silent`."""
    if not options.run:
        return {}
    draw = random.Random(options.seed)  # noqa: S311
    chosen = draw.sample(range(len(made)), min(options.run, len(made)))
    runs = Runs(material)
    outputs: dict[str, tuple[str, str]] = {}
    outcome: dict[int, str] = {}
    try:
        for place in sorted(chosen):
            case, _, code = made[place]
            if case.id not in outputs:
                outputs[case.id] = runs.output(case.code)
            if outputs[case.id][1] or not outputs[case.id][0]:
                outcome[place] = "gold fails here"
                continue
            printed, error = runs.output(code)
            outcome[place] = "raised" if error else "same" if printed == outputs[case.id][0] else "silent"
    finally:
        runs.close()
    print(f"run in the sandbox: {dict(Counter(outcome.values()))}")
    return outcome


def _report_mutants(
    made: list[tuple[Case, Mutation, str]],
    gold: dict[str, list[Finding]],
    outcome: dict[int, str],
    knowledge: Knowledge,
) -> None:
    plain = {case.id: case.code for case, _, _ in made}
    linted = dict(zip(plain, lint(list(plain.values())), strict=True))
    said = lint([code for _, _, code in made])
    asked = {case.id: question_findings(case.code, case.question, knowledge) for case, _, _ in made}
    seen: dict[str, list[tuple[tuple[bool, ...], str]]] = defaultdict(list)
    for place, (case, mutation, code) in enumerate(made):
        before = [one.rule for one in gold[case.id]]
        now = told(findings(code, case.question, knowledge) or ())
        rules_now = [one.rule for one in now]
        new = [one for one in now if rules_now.count(one.rule) > before.count(one.rule)]
        rejected = any(one.action == "reject" for one in new)
        by_question = question_findings(code, case.question, knowledge)
        added = more([one.rule for one in asked[case.id]], [one.rule for one in by_question])
        row = (bool(new), rejected, added, bool(new) or added, more(linted[case.id], said[place]))
        seen[mutation.kind].append((row, outcome.get(place, "")))
    print("\nmutants | caught by rules on code | rejected | on the question | on either | linter | runs")
    print("(runs: how many raised, printed the same, printed something else)")
    titles = ("wrong as operations", "sound operations that the question did not ask for")
    for asks, title in enumerate(titles):
        print(f"-- {title}")
        for mutation in MUTATIONS:
            if mutation.needs_question == asks and seen[mutation.kind]:
                _mutant_row(mutation.kind, seen[mutation.kind])
        kinds = [mutation.kind for mutation in MUTATIONS if mutation.needs_question == asks]
        _mutant_row("together", [one for kind in kinds for one in seen[kind]])
    silent = [row for rows in seen.values() for row, ran in rows if ran == "silent"]
    print(f"-- silent when run: caught {Rate(sum(row[3] for row in silent), len(silent))}")


def _mutant_row(name: str, seen: list[tuple[tuple[bool, ...], str]]) -> None:
    columns = [Rate(sum(row[place] for row, _ in seen), len(seen)) for place in range(5)]
    ran = Counter(what for _, what in seen)
    told_of_runs = ", ".join(str(ran[what]) for what in ("raised", "same", "silent"))
    print(f"{name} | " + " | ".join(map(str, columns)) + f" | {told_of_runs}")


if __name__ == "__main__":
    raise SystemExit(main())
