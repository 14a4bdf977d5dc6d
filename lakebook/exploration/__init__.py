"""Query-aware exploration of the lake: candidates from three views, selected groups, evidence (RADAR §2.2)."""
