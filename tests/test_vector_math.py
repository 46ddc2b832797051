"""srcgrad.vector_math against mpmath: random arguments in every range, special values, and that its loops vectorise."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath
import numba
import numpy as np
import pytest

from srcgrad import vector_math

INF, NAN = math.inf, math.nan
PRECISION = 1300  # bits of sines: the largest argument, and the digits of the result
CIRCULAR = (mpmath.sin, mpmath.cos, mpmath.tan)
TINY = 5e-324


@dataclass(frozen=True)
class Case:
    """A function, its reference, how many ulp it may be off, the ranges to try, and values known exactly."""

    name: str
    reference: Callable[..., Any]
    ulps: float
    ranges: tuple[tuple[float, float], ...]
    special: tuple[tuple[float, float], ...]


def odd(*pairs: tuple[float, float]) -> tuple[tuple[float, float], ...]:
    return (*pairs, *((-x, -y) for x, y in pairs), (0.0, 0.0), (-0.0, -0.0), (NAN, NAN))


CASES = (
    Case(
        "exp",
        mpmath.exp,
        1.0,
        ((-745.1, 709.7), (-1.0, 1.0), (-745.1, -700.0)),
        ((INF, INF), (-INF, 0.0), (0.0, 1.0), (-0.0, 1.0), (NAN, NAN), (710.0, INF), (-746.0, 0.0), (-745.0, TINY)),
    ),
    Case(
        "exp2",
        lambda x: mpmath.mpf(2) ** x,
        1.0,
        ((-1074.5, 1023.9), (-1.0, 1.0)),
        ((INF, INF), (-INF, 0.0), (0.0, 1.0), (10.0, 1024.0), (-3.0, 0.125), (NAN, NAN), (1e300, INF), (-1e300, 0.0)),
    ),
    Case(
        "log2",
        lambda x: mpmath.log(x, 2),
        1.0,
        ((0.0, 1e308), (0.4, 2.1), (0.99, 1.01)),
        ((0.0, -INF), (1.0, 0.0), (8.0, 3.0), (2.0**-40, -40.0), (INF, INF), (-1.0, NAN), (NAN, NAN)),
    ),
    Case(
        "log10",
        mpmath.log10,
        1.0,
        ((0.0, 1e308), (0.4, 2.1), (0.99, 1.01)),
        (*((10.0**k, float(k)) for k in range(16)), (0.0, -INF), (INF, INF), (-1.0, NAN), (NAN, NAN)),
    ),
    Case(
        "expm1",
        mpmath.expm1,
        2.0,
        ((-45.0, 709.7), (-1.5, 1.5), (-1e-8, 1e-8)),
        (*((x, x) for x in (0.0, -0.0, TINY, -TINY, NAN, INF)), (-INF, -1.0), (710.0, INF), (-1e300, -1.0)),
    ),
    Case(
        "logistic",
        lambda x: 1 / (1 + mpmath.exp(-x)),
        2.0,
        ((-745.0, 50.0), (-4.0, 4.0), (-745.0, -690.0)),
        ((INF, 1.0), (-INF, 0.0), (0.0, 0.5), (NAN, NAN), (1e300, 1.0), (-1e300, 0.0)),
    ),
    Case(
        "log",
        mpmath.log,
        1.0,
        ((0.0, 1e308), (0.4, 2.1), (0.99, 1.01), (TINY, 1e-307)),
        ((0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF), (-1.0, NAN), (-INF, NAN), (NAN, NAN)),
    ),
    Case(
        "log1p",
        mpmath.log1p,
        2.0,
        ((-1.0, 1e308), (-1.0, 3.0), (-1e-8, 1e-8)),
        (*((x, x) for x in (0.0, -0.0, TINY, -TINY, INF, NAN)), (-1.0, -INF), (-1.5, NAN), (-INF, NAN)),
    ),
    Case("sinh", mpmath.sinh, 2.0, ((-710.4, 710.4), (-3.0, 3.0), (-1e-5, 1e-5)), odd((INF, INF), (711.0, INF))),
    Case(
        "cosh",
        mpmath.cosh,
        2.0,
        ((-710.4, 710.4), (-3.0, 3.0)),
        ((0.0, 1.0), (INF, INF), (-INF, INF), (711.0, INF), (-711.0, INF), (NAN, NAN)),
    ),
    Case("tanh", mpmath.tanh, 2.0, ((-25.0, 25.0), (-1.0, 1.0), (-1e-5, 1e-5)), odd((INF, 1.0), (1e300, 1.0))),
    Case("sin", mpmath.sin, 2.0, ((-10.0, 10.0), (-1e6, 1e6), (-1e15, 1e15), (1.0, 1e308)), odd((INF, NAN))),
    Case("cos", mpmath.cos, 2.0, ((-10.0, 10.0), (-1e6, 1e6), (-1e15, 1e15), (1.0, 1e308)), ((0.0, 1.0), (INF, NAN))),
    Case("tan", mpmath.tan, 2.0, ((-10.0, 10.0), (-1e6, 1e6), (-1e15, 1e15), (1.0, 1e308)), odd((INF, NAN))),
    Case("atan", mpmath.atan, 2.0, ((-4.0, 4.0), (-1e3, 1e3), (1e-300, 1e300)), odd((INF, math.pi / 2.0))),
    Case("erf", mpmath.erf, 2.0, ((-6.0, 6.0), (0.9, 1.1), (-1e-5, 1e-5)), odd((INF, 1.0), (1e300, 1.0))),
)
SINGLE = tuple(Case(case.name + "f", case.reference, 1.0, case.ranges, case.special) for case in CASES)
LARGEST = 3.4e38  # float32
EVERY = CASES + SINGLE


@functools.cache
def looped(name: str) -> Any:
    """The function on an array, in a loop under the flags of generated code."""
    function = getattr(vector_math, name)

    @numba.njit(fastmath={"contract", "reassoc", "arcp"}, error_model="numpy")
    def loop(x, y):  # type: ignore[no-untyped-def]
        for i in range(x.shape[0]):
            y[i] = function(x[i])

    def call(x: Any) -> Any:
        y = np.empty_like(x)
        loop(x, y)
        return y

    call.loop = loop  # type: ignore[attr-defined]
    return call


def points(case: Case, count: int, rng: np.random.Generator) -> Any:
    """Random arguments: evenly over a range, or over its exponents where it is vast."""
    parts = []
    for low, high in case.ranges:
        if high >= 1e300:
            start = max(low, 1e-320) if low >= 0.0 else 1e-20
            parts.append(np.exp2(rng.uniform(math.log2(start), 1023.9, count)))
        else:
            parts.append(rng.uniform(low, high, count))
    return np.concatenate(parts)


def error_in_ulps(found: Any, exact: Any, dtype: Any) -> float:
    """How far a number is from the exact one, in units in the last place of the exact one."""
    rounded = dtype(float(exact))
    if np.isinf(rounded):
        return 0.0 if np.isinf(found) or abs(found) == np.finfo(dtype).max else INF
    unit = np.spacing(abs(rounded))
    return float(abs((mpmath.mpf(float(found)) - exact) / mpmath.mpf(float(unit)))) if np.isfinite(found) else INF


def worst(case: Case, count: int, seed: int) -> tuple[float, Any]:
    dtype = np.float32 if case in SINGLE else np.float64
    x = points(case, count, np.random.default_rng(seed))
    if dtype == np.float32:
        x = np.unique(x[np.abs(x) < LARGEST].astype(np.float32))
    y = looped(case.name)(x)
    assert y.dtype == dtype
    with mpmath.workprec(PRECISION if case.reference in CIRCULAR else 200):
        errors = [error_in_ulps(b, case.reference(mpmath.mpf(float(a))), dtype) for a, b in zip(x, y, strict=True)]
    k = int(np.argmax(errors))
    return errors[k], (x[k], y[k])


@pytest.mark.parametrize("case", EVERY, ids=lambda c: c.name)
def test_random_arguments(case: Case) -> None:
    error, where = worst(case, 600, seed=1)
    assert error <= case.ulps, where


@pytest.mark.slow
@pytest.mark.parametrize("case", EVERY, ids=lambda c: c.name)
def test_many_random_arguments(case: Case) -> None:
    error, where = worst(case, 20_000, seed=2)
    assert error <= case.ulps, where


@pytest.mark.parametrize("case", EVERY, ids=lambda c: c.name)
def test_special_arguments(case: Case) -> None:
    dtype = np.float32 if case in SINGLE else np.float64
    pairs = [(a, b) for a, b in case.special if dtype == np.float64 or abs(a) not in (TINY, 745.0)]
    with np.errstate(over="ignore"):
        x = np.array([a for a, _ in pairs]).astype(dtype)
        wanted = np.array([b for _, b in pairs]).astype(dtype)
    y = looped(case.name)(x)
    np.testing.assert_array_max_ulp(y[np.isfinite(y)], wanted[np.isfinite(wanted)], 0)
    np.testing.assert_array_equal(y, wanted)
    np.testing.assert_array_equal(np.signbit(y[~np.isnan(y)]), np.signbit(wanted[~np.isnan(y)]))


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "sinf", "cosf", "tanf"])
def test_next_to_multiples_of_half_pi(name: str) -> None:
    """Where a result is smallest: the floats next to multiples of pi/2."""
    dtype = np.float32 if name.endswith("f") else np.float64
    with mpmath.workprec(PRECISION):
        near = [float(k * mpmath.pi / 2) for k in (1, 2, 3, 5, 710, 2**20 + 1, 2**38 + 1, 2**41 + 1, 2**90 + 1)]
    x = np.array([*near, *(-v for v in near)]).astype(dtype)
    y = looped(name)(x)
    reference = getattr(mpmath, name.rstrip("f"))
    with mpmath.workprec(PRECISION):
        errors = [error_in_ulps(b, reference(mpmath.mpf(float(a))), dtype) for a, b in zip(x, y, strict=True)]
    assert max(errors) <= (1.0 if dtype == np.float32 else 2.0), list(zip(x, y, errors, strict=True))


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_single_large_arguments_among_small_ones_are_those_of_c(name: str) -> None:
    x = np.linspace(-10.0, 10.0, 41)
    small = looped(name)(x)
    x[[0, 6, 13, 40]] = 2.0**40 + 1.0, 1e22, -1.7e308, 5.319372648326541e255
    large = np.abs(x) > 10.0
    y = looped(name)(x)
    np.testing.assert_array_equal(y[~large], small[~large])
    np.testing.assert_array_equal(y[large], [getattr(math, name)(v) for v in x[large]])


# Two arguments

SPECIAL = [0.0, 0.5, 1.0, 2.0, 3.0, 4.5, 1e300, 2.0**53, 2.0**53 + 2.0, INF, TINY]
SPECIAL = [*SPECIAL, *(-v for v in SPECIAL), NAN]


@functools.cache
def looped_over_pairs(name: str, dtype: Any) -> Any:
    function = getattr(vector_math, f"{name}f" if dtype == np.float32 else name)

    @numba.njit(fastmath={"contract", "reassoc", "arcp"}, error_model="numpy")
    def loop(x, y, z):  # type: ignore[no-untyped-def]
        for i in range(x.shape[0]):
            z[i] = function(x[i], y[i])

    def call(x: Any, y: Any) -> Any:
        z = np.empty_like(x)
        loop(x, y, z)
        return z

    call.loop = loop  # type: ignore[attr-defined]
    return call


def power_of_c(x: float, y: float) -> float:
    """``pow`` of the C library, without Python's exceptions."""
    try:
        return math.pow(x, y)
    except ValueError:
        return INF if x == 0.0 and y % 2.0 != 1.0 else math.copysign(INF, x) if x == 0.0 else NAN
    except OverflowError:
        return -INF if x < 0.0 and y % 2.0 == 1.0 else INF


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_powers_of_special_arguments_are_those_of_c(dtype: Any) -> None:
    with np.errstate(all="ignore"):
        x, y = (v.ravel().astype(dtype) for v in np.meshgrid(SPECIAL, SPECIAL))
        wanted = np.array([power_of_c(float(a), float(b)) for a, b in zip(x, y, strict=True)]).astype(dtype)
    np.testing.assert_allclose(
        looped_over_pairs("pow", dtype)(x, y), wanted, rtol=1e-6 if dtype == np.float32 else 4e-16
    )
    found = looped_over_pairs("pow", dtype)(x, y)
    np.testing.assert_array_equal(np.signbit(found[~np.isnan(found)]), np.signbit(wanted[~np.isnan(found)]))


def worst_power(count: int, dtype: Any, seed: int) -> tuple[float, Any]:
    rng = np.random.default_rng(seed)
    largest = 1000.0 if dtype == np.float64 else 120.0
    x = np.concatenate([np.exp2(rng.uniform(-largest, largest, count)), rng.uniform(0.5, 2.0, count)])
    result = rng.uniform(-largest, largest, 2 * count)  # of base 2
    x, y = x.astype(dtype), (result / np.log2(x)).astype(dtype)
    z = looped_over_pairs("pow", dtype)(x, y)
    with mpmath.workprec(200):
        exact = [mpmath.power(mpmath.mpf(float(a)), mpmath.mpf(float(b))) for a, b in zip(x, y, strict=True)]
        errors = [error_in_ulps(found, wanted, dtype) for found, wanted in zip(z, exact, strict=True)]
    k = int(np.argmax(errors))
    return errors[k], (x[k], y[k], z[k])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_random_powers(dtype: Any) -> None:
    error, where = worst_power(1000, dtype, seed=3)
    assert error <= (1.0 if dtype == np.float32 else 2.0), where


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_many_random_powers(dtype: Any) -> None:
    error, where = worst_power(30_000, dtype, seed=4)
    assert error <= (1.0 if dtype == np.float32 else 2.0), where


def magnitude(a: Any, b: Any, exact: Any) -> Any:
    return max(abs(a), abs(b), abs(exact))


PAIRS: dict[str, tuple[Callable[..., Any], tuple[float, float], Callable[..., Any]]] = {
    "atan2": (mpmath.atan2, (-3.0, 3.0), lambda a, b, exact: exact),
    "hypot": (mpmath.hypot, (-3.0, 3.0), lambda a, b, exact: exact),
    "logaddexp": (lambda a, b: mpmath.log(mpmath.exp(a) + mpmath.exp(b)), (-40.0, 40.0), magnitude),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", PAIRS)
def test_random_pairs(name: str, dtype: Any) -> None:
    reference, (low, high), unit = PAIRS[name]
    rng = np.random.default_rng(5)
    a, b = rng.uniform(low, high, (2, 500)).astype(dtype)
    if name != "logaddexp":
        largest = 500.0 if dtype == np.float64 else 60.0
        a, b = (np.concatenate([v, v * np.exp2(rng.uniform(-largest, largest, 500)).astype(dtype)]) for v in (a, b))
    found = looped_over_pairs(name, dtype)(a, b)
    with mpmath.workprec(200):
        for x, y, z in zip(a.tolist(), b.tolist(), found.tolist(), strict=True):
            exact = reference(mpmath.mpf(x), mpmath.mpf(y))
            ulp = np.spacing(dtype(abs(float(unit(x, y, exact)))))
            assert abs(mpmath.mpf(z) - exact) <= (1.0 if dtype == np.float32 else 2.0) * mpmath.mpf(float(ulp)), (
                x,
                y,
                z,
            )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("name", "numpy"), [("atan2", np.arctan2), ("hypot", np.hypot), ("logaddexp", np.logaddexp)])
def test_special_pairs_are_those_of_numpy(name: str, numpy: Any, dtype: Any) -> None:
    values = [0.0, 1.0, 2.5, 1e30, 1e-30, INF]
    values = [*values, *(-v for v in values), NAN]
    a, b = (v.ravel().astype(dtype) for v in np.meshgrid(values, values))
    found, wanted = looped_over_pairs(name, dtype)(a, b), numpy(a, b)
    np.testing.assert_allclose(found, wanted, rtol=2.5e-7 if dtype == np.float32 else 4.5e-16)
    np.testing.assert_array_equal(np.signbit(found[~np.isnan(found)]), np.signbit(wanted[~np.isnan(found)]))


@pytest.mark.parametrize("name", vector_math.__all__)
def test_loops_vectorise(name: str) -> None:
    single = name.endswith("f") and name[:-1] in vector_math.__all__
    dtype, stem = (np.float32, name[:-1]) if single else (np.float64, name)
    x = np.ones(9, dtype)
    if stem == "pow" or stem in PAIRS:
        looped_over_pairs(stem, dtype)(x, x)
        loop = looped_over_pairs(stem, dtype).loop
    else:
        looped(name)(x)
        loop = looped(name).loop
    (text,) = loop.inspect_llvm().values()
    assert " x double>" in text, "the loop stayed scalar"
