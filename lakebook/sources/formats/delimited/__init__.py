"""Delimited text: encodings aside, how lines are cut, what a header is, and every line accounted for."""
