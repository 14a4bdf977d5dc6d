"""The cells before the first section: what was asked, what was found, set-up, methods, load, prepare."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from nbformat import NotebookNode

from lakebook.analyst.intent import IntentKind
from lakebook.analyst.plan import Finding
from lakebook.report.cells import code_cell, markdown_cell, provenance
from lakebook.report.document import NotebookDocument
from lakebook.report.insights import WHERE_NUMBERS, published
from lakebook.report.markup import anchor, code, escape, link, path_from

FEWEST_KEY_FINDINGS, MOST_KEY_FINDINGS, MOST_TRAPS = 3, 6, 2
_ABOUT_DATA = ("S0", "S10", "S12", "S13", "S14", "S17")
_GROUND = ("U01", "U04", "R06")
_CHANGE_NUMBERS = ("S04", "S06", "S08", "S10")

SETUP = """\
import hashlib
import os
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import stats

# The one place to change if the data moves: LAKEBOOK_DATA_DIR if it is set, else the folder as seen from
# this notebook, else where it was when the analysis was made.
NAMED = os.environ.get("LAKEBOOK_DATA_DIR")
PLACES = [NAMED] if NAMED else [{relative}, {absolute}]
DATA_DIR = next((Path(place) for place in PLACES if Path(place).is_dir()), None)
if DATA_DIR is None:
    raise FileNotFoundError(f"There is no data folder at {{PLACES}}: set LAKEBOOK_DATA_DIR to it.")
"""

LOADED = """\

with (DATA_DIR / {path}).open("rb") as file:
    same_file = hashlib.file_digest(file, "sha256").hexdigest() == {sha256}
print(f"{{len(df):,}} rows loaded; the analysis was made on {rows:,} of {rows_in_file:,} rows in the file.")
print("The file is the one that was analysed." if same_file else "The file has changed since the analysis.")
df.head(3)
"""

LOADED_TOGETHER = """\

print(f"{{len(df):,}} rows loaded from {files} files; the analysis was made on {rows:,} of {rows_in_file:,}.")
df.head(3)
"""

SAME_FILES = """\
FILES = {{
{hashes}}}
changed = []
for path, sha256 in FILES.items():
    with (DATA_DIR / path).open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
            changed.append(path)
if changed:
    print(f"Changed since the analysis: {{', '.join(changed)}}.")
else:
    print(f"All {{len(FILES)}} files are the ones that were analysed.")
"""


KINDS: dict[IntentKind, str] = {
    "forecast": "forecast",
    "classify": "classification",
    "regress": "explanation by regression",
    "compare": "comparison",
    "describe": "description",
    "anomaly": "search for what is unusual",
    "segment": "segmentation",
}


def numbered(position: int, finding: Finding) -> str:
    """Return the heading text of a section, as a reader sees it."""
    return f"{position}. {' '.join(finding.title.split())}"


def opening_cells(document: NotebookDocument, findings: Sequence[Finding]) -> Iterator[NotebookNode]:
    """Make every cell that stands before the first section."""
    yield markdown_cell("title", _title(document), role="title")
    yield _answer(document, findings)
    yield markdown_cell("about", _about(document), role="about")
    setup = setup_code(document.data_dir, document.out_dir)
    yield markdown_cell("setup-head", "## Set-up and data", role="heading")
    yield code_cell("setup", setup, role="setup", tags=("parameters",))
    if document.methods.strip():
        note = "The methods that the sections call. They are plain functions; unfold the cell to read them."
        yield markdown_cell("methods-head", note, role="note")
        yield code_cell("methods", document.methods, role="methods", hidden=True)
    yield from _load(document)
    if document.prepare_code.strip():
        note = f"{code('base')} is the frame that the sections compute on; {code('df')} keeps every row."
        yield markdown_cell("prepare-head", note, role="note")
        yield code_cell(
            "prepare", document.prepare_code, role="prepare", provenance=provenance(document.table)
        )


def _load(document: NotebookDocument) -> Iterator[NotebookNode]:
    """Make the cell that loads the table; a second one looks whether the files of a group have changed."""
    table = document.table
    source = provenance(table, [column.name for column in table.columns])
    files = {card.path: card.sha256 for card in document.cards}
    if document.group is None:
        loaded = LOADED.format(
            rows=table.rows,
            rows_in_file=table.rows_in_file,
            path=_literal(table.path),
            sha256=_literal(table.sha256),
        )
    else:
        loaded = LOADED_TOGETHER.format(rows=table.rows, rows_in_file=table.rows_in_file, files=len(files))
    yield code_cell("load", table.load_code.rstrip("\n") + "\n" + loaded, role="load", provenance=source)
    if document.group is not None:
        hashes = "".join(f"    {_literal(path)}: {_literal(sha256)},\n" for path, sha256 in files.items())
        yield code_cell("same-files", SAME_FILES.format(hashes=hashes), role="load", hidden=True)


def setup_code(data_dir: Path, out_dir: Path) -> str:
    """Return the cell that imports and finds the data, for a notebook in `out_dir`."""
    relative, absolute = path_from(data_dir, out_dir), str(data_dir.resolve())
    return SETUP.format(relative=_literal(relative), absolute=_literal(absolute))


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _title(document: NotebookDocument) -> str:
    intent = document.intent
    lines = [
        f"# {escape(' '.join(document.title.split()))}",
        "",
        f"> {escape(' '.join(intent.text.split()))}",
        "",
    ]
    understood = f"**Understood as:** {KINDS[intent.kind]}"
    understood += f" of {code(intent.target)}" if intent.target else ""
    understood += f", also {', '.join(KINDS[kind] for kind in intent.others)}" if intent.others else ""
    lines.append(understood + ".")
    if intent.words:
        lines.append(f"**Words read:** {'; '.join(escape(word) for word in intent.words)}.")
    if intent.assumptions:
        lines += ["", "**Assumed, as the question leaves it open:**", ""]
        lines += [f"- {escape(text)}" for text in intent.assumptions]
    return "\n".join(lines)


def key_findings(findings: Sequence[Finding]) -> list[int]:
    """Return the positions of the findings that open the notebook, best first.

    Answers to the question come before what must be known of the data, of which only those traps are named
    that change numbers. A suggestive finding stands only where there are too few supported ones.
    """
    ranked = sorted(range(len(findings)), key=lambda i: (-findings[i].score, i))
    ranked = [i for i in ranked if published(findings[i].insights, cautions=False)]
    answers: list[int] = []
    # How a number spreads is the ground that answers stand on, and seldom the answer.
    for i in sorted(ranked, key=lambda i: (findings[i].play in _GROUND, -findings[i].answers)):
        if not findings[i].play.startswith(_ABOUT_DATA) and not _repeats(findings[i], findings, answers):
            answers.append(i)
    firm = [i for i in answers if findings[i].verdict == "supported"]
    # Where enough answers the question, what merely stands beside it is left to its section.
    direct = [i for i in firm if findings[i].answers and findings[i].play not in _GROUND]
    firm = direct if len(direct) >= FEWEST_KEY_FINDINGS else firm
    traps = [i for i in ranked if findings[i].play in _CHANGE_NUMBERS and findings[i].verdict == "supported"]
    traps = traps[: min(MOST_TRAPS, max(0, MOST_KEY_FINDINGS - FEWEST_KEY_FINDINGS))]
    chosen = [*firm[: MOST_KEY_FINDINGS - len(traps)], *traps]
    rest = [i for i in [*answers, *ranked] if i not in chosen]
    fill = list(dict.fromkeys(rest))[: max(0, FEWEST_KEY_FINDINGS - len(chosen))]
    return [*chosen, *fill]


def _repeats(finding: Finding, findings: Sequence[Finding], chosen: Sequence[int]) -> bool:
    """Several plays of relations name the same partner of a column: one of them is enough at the top."""
    return finding.play.startswith("R") and any(
        findings[i].play.startswith("R")
        and findings[i].play != finding.play
        and findings[i].columns[:1] == finding.columns[:1]
        for i in chosen
    )


def _answer(document: NotebookDocument, findings: Sequence[Finding]) -> NotebookNode:
    lines = ["## Key findings", ""]
    mentions = [{"id": claim.id, "shown": claim.shown} for claim in document.answer_claims]
    if document.answer.strip():
        lines += [document.answer.strip(), ""]
    for rank, position in enumerate(key_findings(findings), start=1):
        finding = findings[position]
        first = published(finding.insights, cautions=False)[0]
        heading = numbered(position + 1, finding)
        hedge = "" if finding.verdict == "supported" else " *(suggestive only)*"
        lines.append(
            f"{rank}. {link(f'**{escape(finding.title)}**', anchor(heading))}: {escape(first.text)}{hedge}"
        )
        mentions += [{"id": claim.id, "shown": claim.shown} for claim in first.claims]
    if not mentions:
        lines.append(
            "Nothing in this table could be stated with support; the sections below say what was looked at."
        )
    return markdown_cell("answer", "\n".join(lines), role="answer", mentions=mentions)


def _about(document: NotebookDocument) -> str:
    table = document.table
    place = code(table.path) + (f", part {code(table.unit)}" if table.unit else "")
    if document.group is not None:
        place += f", {len(document.cards)} files read as one table"
    rows = f"{table.rows:,} of {table.rows_in_file:,} rows"
    chosen = f" No dataset was named; this is {escape(document.chosen)}." if document.chosen else ""
    lines = [
        "## About this notebook",
        "",
        f"Written by Lakebook ({escape(document.analyst)}) on {place}: {rows}, "
        f"content hash {code(table.sha256[:12])}.{chosen}",
        "Every number in the text is recomputed by code that stands in this notebook; "
        f"{link('the table at the end', anchor(WHERE_NUMBERS))} lists them all. It runs in plain Jupyter, "
        f"top to bottom; {code('lakebook verify')} runs it again and compares every number.",
    ]
    if document.corpus_note:
        lines += ["", f"**Earlier notebooks.** {escape(document.corpus_note)}"]
    if document.libraries:
        lines += [
            "",
            "Made with " + ", ".join(f"{escape(n)} {escape(v)}" for n, v in document.libraries) + ".",
        ]
    return "\n".join(lines)
