"""Pieces of random programs: expressions, statements, control flow, and patterns of several statements."""
