"""Finding components by the columns they use, across renamed columns (NotebookRAG §4.2.3)."""
