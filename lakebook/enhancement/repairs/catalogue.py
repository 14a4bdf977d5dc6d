"""The repairs as a document: `docs/repairs.md` is written from the registry and a test holds it to it.

`python -m lakebook.enhancement.repairs.catalogue > docs/repairs.md` writes it anew.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence

from lakebook.enhancement.repairs import registry, renamed
from lakebook.enhancement.repairs.rule import Fix, RepairRule

_OPENING = """# Repairs

Written from the registry (`lakebook/enhancement/repairs/`) by `python -m
lakebook.enhancement.repairs.catalogue`; do not edit.

Old code is mended by small named edits of its syntax tree, each recorded with the lines before and after. A
repair whose obstacle raises nothing, but draws another figure today, is made **before** the first run and
restores what the code did when it was written. The others answer a **fault**; `at the fault` edits only the
lines through which the exception came, since the same form is right elsewhere. A repair after which the same
statement fails with the same fault is taken back. At most five kinds are applied to a component after faults.
*May change the meaning* marks those after which the component may no longer ask quite the same question; that
is said beside each such edit.
"""
_RENAMES = """## Plain renames

`renamed.toml` lists {modules} modules, {names} names, {attributes} attributes, {keywords} keywords and
{positional} orders of positional arguments. A test holds the table to the installed libraries: no old name
exists any more, every new one does.
"""
_HEAD = "| repair | what it answers | when | may change the meaning |\n|---|---|---|---|"
_REACH = {"everywhere": "fault", "fault": "at the fault", "fault first": "at the fault, then elsewhere"}


def render() -> str:
    """Return the document."""
    parts = [_OPENING, _renames()]
    for title, fixes in _families():
        rows = "\n".join(map(_row, fixes))
        parts.append(f"## {title}\n\n{_HEAD}\n{rows}\n")
    return "\n".join(parts)


def _families() -> Iterator[tuple[str, Sequence[Fix]]]:
    """Yield the first sentence of each module with its fixes, in the order in which they are tried."""
    for name in registry.MODULES:
        module = importlib.import_module(f"{__package__}.{name}")
        fixes: Sequence[Fix] = getattr(module, "RULES", None) or module.FIXES
        yield (module.__doc__ or name).strip().splitlines()[0].rstrip("."), fixes


def _row(fix: Fix) -> str:
    when = _REACH[fix.reach] if isinstance(fix, RepairRule) else "fault"
    changes = ("yes" if fix.changes_meaning else "") if isinstance(fix, RepairRule) else "where it is marked"
    cells = [f"`{fix.kind}`", fix.why, when if fix.fault else "before", changes]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _renames() -> str:
    tables = renamed.tables()
    return _RENAMES.format(
        modules=len(tables["modules"]),
        names=len(tables["names"]),
        attributes=sum(len(row["names"]) for row in tables["attributes"]),
        keywords=len(tables["keywords"]),
        positional=len(tables["positional"]) + len(tables["positional_str"]),
    )


if __name__ == "__main__":
    sys.stdout.write(render())
