"""Special functions compiled, in second order, and refused where no derivative is known."""

from __future__ import annotations

from collections.abc import Callable

import mpmath
import numpy as np
import pytest
from scipy import special

import srcgrad

mpmath.mp.dps = 30


@pytest.mark.parametrize(
    ("f", "exact", "x"),
    [
        (lambda x: special.j0(x), lambda x: mpmath.besselj(0, x), 9.3),
        (lambda x: special.jv(3, x), lambda x: mpmath.besselj(3, x), 2.3),
        (lambda x: special.i1e(x), lambda x: mpmath.besseli(1, x) * mpmath.exp(-x), 1.7),
        (lambda x: special.k1(x), lambda x: mpmath.besselk(1, x), 0.6),
        (lambda x: special.y0(x), lambda x: mpmath.bessely(0, x), 3.6),
        (lambda x: special.log_ndtr(x), lambda x: mpmath.log(mpmath.ncdf(x)), -11.0),
        (lambda x: special.ndtri(x), lambda x: mpmath.sqrt(2) * mpmath.erfinv(2 * x - 1), 0.03),
        (lambda x: special.polygamma(1, x), lambda x: mpmath.psi(1, x), 0.7),
        (lambda x: special.gammainc(2.5, x), lambda x: mpmath.gammainc(2.5, 0, x, regularized=True), 1.4),
        (lambda x: special.betainc(1.5, 3.0, x), lambda x: mpmath.betainc(1.5, 3, 0, x, regularized=True), 0.4),
        (lambda x: special.beta(x, 2.5), lambda x: mpmath.beta(x, 2.5), 1.2),
        (lambda x: special.expi(x), mpmath.ei, 2.0),
        (lambda x: special.zeta(3.0, x), lambda x: mpmath.zeta(3, x), 0.8),
    ],
)
def test_three_derivatives(f: Callable[[float], float], exact: Callable[[object], object], x: float) -> None:
    first = srcgrad.grad(f, jit=False)
    np.testing.assert_allclose(first(x), float(mpmath.diff(exact, x)), rtol=1e-12)
    np.testing.assert_allclose(srcgrad.hessian(f, jit=False)(x), float(mpmath.diff(exact, x, 2)), rtol=1e-10)
    np.testing.assert_allclose(srcgrad.grad(first, jit=False)(x), float(mpmath.diff(exact, x, 2)), rtol=1e-10)


def test_compiled() -> None:
    def f(x: np.ndarray, y: float) -> float:
        return np.sum(special.j0(x) * special.erfinv(y) + special.gammainc(1.5, x) * special.k0(x + y))

    x = np.array([0.3, 2.5, 9.0])
    plain = srcgrad.value_and_grad(f, argnums=(0, 1), jit=False)(x, 0.4)
    compiled = srcgrad.value_and_grad(f, argnums=(0, 1))(x, 0.4)
    np.testing.assert_allclose(compiled[0], plain[0], rtol=1e-13)
    for a, b in zip(compiled[1], plain[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_no_derivative_is_an_error() -> None:
    def f(a: float, x: float) -> float:
        return special.gammainc(a, x)

    with pytest.raises(srcgrad.UnsupportedError, match=r"gammainc has no derivative .* argument 1"):
        srcgrad.grad(f, jit=False)(2.0, 1.0)
    assert srcgrad.grad(f, argnums=1, jit=False)(2.0, 1.0) == pytest.approx(np.exp(-1.0), rel=1e-13)


def test_order_of_a_spherical_bessel_function_is_whole() -> None:
    with pytest.raises(srcgrad.Error, match=r"order of spherical_jn\(\) must be a non-negative integer"):
        srcgrad.grad(lambda x: special.spherical_jn(0.5, x), jit=False)(1.0)


def test_single_precision_is_computed_in_double() -> None:
    x = np.array([0.5, 9.5], np.float32)
    found = srcgrad.jit(lambda x: special.gammaincc(2.0, x), jit=False)(x)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, special.gammaincc(2.0, x.astype(np.float64)), rtol=1e-7)


@pytest.mark.parametrize("order", [-0.5, -2.5, -3.5, -2.5 - 1e-10])
@pytest.mark.parametrize("x", [1e-8, 1e-3, 0.3, 9.0])
def test_functions_of_negative_half_orders_leave_out_what_is_infinite(order: float, x: float) -> None:
    """cos(5 pi / 2) is 0 to all places: what it is a factor of is larger than 1e16 times the rest."""
    value, slope = srcgrad.value_and_grad(lambda x: special.yv(order, x), jit=False)(x)
    with mpmath.workdps(40):
        assert value == pytest.approx(float(mpmath.bessely(order, x)), rel=1e-9)
        assert slope == pytest.approx(float(mpmath.diff(lambda t: mpmath.bessely(order, t), x)), rel=1e-8)
