"""Where results are kept: one folder an asset, written atomically, versioned by content.

A result is a *document* (frozen dataclasses as canonical JSON), *tables* (Parquet, for DuckDB and checks)
and *files* (notebook, report). Beside them stands a receipt: which inputs and which code they were made
from, and the hash of what came out. Receipts are what lets an unchanged stage be skipped and an
interrupted run go on where it stopped: a receipt is written last, so that a stage without one never ran.

Nothing here knows what a stage does, and nothing is ever written outside the state folder.
"""

from __future__ import annotations

import hashlib
import math
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import orjson
import pandas as pd
from pydantic import TypeAdapter, ValidationError

from lakebook.errors import LakebookError

T = TypeVar("T")

# What the store itself writes into an asset's folder, beside tables and files.
OWN_FILES = frozenset({"document.json", "receipt.json", "baseline.json"})

# Fields that may differ between identical runs (design rule 6); they are kept, but do not enter a version.
DECLARED_FIELDS = frozenset({"started", "seconds"})


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a stored result was made from (`inputs`, `code`), and the hash of what came out (`version`).

    `seconds` is how long it took to make; like every declared field it plays no part in comparisons.
    """

    inputs: Mapping[str, str]
    code: str
    version: str
    seconds: float = field(default=0.0, compare=False)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def canonical(value: object, kind: Any) -> bytes:
    """Return the value as JSON with sorted keys, so that equal values give equal bytes."""
    plain = _plain(_adapter(kind).dump_python(value, mode="json"), frozenset())
    return orjson.dumps(plain, option=orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2)


def version_of(value: object, kind: Any) -> str:
    """Return the content hash of a value, declared fields left out."""
    plain = _plain(_adapter(kind).dump_python(value, mode="json"), DECLARED_FIELDS)
    return hashlib.sha256(orjson.dumps(plain, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _plain(value: Any, left_out: frozenset[str]) -> Any:
    """Leave out fields, and write NaN and infinity as text: JSON has no number for them, and null is none."""
    if isinstance(value, dict):
        return {key: _plain(item, left_out) for key, item in value.items() if key not in left_out}
    if isinstance(value, list):
        return [_plain(item, left_out) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside `path`; on success it takes its place in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


class Store:
    """The results of all stages below one folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def folder(self, asset: str, partition: str = "") -> Path:
        """Return the folder of an asset (of one partition of it), made if need be."""
        folder = self.root / "assets" / asset / partition if partition else self.root / "assets" / asset
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def write_document(
        self, asset: str, value: object, kind: Any, partition: str = "", name: str = "document"
    ) -> str:
        """Write one of the asset's documents and return its version."""
        with replacing(self.folder(asset, partition) / f"{name}.json") as temporary:
            temporary.write_bytes(canonical(value, kind))
        return version_of(value, kind)

    def read_document(self, asset: str, kind: type[T], partition: str = "", name: str = "document") -> T:
        """Read one of the asset's documents. Raises LakebookError if there is none or it does not fit."""
        path = self.folder(asset, partition) / f"{name}.json"
        try:
            value: T = _adapter(cast(Any, kind)).validate_json(path.read_bytes())
        except FileNotFoundError:
            raise LakebookError(
                f"{asset} has not been made yet.",
                where=partition,
                hint="Run `lakebook run` first, or materialize it and what stands before it.",
            ) from None
        except ValidationError as error:
            raise LakebookError(
                f"the stored {asset} cannot be read ({error.error_count()} fields do not fit).",
                where=str(path),
                hint="It was written by another version: delete the file and run again.",
            ) from error
        return value

    def write_table(self, asset: str, frame: pd.DataFrame, partition: str = "", name: str = "table") -> Path:
        """Write one of the asset's tables as Parquet and return its path."""
        path = self.folder(asset, partition) / f"{name}.parquet"
        with replacing(path) as temporary:
            frame.to_parquet(temporary, index=False)
        return path

    def read_table(self, asset: str, partition: str = "", name: str = "table") -> pd.DataFrame:
        """Read one of the asset's tables."""
        return pd.read_parquet(self.folder(asset, partition) / f"{name}.parquet")

    def receipt(self, asset: str, partition: str = "") -> Receipt | None:
        """Return the receipt of the stored result, None if there is none or it cannot be read."""
        path = self.folder(asset, partition) / "receipt.json"
        try:
            found: Receipt = _adapter(Receipt).validate_json(path.read_bytes())
        except (FileNotFoundError, ValidationError):
            return None
        return found

    def write_receipt(self, asset: str, receipt: Receipt, partition: str = "") -> None:
        """Write the receipt; do this last."""
        with replacing(self.folder(asset, partition) / "receipt.json") as temporary:
            temporary.write_bytes(canonical(receipt, Receipt))

    def forget(self, asset: str, partition: str = "") -> None:
        """Remove the receipt, so that the stage is made anew."""
        (self.folder(asset, partition) / "receipt.json").unlink(missing_ok=True)

    def clear(self, asset: str, partition: str = "") -> None:
        """Remove everything that is stored of an asset."""
        shutil.rmtree(self.folder(asset, partition), ignore_errors=True)
