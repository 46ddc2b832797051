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
    generators,
    grids,
    interpolation,
    keyed,
    linear_algebra,
    lists,
    mathematics,
    missing,
    norms,
    ordering,
    orthogonal,
    padding,
    picking,
    polynomial_objects,
    polynomial_roots,
    polynomials,
    products,
    putting,
    python_random,
    quantiles,
    queues,
    random,
    repeating,
    singular,
    spectral,
    splitting,
    statistics,
    ufunc_methods,
    windows,
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
    "generators",
    "grids",
    "interpolation",
    "keyed",
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
    "polynomial_objects",
    "polynomial_roots",
    "polynomials",
    "products",
    "putting",
    "python_random",
    "quantiles",
    "queues",
    "random",
    "repeating",
    "singular",
    "spectral",
    "splitting",
    "statistics",
    "ufunc_methods",
    "windows",
]


DISTRIBUTIONS = [f"distributions.{where}" for where in ("line", "half_line", "interval", "whole_numbers")]

# The modules with rows for those of SciPy.
OF_SCIPY = {
    "scipy.special": ("special", "special_variants", "spherical_bessel", "evaluated_polynomials", "elliptic"),
    "scipy.optimize": ("root_finding",),
    "scipy.linalg": ("scipy_linalg", "banded", "matrix_functions"),
    "scipy.integrate": ("scipy_integrate", "quadrature"),
    "scipy.interpolate": ("scipy_interpolate",),
    "scipy.signal": ("scipy_signal",),
    "scipy.spatial.distance": ("scipy_distance",),
    "scipy.stats": ("special", "special_variants", *DISTRIBUTIONS, "stat_functions"),
}


def load_special() -> None:
    """Rows for SciPy's functions in a program that has imported them; to import SciPy takes a tenth of a second."""
    for name, modules in OF_SCIPY.items():
        if name in sys.modules:
            for module in modules:
                importlib.import_module(f"srcgrad.library.{module}")
