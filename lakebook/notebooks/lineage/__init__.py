"""Column lineage: which columns of the old table a value is made of. `lakebook.notebooks.columns` uses it."""
