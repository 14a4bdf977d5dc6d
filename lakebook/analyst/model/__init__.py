"""The language model: what it may be asked, what may leave for it, and what of its replies is believed.

The offline analyst is the default and the fallback; a model proposes, code decides (docs/decisions/0006).
"""
