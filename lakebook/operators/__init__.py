"""Typed operators; every invocation leaves an execution record (RADAR §3.1)."""
