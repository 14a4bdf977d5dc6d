"""What exists: one asset a stage, one module a group, each asset thin; checks stand in `assets.checks`."""

import warnings

# Observable source assets are what a lake is; that Dagster calls them beta is said once, here.
warnings.filterwarnings("ignore", message="Function `observable_source_asset` is currently in beta")
warnings.filterwarnings("ignore", message="Property `OpDefinition.version` is deprecated")
