"""The plan: which plays run on which columns, in which order, with which earlier work beside them.

What belongs here: candidates, their scores, the slots they fill, their order. Which of the computed findings
are published is decided in `selection`. Paper: NotebookRAG §4.3.1; notes on plays, §4 and §6.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lakebook.analyst.intent import Intent, IntentKind
from lakebook.analyst.plan import NotApplicable, Plan, Step
from lakebook.analyst.play import Candidate, Play
from lakebook.analyst.plays.smaller_checks import SmallerChecks
from lakebook.analyst.table import Table
from lakebook.enhancement.enhanced import EnhancedComponent
from lakebook.notebooks.component import Component

MOST_STEPS = 16
MOST_STRUCTURE_STEPS = 6
MOST_OWN_COMPONENTS = 2

# The plays that an intent cannot do without, in the order in which they answer it.
CORE: Mapping[IntentKind, tuple[str, ...]] = {
    "forecast": ("T01", "T02", "T04", "T05", "T06", "T08", "T07", "G07", "R05"),
    "classify": ("R06", "U02", "R07", "R01", "G08", "S13", "R04", "G10"),
    "regress": ("R06", "U01", "R01", "G01", "G10", "R05", "R04", "U04", "G06"),
    "compare": ("G02", "T09", "G01", "G10", "G03", "G04", "G06", "G09", "U03"),
    "describe": ("U02", "S11", "G02", "T01", "U01", "T09", "U03", "G09", "R01", "G08"),
    "anomaly": ("S08", "S14", "T06", "U04", "G03", "T05"),
    "segment": ("U03", "G01", "U01", "R04", "G02"),
}
_MARKS_OF_FAMILY: Mapping[str, frozenset[str]] = {
    "time": frozenset({"line", "area"}),
    "groups": frozenset({"bar", "barh", "box", "violin", "strip", "swarm", "point", "count", "pie"}),
    "relations": frozenset({"scatter", "heatmap", "reg", "hexbin", "pair", "joint"}),
    "one_variable": frozenset({"hist", "kde", "box", "violin", "count", "bar", "barh", "pie"}),
    "structure": frozenset({"bar", "barh", "count"}),
}
_ORDER: Mapping[str, int] = {
    "structure": 0,
    "one_variable": 1,
    "groups": 2,
    "relations": 3,
    "many_variables": 4,
}


@dataclass(frozen=True, slots=True)
class Option:
    """A candidate with its play, its score, and what speaks for it."""

    play: Play
    candidate: Candidate
    score: float
    why: str


def make_plan(
    table: Table,
    intent: Intent,
    plays: Iterable[Play],
    enhanced: Sequence[EnhancedComponent] = (),
    components: Mapping[str, Component] | None = None,
) -> Plan:
    """Plan 12 to 16 steps for the table, whose structure is known.

    Args:
        table: the table with its structure.
        intent: what is wanted.
        plays: the plays to choose from.
        enhanced: earlier work that ran on this table; it raises the priority of what it looked at.
        components: the components of that work, by id.
    """
    usable = _one_each([item for item in enhanced if item.status == "ok"])
    known = components or {}
    options: list[Option] = []
    not_applicable = []
    for play in sorted(plays, key=lambda play: play.id):
        if play.id == SmallerChecks.id or play.family == "closing":
            continue
        proposal = play.propose(table, intent)
        if not proposal.candidates:
            not_applicable.append(NotApplicable(play.id, play.title, proposal.reason))
        for candidate in proposal.candidates:
            options.append(_option(play, candidate, intent, usable, known))
    structure = _structure_steps(options, table, intent)
    chosen = _fill(options, intent, MOST_STEPS - len(structure))
    ordered = _in_order([*structure, *chosen], intent)
    steps = _with_components(_named(ordered), {o.candidate.key: o.play for o in ordered}, usable, known)
    return Plan(intent, table, steps, tuple(not_applicable))


def _one_each(enhanced: Sequence[EnhancedComponent]) -> list[EnhancedComponent]:
    """A component may have been retrieved by several queries; its first success counts."""
    return list({item.component: item for item in reversed(enhanced)}.values())[::-1]


def relevance_of(play: Play, intent: Intent) -> float:
    """Return the play's weight for the intent: the main purpose in full, further ones a little less."""
    others = [0.85 * play.relevance.get(kind, 0.0) for kind in intent.others]
    return max([play.relevance.get(intent.kind, 0.0), *others])


def _option(
    play: Play,
    candidate: Candidate,
    intent: Intent,
    enhanced: Sequence[EnhancedComponent],
    components: Mapping[str, Component],
) -> Option:
    relevance = relevance_of(play, intent)
    named = {intent.target, *intent.columns} - {""}
    own = set(candidate.columns)
    fit = (
        1.0 if not named or intent.target in own or len(own & named) > 1 else (0.85 if own & named else 0.55)
    )
    core = CORE[intent.kind]
    place = 0.15 * (1 - core.index(play.id) / len(core)) if play.id in core else 0.0
    evidence = [
        item for item in enhanced if _fits(candidate, play, item, components.get(item.component)) >= 0.4
    ]
    boost = min(0.2, 0.1 * len(evidence))
    score = min(1.0, relevance * (0.45 + 0.55 * candidate.prior) * fit + place + boost)
    why = [f"{play.title} serves a {intent.kind} question" if relevance >= 0.6 else play.title]
    if intent.target in own and intent.target:
        why.append(f"it is about {intent.target}")
    elif own & named:
        why.append(f"the question names {', '.join(sorted(own & named))}")
    if evidence:
        word = "component of earlier work looks" if len(evidence) == 1 else "components of earlier work look"
        why.append(f"{len(evidence)} {word} at the same columns in a like figure")
    return Option(play, candidate, round(score, 4), "; ".join(why))


def _fits(candidate: Candidate, play: Play, item: EnhancedComponent, component: Component | None) -> float:
    """Say how far a component asks what a candidate asks: columns in common, and the kind of figure."""
    theirs, own = set(item.columns), set(candidate.columns)
    if not theirs or not own or play.id in ("S01", "S17"):
        return 0.0
    overlap = len(theirs & own) / len(theirs | own)
    marks = set(component.chart_types) if component else {s.mark for axes in item.drawn for s in axes.series}
    wanted = _MARKS_OF_FAMILY.get(play.family, frozenset())
    fitting = any(mark.startswith(tuple(wanted)) for mark in marks) if wanted else False
    return 0.75 * overlap + (0.25 if fitting and overlap > 0 else 0.0)


def _structure_steps(options: Sequence[Option], table: Table, intent: Intent) -> list[Option]:
    """Choose the trust sections: overview, calendar, the traps that were found, and the rest in one."""
    structure = table.structure
    totals = {dimension for dimension, _ in structure.totals}
    weighted = {ratio for ratio, _ in structure.weights}
    named = {intent.target, *intent.columns}
    policies = [policy for policy in structure.policies if named & set(policy)] or list(structure.policies)[
        :1
    ]

    def shown(option: Option) -> bool:
        play, columns = option.play.id, option.candidate.columns
        tests = {
            "S01": True,
            "S02": True,
            "S04": columns[0] in totals if columns else False,
            "S06": columns[0] in weighted if columns else False,
            "S08": bool(structure.stale),
            "S09": bool(policies),
            "S10": bool(structure.units),
        }
        return tests.get(play, False)

    own = [option for option in options if option.play.family == "structure" and shown(option)]
    own = sorted(own, key=lambda o: (o.play.id, -o.candidate.prior))[:MOST_STRUCTURE_STEPS]
    checks = SmallerChecks()
    rest = checks.propose(table, intent, frozenset(option.play.id for option in own)).candidates
    return own + [
        Option(checks, candidate, 0.4, "checks without a section of their own") for candidate in rest
    ]


def _fill(options: Sequence[Option], intent: Intent, room: int) -> list[Option]:
    """Fill the slots one by one, each with what adds most beside those already taken."""
    waiting = [option for option in options if option.play.family != "structure" or option.play.id == "S11"]
    waiting = [option for option in waiting if option.score > 0.05]
    taken: list[Option] = []
    limit = 3 if intent.kind == "describe" else 2
    while waiting and len(taken) < room:
        best = max(
            waiting,
            key=lambda option: (_marginal(option, taken, intent), option.play.id, option.candidate.key),
        )
        waiting.remove(best)
        if sum(option.play.id == best.play.id for option in taken) < limit:
            taken.append(best)
    return taken


def _marginal(option: Option, taken: Sequence[Option], intent: Intent) -> float:
    """What an option adds: its score less what is repeated, more if it looks at something new.

    A column that the question names deserves each core play of its own, whatever was done for another.
    """
    own = set(option.candidate.columns)
    seen = {column for other in taken for column in other.candidate.columns}
    fresh = len(own - seen) / len(own) if own else 0.0
    done = {c for other in taken if other.play.id == option.play.id for c in other.candidate.columns}
    asked = own & set(intent.columns) - {intent.target} - done
    bonus = 0.08 * fresh + (0.25 if asked and done and option.play.id in CORE[intent.kind] else 0.0)
    return option.score * (1 - max((redundancy(option, other) for other in taken), default=0.0)) + bonus


def redundancy(option: Option, other: Option) -> float:
    """Say how much one option repeats another: columns in common, same family, same play."""
    own, theirs = set(option.candidate.columns), set(other.candidate.columns)
    common = len(own & theirs) / len(own | theirs) if own | theirs else 0.0
    same_play = option.play.id == other.play.id
    # Two single columns described alike repeat little; two comparisons by one method do.
    repeats = 0.15 if option.play.family == "one_variable" else 0.25
    columns = 0.35 * common * (1.0 if same_play else 0.5)
    return columns + 0.1 * (option.play.family == other.play.family) + repeats * same_play


def _in_order(options: Sequence[Option], intent: Intent) -> list[Option]:
    """Trust, the whole, the parts, relations, time, exceptions; time comes early where it is asked for."""
    order = dict(_ORDER) | {"time": 1.5 if intent.kind in ("forecast", "anomaly") else 5}
    core = CORE[intent.kind]

    def place(option: Option) -> tuple[float, float, int, float, str]:
        late = 6.0 if option.play.id in ("T06", "U04") and intent.kind != "anomaly" else 0.0
        rank = core.index(option.play.id) if option.play.id in core else len(core)
        family = order.get(option.play.family, 4)
        if option.play.family == "structure":
            last = option.play.id in ("S17",)
            return (0.9 if last else 1.0 if option.play.id == "S11" else 0.0, 0.0, 0, 0.0, option.play.id)
        return (max(family, late), rank, 0, -option.score, option.candidate.key)

    return sorted(options, key=place)


def _named(options: Sequence[Option]) -> list[Step]:
    """Number the steps, and make keys unique where two names give one identifier."""
    steps: list[Step] = []
    used: set[str] = set()
    for number, option in enumerate(options, start=1):
        key, copy = option.candidate.key, 2
        while key in used:
            key, copy = f"{option.candidate.key}_{copy}", copy + 1
        used.add(key)
        candidate = replace(option.candidate, key=key)
        title = (
            f"{option.play.title}: {', '.join(candidate.columns[:3])}"
            if len(candidate.columns) < 8
            else option.play.title
        )
        steps.append(
            Step(
                f"s{number:02d}",
                option.play.id,
                title,
                option.play.title,
                candidate,
                option.score,
                option.why,
            )
        )
    return steps


def _with_components(
    steps: Sequence[Step],
    plays: Mapping[str, Play],
    enhanced: Sequence[EnhancedComponent],
    components: Mapping[str, Component],
) -> tuple[Step, ...]:
    """Give each step at most one component that asks the same; the best others get steps of their own."""
    pairs = []
    for step in steps:
        play = plays.get(step.candidate.key)
        for item in enhanced:
            fit = _fits(step.candidate, play, item, components.get(item.component)) if play else 0.0
            if fit >= 0.3:
                pairs.append((-fit, step.id, item.component))
    given: dict[str, str] = {}
    placed: set[str] = set()
    for _, step_id, component in sorted(pairs):
        if step_id not in given and component not in placed:
            given[step_id] = component
            placed.add(component)
    full = [replace(step, components=(given[step.id],)) if step.id in given else step for step in steps]
    left = [item for item in enhanced if item.component not in placed and item.figures and item.columns]
    for number, item in enumerate(left[:MOST_OWN_COMPONENTS], start=len(full) + 1):
        full.append(_component_step(f"s{number:02d}", item, components.get(item.component)))
    return tuple(full)


def _component_step(name: str, item: EnhancedComponent, component: Component | None) -> Step:
    heading = (
        component.heading
        if component and component.heading
        else f"Earlier work on {', '.join(item.columns[:3])}"
    )
    key = item.function or f"component_{item.component[:8]}"
    candidate = Candidate("component", key, item.columns, 0.4, {"component": item.component})
    why = "earlier work on these columns that no other step repeats"
    return Step(name, "component", heading[:80], heading[:80], candidate, 0.3, why, (item.component,))
