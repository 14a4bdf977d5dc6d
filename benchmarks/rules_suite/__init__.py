"""The benchmark of the validation rules: planted lakes, right and wrong queries, the oracle, the baseline."""
