"""The document is what the registry says."""

from __future__ import annotations

from pathlib import Path

from lakebook.enhancement.repairs import registry
from lakebook.enhancement.repairs.catalogue import render


def test_the_document_is_current() -> None:
    document = Path(__file__).parents[4] / "docs/repairs.md"
    assert document.read_text() == render(), (
        "run: python -m lakebook.enhancement.repairs.catalogue > docs/repairs.md"
    )


def test_every_fix_stands_in_it() -> None:
    text = render()
    assert all(f"`{fix.kind}`" in text for fix in registry.FIXES)
