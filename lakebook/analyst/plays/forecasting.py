"""T06, T07, T08: surprises, memory, and the errors that a forecast has to beat.

What belongs here: plays that prepare a forecast, without a model. Paper: NotebookRAG §4.2; notes on plays,
§3 T.
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
from lakebook.analyst.plays.series import Measure, propose_series, unweighted
from lakebook.analyst.plays.wording import Writer, finest, not_enough, size_score, start, tests
from lakebook.analyst.table import Table

Seen = Mapping[str, Any]


class Surprises:
    """T06: points and episodes that trend and season do not explain."""

    id = "T06"
    title = "Unusual points"
    family: Family = "time"
    relevance: Mapping[IntentKind, float] = everywhere(0.3, anomaly=1.0, forecast=0.8, describe=0.5)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the main measures of a table with thirty steps."""
        return propose_series(self.id, "surprises_in", table, intent, 30)

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Compare each value with what trend and season let expect."""
        measure, key = Measure.read(candidate.params), candidate.key
        code = f"""
{measure.code(key, table.structure.time)}
{key}, {key}_points = unusual_points({key}_series, {measure.step!r})
pd.DataFrame({key}.get("top", []))
"""
        return Cells(code.strip(), ("time_series", "unusual_points", "draw_surprises"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Count what is unusual against what chance gives, and name the largest."""
        measure = Measure.read(candidate.params)
        seen: Seen = facts
        writer, what = Writer(candidate.key, facts), measure.title
        goal = f"Which values of {measure.phrase} are unusual?"
        method = (
            "Expected is trend plus season; a point is unusual beyond 3.5 robust standard deviations "
            "(1.4826 times the "
            "median absolute deviation) of the rest, the count beyond 3 plain ones is given too. Chance: "
            "the same on "
            "simulated series of the same persistence. Episodes: four steps or more beyond two deviations."
        )
        if not seen["enough"]:
            return not_enough(
                goal, method, f"unusual values of {what}", "it takes at least thirty values that vary"
            )
        unfit = _unfit(seen)
        found = not unfit and seen["unusual"] > 0 and seen["largest"] > seen["largest_by_chance"]
        verdict: FindingVerdict = "supported" if found else "not_supported"
        insights = [_count(writer, measure, unfit) if found or unfit else _within_chance(writer, measure)]
        if seen["unusual"] and not unfit:
            insights.append(_largest(writer, measure, seen))
        if seen["episodes"] and not unfit:
            insights.append(_episode(writer, measure, seen))
        insights += unweighted(measure)
        titles = {
            True: f"Trend and season do not describe {what} well enough",
            False: f"A few values of {what} stand out"
            if found
            else f"No value of {what} stands out beyond chance",
        }
        strongest = max((abs(point["z"]) for point in seen["top"]), default=0.0)
        return FindingDraft(
            title=short_title(titles[unfit]),
            goal=goal,
            method=f"{method} Expected by: {seen['how']}.",
            insights=tuple(insights),
            verdict=verdict,
            effect=size_score(strongest, 3.5, 10.0) if found else 0.1,
            reliability=0.8 if found else 0.4,
            impact=min(1.0, seen["share"] * 10),
            population=measure.population(table),
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the series, the expected path and the unusual points."""
        measure, key = Measure.read(candidate.params), candidate.key
        seen: Seen = facts
        if not seen["enough"] or _unfit(seen):
            return ""
        title = self.read(candidate, facts, table, Intent("", "describe")).title
        return f"draw_surprises({key}_points, title={title!r}, ylabel={measure.axis!r})"


def _unfit(seen: Seen) -> bool:
    """Tell whether so many points are unusual that the expected path is what is wrong."""
    return bool(seen["share"] > 0.03 and seen["unusual"] > 3)


def _count(writer: Writer, measure: Measure, unfit: bool) -> InsightDraft:
    counts = (
        "{unusual:,d} of {points:,d} are unusual, where chance alone gives {expected_by_chance:.1f}; "
        "{beyond_three_sd:,d} "
        "are beyond three plain standard deviations"
    )
    if unfit:
        word = writer.word("unfit", '$["share"] > 0.03 and $["unusual"] > 3', "too many for single surprises")
        text = (
            f"Of the values of the {measure.words}, {counts}: {{unfit}}, so the expected path is what does "
            f"not fit."
        )
        return writer.say(text, unfit=word)
    return writer.say(f"Of the values of the {measure.words}, {counts}.")


def _within_chance(writer: Writer, measure: Measure) -> InsightDraft:
    """Say why what lies far off is no surprise: a series with this memory goes as far by chance."""
    predicate = '$["unusual"] == 0 or $["largest"] <= $["largest_by_chance"]'
    return writer.say(
        f"Of {{points:,d}} values of the {measure.words}, {{unusual:,d}} lie beyond the limit, the farthest "
        "{largest:.1f} robust deviations off; a series with the same memory goes {as_far} as that by chance "
        "(up to {largest_by_chance:.1f}).",
        as_far=writer.word("as_far", predicate, "as far"),
    )


def _largest(writer: Writer, measure: Measure, seen: Seen) -> InsightDraft:
    spec = finest(max(abs(seen["top"][0]["value"]), abs(seen["top"][0]["expected"])))
    above = seen["top"][0]["z"] > 0
    side = writer.word("side", f'$["top"][0]["z"] {">" if above else "<"} 0', "above" if above else "below")
    return writer.say(
        f"The farthest is the {measure.step} of {{date}}: {{value}} where {{expected}} was expected, {{z}} "
        f"robust "
        "deviations {side}.",
        date=writer.part("date", '$["top"][0]["date"]'),
        value=writer.part("value", '$["top"][0]["value"]', spec),
        expected=writer.part("expected", '$["top"][0]["expected"]', spec),
        z=writer.part("z", 'abs($["top"][0]["z"])', ".1f"),
        side=side,
    )


def _episode(writer: Writer, measure: Measure, seen: Seen) -> InsightDraft:
    longest = max(range(len(seen["episodes"])), key=lambda i: seen["episodes"][i]["steps"])
    at = f'$["episodes"][{longest}]'
    text = (
        f"{{many}} stretch(es) of four or more {measure.step}s stay on one side (by chance "
        f"{{episodes_by_chance:.1f}}); "
        "the longest, {side} the expected path, runs from {start} to {end}."
    )
    return writer.say(
        text,
        many=writer.part("many", 'len($["episodes"])', ",d"),
        side=writer.part("side", f'{at}["side"]'),
        start=writer.part("start", f'{at}["start"]'),
        end=writer.part("end", f'{at}["end"]'),
    )


class Memory:
    """T07: how long a deviation lasts, and whether the level is stable."""

    id = "T07"
    title = "Memory of the series"
    family: Family = "time"
    relevance: Mapping[IntentKind, float] = everywhere(0.1, forecast=0.9)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the target of a forecast."""
        return propose_series(self.id, "memory_of", table, intent, 40, most=1)

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Compute the autocorrelation and the two tests of a stable level."""
        measure, key = Measure.read(candidate.params), candidate.key
        code = f"""
{measure.code(key, table.structure.time)}
{key}, {key}_acf = memory({key}_series, {measure.step!r})
{key}_acf.head(12).round(3).to_frame()
"""
        return Cells(code.strip(), ("time_series", "memory", "draw_memory"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say how long values are alike and what the tests say together."""
        measure = Measure.read(candidate.params)
        seen: Seen = facts
        writer, what = Writer(candidate.key, facts), measure.title
        goal = f"How long does a deviation of {measure.phrase} last?"
        method = (
            "Autocorrelation after taking out the season (where a test finds one), with the band of white "
            "noise; ADF and KPSS around a "
            "line read together, since each has the other's claim as its null; KPSS p-values end at 0.01 "
            "and 0.1."
        )
        if not seen["enough"]:
            return not_enough(
                goal, method, f"the memory of {what}", "it takes at least forty values that vary"
            )
        long = seen["rho"] > 0.5
        persists = seen["rho"] > seen["band"]
        insights = [_autocorrelation(writer, measure, seen), _stability(writer, seen)]
        return FindingDraft(
            title=short_title(
                f"{start(what)} remembers: neighbouring {measure.step}s are much alike" if long
                else f"{start(what)} has a short memory" if persists else f"{start(what)} has no memory"
            ),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported" if persists else "not_supported",
            effect=size_score(max(seen["rho"], 0.0), 0.2, 0.7),
            reliability=0.9,
            tests=tests(
                self.id,
                [(f"{what}, {name}", seen[fact], seen["points"]) for name, fact in
                 (("Ljung-Box", "ljung_box_p"), ("ADF", "adf_p"), ("KPSS", "kpss_p"))],
            ),
            population=measure.population(table),
        )  # fmt: skip

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the autocorrelation by lag."""
        measure, key = Measure.read(candidate.params), candidate.key
        seen: Seen = facts
        if not seen["enough"]:
            return ""
        title = self.read(candidate, facts, table, Intent("", "describe")).title
        return f'draw_memory({key}_acf, {key}["band"], title={title!r}, xlabel={f"Lag in {measure.step}s"!r})'


def _autocorrelation(writer: Writer, measure: Measure, seen: Seen) -> InsightDraft:
    text = f"Neighbouring values of the {measure.words} (season taken out) correlate with {{rho:.2f}}"
    if seen["rho"] > seen["band"] and seen["half_life"] > 0:
        text += f": half of a deviation is gone after {{half_life:.1f}} {measure.step}s"
    if seen["quiet_found"]:
        text += "; the correlation is within the band of chance from lag {first_quiet_lag:d} on"
        return writer.say(f"{text} for the first time.".replace(" on for", " for"))
    return writer.say(f"{text}; it leaves the band of chance at every lag that was looked at.")


def _stability(writer: Writer, seen: Seen) -> InsightDraft:
    advice = {
        "stable around a line": "a model with a line and the last few values fits this",
        "a unit root": "a model should work on differences from step to step",
        "long memory or a break": "the tests disagree, so a shift of the level or a long memory is likely",
        "undecided": "neither test decides, so compare models with and without differences",
    }[seen["kind"]]
    text = f"The tests of stability (ADF p {{adf_p:p}}, KPSS p {{kpss_p:.2f}}) point to: {{kind}}; {advice}."
    return writer.say(text)


class Baselines:
    """T08: the error of simple forecasts by horizon."""

    id = "T08"
    title = "Baselines to beat"
    family: Family = "time"
    relevance: Mapping[IntentKind, float] = everywhere(0.05, forecast=1.0)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the target of a forecast."""
        if intent.kind != "forecast" and "forecast" not in intent.others:
            return Proposal(reason="no forecast is asked for")
        return propose_series(self.id, "baselines_for", table, intent, 40, most=1)

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Roll through the series and forecast by simple rules."""
        measure, key = Measure.read(candidate.params), candidate.key
        code = f"""
{measure.code(key, table.structure.time)}
{key}, {key}_errors = baseline_errors({key}_series, {measure.step!r})
{key}_errors
"""
        return Cells(code.strip(), ("time_series", "baseline_errors", "draw_lines"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Name the best rule by horizon and its error."""
        measure = Measure.read(candidate.params)
        seen: Seen = facts
        writer, what = Writer(candidate.key, facts), measure.title
        goal = f"Which error must a forecast of {measure.phrase} beat?"
        method = (
            "Rolling origins over the last two thirds: last value, same season of the last cycle, mean of "
            "the last "
            "cycle, and drift; mean absolute error on the same origins, at least twenty a horizon."
        )
        if not seen["enough"]:
            return not_enough(goal, method, f"baselines for {what}", "no horizon has twenty origins")
        last = len(seen["horizons"]) - 1
        spec = finest(seen["best_error"][0])
        parts: dict[str, Any] = {
            "short": writer.part("short", '$["horizons"][0]', "d"),
            "short_best": writer.part("short_best", '$["best"][0]'),
            "short_error": writer.part("short_error", '$["best_error"][0]', spec),
            "short_share": writer.part("short_share", '$["best_share"][0]', ".1%"),
        }
        insights = [
            writer.say(
                f"{{short}} {measure.step} ahead the best simple forecast is the {{short_best}}: mean "
                f"absolute error "
                "{short_error}, {short_share} of the mean level.",
                **parts,
            )
        ]
        if last > 0:
            parts = {
                "far": writer.part("far", f'$["horizons"][{last}]', "d"),
                "far_best": writer.part("far_best", f'$["best"][{last}]'),
                "far_error": writer.part("far_error", f'$["best_error"][{last}]', spec),
                "far_share": writer.part("far_share", f'$["best_share"][{last}]', ".1%"),
            }
            text = (
                f"{{far}} {measure.step}s ahead it is the {{far_best}}, with {{far_error}} ({{far_share}})."
            )
            insights.append(writer.say(text, **parts))
        insights.append(
            writer.say(
                "A model must beat the best rule of its own horizon; the figures rest on {origins:,d} "
                "origins or more, "
                "which overlap.",
                caution=True,
            )
        )
        one = seen["same_everywhere"]
        return FindingDraft(
            title=short_title(
                f"The {seen['best'][0]} is the forecast of {what} to beat" if one
                else f"Near, the {seen['best'][0]} is the forecast to beat; far, the {seen['best'][-1]}"
                if seen["best"][0] != seen["best"][-1] else "The forecast to beat depends on the horizon"
            ),
            goal=goal,
            method=method,
            insights=tuple(insights),
            verdict="supported",
            effect=0.8,
            reliability=min(1.0, seen["origins"] / 50),
            population=measure.population(table),
        )  # fmt: skip

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw error against horizon, one line a rule."""
        measure, key = Measure.read(candidate.params), candidate.key
        seen: Seen = facts
        if not seen["enough"] or len(seen["horizons"]) < 3:
            return ""
        title = self.read(candidate, facts, table, Intent("", "describe")).title
        return f"""
{key}_rules = {key}_errors.drop(columns="origins").reset_index(drop=True)
ax = draw_lines(
    {{name: {key}_rules[name] for name in {key}_rules}}, title={title!r}, zero=True,
    ylabel={f"Mean absolute error of {measure.name}"!r},
    xlabel={f"Horizon in {measure.step}s (not to scale)"!r},
)
ax.set_xticks(range(len({key}_errors)), [str(horizon) for horizon in {key}_errors.index])
""".strip()


FORECAST_PLAYS: tuple[Play, ...] = (Surprises(), Memory(), Baselines())
