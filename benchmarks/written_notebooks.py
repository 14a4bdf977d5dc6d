"""Notebooks of our own for benchmarks: one table, many ways to clean it, fifteen plots each.

What belongs here: a table of weekly sales with a seed, and notebooks that load it, clean it in several steps
and plot what people plot. What does not: what is measured with them (`rerun`). A notebook's steps and plots
are drawn by its number, so that the same number gives the same notebook.
"""

from __future__ import annotations

import random
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

COLUMNS = ("Date", "Region", "Type", "AveragePrice", "Total Volume", "Total Bags", "Small Bags", "Large Bags")

_IMPORTS = "import pandas as pd\nimport numpy as np\nimport matplotlib.pyplot as plt\nimport seaborn as sns\n"
_LOAD = "df = pd.read_csv('../input/weekly/sales.csv')\ndf.head()"
_STEPS = (
    "df['Date'] = pd.to_datetime(df['Date'])",
    "df = df.drop_duplicates()",
    "df = df.dropna(subset=['AveragePrice', 'Total Volume'])",
    "df['Revenue'] = df['AveragePrice'] * df['Total Volume']",
    "df['Type'] = df['Type'].str.strip().str.lower()",
    "df['Bag share'] = df['Total Bags'] / df['Total Volume']",
    "df = df.sort_values('Date')",
    "df['Region'] = df['Region'].str.title()",
)
_DERIVED = (
    "df['Month'] = df['Date'].dt.month\ndf['Year'] = df['Date'].dt.year",
    "df['Log volume'] = np.log1p(df['Total Volume'])",
    "by_region = df.groupby('Region')[['AveragePrice', 'Total Volume']].mean()",
    "weekly = df.groupby(['Date', 'Type'])['Total Volume'].sum().unstack()",
)
_PLOTS = (
    "plt.figure(figsize=(10, 5))\ndf['AveragePrice'].hist(bins=30)\nplt.title('Average price')",
    "sns.boxplot(x='Type', y='AveragePrice', data=df)\nplt.title('Price by type')",
    "sns.histplot(df['Log volume'], bins=40, kde=True)",
    "by_region['AveragePrice'].sort_values().plot.barh(figsize=(8, 10))\nplt.xlabel('Average price')",
    "weekly.plot(figsize=(12, 5))\nplt.ylabel('Total volume')",
    "plt.scatter(df['Total Volume'], df['AveragePrice'], s=4, alpha=.3)\nplt.xscale('log')\n"
    "plt.xlabel('Total volume')\nplt.ylabel('Average price')",
    "sns.heatmap(df[['AveragePrice', 'Total Volume', 'Total Bags', 'Small Bags']].corr(), annot=True)",
    "df.groupby('Month')['AveragePrice'].mean().plot(kind='bar')\nplt.ylabel('Average price')",
    "sns.countplot(x='Year', data=df)",
    "df.groupby('Year')['Total Volume'].sum().plot(marker='o')\nplt.ylabel('Total volume')",
    "sns.violinplot(x='Year', y='AveragePrice', data=df)",
    "df['Type'].value_counts().plot.pie(autopct='%1.1f%%')",
    "fig, axes = plt.subplots(1, 2, figsize=(12, 4))\naxes[0].hist(df['Bag share'].clip(0, 1), bins=25)\n"
    "axes[0].set_xlabel('Bag share')\naxes[1].hist(df['AveragePrice'], bins=25)\n"
    "axes[1].set_xlabel('Average price')",
    "top = by_region.nlargest(10, 'Total Volume')\nplt.bar(top.index, top['Total Volume'])\n"
    "plt.xticks(rotation=60)\nplt.ylabel('Total volume')",
    "for kind, part in df.groupby('Type'):\n"
    "    monthly = part.groupby('Month')['Total Volume'].mean()\n"
    "    plt.plot(monthly.index, monthly.values, label=kind)\n"
    "plt.legend()\nplt.xlabel('Month')\nplt.ylabel('Total volume')",
    "sns.lineplot(x='Month', y='AveragePrice', hue='Type', data=df, errorbar=None)",
    "df.groupby('Type')[['Small Bags', 'Large Bags']].sum().plot(kind='bar', stacked=True)",
    "df.set_index('Date')['Revenue'].resample('ME').sum().plot()\nplt.ylabel('Revenue')",
    "sns.scatterplot(x='Total Bags', y='Total Volume', hue='Type', data=df.sample(2000, random_state=1))",
    "df.plot.scatter(x='Small Bags', y='Large Bags', alpha=.2)",
)


def write_table(path: Path, rows: int, seed: int = 7) -> None:
    """Write the table: one row a week, region and type, as far as `rows` go."""
    rng = np.random.default_rng(seed)
    regions = [f"Region {letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWX"]
    weeks = -(-rows // (len(regions) * 2))
    index = pd.MultiIndex.from_product(
        [pd.date_range("2015-01-04", periods=weeks, freq="7D"), regions, ["conventional", "organic"]],
        names=["Date", "Region", "Type"],
    )
    frame = index.to_frame(index=False).head(rows)
    season = 0.2 * np.sin(2 * np.pi * frame["Date"].dt.dayofyear / 365.25)
    frame["AveragePrice"] = (1.1 + 0.5 * (frame["Type"] == "organic") + season).round(2)
    frame["AveragePrice"] += rng.normal(0, 0.15, len(frame)).round(2)
    frame["Total Volume"] = np.exp(rng.normal(11, 1.2, len(frame))).round(2)
    share = rng.beta(2, 5, len(frame))
    frame["Total Bags"] = (frame["Total Volume"] * share).round(2)
    frame["Small Bags"] = (frame["Total Bags"] * 0.8).round(2)
    frame["Large Bags"] = (frame["Total Bags"] * 0.2).round(2)
    frame.to_csv(path, index=False)


def write_notebook(path: Path, number: int, plots: int = 15) -> None:
    """Write one notebook; a plot cell each for `plots` plots."""
    drawn = random.Random(number)  # noqa: S311 - no secret
    cells = [
        new_markdown_cell(f"# Weekly sales, take {number}"),
        new_code_cell(_IMPORTS),
        new_code_cell(_LOAD),
    ]
    first, rest = _STEPS[0], list(_STEPS[1:])
    cells += [new_code_cell(step) for step in (first, *drawn.sample(rest, len(rest)))]
    cells += [new_code_cell(step) for step in _DERIVED]
    cells += [new_code_cell(f"{plot}\nplt.show()") for plot in drawn.sample(_PLOTS, plots)]
    nbformat.write(new_notebook(cells=cells, metadata={"language_info": {"name": "python"}}), path)
