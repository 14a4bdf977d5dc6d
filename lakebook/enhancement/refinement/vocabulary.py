"""The words that refinement understands: those that say something checkable, and those that say nothing.

What belongs here: word lists and the pairs by which a direction is turned. A word in none of them, and in
none of
the figure's own names, is one whose truth nobody here can check, so that its sentence is withheld.
"""

from __future__ import annotations

import re


def _set(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\s,]+", text))


UP = _set("""
    rise rises rising rose risen increase increases increasing increased grow grows growing grew grown growth
    climb climbs climbing climbed upward upwards
    """)
DOWN = _set("""
    fall falls falling fell fallen decrease decreases decreasing decreased decline declines declining declined
    drop drops dropping dropped shrink shrinks shrinking shrank downward downwards
    """)
HIGHEST = _set("highest largest greatest biggest most maximum max peak peaks peaked tallest top")
LOWEST = _set("lowest smallest least minimum min fewest bottom shortest")
MORE = _set("higher larger greater bigger more above exceeds exceed exceeded taller")
LESS = _set("lower smaller less fewer below shorter")
POSITIVE = _set("positive positively")
NEGATIVE = _set("negative negatively inverse inversely")
RELATED = _set("""
    correlation correlations correlated correlate correlates relationship relation related association
    associated
    """)
STRONG, MODERATE, WEAK = _set("strong strongly"), _set("moderate moderately"), _set("weak weakly")
CHANGE = UP | DOWN
ENDS = HIGHEST | LOWEST
COMPARES = MORE | LESS
CHECKED = CHANGE | ENDS | COMPARES | POSITIVE | NEGATIVE | RELATED | STRONG | MODERATE | WEAK

_PAIRS = """
rise fall, rises falls, rising falling, rose fell, risen fallen, increase decrease, increases decreases,
increasing decreasing, increased decreased, grow shrink, grows shrinks, growing shrinking, grew shrank,
growth decline, climb drop, climbs drops, climbing dropping, climbed dropped, upward downward,
upwards downwards, highest lowest, largest smallest, greatest smallest, biggest smallest, most least,
maximum minimum, max min, tallest shortest, top bottom, higher lower, larger smaller, greater smaller,
bigger smaller, more less, above below, taller shorter, positive negative, positively negatively,
decline increase, declines increases, declining increasing, declined increased, fewer more, fewest most,
inverse positive, inversely positively
"""
OPPOSITE: dict[str, str] = {}
for _pair in _PAIRS.split(","):
    _one, _other = _pair.split()
    OPPOSITE.setdefault(_one, _other)
    OPPOSITE.setdefault(_other, _one)
OPPOSITE["decline"] = "increase"

# Amounts in words, as shares, factors and counts.
FRACTIONS = {"half": 0.5, "third": 1 / 3, "quarter": 0.25, "fifth": 0.2}
FACTORS = {"twice": 2.0, "double": 2.0, "triple": 3.0}
COUNTS = {
    word: place
    for place, word in enumerate(
        ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), 2
    )
}
MONTHS = tuple(
    re.findall(
        r"\w+",
        "January February March April May June July August September October November December",
    )
)

# How a number is hedged: each word with what it comes to.
HEDGES = (
    {word: "about" for word in ("about", "around", "approximately", "roughly", "approx", "circa", "~", "≈")}
    | {word: "nearly" for word in ("nearly", "almost")}
    | {word: "over" for word in ("over", "more than", "at least")}
    | {word: "under" for word in ("under", "less than", "at most")}
)

SILENT = _set("""
    a an the this that these those it its their there here is are was were be been being has have had having
    of
    in on at by for from to with between among across within over under per as and or but while whereas than
    then
    so also both each every all any other others respectively which who whose where when what how we see can
    seen
    seems overall chart figure plot graph bar bars line lines point points data plotted value values category
    categories group groups levels series number numbers count counts total totals share shares percent
    percentage proportion part whole compared relative respect versus vs shows show showing shown shows
    displays
    display displayed indicates indicate indicating depicts drawn average mean median sum level reaches reach
    reaching reached stands stand stood comes come goes go went gets get got makes make made up accounts
    account
    accounted accounting holds hold held contains contain represents represent followed follows second first
    last
    end ends ended start starts started beginning ending time period year years month months week
    weeks day
    days date dates around about approximately roughly approx nearly almost exceeding span range ranges
    ranging
    lie lies entire combined together altogether just only exactly trend trends axis x y size amount
    amounts do
    does
    times did i.e r rho clearly notably however moreover additionally finally interestingly
    """)

DENIALS = _set("not no never neither nor without none cannot")


def stem(word: str) -> str:
    """Return a word without its plural ending, in small letters, so that names meet their mentions."""
    small = word.casefold().strip("'’").removesuffix("'s").removesuffix("’s")
    if len(small) > 4 and small.endswith("ies"):
        return small[:-3] + "y"
    if len(small) > 3 and small.endswith("s") and not small.endswith("ss"):
        return small[:-1]
    return small


def words_of(name: str) -> list[str]:
    """Return the stems of the words in a name: AveragePrice and average_price alike."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return [stem(word) for word in re.findall(r"[^\W\d_]+", spaced)]


def turned(word: str) -> str:
    """Return the opposite of a direction word, with its capital."""
    other = OPPOSITE[word.casefold()]
    return other.capitalize() if word[:1].isupper() else other
