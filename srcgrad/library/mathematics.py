"""Functions of the module ``math`` that are put together from others: of sequences, of integers, remainders."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from srcgrad.primitives.library import library


@library(math.dist)
def dist(p: Sequence[float], q: Sequence[float]) -> float | np.floating:
    return np.linalg.norm(np.asarray(p) - np.asarray(q))


@library(math.fsum)
def fsum(seq: Sequence[float]) -> float:
    """The sum, and beside it what each addition lost (Neumaier 1974)."""
    total = 0.0
    lost = 0.0
    for x in seq:
        t = total + x
        lost += (total - t) + x if abs(total) >= abs(x) else (x - t) + total
        total = t
    return total + lost


@library(math.prod)
def prod(iterable: Sequence[float], *, start: float = 1) -> float:
    product = start
    for x in iterable:
        product = product * x
    return product


@library(math.modf)
def modf(x: float) -> tuple[float, float]:
    whole = np.trunc(x)
    return (x - whole if abs(x) != np.inf else 0.0), whole


@library(math.ldexp)
def ldexp(x: float, i: int) -> float:
    return x * 2.0**i


@library(math.remainder)
def remainder(x: float, y: float) -> float:
    """The remainder by the nearest multiple."""
    rest = math.fmod(x, y)
    size, twice = abs(y), 2.0 * abs(rest)
    is_odd = math.fmod(abs(x) - abs(rest), 2.0 * size) != 0.0
    if twice > size or (twice == size and is_odd):
        rest = rest - math.copysign(y, x)
    return rest


@library(math.isclose)
def isclose(a: float, b: float, *, rel_tol: float = 1e-09, abs_tol: float = 0.0) -> bool:
    if a == b:
        return True
    if abs(a) == np.inf or abs(b) == np.inf:
        return False
    return bool(abs(a - b) <= max(rel_tol * max(abs(a), abs(b)), abs_tol))


@library(math.factorial)
def factorial(n: int) -> int:
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    if n > 20:
        raise OverflowError("factorial() of more than 20 does not fit in 64 bits")
    product = 1
    for k in range(2, n + 1):
        product *= k
    return product


@library(math.comb)
def comb(n: int, k: int) -> int:
    if n < 0 or k < 0:
        raise ValueError("comb() takes numbers that are not negative")
    product = 1
    for i in range(min(k, n - k)):
        product = product * (n - i) // (i + 1)
    return product if k <= n else 0


@library(math.gcd)
def gcd(a: int, b: int) -> int:
    while b != 0:
        a, b = b, a % b
    return abs(a)


@library(math.isqrt)
def isqrt(n: int) -> int:
    if n < 0:
        raise ValueError("isqrt() argument must be nonnegative")
    root = int(np.sqrt(float(n)))
    while root * root > n:
        root -= 1
    while (root + 1) * (root + 1) <= n:
        root += 1
    return root
