"""A tiny lake and corpus in code, and a project on them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lakebook.pipeline.project import Project


def notebook(*cells: str) -> str:
    """Return a minimal notebook of code cells."""
    made = [
        {
            "cell_type": "code",
            "id": f"c{n}",
            "metadata": {},
            "source": source,
            "outputs": [],
            "execution_count": None,
        }
        for n, source in enumerate(cells)
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    folder = tmp_path / "lake"
    folder.mkdir()
    lines = ["day,shop,sales"]
    for week in range(60):
        month, day = divmod(week, 28)
        for shop, base in (("north", 40), ("south", 90), ("west", 65)):
            lines.append(f"202{month}-0{1 + day // 7}-{1 + day % 28:02d},{shop},{base + 3 * (week % 13)}.5")
    (folder / "sales.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    text = notebook(
        "import pandas as pd\nimport matplotlib.pyplot as plt\ndf = pd.read_csv('/home/me/Sales.csv')",
        "df.groupby('Shop')['Sales'].mean().plot.bar()\nplt.ylabel('mean sales')",
    )
    (folder / "old.ipynb").write_text(text, encoding="utf-8")
    (folder / "broken.ipynb").write_text("{", encoding="utf-8")
    return folder


@pytest.fixture
def project(tmp_path: Path, lake: Path, corpus: Path) -> Project:
    return Project(tmp_path / "state", lake, corpus)
