"""Tests of text against a pattern (LIKE, ILIKE, contains, position, regular expressions), taken apart.

Used by the rules on filter values; what a pattern matches is counted by the runtime.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from lakebook.validation.conditions import is_negated, wildcards
from lakebook.validation.predicates import Predicate, over_one_column
from lakebook.validation.statement import Origin, Resolver, Statement, is_constant, literal, owned, text

_META = re.compile(r"[.$^+*?()\[\]{}|\\]")
_BEFORE = r"(?:^|[^\pL])"
_AFTER = r"(?:[^\pL]|$)"
# Endings under which a longer word still means the same: "dramas", "childhood"; not "actress" or "Indiana".
_ENDINGS = "s|es|'s|e|n|en|er|ers|ed|d|ing|ings|ly|al|ren|hood|ish|less|ful|ment|ship|ness|y"


@dataclass(frozen=True, slots=True)
class Pattern:
    """One test of a table's text column against a constant pattern.

    Attributes:
        node: the test as written, turned positive, over the table's own column.
        pattern: the pattern as written.
        needle: the text that is looked for, "" if the pattern is of another form.
        at_front: it is looked for at the front of a value, else anywhere.
        folded: letter case plays no part. `regular`: a regular expression.
    """

    origin: Origin
    column: Any
    node: Any
    pattern: str
    needle: str
    at_front: bool
    folded: bool
    regular: bool
    negated: bool

    @property
    def matched(self) -> Predicate:
        """The rows that it matches."""
        return Predicate(self.origin, text(self.node), listed=False)

    def with_pattern(self, pattern: str) -> Any:
        """Return the same LIKE with another pattern, in which a backslash escapes."""
        like = exp.ILike if self.folded else exp.Like
        test = like(this=self.column.copy(), expression=exp.Literal.string(pattern))
        return exp.Escape(this=test, expression=exp.Literal.string("\\"))

    def but_not(self, other: Any) -> Predicate:
        """Return the rows that it matches and the other condition does not."""
        return Predicate(self.origin, text(exp.and_(self.node.copy(), exp.not_(other))))

    def also(self, other: Any) -> Predicate:
        """Return the rows that both match."""
        return Predicate(self.origin, text(exp.and_(self.node.copy(), other)), listed=False)

    def whole(self) -> Any:
        """Return the condition that the needle is the whole value."""
        return self._regular("^" + re.escape(self.needle) + "$")

    def as_word(self, *, endings: bool = False) -> Any:
        """Return the condition that the needle stands there as a word of its own."""
        return self._regular(_word(self.needle, endings=endings))

    def at_start(self) -> Any:
        """Return the condition that the needle stands at the start of a word."""
        return self._regular(_BEFORE + re.escape(self.needle))

    def in_other_case(self) -> Any:
        """Return the condition that the needle stands there as a word, in whatever letter case."""
        return self._regular(_word(self.needle, endings=True), "i")

    def in_front(self) -> Any:
        """Return the condition that a value begins with the needle, in whatever letter case."""
        return self._regular("^" + re.escape(self.needle), "i")

    def literally(self) -> Any:
        """Return the condition that the pattern stands there as plain text."""
        return exp.Contains(this=self.column.copy(), expression=exp.Literal.string(self.pattern))

    def _regular(self, expression: str, flags: str = "") -> Any:
        options = flags or ("i" if self.folded else "c")
        return exp.func(
            "regexp_matches", self.column.copy(), exp.Literal.string(expression), exp.Literal.string(options)
        )


def _word(needle: str, *, endings: bool) -> str:
    return _BEFORE + re.escape(needle) + (f"(?:{_ENDINGS})?" if endings else "") + _AFTER


def patterns(statement: Statement, resolver: Resolver) -> Iterator[Pattern]:
    """Yield the tests of table columns against constant patterns, wherever they stand."""
    kinds = (exp.Like, exp.ILike, exp.Contains, exp.StartsWith, exp.RegexpLike, exp.GT)
    for scope in statement.selects():
        for node in owned(scope, *kinds):
            found = _pattern(node, scope, resolver)
            if found is not None:
                yield found


def _pattern(node: Any, scope: Scope, resolver: Resolver) -> Pattern | None:
    subject, needle = node.this, node.expression
    if isinstance(node, exp.GT):  # position(needle in subject) > 0
        if not isinstance(node.this, exp.StrPosition) or literal(node.expression) != 0:
            return None
        subject, needle = node.this.this, node.this.args.get("substr")
    if isinstance(node, (exp.Like, exp.ILike)) and isinstance(node.parent, exp.Escape):
        return None
    lowered = isinstance(subject, (exp.Lower, exp.Upper))
    column = subject.this if lowered else subject
    if not isinstance(column, exp.Column) or not is_constant(needle):
        return None
    found = over_one_column(node, scope, resolver)
    pattern = literal(needle)
    if found is None or not isinstance(pattern, str) or not pattern:
        return None
    origin, positive = found
    positive.set("negate", None)
    flags = node.args.get("flag")
    return Pattern(
        origin,
        exp.column(origin.column, quoted=True),
        positive,
        pattern,
        *_needle(node, pattern),
        folded=lowered or isinstance(node, exp.ILike) or (flags is not None and "i" in str(literal(flags))),
        regular=isinstance(node, exp.RegexpLike),
        negated=is_negated(node),
    )


def _needle(node: Any, pattern: str) -> tuple[str, bool]:
    """Return the text that a test looks for, "" for other tests, and whether it has to stand in front."""
    if isinstance(node, (exp.Like, exp.ILike)):
        inner = pattern.strip("%")
        plain = pattern[-1] == "%" and bool(inner) and not {"%", "_"} & set(inner) and inner.strip() == inner
        return (inner, pattern[0] != "%") if plain else ("", False)
    if isinstance(node, exp.RegexpLike):
        return ("" if _META.search(pattern) else pattern), False
    return pattern, isinstance(node, exp.StartsWith)


def has_wildcards(pattern: Pattern) -> bool:
    """Say whether a LIKE has wildcards."""
    return isinstance(pattern.node, (exp.Like, exp.ILike)) and wildcards(pattern.node)


def is_regular(pattern: Pattern) -> bool:
    """Say whether a regular expression has signs of special meaning."""
    return pattern.regular and _META.search(pattern.pattern) is not None


def as_such(pattern: Pattern) -> Any:
    """Return the condition that the wildcards of a LIKE stand in a value as such, None if none may.

    `_` may; `%` may where it follows a digit: '50%off' where a value has the sign anywhere, '50%' where one
    has just this text.
    """
    if "_" in pattern.pattern:
        return pattern.with_pattern(pattern.pattern.replace("\\", "\\\\").replace("_", "\\_"))
    found = re.search(r"\d%", pattern.pattern)
    if found is None:
        return None
    sign = "%" if found.end() < len(pattern.pattern) else pattern.pattern.lstrip("%")
    return exp.Contains(this=pattern.column.copy(), expression=exp.Literal.string(sign))


def spelling(value: str) -> str:
    """Return a value without what spellings of one category differ in: case, accents, blanks, dots, hyphens.

    Where digits stand in it only case and blanks are taken away, since "3.5" is not "35".
    """
    folded = unicodedata.normalize("NFC", value).lower()  # what the engine can do too
    if any(sign.isdigit() for sign in folded):
        return re.sub(r"\s+", "", folded)
    bare = "".join(sign for sign in unicodedata.normalize("NFD", folded) if not unicodedata.combining(sign))
    return re.sub(r"[\s_.,'’\"-]+", "", bare)


def spelt_like(column: Any, value: str) -> Any:
    """Return the condition that a column holds a value in any spelling; as `spelling` does it, in SQL."""
    wanted = spelling(value)
    lowered = exp.func("lower", exp.func("nfc_normalize", column.copy()))
    marks = r"[\s\pZ]+"
    if not any(sign.isdigit() for sign in wanted):
        lowered = exp.func("strip_accents", lowered)
        marks = r"[\s\pZ_.,'’\"-]+"
    bare = exp.RegexpReplace(
        this=lowered,
        expression=exp.Literal.string(marks),
        replacement=exp.Literal.string(""),
        modifiers=exp.Literal.string("g"),
    )
    return exp.EQ(this=bare, expression=exp.Literal.string(wanted))
