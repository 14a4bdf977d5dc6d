"""Bounded repair of a statement that failed or was rejected (RADAR §3.3).

At most two tries, first by fixed means that are sure, then by a model if one may be asked. A candidate is
taken only if it reads the same base tables as what was submitted, writes no value of its own, passes the
rules, and runs; both versions are kept in the record, and a finding says what was changed.
"""

from __future__ import annotations

from lakebook.validation.repair.bounded import MOST_TRIES, Asked, Repaired, Repairing, Rerun, repaired
from lakebook.validation.repair.failure import Failure, Proposal

__all__ = ["MOST_TRIES", "Asked", "Failure", "Proposal", "Repaired", "Repairing", "Rerun", "repaired"]
