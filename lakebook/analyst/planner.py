"""The plan: which plays run on which columns, in which order, with which earlier work beside them.

What belongs here: candidates, their scores, the slots they fill, their order. Which of the computed findings
are published is decided in `selection`. Paper: NotebookRAG §4.3.1; notes on plays, §4 and §6.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lakebook.analyst.coverage import CORE, Need, asks_when, needs
from lakebook.analyst.fitting import FITTING, best_pairs, fit
from lakebook.analyst.intent import Intent
from lakebook.analyst.intent_reader import MEASURES
from lakebook.analyst.plan import NotApplicable, Plan, Step
from lakebook.analyst.play import Candidate, Play
from lakebook.analyst.plays.smaller_checks import SmallerChecks
from lakebook.analyst.table import Table
from lakebook.analyst.vocabulary import name_tokens
from lakebook.enhancement.enhanced import EnhancedComponent
from lakebook.notebooks.component import Component

MOST_STEPS = 16
MOST_STRUCTURE_STEPS = 6
FEWEST_COMPONENTS, MOST_OWN_COMPONENTS = 3, 2

# Pairs of plays that say the same of one column: one of them is enough.
TWINS: tuple[frozenset[str], ...] = (frozenset({"U01", "R06"}), frozenset({"U02", "R06"}))


_ORDER: Mapping[str, int] = {
    "structure": 0,
    "one_variable": 1,
    "groups": 2,
    "relations": 3,
    "many_variables": 4,
}
AVERAGES = frozenset({"average", "mean", "median", "total", "rate", "share", "number", "count"})
PARTNERS = frozenset({"R01", "R02", "R07"})


@dataclass(frozen=True, slots=True)
class Option:
    """A candidate with its play, its score, what speaks for it, and whether the question needs it."""

    play: Play
    candidate: Candidate
    score: float
    why: str
    needed: bool = False


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
            options.append(_option(play, candidate, table, intent, usable, known))
    structure = _structure_steps(options, table, intent)
    needed = _needed(options, list(needs(intent, table)), table)
    chosen = _fill(options, needed, intent, MOST_STEPS - len(structure))
    steps = _named(_in_order([*structure, *chosen], intent))
    fits = [
        (fit(s.play, s.candidate, item, known.get(item.component), table, intent), s.id, item.component)
        for s in steps
        for item in usable
    ]
    return Plan(
        intent, table, _with_components(steps, best_pairs(fits), usable, known, intent), tuple(not_applicable)
    )


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
    table: Table,
    intent: Intent,
    enhanced: Sequence[EnhancedComponent],
    components: Mapping[str, Component],
) -> Option:
    relevance = relevance_of(play, intent)
    if play.family == "time" and not asks_when(intent):
        relevance *= 0.6
    core = CORE[intent.kind]
    place = 0.15 * (1 - core.index(play.id) / len(core)) if play.id in core else 0.0
    fits = (fit(play.id, candidate, i, components.get(i.component), table, intent) for i in enhanced)
    evidence = sum(value >= FITTING for value in fits)
    boost = min(0.2, 0.1 * evidence)
    score = min(1.0, relevance * (0.45 + 0.55 * candidate.prior) * _nearness(candidate, table, intent))
    why = [f"{play.title} serves a {intent.kind} question" if relevance >= 0.6 else play.title]
    own, named = set(candidate.columns), {intent.target, *intent.columns} - {""}
    if intent.target in own and intent.target:
        why.append(f"it is about {intent.target}")
    if further := sorted(own & named - {intent.target}):
        why.append(f"the question names {', '.join(further)}")
    if evidence:
        word = "component of earlier work looks" if evidence == 1 else "components of earlier work look"
        why.append(f"{evidence} {word} at the same columns in a like figure")
    return Option(play, candidate, round(min(1.0, score + place + boost), 4), "; ".join(why))


def _nearness(candidate: Candidate, table: Table, intent: Intent) -> float:
    """Say how near a candidate is to what the sentence names: the target, then the dimensions beside it."""
    named = {intent.target, *intent.columns} - {""}
    own = set(candidate.columns)
    if not named:
        return 1.0
    if not own & named:
        return 0.55
    groups = {c.name for c in table.having("dim", "geo", "boolean", "list", "dim_high")}
    numbers = [name for name in candidate.columns if table.column(name).use in MEASURES]
    if intent.target and intent.target not in own and numbers and not set(numbers) & named:
        return 0.5  # another number than the one in question
    if _siblings(intent.target, numbers):
        return 0.55
    asked = groups & named - {intent.target}
    if asked and own & groups and not own & asked:
        return 0.75
    return 1.0 if intent.target in own or len(own & named) > 1 else 0.85


def _siblings(target: str, numbers: Sequence[str]) -> bool:
    """Two numbers of one name, such as delays at both ends of a trip, go together by what they are."""
    words = {word for word in name_tokens(target) if len(word) > 3} - AVERAGES
    others = [name for name in numbers if name != target]
    return target in numbers and len(others) == 1 and bool(words & set(name_tokens(others[0])))


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


def _fineness(candidate: Candidate, table: Table) -> int:
    """Of further groups, the finest says most on where something comes from."""
    groups = [table.column(name) for name in candidate.columns]
    return max((c.distinct for c in groups if c.use in ("dim", "geo", "boolean", "dim_high")), default=0)


def _needed(options: Sequence[Option], wanted: Sequence[Need], table: Table) -> list[Option]:
    """Return the best option for each need of the question, of the first of its plays that applies."""
    found: list[Option] = []
    for need in wanted:
        fitting = [option for option in options if need.met_by(option.play.id, option.candidate.columns)]
        if fitting and not any(need.met_by(o.play.id, o.candidate.columns) for o in found):
            rank = {play: place for place, play in enumerate(need.plays)}
            fine = {o.candidate.key: _fineness(o.candidate, table) if need.without else 0 for o in fitting}
            best = min(
                fitting,
                key=lambda o: (rank[o.play.id], -fine[o.candidate.key], -o.score, o.candidate.key),
            )
            if not any(_twins(best, other) for other in found):
                found.append(replace(best, score=min(1.0, round(best.score + 0.1, 4)), needed=True))
    return found


def _twins(option: Option, other: Option) -> bool:
    pair = frozenset({option.play.id, other.play.id})
    return pair in TWINS and option.candidate.columns[0] == other.candidate.columns[0]


def _fill(options: Sequence[Option], needed: Sequence[Option], intent: Intent, room: int) -> list[Option]:
    """Take what the question needs, then fill the slots one by one with what adds most beside it."""
    taken = list(needed)
    keys = {(option.play.id, option.candidate.key) for option in needed}
    waiting = [
        option
        for option in options
        if (option.play.family != "structure" or option.play.id == "S11")
        and option.score > 0.05
        and (option.play.id, option.candidate.key) not in keys
    ]
    limit = 3 if intent.kind == "describe" else 2
    while waiting and len(taken) < room:
        best = max(
            waiting,
            key=lambda option: (_marginal(option, taken, intent), option.play.id, option.candidate.key),
        )
        waiting.remove(best)
        same = [option for option in taken if option.play.id == best.play.id]
        # What the question named does not use up the room of its play: one more may still tell more.
        most = min(3, max(limit, sum(option.needed for option in same) + 1))
        if len(same) < most and not any(_twins(best, other) for other in taken):
            taken.append(best)
    return taken


def _marginal(option: Option, taken: Sequence[Option], intent: Intent) -> float:
    """What an option adds: its score less what is repeated, more if it looks at something new."""
    own = set(option.candidate.columns)
    seen = {column for other in taken for column in other.candidate.columns}
    fresh = len(own - seen) / len(own) if own else 0.0
    repeated = max((redundancy(option, other) for other in taken), default=0.0)
    return option.score * (1 - repeated) + 0.08 * fresh


def redundancy(option: Option, other: Option) -> float:
    """Say how much one option repeats another: columns in common, same family, same play."""
    own, theirs = set(option.candidate.columns), set(other.candidate.columns)
    common = len(own & theirs) / len(own | theirs) if own | theirs else 0.0
    same_play = option.play.id == other.play.id
    # Two single columns described alike repeat little; two comparisons by one method do.
    repeats = 0.15 if option.play.family == "one_variable" else 0.25
    columns = 0.35 * common * (1.0 if same_play else 0.5)
    # Three plays name the closest partner of one column; the second of them needs a reason.
    columns += 0.25 * ({option.play.id, other.play.id} <= PARTNERS and not same_play)
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
    given: Mapping[str, str],
    enhanced: Sequence[EnhancedComponent],
    components: Mapping[str, Component],
    intent: Intent,
) -> tuple[Step, ...]:
    """Give each step the component that asks the same; the best others get steps of their own."""
    full = [replace(step, components=(given[step.id],)) if step.id in given else step for step in steps]
    left = [item for item in enhanced if item.component not in given.values() and item.figures]
    asked = {intent.target, *intent.columns} - {""}

    def nearness(item: EnhancedComponent) -> tuple[bool, int, bool]:
        own = set(item.columns)
        return (intent.target in own, len(own & asked), bool(item.drawn))

    near = [item for item in left if not asked or set(item.columns) & ({intent.target} - {""} or asked)]
    least = max(0, FEWEST_COMPONENTS - len(given))
    shown = near[:] if len(near) >= least else left
    shown = sorted(shown, key=nearness, reverse=True)[: max(least, MOST_OWN_COMPONENTS)]
    for number, item in enumerate(shown, start=len(full) + 1):
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
