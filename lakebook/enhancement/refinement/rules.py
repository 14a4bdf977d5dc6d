"""Which statement a clause makes, and what would make it true: one rule a form of statement.

A rule returns False where the clause is not of its form. Otherwise it binds every fact of the form to what
the
figure computes, turned or replaced where it is wrong, or raises Unbound where that cannot be told. Rules are
conservative: a clause that could mean two things is bound by none. Paper: NotebookRAG §4.2.4; notes on
plays, §2.2.
"""

from __future__ import annotations

from collections.abc import Callable

from lakebook.enhancement.refinement.amounts import part, values
from lakebook.enhancement.refinement.clause import Clause
from lakebook.enhancement.refinement.course import change, season
from lakebook.enhancement.refinement.ranking import comparison, extreme
from lakebook.enhancement.refinement.related import correlation

Rule = Callable[[Clause], bool]
RULES: tuple[Rule, ...] = (correlation, season, extreme, comparison, change, part, values)
