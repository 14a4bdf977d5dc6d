"""Documents and pages: passages of text, and tables where they are certain."""
