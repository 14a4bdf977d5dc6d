"""New names of columns on figures that were drawn under the old ones.

What belongs here: texts of a figure that are exactly an old name. What does not: titles that only mention it,
which are the author's words.
"""

from typing import Any

import matplotlib.pyplot as plt


def relabel(names: dict[str, str]) -> None:
    """Write the new name wherever an open figure shows exactly an old one: labels, legends, ticks."""
    for number in plt.get_fignums():
        figure = plt.figure(number)
        for axes in figure.axes:
            legend = axes.get_legend()
            words = [axes.title, axes.xaxis.label, axes.yaxis.label]
            words += [legend.get_title(), *legend.get_texts()] if legend else []
            for text in words:
                text.set_text(names.get(text.get_text(), text.get_text()))
            artists: list[Any] = [*axes.lines, *axes.collections, *axes.patches, *axes.containers]
            for artist in artists:
                if str(artist.get_label()) in names:
                    artist.set_label(names[str(artist.get_label())])
            for axis in [axes.xaxis, axes.yaxis]:
                shown = [label.get_text() for label in axis.get_ticklabels()]
                if any(label in names for label in shown):
                    axis.set_ticks(axis.get_ticklocs(), [names.get(label, label) for label in shown])
