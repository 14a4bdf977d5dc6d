"""Variables over shared dimensions (netCDF, HDF5 with scales): what lies along one dimension is a table.

Where variables come from is the matter of `hdf5` and `netcdf`. Values are shown as their attributes define
them: packed ones unpacked, fill values as none, times as times.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lakebook.sources.formats.arrays.array_table import ArrayLike, array_attributes, text_of
from lakebook.sources.formats.columnar.arrow_table import ArrowSource, arrow_reading
from lakebook.sources.load_code import literal
from lakebook.sources.reading import Budget, Reading

_SINCE = re.compile(
    r"(microsecond|millisecond|second|sec|minute|min|hour|hr|day)s? since "
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]+(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.0*)?)?)?"
    r"(?: ?(?:Z|UTC|\+00:?00))?\s*$",
    re.IGNORECASE,
)
_MICROSECONDS = {
    "microsecond": 1,
    "millisecond": 1_000,
    "second": 1_000_000,
    "sec": 1_000_000,
    "minute": 60_000_000,
    "min": 60_000_000,
    "hour": 3_600_000_000,
    "hr": 3_600_000_000,
    "day": 86_400_000_000,
}
_UNWRITTEN = {
    "int16": -32_767,
    "int32": -2_147_483_647,
    "int64": -9_223_372_036_854_775_806,
    "float32": 9.969209968386869e36,
    "float64": 9.969209968386869e36,
}
_CALENDARS = frozenset({"", "standard", "gregorian", "proleptic_gregorian"})
_FIRST_GREGORIAN_YEAR = 1583
_SHOWN = ("units", "long_name", "standard_name", "calendar", "description", "title", "comment")
_ROWS = 65_536

Step = Callable[[npt.NDArray[Any]], npt.NDArray[Any]]


@dataclass(frozen=True)
class Variable:
    """An array with named dimensions.

    Attributes:
        values: as stored.
        code: the expression for the whole of them in load code.
        dimensions: the name of each axis, "" where it has none.
    """

    name: str
    values: ArrayLike
    code: str
    dimensions: tuple[str, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def fill(self) -> Any:
        """The value that stands for none, None if there is no such value."""
        for key in ("_FillValue", "missing_value"):
            found = self.attributes.get(key)
            if found is None or np.size(found) != 1 or np.asarray(found).dtype.kind not in "iuf":
                continue
            value, kind = np.asarray(found).reshape(-1)[0], self.values.dtype
            if kind.kind in "iu":  # it may be declared with a value that the type cannot hold
                limits = np.iinfo(kind)
                if not float(value).is_integer() or not limits.min <= value <= limits.max:
                    continue
            return value
        return self.unwritten if len(self.values.shape) != 1 or self._has_unwritten() else None

    @property
    def unwritten(self) -> Any:
        """The value that netCDF puts where nothing was written, None for types without one."""
        kind = self.values.dtype
        found = _UNWRITTEN.get(kind.newbyteorder("=").name)
        return None if found is None else np.asarray(found, kind.newbyteorder("=")).reshape(-1)[0]

    def _has_unwritten(self) -> bool:
        return self.unwritten is not None and bool((np.asarray(self.values[:]) == self.unwritten).any())

    @cached_property
    def scale(self) -> tuple[float, float]:
        """Factor and offset with which stored values are packed."""
        factor, offset = (self.attributes.get(key) for key in ("scale_factor", "add_offset"))
        return (
            1.0 if factor is None else float(np.asarray(factor).reshape(-1)[0]),
            0.0 if offset is None else float(np.asarray(offset).reshape(-1)[0]),
        )

    @cached_property
    def epoch(self) -> tuple[str, int] | None:
        """For times: the moment of zero, and how many microseconds a unit has."""
        found = _SINCE.match(text_of(self.attributes.get("units", "")))
        calendar = text_of(self.attributes.get("calendar", "")).lower()
        if found is None or calendar not in _CALENDARS or int(found[2]) < _FIRST_GREGORIAN_YEAR:
            return None
        year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[1:])
        moment = f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"
        return moment, _MICROSECONDS[found[1].lower()]

    def steps(self) -> list[tuple[str, Step]]:
        """Return what turns stored values into real ones: as code over `v`, and as a function."""
        steps: list[tuple[str, Step]] = []
        if not self.values.dtype.isnative:
            steps.append(('v.astype(v.dtype.newbyteorder("="))', _native))
        if self.values.dtype.kind not in "iuf":
            return steps
        factor, offset = self.scale
        fill = self.fill
        if fill is not None and not np.isnan(fill):
            stored = np.asarray(fill).astype(self.values.dtype)
            kind = self.values.dtype.newbyteorder("=").name
            code = f"np.where(v == np.{kind}({fill!s}), np.nan, v)"
            steps.append((code, lambda v: np.where(v == stored.astype(v.dtype), np.nan, v)))
        if (factor, offset) != (1.0, 0.0):
            steps.append((f"v * {factor!r} + {offset!r}", lambda v: v * factor + offset))
        if self.epoch is not None and fill is None:
            moment, unit = self.epoch
            start = np.datetime64(moment, "us")
            code = f'np.datetime64("{moment}", "us") + np.rint(v * {unit}.0).astype("timedelta64[us]")'
            steps.append((code, lambda v: start + np.rint(v * float(unit)).astype("timedelta64[us]")))
        return steps

    def real(self, stored: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return stored values as they are meant."""
        for _, function in self.steps():
            stored = function(stored)
        return stored


class _Seen:
    """An array whose blocks are seen differently: joined characters, unsigned numbers."""

    def __init__(self, values: ArrayLike, shape: tuple[int, ...], dtype: np.dtype[Any], see: Step) -> None:
        self._values, self.shape, self.dtype, self._see = values, shape, dtype, see

    def __getitem__(self, key: Any) -> Any:
        return self._see(np.asarray(self._values[key]))


def as_meant(variable: Variable) -> Variable:
    """Return a variable with its characters joined to texts, and its numbers unsigned if it says so."""
    shape, dtype = tuple(variable.values.shape), variable.values.dtype
    if dtype == np.dtype("S1") and shape and shape[-1] > 0:
        text = np.dtype(f"S{shape[-1]}")
        return replace(
            variable,
            values=_Seen(variable.values, shape[:-1], text, partial(_joined, text=text)),
            code=f'np.ascontiguousarray({variable.code}).view("{text.str}")[..., 0]',
            dimensions=variable.dimensions[:-1],
        )
    is_unsigned = text_of(variable.attributes.get("_Unsigned", "")).lower() == "true"
    if is_unsigned and dtype.kind == "i":
        unsigned = np.dtype(dtype.str.replace("i", "u"))
        attributes = dict(variable.attributes)
        for key in ("_FillValue", "missing_value"):
            if key in attributes and np.asarray(attributes[key]).dtype.kind == "i":
                attributes[key] = np.asarray(attributes[key]).astype(dtype).view(unsigned)
        return replace(
            variable,
            values=_Seen(variable.values, shape, unsigned, lambda block: block.view(unsigned)),
            code=f'{variable.code}.view("{unsigned.str}")',
            attributes=attributes,
        )
    return variable


def _joined(block: npt.NDArray[Any], text: np.dtype[Any]) -> npt.NDArray[Any]:
    if block.ndim == 0 or block.shape[-1] == 0 or 0 in block.shape:
        return np.empty(block.shape[:-1], text)
    joined: npt.NDArray[Any] = np.ascontiguousarray(block).view(text)[..., 0]
    return joined


def _native(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return values.astype(values.dtype.newbyteorder("="))


def grid_readings(
    variables: Sequence[Variable], opened: Sequence[str]
) -> Iterator[tuple[str, Callable[[Budget], Reading]]]:
    """Return the units that variables form: name, and what reads them.

    Args:
        variables: in the order of the file.
        opened: imports, and last the line that opens the file for the expressions of the variables.
    """
    variables = [as_meant(variable) for variable in variables]
    lines = _along_one(variables)
    for dimension, members in lines.items():
        yield dimension, partial(_table, dimension, members, opened)
    inside = {member.name for members in lines.values() for member in members}
    coordinates = {item.name: item for item in variables if item.dimensions == (item.name,)}
    for variable in variables:
        if variable.name not in inside:
            yield variable.name, partial(_array, variable, coordinates)


def _along_one(variables: Sequence[Variable]) -> dict[str, list[Variable]]:
    """Group the variables of one axis by dimension; a coordinate alone, of others' axes, is no table."""
    lines: dict[str, list[Variable]] = {}
    for variable in variables:
        if len(variable.dimensions) == 1 and variable.dimensions[0] and _is_column(variable.values):
            lines.setdefault(variable.dimensions[0], []).append(variable)
    shared = {name for item in variables if len(item.values.shape) > 1 for name in item.dimensions}
    return {
        name: members
        for name, members in lines.items()
        if len({member.values.shape for member in members}) == 1
        and not (len(members) == 1 and members[0].name == name and name in shared)
    }


def _is_column(values: ArrayLike) -> bool:
    kind = values.dtype.kind
    return not values.dtype.names and (kind in "biuSU" or (kind == "f" and values.dtype.itemsize <= 8))


def _table(dimension: str, members: Sequence[Variable], opened: Sequence[str], budget: Budget) -> Reading:
    *imports, line = opened
    statements = [statement for member in members for statement in _statements(member)]
    load = [
        "import pyarrow as pa",
        *(["import numpy as np"] if any("np." in statement for statement in statements) else []),
        *imports,
        "",
        "columns = {}",
        "\n".join([line, *(f"    {statement}" for statement in statements)]),
        "table = pa.table(columns)",
    ]
    rows = members[0].values.shape[0]
    schema = _batch(members, slice(0, 0)).schema
    source = ArrowSource(
        schema=schema,
        rows=rows,
        bytes=rows * 8 * len(members),
        read=lambda _: (_batch(members, slice(at, at + _ROWS)) for at in range(0, rows, _ROWS)),
        load=load,
    )
    told = [
        (f"{member.name}: {key}", text_of(member.attributes[key]))
        for member in members
        for key in _SHOWN
        if key in member.attributes
    ]
    return replace(arrow_reading(source, budget, dimension), attributes=tuple(told))


def _statements(member: Variable) -> list[str]:
    target = f"columns[{literal(member.name)}]"
    steps = [code for code, _ in member.steps()]
    if not steps:
        return [f"{target} = {member.code}"]
    *first, last = steps
    return [f"v = {member.code}", *(f"v = {step}" for step in first), f"{target} = {last}"]


def _batch(members: Sequence[Variable], rows: slice) -> pa.RecordBatch:
    arrays = [pa.array(member.real(np.asarray(member.values[rows]))) for member in members]
    return pa.RecordBatch.from_arrays(arrays, [member.name for member in members])


def _array(variable: Variable, coordinates: Mapping[str, Variable], _: Budget) -> Reading:
    """Describe an array over several dimensions, with the range of each coordinate."""
    factor, offset = variable.scale
    extra = [(key, text_of(variable.attributes[key])) for key in _SHOWN if key in variable.attributes]
    if (factor, offset) != (1.0, 0.0):
        extra.append(("packed", f"stored × {factor:g} + {offset:g}"))
    if any(variable.dimensions):
        extra.append(("dimensions", ", ".join(variable.dimensions)))
    for name in dict.fromkeys(variable.dimensions):
        coordinate = coordinates.get(name)
        if coordinate is not None and coordinate is not variable and _is_column(coordinate.values):
            extra.append((f"along {name}", _span(coordinate)))
    if variable.values.dtype.kind == "S" and not variable.values.shape:
        extra.append(("text", text_of(variable.values[()])))
    seen = dict(array_attributes(variable.values, variable.fill))
    if "min" in seen and (factor, offset) != (1.0, 0.0):
        ends = sorted(float(seen[end]) * factor + offset for end in ("min", "max"))
        seen["min"], seen["max"] = (f"{end:.10g}" for end in ends)
    return Reading(unit=variable.name, kind="array", attributes=(*seen.items(), *extra))


def _span(coordinate: Variable) -> str:
    values = coordinate.real(np.asarray(coordinate.values[:]))
    if values.size == 0:
        return "no values"
    if values.dtype.kind in "SU":
        return f"{text_of(values[0])} to {text_of(values[-1])}"
    if values.dtype.kind == "f" and np.isnan(values).all():
        return "no values"
    known = values[~np.isnan(values)] if values.dtype.kind == "f" else values
    low, high = known.min(), known.max()
    units = "" if values.dtype.kind == "M" else text_of(coordinate.attributes.get("units", ""))
    return f"{low} to {high} {units}".rstrip()
