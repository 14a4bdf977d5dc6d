"""Query-aware exploration of the lake: candidates from three views, groups, evidence (RADAR §2.2)."""
