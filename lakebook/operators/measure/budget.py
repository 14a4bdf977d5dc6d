"""How much may be measured for one query: a bound on rows, so that equal runs measure the same.

Time would be the better measure of what somebody waits for, but what is measured would then hang on the load
of the machine, and with it the findings (design §5, rule 6). A probe costs the rows that it reads; a query
may have probes for as many rows as it reads itself, times `SHARE`, and for `FREE_ROWS` at any rate. A limit
in seconds stands behind it all the same, for what rows do not tell.
"""

from __future__ import annotations

from dataclasses import dataclass

from lakebook.validation.knowledge import Knowledge
from lakebook.validation.statement import Resolver, Statement

FREE_ROWS = 1_000_000  # about what DuckDB groups in 50 ms on one thread
SHARE = 1.5
MOST_PROBES = 40
PROBE_SECONDS = 10.0


@dataclass
class Budget:
    """What is left of it; `refused` counts the probes that it did not allow."""

    rows: float
    probes: int = MOST_PROBES
    seconds: float = PROBE_SECONDS
    refused: int = 0

    def allows(self, rows: float) -> bool:
        """Take a probe of so many rows out of the budget; say no, and count it, if it is too small."""
        if self.probes <= 0 or rows > self.rows:
            self.refused += 1
            return False
        self.rows -= rows
        self.probes -= 1
        return True


def budget_for(statement: Statement, knowledge: Knowledge) -> Budget:
    """Return the budget of a query, from the rows of the tables that it reads."""
    resolver = Resolver(knowledge)
    read = 0
    for scope in statement.scopes:
        for source in scope.sources.values():
            table = resolver.table(source)
            read += table.rows if table is not None else 0
    return Budget(max(FREE_ROWS, SHARE * read))
