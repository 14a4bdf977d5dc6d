"""Questions with known answers, and how `lakebook ask` fares on them; see `benchmarks/ask.py`."""
