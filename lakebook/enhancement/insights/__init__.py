"""Sentences about rerun figures, one module for kinds that are alike; `choice` decides which are said.

Paper: NotebookRAG §4.2.4.
"""
