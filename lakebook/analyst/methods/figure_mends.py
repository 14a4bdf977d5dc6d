"""Mends of a drawn figure that take more than a line of matplotlib; reused components call them by name.

What belongs here: functions that change the artists of one axes so that a reader can read it, without
changing a number. What does not: whether a mend is called for, and the mends of one line
(`lakebook.enhancement.figures`). The source of these functions stands in the notebooks that need them.
Paper: NotebookRAG §4.2.4.
"""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.container import BarContainer
from matplotlib.patches import Wedge


def keep_longest(ax: Axes, most: int = 15) -> None:
    """Keep the longest bars, sorted, and say in the axis label how many there are.

    For one plain group of bars, upright or lying, one a category.
    """
    (group,) = [c for c in ax.containers if isinstance(c, BarContainer)]
    lying = group.orientation == "horizontal"
    axis = ax.yaxis if lying else ax.xaxis
    texts = [text.get_text() for text in axis.get_ticklabels()]
    names = dict(zip(np.round(axis.get_majorticklocs(), 6).tolist(), texts, strict=False))
    bars = list(group.patches)
    lengths = np.array([bar.get_width() if lying else bar.get_height() for bar in bars], dtype=float)
    places = [
        bar.get_y() + bar.get_height() / 2 if lying else bar.get_x() + bar.get_width() / 2 for bar in bars
    ]
    order = np.argsort(-np.nan_to_num(np.abs(lengths)), kind="stable")
    for at in order[most:]:
        bars[at].remove()
    for row, at in enumerate(order[:most]):
        bar = bars[at]
        if lying:
            bar.set_y(row - bar.get_height() / 2)
        else:
            bar.set_x(row - bar.get_width() / 2)
    ax.containers.remove(group)
    kept = BarContainer(
        [bars[at] for at in order[:most]], orientation=group.orientation, label=group.get_label()
    )
    ax.add_container(kept)
    for text in list(ax.texts):
        text.remove()
    axis.set_ticks(range(min(most, len(bars))))
    axis.set_ticklabels([names.get(round(places[at], 6), "") for at in order[:most]])
    label = f"{axis.get_label_text()} (the {most} largest of {len(bars)})".strip()
    if lying:
        ax.set(ylim=(most - 0.4, -0.6), ylabel=label)
    else:
        ax.set(xlim=(-0.6, most - 0.4), xlabel=label)


def bars_for_wedges(ax: Axes, most: int = 15) -> None:
    """Draw the slices of a pie as bars, largest on top, in percent; what is beyond the largest is one bar."""
    wedges = [patch for patch in ax.patches if isinstance(patch, Wedge)]
    legend = ax.get_legend()
    listed = [text.get_text() for text in legend.texts] if legend else []
    names = [str(wedge.get_label()) for wedge in wedges]
    if any(name.startswith("_") or not name for name in names) and len(listed) == len(wedges):
        names = listed
    shares = np.array([(wedge.theta2 - wedge.theta1) / 360 for wedge in wedges])
    title = ax.get_title()
    ax.clear()
    ax.set_axis_on()
    ax.set_aspect("auto")
    order = np.argsort(-shares, kind="stable")
    shown = [(names[at], shares[at]) for at in order[:most]]
    if len(order) > most:
        shown.append((f"other ({len(order) - most})", float(shares[order[most:]].sum())))
    bars = ax.barh([name for name, _ in shown], [100 * share for _, share in shown])
    ax.bar_label(bars, fmt="%.1f%%", padding=3)
    ax.invert_yaxis()
    ax.margins(x=0.15)
    ax.set(title=title, xlabel="Share in percent", ylabel="")
