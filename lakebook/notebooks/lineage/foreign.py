"""Functions of modules that are not there, such as the author's own: what they give and draw is guessed.

What they are called and what they are handed tells most: a table gives a table, `load_data` one of a file,
`plot_bar(df, "city", "pay")` shows two columns. All of it is in doubt. Libraries: `library`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from lakebook.notebooks.lineage.arguments import Call
from lakebook.notebooks.lineage.shown import UNKNOWN_OBJECT, Shown
from lakebook.notebooks.lineage.values import Column, Frame, Groups, Label, bases_of, combined, texts
from lakebook.notebooks.taxonomy import chart_types, names

FOREIGN_TABLE = "a table is made by a function that is not there"

_ROLES = names("columns", "roles").exact
_DRAWS = re.compile(r"plot|draw|show_|visuali[sz]|chart|histogram|heatmap|scatter", re.I)
_DRAWING_MODULE = re.compile(r"viz|vis|visuali[sz]\w*|plot\w*|charts?|graphs?|figures?", re.I)
_LOADS = re.compile(
    r"(?!.*(model|weight|config|setting|param|image|img|colou?r|palette|css|env|font|style|shape))\w*?(load|read_|fetch|ingest|"
    r"(get|make|build|create|prepare|import|open|clean|process)\w*(data|df|frame|table|train|test))",
    re.I,
)
# what is named to these is changed, the rest of the table stays
_CHANGES = re.compile(
    r"clean|drop|remove|encod|fill|conver|prep|normal|scal|process|add|transform|imput|filter|rename|"
    r"outlier|fix|cast|map|bin|log",
    re.I,
)
_Tables = (Frame, Groups)
_NO_CHART = frozenset({"plot", "draw", "show", "plots"})


def is_drawing(path: str) -> bool:
    """Return True for a function that seems to draw, by its name or that of its module."""
    module, _, name = path.rpartition(".")
    return bool(_DRAWS.search(name) or _DRAWING_MODULE.fullmatch(module.rpartition(".")[2]))


def show_foreign(shown: Shown, name: str, call: Call) -> bool:
    """Show what a drawing function that is not there is handed; return whether it got any data.

    Columns that are named to it beat those of the whole table.
    """
    frames = _frames(call)
    given = [item for item in call.values() if bases_of(item) and not _holds_table(item)]
    named = [frame.column(label) for frame in frames for label in named_columns(frame, call)]
    if not frames and not given:
        return False
    for item in given:
        shown.add(item)
    for column in named:
        shown.show(column.bases)
    for frame in frames:
        shown.filters |= frame.filters
        if not named and not given:
            shown.add(frame)
    chart = _chart_called(name)
    if chart:
        shown.chart(chart)
    shown.doubt(UNKNOWN_OBJECT)
    return True


def foreign_result(name: str, call: Call, load: Callable[[str], Frame]) -> object:
    """Return what a function that is not there gives: a table for a table, or one that it loads.

    Args:
        name: of the function.
        call: its arguments.
        load: gives a table as it is loaded.
    """
    frames = _frames(call)
    if frames:
        labels = () if _CHANGES.search(name) else tuple(named_columns(frames[0], call))
        return _in_doubt(frames[0], labels)
    if any(map(bases_of, call.values())):
        return combined(call.values())
    return _in_doubt(load("")) if _LOADS.match(name) else None


def named_columns(frame: Frame, call: Call) -> Iterator[str]:
    """Yield the columns of a table that the arguments of a call name."""
    for role, item in (*(("", one) for one in call.positional), *call.keywords.items()):
        for text in texts(item):
            may_be_new = frame.open and (role in _ROLES or (not role and " " not in text))
            if text in frame.columns or text in frame.index or (may_be_new and text not in chart_types()):
                yield text


def _in_doubt(frame: Frame, labels: tuple[str, ...] = ()) -> Frame:
    """Return a table that may have the columns of another; with labels, those first of all."""
    known = {name: frame.column(name) for name in labels} or frame.columns
    columns: dict[Label, Column] = {
        name: Column(one.bases, "unknown" if labels else one.kind, doubt=FOREIGN_TABLE)
        for name, one in known.items()
    }
    result = frame.copy(columns, is_open=frame.open or bool(labels))
    result.doubt, result.is_foreign, result.is_loaded = FOREIGN_TABLE, True, not labels
    result.is_renamed = result.open  # so that what nobody has named yet is in doubt, too
    return result


def _holds_table(value: object) -> bool:
    parts = value if isinstance(value, (list, tuple)) else [value]
    return any(isinstance(one, _Tables) for one in parts)


def _frames(call: Call) -> list[Frame]:
    found: list[Frame] = []
    for item in call.values():
        parts = item if isinstance(item, (list, tuple)) else [item]
        found += [one.frame if isinstance(one, Groups) else one for one in parts if isinstance(one, _Tables)]
    return found


def _chart_called(name: str) -> str:
    for word in (name, *re.split(r"_|(?<=[a-z])(?=[A-Z])", name)):
        for one in (word.lower(), word.lower().rstrip("s"), f"{word.lower().rstrip('s')}plot"):
            if one in chart_types() and one not in _NO_CHART:
                return one
    return ""
