"""Archives and packed files: members are read by their own profilers, within limits."""
