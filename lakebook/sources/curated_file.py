"""Read `sources.yml`: hand-edited notes on files and columns, checked to the line.

The file stands beside `lakebook.toml` or in the lake; `lakebook sources --suggest` writes a first one.
What the notes do to the cards is the business of `curated`.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from lakebook.errors import UsageError
from lakebook.sources.card import Role
from lakebook.sources.curated import (
    CURATED_FILE,
    Curated,
    CuratedColumn,
    CuratedSource,
    DayOrder,
    nearest,
)

_FOREIGN = re.compile(r"^(?:sources|models|seeds|snapshots|exposures)\s*:", re.MULTILINE)


def find_curated(project: Path, lake: Path) -> Path | None:
    """Return the `sources.yml` beside the project's settings, else the one in the lake, else None.

    Other tools use that name too (dbt does); a file with their top-level keys is not taken for ours.
    """
    found = (folder / CURATED_FILE for folder in (project, lake))
    return next((path for path in found if path.is_file() and not _is_foreign(path)), None)


def _is_foreign(path: Path) -> bool:
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    return not re.search(r"^files\s*:", text, re.MULTILINE) and bool(_FOREIGN.search(text))


def read_curated(path: Path) -> Curated:
    """Read a `sources.yml`.

    Raises:
        UsageError: it is not YAML, or an entry is not what it may be; with the line and the next step.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        content = yaml.load(text, Loader=_TextKeys)  # noqa: S506  a SafeLoader
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the curated notes cannot be read ({error}).", where=str(path)) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{path}, line {mark.line + 1}" if mark else str(path)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise UsageError(f"not valid YAML: {problem}.", where=place, hint="Mend the line.") from error
    version = hashlib.sha256(text.encode()).hexdigest()
    if content is None:
        return Curated(str(path), version)
    try:
        model = _File.model_validate(content)
    except ValidationError as error:
        raise _invalid(path, node, error) from error
    lines = _lines(node)
    return Curated(
        str(path),
        version,
        tuple(_source(pattern, lines.get(pattern, 0), entry) for pattern, entry in model.files.items()),
    )


class _TextKeys(yaml.SafeLoader):
    """A safe loader whose keys are text as written (`2015`, `no`), each at most once."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return the mapping. Raises yaml.YAMLError if a key stands there twice."""
        found: dict[Any, Any] = {}
        for key, value in node.value:
            if key.value in found:
                raise yaml.constructor.ConstructorError(
                    None, None, f"{key.value!r} stands there twice", key.start_mark
                )
            found[str(key.value)] = self.construct_object(value, deep=True)
        return found


def _mapping(loader: yaml.SafeLoader, node: Any) -> dict[Any, Any]:
    return loader.construct_mapping(node, deep=True)


_TextKeys.add_constructor("tag:yaml.org,2002:map", _mapping)


def _reason(value: Any) -> Any:
    """`ignore: true` needs no reason; `ignore: old copies` gives one."""
    if isinstance(value, bool):
        return "no reason given" if value else ""
    return value


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, coerce_numbers_to_str=False)


class _Column(_Strict):
    meaning: str = ""
    unit: str = ""
    role: Role | None = None
    dates: DayOrder | None = None


def _shorthand(value: Any) -> Any:
    """`price: net of tax` is short for `price: {meaning: net of tax}`."""
    return {"meaning": value} if isinstance(value, str) else (value if value is not None else {})


class _Source(_Strict):
    meaning: str = ""
    ignore: Annotated[str, BeforeValidator(_reason)] = ""
    dates: DayOrder | None = None
    columns: dict[str, Annotated[_Column, BeforeValidator(_shorthand)]] = {}


class _File(_Strict):
    version: Literal[1] = 1
    files: dict[str, Annotated[_Source, BeforeValidator(_shorthand)]] = {}


def _source(pattern: str, line: int, entry: _Source) -> CuratedSource:
    columns = {
        name: CuratedColumn(column.meaning, column.unit, column.role, column.dates)
        for name, column in entry.columns.items()
    }
    return CuratedSource(pattern, line, entry.meaning, entry.ignore, entry.dates, columns)


def _lines(node: Any) -> dict[str, int]:
    """Return the line of each entry below `files`."""
    files = _child(node, "files")
    pairs = files.value if isinstance(files, yaml.MappingNode) else []
    return {str(key.value): key.start_mark.line + 1 for key, _ in pairs}


def _child(node: Any, key: object) -> Any:
    if not isinstance(node, yaml.MappingNode):
        return None
    return next((value for name, value in node.value if str(name.value) == str(key)), None)


def _invalid(path: Path, node: Any, error: ValidationError) -> UsageError:
    """Return the first fault with its line and what may stand there."""
    first = error.errors()[0]
    steps = [str(step) for step in first["loc"] if not str(step).startswith("function-")]
    line = 1
    for step in steps:
        below = _child(node, step)
        if below is None:
            key = next(
                (k for k, _ in getattr(node, "value", []) if str(getattr(k, "value", "")) == step), None
            )
            line = key.start_mark.line + 1 if key is not None else line
            break
        node, line = below, below.start_mark.line + 1
    hints = {
        "extra_forbidden": "Known: version, files; of a file meaning, ignore, dates, columns; "
        "of a column meaning, unit, role, dates.",
        "literal_error": f"Dates are `day` or `month` first; roles are {', '.join(get_args(Role))}.",
    }
    if steps == ["version"]:
        hints["literal_error"] = "This program reads version 1."
    if first["type"] == "extra_forbidden":
        models: dict[int, type[BaseModel]] = {1: _File, 3: _Source}
        known = models.get(len(steps), _Column).model_fields
        return UsageError(
            f"unknown key {steps[-1]!r}{nearest(steps[-1], known)}.",
            where=f"{path}, line {line}",
            hint=hints["extra_forbidden"],
        )
    return UsageError(
        f"{' > '.join(steps) or 'the file'}: {first['msg'][0].lower()}{first['msg'][1:]}.",
        where=f"{path}, line {line}",
        hint=hints.get(first["type"], "Write `files:` and below it one entry a file."),
    )
