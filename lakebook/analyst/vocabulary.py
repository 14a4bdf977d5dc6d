"""Words: how names of columns and sentences of intent are cut up, and which words mean the same.

What belongs here: tokens, stems, and the word lists by which roles and intents are told. No decision is
made here: see `profile` for roles and `intent_reader` for intents. Paper: NotebookRAG §4.2.2.
"""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W_]+")

# What a number with this word in its name is used for (notes on plays, §2.1).
RATIO_WORDS = _words("""
    avg average mean median price rate ratio pct percent percentage share per index score rating rank
    discount margin yield density temperature temp humidity pressure speed wind visibility age height
    length width depth delay duration wait lateness runtime
    latitude longitude efficiency probability proportion fraction bmi grade gpa
    concentration level
""")
FLOW_WORDS = _words("""
    sales sale volume revenue amount profit cost total turnover income spend spending expense bags units
    sold earnings payment fee tax value output production consumption loss gross net donations budget
""")
COUNT_WORDS = _words("""
    count counts number num qty quantity visits votes clicks views orders items passengers deaths births
    cases goals likes followers reviews
""")
STOCK_WORDS = _words("""
    population balance inventory stock headcount capacity debt outstanding
""")
ID_WORDS = _words("""
    id ids key uuid guid identifier code no nr sku ean isbn plu index
""")
CODE_WORDS = _words("""
    zip zipcode postal postcode phone fips iban vin ssn flight tail tailnum plu year_week
""")
GEO_WORDS = _words("""
    country countries state city region county province district geography location place territory area
    continent town municipality nation market origin dest destination airport
""")
NAME_WORDS = _words("""
    name title label product item customer brand
""")
CALENDAR_WORDS = _words("""
    year month quarter week weekday day hour minute decade dow season
""")
TEXT_WORDS = _words("""
    description comment comments text summary notes note review body abstract message plot
""")

# Groups of words that mean the same in names and in sentences; each word belongs to one group.
SYNONYMS: tuple[frozenset[str], ...] = tuple(
    frozenset(group.split())
    for group in (
        "price cost_per_unit pricing expensive cheap",
        "sales sale revenue turnover sell sold selling",
        "profit loss lose losing loses lost money earnings unprofitable profitable profitability margin",
        "region area geography location territory place market where",
        "airport origin dest destination",
        "date time day when week month weekly monthly daily",
        "volume amount quantity qty demand",
        "country nation countries",
        "type kind",
        "category genre listed categories",
        "segment",
        "customer client buyer",
        "score happiness rating",
        "duration runtime length",
        "delay late",
        "carrier airline",
        "product item",
        "rating certificate",
    )
)

STOP_WORDS = _words("""
    a an the of in on at to for and or with by from into is are be was were do does did how what which
    why who when where this that these those it its their our my your we i you they there over under
    more most than then about as all any each every across between within has have had can could will
    would should may might not no please show me us tell find give build make makes made create want need data
    dataset table column columns using use time-series series model change changed changes
""")


def stem(word: str) -> str:
    """Cut the endings that only mark number or form: prices -> price, forecasting -> forecast."""
    low = word.casefold()
    for ending, left in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("es", "e"), ("s", "")):
        if low.endswith(ending) and len(low) - len(ending) >= 3 and not low.endswith(("ss", "us", "is")):
            return low[: len(low) - len(ending)] + left
    return low


def name_tokens(name: str) -> tuple[str, ...]:
    """Cut a column name into lower-case words: "AveragePrice" and "average_price" give the same."""
    spaced = _CAMEL.sub(" ", str(name))
    return tuple(word.casefold() for word in _WORD.findall(spaced))


def same_meaning(left: str, right: str) -> float:
    """Say how far two words agree: 1 for the same stem, 0.7 for synonyms, 0.6 for a long common start."""
    a, b = stem(left), stem(right)
    if a == b:
        return 1.0
    for group in SYNONYMS:
        stems = {stem(word) for word in group}
        if a in stems and b in stems:
            return 0.7
    short, long = sorted((a, b), key=len)
    return 0.6 if len(short) >= 5 and long.startswith(short) else 0.0
