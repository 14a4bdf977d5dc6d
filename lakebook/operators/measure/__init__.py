"""What is measured of a query for the rules: before it runs, and after (RADAR §3.1, observations).

One module for each thing that is measured: `presence` of filter values, `scopes` (what joins, aggregates and
divisions work on), `outcome` (the result). `skeleton` builds the queries that count. What follows from a
measurement is for the rules.
"""
