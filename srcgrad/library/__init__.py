"""NumPy functions written in srcgrad's own language. Importing this package fills the registry."""

import importlib
import sys

from srcgrad.library import (
    comparison,
    covariance,
    cumulative,
    differences,
    elementwise,
    extremes,
    linear_algebra,
    missing,
    ordering,
    quantiles,
    shapes,
    spectral,
    statistics,
)

__all__ = [
    "comparison",
    "covariance",
    "cumulative",
    "differences",
    "elementwise",
    "extremes",
    "linear_algebra",
    "load_special",
    "missing",
    "ordering",
    "quantiles",
    "shapes",
    "spectral",
    "statistics",
]


def load_special() -> None:
    """Rows for SciPy's functions in a program that has imported them; to import SciPy takes a tenth of a second."""
    if "scipy.special" in sys.modules:
        importlib.import_module("srcgrad.library.special")
