"""Options and methods of ufuncs, functions of two results, and those of math that take sequences and integers."""

from __future__ import annotations

import numpy as np

from conformance.grid import POSITIVE, unary
from conformance.row import case, fortran, integers, numbers, row

MASK = np.array([True, False, True])
row(
    "np.divmod",
    "(x1, x2)",
    [
        case(
            "np.divmod(x, y)[1] + 0.5 * np.divmod(x, y)[0]", [numbers(2, 3), POSITIVE(3)], [numbers(3, 1), POSITIVE(2)]
        ),
        case("np.divmod(x, y)[0]", [np.array([7, -7]), np.array([3, 3])]),
        case("divmod(x, y)[1]", [numbers(3), 0.7]),
    ],
)
row(
    "np.modf", "(x)", [case("np.modf(x)[0] + 2.0 * np.modf(x)[1]", [numbers(2, 3)]), case("np.modf(x)[0]", [numbers()])]
)
for _name in ("isposinf", "isneginf"):
    row(f"np.{_name}", "(x)", [case(f"np.{_name}(x)", [np.array([1.0, np.inf, -np.inf])])])
unary("np.i0", whole=False, rtol=1e-12)
row(
    "ufunc, out=",
    "of each ufunc",
    [
        case("np.exp(x, out=np.zeros(3))", [numbers(3)]),
        case("np.add(x, 1.0, np.zeros((2, 3)))", [numbers(2, 3)]),
    ],
)
row(
    "ufunc, where=",
    "of each ufunc, with out=",
    [
        case("np.log(x, out=np.zeros(3), where=x > 0.0)", [np.array([1.5, -1.0, 0.7])]),
        case("np.divide(x, y, out=np.ones(3), where=z)", [numbers(3), POSITIVE(3), MASK]),
        case("np.multiply(x, 2.0, out=np.ones((2, 3)), where=z)", [numbers(2, 3), 0.0, MASK]),
    ],
)
row(
    "ufunc, dtype=",
    "of each ufunc",
    [
        case("np.add(x, y, dtype=np.float64)", [numbers(3, dtype=np.float32), numbers(3, dtype=np.float32)]),
        case("np.sqrt(x, dtype=np.float32)", [integers(1, 9, 3)]),
    ],
)
for _name, _same in (("add", "np.sum"), ("multiply", "np.prod")):
    row(
        f"np.{_name}.reduce",
        "(array, axis, dtype, keepdims, initial, where)",
        [
            case(f"np.{_name}.reduce(x)", [numbers(3, 2)], [numbers(0, 2)]),
            case(f"np.{_name}.reduce(x, axis=(0, 1))", [numbers(3, 2)]),
            case(f"np.{_name}.reduce(x, axis=1, keepdims=True, initial=2.0)", [fortran(numbers(3, 2))]),
            case(f"np.{_name}.reduce(x, axis=None)", [integers(1, 5, 3, 2)]),
        ],
    )
    row(
        f"np.{_name}.accumulate",
        "(array, axis, dtype)",
        [
            case(f"np.{_name}.accumulate(x)", [numbers(3, 2)]),
            case(f"np.{_name}.accumulate(x, axis=1)", [numbers(3, 2)]),
        ],
    )
for _name in ("subtract", "divide", "hypot", "logaddexp", "logaddexp2", "fmax", "fmin"):
    row(
        f"np.{_name}.reduce",
        "(array, axis, keepdims)",
        [
            case(f"np.{_name}.reduce(x)", [POSITIVE(3, 2)]),
            case(f"np.{_name}.reduce(x, axis=-1, keepdims=True)", [POSITIVE(3, 2)]),
        ],
    )
    row(f"np.{_name}.accumulate", "(array, axis)", [case(f"np.{_name}.accumulate(x, axis=1)", [POSITIVE(3, 2)])])
for _name in ("maximum", "minimum"):
    row(
        f"np.{_name}.reduce",
        "(array, axis, keepdims)",
        [case(f"np.{_name}.reduce(x)", [numbers(3, 2)]), case(f"np.{_name}.reduce(x, axis=None)", [numbers(3, 2)])],
    )
    row(
        f"np.{_name}.accumulate",
        "(array, axis)",
        [
            case(f"np.{_name}.accumulate(x)", [numbers(5)], [np.array([1.0, np.nan, 2.0])]),
            case(f"np.{_name}.accumulate(x, axis=1)", [numbers(2, 4)]),
        ],
    )
for _name in ("logical_and", "logical_or"):
    row(f"np.{_name}.reduce", "(array, axis, keepdims)", [case(f"np.{_name}.reduce(x > 0.0)", [numbers(3, 2)])])
for _name in ("add", "subtract", "multiply", "divide", "power", "maximum", "hypot", "arctan2", "less"):
    row(
        f"np.{_name}.outer",
        "(a, b)",
        [
            case(f"np.{_name}.outer(x, y)", [POSITIVE(3), POSITIVE(2)]),
            case(f"np.{_name}.outer(x, y)", [POSITIVE(2, 2), POSITIVE(3)]),
        ],
    )
row(
    "math.dist",
    "(p, q)",
    [case("math.dist((x, 1.0), (y, 2.0))", [numbers(), numbers()]), case("math.dist(x, y)", [numbers(3), numbers(3)])],
)
row("math.fsum", "(seq)", [case("math.fsum([x, 1e100, y, -1e100])", [0.5, 0.25])])
row(
    "math.prod",
    "(iterable, start)",
    [
        case("math.prod([x, y, 3])", [numbers(), numbers()]),
        case("math.prod((x, y), start=2.0)", [numbers(), numbers()]),
    ],
)
row("math.modf", "(x)", [case("math.modf(x)[0] + 2.0 * math.modf(x)[1]", [numbers()], [-2.75])])
row("math.ldexp", "(x, i)", [case("math.ldexp(x, y)", [numbers(), 3], [numbers(), -2])])
row("math.remainder", "(x, y)", [case("math.remainder(x, y)", [5.3, 2.0], [-5.3, 2.0], [4.9, 3.0], [3.2, 0.7])])
row("math.isclose", "(a, b, rel_tol, abs_tol)", [case("math.isclose(x, y, rel_tol=0.01)", [1.0, 1.001], [1.0, 1.1])])
row("math.factorial", "(n)", [case("math.factorial(x)", [0], [7])])
row("math.comb", "(n, k)", [case("math.comb(x, y)", [7, 3], [3, 7])])
row("math.gcd", "(a, b)", [case("math.gcd(x, y)", [84, 36], [-12, 18])])
row("math.isqrt", "(n)", [case("math.isqrt(x)", [80], [81])])
