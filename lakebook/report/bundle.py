"""The bundle: the notebook, every report of it, its figures, its claims and its records in one zip file."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Mapping

from nbformat import NotebookNode

from lakebook.report.html import write_html
from lakebook.report.markdown import write_markdown
from lakebook.report.notebook_writer import notebook_text
from lakebook.report.outline import ReportOutline
from lakebook.report.outputs import Output
from lakebook.report.pdf import write_pdf

# A zip file must give every entry a time; the same inputs give the same bytes, so it is the earliest one.
_EPOCH = (1980, 1, 1, 0, 0, 0)
_FORMULA = re.compile(r"[=@\t\r]|[+-](?![\d.,]+%?$)")
_COLUMNS = (
    "id", "section", "statement", "shown", "value", "kind", "format", "expression", "source", "rows",
    "record", "holds",
)  # fmt: skip


def figure_files(outline: ReportOutline) -> dict[str, bytes]:
    """Return the figures by file name."""
    return {
        block.file_name: block.data
        for block in outline.blocks
        if isinstance(block, Output) and block.kind == "figure"
    }


def write_claims_csv(outline: ReportOutline) -> str:
    """Write the claims as a table; text that a spreadsheet would run as a formula is quoted."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for row in outline.claims:
        claim = row.claim.claim
        holds = "" if row.holds is None else str(row.holds).lower()
        cells = [
            claim.id,
            row.section_title,
            row.claim.text,
            claim.shown,
            claim.value,
            claim.kind,
            claim.format,
        ]
        cells += [claim.expression, row.source, claim.rows or "", row.record, holds]
        writer.writerow([_plain(cell) for cell in cells])
    return text.getvalue()


def _plain(cell: object) -> str:
    text = "" if cell is None else str(cell)
    return f"'{text}" if _FORMULA.match(text) else text


def write_bundle(
    notebook: NotebookNode, outline: ReportOutline, stem: str, extra: Mapping[str, bytes] | None = None
) -> bytes:
    """Write the bundle.

    Args:
        notebook: as it is to be delivered.
        outline: read from it.
        stem: name of the folder in the zip, and of the files in it.
        extra: further files by name, the execution records for one.
    """
    files: dict[str, bytes] = {
        f"{stem}.ipynb": notebook_text(notebook).encode(),
        f"{stem}.html": write_html(outline).encode(),
        f"{stem}.md": write_markdown(outline, "figures").encode(),
        f"{stem}.pdf": write_pdf(outline),
    }
    files |= {f"figures/{name}": data for name, data in figure_files(outline).items()}
    if outline.claims:
        files["claims.csv"] = write_claims_csv(outline).encode()
    files |= extra or {}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(f"{stem}/{name}", date_time=_EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    return packed.getvalue()
