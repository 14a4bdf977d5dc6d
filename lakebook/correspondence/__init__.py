"""Which column of one table is which column of another: names and values compared, one to one, or refused."""
