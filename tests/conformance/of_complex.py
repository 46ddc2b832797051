"""Functions that take complex numbers apart, and elementary functions and operators of complex numbers."""

from __future__ import annotations

import numpy as np

from conformance.row import Case, backwards, case, complexes, fortran, numbers, row, strided


def of_complex(call: str) -> list[Case]:
    """A function of one number, applied element by element."""
    return [
        case(call, [complexes()]),
        case(call, [complexes(3, 4)], [complexes(0, 4)], [complexes(1, 1)]),
        case(call, [strided(complexes(3))], [backwards(complexes(3))]),
        case(call, [fortran(complexes(2, 3, dtype=np.complex64))]),
        case(call, [complexes(dtype=np.complex64)]),
    ]


for _name in ("real", "imag", "angle"):
    row(f"np.{_name}", "(z)", [*of_complex(f"np.{_name}(x)"), case(f"np.{_name}(x)", [numbers(3)])])
row("np.conj", "(z)", [*of_complex("np.conj(x)"), case("np.conj(x)", [numbers(3)]), case("x.conj()", [complexes(3)])])
row(
    "z.real, z.imag",
    "of an array",
    [case("x.real * y.imag", [complexes(3), complexes(2, 3)]), *of_complex("x.imag + 2 * x.real")],
)
row(
    "complex",
    "(real, imag)",
    [case("complex(x, y)", [numbers(), numbers()]), case("complex(x, y)", [1.5, complexes()])],
)
for _name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "square", "reciprocal", "abs", "sinc"):
    row(f"np.{_name}, complex", "(z)", of_complex(f"np.{_name}(x)"))
for _name in ("sin", "cos", "tan", "sinh", "cosh", "tanh"):
    row(f"np.{_name}, complex", "(z)", of_complex(f"np.{_name}(x)"))
    row(f"np.arc{_name}, complex", "(z)", of_complex(f"np.arc{_name}(x)"))
for _operator in ("+", "-", "*", "/", "**"):
    _call = f"x {_operator} y"
    _pairs = [
        (complexes(3), complexes(3)),
        (complexes(2, 3), numbers(3)),
        (numbers(3), complexes()),
        (complexes(), 2.5),
    ]
    row(f"{_operator}, complex", "(x, y)", [case(_call, list(pair)) for pair in _pairs])
row("np.cov, complex", "(m)", [case("np.cov(x)", [complexes(3, 5)]), case("np.cov(x)", [complexes(4)])])
row("np.vdot, complex", "(a, b)", [case("np.vdot(x, y)", [complexes(3), complexes(3)], [complexes(1), complexes(1)])])
for _name in ("exp", "log", "log10", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"):
    row(f"cmath.{_name}", "(z)", [case(f"cmath.{_name}(x)", [complexes()])])
for _name in ("asinh", "acosh", "atanh", "phase"):
    row(f"cmath.{_name}", "(z)", [case(f"cmath.{_name}(x)", [complexes()])])
row("cmath.polar", "(z)", [case("cmath.polar(x)[0] * cmath.polar(x)[1]", [complexes()])])
row("cmath.rect", "(r, phi)", [case("cmath.rect(x, y)", [numbers(), numbers()])])
