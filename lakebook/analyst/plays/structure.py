"""S01, S02, S03, S07, S12: what the table is, how complete it is, and which time it covers.

What belongs here: the plays that every notebook opens with. The checks of single traps (totals, weights,
stale blocks …) are in `trust`. Paper: RADAR §2.2; notes on plays, §3 S.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, cast

from lakebook.analyst.intent import Intent
from lakebook.analyst.phrases import everywhere, holds, label, listed, main_time, number, quoted, short_title
from lakebook.analyst.play import (
    Candidate,
    Cells,
    ClaimDraft,
    Facts,
    Family,
    FindingDraft,
    InsightDraft,
    Proposal,
)
from lakebook.analyst.table import Table, TableColumn
from lakebook.analyst.vocabulary import NAME_WORDS, name_tokens

Seen = Mapping[str, Any]  # facts, once their shape is known to the reader of them

BLANK_WORDS = (
    "",
    "-",
    "--",
    "?",
    ".",
    "n/a",
    "na",
    "none",
    "null",
    "unknown",
    "not available",
    "missing",
    "tbd",
)
_KEY_USES = ("time", "geo", "dim", "boolean", "ordinal", "key", "code", "dim_high", "count")
WIDEST_KEY_SEARCH = 12
LONGEST_TITLE = 80
MOST_GAPS_NAMED = 4
SPARSE = 0.5  # beyond this share of missing cells, rows were never meant to fill every date


class Overview:
    """S01 with S07 and S12: what one row is, which rows repeat, and what is missing."""

    id = "S01"
    title = "What the data is and how complete"
    family: Family = "structure"
    relevance = everywhere(1.0)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the one overview of the table; a table without rows has none."""
        if table.rows < 1 or not table.columns:
            return Proposal(reason="the table has no rows")
        keys = sorted((c for c in table.columns if c.use in _KEY_USES), key=lambda c: _KEY_USES.index(c.use))
        ids = [c.name for c in table.having("key", "code") if c.dtype == "text" or c.distinct < table.rows]
        texts = [c.name for c in table.having("text") if not keys and c.distinct == table.rows]
        names = [c.name for c in table.having("dim_high", "geo") if NAME_WORDS & set(name_tokens(c.name))]
        params: dict[str, Any] = {
            "columns": [*[c.name for c in keys[:WIDEST_KEY_SEARCH]], *texts],
            "ids": ids,
            "row_ids": [c.name for c in table.having("key")],
            "names": names[:3],
        }
        columns = tuple(c.name for c in table.columns)
        return Proposal((Candidate(self.id, "overview", columns, 1.0, params),))

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Compute grain, repeated rows and missing values in one dictionary."""
        p: Seen = candidate.params
        code = f"""
overview = {{
    "grain": grain_key(df, {p["columns"]!r}, ids={p["ids"]!r}),
    "repeats": duplicate_rows(df, ids={p["row_ids"]!r}, names={p["names"]!r}),
    "missing": missing_overview(df, blanks={list(BLANK_WORDS)!r}),
}}
overview_columns = pd.DataFrame({{
    "type": df.dtypes.astype(str),
    "values": df.count(),
    "missing": df.isna().sum(),
    "distinct": df.nunique(),
}})
overview_columns
"""
        return Cells(code.strip(), ("grain_key", "duplicate_rows", "missing_overview"))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say what one row is, what repeats, and what is missing."""
        seen: Seen = facts
        grain, missing = seen["grain"], seen["missing"]
        insights = [_size_insight(grain), *_coarse_insights(grain), _missing_insight(missing)]
        insights += _pseudo_insights(missing) + _repeat_insights(
            seen["repeats"], table.structure.copies_dropped
        )
        title = {True: "Some cells are empty", False: "Every cell is filled"}[bool(missing["nulls"])]
        if row := row_sentence(grain):
            both = f"{row}; {title.casefold()}"
            title = both if len(both) <= LONGEST_TITLE else row
        return FindingDraft(
            title=short_title(title),
            goal="What is one row, which rows repeat, and what is missing?",
            method="The smallest set of columns without repeated combinations is searched over all rows; "
            "repeated rows and empty cells are counted, none is removed or filled here.",
            insights=tuple(insights),
            verdict="supported",
            effect=1.0,
            always=True,
            population=f"all rows of {table.source}",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw the share of empty cells by column, if at least two columns have any."""
        seen: Seen = facts
        nulls = seen["missing"]["nulls"]
        if len(nulls) < 2:
            return ""
        return f"""
overview_nulls = df.isna().mean().loc[lambda share: share > 0].nlargest(20)
draw_bars(
    overview_nulls.index, overview_nulls.to_numpy(), percent=True,
    title="{_safe(f"{next(iter(nulls))} has the most empty cells")}", xlabel="Share of rows without a value",
)
""".strip()


def _safe(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def row_sentence(grain: Seen) -> str:
    """Say what one row is, "" if nothing tells the rows apart."""
    key = [str(name) for name in (grain["key"] or grain["key_without_copies"])]
    if len(key) == 1:
        return f"One row is one {quoted(key[0])}"
    if key:
        return f"One row is one combination of {listed(key)}"
    if grain["row_number"] and grain["coarse"]:
        return f"One row is one line of an {quoted(str(grain['coarse']))}"
    return ""


def _size_insight(grain: Seen) -> InsightDraft:
    size = [number("rows", "len(df)"), number("columns", "df.shape[1]")]
    text = "The table has {rows} rows and {columns} columns."
    key, after = list(grain["key"]), list(grain["key_without_copies"])
    if key:
        claim = holds("no_two", f"not df.duplicated({key!r}).any()", "No two rows", absence=True)
        return InsightDraft(
            f"{text} {{no_two}} agree in {listed(key)}. {row_sentence(grain)}.", (*size, claim)
        )
    if after:
        expression = f"not df.drop_duplicates().duplicated({after!r}).any()"
        claim = holds("no_two", expression, "no two rows", absence=True)
        said = f"{text} Exact copies aside, {{no_two}} agree in {listed(after)}. {row_sentence(grain)}."
        return InsightDraft(said, (*size, claim))
    near = list(grain["near_key"])
    if near:
        repeat = number("repeats", f"int(df.duplicated({near!r}).sum())")
        only = (
            f" Only the row number {quoted(grain['row_number'])} tells all rows apart;"
            if grain["row_number"]
            else ""
        )
        said = f"{text}{only} {listed(near)} together come close, with {{repeats}} repeated rows."
        return InsightDraft(said.replace("  ", " "), (*size, repeat))
    only = (
        f" Only the row number {quoted(grain['row_number'])} tells the rows apart."
        if grain["row_number"]
        else ""
    )
    return InsightDraft(text + (only or " No small set of columns tells the rows apart."), tuple(size))


def _coarse_insights(grain: Seen) -> list[InsightDraft]:
    coarse = str(grain["coarse"])
    if not coarse:
        return []
    fixed = [str(name) for name in grain["fixed_by_coarse"]]
    text = (
        f"The rows are lines of {{units}} different values of {quoted(coarse)}, {{per}} lines each on "
        f"average, "
        f"which fix {listed(fixed, 4)}. An average over rows is therefore not one over {quoted(coarse)}."
    )
    claims = (
        number("units", f"int(df[{coarse!r}].nunique())"),
        number("per", f"float(len(df) / df[{coarse!r}].nunique())", ",.1f"),
    )
    return [InsightDraft(text, claims, caution=True)]


def _missing_insight(missing: Seen) -> InsightDraft:
    nulls = dict(missing["nulls"])
    if not nulls:
        claim = holds("none", "int(df.isna().sum().sum()) == 0", "No cell", absence=True)
        return InsightDraft("{none} of the table is empty.", (claim,))
    claims: list[ClaimDraft] = [
        number("some", "int(df.isna().any().sum())"),
        label("worst", "str(df.isna().mean().idxmax())"),
        number("share", "float(df.isna().mean().max())", ".1%"),
        number("complete", "int(df.notna().all(axis=1).sum())"),
        number("complete_share", "float(df.notna().all(axis=1).mean())", ".1%"),
    ]
    word = "column has" if len(nulls) == 1 else "columns have"
    text = (
        f"{{some}} {word} empty cells, most of all {{worst}} with {{share}} of its rows. {{complete}} rows "
        "({complete_share}) are filled in every column, so dropping incomplete rows would lose the others."
    )
    return InsightDraft(text, tuple(claims))


def _pseudo_insights(missing: Seen) -> list[InsightDraft]:
    pseudo = dict(missing["pseudo"])
    if not pseudo:
        return []
    column, (_, example) = max(pseudo.items(), key=lambda item: item[1][0])
    expression = f"overview['missing']['pseudo'][{column!r}][0]"
    word = _clean(example)
    text = (
        f"In {quoted(column)}, {{rows}} cells hold a word for “nothing here” (“{word}”) and count as filled."
    )
    return [InsightDraft(text, (number("rows", expression),), caution=True)]


def _clean(text: object) -> str:
    return " ".join(str(text).replace("{", "(").replace("}", ")").split()).rstrip(".")


def _repeat_insights(repeats: Seen, dropped: bool) -> list[InsightDraft]:
    found = []
    if repeats["copies"]:
        what = (
            "They break the key and are left out of the analysis."
            if dropped
            else "They stay in, as equal rows can be genuine."
        )
        claim = number("copies", "int(df.duplicated().sum())")
        found.append(
            InsightDraft(f"{{copies}} rows are exact copies of another row. {what}", (claim,), caution=True)
        )
    for column, (_, example) in dict(repeats["spellings"]).items():
        expression = f"overview['repeats']['spellings'][{column!r}][0]"
        forms = {form.strip() for form in _clean(example).split(" / ")}
        such = f"such as {_clean(example)}" if len(forms) > 1 else f"by blanks alone, such as {min(forms)}"
        text = f"{{names}} names in {quoted(column)} are written in several ways, {such}."
        found.append(InsightDraft(text, (number("names", expression),), caution=True))
    return found


class Calendar:
    """S02: which time is covered, with gaps, stamps off the grid, and years cut short."""

    id = "S02"
    title = "Which time is covered"
    family: Family = "structure"
    relevance = everywhere(0.6, forecast=1.0, compare=0.9)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the main time column."""
        time = main_time(table)
        if time is None:
            return Proposal(reason="there is no column of dates")
        if time.distinct < 2:
            return Proposal(reason=f"{time.name} holds a single date")
        return Proposal((Candidate(self.id, "calendar", (time.name,), 1.0),))

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Compute the coverage of the calendar."""
        time = candidate.columns[0]
        code = f"""
calendar = calendar_coverage(df[{time!r}])
calendar_gaps = pd.DataFrame(calendar["gaps"], columns=["after", "before", "missing steps"])
calendar_gaps
"""
        return Cells(code.strip(), ("calendar_coverage",))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say from when to when, at which step, and what is not there."""
        time, seen = candidate.columns[0], cast(Seen, facts)
        insights = [_span_insight(time, facts), *_gap_insights(time, facts), *_year_insights(facts)]
        flawed = bool(facts["gaps"] or facts["off_grid"])
        titles = {
            (True, True): "The calendar has gaps and irregular dates",
            (True, False): "The calendar has gaps"
            if len(seen["gaps"]) <= 5 * MOST_GAPS_NAMED
            else "The calendar has many gaps",
            (False, True): "Some dates lie off the regular calendar",
            (False, False): "The calendar has no gap"
            if facts["step"] != "irregular"
            else "Dates come as events, without a fixed step",
        }
        return FindingDraft(
            title=titles[bool(facts["gaps"]), bool(facts["off_grid"])],
            goal=f"Which time does {quoted(time)} cover, and where are the gaps?",
            method="The commonest step between distinct dates makes the calendar; dates are placed on "
            "it, and what "
            "is missing, off the grid or cut short is listed. Nothing is interpolated.",
            insights=tuple(insights),
            verdict="supported",
            effect=1.0 if flawed else 0.5,
            always=True,
            population=f"all rows with a date in {quoted(time)}",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw a strip of dates, one tick each, if there is something to see."""
        if not facts["gaps"] and not facts["off_grid"]:
            return ""
        time = candidate.columns[0]
        return f"""
draw_calendar(
    df[{time!r}], off_grid=calendar["off_grid"], gaps=[gap[:2] for gap in calendar["gaps"]],
    title="Some dates are missing or off the regular calendar",
)
""".strip()


def _span_insight(time: str, facts: Seen) -> InsightDraft:
    claims = [
        label("first", "calendar['first']"),
        label("last", "calendar['last']"),
        number("stamps", f"int(df[{time!r}].nunique())"),
    ]
    text = f"{quoted(time)} runs from {{first}} to {{last}} with {{stamps}} distinct dates"
    if facts["step"] == "irregular":
        claims.append(number("longest", "calendar['longest_days']", ",.0f"))
        text += "; they follow no fixed step, and the longest stretch without a row is {longest} days."
    else:
        claims.append(label("step", "calendar['step']"))
        text += ", one each {step}."
    if facts["rows_without"]:
        claims.append(number("without", f"int(df[{time!r}].isna().sum())"))
        text += " {without} rows have no date."
    return InsightDraft(text, tuple(claims))


def _gap_insights(time: str, facts: Seen) -> list[InsightDraft]:
    found = []
    step = str(facts["step"])
    if len(facts["gaps"]) > 5 * MOST_GAPS_NAMED:
        found.append(_recurring_gaps(step, facts))
    elif facts["gaps"]:
        where = "'; '.join(f'{gap[0]} and {gap[1]}' for gap in calendar['gaps'][:4])"
        claims: tuple[ClaimDraft, ...] = (
            number("missing", "calendar['missing_steps']"),
            number("expected", "calendar['expected_steps']"),
            label("where", where),
        )
        word = "the gap lies" if len(facts["gaps"]) == 1 else "the gaps lie"
        more = ", and later ones" if len(facts["gaps"]) > 4 else ""
        text = (
            f"{{missing}} of the {{expected}} {step}s in this span are missing: {word} between "
            f"{{where}}{more}. "
            "They are left blank in figures and never filled in for totals."
        )
        found.append(InsightDraft(text, claims))
    if facts["off_grid"]:
        claims = (
            number("off", "len(calendar['off_grid'])"),
            label("which", "', '.join(calendar['off_grid'][:5])"),
        )
        verb = "date lies" if len(facts["off_grid"]) == 1 else "dates lie"
        text = f"{{off}} {verb} off the regular {step}ly calendar ({{which}})."
        if facts["shared_slots"]:
            text += f" Because of {{shared}}, a {step} has two dates and counts twice."
            claims = (*claims, label("shared", "', '.join(calendar['shared_slots'][:5])"))
        found.append(InsightDraft(text.replace("dayly", "daily"), claims, caution=True))
    return found


def _recurring_gaps(step: str, facts: Seen) -> InsightDraft:
    """Say of many gaps how many there are and how long, not where each one lies."""
    lengths = Counter(gap[2] for gap in facts["gaps"])
    usual, times = lengths.most_common(1)[0]
    claims = [
        number("missing", "calendar['missing_steps']"),
        number("expected", "calendar['expected_steps']"),
        number("gaps", "len(calendar['gaps'])"),
        number("longest", "max(gap[2] for gap in calendar['gaps'])"),
    ]
    text = f"{{missing}} of the {{expected}} {step}s in this span have no row, in {{gaps}} gaps"
    if times >= 0.5 * len(facts["gaps"]):
        alike = f"sum(gap[2] == {usual} for gap in calendar['gaps']) / len(calendar['gaps'])"
        claims.append(
            number("usual", "sorted(gap[2] for gap in calendar['gaps'])[len(calendar['gaps']) // 2]")
        )
        claims.append(number("share", alike, ".0%"))
        text += f"; {{share}} of them last {{usual}} {step}s, a pause that recurs, the longest {{longest}}"
    else:
        text += f", the longest of {{longest}} {step}s"
    return InsightDraft(f"{text}. They are left blank in figures.", tuple(claims))


def _year_insights(facts: Seen) -> list[InsightDraft]:
    found = []
    if thin := list(facts.get("thin_years", ())):
        claims: tuple[ClaimDraft, ...] = (
            number("thin_rows", "sum(rows for _, rows in calendar['thin_years'])"),
            number("thin_first", "min(year for year, _ in calendar['thin_years'])", "d"),
            number("thin_last", "max(year for year, _ in calendar['thin_years'])", "d"),
        )
        span = (
            "The year {thin_first} holds"
            if len(thin) == 1
            else f"{_counted(len(thin))} years between {{thin_first}} and {{thin_last}} hold"
        )
        if len(thin) == 1:
            claims = claims[:2]
        text = f"{span} only {{thin_rows}} rows in all: too few to be compared with other years."
        found.append(InsightDraft(text, claims, caution=True))
    partial = list(facts["partial_years"])
    if not partial:
        return found
    which = (
        "'; '.join(f'{y} covers {n} of {all_} {unit}' for y, n, all_, unit in calendar['partial_years'][:5])"
    )
    text = (
        "Not every year is whole: {which}. Totals of these years cannot be set beside those of whole years."
    )
    return [*found, InsightDraft(text, (label("which", which),), caution=True)]


def _counted(count: int) -> str:
    """Write a small number as a word; a larger one as "several"."""
    words = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
    return words[count] if count < len(words) else "Several"


class PanelBalance:
    """S03: whether every entity has a row at every stamp."""

    id = "S03"
    title = "Whether the panel is complete"
    family: Family = "structure"
    relevance = everywhere(0.4, forecast=0.8, compare=0.6)

    def propose(self, table: Table, intent: Intent) -> Proposal:
        """Propose the panel that the key makes of time and entities."""
        structure = table.structure
        if not structure.time or not structure.entities:
            return Proposal(reason="rows are not one a date and entity")
        columns = (structure.time, *structure.entities)
        return Proposal((Candidate(self.id, "panel", columns, 0.4),))

    def compute(self, candidate: Candidate, table: Table) -> Cells:
        """Compare the cells that are there with dates × entities."""
        time, *entities = candidate.columns
        return Cells(f"panel = panel_balance(df, {time!r}, {entities!r})\npanel", ("panel_balance",))

    def read(self, candidate: Candidate, facts: Facts, table: Table, intent: Intent) -> FindingDraft:
        """Say how many cells are missing, and for whom."""
        time, *entities = candidate.columns
        claims = [number("cells", "panel['cells']"), number("entities", "panel['entities']")]
        who = listed(entities)
        if facts["missing"]:
            claims += [
                number("missing", f"panel['cells'] - len(df.drop_duplicates({list(candidate.columns)!r}))"),
                label("names", "'; '.join(panel['names'][:3])"),
            ]
            text = (
                f"{{missing}} of {{cells}} combinations of {quoted(time)} and the {{entities}} series by "
                f"{who} "
                "have no row ({names})."
            )
        else:
            text = f"Each of the {{entities}} series by {who} has a row at every date ({{cells}} in all)."
        seen: Seen = facts
        share = float(seen["missing"]) / max(float(seen["cells"]), 1.0)
        sparse = share > SPARSE
        return FindingDraft(
            title="Series need not have every date"
            if sparse
            else "Some series miss dates"
            if facts["missing"]
            else "Every series has every date",
            goal="Does every series have a row at every date?",
            method="Distinct combinations of date and entity are counted against all possible ones.",
            insights=(InsightDraft(text, tuple(claims), caution=share > 0.005),),
            verdict="not_supported" if sparse else "supported",
            effect=min(1.0, share * 20),
            impact=share,
            population=f"all rows of {table.source}",
        )

    def figure(self, candidate: Candidate, facts: Facts, table: Table) -> str:
        """Draw nothing: the sentence says it."""
        return ""


def time_of(table: Table) -> TableColumn | None:
    """Return the column of the main time, after or before the structure is known."""
    return table.column(table.structure.time) if table.structure.time else main_time(table)
