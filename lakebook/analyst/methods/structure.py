"""What a table is: its grain, its calendar, its panel, its repeated rows and its missing values.

What belongs here: exact arithmetic over all rows that says how the table is built. What may be wrong with
its numbers is found in `trust`. Every function returns plain numbers, names and lists. Paper: RADAR §2.2
(what was observed, and how completely).
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd


def row_codes(frame: pd.DataFrame, columns: Sequence[str]) -> "np.ndarray[Any, Any]":
    """Number the distinct combinations of the columns' values; a missing value counts as a value."""
    return joint_codes([pd.factorize(frame[column], use_na_sentinel=False)[0] for column in columns])


def joint_codes(codes: "Sequence[np.ndarray[Any, Any]]") -> "np.ndarray[Any, Any]":
    """Number the distinct combinations of several numberings of the same rows."""
    joint = np.asarray(codes[0], dtype=np.int64)
    for own in codes[1:]:
        joint = pd.factorize(joint * (int(own.max(initial=0)) + 1) + own)[0].astype(np.int64)
    return joint


def distinct_rows(frame: pd.DataFrame, columns: Sequence[str]) -> int:
    """Count the distinct combinations of the columns' values."""
    codes = row_codes(frame, columns)
    return int(codes.max()) + 1 if len(codes) else 0


def is_row_counter(values: pd.Series) -> bool:
    """Tell whether a column merely numbers the rows: it goes up by one, or starts again at its minimum."""
    if len(values) < 3 or not pd.api.types.is_integer_dtype(values) or values.isna().any():
        return False
    numbers = values.to_numpy(dtype=float)
    steps = np.diff(numbers)
    restart = (numbers[1:] == numbers.min()) & (np.abs(steps) > 1)
    return bool(((steps == 1) | restart).all() or ((steps == -1) | restart).all())


def find_key(frame: pd.DataFrame, columns: Sequence[str], widest: int = 3) -> list[str]:
    """Find the smallest set of columns of which no two rows agree; [] if there is none.

    Smaller sets come first, and among sets of one size the one with fewer distinct values, as it says
    more: a region and a week, not a row number and a price.
    """
    codes = {column: row_codes(frame, [column]) for column in columns}
    levels = {column: int(own.max(initial=-1)) + 1 for column, own in codes.items()}
    order = sorted(columns, key=lambda column: (levels[column], list(columns).index(column)))
    for size in range(1, widest + 1):
        sets = sorted(combinations(order, size), key=lambda group: sum(levels[c] for c in group))
        for group in sets:
            possible = np.prod([float(levels[column]) for column in group])
            if possible >= len(frame) and len(pd.unique(joint_codes([codes[c] for c in group]))) == len(
                frame
            ):
                return list(group)
    return []


def grain_key(frame: pd.DataFrame, columns: Sequence[str], ids: Sequence[str] = ()) -> dict[str, Any]:
    """Say what one row is: the smallest key, the nearest miss, and the coarser unit that rows belong to.

    `columns` may form a key, simplest first; `ids` name things (an order, a customer) and may be the
    coarser unit: the finest of them that repeats and fixes at least two other columns.
    """
    counters = [column for column in columns if is_row_counter(frame[column])]
    usable = [column for column in columns if column not in counters]
    copies = int(frame.duplicated().sum())
    key = find_key(frame, usable) if len(frame) > 1 else []
    # Where many rows have an equal, equal rows are what the table is about, and no copies.
    few = 0 < copies < 0.1 * len(frame)
    after_copies = find_key(frame.drop_duplicates(), usable) if few and not key else []
    unique = [column for column in counters if frame[column].is_unique]
    near: list[str] = []
    repeats = 0
    if not key and not after_copies and usable and len(frame) > 1:
        codes = {column: row_codes(frame, [column]) for column in usable}
        wide = [list(group) for group in combinations(usable, min(2, len(usable)))]
        counts = [len(frame) - len(pd.unique(joint_codes([codes[c] for c in group]))) for group in wide]
        best = int(np.argmin(counts))
        near, repeats = (wide[best], counts[best]) if counts[best] < 0.01 * len(frame) else ([], 0)
    coarse, fixed = coarse_unit(frame, [column for column in ids if column not in [*key, *counters]])
    return {
        "rows": len(frame),
        "key": key,
        "key_without_copies": after_copies,
        "copies": copies,
        "row_number": unique[0] if unique else "",
        "counters": counters,
        "near_key": near,
        "near_repeats": repeats,
        "coarse": coarse,
        "coarse_units": int(frame[coarse].nunique()) if coarse else 0,
        "fixed_by_coarse": fixed,
    }


def coarse_unit(frame: pd.DataFrame, ids: Sequence[str]) -> tuple[str, list[str]]:
    """Return the finest id that repeats and fixes at least two other columns, with those columns."""
    by_detail = sorted(ids, key=lambda column: -frame[column].nunique())
    for column in by_detail:
        own = row_codes(frame, [column])
        units = int(own.max(initial=-1)) + 1
        if units < 2 or len(frame) / units < 1.2 or frame[column].isna().mean() > 0.01:
            continue
        others = [c for c in frame.columns if c != column and frame[c].nunique() > 1]
        fixed = [c for c in others if len(pd.unique(joint_codes([own, row_codes(frame, [c])]))) == units]
        if len(fixed) >= 2:
            return column, fixed
    return "", []


def modal_step(stamps: pd.Series) -> tuple[str, float]:
    """Name the commonest step between the stamps (hour … year), and say which share of steps it is."""
    days = stamps.diff().dropna().dt.total_seconds() / 86400
    if not len(days):
        return "irregular", 0.0
    bounds = {
        "hour": (0.04, 0.043),
        "day": (0.95, 1.05),
        "week": (6, 8),
        "month": (28, 31),
        "quarter": (90, 92),
        "year": (365, 366),
    }
    shares = {name: float(days.between(low, high).mean()) for name, (low, high) in bounds.items()}
    best = max(shares, key=lambda name: shares[name])
    return (best, shares[best]) if shares[best] >= 0.9 else ("irregular", shares[best])


def grid_slots(stamps: pd.Series, step: str) -> tuple["np.ndarray[Any, Any]", "np.ndarray[Any, Any]"]:
    """Number the steps of the calendar: each stamp's slot, and whether it stands off the common grid."""
    if step in ("month", "quarter", "year"):
        letter = {"month": "M", "quarter": "Q", "year": "Y"}[step]
        slots = stamps.dt.to_period(letter).astype("int64").to_numpy()
        return slots, np.zeros(len(stamps), dtype=bool)
    length = {"hour": 3600.0, "day": 86400.0, "week": 604800.0}[step]
    seconds = (stamps - pd.Timestamp("2000-01-02")).dt.total_seconds().to_numpy()
    offsets = np.round(np.mod(seconds, length))
    values, counts = np.unique(offsets, return_counts=True)
    common = values[np.argmax(counts)]
    return np.round((seconds - common) / length).astype(np.int64), offsets != common


def calendar_coverage(values: pd.Series) -> dict[str, Any]:
    """Say which time the stamps cover: first, last, step, gaps, stamps off the grid, years cut short."""
    times = pd.to_datetime(values.dropna())
    stamps = pd.Series(np.sort(times.unique()))
    if not len(stamps):
        return {"stamps": 0, "step": "irregular", "rows_without": int(values.isna().sum()), "gaps": []}
    step, share = modal_step(stamps)
    facts: dict[str, Any] = {
        "stamps": len(stamps),
        "rows_without": int(values.isna().sum()),
        "first": iso_stamp(stamps.iloc[0]),
        "last": iso_stamp(stamps.iloc[-1]),
        "step": step,
        "step_share": share,
        "longest_days": float(stamps.diff().max() / pd.Timedelta(days=1)) if len(stamps) > 1 else 0.0,
        "gaps": [],
        "missing_steps": 0,
        "off_grid": [],
        "shared_slots": [],
        "expected_steps": len(stamps),
    }
    if step != "irregular":
        slots, off = grid_slots(stamps, step)
        jumps: Any = np.flatnonzero(np.diff(slots) > 1)
        gaps = [
            [iso_stamp(stamps.iloc[i]), iso_stamp(stamps.iloc[i + 1]), int(slots[i + 1] - slots[i] - 1)]
            for i in jumps
        ]
        facts |= {
            "gaps": gaps,
            "missing_steps": int((slots[jumps + 1] - slots[jumps] - 1).sum()),
            "off_grid": [iso_stamp(stamp) for stamp in stamps[off].to_numpy()],
            "shared_slots": [iso_stamp(stamp) for stamp in stamps[1:][np.diff(slots) == 0].to_numpy()],
            "expected_steps": int(slots[-1] - slots[0] + 1),
        }
    return facts | year_coverage(stamps, step, times.dt.year.value_counts().to_dict())


def iso_stamp(stamp: Any) -> str:
    """Write a stamp as a date, with the time of day only if it has one."""
    moment = pd.Timestamp(stamp)
    return str(moment.date()) if moment == moment.normalize() else moment.isoformat(sep=" ")


def year_coverage(stamps: pd.Series, step: str, rows: dict[Any, int]) -> dict[str, Any]:
    """Count, for each calendar year, the steps covered of the steps it has; by days if there is no step.

    Where dates are events, a year also counts as thin, and not as complete, if it has fewer than 30 rows or
    1 % of all: shares of three rows compare with nothing.
    """
    thin: list[list[int]] = []
    enough = max(30, 0.01 * sum(rows.values()))
    complete: list[list[Any]] = []
    partial: list[list[Any]] = []
    if step == "year":
        return {
            "complete_years": [int(year) for year in stamps.dt.year],
            "partial_years": [],
            "thin_years": [],
        }
    first, last = stamps.iloc[0], stamps.iloc[-1]
    for year in range(first.year, last.year + 1):
        start, end = pd.Timestamp(year, 1, 1), pd.Timestamp(year, 12, 31)
        if step == "irregular":
            unit, total = "days", int((end - start).days) + 1
            covered = int((min(end, last.normalize()) - max(start, first.normalize())).days) + 1
            whole = covered >= 0.95 * total
            if rows.get(year, 0) < enough:
                thin.append([year, int(rows.get(year, 0))])
                continue
        elif step == "hour":
            # Nights without a row are no missing year: an hourly calendar is judged by its days.
            unit, total = "days", int((end - start).days) + 1
            covered = int(stamps[stamps.dt.year == year].dt.normalize().nunique())
            whole = covered >= 0.95 * total
        else:
            unit = f"{step}s"
            total = {"day": 365, "week": 52, "month": 12, "quarter": 4}[step]
            covered = min(total, len(np.unique(grid_slots(stamps, step)[0][stamps.dt.year == year])))
            whole = covered >= 0.95 * total
        (complete if whole else partial).append([year, covered, total, unit])
    return {"complete_years": [row[0] for row in complete], "partial_years": partial, "thin_years": thin}


def panel_balance(frame: pd.DataFrame, time: str, entities: Sequence[str]) -> dict[str, Any]:
    """Compare the cells that are there with stamps × entities; name those that come late or leave early."""
    unit = pd.Series(row_codes(frame, entities), index=frame.index)
    spans = frame[time].groupby(unit).agg(["min", "max", "nunique"])
    stamps, units = int(frame[time].nunique()), len(spans)
    present = int(spans["nunique"].sum())
    names = frame.assign(_unit=unit).drop_duplicates("_unit").set_index("_unit")[list(entities)]
    short = spans.index[spans["nunique"] < stamps]
    labels = [" / ".join(str(v) for v in names.loc[code]) for code in short]
    return {
        "stamps": stamps,
        "entities": units,
        "cells": stamps * units,
        "missing": stamps * units - present,
        "with_gaps": len(short),
        "names": labels[:10],
        "late": int((spans["min"] > frame[time].min()).sum()),
        "early": int((spans["max"] < frame[time].max()).sum()),
    }


def duplicate_rows(frame: pd.DataFrame, ids: Sequence[str] = (), names: Sequence[str] = ()) -> dict[str, Any]:
    """Count rows that repeat another row: in full, but for their ids, and names written in several ways."""
    rest = [column for column in frame.columns if column not in ids]
    spellings = {}
    for column in names:
        levels = pd.Series(frame[column].dropna().unique()).astype(str)
        plain = (
            levels.str.normalize("NFKC").str.casefold().str.replace(r"[\W_]+", " ", regex=True).str.strip()
        )
        groups = [list(group) for word, group in levels.groupby(plain) if word and len(group) > 1]
        if groups:
            spellings[column] = [len(groups), " / ".join(groups[0][:3])]
    return {
        "rows": len(frame),
        "copies": int(frame.duplicated().sum()),
        "copies_but_ids": int(frame.duplicated(rest).sum()) if ids and rest else 0,
        "spellings": spellings,
    }


def missing_overview(frame: pd.DataFrame, blanks: Sequence[str] = ()) -> dict[str, Any]:
    """Count missing values by column, values that stand for missing, and the rows that have none missing.

    `blanks` are words that mean "nothing here" ("unknown", "-"); they are counted apart and not replaced.
    """
    nulls = frame.isna().sum()
    words = {word.casefold() for word in blanks}
    pseudo = {}
    for column in frame.columns:
        if pd.api.types.is_string_dtype(frame[column]) or frame[column].dtype == object:
            text = frame[column].dropna().astype(str).str.strip().str.casefold()
            hits = text[text.isin(words)]
            # A single "Unknown" among thousands of titles is a title.
            if len(hits) >= max(2, 0.001 * len(frame)):
                pseudo[str(column)] = [len(hits), str(frame.loc[hits.index[0], column]).strip() or "blank"]
    return {
        "rows": len(frame),
        "nulls": {
            str(name): int(count) for name, count in nulls[nulls > 0].sort_values(ascending=False).items()
        },
        "complete_rows": int((~frame.isna().any(axis=1)).sum()),
        "pseudo": pseudo,
    }
