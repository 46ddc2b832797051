"""NumPy functions written in srcgrad's own language. Importing this package fills the registry."""

import importlib
import sys

from srcgrad.library import (
    comparison,
    cumulative,
    extremes,
    linear_algebra,
    ordering,
    shapes,
    spectral,
    statistics,
)

__all__ = [
    "comparison",
    "cumulative",
    "extremes",
    "linear_algebra",
    "ordering",
    "shapes",
    "spectral",
    "statistics",
    "load_special",
]


def load_special() -> None:
    """Fill in SciPy's functions, if the program uses SciPy: to import it just in case would take a tenth of a second."""
    if "scipy.special" in sys.modules:
        importlib.import_module("srcgrad.library.special")
