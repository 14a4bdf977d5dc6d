"""What a line over time does: trend, season, shift, unusual point, gap.

Each word is in the facts only where its test holds under autocorrelation
(`lakebook.analyst.methods.shown_time`);
the sentence gives the estimate with its interval. Nothing is said of a line without any.
"""

from __future__ import annotations

from lakebook.analyst.plays.wording import certainty, size_score
from lakebook.enhancement.insights.place import Place, Said, number_format, say

_STEPS = {
    "hour": "hours",
    "day": "days",
    "week": "weeks",
    "month": "months",
    "quarter": "quarters",
    "year": "years",
}


def trend(place: Place) -> Said | None:
    """Say that the line rises or falls, by how much over its span, with the interval."""
    facts = place.facts("trend")
    subject, claims = place.subject()
    if not facts.get("word") or not subject:
        return None
    writer, steps = place.writer("trend"), _STEPS[place.of_series()["step"]]
    spec = number_format(facts["change"])
    share = abs(facts["change_share"]) < 10
    text = (
        f"{subject} {{direction}} over the {{points:,d}} {steps} drawn, by {{change}}"
        + (" ({change_share:.0%} of its median level" if share else " (")
        + ("; " if share else "")
        + "interval {change_low} to {change_high})."
    )
    draft = say(
        writer,
        text,
        claims,
        direction=writer.word("direction", f'$["word"] == "{facts["word"]}"', facts["word"]),
        change=writer.part("change", 'abs($["change"])', spec.removeprefix("+")),
        change_low=writer.part("change_low", '$["change_low"]', spec),
        change_high=writer.part("change_high", '$["change_high"]', spec),
    )
    return Said(draft, 0.9 * size_score(facts["change_share"], 0.05, 0.5) * certainty(facts["p"]))


def season(place: Place) -> Said | None:
    """Say that a calendar season repeats, and when it peaks if that is sure."""
    facts = place.facts("season")
    subject, claims = place.subject()
    if not facts.get("word") or not subject:
        return None
    writer = place.writer("season")
    ends = []
    if facts["peak_sure"]:
        ends.append("highest in {peak}")
    if facts["trough_sure"]:
        ends.append("lowest in {trough}")
    when = " and ".join(ends) if ends else "when it peaks is not settled"
    text = (
        f"{subject} has {{word}} that repeats every {{cycle}}, over {{cycles:.1f}} of them: {when}; peak "
        f"and trough "
        "are {amplitude:auto} apart (interval {amplitude_low:auto} to {amplitude_high:auto})."
    )
    draft = say(writer, text, claims, word=writer.word("word", '$["word"] == "seasonal"', "a season"))
    return Said(draft, 0.85 * size_score(facts["amplitude_share"], 0.05, 0.5) * certainty(facts["p_holm"]))


def shift(place: Place) -> Said | None:
    """Date a lasting shift of the level."""
    facts = place.facts("shift")
    subject, claims = place.subject()
    if not facts.get("word") or not subject:
        return None
    writer, spec = place.writer("shift"), number_format(max(abs(facts["before"]), abs(facts["after"])))
    stays = " and stays there" if facts["count"] == 1 else ", the largest of its {count:,d} shifts"
    text = (
        f"The level of {subject} {{word}} at {{date}}{stays}: from {{before}} to {{after}}, "
        "{size:.1f} residual standard deviations."
    )
    draft = say(
        writer,
        text,
        claims,
        word=writer.word("word", '$["word"] == "shifts"', "shifts"),
        before=writer.part("before", '$["before"]', spec),
        after=writer.part("after", '$["after"]', spec),
        size=writer.part("size", 'abs($["sd"])', ".1f"),
    )
    return Said(draft, 0.8 * size_score(facts["sd"], 1, 3))


def unusual(place: Place) -> Said | None:
    """Name the point farthest from trend and season, if it exceeds what chance gives."""
    facts = place.facts("unusual")
    subject, claims = place.subject()
    if not facts.get("word") or not subject:
        return None
    writer, spec = place.writer("unusual"), number_format(max(abs(facts["value"]), abs(facts["expected"])))
    text = f"{subject} is {{word}} at {{date}}: {{value}}, where its own course gives {{expected}}"
    if facts["count"] > 1:
        text += "; {count:,d} points stand out so"
    draft = say(
        writer,
        text + ".",
        claims,
        word=writer.word(
            "word",
            f'$["word"] == "unusual" and $["side"] == "{facts["side"]}"',
            f"unusually {_SIDES[facts['side']]}",
        ),
        value=writer.part("value", '$["value"]', spec),
        expected=writer.part("expected", '$["expected"]', spec),
    )
    return Said(draft, 0.75 * size_score(facts["z"], 3.5, 8))


_SIDES = {"above": "high", "below": "low"}


def gap(place: Place) -> Said | None:
    """Say where the line has no points."""
    facts = place.facts("gap")
    subject, claims = place.subject()
    if not facts.get("blank") or not subject or place.series.mark != "line":
        return None
    step = place.of_series()["step"]
    text = (
        f"{subject} has no point for {{blank:,d}} of {{steps:,d}} {_STEPS[step]} from its first to its last; "
        "the longest gap is from {after} to {before}."
    )
    draft = say(place.writer("gap"), text, claims)
    return Said(draft, 0.3 + 0.5 * min(1.0, facts["blank"] / facts["steps"] * 5))


def course(place: Place) -> Said | None:
    """Say where a line starts, ends, and is highest: what anyone sees, for want of more."""
    series = place.series
    values = list(series.y)
    if (
        series.mark != "line"
        or series.shape in ("fit", "density", "band", "stacked")
        or len(place.same) > 1
        or any(one.mark in ("bar", "barh") for one in place.axes.series)
    ):
        return None
    if len(values) < 4 or any(value != value for value in values) or values.count(max(values)) > 1:
        return None
    if list(series.x) != sorted(series.x) or len(set(series.x)) < len(series.x):
        return None
    quantity, claims = place.quantity("y")
    found = place.where()
    if not quantity or found is None:
        return None
    at, named, where = found
    text = (
        f"{quantity} goes from {{first}} at {at}{{start}} to {{last}} at {at}{{end}}; "
        f"its highest point is {{peak}}, at {at}{{peak_at}}."
    )
    claims += [
        *named,
        place.value("first", f"{place.path}['y'][0]", values[0]),
        where("start", "0"),
        place.value("last", f"{place.path}['y'][-1]", values[-1]),
        where("end", "-1"),
        place.value("peak", f"np.nanmax({place.y})", max(values)),
        where("peak_at", f"int(np.nanargmax({place.y}))"),
    ]
    return Said(say(place.writer(), text, claims), 0.1, fallback=True)
