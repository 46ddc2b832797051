"""``scipy.stats``: distributions with a location and a scale, from what they are at 0 and 1.

A distribution is three functions of numbers: the logarithm of its density, what lies below, and the quantiles. Its
methods are made of these, for arrays, with derivatives by the location, the scale and most shapes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srcgrad.frontend.arrays.elementwise import elementwise
from srcgrad.frontend.calls.dispatch import call_object
from srcgrad.frontend.calls.signatures import bound
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.registry import FUNCTIONS, Arguments, Keywords
from srcgrad.frontend.values import FrontValue, Static, TupleValue

Number = NDArray[np.floating]
Real = float | np.floating
Kernel = Callable[..., Any]
Shapes = tuple[Number, ...]
DOUBLE = np.float64(1.0)  # SciPy's results are of this type, whatever it is given


def log_density(kernel: Kernel, x: Number, shapes: Shapes, loc: Number, scale: Number) -> Number:
    return np.where(scale > 0.0, kernel((DOUBLE * x - loc) / scale, *shapes) - np.log(scale), np.nan)


def density(kernel: Kernel, x: Number, shapes: Shapes, loc: Number, scale: Number) -> Number:
    return np.where(scale > 0.0, np.exp(kernel((DOUBLE * x - loc) / scale, *shapes)) / scale, np.nan)


def below(kernel: Kernel, x: Number, shapes: Shapes, loc: Number, scale: Number) -> Number:
    return np.where(scale > 0.0, kernel((DOUBLE * x - loc) / scale, *shapes), np.nan)


def above(kernel: Kernel, x: Number, shapes: Shapes, loc: Number, scale: Number) -> Number:
    return 1.0 - below(kernel, x, shapes, loc, scale)


def quantile(kernel: Kernel, q: Number, shapes: Shapes, loc: Number, scale: Number) -> Number:
    return np.where(scale > 0.0, loc + scale * kernel(DOUBLE * q, *shapes), np.nan)


def upper_quantile(kernel: Kernel, q: Number, shapes: Shapes, loc: Number, scale: Number) -> Number:
    return quantile(kernel, 1.0 - q, shapes, loc, scale)


def log_probability(kernel: Kernel, k: Number, shapes: Shapes, loc: Number, scale: Number) -> Number:
    return kernel(DOUBLE * k - loc, *shapes)


def probability(kernel: Kernel, k: Number, shapes: Shapes, loc: Number, scale: Number) -> Number:
    return np.exp(kernel(DOUBLE * k - loc, *shapes))


def continuous(
    distribution: Any, logarithm: Kernel, lower: Kernel | None = None, inverse: Kernel | None = None
) -> None:
    """Add the methods of a distribution; its functions take the shapes behind the number."""
    for name, kernel, formula in (
        ("logpdf", logarithm, log_density),
        ("pdf", logarithm, density),
        ("cdf", lower, below),
        ("sf", lower, above),
        ("ppf", inverse, quantile),
        ("isf", inverse, upper_quantile),
    ):
        if kernel is not None:
            add_method(distribution, name, elementwise()(kernel), formula, scaled=True)


def discrete(distribution: Any, logarithm: Kernel, lower: Kernel | None = None) -> None:
    """The same of whole numbers, which have no scale."""
    add_method(distribution, "logpmf", elementwise()(logarithm), log_probability, scaled=False)
    add_method(distribution, "pmf", logarithm, probability, scaled=False)
    if lower is not None:
        add_method(distribution, "cdf", elementwise()(lower), log_probability, scaled=False)


def add_method(distribution: Any, name: str, kernel: Kernel, formula: Kernel, scaled: bool) -> None:
    shapes = [s.strip() for s in (distribution.shapes or "").split(",") if s.strip()]
    first = "q" if name in ("ppf", "isf") else "x" if scaled else "k"
    rest = {"loc": Static(0.0), "scale": Static(1.0)} if scaled else {"loc": Static(0)}

    def handler(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
        values = bound(lowering, name, arguments, keywords, first, *shapes, **rest)
        given = TupleValue(tuple(values[1 : 1 + len(shapes)]))
        place = list(values[1 + len(shapes) :]) + ([] if scaled else [Static(1.0)])
        return call_object(lowering, formula, [Static(kernel), values[0], given, *place], {})

    FUNCTIONS[getattr(distribution, name)] = handler
