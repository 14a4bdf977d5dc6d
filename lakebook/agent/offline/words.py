"""The words that the grammar knows: statistics, orders, comparisons, links, and words that ask nothing more.

What belongs here: word lists, as phrases cut into words. A word that stands in none of them and names nothing
in the data makes the whole question unreadable; so nothing with content of its own is a filler.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from lakebook.agent.offline.plan import How, Statistic

_T = TypeVar("_T")
Phrase = tuple[str, ...]


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(meaning: Mapping[_T, str]) -> dict[Phrase, _T]:
    """Return phrase -> meaning, from meaning -> phrases separated by commas."""
    return {tuple(phrase.split()): key for key, phrases in meaning.items() for phrase in phrases.split(",")}


def _list(phrases: str) -> frozenset[Phrase]:
    """Return phrases that stand between commas."""
    return frozenset(tuple(phrase.split()) for phrase in phrases.split(","))


# Words before the question proper.
LEAD = _set("""
    what is are was were s whats show me give us please calculate compute find determine tell list the can you
    could i there want to know get display return report out identify provide would like see and of for
""")
DETERMINERS = _set("the a an all any our my this these its their")

STATISTICS: dict[Phrase, Statistic] = _phrases({
    "average": "average,mean,avg,mean value,average value,arithmetic mean",
    "median": "median,median value",
    "sum": "total,sum,overall,combined,total sum,sum total,total amount",
    "deviation": "standard deviation,std,std dev,stdev",
    "min": "earliest,minimum value,lowest value,smallest value",
    "max": "latest,most recent,newest,maximum value,highest value,largest value",
})  # fmt: skip
# Where values are ordered: True is the upper end.
EXTREMES: dict[Phrase, bool] = _phrases({
    True: "highest,largest,greatest,biggest,maximum,max,most",
    False: "lowest,smallest,fewest,least,minimum,min",
})  # fmt: skip
ENDS: dict[Phrase, bool] = _phrases({True: "top,highest,largest,biggest", False: "bottom,lowest,smallest"})
COUNTING = _list("""
    how many, number of, count of, count, count how many, total number of, the number of
""")
DISTINCT = _set("distinct unique different")
# Superlatives that hold the name of what they order: the oldest is the highest age.
ADJECTIVES: dict[Phrase, tuple[bool, tuple[str, ...]]] = {
    tuple(phrase.split()): (up, tuple(nouns.split()))
    for up, phrases, nouns in (
        (True, "most expensive,priciest,costliest", "price cost fare"),
        (False, "cheapest,least expensive", "price cost fare"),
        (True, "oldest", "age"),
        (False, "youngest", "age"),
        (True, "heaviest", "weight mass"),
        (False, "lightest", "weight mass"),
        (True, "longest", "length duration"),
        (False, "shortest", "length duration"),
        (True, "tallest,highest", "height"),
        (True, "deepest", "depth"),
        (True, "widest", "width"),
        (True, "fastest", "speed"),
        (False, "slowest", "speed"),
        (True, "hottest,warmest", "temperature"),
        (False, "coldest", "temperature"),
    )
    for phrase in phrases.split(",")
}
MOST_OFTEN: dict[Phrase, bool] = _phrases({
    True: "most common,most frequent,most frequently occurring,commonest",
    False: "least common,least frequent",
})  # fmt: skip
SHARES: dict[Phrase, bool] = _phrases({  # True: in percent
    True: "what percentage of,what percent of,percentage of,percent of,what share of,share of,what % of,"
          "which percentage of,which share of,how many percent of",
    False: "what fraction of,fraction of,what proportion of,proportion of",
})  # fmt: skip
CORRELATIONS = _list("""
    correlation between, correlation coefficient between, correlation of, pearson correlation between,
    pearson correlation coefficient between
""")
EACH = _list("""
    per, by, for each, for every, in each, of each, each, by each, grouped by, within each, broken down by,
    split by, across, across each, at each, on each, from each
""")
RANKED_BY = _list("""
    by, with, in terms of, ranked by, based on, having, according to, that have, which have, with regard to
""")

COMPARISONS: dict[Phrase, How] = _phrases({
    "above": "more than, greater than, higher than, larger than, bigger than, over, above, exceeding, "
             "exceeds, exceed, >",
    "at least": "at least,no less than,not less than,no fewer than,≥,>=",
    "below": "less than,fewer than,lower than,smaller than,under,below,<",
    "at most": "at most,no more than,not more than,up to,≤,<=",
    "is": "exactly,equal to,equals,=,exactly equal to",
})  # fmt: skip
IN_TIME: dict[Phrase, How] = _phrases({
    "above": "after,later than", "at least": "since,from", "below": "before,earlier than,prior to",
    "at most": "until,through,up to",
    "is": "in,during,of,for,in the year,for the year,in year,during the year",
})  # fmt: skip
AFTER_NUMBER: dict[Phrase, How] = _phrases({
    "at least": "or more,or higher,or above,or greater,or later,or over",
    "at most": "or less,or fewer,or lower,or below,or earlier,or under",
})  # fmt: skip
NEGATIONS = _list("""
    not, excluding, except, except for, without, other than, but not, not in, outside, outside of, excluding
    the, not including, apart from, not from, that are not, not counting, with the exception of
""")
MISSING = _set("missing null empty blank unknown")
# Words that only tie a condition to what it is about.
LINKS = _set("""
    in for of on at from with where whose that which who having have has had is are was were be been being and
    also within among by the a an all only just their its located based situated come comes came coming
    do does did value values equal as recorded there
""")
IS = _set("is are was were of equals equal to named called as be value the a an with")
AUXILIARIES = _set("has have had is are was were there with the does did do in on at a an shows showed saw")
TAILS = _list("""
    there, are there, in total, in all, overall, altogether, is there, was there, were there, in the data,
    in the dataset, in the data set, in the table, in this dataset, in this table, in the file, in this
    file, in this data, data, dataset, do we have, are in the data, are recorded, recorded, exist, did we
    make, did we have, were recorded, are listed, in the list, are in the dataset, were there in total, are
    there in total, on a single row, in a single row, in one row, on one
    row, in any row, in our data
""")
# A verb says nothing more where the table has one of these words in its columns' names: orders are placed.
VERBS: dict[str, frozenset[str]] = {
    "sold": _set("sale sales order quantity invoice revenue sold"),
    "placed": _set("order orders"),
    "ordered": _set("order orders"),
    "operated": _set("carrier airline operator"),
    "flown": _set("carrier airline operator"),
    "published": _set("publisher publication pub published"),
    "released": _set("release released"),
    "discovered": _set("discovery discovered"),
    "found": _set("discovery discovered found"),
    "built": _set("built construction"),
    "born": _set("birth born births"),
    "made": _set("manufacturer maker producer made"),
    "produced": _set("producer manufacturer production produced"),
    "manufactured": _set("manufacturer manufactured"),
    "added": _set("added"),
    "shipped": _set("ship shipping shipped shipment"),
    "live": _set("island city country state region habitat"),
    "living": _set("island city country state region habitat"),
}  # fmt: skip
PIECES = _set("sold ordered shipped bought produced made manufactured delivered purchased")
ROWS = _set("rows row records record entries entry observations observation datapoints")
_MONTHS = """
    january jan, february feb, march mar, april apr, may, june jun, july jul, august aug, september sep sept,
    october oct, november nov, december dec
"""
MONTHS = {name: n for n, names in enumerate(_MONTHS.split(","), 1) for name in names.split()}
YEARLY = _list("""
    by year, per year, each year, for each year, in each year, yearly, annually, by years, every year, over
    the years, for every year
""")
MONTHLY = _list("""
    by month, per month, each month, for each month, in each month, monthly, every month
""")
# Words that stand for a column of another name; told as an assumption, and only where one column fits.
STANDS_FOR = {"revenue": "sales", "turnover": "sales"}

# In names of columns, these words add nothing to what the column holds.
LIGHT = _set("id name no nr code key number total average of the is has in n count value values column full")
UNITS = _set("""
    mm cm m km g kg lb lbs oz ms sec secs seconds hrs hour hours min mins minutes day days usd eur gbp
    deg k au pc
    mph ft kwh mi miles
""")
# Of these, the ones that also add nothing in a question; "total" and "average" ask for something there.
LIGHT_IN_QUESTIONS = _set("id name code key of the column value values")
# Function words that are never a value unless they are written as it is, in capitals or quotes.
NEVER_VALUES = (
    LEAD | LINKS | DETERMINERS | AUXILIARIES | _set("no not or us it he she per by each most least")
)
GENERIC_TABLES = _set("""
    data dataset table sample list all train test csv file df final clean cleaned raw sheet export full
    main new
    old copy my the of and us
""")


def known() -> frozenset[str]:
    """Return every word that has a place in some form."""
    phrases = (
        *STATISTICS, *EXTREMES, *ENDS, *COUNTING, *MOST_OFTEN, *SHARES, *CORRELATIONS, *EACH, *RANKED_BY,
        *ADJECTIVES, *COMPARISONS, *IN_TIME, *AFTER_NUMBER, *NEGATIONS, *TAILS, *YEARLY, *MONTHLY,
    )  # fmt: skip
    single = (
        LEAD
        | DETERMINERS
        | DISTINCT
        | MISSING
        | LINKS
        | IS
        | AUXILIARIES
        | ROWS
        | frozenset(MONTHS)
        | frozenset(VERBS)
    )
    others = frozenset(
        [
            "or",
            "month",
            "year",
            "change",
            "grow",
            "increase",
            "decrease",
            "rise",
            "fall",
            "percent",
            "no",
            "number",
        ]
    )
    return single | others | {word for phrase in phrases for word in phrase}
