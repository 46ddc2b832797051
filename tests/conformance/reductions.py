"""Reductions over axes: sums, moments, extremes, truth."""

from __future__ import annotations

import numpy as np

from conformance.grid import POSITIVE, reduction
from conformance.row import backwards, case, fortran, integers, numbers, row

MASK = np.array([True, False, True, True])
GAPS = np.array([[1.5, np.nan, -0.5, 2.0], [np.nan, 0.3, 0.7, -1.1], [0.9, 1.2, np.nan, 0.4]])
EVERY = "(a, axis, dtype, keepdims, initial, where, out)"


def masked(name: str) -> list:
    return [
        case(f"{name}(x, where=y)", [numbers(4), MASK]),
        case(f"{name}(x, axis=1, where=y, keepdims=True)", [numbers(3, 4), MASK]),
        case(f"{name}(x, where=x > 0.0)", [numbers(3, 4)]),
    ]


for _name in ("sum", "prod"):
    reduction(
        f"np.{_name}",
        EVERY,
        [
            *masked(f"np.{_name}"),
            case(f"np.{_name}(x, initial=y)", [numbers(4), numbers()]),
            case(f"np.{_name}(x, axis=0, initial=2.0)", [numbers(2, 3)]),
            case(f"np.{_name}(x, dtype=np.float64)", [numbers(4, dtype=np.float32)]),
            case(f"np.{_name}(x, 0, np.float32)", [integers(1, 4, 4, 2)]),
            case(f"np.{_name}(x, axis=0)", [integers(0, 9, 3, 2, dtype=np.int32)]),
            case(f"np.{_name}(x)", [2.5]),
            case(f"x.{_name}(0)", [numbers(3, 2)]),
            case(f"np.{_name}(x, axis=1, out=np.zeros(2))", [numbers(2, 3)]),
            case(f"np.{_name}(x)", [np.array([0.0, 2.0, 3.0])], [np.array([0.0, 2.0, 0.0])]),
            case(f"np.{_name}([x, 2.0, y])", [1.5, 0.5]),
        ],
    )
reduction(
    "np.mean",
    "(a, axis, dtype, keepdims, where, out)",
    [*masked("np.mean"), case("np.mean(x, dtype=np.float64)", [numbers(4, dtype=np.float32)])],
)
for _name in ("var", "std"):
    reduction(
        f"np.{_name}",
        "(a, axis, dtype, ddof, keepdims, where, out)",
        [
            *masked(f"np.{_name}"),
            case(f"np.{_name}(x, ddof=1)", [numbers(4)]),
            case(f"np.{_name}(x, axis=(0, 1), ddof=1, keepdims=True)", [numbers(2, 3)]),
            case(f"np.{_name}(x, axis=0, ddof=2)", [numbers(2, 3)]),
            case(f"x.{_name}(0, ddof=1)", [numbers(3, 2)]),
        ],
    )
for _name in ("max", "min"):
    reduction(
        f"np.{_name}",
        "(a, axis, keepdims, initial, where, out)",
        [
            case(f"np.{_name}(x, initial=y)", [numbers(4), 0.1], [numbers(0), 0.1]),
            case(f"np.{_name}(x, axis=1, initial=0.0, where=y)", [numbers(3, 4), MASK]),
            case(f"np.{_name}(x)", [np.array([1.0, np.nan, 2.0])]),
        ],
        empty=False,
    )
for _name in ("amax", "amin"):
    row(f"np.{_name}", "(a, axis, keepdims, initial, where, out)", [case(f"np.{_name}(x, axis=0)", [numbers(3, 4)])])
reduction("np.ptp", "(a, axis, keepdims)", empty=False, whole=False)
for _name in ("argmax", "argmin"):
    reduction(
        f"np.{_name}",
        "(a, axis, keepdims)",
        [
            case(f"np.{_name}(x, axis=0, keepdims=True)", [numbers(3, 4)]),
            case(f"np.{_name}(x)", [np.array([1.0, np.nan, 2.0])], [np.array([2.0, 1.0, 2.0, 1.0])]),
        ],
        empty=False,
        tuples=False,
    )
for _name in ("any", "all"):
    reduction(f"np.{_name}", "(a, axis, keepdims, where)", masked(f"np.{_name}"))
reduction("np.count_nonzero", "(a, axis, keepdims)")

for _name in ("nansum", "nanprod", "nanmean", "nanmax", "nanmin", "nanvar", "nanstd", "nanmedian"):
    row(
        f"np.{_name}",
        "(a, axis, ddof, keepdims)" if _name in ("nanvar", "nanstd") else "(a, axis, keepdims)",
        [
            case(f"np.{_name}(x)", [GAPS], [GAPS.T]),
            case(f"np.{_name}(x, axis=0)", [GAPS], [numbers(3, 2)], [np.array([[np.nan, 1.0], [np.nan, 2.0]])]),
            case(f"np.{_name}(x, axis=(0, 2), keepdims=True)", [numbers(2, 3, 4)]),
            case(f"np.{_name}(x, axis=1)", [fortran(GAPS.astype(np.float32))]),
            *([case(f"np.{_name}(x)", [integers(0, 5, 4)])] if _name in ("nansum", "nanprod", "nanmean") else []),
        ],
    )
for _name in ("nanargmax", "nanargmin"):
    row(
        f"np.{_name}",
        "(a, axis, keepdims)",
        [case(f"np.{_name}(x)", [GAPS]), case(f"np.{_name}(x, axis=1)", [GAPS], [numbers(2, 3)])],
    )

reduction("np.median", "(a, axis, keepdims)", [case("np.median(x)", [np.array([1.0, np.nan, 2.0])])])
METHODS = ("lower", "higher", "midpoint", "nearest", "hazen", "weibull", "median_unbiased")
for _name, _scale in (("quantile", 1.0), ("percentile", 100.0), ("nanquantile", 1.0), ("nanpercentile", 100.0)):
    row(
        f"np.{_name}",
        "(a, q, axis, method, keepdims)",
        [
            case(f"np.{_name}(x, y)", [numbers(7), 0.37 * _scale]),
            case(f"np.{_name}(x, {0.6 * _scale}, axis=0)", [numbers(5, 3)]),
            case(f"np.{_name}(x, {0.6 * _scale}, axis=(0, -1), keepdims=True)", [numbers(5, 3, 2)]),
            case(f"np.{_name}(x, y)", [numbers(7), np.array([0.05, 0.11, 0.83]) * _scale], rtol=1e-12),
            case(f"np.{_name}(x, [{0.2 * _scale}, {0.7 * _scale}], axis=1)", [fortran(numbers(4, 6))]),
            case(f"np.{_name}(x, {0.4 * _scale})", [backwards(numbers(5))], [np.array([1.0, np.nan, 2.0])]),
            case(f"np.{_name}(x, {0.4 * _scale}, axis=0)", [numbers(4, 3, dtype=np.float32)]),
            case(f"np.{_name}(x, {0.4 * _scale})", [integers(0, 20, 7)]),
            *(case(f"np.quantile(x, 0.37, method='{m}')", [numbers(9)]) for m in METHODS if _name == "quantile"),
        ],
    )
row(
    "np.average",
    "(a, axis, weights, returned, keepdims)",
    [
        case("np.average(x)", [numbers(5)]),
        case("np.average(x, weights=y)", [numbers(5), POSITIVE(5)]),
        case("np.average(x, weights=y)", [numbers(5), integers(1, 4, 5)]),
        case("np.average(x, axis=0, weights=y)", [numbers(3, 4), POSITIVE(3)]),
        case("np.average(x, 1, y)", [numbers(3, 4), POSITIVE(3, 4)]),
        case("np.average(x, axis=-1, weights=y, keepdims=True)", [numbers(2, 3, 4), POSITIVE(4)]),
        case("np.average(x, axis=1, weights=y, returned=True)[1]", [numbers(3, 4), POSITIVE(4)]),
        case("np.average(x, axis=0)", [integers(0, 9, 3, 2)]),
    ],
)
row(
    "np.cov",
    "(m, y, rowvar, bias, ddof, fweights, aweights)",
    [
        case("np.cov(x)", [numbers(3, 5)]),
        case("np.cov(x)", [numbers(5)]),
        case("np.cov(x, y)", [numbers(5), numbers(5)]),
        case("np.cov(x, rowvar=False, bias=True)", [numbers(5, 2)]),
        case("np.cov(x, ddof=0)", [fortran(numbers(2, 5))]),
        case("np.cov(x, aweights=y)", [numbers(2, 5), POSITIVE(5)]),
        case("np.cov(x, fweights=y)", [numbers(2, 5), np.array([1, 2, 1, 3, 1])]),
    ],
)
row(
    "np.corrcoef",
    "(x, y, rowvar)",
    [
        case("np.corrcoef(x)", [numbers(3, 5)]),
        case("np.corrcoef(x, y)", [numbers(5), numbers(5)]),
        case("np.corrcoef(x, rowvar=False)", [numbers(5, 2)]),
    ],
)
