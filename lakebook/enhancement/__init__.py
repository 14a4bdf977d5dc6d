"""Old components run again on new data, and what their figures say (NotebookRAG §4.2.4)."""
