"""The summary in a model's words: sentences of placeholders, each held against the insight that it retells.

What belongs here: the checks, and filling the places. What can be checked in a sentence are its placeholders
and its words of direction, amount or denial. A sentence passes only if these are an unbroken stretch of one
verified insight, and it has no digit, no name and no word of cause of its own (design rule 3; notes on plays,
§2.2). What passes can still be awkward: it is marked as a model's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lakebook.analyst.claim import Claim
from lakebook.analyst.model.privacy import FEWEST, MOST, Statement
from lakebook.analyst.model.protocol import BadReply, json_in

MOST_WORDS = 120

_PLACE = re.compile(r"\{([A-Za-z_]\w*)\}")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z{“\"])")
_CAUSE = re.compile(
    r"\b(?:driv(?:e[ns]?|ers?|ing)|drove|caus(?:e[sd]?|ing|al(?:ly)?|ation)|because|due to|owing to|"
    r"thanks to|impact(?:s|ed|ing)?|effects? (?:of|on)|affect\w*|influenc\w+|leads? to|leading to|led to|"
    r"results? (?:in|from)|resulting|as a result|therefore|thereby|hence|thus|consequent\w*|responsible for|"
    r"stems? from)\b",
    re.IGNORECASE,
)
_DENIAL = r"no|not|never|without|neither|nor|cannot|\w+n['’]t"
# Words that say something checkable: which way, how much, how many, or that it is not so.
_CHECKABLE = re.compile(
    r"\{(\w+)\}|\b(?:ris(?:es?|ing)|rose|fall(?:s|ing|en)?|fell|grow(?:s|n|ing|th)?|grew|declin\w+|increas\w+|"
    r"decreas\w+|drop(?:s|ped)?|spikes?|shift\w*|trend\w*|flat|stable|constant|volatile|seasonal\w*|improv\w+|"
    r"worsen\w*|higher|highest|lower|lowest|more|most|less|least|greater|greatest|larger|largest|smaller|"
    r"smallest|biggest|bigger|best|better|worst|worse|top|bottom|above|below|over|under|exceed\w*|fewer|fewest|"
    r"dominat\w+|majority|minority|concentrat\w+|strong\w*|weak\w*|significant\w*|correlat\w+|associat\w+|"
    r"unusual\w*|surprising\w*|positive\w*|negative\w*|gain(?:s|ed)?|los(?:s|ses|es|ing|t)|profitab\w+|"
    r"unprofitab\w+|equal\w*|same|differ\w*|similar\w*|always|every|each|all|none|only|minus|"
    r"explain\w*|contribut\w+|attribut\w+|reasons?|why|should|must|"
    r"half|halves|thirds?|quarters?|fifths?|tenths?|hundredths?|twice|double[sd]?|triple[sd]?|"
    r"two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|hundreds?|thousands?|millions?|"
    rf"billions?|percent\w*|per cent|dollars?|euros?|pounds?|times|fold|{_DENIAL})\b|[%$€£¥‰+<>=]",
    re.IGNORECASE,
)
_DENIES = re.compile(rf"\b(?:{_DENIAL})\b", re.IGNORECASE)
# A sign or a letter that touches a place changes what it says: "-{c1}", "{c1}k", "{c1}.{c2}".
_GLUED = re.compile(r"[^\s(“‘\"'\[]\{|\}(?![\s)”’\"'\];:?!]|[.,](?:\s|$)|$)")
_WORD = re.compile(r"[^\W\d_][\w’'-]*")
_OPENERS = frozenset(
    re.findall(
        r"\w+",
        """
        a about across additionally also among an and around as at between but by during finally for from
        further furthermore here however in it its meanwhile moreover of on one overall that the their there
        these this those to typical typically when where while with within
        """,
    )
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that passed: its text with all places filled, and what it rests on, in order."""

    text: str
    claims: tuple[Claim, ...]
    insight: str


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary in a model's words; no sentence, and the reason, if there is none."""

    sentences: tuple[Sentence, ...] = ()
    reason: str = ""

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims that it shows, in the order of the text."""
        return tuple(claim for sentence in self.sentences for claim in sentence.claims)


def usable(statement: Statement) -> bool:
    """Tell whether an insight may be retold: leaving out a word would turn a denial round."""
    return not _DENIES.search(_PLACE.sub(" ", statement.text))


def sentences_from(text: str, statements: Sequence[Statement], names: Iterable[str]) -> tuple[Sentence, ...]:
    """Take the summary out of a model's reply.

    Args:
        text: the reply.
        statements: what the model was given.
        names: the table's column names.

    Raises:
        BadReply: names the first fault, in words that the model can act on.
    """
    given = json_in(text).get("sentences")
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise BadReply('there is no list "sentences" of texts')
    written = [part.strip() for one in given for part in _SENTENCE_END.split(" ".join(one.split()))]
    written = [part for part in written if part]
    if not FEWEST <= len(written) <= MOST:
        raise BadReply(f"it has {len(written)} sentences, not {FEWEST} to {MOST}")
    known = sorted((n for n in names if re.search(r"[^\W\d_]", n)), key=len, reverse=True)
    made = tuple(_checked(part, statements, known) for part in written)
    if len({sentence.text for sentence in made}) < len(made):
        raise BadReply("it says one thing twice")
    words = sum(len(sentence.text.split()) for sentence in made)
    if words > MOST_WORDS:
        raise BadReply(f"it has {words} words, more than {MOST_WORDS}")
    return made


def _checked(sentence: str, statements: Sequence[Statement], names: Sequence[str]) -> Sentence:
    place = f" in “{sentence}”"
    cited = _PLACE.findall(sentence)
    statement = _statement_for(cited, statements, place)
    bare = _without(names, sentence)
    own = _PLACE.sub(" ", bare)
    if "{" in own or "}" in own or _GLUED.search(bare):
        fault = "a brace, a sign or a letter touches a placeholder"
        raise BadReply(fault, fault + place)
    if any(letter.isnumeric() for letter in own):
        raise BadReply("a digit stands outside a placeholder", "a digit stands outside a placeholder" + place)
    if match := _CAUSE.search(own):
        raise BadReply("it speaks of causes", f"“{match.group(0)}” speaks of causes{place}")
    _require_stretch(_checkable(bare), _checkable(_without(names, statement.text)), place)
    if stranger := _stranger(own, sentence, _PLACE.sub(" ", statement.text)):
        fault = "a name stands outside a placeholder"
        raise BadReply(fault, f"“{stranger}” is a name or a word that the statement does not have{place}")
    claims = tuple(statement.claims[name] for name in cited)
    shown = _PLACE.sub(lambda match: statement.claims[match.group(1)].shown, sentence)
    if sentence.startswith("{") and claims[0].kind in ("direction", "absence"):
        shown = shown[:1].upper() + shown[1:]
    return Sentence(shown, claims, statement.insight.id)


def _statement_for(cited: Sequence[str], statements: Sequence[Statement], place: str) -> Statement:
    """Return the statement that a sentence retells: the one that has all its claims."""
    if not cited:
        raise BadReply("a sentence has no placeholder", f"no placeholder stands{place}")
    known = {name for statement in statements for name in statement.claims}
    if strange := [name for name in cited if name not in known]:
        raise BadReply("it uses a placeholder that is not there", f"there is no placeholder {{{strange[0]}}}")
    for statement in statements:
        if set(cited) <= set(statement.claims):
            return statement
    fault = "placeholders of different statements are mixed"
    raise BadReply(fault, f"{fault}{place}")


def _checkable(text: str) -> list[str]:
    """Return what can be checked, in order: placeholders, and words that say which way or how much."""
    return [match.group(0).casefold() for match in _CHECKABLE.finditer(text)]


def _require_stretch(said: list[str], statement: list[str], place: str) -> None:
    """Refuse a sentence whose checkable words are no unbroken stretch of the statement's."""
    if strange := [word for word in said if word not in statement]:
        fault = "it says which way, or how much, where the statement does not"
        raise BadReply(fault, f"“{strange[0]}” is not said by the statement that is retold{place}")
    if not any(statement[at : at + len(said)] == said for at in range(len(statement))):
        fault = "it takes the parts of a statement out of their order"
        raise BadReply(
            fault, f"{fault}, or leaves one out of the middle{place}; keep {' … '.join(statement)}"
        )


def _without(names: Sequence[str], text: str) -> str:
    """Take the names of columns out of a text: they may be anything, and are no statement."""
    for name in names:
        text = re.sub(rf"(?<![\w{{]){re.escape(name)}(?![\w}}])", " ", text)
    return text


def _stranger(own: str, sentence: str, said: str) -> str:
    """Return a word that may be an invented name, "" if there is none.

    Inside the sentence that is a word with a capital, at its start any word that is neither the statement's
    nor one that sentences open with.
    """
    known = set(_WORD.findall(said))
    lowered = {word.casefold() for word in known} | _OPENERS
    for match in _WORD.finditer(own):
        word = match.group(0)
        if sentence.startswith(word) and not own[: match.start()].strip():
            if word.casefold() not in lowered:
                return word
        elif any(letter.isupper() for letter in word) and word not in known:
            return word
    return ""
