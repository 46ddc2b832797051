"""Elliptic integrals after B. C. Carlson, the incomplete ones after Legendre, and Jacobi's elliptic functions."""

from __future__ import annotations

import numpy as np
from scipy import special

from srcgrad.frontend.arrays.elementwise import elementwise

Real = float | np.floating
# Duplication divides the differences of the arguments by four; what is left of the series is then below 1e-17.
CLOSE = 1e-3
STEPS = 200


@elementwise(special.elliprf)
def elliprf(x: Real, y: Real, z: Real) -> Real:
    """Duplication (B. C. Carlson, Numerical computation of real or complex elliptic integrals, 1995)."""
    if not (x >= 0.0 and y >= 0.0 and z >= 0.0):
        return np.nan
    if (x == 0.0) + (y == 0.0) + (z == 0.0) > 1:
        return np.inf
    for _ in range(STEPS):
        mean = (x + y + z) / 3.0
        if max(abs(x - mean), abs(y - mean), abs(z - mean)) < CLOSE * mean:  # type: ignore[call-overload]  # of numbers
            break
        u, v, w = np.sqrt(x), np.sqrt(y), np.sqrt(z)
        shift = u * v + v * w + w * u
        x, y, z = 0.25 * (x + shift), 0.25 * (y + shift), 0.25 * (z + shift)
    mean = (x + y + z) / 3.0
    a, b = 1.0 - x / mean, 1.0 - y / mean
    c = -(a + b)
    e2 = a * b - c * c
    e3 = a * b * c
    series = 1.0 + e3 * (1.0 / 14.0 + 3.0 * e3 / 104.0)
    series += e2 * (-0.1 + e2 / 24.0 - 3.0 * e3 / 44.0 - 5.0 * e2 * e2 / 208.0 + e2 * e3 / 16.0)
    return series / np.sqrt(mean)


@elementwise(special.elliprc)
def elliprc(x: Real, y: Real) -> Real:
    """The case of two equal arguments; for a negative one the principal value."""
    if not (x >= 0.0 and y != 0.0):
        return np.inf if y == 0.0 and x >= 0.0 else np.nan
    if y < 0.0:
        return np.sqrt(x / (x - y)) * special.elliprf(x - y, -y, -y)
    return special.elliprf(x, y, y)


@elementwise(special.elliprd)
def elliprd(x: Real, y: Real, z: Real) -> Real:
    if not (x >= 0.0 and y >= 0.0 and z >= 0.0):
        return np.nan
    if z == 0.0 or (x == 0.0 and y == 0.0):
        return np.inf
    return duplicated(x, y, z, z)


@elementwise(special.elliprj)
def elliprj(x: Real, y: Real, z: Real, p: Real) -> Real:
    """For ``p > 0``."""
    if not (x >= 0.0 and y >= 0.0 and z >= 0.0 and p > 0.0):
        return np.nan
    return duplicated(x, y, z, p)


def duplicated(x: Real, y: Real, z: Real, p: Real) -> Real:
    """R_J; of ``p = z`` that is R_D."""
    factor, total = 1.0 + 0.0 * x, 0.0 * x
    for _ in range(STEPS):
        mean = (x + y + z + 2.0 * p) / 5.0
        if max(abs(x - mean), abs(y - mean), abs(z - mean), abs(p - mean)) < CLOSE * mean:  # type: ignore[call-overload]  # of numbers
            break
        u, v, w, r = np.sqrt(x), np.sqrt(y), np.sqrt(z), np.sqrt(p)
        shift = u * v + v * w + w * u
        d = (r + u) * (r + v) * (r + w)
        e = (p - x) * (p - y) * (p - z) / (d * d)
        total += 6.0 * factor / d * close_to_one(e)
        factor *= 0.25
        x, y, z, p = 0.25 * (x + shift), 0.25 * (y + shift), 0.25 * (z + shift), 0.25 * (p + shift)
    mean = (x + y + z + 2.0 * p) / 5.0
    a, b, c = 1.0 - x / mean, 1.0 - y / mean, 1.0 - z / mean
    q = -0.5 * (a + b + c)
    e2 = a * b + a * c + b * c - 3.0 * q * q
    e3 = a * b * c + 2.0 * e2 * q + 4.0 * q * q * q
    e4 = (2.0 * a * b * c + e2 * q + 3.0 * q * q * q) * q
    e5 = a * b * c * q * q
    series = 1.0 - 3.0 * e2 / 14.0 + e3 / 6.0 + 9.0 * e2 * e2 / 88.0 - 3.0 * e4 / 22.0
    series += -9.0 * e2 * e3 / 52.0 + 3.0 * e5 / 26.0 - e2 * e2 * e2 / 16.0 + 3.0 * e3 * e3 / 40.0 + 0.15 * e2 * e4
    return factor * series / (mean * np.sqrt(mean)) + total


def close_to_one(e: Real) -> Real:
    """R_C of 1 and ``1 + e``."""
    return special.elliprc(1.0, 1.0 + e)


def whole_turns(phi: Real) -> Real:
    return np.floor(phi / np.pi + 0.5)


@elementwise(special.ellipkinc)
def ellipkinc(phi: Real, m: Real) -> Real:
    n = whole_turns(phi)
    rest = phi - n * np.pi
    s, c = np.sin(rest), np.cos(rest)
    part = s * special.elliprf(c * c, 1.0 - m * s * s, 1.0 + 0.0 * m)
    return part if n == 0.0 else part + 2.0 * n * special.ellipk(m)


@elementwise(special.ellipeinc)
def ellipeinc(phi: Real, m: Real) -> Real:
    n = whole_turns(phi)
    rest = phi - n * np.pi
    s, c = np.sin(rest), np.cos(rest)
    d = 1.0 - m * s * s
    part = s * (special.elliprf(c * c, d, 1.0 + 0.0 * m) - m * s * s / 3.0 * special.elliprd(c * c, d, 1.0 + 0.0 * m))
    return part if n == 0.0 else part + 2.0 * n * special.ellipe(m)


@elementwise(special.ellipj)
def ellipj(u: Real, m: Real) -> tuple[Real, Real, Real, Real]:
    """sn, cn, dn and the amplitude, by descending the arithmetic-geometric mean (DLMF 22.20)."""
    if not 0.0 <= m <= 1.0:
        return np.nan, np.nan, np.nan, np.nan
    if m == 1.0:
        s = 1.0 / np.cosh(u)
        return np.tanh(u), s, s, 2.0 * np.arctan(np.exp(u)) - 1.5707963267948966
    means, halves = np.empty(10), np.empty(10)
    a, b = 1.0 + 0.0 * m, np.sqrt(1.0 - m)
    for k in range(10):
        c = 0.5 * (a - b)
        a, b = 0.5 * (a + b), np.sqrt(a * b)
        means[k], halves[k] = a, c
    phi = 1024.0 * a * u
    for k in range(9, -1, -1):
        phi = 0.5 * (phi + np.arcsin(halves[k] / means[k] * np.sin(phi)))
    s, c = np.sin(phi), np.cos(phi)
    return s, c, np.sqrt(1.0 - m * s * s), phi


@elementwise(special.agm)
def agm(a: Real, b: Real) -> Real:
    """The arithmetic-geometric mean."""
    if a * b < 0.0:
        return np.nan
    if a == 0.0 or b == 0.0:
        return 0.0 * a * b
    x, y = abs(a), abs(b)
    for _ in range(12):
        x, y = 0.5 * (x + y), np.sqrt(x * y)  # type: ignore[operator]  # of numbers
    return -x if a < 0.0 else x  # type: ignore[operator,return-value]  # of numbers
