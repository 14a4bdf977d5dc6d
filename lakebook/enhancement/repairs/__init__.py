"""Small named fixes for old code, each one edit of the syntax tree, applied only where it applies."""
