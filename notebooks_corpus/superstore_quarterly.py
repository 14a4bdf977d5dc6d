# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Quarterly review
# The same three pictures every quarter. Kept as a script so that the diff can be read.

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

DATA = Path("exports")

# %%
orders = pd.read_csv(DATA / "superstore.csv", encoding="latin1")
orders["Order Date"] = pd.to_datetime(orders["Order Date"])
orders["quarter"] = orders["Order Date"].dt.to_period("Q").astype(str)
history = orders  # the same table, under the name the template uses

# %%
history["margin"] = history["Profit"] / history["Sales"]

# %% [markdown]
# ## Margin
# Written through the other name, read here.

# %%
orders.groupby("quarter")["margin"].mean().plot(marker="o")
plt.ylabel("profit / sales")

# %% [markdown]
# ## Sums by quarter

# %%
sums = {}
for column in ["Sales", "Profit", "Quantity"]:
    sums[column] = orders.groupby("quarter")[column].sum()

# %%
sums["Profit"].plot.bar(title="Profit")

# %% [markdown]
# ## Where

# %%
count = 0


def by(key):
    """Counts its calls, too, which nobody reads."""
    global count
    count += 1
    return orders.groupby(key)["Sales"].sum().sort_values()


# %%
by("Region").plot.barh()
