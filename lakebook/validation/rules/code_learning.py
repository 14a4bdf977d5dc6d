"""Rules on chance and on learning in Python code: results that change, and models that see the answer."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lakebook.operators.record import Finding
from lakebook.validation.code.facts import Called, brief, place
from lakebook.validation.code.interpreter import followed
from lakebook.validation.code.values import Constant, Frame, Learner, Series
from lakebook.validation.invocation import Invocation
from lakebook.validation.knowledge import Knowledge
from lakebook.validation.registry import rule

_BY_CHANCE = (
    "RandomForest",
    "KMeans",
    "MLP",
    "GradientBoosting",
    "ExtraTrees",
    "IsolationForest",
    "ShuffleSplit",
)
_LEARNT_FROM_DATA = ("Scaler", "Imputer", "PCA", "TargetEncoder", "SelectKBest", "Normalizer", "Transformer")


@rule(
    "O4py",
    operator="Compute",
    detects="a result that depends on chance, with no seed",
    evidence="the code alone",
    action="advise",
    reference="catalogue O4",
)
def unseeded(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Advise on samples, splits and models without random_state."""
    facts = followed(invocation, knowledge).of(Called)
    kept = _kept(invocation)
    if any(fact.name in ("numpy.random.seed", "random.seed", "numpy.random.default_rng") for fact in facts):
        return
    for fact in facts:
        last = fact.name.rpartition(".")[2]
        by_chance = last == "train_test_split" or any(last.startswith(one) for one in _BY_CHANCE)
        sampled = last == "sample" and isinstance(fact.receiver, (Frame, Series)) and fact.node in kept
        fixed = fact.named.get("shuffle") == Constant(False)
        if (by_chance or sampled) and "random_state" not in fact.named and not fixed:
            yield Finding(
                "O4py",
                "advise",
                f"{brief(fact.node)} gives something else at each run.",
                observed=place(fact.node),
                hint="Say random_state=….",
            )


def _kept(invocation: Invocation) -> set[ast.AST]:
    """Return what stands in statements that keep a value; a sample that is only shown does no harm."""
    nodes = ast.walk(invocation.tree) if invocation.tree is not None else ()
    stores = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)
    return {inner for node in nodes if isinstance(node, stores) for inner in ast.walk(node)}


@rule(
    "O17py",
    operator="Compute",
    detects="a target among the features, or what is learnt from all rows before they are split",
    evidence="the columns of features and target, and the order of the calls",
    action="reject",
    reference="catalogue O17",
)
def leakage(invocation: Invocation, knowledge: Knowledge) -> Iterator[Finding]:
    """Reject features that hold the target; advise on a scaler that is fitted before the split."""
    fitted: Called | None = None
    for fact in followed(invocation, knowledge).of(Called):
        if fact.name == "fit_transform" and isinstance(fact.receiver, Learner) and not fact.maybe:
            learnt = any(one in fact.receiver.path for one in _LEARNT_FROM_DATA)
            fitted = fitted or (fact if learnt else None)
        if not fact.name.endswith("train_test_split"):
            continue
        if fitted is not None:
            yield Finding(
                "O17py",
                "advise",
                f"{brief(fitted.node)} learns from all rows, the test rows with them.",
                observed=f"{place(fitted.node)}, before the split in {place(fact.node)}",
                hint="Split first, fit on the training rows, then transform both.",
            )
            fitted = None
        yield from _target_among(fact)


def _target_among(fact: Called) -> Iterator[Finding]:
    if len(fact.args) < 2:
        return
    features, target = fact.args[0], fact.args[1]
    if not isinstance(features, Frame) or not isinstance(target, Series):
        return
    name = target.name
    if features.whole and name in features.fields and features.fields[name] == target.field:
        yield Finding(
            "O17py",
            "reject",
            f"The target {name!r} is among the features.",
            observed=f"{place(fact.node)}: {brief(fact.node)}",
            hint=f"Leave it out: df.drop(columns=[{name!r}]).",
        )
        return
    made_from = sorted((target.field.of - {name}) & features.fields.keys()) if features.whole else []
    if made_from and target.field.origin is None:
        yield Finding(
            "O17py",
            "advise",
            f"The target {name!r} is made from {', '.join(made_from)}, which is among the features.",
            observed=place(fact.node),
            hint="Leave out what the target is made from.",
        )
