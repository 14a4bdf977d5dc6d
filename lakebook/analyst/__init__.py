"""Who thinks: the deterministic offline analyst, its plays and its methods; later also language models."""
