"""NumPy functions written in srcgrad's own language. Importing this package fills the registry."""

import importlib
import sys

from srcgrad.library import (
    applying,
    axes,
    blas,
    comparison,
    counting,
    covariance,
    cumulative,
    diagonals,
    differences,
    elementwise,
    extremes,
    fourier,
    grids,
    interpolation,
    linear_algebra,
    lists,
    mathematics,
    missing,
    norms,
    ordering,
    orthogonal,
    padding,
    picking,
    polynomials,
    products,
    putting,
    quantiles,
    random,
    repeating,
    singular,
    spectral,
    splitting,
    statistics,
    ufunc_methods,
)

__all__ = [
    "applying",
    "axes",
    "blas",
    "comparison",
    "counting",
    "covariance",
    "cumulative",
    "diagonals",
    "differences",
    "elementwise",
    "extremes",
    "fourier",
    "grids",
    "interpolation",
    "linear_algebra",
    "lists",
    "load_special",
    "mathematics",
    "missing",
    "norms",
    "ordering",
    "orthogonal",
    "padding",
    "picking",
    "polynomials",
    "products",
    "putting",
    "quantiles",
    "random",
    "repeating",
    "singular",
    "spectral",
    "splitting",
    "statistics",
    "ufunc_methods",
]


def load_special() -> None:
    """Rows for SciPy's functions in a program that has imported them; to import SciPy takes a tenth of a second."""
    for name, rows in (("scipy.special", "special"), ("scipy.linalg", "scipy_linalg")):
        if name in sys.modules:
            importlib.import_module(f"srcgrad.library.{rows}")
