"""Fixes that need the table: columns named only at run time, dates taken for text, lost usual imports.

What does not belong here: edits that look at the code alone (`pandas_rules`, `plot_rules`).
"""

from __future__ import annotations

import re
from dataclasses import replace

from lakebook.analyst.table import Table
from lakebook.correspondence.evidence import OldColumn
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.enhanced import Repair
from lakebook.enhancement.repairs.rule import Fault, TableFix
from lakebook.retrieval.correspondence import correspond

# Aliases that everybody uses, for components whose import line was lost.
_USUAL_IMPORTS = {
    "sns": "import seaborn as sns",
    "seaborn": "import seaborn",
    "mpl": "import matplotlib as mpl",
    "matplotlib": "import matplotlib",
    "px": "import plotly.express as px",
    "go": "import plotly.graph_objects as go",
    "datetime": "import datetime",
    "os": "import os",
    "re": "import re",
    "math": "import math",
}
_TEXT_OF_DATE = re.compile(
    r"\.str accessor|argument of type 'Timestamp'|'Timestamp' object is not (iterable|subscriptable)"
    r"|'(Timestamp|DatetimeArray)' object has no attribute '(split|replace|strip)'"
)
_MISSING_COLUMN = (
    r"'DataFrame' object has no attribute '(\w+)'",
    r"Could not interpret value `([^`]+)`",
    r"Expected one of .* but received: (\S.*)$",
)


def _map_column(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Map a column that the code names only at run time, if the table has an unused counterpart."""
    names = [name for pattern in _MISSING_COLUMN for name in re.findall(pattern, str(fault))]
    if fault.name == "KeyError":
        names += re.findall(r"'([^']+)'", fault.message)
    known = {column.name for column in table.columns}
    taken = set(adapted.renames.values()) | (known - set(adapted.renames))
    wanted = [OldColumn(name) for name in dict.fromkeys(names) if name not in taken]
    old = [OldColumn(name) for name in adapted.renames.values()]
    pairs = [
        pair
        for pair in correspond([*old, *wanted], table)
        if pair.old in {column.name for column in wanted} and pair.new not in adapted.renames
    ]
    if not pairs:
        return None
    more = {pair.new: pair.old for pair in pairs}
    repairs = [Repair("map_column", pair.old, f"{pair.new} ({pair.reason})") for pair in pairs]
    return replace(adapted, renames={**adapted.renames, **more}, repairs=(*adapted.repairs, *repairs))


def _dates_as_text(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Give dates as text to code that takes them apart as text."""
    if adapted.text_dates or not adapted.dates or not _TEXT_OF_DATE.search(str(fault)):
        return None
    repair = Repair("dates_as_text", ", ".join(adapted.dates), "given as text (year-month-day)")
    return replace(adapted, text_dates=adapted.dates, repairs=(*adapted.repairs, repair))


def _import(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Import what is used under its usual alias and was never imported."""
    match = re.search(r"name '(\w+)' is not defined", fault.message)
    line = _USUAL_IMPORTS.get(match[1]) if match and fault.name == "NameError" else None
    if line is None:
        return None
    return adapted.repaired(adapted.script.preceded_by(line), [Repair("missing_import", "", line)])


FIXES = (
    TableFix("dates_as_text", "dates are taken apart as text", _dates_as_text, _TEXT_OF_DATE.pattern),
    TableFix("missing_import", "a usual import was lost", _import, r"^NameError: name '\w+' is not defined"),
    TableFix(
        "map_column",
        "a column is named only at run time",
        _map_column,
        "|".join(["^KeyError", *_MISSING_COLUMN]),
    ),
)
