"""What two things do together: a scatter, a heat map of correlations, two lines; and the shape of one column.

A relation is told for as many points as are independent, not for as many as are drawn.
"""

from __future__ import annotations

import math

from lakebook.analyst.phrases import holds
from lakebook.analyst.plays.choices import linked_pairs
from lakebook.analyst.plays.wording import size_score
from lakebook.enhancement.insights.place import Place, Said, number, number_format, say

_RELATED = {"together": "rise together", "against": "move against each other"}


def relation(place: Place) -> Said | None:
    """Say how the ranks of a scatter's points go together, or that they surely do not."""
    facts = place.of_series()
    if place.series.mark != "point" or not facts or any(one.mark == "box" for one in place.axes.series):
        return None
    (x_name, x_claims), (y_name, y_claims) = place.named("x"), place.named("y")
    if not x_name or not y_name or not (facts["word"] or facts["none"]):
        return None
    writer = place.writer()
    of_series, claims = "", [*x_claims, *y_claims]
    if len(place.same) > 1:
        if not place.series.label.strip():
            return None
        of_series = " of {series}"
        claims.append(place.label("series", f"{place.path}['label']"))
    if facts["word"]:
        word = holds("word", f'{writer.key}["word"] == "{facts["word"]}"', _RELATED[facts["word"]])
    else:
        word = holds("word", f'{writer.key}["none"]', "go together hardly or not at all", absence=True)
    text = (
        f"{x_name} and {y_name} {{word}}: the rank correlation over the {{points:,d}} points "
        f"drawn{of_series} is "
        "{rho:.2f} (interval {low:.2f} to {high:.2f}"
    )
    if facts["independent"] < 0.5 * facts["points"]:
        text += ", as for {independent:,d} independent points"
    strength = 0.8 * size_score(facts["rho"], 0.2, 0.7) if facts["word"] else 0.35
    return Said(say(writer, text + ").", claims, word=word), strength)


def correlations(place: Place) -> Said | None:
    """Say which two columns of a heat map go together most, unless they do by construction."""
    facts = place.facts("correlations")
    if not facts.get("word") or sorted(facts["columns"]) in linked_pairs(place.table):
        return None
    writer = place.writer("correlations")
    text = (
        "The {word} of the {pairs:,d} correlations drawn is that of {one} and {other}, {r:.2f} (interval "
        "{low:.2f} "
        "to {high:.2f})."
    )
    draft = say(writer, text, [], word=writer.word("word", '$["word"] == "strongest"', "strongest"))
    return Said(draft, 0.6 * size_score(facts["r"], 0.2, 0.7))


def lines_apart(place: Place) -> Said | None:
    """Say that one line lies above another, by how much on average, with the interval."""
    facts = place.between()
    if place.number != 0 or facts.get("word") != "above":
        return None
    quantity, claims = place.quantity("y")
    if not quantity:
        return None
    writer, spec = place.between_writer(), number_format(facts["gap"])
    among = ", the highest and the lowest of {lines:,d}," if facts["lines"] > 2 else ""
    text = (
        f"{quantity}: {{top}} lies {{word}} {{low}}{among} by {{gap}} on average (interval {{gap_low}} to "
        f"{{gap_high}}), "
        "at {above:,d} of {places:,d} places."
    )
    draft = say(
        writer,
        text,
        claims,
        word=writer.word("word", '$["word"] == "above"', "above"),
        **{name: writer.part(name, f'$["{name}"]', spec) for name in ("gap", "gap_low", "gap_high")},
    )
    level = abs(facts["low_mean"]) or 1.0
    return Said(draft, 0.8 * size_score(facts["gap"] / level, 0.05, 0.5))


def line_ends(place: Place) -> Said | None:
    """Say which of several named lines ends highest and which lowest, where all end at the same place."""
    lines = [one for one in place.axes.series if one.mark == "line"]
    if (
        place.series.mark != "line"
        or place.number != 0
        or len(lines) < 2
        or len(lines) != len(place.axes.series)
    ):
        return None
    if len({one.label.strip() for one in lines} - {""}) != len(lines) or "stacked" in {
        one.shape for one in lines
    }:
        return None
    if min(len(one.y) for one in lines) < 3 or len({one.x[-1] for one in lines}) > 1:
        return None
    ends = [one.y[-1] for one in lines]
    if any(map(math.isnan, ends)) or number(max(ends)) == number(min(ends)):
        return None
    if ends.count(max(ends)) > 1 or ends.count(min(ends)) > 1:
        return None
    quantity, claims = place.quantity("y")
    found = place.where()
    if not quantity or found is None:
        return None
    at, named, where = found
    all_ends = f"[one['y'][-1] for one in {place.on}['series']]"
    names = f"{place.on}['series'][int(np.{{which}}({all_ends}))]['label']"
    text = (
        f"{quantity}: at {at}{{end}}, where the {{count}} lines end, {{top}} is highest with {{top_value}} "
        "and {low} lowest with {low_value}."
    )
    claims += [
        *named,
        where("end", "-1"),
        place.count("count", f"len({place.on}['series'])"),
        place.label("top", names.format(which="argmax")),
        place.value("top_value", f"max({all_ends})", max(ends)),
        place.label("low", names.format(which="argmin")),
        place.value("low_value", f"min({all_ends})", min(ends)),
    ]
    return Said(say(place.writer(), text, claims), 0.15, fallback=True)


def shape(place: Place) -> Said | None:
    """Say where half of a histogram's column lies and which way it leans, else where it is tallest."""
    facts = place.of_series()
    if place.series.mark != "bar" or place.series.labels or not facts.get("bars"):
        return None
    x_name, claims = place.quantity("x")
    if not x_name or len(place.same) > 1:
        return None
    writer = place.writer()
    if facts.get("column"):
        spec = number_format(max(abs(facts["q1"]), abs(facts["q3"])))
        text = (
            f"{x_name}: half of the {{points:,d}} values lie between {{q1}} and {{q3}}, the median is "
            f"{{median}}"
        )
        words = {}
        if facts["leans"]:
            text += "; {word}"
            side = f"the longer tail is on the {facts['leans']}"
            words["word"] = writer.word("word", f'$["leans"] == "{facts["leans"]}"', side)
        parts = {name: writer.part(name, f'$["{name}"]', spec) for name in ("q1", "q3", "median")}
        return Said(say(writer, text + ".", claims, **parts, **words), 0.5 if facts["leans"] else 0.4)
    if facts["tallest"] > 1:
        return None
    spec = number_format(max(abs(facts["low"]), abs(facts["high"])))
    text = (
        f"{x_name}: values are most frequent between {{low}} and {{high}}, the tallest of {{bars:,d}} bars."
    )
    ends = {name: writer.part(name, f'$["{name}"]', spec) for name in ("low", "high")}
    return Said(say(writer, text, claims, **ends), 0.3)
