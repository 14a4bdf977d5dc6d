"""What lies outside: Dagster resources that hand out plain Lakebook objects. No logic belongs here."""
