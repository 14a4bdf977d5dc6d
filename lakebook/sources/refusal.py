"""What is not read, and why: one sentence a kind of file, so that no file goes missing without a word."""

from __future__ import annotations

from lakebook.sources.card import FileStatus
from lakebook.sources.peek import Peek

_DATA_SUFFIXES = frozenset(
    [
        ".csv",
        ".tsv",
        ".tab",
        ".psv",
        ".json",
        ".jsonl",
        ".ndjson",
        ".parquet",
        ".pq",
        ".feather",
        ".arrow",
        ".xlsx",
        ".xlsm",
        ".xls",
        ".xlsb",
        ".ods",
        ".db",
        ".sqlite",
        ".sqlite3",
    ]
)
_BY_SUFFIX = {
    ".ipynb": "a notebook: give its folder with --notebooks to learn from it",
    **dict.fromkeys((".py", ".r", ".sql", ".js", ".sh"), "source code"),
    **dict.fromkeys((".html", ".htm"), "HTML is not read yet"),
    ".xml": "XML is not read yet",
    **dict.fromkeys((".yml", ".yaml"), "YAML is not read"),
    ".toml": "TOML is not read",
}


def refuse(file: Peek) -> tuple[FileStatus, str]:
    """Return the status and the reason for a file that no profiler reads."""
    is_data = file.suffix in _DATA_SUFFIXES
    if file.magic == "git-lfs pointer":
        return "failed", "a Git LFS pointer, not the data: run `git lfs pull` in its repository"
    if file.magic == "empty":
        return ("failed" if is_data else "skipped"), "the file is empty (0 bytes)"
    if file.magic == "html" and is_data:
        return "failed", f"an HTML page, not what the name {file.suffix} says: download it again"
    if file.suffix in _BY_SUFFIX and file.magic in ("text", "html", "xml"):
        return "skipped", _BY_SUFFIX[file.suffix]
    if file.magic in ("text", "binary"):
        kind = f"{file.magic} of a kind that is not read ({file.suffix or 'no suffix'})"
        return ("failed", f"no table was found in it: {kind}") if is_data else ("skipped", kind)
    status: FileStatus = "failed" if is_data and not file.compression else "skipped"
    return status, f"{_article(file.magic)} {file.magic}, which is not read"


def _article(word: str) -> str:
    return "an" if word[0] in "aeiouh" and not word.startswith("hdf") else "a"
