"""The example lake: real tables that installed Python packages ship, put into a folder to try Lakebook on.

Only the assembling lives here. The example's old notebooks are in `notebooks_corpus/`.
"""

from lakebook.example.lake import ExampleFile, ExampleLake, assemble

__all__ = ["ExampleFile", "ExampleLake", "assemble"]
