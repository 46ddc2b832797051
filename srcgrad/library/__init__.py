"""NumPy functions written in srcgrad's own language. Importing this package fills the registry."""

from srcgrad.library import cumulative, extremes, linear_algebra, ordering, shapes, spectral, statistics

__all__ = ["cumulative", "extremes", "linear_algebra", "ordering", "shapes", "spectral", "statistics"]
