"""Sentences about a rerun figure, whose every number is read from what is drawn (NotebookRAG §4.2.4).

The component's cell binds `drawn_…` to its drawn data; each claim is an expression over it. The sentences say
what the figure shows and nothing about causes. Names and labels are claims too: they come from old code.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from lakebook.analyst.play import ClaimDraft, InsightDraft
from lakebook.analyst.table import Table
from lakebook.enhancement.cautions import caution_drafts
from lakebook.enhancement.drawn import drawn_name
from lakebook.enhancement.enhanced import DrawnAxes, DrawnSeries, EnhancedComponent

MOST_INSIGHTS = 2


class _Place:
    """One series of the drawn data: its values, and the expressions that read them."""

    def __init__(self, name: str, axes: DrawnAxes, at: int, series: DrawnSeries, number: int) -> None:
        self.axes, self.series = axes, series
        self.on = f"{name}[{at}]"
        self.path = f"{self.on}['series'][{number}]"
        self.y = f"np.array({self.path}['y'], dtype=float)"

    def value(self, name: str, expression: str, sample: float, of_y: bool = True) -> ClaimDraft:
        """Return a claim of a number, in a format that suits its size; of y values, whole ones as such."""
        whole = all(math.isnan(value) or value.is_integer() for value in map(float, self.series.y))
        return ClaimDraft(name, f"float({expression})", ",.0f" if whole and of_y else number_format(sample))

    def count(self, name: str, expression: str) -> ClaimDraft:
        """Return a claim of a whole number."""
        return ClaimDraft(name, f"int({expression})", ",d")

    def label(self, name: str, expression: str) -> ClaimDraft:
        """Return a claim of a name."""
        return ClaimDraft(name, expression, kind="label")

    def named(self, axis: str) -> tuple[str, list[ClaimDraft]]:
        """Return the words for what stands along an axis with the claim of its label; "" if it has none."""
        text = self.axes.xlabel if axis == "x" else self.axes.ylabel
        if text.strip():
            return f"{{{axis}_name}}", [self.label(f"{axis}_name", f"{self.on}['{axis}label']")]
        return "", []

    def quantity(self, axis: str) -> tuple[str, list[ClaimDraft]]:
        """Return the words for what is measured: the axis, else the only series, else the title."""
        words, claims = self.named(axis)
        if words:
            return words, claims
        if self.series.label.strip() and len(self.axes.series) == 1:
            return "{quantity}", [self.label("quantity", f"{self.path}['label']")]
        if self.axes.title.strip():
            return "{title}", [self.label("title", f"{self.on}['title']")]
        return "", []

    def titled(self, draft: InsightDraft) -> InsightDraft | None:
        """Say of which of several axes the sentence is; None if it has no title to be told by."""
        if not self.axes.title.strip():
            return None
        if any(claim.name == "title" for claim in draft.claims):
            return draft
        claim = self.label("title", f"{self.on}['title']")
        first = draft.template[:1]
        text = draft.template if first == "{" else first.lower() + draft.template[1:]
        return InsightDraft(f"In “{{title}}”, {text}", (claim, *draft.claims), draft.caution)


def component_drafts(enhanced: EnhancedComponent, table: Table) -> tuple[InsightDraft, ...]:
    """Return at most two sentences on what the component's figures show, and what to be careful of.

    Nothing is said where nothing is sure. The claims read the name that the component's cell binds to
    `drawn_data()` (see `drawn_name`).
    """
    if enhanced.status != "ok":
        return ()
    name = drawn_name(enhanced.function)
    drafts: list[InsightDraft] = []
    drawn = [axes for axes in enhanced.drawn if axes.series]
    for at, axes in enumerate(enhanced.drawn):
        for number_, series in enumerate(axes.series):
            place = _Place(name, axes, at, series, number_)
            writer = _WRITERS.get(series.mark)
            draft = writer(place) if writer else None
            if draft is not None:
                said = place.titled(draft) if len(drawn) > 1 else draft
                drafts += [said] if said else []
                break
    return (*drafts[:MOST_INSIGHTS], *caution_drafts(enhanced, table))


def number_format(sample: float) -> str:
    """Return the format in which a number of this size is printed."""
    size = abs(sample)
    if size >= 1000:
        return ",.0f"
    if size >= 10:
        return ",.1f"
    return ".2f" if size >= 0.1 or size == 0 else ".2g"


def _bars(place: _Place) -> InsightDraft | None:
    if not place.series.labels:
        return _histogram(place)
    return _extremes(place, "", "y" if place.series.mark == "bar" else "x")


def _boxes(place: _Place) -> InsightDraft | None:
    return _extremes(place, "median", "x" if place.series.lying else "y")


def _extremes(place: _Place, what: str, axis: str) -> InsightDraft | None:
    """Say which category is highest and which lowest, where the figure tells what is measured."""
    values = [value for value in place.series.y if not math.isnan(value)]
    if len(values) < 2 or len(values) != len(place.series.labels):
        return None
    top, low = max(values), min(values)
    if values.count(top) > 1 or values.count(low) > 1 or number(top) == number(low):
        return None
    quantity, claims = place.quantity(axis)
    category = _category(place, "x" if axis == "y" else "y", claims)
    if not quantity or category is None:
        return None
    series = _series_named(place, claims)
    if series is None:
        return None
    subject = ", ".join([quantity, *series, *([what] if what else [])])
    among = ""
    if len(values) > 2:
        among = ", of {count} drawn"
        claims.append(place.count("count", f"len({place.path}['y'])"))
    text = (
        f"{subject}: {category}{{top}} is highest with {{top_value}}, {category}{{low}} lowest with "
        f"{{low_value}}{among}."
    )
    claims += [
        place.label("top", f"{place.path}['labels'][int(np.nanargmax({place.y}))]"),
        place.value("top_value", f"np.nanmax({place.y})", top),
        place.label("low", f"{place.path}['labels'][int(np.nanargmin({place.y}))]"),
        place.value("low_value", f"np.nanmin({place.y})", low),
    ]
    return InsightDraft(text, tuple(claims))


def _category(place: _Place, axis: str, claims: list[ClaimDraft]) -> str | None:
    """Return what stands before a category that is a mere number, such as a month; None if nothing tells."""
    if not all(label.replace(".", "").replace("-", "").isdigit() for label in place.series.labels):
        return ""
    words, named = place.named(axis)
    claims += named
    return f"{words} " if words else None


def _series_named(place: _Place, claims: list[ClaimDraft]) -> list[str] | None:
    """Return the words that tell one of several series, with the claim of its name; None if it has none."""
    if len([one for one in place.axes.series if one.mark == place.series.mark]) < 2:
        return []
    if not place.series.label.strip():
        return None
    claims.append(place.label("series", f"{place.path}['label']"))
    return ["{series}"]


def number(value: float) -> str:
    """Return a number as a reader will see it."""
    return format(value, number_format(value))


def _histogram(place: _Place) -> InsightDraft | None:
    """Say where the tallest bar of a histogram stands."""
    series = place.series
    width = series.width
    if series.mark != "bar" or len(series.y) < 5 or not width or list(series.y).count(max(series.y)) > 1:
        return None
    middle = series.x[series.y.index(max(series.y))]
    x_name, claims = place.quantity("x")
    if not x_name:
        return None
    at = f"{place.path}['x'][int(np.nanargmax({place.y}))]"
    text = f"{x_name}: values are most frequent between {{low}} and {{high}}, the tallest of {{bars}} bars."
    claims += [
        place.count("bars", f"len({place.path}['y'])"),
        place.value("low", f"{at} - {place.path}['width'] / 2", middle - width / 2, of_y=False),
        place.value("high", f"{at} + {place.path}['width'] / 2", middle + width / 2, of_y=False),
    ]
    return InsightDraft(text, tuple(claims))


def _line(place: _Place) -> InsightDraft | None:
    """Say where a line over dates, categories or numbers starts, ends, and is highest."""
    series = place.series
    values = list(series.y)
    if any(one.mark == "bar" for one in place.axes.series):
        return None
    if len([one for one in place.axes.series if one.mark == "line"]) > 1:
        return _lines(place)
    if len(values) < 4 or any(map(math.isnan, values)) or values.count(max(values)) > 1:
        return None
    if list(series.x) != sorted(series.x):
        return None
    quantity, claims = place.quantity("y")
    at = _position(place, claims)
    if not quantity or at is None:
        return None
    where = _where(place)
    text = (
        f"{quantity} goes from {{first}} at {at}{{start}} to {{last}} at {at}{{end}}; "
        f"its highest point is {{peak}}, at {at}{{peak_at}}."
    )
    claims += [
        place.value("first", f"{place.path}['y'][0]", values[0]),
        where("start", "0"),
        place.value("last", f"{place.path}['y'][-1]", values[-1]),
        where("end", "-1"),
        place.value("peak", f"np.nanmax({place.y})", max(values)),
        where("peak_at", f"int(np.nanargmax({place.y}))"),
    ]
    return InsightDraft(text, tuple(claims))


def _lines(place: _Place) -> InsightDraft | None:
    """Say which of several named lines ends highest and which lowest, where all end at the same place."""
    lines = [one for one in place.axes.series if one.mark == "line"]
    if len({one.label.strip() for one in lines} - {""}) != len(lines) or len(lines) != len(place.axes.series):
        return None
    if min(len(one.y) for one in lines) < 3 or len({one.x[-1] for one in lines}) > 1:
        return None
    ends = [one.y[-1] for one in lines]
    if any(map(math.isnan, ends)) or len({number(end) for end in (max(ends), min(ends))}) < 2:
        return None
    if ends.count(max(ends)) > 1 or ends.count(min(ends)) > 1:
        return None
    quantity, claims = place.quantity("y")
    at = _position(place, claims)
    if not quantity or at is None:
        return None
    all_ends = f"[one['y'][-1] for one in {place.on}['series']]"
    names = f"{place.on}['series'][int(np.{{which}}({all_ends}))]['label']"
    text = (
        f"{quantity}: at {at}{{end}}, where the {{count}} lines end, {{top}} is highest with {{top_value}} "
        "and {low} lowest with {low_value}."
    )
    claims += [
        _where(place)("end", "-1"),
        place.count("count", f"len({place.on}['series'])"),
        place.label("top", names.format(which="argmax")),
        place.value("top_value", f"max({all_ends})", max(ends)),
        place.label("low", names.format(which="argmin")),
        place.value("low_value", f"min({all_ends})", min(ends)),
    ]
    return InsightDraft(text, tuple(claims))


def _position(place: _Place, claims: list[ClaimDraft]) -> str | None:
    """Return what stands before a place on the x axis: nothing before dates, names and years."""
    years = all(float(x).is_integer() and 1500 <= x <= 2500 for x in place.series.x)
    if place.series.labels or years:
        return ""
    words, named = place.named("x")
    claims += named
    return f"{words} " if words else None


def _where(place: _Place) -> Callable[[str, str], ClaimDraft]:
    """Return how a position on the x axis is claimed: by its name where it has one, else by its number."""
    if place.series.labels:
        return lambda name, at: place.label(name, f"{place.path}['labels'][{at}]")
    whole = all(float(value).is_integer() for value in place.series.x)
    years = whole and all(1500 <= value <= 2500 for value in place.series.x)
    if whole:
        spec = "d" if years else ",d"
        return lambda name, at: ClaimDraft(name, f"int({place.path}['x'][{at}])", spec)
    sample = max(map(abs, place.series.x))
    return lambda name, at: place.value(name, f"{place.path}['x'][{at}]", sample, of_y=False)


def _points(place: _Place) -> InsightDraft | None:
    """Say how many points a scatter has and how their ranks go together."""
    series = place.series
    if series.rank_correlation is None or any(one.mark == "box" for one in place.axes.series):
        return None
    if not place.axes.xlabel.strip() or not place.axes.ylabel.strip():
        return None
    (x_name, x_claims), (y_name, y_claims) = place.quantity("x"), place.quantity("y")
    text = f"Over the {{points}} points drawn, the rank correlation of {x_name} and {y_name} is {{rho}}."
    claims = (
        place.count("points", f"{place.path}['n']"),
        *x_claims,
        *y_claims,
        ClaimDraft("rho", f"float({place.path}['rank_correlation'])", ".2f"),
    )
    return InsightDraft(text, claims)


def _wedges(place: _Place) -> InsightDraft | None:
    values = list(place.series.y)
    if not place.series.labels or len(values) < 2:
        return None
    printed = [format(value, ".1%") for value in values]
    if printed.count(format(max(values), ".1%")) > 1:
        return None
    text = "The largest share of the {count} drawn is that of {top}, {share}."
    claims = (
        place.count("count", f"len({place.path}['y'])"),
        place.label("top", f"{place.path}['labels'][int(np.nanargmax({place.y}))]"),
        ClaimDraft("share", f"float(np.nanmax({place.y}))", ".1%"),
    )
    return InsightDraft(text, claims)


def _correlations(place: _Place) -> InsightDraft | None:
    """Say which two columns go together most in a heat map of correlations."""
    series = place.series
    names, size = series.labels, len(series.labels)
    if size < 3 or names != series.rows or len(series.y) != size * size:
        return None
    pairs = [(i, j) for i in range(size) for j in range(size) if i != j]
    known = {(i, j): abs(series.y[i * size + j]) for i, j in pairs if not math.isnan(series.y[i * size + j])}
    diagonal = [series.y[i * size + i] for i in range(size)]
    if not known or max(known.values()) > 1 + 1e-9 or any(abs(value - 1) > 1e-9 for value in diagonal):
        return None
    row, column = max(known, key=lambda pair: (known[pair], -pair[0], -pair[1]))
    best = f"{place.path}['y'][{row * size + column}]"
    rest = f"max(abs(v) for i, v in enumerate({place.path}['y']) if v is not None and i % {size + 1})"
    text = "The {strongest} correlation off the diagonal is that of {one} and {other}, {r}."
    claims = (
        place.label("one", f"{place.path}['rows'][{row}]"),
        place.label("other", f"{place.path}['labels'][{column}]"),
        ClaimDraft("r", f"float({best})", ".2f"),
        ClaimDraft("strongest", f"bool(abs({best}) == {rest})", kind="direction", shown="strongest"),
    )
    return InsightDraft(text, claims)


_WRITERS: dict[str, Callable[[_Place], InsightDraft | None]] = {
    "bar": _bars,
    "barh": _bars,
    "box": _boxes,
    "line": _line,
    "point": _points,
    "wedge": _wedges,
    "image": _correlations,
}
