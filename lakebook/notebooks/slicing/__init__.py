"""Backward slices of notebooks.

`slicer` is the way in. Below it one forward pass in layers, each a class that adds to the one before:
effects < expressions < arguments < library < methods < calls < functions < statements, over `memory`.
"""
