"""Old notebooks cut into self-contained executable components (NotebookRAG §4.2.1-4.2.2)."""
