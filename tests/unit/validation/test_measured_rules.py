"""Rules on joins, aggregates and order over real files: on wrong and on right work, in several shapes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import pytest

from lakebook.operators.record import Finding
from lakebook.operators.runtime import Runtime
from lakebook.sources.card import SourceMap
from lakebook.sources.map_lake import map_lake
from lakebook.sources.profile import table_file
from lakebook.sources.scan import scan


def _sales() -> str:
    """Sixty sales in five shops; shop E has no row of its own, and every tenth sale has no shop."""
    lines = ["sale_id,shop,day,product,amount,pieces,currency,rate_pct,gift,big"]
    for row in range(60):
        shop = "" if row % 10 == 9 else "ABCDE"[row % 5]
        lines.append(
            f"{row + 1},{shop},2024-{1 + row // 20:02}-{1 + row % 20:02},p{row % 3},{1.5 + row % 7},"
            f"{1 + row % 4},{('EUR', 'USD')[row % 2]},{10 + row % 70},{('true', 'false', 'false')[row % 3]},"
            f"{9_000_000_000_000_000 + row * 3}"
        )
    return "\n".join(lines) + "\n"


FILES = {
    "sales.csv": _sales(),
    "shops.csv": "shop,area,floor\nA,North,100\nB,North,150\nC,South,100\nD,South,80\nF,West,60\n",
    "codes.csv": "code,owner\na ,Ann\nb ,Bea\nc ,Cid\nd ,Dov\n",
    "plan.csv": "shop,product,target\n"
    + "".join(f"{shop},p{product},{10 + product}\n" for shop in "ABCD" for product in range(3)),
    "stock.csv": "shop,product,units\n"
    + "".join(f"{shop},p{product},{5 + product * 2}\n" for shop in "ABCD" for product in range(3)),
    "feed.csv": "number,state,amount\n"
    + "".join(f"{row % 37},{'new' if row % 37 < 20 else 'old'},{row % 37 * 1.25}\n" for row in range(40)),
    "people.csv": "name,height\nAnn,1.5\nBea,1.25\nCid,1.75\nDov,1.5\n",
    "weekly.csv": "week,visits\n"
    + "".join(f"{dt.date(2024, 1, 1) + dt.timedelta(weeks=row)},{row}\n" for row in range(30) if row != 9),
}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> tuple[SourceMap, Path]:
    root, state = tmp_path_factory.mktemp("lake"), tmp_path_factory.mktemp("state")
    for name, text in FILES.items():
        (root / name).write_text(text, encoding="utf-8")
    return map_lake(root, scan(root), state), state


@pytest.fixture(scope="module")
def runtime(lake: tuple[SourceMap, Path]) -> Iterator[Runtime]:
    """One runtime for all: what a query had measured serves the next, as it does in use."""
    source_map, state = lake
    with Runtime(source_map, lambda card, unit: table_file(state, card, unit)) as made:
        yield made


def findings(runtime: Runtime, sql: str) -> dict[str, Finding]:
    record = runtime.query(sql).record
    assert record.error == ""
    return {finding.rule: finding for finding in record.findings}


FAN = "from shops s join sales m on m.shop = s.shop"
WRONG = [
    ("select count(*) from shops s join sales m on s.shop = s.shop", "J2", "reject"),
    ("select count(*) from shops s join sales m on s.floor > 10", "J2", "reject"),
    ("select count(*) from shops s join sales m on m.pieces = 1 and m.shop = 'A'", "J2", "reject"),
    (f"select sum(s.floor) {FAN}", "J4", "advise"),
    (f"select avg(s.floor) {FAN}", "J4", "advise"),
    (f"with j as (select s.floor, m.amount {FAN}) select sum(floor) from j", "J4", "advise"),
    (f"select sum(f) from (select f, a from (select s.floor f, m.amount a {FAN}))", "J4", "advise"),
    (f"select s.area, sum(s.floor) over (partition by s.area) {FAN}", "J4", "advise"),
    ("select sum(p.target) from plan p join stock k on k.shop = p.shop", "J3", "advise"),
    ("select count(*) from plan p, stock k where k.shop = p.shop", "J3", "advise"),
    ("select sum(x.units) from plan p join stock x using (product)", "J3", "advise"),
    ("select p.target, k.units from plan p join stock k on k.shop = p.shop", "J9", "advise"),
    ("select p.target, k.units from plan p left join stock k using (product)", "J9", "advise"),
    ("select sum(m.amount) from sales m join shops s on s.shop = m.shop", "J5", "advise"),
    ("select s.area, count(*) from sales m, shops s where s.shop = m.shop group by 1", "J5", "advise"),
    ("select count(*) from sales m join shops s on s.area = m.shop", "J5", "reject"),
    ("select count(*) from sales m join people p on p.name = m.product", "J5", "reject"),
    ("select sum(m.amount) from sales m join shops s on s.shop = m.shop", "J8", "advise"),
    ("select count(*) from sales m join shops s using (shop)", "J8", "advise"),
    ("select owner from sales m join codes c on c.code = m.shop", "J7", "reject"),
    ("select owner from codes c join shops s on c.code = s.shop", "J7", "reject"),
    ("select * exclude (shop) from plan natural join (select * from stock)", "J10", "silent"),
    ("select p.name from people p join sales m on p.height = m.amount", "J12", "advise"),
    ("with j as (select * from plan p join stock k using (shop)) select product from j", "J11", "advise"),
    ("select shop, area from shops union all select area as area, shop as shop from shops", "J14", "advise"),
    ("select sum(amount) t, count(*) n from sales union all select count(*) n, sum(amount) t from sales",
     "J14", "advise"),
    ("select amount from sales where gift union select amount from sales where not gift", "J14", "advise"),
    (f"select sum(distinct s.floor) {FAN}", "J16", "advise"),
    ("select shop, avg(distinct amount) from sales group by shop", "J16", "advise"),
    ("select sum(amount) from feed", "A1", "advise"),
    ("select state, count(*) from feed group by state", "A1", "advise"),
    ("select avg(amount) from (select * from feed where amount > 2)", "A1", "advise"),
    ("select avg(m) from (select shop, avg(amount) m from sales group by shop)", "A2", "advise"),
    ("with t as (select shop, gift, sum(amount) / count(*) m from sales group by all) select avg(m) from t",
     "A2", "advise"),
    ("select shop, amount, count(*) from sales group by shop", "A5", "reject"),
    ("select count(*) filter (where gift) // count(*) as share from sales", "A7", "advise"),
    ("select 100 * (sum(pieces) // count(*)) from sales", "A7", "advise"),
    ("select avg(pieces // 2) from sales", "A7", "advise"),
    ("select 100 * (100.0 * count(*) filter (where gift) / count(*)) as gift_pct from sales", "A8", "advise"),
    ("select avg(rate_pct * 100) from sales", "A8", "advise"),
    ("select count(*) from sales where rate_pct > 0.5", "A8", "advise"),
    ("select count(*) filter (where gift) / count(*) as gift_pct from sales", "A24", "advise"),
    ("select * from (select avg(gift::int) as gift_percent from sales)", "A24", "advise"),
    ("select sum(amount) from sales", "A9", "advise"),
    ("select shop, avg(amount) from sales group by shop", "A9", "advise"),
    ("select count(*) / (select count(*) from sales where gift) as s from sales where pieces = 2",
     "A10", "advise"),
    ("select count(*) filter (where gift) / count(*) as s from sales where gift", "A10", "advise"),
    ("select shop, count(*) / sum(count(*)) over () s from sales group by shop having count(*) > 11",
     "A10", "advise"),
    ("select day, lag(amount) over () from sales", "A14", "advise"),
    ("select sum(amount) over (rows unbounded preceding) from sales", "A14", "advise"),
    ("select shop, lag(amount) over (order by shop) from sales", "A14", "advise"),
    ("select last_value(amount) over (order by sale_id) from sales", "A14", "advise"),
    ("select sale_id from sales qualify row_number() over (partition by shop) = 1", "A14", "advise"),
    ("select product, gift, lag(sum(amount)) over (order by product) from sales group by all",
     "A14", "advise"),
    ("select visits - lag(visits) over (order by week) from weekly", "A15", "advise"),
    ("select avg(visits) over (order by week rows between 3 preceding and current row) from weekly",
     "A15", "advise"),
    ("select avg(round(amount)) from sales", "A16", "advise"),
    ("select sum(amount::int) from sales", "A16", "advise"),
    ("select sum(r) from (select round(amount) r from sales)", "A16", "advise"),
    ("select count(*) from sales where amount / pieces = 0.3", "A17", "advise"),
    ("select shop from sales group by shop having avg(amount) = 4.1", "A17", "advise"),
    ("select sum(big::double) from sales", "A18", "silent"),
    ("select max(big::real) from sales", "A18", "advise"),
    ("select ln(pieces - 1), ln(amount) from sales", "A20", "silent"),
    ("select shop, count(*) / sum(count(*)) over () s from sales group by shop", "A22", "advise"),
    ("select shop, sum(amount) / (select sum(amount) from sales) from sales group by shop", "A22", "advise"),
    ("select s.shop, count(*) from shops s left join sales m on m.shop = s.shop group by s.shop",
     "A23", "advise"),
    ("select s.area, count(1) n from shops s left join sales m using (shop) group by 1", "A23", "advise"),
    ("select arg_max(sale_id, pieces) from sales", "O3", "advise"),
    ("select shop, arg_min(sale_id, pieces) from sales group by shop", "O3", "advise"),
    ("select shop, first(amount) from sales group by shop", "O4", "advise"),
    ("select any_value(amount) from sales", "O4", "advise"),
    ("select string_agg(product, ',') from sales", "O4", "advise"),
    ("select shop, list(amount) from sales group by shop", "O4", "advise"),
    ("select count(*) from sales where pieces = 1 and day = '2024-01-02'", "O11", "advise"),
]  # fmt: skip
RIGHT = [
    ("select sum(m.amount) from sales m left join shops s on m.shop = s.shop", "J4 J3 J5 J8"),
    (f"select max(s.floor), count(distinct s.shop) {FAN}", "J4 J3"),
    (f"select s.shop, avg(s.floor) {FAN} group by s.shop", "J4"),
    (f"select sum(case when s.area = 'North' then 1 else 0 end) {FAN}", "J4"),
    (f"select sum(case when s.area = 'North' then m.amount end) {FAN}", "J4"),
    ("select sum(s.floor) from shops s join (select shop, sum(amount) from sales group by 1) m using (shop)",
     "J4 J3 J5 J8"),
    ("select sum(s.floor) from shops s semi join sales m on m.shop = s.shop", "J4"),
    ("select sum(s.floor) from shops s join sales m on m.shop = s.shop and m.sale_id < 5", "J4"),
    ("select p.target, k.units from plan p join stock k using (shop, product)", "J3 J9 J5"),
    ("select sum(p.target) from plan p join stock k on k.shop = p.shop and k.product = p.product", "J3 J4"),
    ("select p.target from plan p join stock k using (shop) where k.product = 'p1' and p.product = 'p1'",
     "J9 J3"),
    ("select count(*) from sales a join sales b on a.shop = b.shop and a.sale_id < b.sale_id", "J3"),
    ("select s.shop from shops s left join sales m on m.shop = s.shop where m.shop is null", "J5 J7 J8"),
    ("select s.shop from shops s anti join sales m on m.shop = s.shop", "J5 J7"),
    ("select m.amount from sales m join shops s on m.shop = s.shop where s.area = 'North'", "J5 J8"),
    ("select p.target from plan p join shops s on s.shop = p.shop", "J5 J8 J7"),
    ("select owner from codes c join shops s on upper(trim(c.code)) = s.shop", "J7 J5"),
    ("select * from plan natural join stock", "J10"),
    ("with j as (select p.shop, p.product, units from plan p join stock k using (shop, product)) "
     "select product from j", "J11"),
    ("with j as (select * from plan p join stock k using (shop, product)) select product from j", "J11"),
    ("select currency, product from sales union all select product, currency from sales", "J14"),
    ("select shop from shops union select shop from plan", "J14"),
    ("select shop, floor from shops union all select shop, target from plan", "J14"),
    ("select sum(distinct floor) from shops where shop in ('A', 'B')", "J16"),
    ("select sum(amount) from (select distinct * from feed)", "A1"),
    ("select count(distinct number) from feed", "A1"),
    ("select product, count(*) from stock group by product", "A1"),
    ("select number, count(*) from feed group by number having count(*) > 1", "A1"),
    ("select sum(amount) from (select * from feed qualify row_number() over (partition by number "
     "order by amount) = 1)", "A14 A1"),
    ("select count(*), sum(s.visits) from sales m asof join weekly s on m.day >= s.week", "J3"),
    ("with recursive d(x) as (select date '2024-01-01' union all select (x + interval 1 day)::date from d "
     "where x < date '2024-01-09') select count(*), count(m.day) from d left join sales m on m.day = d.x",
     "B1 J4"),
    ("with t(s, n) as (select shop, count(*) from sales group by shop) select s, n from t", "B1"),
    ("select avg(n) from (select shop, count(*) n from sales group by shop)", "A2"),
    ("select avg(m) from (select product, avg(target) m from plan group by product)", "A2"),
    ("select sum(t) / sum(n) from (select shop, sum(amount) t, count(*) n from sales group by shop)", "A2"),
    ("select year(day) // 10 * 10 d, count(*) from sales group by 1", "A7"),
    ("select sum(amount) / count(*) as mean from sales", "A7"),
    ("select 100.0 * count(*) filter (where gift) / count(*) as gift_pct from sales", "A8 A24"),
    ("select avg(rate_pct) as mean_pct from sales", "A8 A24"),
    ("select count(*) filter (where gift) / count(*) as share from sales", "A24"),
    ("select count(*) from sales where rate_pct > 50", "A8"),
    ("select currency, sum(amount) from sales group by currency", "A9"),
    ("select sum(amount) from sales where currency = 'EUR'", "A9"),
    ("select sum(pieces), avg(rate_pct) from sales", "A9"),
    ("select count(*) / (select count(*) from sales) as s from sales where gift", "A10"),
    ("select count(*) filter (where gift) / count(*) as s from sales where pieces = 2", "A10"),
    ("select product, count(*) / sum(count(*)) over () s from sales group by product", "A10 A22"),
    ("select lag(amount) over (order by sale_id) from sales", "A14"),
    ("select lag(amount) over (partition by shop order by day, sale_id) from sales", "A14"),
    ("select sum(amount) over () from sales", "A14"),
    ("select row_number() over (), amount from sales", "A14"),
    ("select product, lag(sum(amount)) over (order by product) from sales group by product", "A14"),
    ("select number from feed qualify row_number() over (partition by number) = 1", "A14"),
    ("select week - lag(week) over (order by week) from weekly", "A15"),
    ("select sum(visits) over (order by week) from weekly", "A15"),
    ("select round(avg(amount)) from sales", "A16"),
    ("select avg(round(amount, 2)), sum(gift::int) from sales", "A16"),
    ("select count(*) from sales where pieces * 2 = 4", "A17"),
    ("select sum(big) from sales", "A18"),
    ("select ln(amount), sqrt(pieces) from sales", "A20"),
    ("select coalesce(shop, '-') k, count(*) / sum(count(*)) over () s from sales group by 1", "A22"),
    ("select shop, count(*) from sales group by shop", "A22"),
    ("select s.shop, count(m.sale_id) from shops s left join sales m on m.shop = s.shop group by 1", "A23"),
    ("select s.area, count(*) from sales m left join shops s on m.shop = s.shop group by 1", "A23"),
    ("select s.area, count(*) from shops s left join sales m using (shop) where m.sale_id is null group by 1",
     "A23"),
    ("select count(distinct m.sale_id) from sales m join shops s on m.shop = s.shop and m.pieces < s.floor",
     "J5"),
    ("select arg_max(sale_id, sale_id) from sales", "O3"),
    ("select shop, any_value(area) from shops group by shop", "O4"),
    ("select list_sort(list(product)), string_agg(product, ',' order by product) from sales", "O4"),
    ("select first(amount order by sale_id) from sales", "O4"),
    ("select product, sum(amount) t from sales group by product order by 2 desc", "O5"),
    ("select count(*) from shops s anti join sales m on m.shop = s.shop where s.area = 'North'", "O11"),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "rule", "action"), WRONG)
def test_wrong_work_is_met(runtime: Runtime, sql: str, rule: str, action: str) -> None:
    found = findings(runtime, sql)
    assert (found[rule].action if rule in found else "silent") == action


@pytest.mark.parametrize(("sql", "rules"), RIGHT)
def test_right_work_raises_no_alarm(runtime: Runtime, sql: str, rules: str) -> None:
    found = findings(runtime, sql)
    assert not set(rules.split()) & set(found), found
    assert all(finding.action != "reject" for finding in found.values())


def test_an_empty_join_shows_what_its_sides_hold(runtime: Runtime) -> None:
    found = findings(runtime, "select count(*) from codes c join shops s on trim(c.code) = s.shop")["O11"]
    assert "TRIM(c.code) holds 'a', 'b', 'c'" in found.observed
    assert "s.shop holds 'A', 'B', 'C'" in found.observed
    assert "'a'" in found.values
