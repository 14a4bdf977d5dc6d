"""Rules that compare what an operation claims with what was observed (RADAR §3.2-3.3)."""
