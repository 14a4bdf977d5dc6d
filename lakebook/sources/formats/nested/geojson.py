"""GeoJSON and TopoJSON: features as records of their properties, with the kind and extent of the geometry.

Coordinates themselves stay in the file: a table has a point's longitude and latitude, or the bounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lakebook.sources.formats.nested.json_columns import Record, key_literal
from lakebook.sources.formats.nested.json_shapes import Member, Row, free_name, stray

_POINTS = """def points(part):
    if isinstance(part, dict):
        return points(part.get("geometries") or part.get("coordinates"))
    if not isinstance(part, list):
        return []
    if len(part) >= 2 and all(isinstance(number, (int, float)) for number in part[:2]):
        return [part]
    return [point for inner in part for point in points(inner)]"""


def is_feature(record: Record) -> bool:
    """Return True for a GeoJSON feature."""
    return record.get("type") == "Feature" and "geometry" in record and "properties" in record


def points(part: Any) -> list[list[Any]]:
    """Return all positions of a geometry, or of its coordinates, in one list."""
    if isinstance(part, dict):
        return points(part.get("geometries") or part.get("coordinates"))
    if not isinstance(part, list):
        return []
    if len(part) >= 2 and all(isinstance(number, (int, float)) for number in part[:2]):
        return [part]
    return [point for inner in part for point in points(inner)]


@dataclass(frozen=True, slots=True)
class Features:
    """A list of features, or of the geometries of a topology.

    Attributes:
        id: column of the features' ids, "" if none has one. kind: column of the geometry's type.
        extent: columns of longitude and latitude (all geometries are points), of the bounds in the order
            west, south, east, north, or none (a topology, whose arcs are not decoded).
    """

    id: str
    kind: str
    extent: tuple[str, ...]

    def rows(self, members: Iterable[Member]) -> Iterator[Row]:
        """Make records of the features."""
        own = {self.id, self.kind, *self.extent} - {""}
        for index, feature in members:
            properties = (feature.get("properties") or {}) if type(feature) is dict else None
            if type(properties) is not dict:
                yield stray(index + 1, "not a feature", feature)
            elif not own.isdisjoint(properties):
                yield stray(index + 1, "has a property with the name of a column of the geometry", properties)
            else:
                yield self._record(feature, properties)

    def _record(self, feature: Record, properties: Record) -> Record:
        record: Record = {self.id: feature.get("id"), **properties} if self.id else dict(properties)
        if not self.extent:
            record[self.kind] = feature.get("type")
            return record
        geometry = feature.get("geometry")
        record[self.kind] = geometry.get("type") if type(geometry) is dict else None
        corners = points(geometry)
        if len(self.extent) == 2:
            lon, lat = self.extent
            record[lon], record[lat] = corners[0][:2] if len(corners) == 1 else (None, None)
        else:
            west, south, east, north = self.extent
            record[west] = min((point[0] for point in corners), default=None)
            record[south] = min((point[1] for point in corners), default=None)
            record[east] = max((point[0] for point in corners), default=None)
            record[north] = max((point[1] for point in corners), default=None)
        return record

    def statements(self, *, strays: bool) -> list[str]:
        """Write what makes the same records."""
        own = ", ".join(key_literal(name) for name in (self.id, self.kind, *self.extent) if name)
        only = (
            [
                "    properties = (feature.get('properties') or {}) if isinstance(feature, dict) else None",
                f"    if not isinstance(properties, dict) or {{{own}}} & properties.keys():",
                "        continue",
            ]
            if strays
            else []
        )
        id_part = f'{key_literal(self.id)}: feature.get("id"), ' if self.id else ""
        body = [f'    record = {{{id_part}**(feature.get("properties") or {{}})}}']
        if self.extent:
            body += [
                '    geometry = feature.get("geometry")',
                f"    record[{key_literal(self.kind)}] = "
                'geometry.get("type") if isinstance(geometry, dict) else None',
                "    corners = points(geometry)",
                *self._extent_statements(),
            ]
        else:
            body.append(f'    record[{key_literal(self.kind)}] = feature.get("type")')
        loop = "\n".join(["for feature in document:", *only, *body, "    records.append(record)"])
        return [*([f"\n{_POINTS}\n\n"] if self.extent else []), "records = []", loop]

    def _extent_statements(self) -> list[str]:
        if len(self.extent) == 2:
            lon, lat = map(key_literal, self.extent)
            return [
                f"    record[{lon}], record[{lat}] = corners[0][:2] if len(corners) == 1 else (None, None)"
            ]
        return [
            f"    record[{key_literal(name)}] = {side}((point[{axis}] for point in corners), default=None)"
            for name, side, axis in zip(self.extent, ("min", "min", "max", "max"), (0, 1, 0, 1), strict=True)
        ]


def features(records: Sequence[Record]) -> Features:
    """Return the shape of a list of features."""
    kinds = Counter(kind_of(record) for record in records)
    are_points = set(kinds) <= {"Point", ""} and kinds["Point"] > 0
    extent = ("lon", "lat") if are_points else ("west", "south", "east", "north")
    return _named(records, extent)


def geometries(records: Sequence[Record]) -> Features:
    """Return the shape of the geometries of a topology."""
    return _named(records, ())


def kind_of(feature: Record) -> str:
    """Return the type of a feature's geometry, "" if it has none."""
    geometry = feature.get("geometry")
    return str(geometry.get("type", "")) if isinstance(geometry, dict) else ""


def _named(records: Sequence[Record], extent: tuple[str, ...]) -> Features:
    taken = {
        key
        for record in records
        if isinstance(record.get("properties"), dict)
        for key in record["properties"]
    }
    has_ids = any(record.get("id") is not None for record in records)
    name = "id" if "id" not in taken else free_name("feature_id", taken)
    return Features(
        id=name if has_ids else "",
        kind=free_name("geometry_type", taken),
        extent=tuple(free_name(side if side not in taken else f"geometry_{side}", taken) for side in extent),
    )
