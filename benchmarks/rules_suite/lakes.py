"""Generated lakes with planted truth: key cardinalities, nulls, spellings, units, dates, duplicates.

A lake has seven tables in one domain's words. What each role holds:

- `one`: a row a `key` (unique); `group` is always there, `tier` sometimes null, `capacity` a measure.
- `many`: facts, n to 1 with `one` over `fk`. In a *closed* lake every `fk` matches; in an *open* one some
  are null and some are orphans. `maybe` has nulls, `stock` has zeros, `grade` is a number kept as text
  ("9", "10"), `pct` is a percentage from 0 to 100, `at` has times of day.
- `other`: a second n to 1 side, so that `many` and `other` are n:m over the key; `cost` stands in several
  currencies in a *mixed* lake.
- `plan`: one row a `group` and `year`, so that either alone is half a key.
- `twin`: 1:1 with `one`, but its keys are spelt otherwise.
- `log`: dirty on purpose: places in several spellings, -999 for missing, prices as text.
- `feed`: facts of an import, some of them twice.
"""

from __future__ import annotations

import datetime as dt
import random
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

_HERE = Path(__file__).parent
_TABLES = ("one", "many", "other", "plan", "twin", "log", "feed")
_LAST = (
    "Abel",
    "Brandt",
    "Costa",
    "Dahl",
    "Eklund",
    "Farah",
    "Gomez",
    "Hart",
    "Ito",
    "Jonas",
    "Kaya",
    "Lund",
)
_FIRST = ("Ada", "Bo", "Cleo", "Dan", "Eva", "Finn", "Gia", "Hugo", "Ines", "Jan", "Kim", "Leo", "Mia", "Noa")


@dataclass(frozen=True)
class Lake:
    """One generated lake.

    Attributes:
        name: tells domain, seed and shape apart. `words`: role -> name, and parameters of the templates.
        traits: what holds of it (closed or open, mixed or single, text_key or number_key …).
        tables: table name -> rows. `numbers`, `texts`: role -> table, for mutations.
    """

    name: str
    words: Mapping[str, str]
    traits: frozenset[str]
    tables: Mapping[str, pd.DataFrame]
    seed: int
    domain: Mapping[str, Any] = field(repr=False, default_factory=dict)


def domains(which: str) -> list[dict[str, Any]]:
    """Return the vocabularies of a set, `open` or `blind`."""
    with (_HERE / "vocabularies.toml").open("rb") as file:
        return [domain for domain in tomllib.load(file)["domain"] if domain["set"] == which]


def make(which: str, seed: int, count: int) -> list[Lake]:
    """Return so many lakes: the domains in turn, shapes drawn by the seed."""
    found = domains(which)
    return [_lake(found[at % len(found)], seed * 1_000 + at, at) for at in range(count)]


def write(lake: Lake, folder: Path) -> None:
    """Write the tables as files: Parquet for every second lake, else CSV."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in lake.tables.items():
        if lake.seed % 2:
            table.to_parquet(folder / f"{name}.parquet", index=False)
        else:
            table.to_csv(folder / f"{name}.csv", index=False)


def _lake(domain: Mapping[str, Any], seed: int, at: int) -> Lake:
    draw = random.Random(seed)  # noqa: S311
    shape = {
        "closed" if at % 2 == 0 else "open",
        "mixed" if (at // 2) % 2 else "single",
        draw.choice(["text_key", "number_key", "padded_key"]),
        "parquet" if seed % 2 else "csv",
    }
    tables, words = _Maker(domain, draw, shape).tables()
    named = {str(domain[role]): tables[role] for role in _TABLES}
    label = f"{domain['one']}-{seed}-{'-'.join(sorted(shape))}"
    return Lake(label, words, frozenset(shape), named, seed, domain)


class _Maker:
    """Draws the rows of one lake."""

    def __init__(self, domain: Mapping[str, Any], draw: random.Random, shape: set[str]) -> None:
        self.domain, self.draw, self.shape = domain, draw, shape
        self.year = draw.choice([2018, 2020, 2021, 2022])
        self.keys = self._keys(draw.randint(24, 60))
        self.words = {role: str(value) for role, value in domain.items() if isinstance(value, str)}

    def tables(self) -> tuple[dict[str, pd.DataFrame], dict[str, str]]:
        rows = {
            "one": self._one(), "many": self._many(), "other": self._other(), "plan": self._plan(),
            "twin": self._twin(), "log": self._log(),
        }  # fmt: skip
        rows["feed"] = self._feed(rows["many"])
        self._parameters(rows)
        return {role: self._frame(role, found) for role, found in rows.items()}, self.words

    def _frame(self, role: str, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
        frame = pd.DataFrame(list(rows))
        for column in frame.columns:
            if frame[column].map(lambda value: isinstance(value, int) or value is None).all():
                if frame[column].map(lambda value: isinstance(value, bool)).any():
                    continue
                frame[column] = frame[column].astype("Int64")
        return frame.rename(
            columns={column: str(self.domain.get(column, column)) for column in frame.columns}
        )

    def _keys(self, count: int) -> list[Any]:
        numbers = self.draw.sample(range(11, 2_000), count)
        if "number_key" in self.shape:
            return [1_000 + number for number in numbers]
        if "padded_key" in self.shape:
            return [f"{number:06d}" for number in numbers]
        letter = str(self.domain["one"])[0].upper()
        return [f"{letter}K-{number:04d}" for number in numbers]

    def _other_spelling(self, key: Any) -> str:
        """Return a key as the twin table has it."""
        if "number_key" in self.shape:
            return f"{key:08d}"
        return str(int(key)) if "padded_key" in self.shape else str(key).lower()

    def _one(self) -> list[dict[str, Any]]:
        names = [f"{first} {last}" for first in _FIRST for last in _LAST]
        self.draw.shuffle(names)
        groups = self.domain["groups"]
        return [
            {
                "key": key,
                "name": names[at],
                "group": groups[at % len(groups)] if at < 10 else self.draw.choice(groups),
                "tier": None if at % 7 == 3 else self.draw.choice(self.domain["tiers"]),
                "capacity": self.draw.randint(8, 400) * 5,
                "since": dt.date(self.year - 9, 1, 1) + dt.timedelta(days=self.draw.randint(0, 3_000)),
                "postal": f"{self.draw.randint(100, 99_999):05d}" if at else "00712",
            }
            for at, key in enumerate(self.keys)
        ]

    def _many(self) -> list[dict[str, Any]]:
        busy = self.keys[: -max(3, len(self.keys) // 8)]  # some keys have no fact
        weights = [1 + 9 / (at + 1) for at in range(len(busy))]
        rows = []
        for at in range(self.draw.randint(420, 700)):
            day = dt.date(self.year, 1, 1) + dt.timedelta(days=self.draw.randint(0, 729))
            time = dt.time(self.draw.randint(0, 23), self.draw.randint(0, 59))
            key = self.draw.choices(busy, weights)[0] if at >= len(busy) else busy[at]
            if "open" in self.shape and at % 12 == 5:
                key = None if at % 24 == 5 else self._orphan(at)
            rows.append(
                {
                    "id": 50_000 + at * 3 + at % 2,
                    "fk": key,
                    "status": self.draw.choice(self.domain["statuses"]),
                    "day": day,
                    "at": dt.datetime.combine(day, time),
                    "amount": round(self.draw.lognormvariate(4, 0.8), 2),
                    "qty": self.draw.randint(1, 9),
                    "stock": self.draw.choice([0, 0, 1, 2, 3]),
                    "maybe": None if self.draw.random() < 0.18 else round(self.draw.uniform(1, 40), 1),
                    "pct": round(self.draw.uniform(2, 98), 1),
                    "grade": str(self.draw.randint(1, 130)),
                    "flag": self.draw.random() < 0.3,
                }
            )
        return rows

    def _orphan(self, at: int) -> Any:
        if "number_key" in self.shape:
            return 900_000 + at % 40
        return f"{980_000 + at % 40}" if "padded_key" in self.shape else f"ZZ-{at % 40:04d}"

    def _other(self) -> list[dict[str, Any]]:
        chosen = self.keys[::2]
        rows = []
        for at in range(self.draw.randint(120, 200)):
            row = {
                "ref": 7_001 + at,
                "fk2": chosen[at % len(chosen)] if at < len(chosen) else self.draw.choice(chosen),
                "kind": self.draw.choice(self.domain["kinds"]),
                "cost": round(self.draw.uniform(5, 900), 2),
                "odate": dt.date(self.year, 1, 1) + dt.timedelta(days=self.draw.randint(0, 729)),
            }
            if "mixed" in self.shape:
                row["currency"] = self.draw.choice(["EUR", "USD", "USD", "JPY"])
            rows.append(row)
        return rows

    def _plan(self) -> list[dict[str, Any]]:
        return [
            {"group": group, "year": year, "target": self.draw.randint(20, 90) * 1_000}
            for group in self.domain["groups"]
            for year in (self.year, self.year + 1)
        ]

    def _twin(self) -> list[dict[str, Any]]:
        return [
            {"tkey": self._other_spelling(key), "score": self.draw.randint(1, 100)}
            for key in self.draw.sample(self.keys, len(self.keys))
        ]

    def _log(self) -> list[dict[str, Any]]:
        places, rows = self.domain["places"], []
        for at in range(160):
            place = self.draw.choice(places)
            if place == places[0] and at % 3 == 0:
                place = place.upper()
            if place == places[1] and at % 4 == 0:
                place += " "
            value = round(self.draw.uniform(1, 90_000), 2)
            rows.append(
                {
                    "lid": at + 1,
                    "place": place,
                    "reading": -999 if at % 23 == 7 else self.draw.randint(12, 480),
                    "priced": f"{value:,.2f}" if at % 31 != 4 else "n/a",
                    "noted": dt.date(self.year, 1, 1) + dt.timedelta(days=at * 4),
                }
            )
        return rows

    def _feed(self, many: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        rows = [{part: row[part] for part in ("id", "status", "amount")} for row in many[:200]]
        return [row for at, row in enumerate(rows) for _ in range(1 + (at % 16 == 3))]

    def _parameters(self, rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        """Set the parameters that the templates use."""
        words, domain, draw = self.words, self.domain, self.draw
        for role, values in (
            ("status", "statuses"),
            ("group", "groups"),
            ("kind", "kinds"),
            ("tier", "tiers"),
        ):
            for at, value in enumerate(draw.sample(domain[values], len(domain[values])), 1):
                words[f"{role}_{at}"] = value.replace("'", "''")
        for at, value in enumerate(domain["places"], 1):
            words[f"place_{at}"] = value.replace("'", "''")
        amounts = sorted(row["amount"] for row in rows["many"])
        words |= {
            "y": str(self.year), "y2": str(self.year + 1), "m": f"{draw.randint(1, 8):02d}",
            "low": f"{amounts[len(amounts) // 4]:.0f}", "high": f"{amounts[len(amounts) * 3 // 4]:.0f}",
            "k": str(draw.choice([3, 5, 8])), "few": str(draw.randint(2, 4)),
            "an_id": str(rows["many"][37]["id"]), "a_name": rows["one"][5]["name"],
        }  # fmt: skip
        words["m2"] = f"{int(words['m']) + 1:02d}"
        words["m3"] = f"{int(words['m']) + 3:02d}"
        words["a_key"] = self._literal(self.keys[0])
        words["b_key"] = self._literal(self.keys[1])
        words["twin_join"] = {
            "number_key": f"CAST(t.{words['tkey']} AS INTEGER) = o.{words['key']}",
            "padded_key": f"lpad(CAST(t.{words['tkey']} AS VARCHAR), 6, '0') = o.{words['key']}",
            "text_key": f"upper(t.{words['tkey']}) = o.{words['key']}",
        }[next(trait for trait in self.shape if trait.endswith("_key"))]

    def _literal(self, key: Any) -> str:
        return str(key) if isinstance(key, int) else f"'{key}'"
