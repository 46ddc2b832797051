"""Running sums and products, differences, integrals along an axis."""

from __future__ import annotations

import numpy as np

from conformance.grid import over_axes
from conformance.row import Case, backwards, between, case, integers, numbers, row

GAPS = np.array([[1.5, np.nan, -0.5, 2.0], [np.nan, 0.3, 0.7, -1.1]])


def along(name: str) -> list[Case]:
    return over_axes(name + "({x}{axes})", tuples=False, keepdims=False)


for _name in ("cumsum", "cumprod"):
    row(
        f"np.{_name}",
        "(a, axis, dtype)",
        [
            *along(f"np.{_name}"),
            case(f"np.{_name}(x, dtype=np.float64)", [numbers(4, dtype=np.float32)]),
            case(f"np.{_name}(x, 0, np.float64)", [integers(1, 4, 4, 2)]),
            case(f"x.{_name}(axis=1)", [numbers(2, 3)]),
            case(f"np.{_name}(x)", [np.array([2.0, 0.0, 3.0, 0.0, 1.0])]),
            case(f"np.{_name}(x)", [2.5]),
        ],
    )
for _name in ("nancumsum", "nancumprod"):
    row(
        f"np.{_name}",
        "(a, axis, dtype)",
        [case(f"np.{_name}(x)", [GAPS]), case(f"np.{_name}(x, axis=1)", [GAPS]), case(f"np.{_name}(x, 0)", [GAPS])],
    )
for _name in ("cumulative_sum", "cumulative_prod"):
    row(
        f"np.{_name}",
        "(x, axis, dtype, include_initial)",
        [
            case(f"np.{_name}(x)", [numbers(4)], [numbers(0)]),
            case(f"np.{_name}(x, axis=0)", [numbers(3, 2)]),
            case(f"np.{_name}(x, axis=-1, include_initial=True)", [numbers(3, 2)]),
        ],
    )
row(
    "np.diff",
    "(a, n, axis, prepend, append)",
    [
        *over_axes("np.diff({x}{axes})", tuples=False, keepdims=False, whole=False),
        case("np.diff(x, 2)", [numbers(5)], [numbers(1)]),
        case("np.diff(x, n=3, axis=0)", [numbers(5, 2)]),
        case("np.diff(x, prepend=0.0)", [numbers(4)]),
        case("np.diff(x, append=y)", [numbers(4), numbers(2)]),
        case("np.diff(x, prepend=y, axis=0)", [numbers(4, 2), numbers(1, 2)]),
        case("np.diff(x)", [integers(0, 9, 5)], [integers(0, 9, 0)]),
        case("np.diff(x, n=0)", [numbers(4)]),
    ],
)
row(
    "np.ediff1d",
    "(ary, to_end, to_begin)",
    [
        case("np.ediff1d(x)", [numbers(5)], [numbers(1)], [numbers(0)]),
        case("np.ediff1d(x, to_end=y)", [numbers(2, 3), numbers()]),
        case("np.ediff1d(x, to_begin=y, to_end=0.5)", [numbers(4), numbers(2)]),
    ],
)
row(
    "np.trapezoid",
    "(y, x, dx, axis)",
    [
        *over_axes("np.trapezoid({x}{axes})", tuples=False, keepdims=False, whole=False),
        case("np.trapezoid(x, y)", [numbers(5), np.sort(numbers(5))]),
        case("np.trapezoid(x, dx=0.25)", [numbers(5)]),
        case("np.trapezoid(x, y, axis=0)", [numbers(4, 2), np.sort(numbers(4))]),
        case("np.trapezoid(x, y, axis=1)", [numbers(2, 4), numbers(2, 4)]),
        case("np.trapezoid(x, dx=y)", [numbers(5), 0.3]),
        case("np.trapezoid(x)", [integers(0, 9, 5)]),
    ],
)
SPACED = np.array([0.0, 0.3, 1.0, 1.2, 2.0])
row(
    "np.gradient",
    "(f, *spacing, axis, edge_order)",
    [
        case("np.gradient(x)", [numbers(5)], [numbers(2)]),
        case("np.gradient(x, 0.5)", [numbers(5)]),
        case("np.gradient(x, y)", [numbers(5), SPACED], [backwards(numbers(5)), SPACED]),
        case("np.gradient(x, y, edge_order=2)", [numbers(5), SPACED]),
        case("np.gradient(x, edge_order=2)", [numbers(5)]),
        case("np.gradient(x, axis=0)", [numbers(4, 3)]),
        case("np.gradient(x, 0.5, axis=-1)", [numbers(4, 3)]),
        case("np.gradient(x)[0] * np.gradient(x)[1]", [numbers(4, 3)]),
        case("np.gradient(x, 0.5, y)[1]", [numbers(4, 3), np.array([0.0, 0.4, 1.0])]),
        case("np.gradient(x, y)", [numbers(5), between(0.2, 1.0)]),
        case("np.gradient(x)", [integers(0, 9, 5)], [integers(0, 9, 6)]),
        case("np.gradient(x)", [numbers(5, dtype=np.float32)]),
    ],
)
