"""The figures of a rerun component: sent to be checked and mended where they are drawn, and read back."""
