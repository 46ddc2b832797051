"""Every scalar primitive against mpmath: its value, its template, its derivative; and its rule at the edges.

``ROWS`` must name every row of the table, so a row without a test is impossible.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import mpmath
import numpy as np
import pytest
from interpreter import SCALARS as MEANING
from interpreter import TYPED

import srcgrad.library.special  # noqa: F401  # rows that a program has only once it has imported SciPy's functions
from srcgrad.differentiate.regular import is_singular
from srcgrad.ir.core import Op, Operand, Value, constant
from srcgrad.ir.types import F64, Scalar
from srcgrad.primitives.scalar import FUNCTIONS, SCALARS, ScalarPrimitive
from srcgrad.primitives.special import SOURCES, SPECIAL

mpmath.mp.dps = 40

INTEGERS = [(7, 3), (-7, 3), (7, -3), (0, 5)]
BITS = [(6, 3), (1, 4), (-5, 2)]
TRUTHS = [(False, False), (False, True), (True, False), (True, True)]
PAIRS = [(1.5, 0.7), (-1.5, 0.7), (0.3, -2.5), (-4.0, -3.1)]
LINE = [(-2.3,), (-0.4,), (0.3,), (1.7,), (5.2,)]
HALF = [(0.01,), (0.4,), (1.3,), (25.0,)]
BESSEL = [(-2.3,), (0.3,), (7.7,), (15.5,)]
UNIT = [(-0.9,), (-0.2,), (0.4,), (0.95,)]
EITHER = [(1.0, 2.0), (2.0, 1.0), (-1.0, -3.0)]
STEPS = [(-1.7,), (-0.2,), (0.4,), (2.6,)]
PLANE = [(1.5 + 0.7j,), (-0.3 - 2.5j,)]


def _mod(a: mpmath.mpf, b: mpmath.mpf) -> mpmath.mpf:
    return a - b * mpmath.floor(a / b)


def _fmod(a: mpmath.mpf, b: mpmath.mpf) -> mpmath.mpf:
    q = a / b
    return a - b * (mpmath.floor(q) if q > 0 else mpmath.ceil(q))


# name: the function in mpmath (or exact Python), and the points to compare at
ORDERS = [(0.3, 0.2), (2.0, 1.9), (1.5, 2.1), (10.2, 20.0), (-0.7, 3.0), (0.0, 600.0)]


def student(df: mpmath.mpf, t: mpmath.mpf) -> mpmath.mpf:
    half = mpmath.betainc(mpmath.mpf(1) / 2, df / 2, 0, t * t / (df + t * t), regularized=True) / 2
    return mpmath.mpf(1) / 2 + mpmath.sign(t) * half


def inverted(f: Callable[..., mpmath.mpf], end: float) -> mpmath.mpf:
    return mpmath.findroot(f, (mpmath.mpf("1e-12"), mpmath.mpf(end)), solver="anderson", tol=1e-50, maxsteps=300)


def inverted_student(df: mpmath.mpf, p: mpmath.mpf) -> mpmath.mpf:
    return mpmath.findroot(lambda t: student(df, t) - p, (-6, 6), solver="anderson", tol=1e-50, maxsteps=300)


def owen(h: mpmath.mpf, a: mpmath.mpf) -> mpmath.mpf:
    return mpmath.quad(lambda t: mpmath.exp(-h * h * (1 + t * t) / 2) / (1 + t * t), [0, a]) / (2 * mpmath.pi)


ROWS: dict[str, tuple[Callable[..., object], list[tuple[float, ...]]]] = {
    "add": (lambda a, b: a + b, PAIRS),
    "sub": (lambda a, b: a - b, PAIRS),
    "mul": (lambda a, b: a * b, PAIRS),
    "div": (lambda a, b: a / b, PAIRS),
    "floordiv": (lambda a, b: a // b if isinstance(a, int) else mpmath.floor(a / b), [*INTEGERS, *PAIRS]),
    "mod": (_mod, PAIRS),
    "neg": (lambda a: -a, LINE),
    "real": (lambda z: z.real, PLANE),
    "imag": (lambda z: z.imag, PLANE),
    "conj": (lambda z: z.conjugate(), PLANE),
    "complex": (lambda a, b: mpmath.mpc(a, b), PAIRS),
    "lt": (lambda a, b: a < b, EITHER),
    "le": (lambda a, b: a <= b, EITHER),
    "gt": (lambda a, b: a > b, EITHER),
    "ge": (lambda a, b: a >= b, EITHER),
    "eq": (lambda a, b: a == b, EITHER),
    "ne": (lambda a, b: a != b, EITHER),
    "and_": (lambda a, b: a and b, TRUTHS),
    "or_": (lambda a, b: a or b, TRUTHS),
    "not_": (lambda a: not a, [(False,), (True,)]),
    "bit_and": (lambda a, b: a & b, BITS),
    "bit_or": (lambda a, b: a | b, BITS),
    "bit_xor": (lambda a, b: a ^ b, BITS),
    "invert": (lambda a: ~a, [(5,), (-3,)]),
    "lshift": (lambda a, b: a << b, BITS),
    "rshift": (lambda a, b: a >> b, BITS),
    "cast": (lambda a: a, LINE),
    "select": (lambda c, a, b: a if c else b, [(True, 1.5, 2.5), (False, 1.5, 2.5)]),
    "ipow": (lambda a, n: a**n, [(1.5, 3), (-1.5, 3), (-2.0, 2), (1.3, -2), (0.7, 1), (0.7, 0)]),
    "pow": (lambda a, b: a**b, [(1.5, 0.7), (0.3, -2.5), (2.0, 3.0)]),
    "max": (lambda a, b: max(a, b), EITHER),
    "min": (lambda a, b: min(a, b), EITHER),
    "larger": (lambda a, b: max(a, b), EITHER),
    "smaller": (lambda a, b: min(a, b), EITHER),
    "exp": (mpmath.exp, LINE),
    "exp2": (lambda x: mpmath.mpf(2) ** x, LINE),
    "expm1": (mpmath.expm1, LINE),
    "log": (mpmath.log, HALF),
    "log2": (lambda x: mpmath.log(x) / mpmath.log(2), HALF),
    "log10": (mpmath.log10, HALF),
    "log1p": (mpmath.log1p, [*HALF, (-0.5,)]),
    "logaddexp": (lambda a, b: mpmath.log(mpmath.exp(a) + mpmath.exp(b)), PAIRS),
    "logaddexp2": (lambda a, b: mpmath.log(mpmath.mpf(2) ** a + mpmath.mpf(2) ** b, 2), PAIRS),
    "sqrt": (mpmath.sqrt, HALF),
    "cbrt": (lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), [*HALF, (-2.0,)]),
    "hypot": (mpmath.hypot, PAIRS),
    "sin": (mpmath.sin, LINE),
    "cos": (mpmath.cos, LINE),
    "tan": (mpmath.tan, LINE),
    "arcsin": (mpmath.asin, UNIT),
    "arccos": (mpmath.acos, UNIT),
    "arctan": (mpmath.atan, LINE),
    "arctan2": (mpmath.atan2, PAIRS),
    "deg2rad": (mpmath.radians, LINE),
    "rad2deg": (mpmath.degrees, LINE),
    "sinh": (mpmath.sinh, LINE),
    "cosh": (mpmath.cosh, LINE),
    "tanh": (mpmath.tanh, LINE),
    "arcsinh": (mpmath.asinh, LINE),
    "arccosh": (mpmath.acosh, [(1.1,), (2.5,), (30.0,)]),
    "arctanh": (mpmath.atanh, UNIT),
    "abs": (abs, LINE),
    "copysign": (lambda a, b: abs(a) * mpmath.sign(b), PAIRS),
    "sign": (mpmath.sign, LINE),
    "floor": (mpmath.floor, STEPS),
    "ceil": (mpmath.ceil, STEPS),
    "trunc": (lambda x: mpmath.sign(x) * mpmath.floor(abs(x)), STEPS),
    "rint": (mpmath.nint, STEPS),
    "fmod": (_fmod, PAIRS),
    "stop": (lambda x: x, LINE),
    "isnan": (lambda x: x != x, [*LINE, (math.nan,), (math.inf,)]),
    "isinf": (lambda x: abs(x) == math.inf, [*LINE, (math.nan,), (-math.inf,)]),
    "isfinite": (lambda x: abs(x) < math.inf, [*LINE, (math.nan,), (math.inf,)]),
    "signbit": (lambda x: x < 0, LINE),
    "erf": (mpmath.erf, LINE),
    "erfc": (mpmath.erfc, LINE),
    "j0": (lambda x: mpmath.besselj(0, x), BESSEL),
    "j1": (lambda x: mpmath.besselj(1, x), BESSEL),
    "y0": (lambda x: mpmath.bessely(0, x), HALF),
    "y1": (lambda x: mpmath.bessely(1, x), HALF),
    "i0": (lambda x: mpmath.besseli(0, x), BESSEL),
    "i1": (lambda x: mpmath.besseli(1, x), BESSEL),
    "i0e": (lambda x: mpmath.besseli(0, x) * mpmath.exp(-abs(x)), BESSEL),
    "i1e": (lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x)), BESSEL),
    "k0": (lambda x: mpmath.besselk(0, x), HALF),
    "k1": (lambda x: mpmath.besselk(1, x), HALF),
    "k0e": (lambda x: mpmath.besselk(0, x) * mpmath.exp(x), HALF),
    "k1e": (lambda x: mpmath.besselk(1, x) * mpmath.exp(x), HALF),
    "jn": (mpmath.besselj, [(2.0, 0.7), (5.0, 1.3), (3.0, 20.5), (-3.0, -2.5), (0.0, 0.4)]),
    "yn": (mpmath.bessely, [(2.0, 0.7), (5.0, 1.3), (3.0, 20.5), (-3.0, 2.5)]),
    "erfcx": (lambda x: mpmath.exp(x * x) * mpmath.erfc(x), [*LINE, (40.0,)]),
    "erfinv": (mpmath.erfinv, [*UNIT, (1e-9,), (0.99999,)]),
    "erfcinv": (lambda p: mpmath.erfinv(1 - p), [(0.3,), (1.6,), (1e-3,)]),
    "ndtri": (lambda p: mpmath.sqrt(2) * mpmath.erfinv(2 * p - 1), [(0.3,), (0.93,), (1e-3,)]),
    "polygamma": (lambda n, x: mpmath.psi(int(n), x), [(1.0, 0.3), (1.0, 20.0), (2.0, 1.7), (4.0, 3.2)]),
    "zeta": (mpmath.zeta, [(2.0, 0.3), (3.5, 20.0), (1.2, 1.7)]),
    "gammainc": (lambda a, x: mpmath.gammainc(a, 0, x, regularized=True), [(0.4, 0.3), (2.5, 1.1), (3.0, 12.0)]),
    "gammaincc": (lambda a, x: mpmath.gammainc(a, x, regularized=True), [(0.4, 0.3), (2.5, 1.1), (3.0, 12.0)]),
    "betainc": (
        lambda a, b, x: mpmath.betainc(a, b, 0, x, regularized=True),
        [(0.4, 2.0, 0.3), (2.5, 1.1, 0.9), (3.0, 12.0, 0.05)],
    ),
    "binom": (mpmath.binomial, [(5.0, 2.0), (7.5, 3.25), (20.0, 7.0)]),
    "exp1": (mpmath.e1, HALF),
    "expi": (mpmath.ei, [*LINE, (50.0,)]),
    "expn": (mpmath.expint, [(1.0, 0.3), (3.0, 0.9), (2.0, 5.0), (7.0, 30.0), (0.0, 0.7)]),
    "jv": (mpmath.besselj, [*ORDERS, (-2.3, 1.7), (0.5, 60.0), (3.0, 0.4)]),
    "yv": (mpmath.bessely, [*ORDERS, (-2.3, 1.7), (0.5, 60.0), (3.0, 0.4)]),
    "dawsn": (lambda x: mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(-x * x) * mpmath.erfi(x), [*LINE, (7.0,), (20.0,)]),
    "owens_t": (owen, [(0.3, 0.7), (1.5, -2.5), (-4.0, 0.2), (0.2, 30.0)]),
    "owen_beyond": (
        lambda h, a: owen(h, 1e6 / h) - owen(h, a),
        [(0.3, 0.7), (0.2, 5.0), (2.5, 0.4), (1.5, 2.5), (4.0, 0.2), (8.0, 1.5), (1e-3, 40.0)],
    ),
    "lambert": (lambda k, x: mpmath.lambertw(x, int(k)), [(0.0, 0.3), (0.0, -0.3), (-1.0, -0.2), (0.0, 50.0)]),
    "iv": (mpmath.besseli, ORDERS),
    "kv": (mpmath.besselk, ORDERS),
    "ive": (lambda v, x: mpmath.besseli(v, x) * mpmath.exp(-x), ORDERS),
    "kve": (lambda v, x: mpmath.besselk(v, x) * mpmath.exp(x), ORDERS),
    "stdtr": (student, [(3.0, 0.4), (2.5, -1.7), (30.0, 0.001), (1.0, 40.0)]),
    "stdtrit": (inverted_student, [(3.0, 0.4), (2.5, 0.97), (30.0, 0.01)]),
    "gammaincinv": (
        lambda a, p: inverted(lambda x: mpmath.gammainc(a, 0, x, regularized=True) - p, 60),
        [(0.4, 0.3), (2.5, 0.9), (30.0, 0.5)],
    ),
    "betaincinv": (
        lambda a, b, p: inverted(lambda x: mpmath.betainc(a, b, 0, x, regularized=True) - p, 1),
        [(0.8, 2.0, 0.3), (2.5, 1.1, 0.9), (3.0, 12.0, 0.05)],
    ),
    "gamma": (mpmath.gamma, [*LINE, (25.0,)]),
    "lgamma": (lambda x: mpmath.log(abs(mpmath.gamma(x))), [*LINE, (25.0,), (400.0,), (1e-3,)]),
}
POINTS = [pytest.param(name, point, id=f"{name}{point}") for name, (_, points) in ROWS.items() for point in points]
RULES = [p for p in POINTS if SCALARS[p.values[0]].partials is not None]


def test_every_row_has_a_test_and_a_meaning() -> None:
    assert set(ROWS) == set(SCALARS)
    assert set(MEANING) | set(TYPED) == set(SCALARS)
    for name, (_, points) in ROWS.items():
        assert len(points) >= 2, name


def _scalar(x: float) -> np.generic:
    return np.array(x)[()]


def _value(name: str, point: tuple[float, ...]) -> np.generic:
    operands = [_scalar(x) for x in point]
    with np.errstate(all="ignore"):
        if name in TYPED:
            return TYPED[name](F64, *operands)
        return MEANING[name](*operands)


def _exact(point: tuple[float, ...]) -> list[object]:
    exact = {float: mpmath.mpf, complex: mpmath.mpc}
    return [exact.get(type(x), type(x))(x) for x in point]


@pytest.mark.parametrize(("name", "point"), POINTS)
def test_value(name: str, point: tuple[float, ...]) -> None:
    expected = ROWS[name][0](*_exact(point))
    np.testing.assert_allclose(
        complex(_value(name, point)), complex(expected), rtol=1e-13 if name in SPECIAL else 2e-15, atol=1e-16
    )


@pytest.mark.parametrize(("name", "point"), POINTS)
def test_template_is_the_same_operation(name: str, point: tuple[float, ...]) -> None:
    """The text the back end prints, with Python scalars as operands."""
    text = SCALARS[name].template.format(*(f"({x!r})" for x in point), dtype="float")
    shown = eval(text, {**SOURCES, "np": np, "math": math, "nan": math.nan, "inf": math.inf})
    np.testing.assert_allclose(shown, _value(name, point), rtol=4e-15, atol=1e-15)


@pytest.mark.parametrize(("name", "point"), RULES)
def test_partials(name: str, point: tuple[float, ...]) -> None:
    partials = _partials(SCALARS[name], point)
    assert len(partials) == len(point)
    exact = _exact(point)
    for k, partial in enumerate(partials):
        if not isinstance(point[k], float) or k in SCALARS[name].passive:
            continue  # an integer exponent has no derivative
        along = lambda t, k=k: ROWS[name][0](*exact[:k], t, *exact[k + 1 :])  # noqa: E731
        expected = float(mpmath.diff(along, exact[k], h=mpmath.mpf(10) ** -12))
        np.testing.assert_allclose(float(partial), expected, rtol=2e-12 if name in SPECIAL else 2e-13, atol=1e-15)


def _partials(row: ScalarPrimitive, point: tuple[float, ...]) -> tuple[float, ...]:
    assert row.partials is not None
    with np.errstate(all="ignore"):
        given = row.partials(*(_scalar(x) for x in point), _value(row.name, point))
    return given if isinstance(given, tuple) else (given,)


INF, NAN = math.inf, math.nan
# What a rule gives where the function has a kink, a pole, or no finite value: the conventions, written down.
EDGES: list[tuple[str, tuple[float, ...], tuple[float, ...]]] = [
    ("abs", (0.0,), (0.0,)),
    ("abs", (-0.0,), (0.0,)),
    ("copysign", (0.0, -1.0), (0.0, 0.0)),
    ("sqrt", (0.0,), (INF,)),
    ("cbrt", (0.0,), (INF,)),
    ("log", (0.0,), (INF,)),
    ("arcsin", (1.0,), (INF,)),
    ("arccos", (-1.0,), (-INF,)),
    ("arctanh", (1.0,), (INF,)),
    ("arctan", (1e300,), (0.0,)),
    ("arctan", (INF,), (0.0,)),
    ("arctan2", (0.0, -2.0), (-0.5, 0.0)),
    ("arctan2", (0.0, 0.0), (NAN, NAN)),
    ("hypot", (0.0, 0.0), (0.0, 0.0)),
    ("hypot", (3e200, 4e200), (0.6, 0.8)),
    ("max", (1.0, 1.0), (0.5, 0.5)),
    ("min", (1.0, 1.0), (0.5, 0.5)),
    ("max", (0.0, -0.0), (0.5, 0.5)),
    ("larger", (1.0, 1.0), (0.5, 0.5)),
    ("larger", (1.0, NAN), (1.0, 0.0)),
    ("smaller", (1.0, 1.0), (0.5, 0.5)),
    ("smaller", (1.0, NAN), (1.0, 0.0)),
    ("ipow", (0.0, 0), (0.0,)),
    ("ipow", (0.0, 1), (1.0,)),
    ("ipow", (0.0, 2), (0.0,)),
    ("ipow", (0.0, -1), (-INF,)),
    ("pow", (0.0, 0.0), (0.0, 0.0)),
    ("pow", (0.0, 1.0), (1.0, 0.0)),
    ("pow", (0.0, 2.0), (0.0, 0.0)),
    ("pow", (0.0, 0.5), (INF, 0.0)),
    ("pow", (-2.0, 3.0), (12.0, NAN)),
    ("mod", (1.0, 0.1), (1.0, -9.0)),  # 1.0 % 0.1 is 0.0999..., so nine tenths were taken away
    ("fmod", (1.0, 0.1), (1.0, -9.0)),
    ("fmod", (-1.0, 0.1), (1.0, 9.0)),
    ("exp", (1000.0,), (INF,)),
    ("expm1", (-INF,), (0.0,)),
    ("tanh", (1000.0,), (0.0,)),
    ("erf", (1e200,), (0.0,)),
    ("logaddexp", (-INF, 0.0), (0.0, 1.0)),
    ("logaddexp", (-INF, -INF), (0.5, 0.5)),
    ("logaddexp", (INF, 0.0), (1.0, 0.0)),
    ("logaddexp", (800.0, -800.0), (1.0, 0.0)),
    ("gamma", (172.0,), (INF,)),
    ("lgamma", (1e10,), (23.025850929890457,)),
    ("lgamma", (1.0,), (-0.5772156649015329,)),
]


@pytest.mark.parametrize(("name", "point", "expected"), EDGES, ids=lambda x: str(x))
def test_partials_at_the_edges(name: str, point: tuple[float, ...], expected: tuple[float, ...]) -> None:
    partials = _partials(SCALARS[name], point)[: len(expected)]
    np.testing.assert_allclose(np.array(partials, float), expected, rtol=1e-14)


@pytest.mark.parametrize(("name", "point", "expected"), EDGES, ids=lambda x: str(x))
def test_rows_with_a_singular_point_say_so(name: str, point: tuple[float, ...], expected: tuple[float, ...]) -> None:
    if np.all(np.isfinite(point)) and not np.all(np.isfinite(expected)):
        assert SCALARS[name].singular


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f"{getattr(f, '__module__', None)}.{f.__name__}")
def test_functions_stand_for_their_rows(function: Callable[..., object]) -> None:
    name = FUNCTIONS[function]
    for point in ROWS[name][1]:
        if getattr(function, "__module__", "") == "math" and not np.all(np.isfinite(point)):
            continue
        limit = 1e-13 if name in SPECIAL else 4e-15
        np.testing.assert_allclose(complex(function(*point)), complex(_value(name, point)), rtol=limit, atol=1e-15)


@pytest.mark.parametrize(
    ("name", "second", "singular"),
    [
        ("ipow", constant(2), False),
        ("ipow", constant(0), False),
        ("ipow", constant(-1), True),
        ("pow", constant(1.5), False),
        ("pow", constant(0.5), True),
        ("pow", constant(math.nan), True),
        ("div", constant(3.0), False),
        ("div", constant(0.0), True),
        ("div", Value(Scalar(F64), "b"), True),
        ("mul", Value(Scalar(F64), "b"), False),
    ],
)
def test_literal_exponents_and_divisors_are_regular(name: str, second: Operand, singular: bool) -> None:
    assert is_singular(Op(name, (Value(Scalar(F64), "a"), second))) is singular
