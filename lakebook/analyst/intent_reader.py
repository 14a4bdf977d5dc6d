"""Reading the sentence of intent without a model: a purpose, a target, columns, and what was assumed.

What belongs here: the reading. The word lists are in `vocabulary`, what follows from an intent in `offline`
and `planner`. Every reading is told to the reader (`Intent.words`), as is every guess (`Intent.assumptions`).
Paper: NotebookRAG §4.2.2 (intent understanding).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lakebook.analyst import vocabulary
from lakebook.analyst.intent import Intent, IntentKind
from lakebook.analyst.table import Table, TableColumn

MEASURES = ("flow", "ratio", "count", "stock", "ordinal")
_NAMED_AS = {
    "forecast": "a forecast",
    "classify": "a classification",
    "regress": "an explanation of a number",
    "compare": "a comparison",
    "describe": "a description",
    "anomaly": "a search for what is unusual",
    "segment": "a segmentation",
}

# The order decides between purposes found in one sentence: the more specific purpose leads.
_PURPOSES: tuple[tuple[IntentKind, str], ...] = (
    (
        "forecast",
        r"forecast\w*|predict\w*\s+(?:the\s+)?(?:future|next|coming|upcoming)|time[- ]series|extrapolat\w+|"
        r"projections?\b|next (?:week|month|quarter|year)\w*|outlook",
    ),
    ("classify", r"classif\w+|churn\w*|detect whether|probability of|likel(?:y|ihood) (?:to|of|that)"),
    (
        "anomaly",
        r"anomal\w+|unusual\w*|outlier\w*|fraud\w*|spikes?\b|suspicious|strange|abnormal\w*|unexpected",
    ),
    (
        "segment",
        r"segmentation|segment (?=(?:the|our|my|all|customers?|users?|clients?|products?)\b)|cluster\w*|"
        r"(?:find|build|into) (?:natural )?groups|personas?|group (?:the|our|similar)",
    ),
    (
        "regress",
        r"why\b|driv(?:e|es|er|ers|ing)\b|explain\w*|predict\w*|regress\w*|estimat\w+|influenc\w+|affect\w*|"
        r"factors?\b|depends? on|determin\w+|relat(?:e|es|ed|ion|ions|ionship|ionships)\b|correlat\w+|"
        r"cause[sd]?\b|impact\w*",
    ),
    (
        "compare",
        r"compar\w+|versus|vs\b|differ\w*|which\b|best|worst|highest|lowest|most|least|rank\w*|across|between|"
        r"by (?=\w)|gaps?\b|los(?:e|es|ing|s)\b|better|worse|top\b|(?:over|through) (?:the )?(?:time|years)|"
        r"chang\w+|evol\w+|trend\w*|grow\w*|declin\w+|develop\w*",
    ),
    (
        "describe",
        r"describ\w+|overview|explor\w+|characteri[sz]\w+|summar\w+|understand\w*|profil\w+|what is in|"
        r"look at|analy[sz]\w+|insights?|distribut\w+|patterns?",
    ),
)
_TARGET_VERBS = re.compile(
    r"\b(?:forecast|predict|explain|classify|estimate|model|drives?|affects?|influences?|determines?|causes?)\w*\b"
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_LABEL_WORDS = {"class", "label", "target", "churn", "churned", "survived", "status", "outcome", "fraud"}


@dataclass(frozen=True, slots=True)
class Mention:
    """A word of the sentence that names a column, and how surely (0 to 1)."""

    word: str
    position: int
    column: TableColumn
    strength: float
    level: str = ""


def read_intent(text: str, table: Table) -> Intent:
    """Read the sentence against the table's columns. Never fails: what is unclear is assumed, and said."""
    purposes = _purposes(text, table)
    mentions = _mentions(text, table)
    assumptions: list[str] = []
    if not purposes:
        assumptions.append("The sentence names no purpose that was recognised, so the table is described.")
    kind, others = _main_kind(purposes)
    target, why = _target(kind, mentions, table, _verb_end(text))
    kind, note = _fit_kind_to_target(kind, target, table)
    assumptions.extend(sentence for sentence in (why, note, _time_note(kind, table)) if sentence)
    columns = tuple(dict.fromkeys(mention.column.name for mention in mentions))
    words = [f"“{word}”: {_NAMED_AS[purpose]}" for purpose, word in purposes]
    for mention in mentions:
        of = f", where it is a value ({mention.level})" if mention.level else ""
        words.append(f"“{mention.word}”: column {mention.column.name}{of}")
    return Intent(
        text=text,
        kind=kind,
        others=tuple(dict.fromkeys(other for other in others if other != kind)),
        target=target.name if target else "",
        columns=columns,
        words=tuple(dict.fromkeys(words)),
        assumptions=tuple(assumptions),
    )


def _purposes(text: str, table: Table) -> list[tuple[IntentKind, str]]:
    """Return the purposes named, most specific first, with the word that names each.

    A word that is itself a column's name names the column, not a purpose ("segments", "rank").
    """
    low = text.casefold()
    names = {
        vocabulary.stem(token) for column in table.columns for token in vocabulary.name_tokens(column.name)
    }
    found: list[tuple[IntentKind, str]] = []
    for kind, pattern in _PURPOSES:
        for match in re.finditer(rf"(?<!\w)(?:{pattern})", low):
            word = match.group(0).strip()
            if vocabulary.stem(word) not in names or kind in ("forecast", "describe"):
                found.append((kind, word))
                break
    return found


def _main_kind(purposes: list[tuple[IntentKind, str]]) -> tuple[IntentKind, list[IntentKind]]:
    """Choose the purpose that leads: "which …, and why" is a comparison, "describe … over time" is not."""
    ordered = [kind for kind, _ in purposes] or ["describe"]
    if ("regress", "why") in purposes and ordered[0] == "regress" and "compare" in ordered:
        ordered.remove("compare")
        ordered.insert(0, "compare")
    if ordered[0] == "compare" and "describe" in ordered and "regress" not in ordered:
        ordered.remove("describe")
        ordered.insert(0, "describe")
    return ordered[0], ordered[1:]


def _mentions(text: str, table: Table) -> list[Mention]:
    """Match the words of the sentence to columns by stem, synonym and value; each word to its best column."""
    found = []
    for match in _WORD.finditer(text):
        word = match.group(0)
        if word.casefold() in vocabulary.STOP_WORDS or (len(word) < 3 and not word.isdigit()):
            continue
        named = [mention for column in table.columns if (mention := _mention(word, match.start(), column))]
        best = max(named, key=lambda mention: mention.strength, default=None)
        if best:
            found.append(best)
            found += [other for other in named if other is not best and _equally_meant(other, best)]
    return found


def _equally_meant(mention: Mention, best: Mention) -> bool:
    """A word that no column is named by can mean several groups: airports are origins and destinations."""
    groups = ("dim", "geo")
    by_meaning = not mention.level and not best.level and best.strength < 0.9
    return (
        by_meaning
        and mention.column.use in groups
        and best.column.use in groups
        and abs(mention.strength - best.strength) < 0.01
    )


def _mention(word: str, position: int, column: TableColumn) -> Mention | None:
    tokens = vocabulary.name_tokens(column.name)
    if column.use in ("empty", "constant") or not tokens:
        return None
    low = word.casefold()
    agreement = max(vocabulary.same_meaning(low, token) for token in tokens)
    if agreement >= 0.6:
        # A name that says nothing else fits better, as does a column that can be computed with.
        useful = 0.02 if column.use in (*MEASURES, "dim", "geo", "time", "list", "boolean") else 0.0
        return Mention(word, position, column, agreement + 0.1 / len(tokens) + useful)
    if column.use in ("dim", "geo", "boolean") and len(low) >= 4:
        level = next(
            (value for value, _ in column.levels if vocabulary.stem(value) == vocabulary.stem(low)), ""
        )
        return Mention(word, position, column, 0.65, level) if level else None
    return None


def _verb_end(text: str) -> int:
    match = _TARGET_VERBS.search(text.casefold())
    return match.end() if match else -1


def _target(
    kind: IntentKind, mentions: list[Mention], table: Table, verb_end: int
) -> tuple[TableColumn | None, str]:
    """Choose the target: what stands after the verb, else the first that fits, else the likeliest column."""
    wanted = (*MEASURES, "boolean", "dim", "unit_mixed") if kind in ("classify", "regress") else MEASURES
    fitting = [mention for mention in mentions if mention.column.use in wanted and not mention.level]
    if kind == "classify":
        fitting.sort(key=lambda mention: mention.column.use not in ("boolean", "dim"))
    measured = [mention for mention in fitting if mention.column.use in MEASURES]
    pool = fitting if kind == "classify" else (measured or fitting)
    after = [mention for mention in pool if mention.position > verb_end >= 0]
    if after or pool:
        chosen = (after or pool)[0]
        return chosen.column, ""
    if kind in ("describe", "segment"):
        return None, ""
    return _likely_target(kind, table)


def _likely_target(kind: IntentKind, table: Table) -> tuple[TableColumn | None, str]:
    if kind == "classify":
        classes = [c for c in table.having("boolean", "dim") if 2 <= c.distinct <= 10]
        named = [c for c in classes if _LABEL_WORDS & set(vocabulary.name_tokens(c.name))]
        chosen = next(iter(named or [c for c in classes if c.use == "boolean"] or classes), None)
    else:
        chosen = next(
            iter(table.having("flow") or table.having("ratio") or table.having("count", "stock")), None
        )
    if chosen is None:
        return None, "The table has no column that could be the target, so the table as a whole is described."
    return chosen, f"The sentence names no target column; {chosen.name} is taken."


def _fit_kind_to_target(kind: IntentKind, target: TableColumn | None, table: Table) -> tuple[IntentKind, str]:
    """A class cannot be regressed, nor a number classified: the target's kind decides."""
    if kind == "regress" and target and target.use in ("boolean", "dim"):
        return "classify", f"{target.name} holds classes, so the question is read as a classification."
    if (
        kind == "classify"
        and target
        and target.use in ("flow", "ratio", "stock", "count")
        and target.distinct > 20
    ):
        return "regress", f"{target.name} is a number, so the question is read as an explanation of a number."
    return kind, ""


def _time_note(kind: IntentKind, table: Table) -> str:
    if kind == "forecast" and not table.having("time"):
        return "No column of dates was found, so nothing can be said about the future from this table alone."
    return ""
