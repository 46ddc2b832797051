"""Bessel functions that are made of others: spherical ones, derivatives of the cylindrical ones, Hankel functions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from srcgrad.frontend.arrays.elementwise import elementwise
from srcgrad.library.special import require_count
from srcgrad.primitives.library import library

Array = NDArray[np.floating]
Complex = NDArray[np.complexfloating]


@library(special.spherical_jn)
def spherical_jn(n: int, z: Array, derivative: bool = False) -> Array | float:
    require_count(n, "the order of spherical_jn()")
    return slope_of_spherical_j(z, n=n) if derivative else spherical_j(z, n=n)


@library(special.spherical_yn)
def spherical_yn(n: int, z: Array, derivative: bool = False) -> Array | float:
    require_count(n, "the order of spherical_yn()")
    return slope_of_spherical_y(z, n=n) if derivative else spherical_y(z, n=n)


@library(special.spherical_in)
def spherical_in(n: int, z: Array, derivative: bool = False) -> Array | float:
    require_count(n, "the order of spherical_in()")
    return slope_of_spherical_i(z, n=n) if derivative else spherical_i(z, n=n)


@library(special.spherical_kn)
def spherical_kn(n: int, z: Array, derivative: bool = False) -> Array | float:
    require_count(n, "the order of spherical_kn()")
    return slope_of_spherical_k(z, n=n) if derivative else spherical_k(z, n=n)


def power_series(n: int, z: float, turn: float) -> float:
    """``z**n / (2n + 1)!!`` times the sum of ``(turn z**2 / 2)**k / (k! (2n + 3) (2n + 5) ...)``."""
    s = 0.5 * turn * z * z
    total = 1.0 + 0.0 * z
    for k in range(40, 0, -1):
        total = 1.0 + s / (k * (2.0 * n + 2.0 * k + 1.0)) * total
    for k in range(1, n + 1):
        total = total * z / (2.0 * k + 1.0)
    return total


@elementwise()
def spherical_j(z: float, *, n: int = 0) -> float:
    if z * z < 4.0 * n + 6.0:
        return power_series(n, z, -1.0)
    if abs(z) >= n:
        return upwards(np.sin(z) / z, np.sin(z) / (z * z) - np.cos(z) / z, n, z)
    return downwards(n, z)


def upwards(zeroth: float, first: float, n: int, z: float) -> float:
    before, here = zeroth, first
    if n == 0:
        return before
    for k in range(1, n):
        before, here = here, (2.0 * k + 1.0) / z * here - before
    return here


def downwards(n: int, z: float) -> float:
    """J. C. P. Miller's recurrence from far above the order, scaled by the larger of the first two."""
    above, here, wanted = 0.0 * z, 1e-250 + 0.0 * z, 0.0 * z
    for k in range(2 * n + 40, 0, -1):
        if k == n:
            wanted = here
        above, here = here, (2.0 * k + 1.0) / z * here - above
    zeroth = np.sin(z) / z
    first = (zeroth - np.cos(z)) / z
    return wanted / here * zeroth if abs(zeroth) > abs(first) else wanted / above * first


@elementwise()
def spherical_y(z: float, *, n: int = 0) -> float:
    if z == 0.0:
        return -np.inf
    first = -np.cos(z) / z
    return upwards(first, first / z - np.sin(z) / z, n, z)


@elementwise()
def spherical_i(z: float, *, n: int = 0) -> float:
    if z * z < 4.0 * n + 60.0:
        return power_series(n, z, 1.0)
    size = abs(z)
    value = np.sqrt(1.5707963267948966 / size) * special.iv(n + 0.5, size)
    return -value if z < 0.0 and n % 2 == 1 else value


@elementwise()
def spherical_k(z: float, *, n: int = 0) -> float:
    if not z > 0.0:
        return np.inf if z == 0.0 else np.nan
    zeroth = 1.5707963267948966 * np.exp(-z) / z
    before, here = zeroth, zeroth * (1.0 + 1.0 / z)
    if n == 0:
        return before
    for k in range(1, n):
        before, here = here, (2.0 * k + 1.0) / z * here + before
    return here


@elementwise()
def slope_of_spherical_j(z: float, *, n: int = 0) -> float:
    if n == 0:
        return -spherical_j(z, n=1)
    return (n * spherical_j(z, n=n - 1) - (n + 1.0) * spherical_j(z, n=n + 1)) / (2.0 * n + 1.0)


@elementwise()
def slope_of_spherical_y(z: float, *, n: int = 0) -> float:
    if n == 0:
        return -spherical_y(z, n=1)
    return (n * spherical_y(z, n=n - 1) - (n + 1.0) * spherical_y(z, n=n + 1)) / (2.0 * n + 1.0)


@elementwise()
def slope_of_spherical_i(z: float, *, n: int = 0) -> float:
    if n == 0:
        return spherical_i(z, n=1)
    return (n * spherical_i(z, n=n - 1) + (n + 1.0) * spherical_i(z, n=n + 1)) / (2.0 * n + 1.0)


@elementwise()
def slope_of_spherical_k(z: float, *, n: int = 0) -> float:
    if n == 0:
        return -spherical_k(z, n=1)
    return -(n * spherical_k(z, n=n - 1) + (n + 1.0) * spherical_k(z, n=n + 1)) / (2.0 * n + 1.0)


@library(special.kn)
def kn(n: int, x: Array) -> Array | float:
    return special.kv(n, x)


@library(special.jvp)
def jvp(v: float, z: Array, n: int = 1) -> Array | float:
    """Half of the difference of the neighbours, n times (DLMF 10.6.1)."""
    require_count(n, "the order of jvp()")
    if n == 0:
        return special.jv(v, z)
    return 0.5 * (jvp(v - 1, z, n - 1) - jvp(v + 1, z, n - 1))


@library(special.yvp)
def yvp(v: float, z: Array, n: int = 1) -> Array | float:
    require_count(n, "the order of yvp()")
    if n == 0:
        return special.yv(v, z)
    return 0.5 * (yvp(v - 1, z, n - 1) - yvp(v + 1, z, n - 1))


@library(special.ivp)
def ivp(v: float, z: Array, n: int = 1) -> Array | float:
    require_count(n, "the order of ivp()")
    if n == 0:
        return special.iv(v, z)
    return 0.5 * (ivp(v - 1, z, n - 1) + ivp(v + 1, z, n - 1))


@library(special.kvp)
def kvp(v: float, z: Array, n: int = 1) -> Array | float:
    require_count(n, "the order of kvp()")
    if n == 0:
        return special.kv(v, z)
    return -0.5 * (kvp(v - 1, z, n - 1) + kvp(v + 1, z, n - 1))


@library(special.hankel1)
def hankel1(v: float, z: Array) -> Complex:
    return special.jv(v, z) + 1j * special.yv(v, z)


@library(special.hankel2)
def hankel2(v: float, z: Array) -> Complex:
    return special.jv(v, z) - 1j * special.yv(v, z)


@library(special.h1vp)
def h1vp(v: float, z: Array, n: int = 1) -> Complex:
    return jvp(v, z, n) + 1j * yvp(v, z, n)  # type: ignore[return-value]  # of numbers


@library(special.h2vp)
def h2vp(v: float, z: Array, n: int = 1) -> Complex:
    return jvp(v, z, n) - 1j * yvp(v, z, n)  # type: ignore[return-value]  # of numbers
