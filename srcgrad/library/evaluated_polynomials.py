"""``scipy.special``'s orthogonal polynomials at points, by their recurrences; associated Legendre functions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from srcgrad.frontend.arrays.elementwise import elementwise
from srcgrad.frontend.calls.compile_time import compile_time
from srcgrad.library.special import require_count
from srcgrad.primitives.library import library

Array = NDArray[np.floating]
Complex = NDArray[np.complexfloating]


@library(special.eval_legendre)
def eval_legendre(n: int, x: Array) -> Array | float:
    require_count(n, "the degree of eval_legendre()")
    return jacobi_at(x, 0.0, 0.0, n=n)


@library(special.eval_jacobi)
def eval_jacobi(n: int, alpha: Array, beta: Array, x: Array) -> Array | float:
    require_count(n, "the degree of eval_jacobi()")
    return jacobi_at(x, alpha, beta, n=n)


@library(special.eval_gegenbauer)
def eval_gegenbauer(n: int, alpha: Array, x: Array) -> Array | float:
    require_count(n, "the degree of eval_gegenbauer()")
    return gegenbauer_at(x, alpha, n=n)


@library(special.eval_chebyt)
def eval_chebyt(n: int, x: Array) -> Array | float:
    require_count(n, "the degree of eval_chebyt()")
    return chebyshev_at(x, n=n, first=1.0)


@library(special.eval_chebyu)
def eval_chebyu(n: int, x: Array) -> Array | float:
    require_count(n, "the degree of eval_chebyu()")
    return chebyshev_at(x, n=n, first=2.0)


@library(special.eval_hermite)
def eval_hermite(n: int, x: Array) -> Array | float:
    require_count(n, "the degree of eval_hermite()")
    return hermite_at(x, n=n, scale=2.0)


@library(special.eval_hermitenorm)
def eval_hermitenorm(n: int, x: Array) -> Array | float:
    require_count(n, "the degree of eval_hermitenorm()")
    return hermite_at(x, n=n, scale=1.0)


@library(special.eval_genlaguerre)
def eval_genlaguerre(n: int, alpha: Array, x: Array) -> Array | float:
    require_count(n, "the degree of eval_genlaguerre()")
    return laguerre_at(x, alpha, n=n)


@library(special.eval_laguerre)
def eval_laguerre(n: int, x: Array) -> Array | float:
    require_count(n, "the degree of eval_laguerre()")
    return laguerre_at(x, 0.0, n=n)


@elementwise()
def jacobi_at(x: float, a: float, b: float, *, n: int = 0) -> float:
    if n == 0:
        return 1.0 + 0.0 * x
    before, here = 1.0 + 0.0 * x, 0.5 * (a - b + (a + b + 2.0) * x)
    for k in range(2, n + 1):
        c = 2.0 * k + a + b
        slope = (c - 1.0) * (c * (c - 2.0) * x + (a - b) * (a + b))
        below = 2.0 * (k + a - 1.0) * (k + b - 1.0) * c
        before, here = here, (slope * here - below * before) / (2.0 * k * (k + a + b) * (c - 2.0))
    return here


@elementwise()
def gegenbauer_at(x: float, a: float, *, n: int = 0) -> float:
    before, here = 0.0 * x, 1.0 + 0.0 * x
    for k in range(n):
        before, here = here, (2.0 * (k + a) * x * here - (k + 2.0 * a - 1.0) * before) / (k + 1.0)
    return here


@elementwise()
def chebyshev_at(x: float, *, n: int = 0, first: float = 1.0) -> float:
    if n == 0:
        return 1.0 + 0.0 * x
    before, here = 1.0 + 0.0 * x, first * x
    for _ in range(1, n):
        before, here = here, 2.0 * x * here - before
    return here


@elementwise()
def hermite_at(x: float, *, n: int = 0, scale: float = 1.0) -> float:
    before, here = 0.0 * x, 1.0 + 0.0 * x
    for k in range(n):
        before, here = here, scale * (x * here - k * before)
    return here


@elementwise()
def laguerre_at(x: float, a: float, *, n: int = 0) -> float:
    before, here = 0.0 * x, 1.0 + 0.0 * x
    for k in range(n):
        before, here = here, ((2.0 * k + 1.0 + a - x) * here - (k + a) * before) / (k + 1.0)
    return here


@library(special.lpmv)
def lpmv(m: int, v: int, x: Array) -> Array | float:
    require_count(m, "the degree of lpmv()")
    require_count(v, "the degree of lpmv()")
    return legendre_function(x, m=m, n=v)


@elementwise()
def legendre_function(x: float, *, m: int = 0, n: int = 0) -> float:
    """With the phase of Condon and Shortley."""
    if m > n:
        return 0.0 * x
    here = 1.0 + 0.0 * x
    root = np.sqrt((1.0 - x) * (1.0 + x))
    for k in range(m):
        here = -here * (2.0 * k + 1.0) * root
    before = 0.0 * x
    for k in range(m, n):
        before, here = here, ((2.0 * k + 1.0) * x * here - (k + m) * before) / (k - m + 1.0)
    return here


@library(special.sph_harm_y)
def sph_harm_y(n: int, m: int, theta: Array, phi: Array) -> Complex:
    require_count(n, "the degree of sph_harm_y()")
    order = m if m >= 0 else -m
    require_count(order, "the degree of sph_harm_y()")
    factor = normalisation(n, order)
    value = factor * legendre_function(np.cos(theta), m=order, n=n)
    if m < 0 and order % 2 == 1:
        value = -value
    return value * np.exp(1j * m * phi)


@compile_time
def normalisation(n: int, m: int) -> float:
    ratio = 1.0
    for k in range(n - m + 1, n + m + 1):
        ratio /= k
    return float(np.sqrt((2 * n + 1) / (4.0 * np.pi) * ratio))
