"""What search knows of a component: its columns, its chart and its words, but not its code.

The index holds entries, so that a search over many components reads no code; whoever runs one takes the whole
component from the corpus by its id.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lakebook.correspondence.evidence import OldColumn
from lakebook.notebooks.component import Component, Corpus
from lakebook.notebooks.sources import Source, sources_of
from lakebook.retrieval.old_columns import mentioned_names, named_columns, old_columns, shown_columns
from lakebook.retrieval.spared import spared_columns, used_modules
from lakebook.retrieval.texts import terms


@dataclass(frozen=True, slots=True)
class Entry:
    """A component as search sees it.

    Attributes:
        shown: old columns that the figure shows or groups by.
        needed: old columns without which it cannot run: shown ones, and those that only select rows.
        mentioned: further old columns of its notebook whose names occur in the code.
        words: distinct words of the target's code, sorted: what tells a copy from another idea.
        statements: how many statements stand before the target. modules: what it imports and uses, top level.
        sources: the tables that it reads, if there are more than one.
        spared: needed columns that it may do without: its code never writes them (a whole table is shown), or
            only in lists beside others.
        of_file: the old columns that its notebook uses of the file that it reads.
    """

    id: str
    notebook: str
    cell: int
    shown: tuple[str, ...]
    needed: tuple[str, ...]
    mentioned: tuple[str, ...]
    chart_types: tuple[str, ...]
    heading: str
    words: tuple[str, ...]
    statements: int
    confidence: float
    modules: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    spared: tuple[str, ...] = ()
    of_file: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """Return where it stands: "notebook#cell"."""
        return f"{self.notebook}#{self.cell}"


def entries_of(group: Sequence[Component], known: Iterable[str]) -> list[Entry]:
    """Return the entries of the components of one notebook.

    Args:
        group: the components, as cut.
        known: the old columns of the notebook.
    """
    names = frozenset(known)
    of_file: dict[tuple[str, ...], set[str]] = {}
    files = [one.reads or tuple(source.name for source in sources_of(one.code)) for one in group]
    for component, read in zip(group, files, strict=True):
        of_file.setdefault(read, set()).update(named_columns(component))
    return [_entry(one, names, tuple(sorted(of_file[read]))) for one, read in zip(group, files, strict=True)]


def _entry(component: Component, known: frozenset[str], of_file: tuple[str, ...]) -> Entry:
    needed = named_columns(component)
    mentioned = mentioned_names(component.code) & known - set(needed)
    return Entry(
        id=component.id,
        notebook=component.notebook,
        cell=component.cell,
        shown=tuple(dict.fromkeys((*component.columns, *component.key_columns))),
        needed=needed,
        mentioned=tuple(sorted(mentioned)),
        chart_types=component.chart_types,
        heading=component.heading,
        words=tuple(sorted(set(re.findall(r"\w+", component.target_code)))),
        statements=component.statements_kept,
        confidence=component.confidence,
        modules=used_modules(component),
        sources=several_sources(component),
        spared=spared_columns(component.code, needed),
        of_file=of_file,
    )


def several_sources(component: Component) -> tuple[Source, ...]:
    """Return the tables that a component reads if there are more than one, else nothing."""
    if len(component.reads) < 2 and "" not in component.reads:
        return ()
    found = sources_of(component.code)
    return found if len(found) > 1 else ()


def searchable_terms(entry: Entry) -> tuple[str, ...]:
    """Return what text search sees of a component: heading, columns, chart types, identifiers, in words."""
    return tuple(terms(" ".join((entry.heading, *entry.needed, *entry.chart_types, *entry.words))))


def by_notebook(components: Iterable[Component]) -> dict[str, list[Component]]:
    """Return the components of each notebook, notebooks in order of path."""
    found: dict[str, list[Component]] = {}
    for component in components:
        found.setdefault(component.notebook, []).append(component)
    return dict(sorted(found.items()))


def known_columns(
    corpus: Corpus, groups: Mapping[str, Sequence[Component]]
) -> dict[str, tuple[OldColumn, ...]]:
    """Return the old columns of each notebook, with what its code and its saved outputs tell of them."""
    shown = {notebook.path: shown_columns(notebook) for notebook in corpus.notebooks}
    return {name: old_columns(group, shown.get(name, ())) for name, group in groups.items()}
