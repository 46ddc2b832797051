"""Tuples, lists and dicts: known items, methods, comprehensions, and lists that grow at run time."""
