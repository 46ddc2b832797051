"""Functions of ``scipy.special``: which primitives they are, and those that are put together from others.

Forms are chosen that neither overflow nor make NaN where the result is finite.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from srcgrad.frontend.arrays.elementwise import elementwise
from srcgrad.frontend.calls.compile_time import compile_time, refuse
from srcgrad.primitives.bessel import bessel_jn, bessel_yn
from srcgrad.primitives.bessel_any_order import bessel_jv
from srcgrad.primitives.elementary import digamma
from srcgrad.primitives.gamma_functions import binomial, hurwitz_zeta, polygamma_of
from srcgrad.primitives.library import library
from srcgrad.primitives.scalar import FUNCTIONS
from srcgrad.primitives.scaled_error_function import scaled_erfc
from srcgrad.primitives.special import SPECIAL

Array = NDArray[np.floating]
Axis = int | tuple[int, ...] | None

OWN_NAMES = (
    "jn",
    "jv",
    "yn",
    "polygamma",
    "zeta",
    "lambert",
    "owen_beyond",
)  # arguments are looked at below, or not SciPy's
FUNCTIONS |= {special.erf: "erf", special.erfc: "erfc", special.gamma: "gamma", special.gammaln: "lgamma"}
FUNCTIONS |= {getattr(special, name): name for name in SPECIAL if name not in OWN_NAMES}
elementwise(special.digamma)(digamma)


@elementwise(special.ndtr)
def ndtr(x: float) -> float:
    return 0.5 * special.erfc(x * -0.7071067811865476)  # 1 / sqrt(2)


@elementwise(special.log_ndtr)
def log_ndtr(x: float) -> float:
    t = x * -0.7071067811865476
    if x < -1.0:
        return np.log(0.5 * scaled_erfc(t)) - t * t
    return np.log1p(-0.5 * special.erfc(-t))


@elementwise(special.expit)
def expit(x: float) -> float:
    return 1.0 / (1.0 + np.exp(-x)) if x >= 0.0 else np.exp(x) / (1.0 + np.exp(x))


@elementwise(special.log_expit)
def log_expit(x: float) -> float:
    return -np.log1p(np.exp(-x)) if x >= 0.0 else x - np.log1p(np.exp(x))


@elementwise(special.logit)
def logit(p: float) -> float:
    return np.log(p / (1.0 - p))


@elementwise(special.xlogy)
def xlogy(x: float, y: float) -> float:
    return 0.0 * x if x == 0.0 and (y <= 0.0 or y == np.inf) else x * np.log(y)


@elementwise(special.xlog1py)
def xlog1py(x: float, y: float) -> float:
    return 0.0 * x if x == 0.0 and (y <= -1.0 or y == np.inf) else x * np.log1p(y)


@elementwise(special.entr)
def entr(x: float) -> float:
    return -x * np.log(x) if x > 0.0 else 0.0 * x if x == 0.0 else x if x != x else -np.inf


@elementwise(special.rel_entr)
def rel_entr(x: float, y: float) -> float:
    if x > 0.0 and y > 0.0:
        return x * np.log(x / y)
    return 0.0 * x if x == 0.0 and y >= 0.0 else np.inf


@elementwise(special.kl_div)
def kl_div(x: float, y: float) -> float:
    if x > 0.0 and y > 0.0:
        return x * np.log(x / y) - x + y
    return y if x == 0.0 and y >= 0.0 else np.inf


@elementwise(special.beta)
def beta(a: float, b: float) -> float:
    return np.exp(special.betaln(a, b))


@elementwise(special.betaln)
def betaln(a: float, b: float) -> float:
    return special.gammaln(a) + special.gammaln(b) - special.gammaln(a + b)


@elementwise(special.loggamma)
def loggamma(x: float) -> float:
    """Of real numbers: NaN where the gamma function is negative."""
    return special.gammaln(x) if x >= 0.0 else np.nan


@elementwise(special.exprel)
def exprel(x: float) -> float:
    """``expm1(x) / x``; near 0, where nothing would be left of its derivatives, by its series."""
    if abs(x) > 0.5:
        return np.expm1(x) / x
    total = 1.0 + 0.0 * x
    for k in range(15):
        total = 1.0 + x * total / (16.0 - k)
    return total


@elementwise(special.huber)
def huber(delta: float, r: float) -> float:
    if delta < 0.0:
        return np.inf
    return 0.5 * r * r if abs(r) <= delta else delta * (abs(r) - 0.5 * delta)


@elementwise(special.pseudo_huber)
def pseudo_huber(delta: float, r: float) -> float:
    if delta <= 0.0 or r == 0.0 * delta:
        return np.inf if delta < 0.0 else 0.0 * delta if delta == 0.0 else 0.5 * r * r
    v = r / delta
    return delta * delta * (v * v / (np.sqrt(1.0 + v * v) + 1.0))


@elementwise(special.ellipkm1)
def ellipkm1(p: float) -> float:
    """The complete elliptic integral of the first kind, of ``1 - p``: by the arithmetic-geometric mean."""
    if not p > 0.0:
        return np.inf if p == 0.0 else np.nan
    return quarter_period(p)


def quarter_period(p: float) -> float:
    """``pi / 2`` over the arithmetic-geometric mean of 1 and the root of ``p > 0``."""
    a = 1.0 + 0.0 * p
    b = np.sqrt(p)
    for _ in range(10):
        a, b = 0.5 * (a + b), np.sqrt(a * b)
    return 1.5707963267948966 / a


@elementwise(special.ellipk)
def ellipk(m: float) -> float:
    if not m < 1.0:
        return np.inf if m == 1.0 else np.nan
    return quarter_period(1.0 - m)


@elementwise(special.ellipe)
def ellipe(m: float) -> float:
    """The integral of the second kind, by what the mean's steps leave between its two numbers."""
    if not m < 1.0:
        return 1.0 if m == 1.0 else np.nan
    a = 1.0 + 0.0 * m
    b = np.sqrt(1.0 - m)
    left = 0.5 * m
    weight = 0.25
    for _ in range(10):
        c = a - b
        a, b = 0.5 * (a + b), np.sqrt(a * b)
        left += weight * c * c
        weight *= 2.0
    return 1.5707963267948966 / a * (1.0 - left)


@elementwise(special.chdtr)
def chdtr(v: float, x: float) -> float:
    return special.gammainc(0.5 * v, 0.5 * x)  # type: ignore[return-value]  # of numbers


@elementwise(special.chdtrc)
def chdtrc(v: float, x: float) -> float:
    return special.gammaincc(0.5 * v, 0.5 * x)  # type: ignore[return-value]  # of numbers


@elementwise(special.gdtr)
def gdtr(a: float, b: float, x: float) -> float:
    return special.gammainc(b, a * x)  # type: ignore[return-value]  # of numbers


@elementwise(special.pdtr)
def pdtr(k: float, m: float) -> float:
    return special.gammaincc(np.floor(k) + 1.0, m)


@elementwise(special.boxcox)
def boxcox(x: float, lmbda: float) -> float:
    u = np.log(x)
    # Near 0 by a series, for the sake of the derivatives by lmbda.
    return u * special.exprel(lmbda * u) if lmbda == 0.0 or abs(lmbda * u) < 0.5 else np.expm1(lmbda * u) / lmbda


@compile_time
def require_exact(exact: bool, name: str) -> None:
    if exact:
        raise ValueError(f"{name}() with exact=True gives Python integers; use exact=False here")


@library(special.factorial)
def factorial(n: Array, exact: bool = False) -> Array | float:
    require_exact(exact, "factorial")
    return factorial_of(n)


@elementwise()
def factorial_of(n: float) -> float:
    return special.gamma(n + 1.0) if n >= 0.0 else 0.0 * n


@library(special.comb)
def comb(N: Array, k: Array, *, exact: bool = False, repetition: bool = False) -> Array | float:  # noqa: N803  (SciPy's name)
    require_exact(exact, "comb")
    if repetition:
        refuse("comb() with repetition", "Write binom(N + k - 1, k).")
    return combinations(N, k)


@elementwise()
def combinations(n: float, k: float) -> float:
    return binomial(n, k) if 0.0 <= k <= n else 0.0 * n


@library(special.polygamma)
def polygamma(n: int, x: Array) -> Array | float:
    require_order(isinstance(n, int), "polygamma")
    if n == 0:
        return special.digamma(x)
    return derivative_of_digamma(x, n=n)


@elementwise()
def derivative_of_digamma(x: float, *, n: int = 1) -> float:
    return polygamma_of(n * 1.0, x)


@library(special.zeta)
def zeta(x: Array, q: Array | None = None) -> Array | float:
    return zeta_of(x, 1.0 if q is None else q)


@elementwise()
def zeta_of(x: float, q: float) -> float:
    return hurwitz_zeta(x, q)


@compile_time
def require_count(n: object, what: str) -> None:
    if not isinstance(n, int) or n < 0:
        raise ValueError(f"{what} must be a non-negative integer here, known at compile time")


@compile_time
def require_order(whole: bool, name: str) -> None:
    if not whole:
        raise ValueError(f"the order of {name}() must be an integer here, known at compile time")


@library(special.jv)  # jn is the same function
def jv(v: float, z: Array) -> Array | float:
    return bessel_j_of(z, n=v) if isinstance(v, int) else bessel_j_between(v, z)


@elementwise()
def bessel_j_between(v: float, x: float) -> float:
    return bessel_jv(v, x)


@elementwise()
def bessel_j_of(x: float, *, n: int = 0) -> float:
    return bessel_jn(n * 1.0, x)


@library(special.yn)
def yn(n: int, x: Array) -> Array | float:
    require_order(isinstance(n, int), "yn")
    return bessel_y_of(x, n=n)


@elementwise()
def bessel_y_of(x: float, *, n: int = 0) -> float:
    return bessel_yn(n * 1.0, x)


@library(special.logsumexp)
def logsumexp(
    a: Array, axis: Axis = None, b: Array | None = None, keepdims: bool = False, return_sign: bool = False
) -> Array | np.floating:
    if return_sign:
        refuse("logsumexp() with return_sign", "Take the sign of the sum by hand.")
    a = np.asarray(a)
    largest = finite(np.max(a, axis=axis, keepdims=True))
    weights = np.exp(a - largest) if b is None else b * np.exp(a - largest)
    total = np.log(np.sum(weights, axis=axis, keepdims=True)) + largest
    return total if keepdims else np.sum(total, axis=axis)  # of one element each


def finite(x: Array | np.floating) -> Array:
    return np.where(np.isfinite(x), x, 0.0)


@library(special.softmax)
def softmax(x: Array, axis: Axis = None) -> Array:
    x = np.asarray(x)
    weights = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return weights / np.sum(weights, axis=axis, keepdims=True)


@library(special.log_softmax)
def log_softmax(x: Array, axis: Axis = None) -> Array:
    x = np.asarray(x)
    shifted = x - np.max(x, axis=axis, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))
