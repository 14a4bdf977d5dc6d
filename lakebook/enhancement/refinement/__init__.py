"""Refinement: what somebody said of a figure is taken apart into facts, recomputed, corrected or withheld.

Paper: NotebookRAG §4.2.4 (the refiner). Nothing here makes a sentence of its own (see `insights`).
"""
