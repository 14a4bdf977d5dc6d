"""One table and the columns that a piece of code shows of it, for the tests of column lineage."""

import textwrap

from lakebook.notebooks.columns import UsedColumns, columns_of
from lakebook.notebooks.schema import Profile, Schema

FRUIT = Schema.of_kinds(
    {
        "Date": "datetime",
        "AveragePrice": "number",
        "Total Volume": "number",
        "4046": "number",
        "type": "text",
        "year": "number",
        "region": "text",
    }
)
NUMBERS = ("4046", "AveragePrice", "Total Volume", "year")
PROFILED = Schema(
    FRUIT.columns,
    profiles={
        "Date": Profile("object", 169, 0, 18249),
        "AveragePrice": Profile("float64", 259, 0, 18249),
        "Total Volume": Profile("float64", 18000, 7, 18249),
        "4046": Profile("float64", 17700, 0, 18249),
        "type": Profile("object", 2, 0, 18249),
        "year": Profile("int64", 4, 0, 18249),
        "region": Profile("object", 54, 3, 18249),
    },
)
LOAD = """
import numpy as np
import pandas as pd
import matplotlib.pyplot as plt
import seaborn as sns
import plotly.express as px
import plotly.graph_objects as go
import altair as alt
from collections import Counter
df = pd.read_csv("fruit.csv")
"""


def used(target: str, schema: Schema | None = FRUIT, *, upstream: str = "") -> UsedColumns:
    """Return what the target shows after `df` was loaded and the upstream was run."""
    text = textwrap.dedent(target).strip("\n") + "\n"
    before = LOAD + textwrap.dedent(upstream).strip("\n") + "\n"
    return columns_of(before + text, schema, target_code=text)
