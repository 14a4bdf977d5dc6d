"""The command line: one module a command, thin; see design.md §4 for the contract that it keeps."""
