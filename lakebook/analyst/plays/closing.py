"""Z01 and Z02: what the findings mean for the question, what to do with it, and what to be careful of.

What belongs here: Markdown made of findings that were verified before: their titles, their cautions word for
word, and links to their sections. No number is written here that a claim did not carry. Paper: NotebookRAG
§4.3; notes on plays, §3 Z.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lakebook.analyst.coverage import CORE, named_dimensions
from lakebook.analyst.intent import IntentKind
from lakebook.analyst.phrases import listed, quoted
from lakebook.analyst.plan import Finding, Findings, Plan
from lakebook.analyst.profile import DIM_LEVELS
from lakebook.report.markup import anchor, escape, link

MOST_TITLES = 4
_BY_GROUP = ("G01", "G02", "G03", "G04", "G08", "U02", "U03", "S11")
MOST_CAUTIONS = 10

_PURPOSE: Mapping[IntentKind, str] = {
    "forecast": "a forecast",
    "classify": "a classification",
    "regress": "an explanation",
    "compare": "a comparison",
    "describe": "a description",
    "anomaly": "a search for the unusual",
    "segment": "a segmentation",
}


@dataclass(frozen=True, slots=True)
class Shown:
    """The published findings with the fragments by which their sections are reached."""

    findings: tuple[Finding, ...]
    targets: Mapping[str, str]

    @classmethod
    def of(cls, findings: Findings) -> Shown:
        """Take the published findings in the order of the notebook."""
        published = tuple(finding for finding in findings.findings if finding.published)
        titles = {f.step: f"{n}. {' '.join(f.title.split())}" for n, f in enumerate(published, start=1)}
        return cls(published, {step: anchor(title) for step, title in titles.items()})

    def supported(self, *plays: str) -> Finding | None:
        """Return the first supported finding of these plays."""
        return next(
            (f for p in plays for f in self.findings if f.play == p and f.verdict == "supported"), None
        )

    def strongest(self, *plays: str) -> Finding | None:
        """Return the supported finding of these plays with the highest score."""
        found = [f for f in self.findings if f.play in plays and f.verdict == "supported"]
        return max(found, key=lambda f: f.score, default=None)

    def see(self, finding: Finding, words: str = "") -> str:
        """Link to the section of a finding."""
        return link(escape(words or finding.title), self.targets[finding.step])


def closing_sections(plan: Plan, findings: Findings) -> tuple[str, str]:
    """Return the answer, for the top of the notebook, and the limits with next steps, for its end."""
    return answer(plan, findings), limits(plan, findings)


def answer(plan: Plan, findings: Findings) -> str:
    """Answer the question part by part: each group it names, then what else was found, then what was not."""
    shown = Shown.of(findings)
    intent = plan.intent
    purpose = _PURPOSE[intent.kind]
    about = f" of {escape(quoted(intent.target))}" if intent.target else ""
    told = [f for f in shown.findings if not f.play.startswith("S") or f.play == "S11"]
    firm = [f for f in _by_use(told, plan) if f.verdict == "supported"]
    if not firm:
        return (
            f"For {purpose}{about}, this table supports no finding beyond what it is and how complete it "
            f"is; the "
            "sections below say what was looked at."
        )
    parts: list[str] = []
    used: list[Finding] = []
    for name in named_dimensions(intent, plan.table):
        about_it = [f for f in _by_use(told, plan) if f.play in _BY_GROUP and name in f.columns]
        best = min(about_it, key=lambda f: f.verdict != "supported", default=None)
        if best and best not in used:
            used.append(best)
            parts.append(f"by {escape(quoted(name))}, {shown.see(best)}")
    further = [f for f in firm if f not in used][: max(2, MOST_TITLES - len(used))]
    if further:
        lead = "beyond that, " if parts else ""
        parts.append(lead + "; ".join(shown.see(f) for f in further))
    text = f"For {purpose}{about}, the findings that matter most: {'; '.join(parts)}."
    hedged = [f for f in told if f.verdict == "suggestive"][:1]
    text += f" Less certain: {shown.see(hedged[0])}." if hedged else ""
    negative = [f for f in told if f.verdict == "not_supported" and f.answers and f not in used][:2]
    text += f" Where the answer is no: {'; '.join(shown.see(f) for f in negative)}." if negative else ""
    trap = next((f for f in shown.findings if f.play in ("S04", "S06", "S08")), None)
    return text + (f" Before any number: {shown.see(trap)}." if trap else "")


def _by_use(findings: Sequence[Finding], plan: Plan) -> list[Finding]:
    """Order findings by their use for the question: core plays by score, then the others."""
    core = CORE[plan.intent.kind]
    further = {"G10", "R01", "G02"} if "regress" in plan.intent.others else set()
    return sorted(
        findings, key=lambda f: -f.score * (1.0 if f.play in core[:6] or f.play in further else 0.5)
    )


def limits(plan: Plan, findings: Findings) -> str:
    """Say what follows for the question, what to be careful of, and how error was controlled."""
    shown = Shown.of(findings)
    lines = [f"## What this means for {_PURPOSE[plan.intent.kind]}", ""]
    lines += [f"- {text}" for text in recommendations(plan, shown)]
    lines += ["", "## Limits", ""]
    cautions = [
        f"- {escape(insight.text)} ({shown.see(finding, 'section')})"
        for finding in shown.findings
        for insight in finding.insights
        if insight.caution and insight.verdict != "withheld" and insight.claims
    ]
    lines += cautions[:MOST_CAUTIONS]
    lines += [f"- {text}" for text in _standing_limits(plan, findings)]
    return "\n".join(lines)


def recommendations(plan: Plan, shown: Shown) -> list[str]:
    """Return what to do next, each with the section that it rests on."""
    makers: Mapping[IntentKind, Callable[[Plan, Shown], list[str]]] = {
        "forecast": _for_forecast,
        "classify": _for_model,
        "regress": _for_model,
        "compare": _for_comparison,
        "describe": _for_description,
        "anomaly": _for_anomalies,
        "segment": _for_segments,
    }
    why = _for_why(plan, shown) if "regress" in plan.intent.others else []
    advice = [*makers[plan.intent.kind](plan, shown), *why, *_for_all(plan, shown)]
    return list(dict.fromkeys(advice))


def _for_why(plan: Plan, shown: Shown) -> list[str]:
    """A second purpose ("…, and why?") adds what it rests on."""
    target = escape(quoted(plan.intent.target))
    strongest = shown.supported("R01", "R02", "G10")
    if not strongest or not plan.intent.target:
        return []
    return [f"For a reason, start with what goes along most with {target}: {shown.see(strongest)}."]


def _for_forecast(plan: Plan, shown: Shown) -> list[str]:
    target, structure = quoted(plan.intent.target or "the number of rows"), plan.table.structure
    if not structure.time:
        return ["Without a column of dates no forecast can be made; find the dates first."]
    advice = []
    if season := shown.supported("T02", "T03"):
        advice.append(
            f"Give the model terms for the season ({shown.see(season)}), such as harmonics of the year."
        )
    else:
        advice.append("No season is proved here: a model with season terms has to earn them on later data.")
    if memory := shown.supported("T07", "T04"):
        advice.append(f"Use the last values of {target} as predictors ({shown.see(memory)}).")
    if baseline := shown.supported("T08"):
        advice.append(
            f"The baseline to beat at each horizon is in {shown.see(baseline)}; report the gain over it."
        )
    else:
        advice.append(
            "Compare any model with the last value and with the value of the same season a year ago."
        )
    if shift := shown.supported("T05", "T06"):
        advice.append(f"Decide whether the model should learn from unusual stretches ({shown.see(shift)}).")
    advice.append(
        "Split by time: fit on the earlier part, judge on the last; rows drawn at random would leak."
    )
    others = [c.name for c in plan.table.having("flow", "count") if c.name != plan.intent.target][:3]
    if others:
        advice.append(
            f"{escape(listed(others))} are known only afterwards: only their past values may predict."
        )
    if structure.gaps or structure.off_grid:
        advice.append(
            "Place dates on the regular calendar before lags are made, and leave missing steps missing."
        )
    return advice


def _for_model(plan: Plan, shown: Shown) -> list[str]:
    structure, target = plan.table.structure, plan.intent.target
    advice = []
    if strongest := shown.supported("R01", "R02", "G10", "G01", "R08"):
        advice.append(
            f"Start with what goes along most with {escape(quoted(target))}: {shown.see(strongest)}."
        )
    grouped = structure.coarse_key or (structure.entities[0] if structure.entities else "")
    if grouped:
        advice.append(f"Keep all rows of one {escape(quoted(grouped))} on the same side of the split.")
    if structure.time:
        advice.append("If the model is to be used on later rows, split by time and not at random.")
    parts = [column for column, formula in structure.identities if target and target in formula]
    if parts or target in dict(structure.identities):
        advice.append(
            f"Leave out columns that contain {escape(quoted(target))} or that it is made of: they leak."
        )
    if plan.intent.kind == "classify":
        advice.append(
            "Report a score that the larger class cannot win alone, beside the share of the largest class."
        )
    advice.append("What goes along is not what causes: a change of the one need not change the other.")
    return advice


def _for_comparison(plan: Plan, shown: Shown) -> list[str]:
    advice = []
    if rank := shown.strongest("G02", "G01", "G03"):
        advice.append(f"Look first where most is at stake: {shown.see(rank)}.")
    if dose := shown.supported("G10"):
        advice.append(f"Test the threshold before anything is changed by it: {shown.see(dose)}.")
    if rule := shown.supported("S09"):
        advice.append(
            f"What is set by rule can be changed by rule, and cannot be judged row by row: {shown.see(rule)}."
        )
    if like := shown.supported("T09"):
        advice.append(f"Compare periods on what both hold: {shown.see(like)}.")
    if mixed := shown.supported("G06", "G04"):
        advice.append(f"Say what is held fixed when groups are compared: {shown.see(mixed)}.")
    advice.append(
        "A difference between groups says where to look, not why; only a trial or a natural change can."
    )
    return advice


def _for_description(plan: Plan, shown: Shown) -> list[str]:
    advice = []
    if part := shown.supported("G09", "T01", "T09"):
        advice.append(f"For the change over time, rely on {shown.see(part)}.")
    if blanks := shown.supported("S13"):
        advice.append(f"Do not drop incomplete rows without a look at {shown.see(blanks)}.")
    if lists := shown.supported("S11"):
        advice.append(f"Count entries of lists, not cells ({shown.see(lists)}).")
    if not advice:
        advice.append(
            "Name a measure or a group in the question to get a comparison instead of a description."
        )
    return advice


def _for_anomalies(plan: Plan, shown: Shown) -> list[str]:
    advice = []
    if unusual := shown.supported("T06", "U04", "S08", "S14"):
        advice.append(f"Check with the source before anything is removed: {shown.see(unusual)}.")
    advice.append(
        "Give results with and without the flagged values; a value is not wrong because it is rare."
    )
    return advice


def _for_segments(plan: Plan, shown: Shown) -> list[str]:
    advice = []
    if few := shown.supported("U03"):
        advice.append(f"Treat the few that hold most apart: {shown.see(few)}.")
    advice.append(
        "Cut by quantiles of one or two measures first; ask clusters to be stable before they are named."
    )
    return advice


def _for_all(plan: Plan, shown: Shown) -> list[str]:
    advice = []
    structure = plan.table.structure
    for ratio, weight in structure.weights[:1]:
        advice.append(
            f"Weight {escape(quoted(ratio))} by {escape(quoted(weight))} whenever rows are averaged."
        )
    if structure.totals:
        dimension = structure.totals[0][0]
        advice.append(
            f"Never add up {escape(quoted(dimension))} without leaving out its totals, as base does."
        )
    return advice


def _standing_limits(plan: Plan, findings: Findings) -> list[str]:
    said = []
    if findings.tests_run:
        said.append(
            "All tests of this notebook are counted as one family, and p-values are adjusted for it "
            "(Benjamini and "
            "Yekutieli); a finding also needs an effect of a size that matters."
        )
    guessed = [c.name for c in plan.table.having("flow", "ratio", "count", "stock") if not c.unit]
    if guessed:
        said.append(f"Units are not stated in the file for {escape(listed(guessed, 4))}.")
    said.append(
        "Which columns add up and which are averages was told from names and values, not from a description."
    )
    said += _not_compared(plan, findings)
    said += [escape(text) for text in plan.intent.assumptions]
    said.append("Nothing here shows a cause: the data were observed, not assigned by a trial.")
    return said


def _not_compared(plan: Plan, findings: Findings) -> list[str]:
    """Say of each group in the question that no section shows why there is none."""
    shown = {name for f in findings.findings if f.published for name in f.columns if f.play[0] in "GURT"}
    missing = [name for name in named_dimensions(plan.intent, plan.table) if name not in shown]
    said = []
    for name in missing:
        many = plan.table.column(name).distinct > DIM_LEVELS
        why = "it has too many values to compare one by one" if many else "nothing was found that holds"
        said.append(f"No section compares by {escape(quoted(name))}: {why}.")
    return said


def unanswered(plan: Plan, wanted: Sequence[str]) -> list[str]:
    """Return why plays that the question would need do not apply."""
    reasons = {item.play: f"{item.title}: {item.reason}" for item in plan.not_applicable}
    return [reasons[play] for play in wanted if play in reasons]
