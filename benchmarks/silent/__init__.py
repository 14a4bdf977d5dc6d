"""What `benchmarks/silent_errors.py` is made of: cases from two materials, mutants, scores."""
