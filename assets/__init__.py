"""What exists: one asset a stage, one module a group, each asset thin; checks stand in `assets.checks`."""
