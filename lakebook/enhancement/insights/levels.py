"""What categories say: highest and lowest, ties as ties, what differs, what stands apart, what few hold.

Drawn heights do not tell how many rows stand behind them: a difference is called one only where the columns
were
found that give all drawn values, and their rows pass a test (`lakebook.analyst.methods.shown_origin`).
"""

from __future__ import annotations

import math

from lakebook.analyst.phrases import holds
from lakebook.analyst.play import ClaimDraft
from lakebook.analyst.plays.wording import all_of, size_score
from lakebook.enhancement.insights.place import Place, Said, number, number_format, say

_MOST_TIED = 4


def extremes(place: Place) -> Said | None:
    """Say which category is highest and which lowest, where the figure tells what is measured."""
    series = place.series
    if series.mark not in ("bar", "barh", "box") or len(series.labels) != len(series.y):
        return None
    values = [value for value in series.y if not math.isnan(value)]
    if len(values) < 2 or len(values) < len(series.y) or number(max(values)) == number(min(values)):
        return None
    axis = _axis(place)
    subject, claims = place.subject(axis)
    category = _category(place, "x" if axis == "y" else "y", claims)
    if not subject or category is None:
        return None
    top, low = _end(place, "top", max(values), claims), _end(place, "low", min(values), claims)
    if top is None or low is None or (min(top[1], low[1]) > 1 and top[1] + low[1] == len(values)):
        return None
    what = " median," if series.mark == "box" else ""
    text = (
        f"{subject.rstrip(',')}{',' if what else ''}{what.rstrip(',')}: {category}{{top}} {top[0]} with "
        f"{{top_value}}, "
        f"{category}{{low}} {low[0]} with {{low_value}}"
    )
    if len(values) > 2:
        text += ", of {count} drawn"
        claims.append(place.count("count", f"len({place.path}['y'])"))
    origin = place.facts("origin")
    if origin.get("alike"):
        text += "; {alike} of the {rows:,d} rows behind them"
        path = f'{place.writer("origin").key}["alike"]'
        claims.append(holds("alike", path, "no difference beyond chance is in the medians", absence=True))
        claims.append(ClaimDraft("rows", f'{place.writer("origin").key}["rows"]', ",d"))
    overlap = series.mark != "box" and _overlap(place, values)
    if overlap and not origin:
        text += "; {overlap}"
        ends = f"np.nanargmax({place.y}), np.nanargmin({place.y})"
        test = f"(lambda t, b: bool({place.path}['low'][t] <= {place.path}['high'][b]))({ends})"
        claims.append(holds("overlap", test, "the intervals drawn about the two overlap"))
    ratio = max(values) / min(values) if min(values) > 0 else 2.0
    if origin.get("additive") and not origin.get("lead_sure") and len(values) == 2:
        return None
    strength = 0.25 + 0.2 * size_score(ratio - 1, 0.05, 1.0)
    return Said(
        say(place.writer(), text + ".", claims), strength * (0.5 if origin.get("alike") or overlap else 1.0)
    )


def _overlap(place: Place, values: list[float]) -> bool:
    """Tell whether the error bars of the highest and the lowest category reach each other."""
    low, high = place.series.low, place.series.high
    if len(low) != len(values) or len(high) != len(values):
        return False
    return low[values.index(max(values))] <= high[values.index(min(values))]


def _end(place: Place, name: str, value: float, claims: list[ClaimDraft]) -> tuple[str, int] | None:
    """Claim the categories at one end with their value; returns the verb phrase and their number."""
    which = "max" if name == "top" else "min"
    tied = (
        f"[n for n, v in zip({place.path}['labels'], {place.path}['y']) if np.isclose(v, "
        f"np.nan{which}({place.y}))]"
    )
    names = [
        n
        for n, v in zip(place.series.labels, place.series.y, strict=True)
        if math.isclose(v, value, rel_tol=1e-5)
    ]
    if len(names) > _MOST_TIED:
        return None
    claims += [
        ClaimDraft(name, all_of(tied), kind="label"),
        place.value(f"{name}_value", f"np.nan{which}({place.y})", value),
    ]
    word = "highest" if name == "top" else "lowest"
    if len(names) == 1:
        return (f"is {word}" if name == "top" else word), 1
    return (f"are level as {word}" if name == "top" else f"level as {word}"), len(names)


def difference(place: Place) -> Said | None:
    """Say by how much the medians behind the highest and the lowest category differ, with the interval."""
    origin = place.facts("origin")
    axis = _axis(place)
    subject, claims = place.subject(axis)
    if origin.get("word") != "differ" or not subject or origin.get("merged") or origin["shift_low"] <= 0:
        return None
    writer, spec = place.writer("origin"), number_format(origin["shift"])
    text = (
        f"{subject.rstrip(',')}: {{top}} is {{word}} than {{bottom}}, by {{shift}} (median of all pairs, "
        f"interval "
        "{shift_low} to {shift_high}"
    )
    text += ", over {independent:,d} independent units)" if origin["independent"] < origin["rows"] else ")"
    drawn = place.of_series()
    if origin["top"] not in drawn.get("top", ()) or origin["bottom"] not in drawn.get("low", ()):
        text += "; they are the ends by median, not by what is drawn"
    draft = say(
        writer,
        text + ".",
        claims,
        word=writer.word("word", '$["word"] == "differ" and $["shift_low"] > 0', "typically higher"),
        **{name: writer.part(name, f'$["{name}"]', spec) for name in ("shift", "shift_low", "shift_high")},
    )
    return Said(draft, 0.55 + 0.3 * size_score(origin["effect"], 0.02, 0.25))


def concentration(place: Place) -> Said | None:
    """Say how much the first fifth of the categories hold, where sums or counts are drawn."""
    facts, origin = place.of_series(), place.facts("origin")
    subject, claims = place.subject(_axis(place))
    if not facts.get("concentrated") or not origin.get("additive") or not subject:
        return None
    writer = place.writer()
    text = (
        f"{subject.rstrip(',')} is {{word}}: {{fifth:,d}} of the {{count:,d}} drawn hold "
        f"{{fifth_share:.0%}} of it."
    )
    draft = say(writer, text, claims, word=writer.word("word", '$["concentrated"]', "concentrated"))
    return Said(draft, 0.6 + 0.2 * size_score(facts["gini"], 0.4, 0.8))


def apart(place: Place) -> Said | None:
    """Name the one category that stands apart from all others."""
    facts = place.facts("apart")
    subject, claims = place.subject(_axis(place))
    if not facts or not subject or place.series.mark not in ("bar", "barh", "box"):
        return None
    writer, spec = place.writer("apart"), number_format(facts["value"])
    text = (
        f"{subject.rstrip(',')}: {{name}} stands {{word}} with {{value}}; the other {{rest:,d}} lie between "
        "{rest_low} and {rest_high}."
    )
    draft = say(
        writer,
        text,
        claims,
        word=writer.word("word", 'bool($["name"])', "apart"),
        **{name: writer.part(name, f'$["{name}"]', spec) for name in ("value", "rest_low", "rest_high")},
    )
    return Said(draft, 0.65)


def share(place: Place) -> Said | None:
    """Say which wedge is largest, and whether it is more than half."""
    facts = place.of_series()
    values = list(place.series.y)
    if place.series.mark != "wedge" or len(values) < 2 or not place.series.labels or not facts:
        return None
    printed = [format(value, ".1%") for value in values]
    if printed.count(format(max(values), ".1%")) > 1:
        return None
    writer = place.writer()
    text = "The largest share of the {count:,d} drawn is that of {top}, {share:.1%}"
    words = {}
    if facts["share"] > 0.5 and len(values) > 2:
        text += ", {word} of the whole"
        words["word"] = writer.word("word", '$["share"] > 0.5', "more than half")
    top = writer.part("top", '$["top"][0]')
    return Said(say(writer, text + ".", [], top=top, **words), 0.4)


def _axis(place: Place) -> str:
    """Return the axis along which the values run."""
    return "x" if place.series.mark == "barh" or place.series.lying else "y"


def _category(place: Place, axis: str, claims: list[ClaimDraft]) -> str | None:
    """Return what stands before a category that is a mere number, such as a month; None if nothing tells."""
    if not all(label.replace(".", "").replace("-", "").isdigit() for label in place.series.labels):
        return ""
    words, named = place.named(axis)
    claims += named
    return f"{words} " if words else None
