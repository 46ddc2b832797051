"""``scipy.stats``: distributions, by where their numbers are."""
