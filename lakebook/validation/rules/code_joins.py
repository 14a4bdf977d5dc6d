"""Rules on pandas merges: products, repeated rows, keys that do not fit, and rows paired by position."""

from __future__ import annotations

from collections.abc import Iterator

from lakebook.operators.record import Finding
from lakebook.validation.code.facts import Called, Filtered, brief, place
from lakebook.validation.code.interpreter import followed
from lakebook.validation.code.values import Constant, Field, Frame, Grouped, Joined, Listed, Series
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.nearest import fold
from lakebook.validation.registry import rule

# Aggregates that a repeated row changes; min, max and nunique are indifferent to it.
SENSITIVE = frozenset({"sum", "mean", "median", "count", "std", "var", "size", "value_counts", "corr"})

_NONE = Field()
_PAIR = "Merge on a shared key; if a product is meant, confirm it."
_CROSS = Joined("cross", (), frozenset(), frozenset())


def _merges(invocation: Invocation, knowledge: Knowledge) -> Iterator[tuple[Called, Frame, Frame]]:
    """Yield the merges of two frames that are both followed."""
    for fact in followed(invocation, knowledge).of(Called):
        if fact.name == "merge" and isinstance(fact.receiver, Frame) and fact.args:
            left, right = fact.receiver, fact.args[0]
        elif fact.name == "pandas.merge" and len(fact.args) > 1:
            left, right = fact.args[0], fact.args[1]  # type: ignore[assignment]
        else:
            continue
        if isinstance(left, Frame) and isinstance(right, Frame):
            yield fact, left, right


def _join(fact: Called) -> Joined | None:
    return fact.result.rows.joined if isinstance(fact.result, Frame) else None


@rule(
    "J1py",
    operator="Compute",
    detects="a cross product whose combinations are then counted or added up, none left out",
    evidence="the code, and the rows of both frames (more than one)",
    action="reject",
    reference="RADAR §3.2 (implicit join); catalogue J1",
)
def cross_product(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject an aggregate over all combinations of rows; advise where a frame may have but one row."""
    if invocation.confirm_cross:
        return
    told: set[Joined] = set()
    for fact, joined in _aggregates_of_joins(invocation, knowledge):
        if joined.how != "cross" or joined in told or joined.single or not joined.unfiltered:
            continue
        told.add(joined)
        yield Finding(
            "J1py",
            "reject" if joined.certain else "advise",
            f"{brief(fact.node)} is computed over every row of one frame with every row of the other.",
            observed=f"merge(how='cross') before {place(fact.node)}",
            hint=_PAIR,
        )
    chosen = {fact.frame.rows.joined for fact in followed(invocation, knowledge).of(Filtered)}
    for fact in followed(invocation, knowledge).of(Called):
        cross = fact.name in ("merge", "pandas.merge") and fact.named.get("how") == Constant("cross")
        made = _join(fact)
        if cross and not told and made not in chosen - {None} and not (made and made.single):
            yield Finding(
                "J1py",
                "advise",
                f"{brief(fact.node)} puts every row of one frame beside every row of the other.",
                observed=f"no condition then chooses among the combinations; {place(fact.node)}",
                hint=_PAIR,
            )


def _aggregates_of_joins(invocation: Invocation, knowledge: Knowledge) -> Iterator[tuple[Called, Joined]]:
    for fact in followed(invocation, knowledge).of(Called):
        owner = fact.receiver
        rows = owner.frame.rows if isinstance(owner, Grouped) else getattr(owner, "rows", None)
        if fact.name in SENSITIVE and rows is not None and rows.joined is not None:
            yield fact, rows.joined


@rule(
    "J4py",
    operator="Compute",
    detects="an aggregate over rows that a merge has repeated",
    evidence="the number of different keys on both sides (complete), of tables not narrowed before",
    action="reject",
    reference="catalogue J3, J4",
)
def fan_out(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a sum over the side that is repeated; advise where that is likely but not certain."""
    told: set[tuple[Joined, str]] = set()
    for fact, joined in _aggregates_of_joins(invocation, knowledge):
        name = _measured(fact)
        repeated = joined.repeats == "both" or (
            name is not None
            and (
                (joined.repeats == "left" and name in joined.left)
                or (joined.repeats == "right" and name in joined.right)
            )
        )
        keys = {key for pair in joined.keys for key in pair}
        if not joined.repeats or not repeated or name in keys or (joined, str(name)) in told:
            continue
        told.add((joined, str(name)))
        many = joined.repeats == "both"
        yield Finding(
            "J4py",
            "reject" if joined.certain and fact.name in ("sum", "mean") else "advise",
            f"{brief(fact.node)} counts rows several times: the merge on "
            f"{', '.join(pair[0] for pair in joined.keys)} repeats {'both sides' if many else 'one side'}.",
            observed=f"{joined.seen}; {place(fact.node)}",
            hint="Aggregate the side with several rows a key first, or merge with validate='m:1' or '1:1'.",
        )


def _measured(fact: Called) -> str | None:
    owner = fact.receiver
    if isinstance(owner, Series):
        return owner.name or None
    if isinstance(owner, Grouped) and owner.series is not None:
        return owner.series.name or None
    return None


@rule(
    "J6py",
    operator="Compute",
    detects="merge keys of different types: text with numbers",
    evidence="types of the columns as pandas reads them",
    action="reject",
    reference="catalogue J6",
)
def key_types(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a merge of text with numbers."""
    for fact, left, right in _merges(invocation, knowledge):
        joined = _join(fact)
        for one, other in joined.keys if joined else ():
            kinds = {(left.find(one) or _NONE).kind, (right.find(other) or _NONE).kind}
            if kinds == {"text", "number"}:
                yield Finding(
                    "J6py",
                    "reject",
                    f"{brief(fact.node)} pairs text with numbers: {one} and {other}.",
                    observed=f"{one} is {(left.find(one) or _NONE).kind}, {other} is "
                    f"{(right.find(other) or _NONE).kind}; {place(fact.node)}",
                    hint="Convert one of them: .astype(str), or pd.to_numeric.",
                )


@rule(
    "J8py",
    operator="Compute",
    detects="missing keys on both sides of a merge, which pandas pairs with each other",
    evidence="null counts of both keys (complete)",
    action="reject",
    reference="catalogue J8",
)
def missing_keys(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject a merge on a key that is missing on both sides."""
    for fact, left, right in _merges(invocation, knowledge):
        joined = _join(fact)
        if joined is None or len(joined.keys) != 1:
            continue
        one, other = joined.keys[0]
        counts = [(left.find(one) or _NONE).nulls, (right.find(other) or _NONE).nulls]
        if all(counts):
            yield Finding(
                "J8py",
                "reject",
                f"{brief(fact.node)} pairs every row without {one} with every row without {other}.",
                observed=f"missing in {counts[0]:,} rows of the left and {counts[1]:,} of the right",
                hint=f"Leave them out first: .dropna(subset=[{one!r}]).",
            )


@rule(
    "J10py",
    operator="Compute",
    detects="a merge that names no key and takes every column with the same name for one",
    evidence="all columns of both sides (complete)",
    action="advise",
    reference="catalogue J10",
)
def unnamed_keys(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when more than one column is shared and none is named as key."""
    said = {"on", "left_on", "right_on", "left_index", "right_index", "how"}
    for fact, left, right in _merges(invocation, knowledge):
        given = len(fact.args) - (1 if fact.name == "pandas.merge" else 0)
        keys = [word.arg for word in fact.node.keywords if word.arg in said - {"how"}]
        if keys or given > 2 or not (left.whole and right.whole) or (_join(fact) or _CROSS).how == "cross":
            continue
        shared = [name for name in left.fields if name in right.fields]
        if len(shared) > 1:
            yield Finding(
                "J10py",
                "advise",
                f"{brief(fact.node)} names no key: rows must agree in all of {', '.join(shared)}.",
                observed=f"{len(shared)} columns have the same name on both sides; {place(fact.node)}",
                hint="Say on=[…] with the key.",
            )


@rule(
    "J13py",
    operator="Compute",
    detects="values put beside each other by position or label that come from different rows",
    evidence="how the rows of both were selected, and null counts (complete)",
    action="advise",
    reference="catalogue J13",
)
def misaligned(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when two columns lose their missing values apart and are then paired by position."""
    for fact in followed(invocation, knowledge).of(Called):
        if fact.name.rpartition(".")[2] not in (
            "pearsonr",
            "spearmanr",
            "kendalltau",
            "linregress",
            "ttest_rel",
        ):
            continue
        pair = [value for value in fact.args[:2] if isinstance(value, Series) and value.dropped]
        if len(pair) == 2 and pair[0].rows.labels != pair[1].rows.labels:
            yield Finding(
                "J13py",
                "advise",
                f"{brief(fact.node)} pairs values by position, but each side lost its own missing rows.",
                observed=f"dropna() is called on each column by itself; {place(fact.node)}",
                hint="Drop rows once for both: df.dropna(subset=[a, b]), then take the columns.",
            )


@rule(
    "J14py",
    operator="Compute",
    detects="frames stacked whose columns differ in writing only, so that each half is missing",
    evidence="all columns of the frames (complete)",
    action="advise",
    reference="catalogue J14",
)
def stacked_columns(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise when two columns of a stacked frame are one, written in two ways."""
    for fact in followed(invocation, knowledge).of(Called):
        given = fact.args[0] if fact.args else None
        if (
            fact.name != "pandas.concat"
            or not isinstance(given, Listed)
            or not isinstance(fact.result, Frame)
        ):
            continue
        frames = [one for one in given.items if isinstance(one, Frame) and one.whole]
        if len(frames) < 2:
            continue
        for name in frames[0].fields:
            for frame in frames[1:]:
                other = next((one for one in frame.fields if fold(one) == fold(name) and one != name), None)
                if other is not None and name not in frame.fields and other not in frames[0].fields:
                    yield Finding(
                        "J14py",
                        "advise",
                        f"{brief(fact.node)} keeps {name!r} and {other!r} apart: each is missing in a part.",
                        observed=place(fact.node),
                        hint=f"Rename one first: .rename(columns={{{other!r}: {name!r}}}).",
                    )
