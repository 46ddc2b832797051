"""Functions of ``scipy.special`` that are others in another form."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from srcgrad.frontend.arrays.elementwise import elementwise
from srcgrad.frontend.calls.compile_time import compile_time
from srcgrad.frontend.registry import FUNCTIONS
from srcgrad.primitives.library import library
from srcgrad.primitives.scalar import FUNCTIONS as PRIMITIVES
from srcgrad.primitives.special_integrals import lambert

Array = NDArray[np.floating]
Real = float | np.floating
Complex = NDArray[np.complexfloating]

# The same functions as NumPy's.
for _name in ("expm1", "log1p", "cbrt", "exp2", "round"):
    _numpy = np.rint if _name == "round" else getattr(np, _name)
    if _numpy in PRIMITIVES:
        PRIMITIVES[getattr(special, _name)] = PRIMITIVES[_numpy]
    else:
        FUNCTIONS[getattr(special, _name)] = FUNCTIONS[_numpy]


@elementwise(special.exp10)
def exp10(x: Real) -> Real:
    return 10.0**x


@elementwise(special.cosm1)
def cosm1(x: Real) -> Real:
    s = np.sin(0.5 * x)
    return -2.0 * s * s


@elementwise(special.powm1)
def powm1(x: Real, y: Real) -> Real:
    return np.expm1(y * np.log(x)) if x > 0.0 else x**y - 1.0


@elementwise(special.sindg)
def sindg(x: Real) -> Real:
    return np.sin(x * 0.017453292519943295)


@elementwise(special.cosdg)
def cosdg(x: Real) -> Real:
    return np.cos(x * 0.017453292519943295)


@elementwise(special.tandg)
def tandg(x: Real) -> Real:
    return np.tan(x * 0.017453292519943295)


@elementwise(special.cotdg)
def cotdg(x: Real) -> Real:
    return 1.0 / np.tan(x * 0.017453292519943295)


@elementwise(special.radian)
def radian(d: Real, m: Real, s: Real) -> Real:
    return (d + m / 60.0 + s / 3600.0) * 0.017453292519943295


@elementwise(special.softplus)
def softplus(x: Real) -> Real:
    return np.logaddexp(0.0 * x, x)


@elementwise(special.erfi)
def erfi(x: Real) -> Real:
    return 1.1283791670955126 * np.exp(x * x) * special.dawsn(x)


@elementwise(special.rgamma)
def rgamma(x: Real) -> Real:
    if x > 100.0:
        return np.exp(-special.gammaln(x))
    return 0.0 * x if x <= 0.0 and x == np.floor(x) else 1.0 / special.gamma(x)


@elementwise(special.gammasgn)
def gammasgn(x: Real) -> Real:
    return 1.0 if x > 0.0 or np.floor(x) % 2.0 == 0.0 else -1.0


@elementwise(special.poch)
def poch(z: Real, m: Real) -> Real:
    """A product of factors where ``m`` is a small whole number, else a ratio of gamma functions."""
    if m == np.floor(m) and 0.0 <= m <= 40.0:
        total = 1.0 + 0.0 * z
        for k in range(int(m)):
            total *= z + k
        # The factor is 1; it has the derivative by m.
        return total * np.exp((m - np.floor(m)) * special.digamma(z + m)) if z > 0.0 else total
    return np.exp(special.gammaln(z + m) - special.gammaln(z)) * special.gammasgn(z) * special.gammasgn(z + m)


@library(special.multigammaln)
def multigammaln(a: Array, d: int) -> Array:
    require_whole(d, "multigammaln")
    total = d * (d - 1) / 4.0 * 1.1447298858494002
    for k in range(d):
        total = total + special.gammaln(a - 0.5 * k)  # type: ignore[assignment]  # of numbers
    return total  # type: ignore[return-value]  # of numbers


@compile_time
def require_whole(n: object, name: str) -> None:
    if not isinstance(n, int):
        raise ValueError(f"{name}() takes an integer here that is known at compile time")


def _log1p_over(t: Real) -> Real:
    """``log1p(t) / t`` near 0, where nothing would be left of its derivatives: twice the series of ``arctanh``."""
    r = t / (2.0 + t)
    total = 0.0 * t
    for k in range(12):
        total = 1.0 / (23.0 - 2.0 * k) + r * r * total
    return 2.0 / (2.0 + t) * total


@elementwise(special.inv_boxcox)
def inv_boxcox(y: Real, lmbda: Real) -> Real:
    return np.exp(y * _log1p_over(lmbda * y) if np.abs(lmbda * y) < 0.2 else np.log1p(lmbda * y) / lmbda)


@elementwise(special.boxcox1p)
def boxcox1p(x: Real, lmbda: Real) -> Real:
    u = np.log1p(x)
    return u * special.exprel(lmbda * u) if lmbda == 0.0 or abs(lmbda * u) < 0.5 else np.expm1(lmbda * u) / lmbda


@elementwise(special.inv_boxcox1p)
def inv_boxcox1p(y: Real, lmbda: Real) -> Real:
    return np.expm1(y * _log1p_over(lmbda * y) if np.abs(lmbda * y) < 0.2 else np.log1p(lmbda * y) / lmbda)


@elementwise(special.spence)
def spence(z: Real) -> Real:
    """The dilogarithm of ``1 - z``, whose argument is brought between -1 and a half."""
    if not z > 0.0:
        return 1.6449340668482264 if z == 0.0 else np.nan
    if z > 2.0:
        return -1.6449340668482264 - 0.5 * np.log(z - 1.0) ** 2 - dilogarithm(1.0 / (1.0 - z))
    return 1.6449340668482264 - np.log(z) * np.log(1.0 - z) - dilogarithm(z) if z < 0.5 else dilogarithm(1.0 - z)


def dilogarithm(x: Real) -> Real:
    """The series in ``-log(1 - x)``, of Bernoulli's numbers over factorials."""
    u = -np.log1p(-x)
    total = 0.0 * u
    for weight in (
        -1.0356517612181247e-17, 4.518980029619918e-16, -1.9939295860721074e-14, 8.921691020456452e-13,
        -4.0647616451442256e-11, 1.8978869988971e-09, -9.185773074661964e-08, 4.72411186696901e-06,
        -0.0002777777777777778, 0.027777777777777776,
    ):  # fmt: skip
        total = (total + weight) * u * u
    return u * (1.0 - 0.25 * u + total)


@elementwise(special.chdtri)
def chdtri(v: Real, p: Real) -> Real:
    return 2.0 * special.gammaincinv(0.5 * v, 1.0 - p)


@elementwise(special.gdtrc)
def gdtrc(a: Real, b: Real, x: Real) -> Real:
    return special.gammaincc(b, a * x)


@elementwise(special.pdtrc)
def pdtrc(k: Real, m: Real) -> Real:
    return special.gammainc(np.floor(k) + 1.0, m)


@elementwise(special.betaincc)
def betaincc(a: Real, b: Real, x: Real) -> Real:
    return special.betainc(b, a, 1.0 - x)


@elementwise(special.fdtr)
def fdtr(m: Real, n: Real, x: Real) -> Real:
    return special.betainc(0.5 * m, 0.5 * n, m * x / (n + m * x))


@elementwise(special.fdtrc)
def fdtrc(m: Real, n: Real, x: Real) -> Real:
    return special.betainc(0.5 * n, 0.5 * m, n / (n + m * x))


@elementwise(special.fdtri)
def fdtri(m: Real, n: Real, p: Real) -> Real:
    w = special.betaincinv(0.5 * m, 0.5 * n, p)
    return n * w / (m * (1.0 - w))


@elementwise(special.bdtr)
def bdtr(k: Real, n: Real, p: Real) -> Real:
    j = np.floor(k)
    return 1.0 + 0.0 * p if j == n else special.betainc(n - j, j + 1.0, 1.0 - p)


@elementwise(special.bdtrc)
def bdtrc(k: Real, n: Real, p: Real) -> Real:
    j = np.floor(k)
    return 0.0 * p if j == n else special.betainc(j + 1.0, n - j, p)


@elementwise(special.nbdtr)
def nbdtr(k: Real, n: Real, p: Real) -> Real:
    return special.betainc(n, np.floor(k) + 1.0, p)


@library(special.lambertw)
def lambertw(z: Array, k: int = 0, tol: Real = 1e-8) -> Complex:
    """Of real numbers from ``-1/e`` on, where the branches 0 and -1 are real; NaN elsewhere."""
    require_whole(k, "lambertw")
    return lambert_of(z, k=k) + 0j  # type: ignore[return-value]  # of numbers


@elementwise()
def lambert_of(z: Real, *, k: int = 0) -> Real:
    return lambert(k * 1.0, z)  # type: ignore[arg-type]  # of numbers
