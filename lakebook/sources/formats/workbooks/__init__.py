"""Workbooks of every format: cells, tables in sheets, headers, totals, and what the reader hides."""
