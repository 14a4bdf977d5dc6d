"""A lake of two small tables with cards as the profiler makes them, behind a runtime."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lakebook.agent.offline import Declined, OfflineAnswer, answer
from lakebook.operators.runtime import Runtime
from lakebook.sources.map_lake import map_lake
from lakebook.sources.profile import table_file
from lakebook.sources.scan import scan

REGIONS = ("North", "South", "West")
KINDS = ("organic", "conventional")


def _orders() -> str:
    """Forty lines: order number, shop, kind, price, discount, paid, day, year, note."""
    lines = ["order_id,shop_id,kind,list_price,discount_rate,pieces,paid,day,year,note"]
    for n in range(40):
        note = "" if n % 10 == 0 else f"note {n}"
        day = f"{2015 + n % 3}-0{1 + n % 9}-11"
        shop, kind, price = f"s{n % 5}", KINDS[n % 2], 100 + n
        cells = [f"o{n // 2}", shop, kind, f"{price}.5", n % 4 / 10, n * 3, n % 2, day, 2015 + n % 3, note]
        lines.append(",".join(map(str, cells)))
    return "\n".join(lines) + "\n"


def _shops() -> str:
    rows = [f"s{n},Shop {chr(65 + n)},{REGIONS[n % 3]},{n * 10 + 20}" for n in range(5)]
    return "\n".join(["shop_id,name,region,floor_area_m", *rows]) + "\n"


@pytest.fixture(scope="session")
def lake(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("lake")
    (folder / "orders.csv").write_text(_orders())
    (folder / "shops.csv").write_text(_shops())
    return folder, tmp_path_factory.mktemp("state")


@pytest.fixture
def runtime(lake: tuple[Path, Path]) -> Iterator[Runtime]:
    folder, state = lake
    source_map = map_lake(folder, scan(folder), state)
    with Runtime(source_map, lambda card, unit: table_file(state, card, unit)) as opened:
        yield opened


@pytest.fixture
def ask(runtime: Runtime) -> Callable[[str], OfflineAnswer | Declined]:
    return lambda question: answer(question, runtime)
