"""NumPy functions written in srcgrad's own language. Importing this package fills the registry."""

import importlib
import sys

from srcgrad.library import (
    comparison,
    cumulative,
    elementwise,
    extremes,
    linear_algebra,
    norms,
    ordering,
    orthogonal,
    shapes,
    singular,
    spectral,
    statistics,
)

__all__ = [
    "comparison",
    "cumulative",
    "elementwise",
    "extremes",
    "linear_algebra",
    "load_special",
    "norms",
    "ordering",
    "orthogonal",
    "shapes",
    "singular",
    "spectral",
    "statistics",
]


def load_special() -> None:
    """Rows for SciPy's functions in a program that has imported them; to import SciPy takes a tenth of a second."""
    for name, rows in (("scipy.special", "special"), ("scipy.linalg", "scipy_linalg")):
        if name in sys.modules:
            importlib.import_module(f"srcgrad.library.{rows}")
