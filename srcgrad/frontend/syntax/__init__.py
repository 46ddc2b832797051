"""Python's syntax tree before anything is lowered: found, checked, normalised, and what its variables do."""
