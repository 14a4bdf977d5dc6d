"""The lake of the hand-written cases: small tables whose every peculiarity is known.

| table | planted |
|---|---|
| customers | 20; `customer_id` unique; `segment` null for 4; `zip` with leading zeros; `region` clean |
| orders | 200; all customers but C19, C20; `discount` null for 40; two whole years; `created_at` with times |
| payments | 90; several a customer, so that orders and payments are n:m |
| visits | 60; 10 without a customer, 6 of unknown customers; `minutes` 0 in 12; a year and a half |
| targets | unique by region and year, by neither alone |
| ratings | one a customer, codes in lower case |
| accounts | one a customer, keys as numbers without the letter; `opened` a date |
| survey | `age` -99 for 9, `income` 999999 for 7, `answer` in five spellings, numbers as text |
| regional | one row a region and month, and a Total row a month; `Total` is the sum of the others |
| prices, weights | `price` in three currencies; `weight` in kg and g |
| imported | 60 rows, 9 of them twice |
| people | `sex` Male and Female; `country` US, AUS, RUS and so on; `label` with % and _ |
| sensor | readings with gaps, `value` from arithmetic on floats, two sensors |
| sales_2022, sales_2023 | same columns in another order |
| counts_2020, 2021, 2022 | one group by their names, `counts` |
| schools, scores | both have id, name, updated: only id is shared |
| ledger | `big` beyond what a DOUBLE holds exactly |
| settings | one row |
| words | 3,000 different words, more than a listing holds; 26 letters |
| rates | `share` from 0 to 1, `share_pct` from 0 to 100 |
| stations, readings | `temp_f` and `temp_c` of the same places |
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pandas as pd

_REGIONS = ("North", "South", "East")
_FIRST, _LAST = ("Ann", "Bea", "Cid", "Dov", "Eli"), ("Ode", "Pye", "Rao", "Sun", "Tal")
_START = dt.date(2023, 1, 1)


def tables() -> dict[str, pd.DataFrame]:
    """Return the tables by name."""
    return {
        **_shop(), **_dirty(), **_shapes(),
    }  # fmt: skip


def write(folder: Path) -> None:
    """Write each table as a Parquet file."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables().items():
        table.to_parquet(folder / f"{name}.parquet", index=False)


def _day(days: int) -> dt.date:
    return _START + dt.timedelta(days=days)


def _table(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """Make a frame; whole numbers with gaps stay whole."""
    frame = pd.DataFrame(rows)
    for name in frame.columns:
        values = [row[name] for row in rows if row[name] is not None]
        if all(type(value) is int for value in values):
            frame[name] = frame[name].astype("Int64")
    return frame


def _shop() -> dict[str, pd.DataFrame]:
    customers = [
        {
            "customer_id": f"C{at:02d}",
            "name": f"{_FIRST[at % 5]} {_LAST[at // 5]}",
            "region": _REGIONS[at % 3],
            "segment": None if at % 5 == 2 else ("Retail", "Wholesale")[at % 2],
            "credit_limit": 500 + at * at * 25,
            "joined": dt.date(2015, 1, 1) + dt.timedelta(days=at * 97),
            "zip": f"{at * 731 + 101:05d}",
        }
        for at in range(1, 21)
    ]
    orders = [
        {
            "order_id": 1001 + at,
            "customer_id": f"C{1 + (at * at + at // 3) % 18:02d}" if at >= 18 else f"C{1 + at:02d}",
            "status": ("paid", "open", "paid", "cancelled", "paid", "refunded")[at * 7 % 6],
            "order_date": _day(at * 731 // 200),
            "created_at": dt.datetime.combine(_day(at * 731 // 200), dt.time(at * 5 % 24, at * 7 % 60)),
            "amount": 20.25 + (at * 37 % 211) * 1.5,
            "quantity": 1 + at * 3 % 7,
            "discount": None if at % 5 == 4 else (at % 4) * 2.5,
            "tax_pct": (7.0, 19.0, 25.0)[at % 3],
        }
        for at in range(200)
    ]
    payments = [
        {
            "payment_id": 1 + at,
            "customer_id": f"C{1 + at * 5 % 18:02d}",
            "paid_on": _day(at * 6),
            "value": 15.5 + at * 11 % 83,
            "method": ("Card", "Cash", "Transfer")[at % 3],
        }
        for at in range(90)
    ]
    visits = [
        {
            "visit_id": 1 + at,
            "customer_id": None if at % 6 == 5 else f"X{at:02d}" if at % 10 == 0 else f"C{1 + at % 20:02d}",
            "visited_on": _day(at * 9),
            "minutes": 0 if at % 5 == 3 else 3 + at % 40,
        }
        for at in range(60)
    ]
    targets = [
        {"region": region, "year": year, "target": 900 + 100 * at + (year - 2023) * 50}
        for at, region in enumerate(_REGIONS)
        for year in (2023, 2024)
    ]
    numbers = range(1, 21)
    ratings = [{"customer_code": f"c{at:02d}", "rating": 1 + at * 3 % 5} for at in numbers]
    accounts = [
        {"account_no": at, "balance": at * 33.5 - 90, "opened": str(dt.date(2019, 1, 1 + at))}
        for at in numbers
    ]
    found = {
        "customers": customers, "orders": orders, "payments": payments, "visits": visits,
        "targets": targets, "ratings": ratings, "accounts": accounts,
    }  # fmt: skip
    return {name: _table(rows) for name, rows in found.items()}


def _dirty() -> dict[str, pd.DataFrame]:
    survey = [
        {
            "row_id": at,
            "age": -99 if at % 9 == 4 else 18 + at * 7 % 60,
            "income": 999999 if at % 11 == 6 else 21000 + at * 613 % 48000,
            "answer": ("yes", "Yes", "no", "NO", "no ", "yes", "no")[at % 7],
            "score_text": str(1 + at * 5 % 12),
            "price_text": "n/a" if at % 20 == 3 else f"${1 + at * 97 % 4000:,}.50",
            "rate_text": f"{at % 30 + 1}%",
            "town": ("Graz", "Linz", "Wels", "Graz", "Steyr")[at % 5],
        }
        for at in range(80)
    ]
    months = [f"2023-{month:02d}" for month in range(1, 13)]
    regional = [
        {"region": region, "month": month, "units": 40 + at * 13 + number * 3}
        for number, month in enumerate(months)
        for at, region in enumerate(_REGIONS)
    ]
    for month in months:
        whole = sum(row["units"] for row in regional if row["month"] == month)
        regional.append({"region": "Total", "month": month, "units": whole})
    imported = [
        {"line": at, "item": f"I{at % 9}", "amount": 5.5 + at * 3 % 41}
        for at in range(60)
        for _ in range(1 + (at % 7 == 2))
    ]
    found = {
        "survey": survey,
        "regional": regional,
        "imported": imported,
        "prices": [
            {"item": f"I{at % 9}", "price": 4.5 + at, "currency": ("USD", "EUR", "USD", "JPY")[at % 4]}
            for at in range(40)
        ],
        "weights": [
            {"sample": at, "weight": 2.5 + at % 7 + 900 * (at % 3 == 1), "unit": ("kg", "g", "kg")[at % 3]}
            for at in range(40)
        ],
    }  # fmt: skip
    return {name: _table(rows) for name, rows in found.items()}


def _shapes() -> dict[str, pd.DataFrame]:
    countries = ("US", "AUS", "RUS", "Austria", "Niger", "Nigeria")
    labels = ("A_1", "AB1", "50% off", "500 off", "plain", "A1")
    people = [
        {
            "person_id": at, "sex": ("Male", "Female")[at * 3 % 2], "country": countries[at % 6],
            "label": labels[at % 6], "height_cm": 150 + at * 7 % 45, "income": 1000 * (at * 11 % 37) - 2000,
        }
        for at in range(48)
    ]  # fmt: skip
    sensor = [
        {
            "taken_at": dt.datetime(2024, 3, 1) + dt.timedelta(hours=hour),
            "sensor": name,
            "value": hour % 10 * 0.1 + 0.2,
            "level": hour * 17 % 90 / 7,
        }
        for name in ("a", "b")
        for hour in range(120)
        if not 40 <= hour < 63
    ]
    yearly = [
        {"region": region, "units": 100 + 7 * at, "revenue": 9000.5 + 31 * at}
        for at, region in enumerate(_REGIONS)
    ]
    schools = [
        {"id": at, "name": f"School {at}", "updated": _day(at), "pupils": 90 + 31 * at} for at in range(12)
    ]
    scores = [
        {"id": at % 12, "name": f"Test {at % 4}", "updated": _day(200 + at), "points": 40 + at * 7 % 55}
        for at in range(48)
    ]
    found = {
        "people": people,
        "sensor": sensor,
        "sales_2022": yearly,
        "sales_2023": [
            {"region": row["region"], "revenue": row["revenue"] + 900, "units": row["units"] + 9}
            for row in yearly
        ],
        "schools": schools,
        "scores": scores,
        **{
            f"counts_{year}": [{"area": area, "units": year % 7 + at} for at, area in enumerate("ABCD")]
            for year in (2020, 2021, 2022)
        },
        "words": [
            {"word": f"word {at}", "letter": chr(97 + at % 26), "uses": at * 7 % 31} for at in range(3000)
        ],
        "ledger": [{"line": at, "big": 9_007_199_254_740_993 + at * 2} for at in range(12)],
        "settings": [{"as_of": _day(500), "factor": 1.25}],
        "rates": [
            {
                "area": f"A{at}",
                "share": at % 19 / 20 + 0.02,
                "share_pct": (at * 7 % 19 / 20 + 0.02) * 100,
                "people": 50 + at * 31,
            }
            for at in range(30)
        ],
        "stations": [
            {"station": f"S{at}", "elevation_m": 10.0 * at, "temp_f": 41.0 + 3 * at} for at in range(8)
        ],
        "readings": [
            {"station": f"S{at % 8}", "day": _day(at // 8), "temp_c": 5.0 + at % 23} for at in range(160)
        ],
    }  # fmt: skip
    return {name: _table(rows) for name, rows in found.items()}
