"""T04, T05: is there a trend, and did the level shift.

What belongs here: lasting change of one series. Paper: NotebookRAG §4.2; notes on plays, §3 T and §8.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lakebook.analyst.intent import Intent, IntentKind
from lakebook.analyst.phrases import everywhere, short_title
from lakebook.analyst.play import (
    Candidate,
    Cells,
    Facts,
    Family,
    FindingDraft,
    FindingVerdict,
    InsightDraft,
    Play,
    Proposal,
)
from lakebook.analyst.plays.series import ADJECTIVES, Measure, propose_series, unweighted
from lakebook.analyst.plays.wording import Writer, certainty, not_enough, size_score, start, tests
from lakebook.analyst.table import Table

Seen = Mapping[str, Any]


class Trend:
    """T04: the change a year, with an interval that knows about persistence."""

    id = "T04"
    title = "Trend"
    family: Family = "time"
    relevance: Mapping[IntentKind, float] = everywhere(0.4, forecast=0.8, compare=0.7, describe=0.6)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the main measures."""
        return propose_series(self.id, "trend_of", table, intent, 10)

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Estimate the slope."""
        measure, key = Measure.read(candidate.params), candidate.key
        code = f"""
{measure.code(key, table.structure.time)}
{key} = trend({key}_series, {measure.step!r})
pd.Series({key}).to_frame("value")
"""
        return Cells(code.strip(), ("time_series", "trend", "trend_line", "draw_lines"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say whether it rises, falls, or neither."""
        measure = Measure.read(candidate.params)
        seen: Seen = facts
        writer, what = Writer(candidate.key, facts), measure.title
        goal = f"Does {measure.phrase} rise or fall?"
        method = (
            "Theil-Sen slope after taking out the season (where a test finds one); interval (95 %) from "
            "blocks of "
            "residuals and from simulated series of the same persistence, whichever is wider; p from the "
            "latter."
        )
        if not seen["enough"]:
            return not_enough(goal, method, f"a trend of {what}", "it takes at least ten values that vary")
        word = trend_word(seen)
        shaky = bool(word) and seen["rho"] > 0.6 and seen["points"] < 100
        verdict: FindingVerdict = "not_supported" if not word else "suggestive" if shaky else "supported"
        insights = [_slope(writer, measure, word)]
        if seen["bent"]:
            text = (
                "The direction turned: {first_half_slope:auto} a year in the first half, "
                "{second_half_slope:auto} in "
                "the second, so one slope does not describe the whole."
            )
            insights.append(writer.say(text, caution=True))
        if seen["uneven"]:
            text = (
                "The pace is uneven: {first_half_slope:auto} a year in the first half, "
                "{second_half_slope:auto} in "
                "the second; the slope is an average over both."
            )
            insights.append(writer.say(text, caution=True))
        if seen["rho"] > 0.5:
            text = (
                "Neighbouring values are alike (correlation {rho:.2f} after taking out trend and season), "
                "so there is "
                "much less information than {points:,d} values suggest."
            )
            insights.append(writer.say(text, caution=True))
        insights += unweighted(measure)
        return FindingDraft(
            title=short_title(
                f"{start(what)} {word} over the years" if word else f"{start(what)} has no clear trend"
            ),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict=verdict,
            effect=size_score(seen["change_share"], 0.05, 0.5),
            reliability=certainty(seen["p"]) * (0.5 if seen["bent"] or shaky else 1.0),
            tests=tests(self.id, [(what, seen["p"], seen["points"])]),
            population=measure.population(table),
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the series in grey and the trend in blue, if there is one."""
        measure, key = Measure.read(candidate.params), candidate.key
        seen: Seen = facts
        if not seen["enough"] or not trend_word(seen) or seen["uneven"]:
            return ""
        title = self.read(candidate, facts, table, Intent("", "describe")).title
        return f"""
{key}_line = trend_line({key}_series, {measure.step!r}, {key}["slope"])
draw_lines(
    {{"trend": {key}_line, {ADJECTIVES[measure.step]!r}: {key}_series}},
    title={title!r}, ylabel={measure.axis!r}, highlight=("trend",),
)
""".strip()


def trend_word(seen: Seen) -> str:
    """Return "rises" or "falls" if interval, p-value and size all say so, else ""."""
    if seen["p"] >= 0.05 or abs(seen["change_share"]) < 0.05:
        return ""
    return "rises" if seen["low"] > 0 else "falls" if seen["high"] < 0 else ""


def _slope(writer: Writer, measure: Measure, word: str) -> InsightDraft:
    small = '$["p"] < 0.05 and abs($["change_share"]) >= 0.05'
    predicates = {
        "rises": f'$["low"] > 0 and {small}',
        "falls": f'$["high"] < 0 and {small}',
        "": f'not (({small}) and ($["low"] > 0 or $["high"] < 0))',
    }
    claim = writer.word("direction", predicates[word], word or "no clear trend")
    if word:
        size = ", {share:+.1%} of its median level; over {span_years:.1f} years that is {change_share:+.0%}."
        text = (
            f"The {measure.words} {{direction}} by {{slope:auto}} a year (interval {{low:auto}} to "
            "{high:auto}, p {p:p})" + (size if abs(float(str(writer.facts["share"]))) < 1 else ".")
        )
    else:
        text = (
            f"The {measure.words} has {{direction}}: {{slope:auto}} a year, with an interval from "
            f"{{low:auto}} to "
            "{high:auto} (p {p:p})."
        )
    return writer.say(text, direction=claim)


class LevelShift:
    """T05: lasting shifts of the level, dated only where they can be told from drift."""

    id = "T05"
    title = "Shifts of the level"
    family: Family = "time"
    relevance: Mapping[IntentKind, float] = everywhere(0.3, forecast=0.7, anomaly=0.8, compare=0.4)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the main measure of a table with forty steps."""
        return propose_series(self.id, "shift_of", table, intent, 40)

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Search for shifts."""
        measure, key = Measure.read(candidate.params), candidate.key
        code = f"""
{measure.code(key, table.structure.time)}
{key}, {key}_level = level_shift({key}_series, {measure.step!r})
pd.DataFrame({key}.get("shifts", []))
"""
        return Cells(code.strip(), ("time_series", "level_shift", "draw_lines"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Date the largest shift, or say why none is dated."""
        measure = Measure.read(candidate.params)
        seen: Seen = facts
        writer, what = Writer(candidate.key, facts), measure.title
        goal = f"Did the level of {measure.phrase} shift for good?"
        method = (
            "The persistence is estimated first. Up to a lag-one correlation of 0.7 the series is "
            "prewhitened and cut "
            "by PELT; a cut must be stable at half and double the penalty and exceed what simulated series "
            "show. "
            "Above, shift and slow drift cannot be separated, and nothing is dated as a fact."
        )
        if not seen["enough"]:
            return not_enough(goal, method, f"shifts of {what}", "it takes at least forty values that vary")
        found = seen["count"] > 0 and seen["p"] <= 0.05
        trending = found and _staircase(seen)
        verdict: FindingVerdict = "not_supported"
        if found:
            verdict = "supported" if seen["firm"] and not trending else "suggestive"
        insights = [_shift(writer, measure, seen) if found else _no_shift(writer, measure, seen)]
        if trending:
            text = "All {count:d} shifts go the same way, which a steady trend would look like too."
            insights.append(writer.say(text, caution=True))
        if found:
            insights.append(
                InsightDraft(
                    "The table does not say what happened at that time; that lies outside it.", (), True
                )
            )
        top = seen["shifts"][0] if found else {"sd": 0.0}
        way = "up" if top["sd"] > 0 else "down"
        return FindingDraft(
            title=short_title(
                f"The level of {what} moved {way} and stayed there" if verdict == "supported"
                else f"The level of {what} may have shifted {way}" if found
                else f"No shift of {what} can be told from drift"
            ),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict=verdict,
            effect=size_score(top["sd"], 1, 3),
            reliability=0.6 if verdict == "supported" else 0.3,
            tests=tests(self.id, [(what, seen["p"], seen["points"])]),
            population=measure.population(table),
        )  # fmt: skip

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the series in grey and the level of each stretch in blue."""
        measure, key = Measure.read(candidate.params), candidate.key
        seen: Seen = facts
        if not seen["enough"] or seen["count"] == 0 or seen["p"] > 0.05:
            return ""
        title = self.read(candidate, facts, table, Intent("", "describe")).title
        return f"""
draw_lines(
    {{"level": {key}_level, {ADJECTIVES[measure.step]!r}: {key}_series}},
    title={title!r}, ylabel={measure.axis!r}, highlight=("level",),
)
""".strip()


def _staircase(seen: Seen) -> bool:
    signs = {shift["sd"] > 0 for shift in seen["shifts"]}
    return len(seen["shifts"]) > 1 and len(signs) == 1


def _shift(writer: Writer, measure: Measure, seen: Seen) -> InsightDraft:
    before, after = seen["shifts"][0]["before"], seen["shifts"][0]["after"]
    shown = {"before": abs(before), "after": abs(after)}
    spec = ",.0f" if max(shown.values()) >= 1000 else ",.3f" if max(shown.values()) < 10 else ",.1f"
    text = (
        f"The largest shift of the {measure.words} (season taken out) is at {{date}}: from {{before}} to "
        f"{{after}} "
        "({change}), {sd} residual standard deviations. {sure}."
    )
    sure = (
        writer.word(
            "sure",
            '$["firm"] and $["p"] <= 0.05',
            "No simulated series of the same persistence shows one as large",
        )
        if seen["firm"]
        else writer.word("sure", 'not $["firm"]', "At this persistence it cannot be told from slow drift")
    )
    return writer.say(
        text,
        date=writer.part("date", '$["shifts"][0]["date"]'),
        before=writer.part("before", '$["shifts"][0]["before"]', spec),
        after=writer.part("after", '$["shifts"][0]["after"]', spec),
        change=writer.part("change", '$["shifts"][0]["change"]', "+.0%"),
        sd=writer.part("sd", 'abs($["shifts"][0]["sd"])', ".1f"),
        sure=sure,
    )


def _no_shift(writer: Writer, measure: Measure, seen: Seen) -> InsightDraft:
    if seen["rho"] > 0.7:
        text = (
            f"The {measure.words} is persistent (correlation of neighbours {{rho:.2f}}): {{drift}}, so no "
            f"date of a "
            "break is given."
        )
        claim = writer.word("drift", '$["rho"] > 0.7', "a shift cannot be separated from slow drift")
        return writer.say(text, drift=claim)
    text = f"{{none}} is found in the {measure.words} (correlation of neighbours {{rho:.2f}})."
    return writer.say(text, none=writer.word("none", '$["count"] == 0 or $["p"] > 0.05', "No lasting shift"))


TREND_PLAYS: tuple[Play, ...] = (Trend(), LevelShift())
