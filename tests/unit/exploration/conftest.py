"""Small lakes in code, profiled and searched as the command does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from lakebook.exploration.index import SourceIndex
from lakebook.exploration.kept import open_index
from lakebook.exploration.ranking import rank, read_question
from lakebook.exploration.search import SearchResult, search_lake
from lakebook.exploration.selection import Selector
from lakebook.sources.card import SourceMap
from lakebook.sources.profile import profile_lake
from lakebook.sources.scan import scan


@dataclass
class Lake:
    """A folder with its state."""

    folder: Path
    state: Path

    def map(self) -> SourceMap:
        return profile_lake(self.folder, scan(self.folder), self.state)

    def index(self) -> SourceIndex:
        return open_index(self.map(), self.state)

    def search(self, question: str, limit: int = 10, *, selector: Selector | None = None) -> SearchResult:
        return search_lake(self.map(), self.state, question, limit, selector=selector)

    def files(self, question: str) -> list[str]:
        """Paths in the order in which they are found."""
        index = self.index()
        return [index.files[file].path for file, _ in rank(index, read_question(index, question)).files]

    def groups(self, question: str) -> list[str]:
        index = self.index()
        return [index.groups[group].id for group, _ in rank(index, read_question(index, question)).groups]


@pytest.fixture
def make_lake(tmp_path: Path) -> Callable[[dict[str, str]], Lake]:
    def make(files: dict[str, str]) -> Lake:
        for name, content in files.items():
            path = tmp_path / "lake" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        return Lake(tmp_path / "lake", tmp_path / "state")

    return make
