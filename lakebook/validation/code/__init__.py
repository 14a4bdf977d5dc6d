"""What Python code does with tables: frames, columns and rows followed through pandas code, nothing is run.

`followed` gives the facts; the rules on Python (`lakebook.validation.rules.code_*`) read them. What is not
understood is None and no rule speaks of it. How notebooks are cut is another matter (`lakebook.notebooks`):
there every effect counts, here only what is certain of rows and values does (RADAR §3.2).
"""
