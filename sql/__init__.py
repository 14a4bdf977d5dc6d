"""Every SQL statement that we author, one file each, named verb_object; read by name, run with parameters.

No Python logic belongs here beyond `read`. SQL that a user or a model wrote is data and never stored here.
"""

from __future__ import annotations

from functools import cache
from importlib import resources


@cache
def read(name: str) -> str:
    """Return the statement `name` ("profile/summarize_table"). Raises FileNotFoundError if there is none."""
    folder, _, statement = name.rpartition("/")
    place = resources.files("sql")
    for part in filter(None, folder.split("/")):
        place = place / part
    return (place / f"{statement}.sql").read_text(encoding="utf-8")
