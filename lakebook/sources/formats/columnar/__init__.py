"""Parquet, Feather, Arrow, ORC, and statistics packages: tables that bring their types."""
