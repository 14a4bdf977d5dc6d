"""The agent: a model's replies as typed operations, the loop around them, and the run that is kept of it."""
