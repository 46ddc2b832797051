"""NumPy functions written in srcgrad's own language. Importing this package fills the registry."""

import importlib
import sys

from srcgrad.library import (
    axes,
    comparison,
    counting,
    covariance,
    cumulative,
    diagonals,
    differences,
    elementwise,
    extremes,
    grids,
    interpolation,
    linear_algebra,
    missing,
    ordering,
    padding,
    picking,
    polynomials,
    products,
    putting,
    quantiles,
    repeating,
    spectral,
    splitting,
    statistics,
)

__all__ = [
    "axes",
    "comparison",
    "counting",
    "covariance",
    "cumulative",
    "diagonals",
    "differences",
    "elementwise",
    "extremes",
    "grids",
    "interpolation",
    "linear_algebra",
    "load_special",
    "missing",
    "ordering",
    "padding",
    "picking",
    "polynomials",
    "products",
    "putting",
    "quantiles",
    "repeating",
    "spectral",
    "splitting",
    "statistics",
]


def load_special() -> None:
    """Rows for SciPy's functions in a program that has imported them; to import SciPy takes a tenth of a second."""
    if "scipy.special" in sys.modules:
        importlib.import_module("srcgrad.library.special")
