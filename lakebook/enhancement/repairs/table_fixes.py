"""Fixes of names that the code lost on its way: imports under their usual alias.

What does not belong here: edits of what the code does with its data (the modules beside).
"""

from __future__ import annotations

import re

from lakebook.analyst.table import Table
from lakebook.enhancement.adapted import Adapted
from lakebook.enhancement.enhanced import Repair
from lakebook.enhancement.repairs.rule import Fault, TableFix

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


def _import(adapted: Adapted, fault: Fault, table: Table) -> Adapted | None:
    """Import what is used under its usual alias and was never imported."""
    match = re.search(r"name '(\w+)' is not defined", fault.message)
    line = _USUAL_IMPORTS.get(match[1]) if match and fault.name == "NameError" else None
    if line is None:
        return None
    return adapted.repaired(adapted.script.preceded_by(line), [Repair("missing_import", "", line)])


FIXES = (
    TableFix("missing_import", "a usual import was lost", _import, r"^NameError: name '\w+' is not defined"),
)
