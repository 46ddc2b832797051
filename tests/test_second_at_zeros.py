"""Second derivatives at points that functions treat apart (``if x == 0``): against differences in high precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import special

from srcgrad import grad, hessian, jvp

mp = mpmath.mp


def lower(a: float) -> Callable[[Any], Any]:
    return lambda x: mpmath.gammainc(a, 0, x, regularized=True)


def distribution(x: Any) -> Any:
    return mpmath.erfc(-x / mpmath.sqrt(2)) / 2


# A function, the same in mpmath (analytic at the point), and the point.
AT_ZEROS: dict[str, tuple[Callable[[float], float], Callable[[Any], Any], float]] = {
    "gammainc(1)": (lambda x: special.gammainc(1.0, x), lambda x: 1 - mpmath.exp(-x), 0.0),
    "gammainc(2)": (lambda x: special.gammainc(2.0, x), lambda x: 1 - mpmath.exp(-x) * (1 + x), 0.0),
    "gammainc(3)": (lambda x: special.gammainc(3.0, x), lambda x: 1 - mpmath.exp(-x) * (1 + x + x * x / 2), 0.0),
    "gammaincc(2)": (lambda x: special.gammaincc(2.0, x), lambda x: mpmath.exp(-x) * (1 + x), 0.0),
    "chdtr(4)": (lambda x: special.chdtr(4.0, x), lambda x: 1 - mpmath.exp(-x / 2) * (1 + x / 2), 0.0),
    "betainc(1, 2) at 0": (lambda x: special.betainc(1.0, 2.0, x), lambda x: 2 * x - x * x, 0.0),
    "betainc(2, 2) at 0": (lambda x: special.betainc(2.0, 2.0, x), lambda x: 3 * x**2 - 2 * x**3, 0.0),
    "betainc(2, 2) at 1": (lambda x: special.betainc(2.0, 2.0, x), lambda x: 3 * x**2 - 2 * x**3, 1.0),
    "j0": (lambda x: special.j0(x), lambda x: mpmath.besselj(0, x), 0.0),
    "j1": (lambda x: special.j1(x), lambda x: mpmath.besselj(1, x), 0.0),
    "jv(2)": (lambda x: special.jv(2, x), lambda x: mpmath.besselj(2, x), 0.0),
    "i0": (lambda x: special.i0(x), lambda x: mpmath.besseli(0, x), 0.0),
    "i1": (lambda x: special.i1(x), lambda x: mpmath.besseli(1, x), 0.0),
    "iv(2)": (lambda x: special.iv(2, x), lambda x: mpmath.besseli(2, x), 0.0),
    "np.i0": (lambda x: np.i0(x), lambda x: mpmath.besseli(0, x), 0.0),
    "np.sinc": (lambda x: np.sinc(x), lambda x: mpmath.sincpi(x), 0.0),
    "erfinv": (lambda x: special.erfinv(x), mpmath.erfinv, 0.0),
    "ndtri": (lambda p: special.ndtri(p), lambda p: mpmath.sqrt(2) * mpmath.erfinv(2 * p - 1), 0.5),
    "ndtr": (lambda x: special.ndtr(x), distribution, 0.0),
    "log_ndtr at 0": (lambda x: special.log_ndtr(x), lambda x: mpmath.log(distribution(x)), 0.0),
    "log_ndtr at -1": (lambda x: special.log_ndtr(x), lambda x: mpmath.log(distribution(x)), -1.0),
    "erfcx": (lambda x: special.erfcx(x), lambda x: mpmath.exp(x * x) * mpmath.erfc(x), 0.0),
    "expit": (lambda x: special.expit(x), lambda x: 1 / (1 + mpmath.exp(-x)), 0.0),
    "log_expit": (lambda x: special.log_expit(x), lambda x: -mpmath.log(1 + mpmath.exp(-x)), 0.0),
    "exprel": (lambda x: special.exprel(x), lambda x: mpmath.hyp1f1(1, 2, x), 0.0),
    "exprel at 1/2": (lambda x: special.exprel(x), lambda x: mpmath.hyp1f1(1, 2, x), 0.5),
    "ellipk": (lambda m: special.ellipk(m), mpmath.ellipk, 0.0),
    "ellipe": (lambda m: special.ellipe(m), mpmath.ellipe, 0.0),
    "stdtr": (lambda t: special.stdtr(3.0, t), None, 0.0),
    "huber": (lambda r: special.huber(1.5, r), lambda r: r * r / 2, 0.0),
    "pseudo_huber": (lambda r: special.pseudo_huber(1.5, r), None, 0.0),
    "boxcox by lambda": (lambda k: special.boxcox(2.5, k), None, 0.0),
    "boxcox at 1": (lambda x: special.boxcox(x, 0.3), lambda x: (x ** mpmath.mpf(0.3) - 1) / mpmath.mpf(0.3), 1.0),
    "logaddexp": (lambda x: np.logaddexp(x, 0.0), lambda x: mpmath.log(1 + mpmath.exp(x)), 0.0),
    "logaddexp2": (lambda x: np.logaddexp2(x, 0.0), lambda x: mpmath.log(1 + mpmath.mpf(2) ** x, 2), 0.0),
    "hypot": (lambda x: np.hypot(x, 2.0), lambda x: mpmath.sqrt(x * x + 4), 0.0),
    "arctan2": (lambda x: np.arctan2(x, 2.0), lambda x: mpmath.atan(x / 2), 0.0),
    "expm1": (lambda x: np.expm1(x), mpmath.expm1, 0.0),
    "log1p": (lambda x: np.log1p(x), lambda x: mpmath.log(1 + x), 0.0),
    "x**2": (lambda x: x**2, lambda x: x**2, 0.0),
    "x**2.0 in an array": (lambda x: np.sum(np.array([x, x]) ** 2.0), lambda x: 2 * x**2, 0.0),
    "var": (lambda x: np.var(np.array([x, 0.0, 0.0])), lambda x: 2 * x * x / 9, 0.0),
    "prod": (lambda x: np.prod(np.array([x, x, 3.0])), lambda x: 3 * x * x, 0.0),
    "cumprod": (lambda x: np.sum(np.cumprod(np.array([2.0, x, x]))), lambda x: 2 + 2 * x + 2 * x * x, 0.0),
    "det": (lambda x: np.linalg.det(np.array([[x, 1.0], [0.0, x]])), lambda x: x * x, 0.0),
    "logsumexp": (
        lambda x: special.logsumexp(np.array([x, 0.0, 0.0])),
        lambda x: mpmath.log(mpmath.exp(x) + 2),
        0.0,
    ),
    "softmax": (lambda x: special.softmax(np.array([x, 0.0]))[0], lambda x: 1 / (1 + mpmath.exp(-x)), 0.0),
    "xlogy by y": (lambda y: special.xlogy(0.0, y), lambda y: 0 * y, 2.0),
    "interp": (lambda x: np.interp(x, np.array([-1.0, 1.0]), np.array([2.0, 5.0])), lambda x: 3.5 + 1.5 * x, 0.0),
    "polyval": (lambda x: np.polyval(np.array([2.0, 0.0, 1.0]), x), lambda x: 2 * x * x + 1, 0.0),
    "power of a matrix": (
        lambda x: np.sum(np.linalg.matrix_power(np.array([[x, 1.0], [0.0, x]]), 3)),
        lambda x: 2 * x**3 + 3 * x**2,
        0.0,
    ),
}
KNOWN = {"stdtr": 0.0, "pseudo_huber": 1.0, "boxcox by lambda": float(mpmath.log(2.5) ** 3 / 3)}


@pytest.mark.parametrize("name", AT_ZEROS)
def test_second_derivative(name: str) -> None:
    f, exact, point = AT_ZEROS[name]
    with mp.workdps(40):
        expected = KNOWN[name] if exact is None else float(mpmath.diff(exact, point, 2))
    with np.errstate(all="ignore"):
        found = hessian(f, jit=False)(point)
        _, forward = jvp(grad(f, jit=False), (point,), (1.0,), jit=False)
    np.testing.assert_allclose((found, forward), expected, rtol=1e-9, atol=1e-9)


def test_mixed_derivative_of_xlogy() -> None:
    """By x at 0 and y."""
    found = hessian(lambda v: special.xlogy(v[0], v[1]), jit=False)(np.array([0.0, 2.0]))
    np.testing.assert_allclose(found, [[0.0, 0.5], [0.5, 0.0]], atol=1e-14)
    found = hessian(lambda v: special.xlog1py(v[0], v[1]), jit=False)(np.array([0.0, 1.0]))
    np.testing.assert_allclose(found, [[0.0, 0.5], [0.5, 0.0]], atol=1e-14)
