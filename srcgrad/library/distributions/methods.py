"""The methods of a distribution of ``scipy.stats``, made of what it is with location 0 and scale 1.

::

    continuous(
        stats.expon,
        logpdf=lambda z: -z if z >= 0.0 else -np.inf,
        cdf=lambda z: -np.expm1(-z) if z > 0.0 else 0.0,
        sf=lambda z: np.exp(-z) if z > 0.0 else 1.0,
        ppf=lambda q: -np.log1p(-q),
        isf=lambda q: -np.log(q),
    )

Each is a function of numbers, with the shapes behind. What is not given is made of what is: ``pdf`` of ``logpdf``,
``sf`` of ``cdf``. That loses digits in the upper tail, where 1 - cdf is 0, so that ``sf`` and ``isf`` are given
wherever there is a formula, or the distribution is said to be symmetric.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
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
Halves = tuple[tuple[Kernel, Kernel], tuple[Kernel, Kernel]]  # formula and function of each
DOUBLE = np.float64(1.0)  # SciPy's results are of this type, whatever it is given


def log_density(kernel: Kernel, x: Number, shapes: Shapes, loc: Number, scale: Number) -> Number:
    return kernel((DOUBLE * x - loc) / scale, *shapes) - np.log(scale)


def density(kernel: Kernel, x: Number, shapes: Shapes, loc: Number, scale: Number) -> Number:
    return np.exp(kernel((DOUBLE * x - loc) / scale, *shapes)) / scale


def probability_of(kernel: Kernel, x: Number, shapes: Shapes, loc: Number, scale: Number) -> Number:
    return kernel((DOUBLE * x - loc) / scale, *shapes)


def the_rest(kernel: Kernel, x: Number, shapes: Shapes, loc: Number, scale: Number) -> Number:
    return 1.0 - probability_of(kernel, x, shapes, loc, scale)


def of_the_mirrored(kernel: Kernel, x: Number, shapes: Shapes, loc: Number, scale: Number) -> Number:
    return kernel((loc - DOUBLE * x) / scale, *shapes)


def logarithm(halves: Halves, x: Number, shapes: Shapes, loc: Number, scale: Number) -> Number:
    """Of the first of two probabilities that add up to 1; from the other one where that is smaller."""
    (this, this_kernel), (other, other_kernel) = halves
    p = this(this_kernel, x, shapes, loc, scale)
    return np.where(p < 0.5, np.log(p), np.log1p(-other(other_kernel, x, shapes, loc, scale)))


def quantile(kernel: Kernel, q: Number, shapes: Shapes, loc: Number, scale: Number) -> Number:
    return np.where((q >= 0.0) & (q <= 1.0), loc + scale * kernel(DOUBLE * q, *shapes), np.nan)


def quantile_of_the_rest(kernel: Kernel, q: Number, shapes: Shapes, loc: Number, scale: Number) -> Number:
    return quantile(kernel, 1.0 - q, shapes, loc, scale)


def mirrored_quantile(kernel: Kernel, q: Number, shapes: Shapes, loc: Number, scale: Number) -> Number:
    return quantile(kernel, q, shapes, loc, -scale)


def log_probability(kernel: Kernel, k: Number, shapes: Shapes, loc: Number, scale: Number) -> Number:
    return kernel(DOUBLE * k - loc, *shapes)


def probability(kernel: Kernel, k: Number, shapes: Shapes, loc: Number, scale: Number) -> Number:
    return np.exp(kernel(DOUBLE * k - loc, *shapes))


def guarded(
    formula: Kernel, kernel: Kernel, valid: Kernel, x: Number, shapes: Shapes, loc: Number, scale: Number
) -> Number:
    """NaN where the scale or a shape is none, as SciPy has it."""
    return np.where(valid(scale, *shapes), formula(kernel, x, shapes, loc, scale), np.nan)


ALL_POSITIVE = (
    lambda scale: scale > 0.0,
    lambda scale, a: scale > 0.0 and a > 0.0,
    lambda scale, a, b: scale > 0.0 and a > 0.0 and b > 0.0,
)


def continuous(
    distribution: Any,
    *,
    logpdf: Kernel,
    cdf: Kernel | None = None,
    sf: Kernel | None = None,
    logcdf: Kernel | None = None,
    logsf: Kernel | None = None,
    ppf: Kernel | None = None,
    isf: Kernel | None = None,
    symmetric: bool = False,
    valid: Kernel | None = None,
) -> None:
    """Add the methods of a distribution; ``valid(scale, *shapes)`` is true of positive ones where it is not given."""
    shapes = shapes_of(distribution)
    is_valid = of_arrays(valid or ALL_POSITIVE[len(shapes)])

    def add(name: str, *choices: tuple[Kernel, Any]) -> tuple[Kernel, Any] | None:
        """The method by the first formula whose function there is."""
        for formula, kernel in choices:
            if kernel:
                add_method(distribution, name, formula, of_arrays(kernel), is_valid)
                return formula, of_arrays(kernel)
        return None

    add("logpdf", (log_density, logpdf))
    add("pdf", (density, logpdf))
    lower = add("cdf", (probability_of, cdf))
    upper = add("sf", (probability_of, sf), (of_the_mirrored, symmetric and cdf), (the_rest, cdf))
    add("logcdf", (probability_of, logcdf), (logarithm, lower and (lower, upper)))
    add(
        "logsf",
        (probability_of, logsf),
        (of_the_mirrored, symmetric and logcdf),
        (logarithm, lower and (upper, lower)),
    )
    add("ppf", (quantile, ppf))
    add("isf", (quantile, isf), (mirrored_quantile, symmetric and ppf), (quantile_of_the_rest, ppf))


def discrete(
    distribution: Any, *, logpmf: Kernel, cdf: Kernel | None = None, sf: Kernel | None = None, valid: Kernel
) -> None:
    """The same of whole numbers, which have no scale (1 is handed to ``valid``)."""
    for name, kernel, formula in (
        ("logpmf", logpmf, log_probability),
        ("pmf", logpmf, probability),
        ("cdf", cdf, log_probability),
        ("sf", sf, log_probability),
    ):
        if kernel:
            add_method(distribution, name, formula, of_arrays(kernel), of_arrays(valid), scaled=False)


def of_arrays(kernel: Kernel) -> Kernel:
    """SciPy's own functions are."""
    return elementwise()(kernel) if isinstance(kernel, FunctionType) else kernel


def shapes_of(distribution: Any) -> list[str]:
    return [s.strip() for s in (distribution.shapes or "").split(",") if s.strip()]


def add_method(
    distribution: Any, name: str, formula: Kernel, kernel: Kernel, valid: Kernel, scaled: bool = True
) -> None:
    shapes = shapes_of(distribution)
    first = "q" if name in ("ppf", "isf") else "x" if scaled else "k"
    rest = {"loc": Static(0.0), "scale": Static(1.0)} if scaled else {"loc": Static(0)}

    def handler(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
        values = bound(lowering, name, arguments, keywords, first, *shapes, **rest)
        given = TupleValue(tuple(values[1 : 1 + len(shapes)]))
        place = list(values[1 + len(shapes) :]) + ([] if scaled else [Static(1.0)])
        parts = [Static(formula), Static(kernel), Static(valid)]
        return call_object(lowering, guarded, [*parts, values[0], given, *place], {})

    FUNCTIONS[getattr(distribution, name)] = handler
