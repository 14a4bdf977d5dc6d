"""The house style of figures: six small forms, each one call (notes: simple figures suffice).

What belongs here: drawing, and nothing but drawing. Every number that is drawn was computed before, by a
method that the section names. The source of these functions stands in the notebook, so they know only
numpy, pandas and matplotlib. Paper: NotebookRAG §4.2.4 (figures that a reader takes in at a glance).
"""

from collections.abc import Mapping, Sequence

import matplotlib.dates as mdates
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

# Okabe and Ito's colours, told apart by everybody: blue for the message, vermillion for its opposite.
BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#AA4499"
GREY, INK = "#8C8C8C", "#333333"


def short_number(value: float) -> str:
    """Write a number with about three digits, in words a reader knows: 1,234 · 56.7k · 1.2M · 0.031."""
    size = abs(float(value))
    for least, suffix in ((1e9, "B"), (1e6, "M"), (1e4, "k")):
        # 999,999 prints as 1M: what rounds up to a unit is written in it.
        if size >= 0.9995 * least:
            scaled = value / (1e3 if suffix == "k" else least)
            return f"{scaled:,.3g}{suffix}" if abs(scaled) < 999.5 else f"{scaled:,.0f}{suffix}"
    if size >= 100 or float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:.3g}" if size >= 0.001 else f"{value:.1e}"


def short_label(text: object, width: int = 28) -> str:
    """Cut a label to a width, and keep a dollar sign from being read as the start of a formula."""
    plain = " ".join(str(text).split())
    return (plain if len(plain) <= width else plain[: width - 1] + "…").replace("$", r"\$")


def wrap_label(text: object, width: int) -> str:
    """Break a label at its spaces into at most two lines of a width, cut where that is not enough."""
    words = str(text).split()
    half = next((n for n in range(len(words), 0, -1) if len(" ".join(words[:n])) <= width), 1)
    rest = " ".join(words[half:])
    return short_label(" ".join(words[:half]), width) + (f"\n{short_label(rest, width)}" if rest else "")


def wrap_title(figure: Figure, title: str) -> None:
    """Put the title on the figure, left, in lines as long as fit by their drawn width."""
    text = figure.suptitle("", x=0.012, ha="left", fontsize=12, fontweight="bold", color=INK)
    lines = [""]
    for word in title.replace("$", r"\$").split():
        text.set_text(f"{lines[-1]} {word}".strip())
        if text.get_window_extent().width > 0.96 * figure.bbox.width and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    text.set_text("\n".join(lines))


def new_figure(title: str, xlabel: str = "", ylabel: str = "", height: float = 3.8) -> Axes:
    """Open a figure of the house size with its title, and return the axes to draw on."""
    figure, ax = plt.subplots(figsize=(7.2, height), dpi=100, layout="constrained")
    wrap_title(figure, title)
    ax.set_xlabel(xlabel.replace("$", r"\$"), color=INK)
    ax.set_ylabel(ylabel.replace("$", r"\$"), color=INK)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=9, colors=INK)
    return ax


def number_axis(ax: Axes, which: str, percent: bool = False) -> None:
    """Write the ticks of one axis ("x" or "y") as short numbers, or as percentages."""
    axis = ax.xaxis if which == "x" else ax.yaxis
    axis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:.0%}" if percent else short_number(v)))


def draw_bars(
    labels: Sequence[object],
    values: Sequence[float],
    title: str,
    xlabel: str,
    texts: Sequence[str] = (),
    highlight: Sequence[object] = (),
    ordered: bool = False,
    percent: bool = False,
) -> Axes:
    """Draw horizontal bars, longest on top, with their values beside them; negative ones in vermillion.

    `texts` replaces the printed values; `highlight` leaves the other bars grey; `ordered` keeps the order
    given (for levels that have one of their own).
    """
    amounts = np.asarray(values, dtype=float)
    rank = np.arange(len(amounts)) if ordered else np.argsort(-amounts, kind="stable")
    names = [short_label(labels[i]) for i in rank]
    amounts = amounts[rank]
    shown = (
        [texts[i] for i in rank]
        if len(texts)
        else [f"{v:.1%}" if percent else short_number(v) for v in amounts]
    )
    chosen = [not len(highlight) or labels[i] in highlight for i in rank]
    colours = [
        (ORANGE if v < 0 else BLUE) if own else "#BBBBBB" for v, own in zip(amounts, chosen, strict=True)
    ]
    ax = new_figure(title, xlabel, height=float(np.clip(1.5 + 0.27 * len(amounts), 2.4, 6.5)))
    places = np.arange(len(amounts))
    ax.barh(places, amounts, color=colours, height=0.72)
    ax.set_yticks(places, names)
    ax.invert_yaxis()
    for place, value, text in zip(places, amounts, shown, strict=True):
        left = value < 0
        ax.annotate(
            text,
            (value, place),
            xytext=(-4 if left else 4, 0),
            textcoords="offset points",
            va="center",
            ha="right" if left else "left",
            fontsize=9,
            color=INK,
        )
    room = 0.16 * max(float(amounts.max(initial=0.0) - amounts.min(initial=0.0)), 1e-12)
    ax.set_xlim(
        min(0.0, amounts.min(initial=0.0) - room * (amounts.min(initial=0.0) < 0)),
        max(0.0, amounts.max(initial=0.0) + room * (amounts.max(initial=0.0) > 0)),
    )
    ax.axvline(0, color=INK, linewidth=0.8)
    ax.tick_params(axis="y", length=0)
    number_axis(ax, "x", percent)
    return ax


def draw_histogram(values: Sequence[float], title: str, xlabel: str, log: bool = False) -> Axes:
    """Draw a histogram of 12 to 40 equal bins with the median marked; `log` puts x on a log scale."""
    data = np.asarray(values, dtype=float)
    data = data[np.isfinite(data) & ((data > 0) if log else True)]
    ax = new_figure(title, f"{xlabel} (log scale)" if log else xlabel, "Rows")
    scale = np.log10(data) if log else data
    low, high = float(scale.min()), float(scale.max())
    spread = float(np.subtract(*np.percentile(scale, [75, 25])))
    wish = (high - low) / (2 * spread * len(scale) ** (-1 / 3)) if spread > 0 else 12.0
    edges = np.linspace(low, high if high > low else low + 1, int(np.clip(np.ceil(wish), 12, 40)) + 1)
    ax.hist(
        data, bins=list(10**edges if log else edges), color=BLUE, alpha=0.75, edgecolor="white", linewidth=0.5
    )
    if log:
        ax.set_xscale("log")
    median = float(np.median(data))
    ax.axvline(median, color=ORANGE, linewidth=1.6)
    ax.set_ylim(0, ax.get_ylim()[1] * 1.12)
    ax.annotate(
        f"median {short_number(median)}",
        (median, ax.get_ylim()[1]),
        xytext=(5, -3),
        textcoords="offset points",
        va="top",
        color=ORANGE,
        fontsize=9,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
    )
    number_axis(ax, "x")
    number_axis(ax, "y")
    return ax


def break_gaps(series: pd.Series) -> pd.Series:
    """Put a blank where a step is missing, so that no line is drawn across a gap."""
    clean = series.dropna().sort_index()
    steps = clean.index.to_series().diff()
    wide = steps > 1.5 * steps.median()
    blanks = pd.Series(np.nan, index=clean.index[wide.to_numpy()] - steps[wide].to_numpy() / 2)
    return pd.concat([clean, blanks]).sort_index() if len(blanks) else clean


def draw_lines(
    lines: Mapping[str, pd.Series],
    title: str,
    ylabel: str,
    xlabel: str = "",
    highlight: Sequence[str] = (),
    percent: bool = False,
    zero: bool = False,
) -> Axes:
    """Draw up to eight lines over a numeric or time index, blank at gaps, each named at its end.

    `highlight` names the one to three lines that carry the message; the others turn grey. `zero` makes
    the value axis start at zero.
    """
    ax = new_figure(title, xlabel, ylabel)
    palette = [BLUE, ORANGE, GREEN, PURPLE, "#56B4E9", "#E69F00", INK, GREY]
    ends: list[tuple[float, object, str, str]] = []
    for number, (name, series) in enumerate(lines.items()):
        loud = not len(highlight) or name in highlight
        colour = palette[number % len(palette)] if loud else "#BBBBBB"
        clean = break_gaps(series)
        ax.plot(
            clean.index,
            clean.to_numpy(dtype=float),
            color=colour,
            linewidth=1.8 if loud else 1.0,
            zorder=3 if loud else 2,
        )
        if len(clean) and len(lines) > 1:
            ends.append((float(clean.iloc[-1]), clean.index[-1], name, colour if loud else GREY))
    if zero:
        ax.set_ylim(bottom=0)
    ax.margins(x=0.01)
    number_axis(ax, "y", percent)
    if any(isinstance(series.index, pd.DatetimeIndex) for series in lines.values()):
        locator = mdates.AutoDateLocator(minticks=4, maxticks=9)  # type: ignore[no-untyped-call]
        ax.xaxis.set_major_locator(locator)
        ax.xaxis.set_major_formatter(mdates.ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    name_ends(ax, ends)
    return ax


def name_ends(ax: Axes, ends: Sequence[tuple[float, object, str, str]]) -> None:
    """Write names right of the axes at the height of the line ends, pushed apart so that none overlap."""
    low, high = ax.get_ylim()
    step = 0.075 * (high - low)
    free = -np.inf
    for value, place, name, colour in sorted(ends, key=lambda end: end[0]):
        free = max(value, free + step)
        ax.annotate(
            short_label(name, 22),
            (place, value),
            xytext=(1.01, (free - low) / (high - low)),
            textcoords="axes fraction",
            va="center",
            ha="left",
            fontsize=9,
            color=colour,
            annotation_clip=False,
        )


def draw_dots(
    labels: Sequence[object],
    values: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    title: str,
    xlabel: str,
    reference: float | None = None,
    reference_name: str = "",
    ordered: bool = False,
    percent: bool = False,
) -> Axes:
    """Draw one dot a level with its interval, largest on top, and a dashed line at the reference."""
    amounts = np.asarray(values, dtype=float)
    rank = np.arange(len(amounts)) if ordered else np.argsort(-amounts, kind="stable")
    places = np.arange(len(rank))
    lows, highs = np.asarray(low, dtype=float)[rank], np.asarray(high, dtype=float)[rank]
    ax = new_figure(title, xlabel, height=float(np.clip(1.6 + 0.28 * len(rank), 2.6, 6.5)))
    ax.hlines(places, lows, highs, color=BLUE, linewidth=1.8)
    ax.plot(amounts[rank], places, "o", color=BLUE, markersize=6)
    ax.set_yticks(places, [short_label(labels[i]) for i in rank])
    ax.set_ylim(len(rank) - 0.4, -0.9 if reference_name else -0.6)
    if reference is not None:
        ax.axvline(reference, color=ORANGE, linestyle="--", linewidth=1.3, zorder=1)
        if reference_name:
            ax.annotate(
                reference_name,
                (reference, -0.9),
                xytext=(4, -2),
                textcoords="offset points",
                va="top",
                fontsize=9,
                color=ORANGE,
            )
    ax.grid(axis="x", color="#E5E5E5", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.margins(x=0.08)
    number_axis(ax, "x", percent)
    return ax


def draw_points(
    x: Sequence[float],
    y: Sequence[float],
    title: str,
    xlabel: str,
    ylabel: str,
    log_x: bool = False,
    log_y: bool = False,
) -> Axes:
    """Draw a scatter of up to 3,000 points, and hexagons shaded by the number of rows above that."""
    across, up = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    keep = (
        np.isfinite(across)
        & np.isfinite(up)
        & ((across > 0) if log_x else True)
        & ((up > 0) if log_y else True)
    )
    across, up = across[keep], up[keep]
    ax = new_figure(
        title, f"{xlabel} (log scale)" if log_x else xlabel, f"{ylabel} (log scale)" if log_y else ylabel
    )
    if len(across) > 3000:
        shades = LinearSegmentedColormap.from_list("rows", ["#DCE9F2", BLUE, "#00304D"])
        cells = ax.hexbin(
            across,
            up,
            gridsize=36,
            bins="log",
            mincnt=1,
            cmap=shades,
            linewidths=0.1,
            xscale="log" if log_x else "linear",
            yscale="log" if log_y else "linear",
        )
        bar = ax.figure.colorbar(cells, ax=ax, label="Rows in a cell (log scale)", pad=0.01)
        bar.outline.set_visible(False)
    else:
        alpha = float(np.clip(60 / max(len(across), 1), 0.25, 0.9))
        ax.scatter(across, up, s=16, color=BLUE, alpha=alpha, linewidths=0)
        ax.set_xscale("log" if log_x else "linear")
        ax.set_yscale("log" if log_y else "linear")
    number_axis(ax, "x")
    number_axis(ax, "y")
    return ax


def draw_table(
    frame: pd.DataFrame,
    title: str,
    xlabel: str,
    ylabel: str,
    spec: str = ",.2f",
    center: float | None = None,
) -> Axes:
    """Draw a small table with its cells shaded and their numbers written in; `center` splits two colours."""
    cells = frame.to_numpy(dtype=float)
    ax = new_figure(title, xlabel, ylabel, height=float(np.clip(1.6 + 0.32 * len(frame), 2.6, 7.0)))
    low, high = float(np.nanmin(cells)), float(np.nanmax(cells))
    if center is not None:
        reach = max(high - center, center - low, 1e-12)
        shades = LinearSegmentedColormap.from_list("two", [ORANGE, "#FFFFFF", BLUE])
        norm = Normalize(center - reach, center + reach)
    else:
        shades = LinearSegmentedColormap.from_list("one", ["#F5F9FC", BLUE])
        norm = Normalize(low, high if high > low else low + 1)
    ax.imshow(cells, cmap=shades, norm=norm, aspect="auto")
    ax.set_xticks(range(frame.shape[1]), [wrap_label(name, 88 // frame.shape[1]) for name in frame.columns])
    ax.set_yticks(range(frame.shape[0]), [short_label(name) for name in frame.index])
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    size = 9 if frame.shape[1] <= 8 else 7
    for row, column in np.ndindex(*cells.shape):
        if np.isfinite(cells[row, column]):
            red, green, blue, _ = shades(norm(cells[row, column]))
            dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.55
            ax.text(
                column,
                row,
                format(cells[row, column], spec),
                ha="center",
                va="center",
                fontsize=size,
                color="white" if dark else INK,
            )
    return ax


def draw_calendar(
    stamps: pd.Series,
    title: str,
    off_grid: Sequence[str] = (),
    gaps: Sequence[Sequence[str]] = (),
) -> Axes:
    """Draw one row a year with a tick for every date; dates off the grid in vermillion, gaps shaded."""
    dates = pd.DatetimeIndex(np.sort(stamps.dropna().unique())).normalize().unique()
    years = list(range(int(dates.year.min()), int(dates.year.max()) + 1))[-25:]
    ax = new_figure(title, height=float(np.clip(1.4 + 0.3 * len(years), 2.4, 6.5)))
    odd = pd.DatetimeIndex(list(off_grid)).normalize()
    for days, colour, width in ((dates.difference(odd), BLUE, 1.0), (odd, ORANGE, 2.2)):
        rows = [years.index(year) if year in years else -9 for year in days.year]
        ax.vlines(
            days.day_of_year, np.array(rows) - 0.36, np.array(rows) + 0.36, color=colour, linewidth=width
        )
    for after, before in gaps:
        inside = pd.date_range(after, before, freq="D")[1:-1]
        for year in inside.year.unique():
            if year in years:
                part = inside[inside.year == year].day_of_year
                box = [(part.min() - 0.5, part.max() - part.min() + 1)]
                ax.broken_barh(box, (years.index(year) - 0.42, 0.84), color="#F3D9C9", zorder=0)
    ax.set_yticks(range(len(years)), [str(year) for year in years])
    ax.set_ylim(len(years) - 0.4, -0.6)
    firsts = pd.date_range("2001-01-01", periods=12, freq="MS")
    ax.set_xticks(firsts.day_of_year, [f"{month:%b}" for month in firsts])
    ax.set_xlim(-2, 369)
    ax.tick_params(length=0)
    note = (
        "one tick a date"
        + (", vermillion: off the grid" if len(odd) else "")
        + (", shaded: gap" if gaps else "")
    )
    ax.set_xlabel(note, color=INK)
    return ax
