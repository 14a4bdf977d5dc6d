"""T01, T02, T09: the course of a measure, its season, and years compared like for like.

What belongs here: plays that describe a series against the calendar. Trends and level shifts are in
`trends`, what a forecast needs in `forecasting`. Paper: NotebookRAG §4.2; notes on plays, §3 T.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from lakebook.analyst.intent import Intent, IntentKind
from lakebook.analyst.phrases import everywhere, short_title
from lakebook.analyst.play import (
    Candidate,
    Cells,
    ClaimDraft,
    Facts,
    Family,
    FindingDraft,
    FindingVerdict,
    InsightDraft,
    Play,
    Proposal,
)
from lakebook.analyst.plays.forecasting import FORECAST_PLAYS
from lakebook.analyst.plays.series import (
    ADJECTIVES,
    Measure,
    propose_series,
    series_length,
    time_span,
    unweighted,
)
from lakebook.analyst.plays.trends import TREND_PLAYS
from lakebook.analyst.plays.wording import Writer, any_of, certainty, not_enough, size_score, start, tests
from lakebook.analyst.table import Table

Seen = Mapping[str, Any]

# How a place in a cycle is said: on Monday, at nine, in March.
_AT = {"week": "on", "day": "at"}


class Timeline:
    """T01: the course of a measure, with gaps left blank."""

    id = "T01"
    title = "Course over time"
    family: Family = "time"
    relevance: Mapping[IntentKind, float] = everywhere(
        0.4, forecast=1.0, describe=0.7, compare=0.6, anomaly=0.7
    )

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the target or the main measure, and one more."""
        return propose_series(self.id, "course_of", table, intent, 12)

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Build the series, its smooth and the level by year."""
        measure, key = Measure.read(candidate.params), candidate.key
        whole = table.structure.period_complete
        years = f", years_to_compare={list(whole)!r}" if len(whole) > 1 else ""
        code = f"""
{measure.code(key, table.structure.time)}
{key}_smooth = smooth({key}_series)
{key}, {key}_years = timeline({key}_series, {measure.step!r}{years})
{key}_years
"""
        return Cells(code.strip(), ("time_series", "smooth", "timeline", "draw_lines"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """State ends, extremes and full years."""
        measure = Measure.read(candidate.params)
        seen: Seen = facts
        writer = Writer(candidate.key, facts)
        goal = f"How did {measure.phrase} develop?"
        method = (
            f"One value a {measure.step}; missing steps stay blank; a LOESS curve over a fifth of the span "
            f"shows the "
            "course. Full years are compared on the steps that both have; intervals (95 %) from a block "
            "bootstrap."
        )
        if not seen["enough"]:
            return not_enough(
                goal, method, f"the course of {measure.title}", "it takes at least a dozen values"
            )
        insights = [
            writer.say(
                f"From {{first}} to {{last}} the {measure.words} has {{points:,d}} values, {{mean:auto}} "
                f"on average. "
                f"It was highest in the {measure.step} of {{high_at}} ({{high:auto}}) and lowest in that of "
                "{low_at} ({low:auto})."
            )
        ]
        word = change_word(seen, "year_")
        if "year_change" in seen:
            insights.insert(0, full_years(writer, word, measure.words))  # the title is on this
        if seen["blank"]:
            text = f"{{blank:,d}} {measure.step}s have no value; they are left blank, not filled in."
            insights.append(writer.say(text, caution=True))
        insights += unweighted(measure)
        titles = {
            "higher": f"{start(measure.title)} is higher in the last full year than in the first",
            "lower": f"{start(measure.title)} is lower in the last full year than in the first",
            "": f"{start(measure.title)} shows no clear change between first and last full year",
        }
        late = _third(seen, "high_at")
        return FindingDraft(
            title=short_title(
                titles[word]
                if "year_change" in seen
                else f"{start(measure.title)} peaked in the {late} third of the time covered"
            ),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported",
            effect=max(0.4, size_score(float(seen.get("year_change", 0.0)), 0.05, 0.5)),
            population=measure.population(table),
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the values in grey and the smooth in blue."""
        if not facts["enough"]:
            return ""
        measure, key = Measure.read(candidate.params), candidate.key
        title = self.read(candidate, facts, table, Intent("", "describe")).title
        return f"""
draw_lines(
    {{"smooth": {key}_smooth, {ADJECTIVES[measure.step]!r}: {key}_series}},
    title={title!r}, ylabel={measure.axis!r}, highlight=("smooth",),
)
""".strip()


def _third(seen: Seen, fact: str) -> str:
    first, last, at = (date.fromisoformat(seen[name]).toordinal() for name in ("first", "last", fact))
    return ("first", "middle", "last")[min(int(3 * (at - first) / max(last - first, 1)), 2)]


def change_word(seen: Seen, prefix: str = "") -> str:
    """Return "higher" or "lower" if a change is at least 5 % with its interval on one side, else ""."""
    low, high = seen.get(f"{prefix}change_low", 0.0), seen.get(f"{prefix}change_high", 0.0)
    if low > 0 and seen[f"{prefix}change"] >= 0.05:
        return "higher"
    return "lower" if high < 0 and seen[f"{prefix}change"] <= -0.05 else ""


def change_claim(writer: Writer, word: str, prefix: str = "") -> ClaimDraft:
    """Draft the direction word of a change."""
    at = f'$["{prefix}change'
    tests_by_word = {
        "higher": f'{at}_low"] > 0 and {at}"] >= 0.05',
        "lower": f'{at}_high"] < 0 and {at}"] <= -0.05',
        "": f'not ({at}_low"] > 0 and {at}"] >= 0.05) and not ({at}_high"] < 0 and {at}"] <= -0.05)',
    }
    return writer.word("change_word", tests_by_word[word], word or "not clearly different")


def full_years(writer: Writer, word: str, what: str) -> InsightDraft:
    """Compare the first and the last full year."""
    size = "({year_change:+.1%}, interval {year_change_low:+.1%} to {year_change_high:+.1%})"
    if float(str(writer.facts["year_change"])) > 2:
        size = "({year_factor:.1f} times as much)"
    text = (
        f"In {{last_year:d}} the {what} is {{year_level_b:auto}} on average, in {{first_year:d}} "
        f"{{year_level_a:auto}}: {{change_word}} {size}."
    )
    return writer.say(text, change_word=change_claim(writer, word, "year_"))


class Season:
    """T02: is there a season, how strong, and when are its peak and trough."""

    id = "T02"
    title = "Season"
    family: Family = "time"
    relevance: Mapping[IntentKind, float] = everywhere(
        0.4, forecast=1.0, describe=0.6, compare=0.4, anomaly=0.6
    )

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the measures of a table that covers a calendar cycle twice."""
        if table.structure.time and time_span(table) < 700 and series_length(table) < 28:
            return Proposal(reason="no season of the calendar is covered twice")
        return propose_series(self.id, "season_of", table, intent, 14)

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Test the calendar's cycles on the series."""
        measure, key = Measure.read(candidate.params), candidate.key
        code = f"""
{measure.code(key, table.structure.time)}
{key}, {key}_profile = seasonality({key}_series, {measure.step!r})
{key}_profile.round(3)
"""
        return Cells(code.strip(), ("time_series", "seasonality", "draw_lines"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say whether there is a season, and when."""
        measure = Measure.read(candidate.params)
        seen: Seen = facts
        writer, what = Writer(candidate.key, facts), measure.title
        goal = f"Does {measure.phrase} follow the calendar?"
        method = (
            "Sine waves of each calendar cycle on a line, judged against simulated series that are as "
            "persistent but "
            "have no season (p adjusted by Holm); strength from a decomposition with a fixed season, "
            "against the "
            "95th percentile of the same simulations. Peak and trough are redrawn over cycles."
        )
        if not seen["enough"]:
            return not_enough(
                goal, method, f"a season of {what}", "no calendar cycle is covered at least twice"
            )
        logged = tests(self.id, [(f"{what}, {t['cycle']}", t["p"], seen["points"]) for t in seen["tests"]])
        verdict: FindingVerdict = "supported" if seen["seasonal"] else "not_supported"
        insights = _season_found(writer, measure, seen) if seen["seasonal"] else [_no_season(writer, measure)]
        when = " and ".join(seen["peak_rivals"]) if len(seen["peak_rivals"]) == 2 else seen["peak"]
        sure = seen["peak_share"] >= 0.8 or len(seen["peak_rivals"]) <= 2
        at = _AT.get(str(seen["cycle"]), "in")
        title = (
            f"{start(what)} peaks {at} {when}" if sure else f"{start(what)} is lowest {at} {seen['trough']}"
        )
        if not sure and seen["trough_share"] < 0.8:
            title = f"{start(what)} has a season of the {seen['cycle']}"
        digits = any(character.isdigit() for character in title)
        if digits:
            title = f"{start(what)} has a season within the {seen['cycle']}"
        return FindingDraft(
            title=short_title(title if seen["seasonal"] else f"{start(what)} shows no clear season"),
            goal=goal,
            method=f"{method} Decomposition used: {seen['how']}.",
            insights=(*insights, *_season_cautions(writer, seen)),
            verdict=verdict,
            effect=size_score(max(0.0, seen["strength"] - seen["strength_by_chance"]), 0.1, 0.5),
            reliability=certainty(seen["p_holm"]) * (1.0 if seen["cycles"] >= 5 else 0.9),
            tests=logged,
            population=measure.population(table),
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw one grey line a cycle and their mean in blue."""
        measure, key = Measure.read(candidate.params), candidate.key
        seen: Seen = facts
        if not seen["enough"]:
            return ""
        title = self.read(candidate, facts, table, Intent("", "describe")).title
        last = 6 if seen["cycle"] == "year" else 0
        others = f"{key}_plot.columns[-{last}:]" if last else "[]"
        return f"""
{key}_plot = {key}_profile.drop(columns="mean").rename(columns=str).reset_index(drop=True)
{key}_plot = {key}_plot.dropna(axis="columns")  # cycles that are covered from end to end
{key}_lines = {{"mean": {key}_profile["mean"].reset_index(drop=True)}}
{key}_lines |= {{name: {key}_plot[name] for name in {others}}}
ax = draw_lines(
    {key}_lines, title={title!r}, ylabel={f"{measure.axis}, trend taken out"!r}, highlight=("mean",),
)
{key}_marks = range(0, len({key}_profile), max(1, len({key}_profile) // 12))
ax.set_xticks({key}_marks, [name[:3 if name.isalpha() else 5] for name in {key}_profile.index[{key}_marks]])
""".strip()


def _season_found(writer: Writer, measure: Measure, seen: Seen) -> list[InsightDraft]:
    strong = seen["strength"] >= 0.6 and seen["cycles"] >= 5
    word = (
        writer.word(
            "seasonal", '$["seasonal"] and $["strength"] >= 0.6 and $["cycles"] >= 5', "strong season"
        )
        if strong
        else writer.word("seasonal", '$["seasonal"]', "season")
    )
    first = writer.say(
        f"The {measure.words} has a {{seasonal}} within the {{cycle}}: strength {{strength:.2f}}, where "
        f"chance reaches "
        "{strength_by_chance:.2f} at most (p {p_holm:p}).",
        seasonal=word,
    )
    peak, trough = _season_name(writer, "peak", seen), _season_name(writer, "trough", seen)
    at = _AT.get(str(seen["cycle"]), "in")
    second = writer.say(
        f"With the trend taken out, it is highest {at} {{peak_name}} and lowest {at} {{trough_name}}; "
        "from {trough} "
        "to {peak} "
        "the mean rises by {amplitude:auto} (interval {amplitude_low:auto} to {amplitude_high:auto}), "
        "{amplitude_share:.0%} of the average level.",
        peak_name=peak,
        trough_name=trough,
    )
    return [first, second]


def _season_name(writer: Writer, which: str, seen: Seen) -> ClaimDraft:
    if seen[f"{which}_share"] >= 0.8 or len(seen[f"{which}_rivals"]) < 2:
        return writer.part(f"{which}_name", f'$["{which}"]')
    return writer.part(f"{which}_name", any_of(f'$["{which}_rivals"]'))


def _no_season(writer: Writer, measure: Measure) -> InsightDraft:
    text = (
        f"The {measure.words} shows {{absent}}: p {{p_holm:p}} for the {{cycle}}, strength "
        f"{{strength:.2f}} against "
        "{strength_by_chance:.2f} that chance reaches."
    )
    return writer.say(text, absent=writer.word("absent", 'not $["seasonal"]', "no clear season"))


def _season_cautions(writer: Writer, seen: Seen) -> list[InsightDraft]:
    cautions = []
    if seen["cycles"] < 5:
        text = "Only {cycles:.1f} cycles are covered, so the shape of the season is still rough."
        cautions.append(writer.say(text, caution=True))
    if seen["seasonal"] and seen["peak_share"] < 0.8:
        text = (
            "Which season is the peak is not settled: {peak} is it in {peak_share:.0%} of redrawn sets of "
            "cycles; "
            "moving holidays blur it too."
        )
        cautions.append(writer.say(text, caution=True))
    return cautions


class LikeForLike:
    """T09: two years compared on the steps that both have."""

    id = "T09"
    title = "Years compared like for like"
    family: Family = "time"
    relevance: Mapping[IntentKind, float] = everywhere(0.5, compare=1.0, describe=0.8, forecast=0.6)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the main measure, if two calendar years are touched."""
        if table.structure.time and time_span(table) < 400:
            return Proposal(reason="fewer than two years are covered")
        proposal = propose_series(self.id, "like_for_like", table, intent, 10, most=1)
        step = proposal.candidates[0].params["step"] if proposal.candidates else ""
        return Proposal(reason="the data has one value a year") if step == "year" else proposal

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Compare the last year that is covered with the year before it."""
        measure, key = Measure.read(candidate.params), candidate.key
        whole = ", total=True" if measure.how != "mean" else ""
        code = f"""
{measure.code(key, table.structure.time)}
{key} = year_on_year({key}_series, {measure.step!r}{whole})
pd.Series({key}).to_frame("value")
"""
        return Cells(code.strip(), ("time_series", "year_on_year", "draw_bars"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """State raw and matched change."""
        measure = Measure.read(candidate.params)
        seen: Seen = facts
        writer, what = Writer(candidate.key, facts), measure.title
        goal = f"How did {measure.phrase} change, like for like?"
        method = (
            f"The last year is compared with the year before on the {measure.step}s that both have; "
            f"interval (95 %) "
            "from a bootstrap of blocks of neighbouring steps."
        )
        if seen.get("matched_steps", 0) < 6 or "change" not in seen:
            return not_enough(
                goal,
                method,
                f"the change of {what}",
                "the two last years share too few steps, or the first has no level above zero",
            )
        word = change_word(seen)
        text = (
            f"On the {{matched_steps:,d}} {measure.step}s that {{year_before:d}} and {{last_year:d}} "
            f"share, the mean went "
            "from {level_a:auto} to {level_b:auto}: {change_word} ({change:+.1%}, interval "
            "{change_low:+.1%} to "
            "{change_high:+.1%})."
        )
        insights = [writer.say(text, change_word=change_claim(writer, word))]
        gap = abs(seen["raw_change"] - seen["change"])
        if gap > 0.02:
            text = (
                f"Comparing all {measure.step}s of each year ({{steps_a:,d}} against {{steps_b:,d}}) would "
                f"show "
                "{raw_change:+.1%} instead, because the years are not covered alike."
            )
            insights.append(writer.say(text, caution=True))
        insights += unweighted(measure)
        titles = {"higher": "is higher than", "lower": "is lower than", "": "is not clearly different from"}
        return FindingDraft(
            title=short_title(f"Like for like, {what} {titles[word]} the year before"),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported" if word else "not_supported",
            effect=max(size_score(seen["change"], 0.05, 0.5), size_score(gap, 0.01, 1.0)),
            reliability=0.9 if word else 0.4,
            impact=min(1.0, seen["matched_steps"] / max(seen["steps_a"], 1)),
            always=gap > 0.02 and measure.how != "mean",
            population=measure.population(table),
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw raw and matched change side by side, if they disagree."""
        key = candidate.key
        seen: Seen = facts
        if (
            seen.get("matched_steps", 0) < 6
            or "change" not in seen
            or abs(seen["raw_change"] - seen["change"]) <= 0.02
        ):
            return ""
        title = self.read(candidate, facts, table, Intent("", "describe")).title
        return f"""
draw_bars(
    ["all steps of each year", "steps that both years have"], [{key}["raw_change"], {key}["change"]],
    title={title!r}, xlabel="Change to the year before", ordered=True, percent=True,
)
""".strip()


PLAYS: tuple[Play, ...] = (Timeline(), Season(), LikeForLike(), *TREND_PLAYS, *FORECAST_PLAYS)
