"""The source map: which files a lake holds, what is in them, and how much of it was seen (RADAR §2.1)."""
