"""NumPy functions written in srcgrad's own language. Importing this package fills the registry."""

from srcgrad.library import cumulative, extremes, ordering, shapes, statistics

__all__ = ["cumulative", "extremes", "ordering", "shapes", "statistics"]
