"""Polynomials, splines and special functions by recursions, series and iterations."""

# ruff: noqa: N806
# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them, without annotations; matrices have capital names.

from __future__ import annotations

import math

import numba
import numpy as np

from programs.program import program


@program(lambda: (0.37, 4, 2))
def associated_legendre(x, n, m):
    pmm = 1.0
    somx2 = math.sqrt((1.0 - x) * (1.0 + x))
    fact = 1.0
    for _ in range(m):
        pmm *= -fact * somx2
        fact += 2.0
    if n == m:
        return pmm
    pmmp1 = x * (2 * m + 1) * pmm
    if n == m + 1:
        return pmmp1
    for ll in range(m + 2, n + 1):
        pll = (x * (2 * ll - 1) * pmmp1 - (ll + m - 1) * pmm) / (ll - m)
        pmm, pmmp1 = pmmp1, pll
    return pmmp1


@program(lambda: (0.4, np.array([0.3, -0.2, 0.5, 0.1, -0.4])))
def clenshaw(x, c):
    b1 = b2 = 0.0
    for k in range(len(c) - 1, 0, -1):
        b1, b2 = 2.0 * x * b1 - b2 + c[k], b1
    return x * b1 - b2 + c[0]


@program(
    lambda: (0.45, np.array([0.0, 0.0, 0.0, 0.0, 0.3, 0.6, 1.0, 1.0, 1.0, 1.0]), np.array([1.0, 0, 2, -1, 0.5, 1]))
)
def de_boor(x, t, c):
    p = 3
    k = p
    while k < len(c) - 1 and x >= t[k + 1]:
        k += 1
    d = [c[j + k - p] for j in range(p + 1)]
    for r in range(1, p + 1):
        for j in range(p, r - 1, -1):
            alpha = (x - t[j + k - p]) / (t[j + 1 + k - r] - t[j + k - p])
            d[j] = (1.0 - alpha) * d[j - 1] + alpha * d[j]
    return d[p]


@program(
    lambda: (np.array([0.0, 0.8, 1.5, 2.7, 3.1]), np.array([1.0, 0.2, -0.5, 0.4, 0.9]), np.array([0.3, 1.1, 2.9])),
    jitted=True,
)
def natural_cubic_spline(x, y, at):
    n = x.size
    y2 = np.zeros(n)
    u = np.zeros(n)
    for i in range(1, n - 1):
        sig = (x[i] - x[i - 1]) / (x[i + 1] - x[i - 1])
        p = sig * y2[i - 1] + 2.0
        y2[i] = (sig - 1.0) / p
        u[i] = (y[i + 1] - y[i]) / (x[i + 1] - x[i]) - (y[i] - y[i - 1]) / (x[i] - x[i - 1])
        u[i] = (6.0 * u[i] / (x[i + 1] - x[i - 1]) - sig * u[i - 1]) / p
    for k in range(n - 2, -1, -1):
        y2[k] = y2[k] * y2[k + 1] + u[k]
    out = np.empty_like(at)
    for q in range(at.size):
        lo, hi = 0, n - 1
        while hi - lo > 1:
            mid = (hi + lo) >> 1
            if x[mid] > at[q]:
                hi = mid
            else:
                lo = mid
        h = x[hi] - x[lo]
        a = (x[hi] - at[q]) / h
        b = (at[q] - x[lo]) / h
        out[q] = a * y[lo] + b * y[hi] + ((a**3 - a) * y2[lo] + (b**3 - b) * y2[hi]) * (h * h) / 6.0
    return out


@program(lambda: (0.6, 1.3))
def elliptic_integrals_by_means(k, phi):
    """K and E by the arithmetic-geometric mean, and F by Landen's descent."""
    a, b, c = 1.0, math.sqrt(1.0 - k * k), k
    total, power = 0.5 * c * c, 1.0
    turns = phi
    while abs(c) > 1e-15:
        turns += math.atan(b / a * math.tan(turns)) + math.pi * math.floor(turns / math.pi + 0.5)
        a, b, c = 0.5 * (a + b), math.sqrt(a * b), 0.5 * (a - b)
        total += power * c * c
        power *= 2.0
    complete = math.pi / (2.0 * a)
    return complete, complete * (1.0 - total), turns / (power * a)


LANCZOS = (
    676.5203681218851,
    -1259.1392167224028,
    771.32342877765313,
    -176.61502916214059,
    12.507343278686905,
    -0.13857109526572012,
    9.9843695780195716e-6,
    1.5056327351493116e-7,
)


@program(lambda: (2.7,))
def gamma_by_lanczos(z):
    if z < 0.5:
        return math.pi / (math.sin(math.pi * z) * gamma_by_lanczos(1.0 - z))
    z -= 1.0
    x = 0.99999999999980993
    for i, pval in enumerate(LANCZOS):
        x += pval / (z + i + 1)
    t = z + len(LANCZOS) - 0.5
    return math.sqrt(2 * math.pi) * t ** (z + 0.5) * math.exp(-t) * x


@numba.njit
def bessel_j(n, x):
    term = 1.0
    for k in range(1, n + 1):
        term *= 0.5 * x / k
    total, k = term, 0
    while abs(term) > 1e-18 * abs(total):
        k += 1
        term *= -0.25 * x * x / (k * (k + n))
        total += term
    return total


@program(lambda: (2.3, 0.7))
def ring_pattern(x, a):
    rings = 0.0
    for n in range(4):
        rings += bessel_j(n, x) ** 2 * math.cos(n * a)
    return rings


@program(lambda: (np.array([0.2, -0.5, 1.1]), 5))
def hermite_functions(x, n):
    psi = np.zeros((n, x.size))
    psi[0] = np.pi**-0.25 * np.exp(-0.5 * x**2)
    psi[1] = np.sqrt(2.0) * x * psi[0]
    for k in range(2, n):
        psi[k] = np.sqrt(2.0 / k) * x * psi[k - 1] - np.sqrt((k - 1) / k) * psi[k - 2]
    return psi


@program(lambda: (0.3, 0.4, 5))
def displacement_operator(r, phi, cutoff):
    """Fock matrix elements of a displacement, by their recursion; complex inside, probabilities outside."""
    alpha = r * np.exp(1j * phi)
    D = np.zeros((cutoff, cutoff), dtype=np.complex128)
    D[0, 0] = np.exp(-0.5 * r**2)
    for m in range(1, cutoff):
        D[m, 0] = alpha / np.sqrt(m) * D[m - 1, 0]
    for m in range(cutoff):
        for n in range(1, cutoff):
            D[m, n] = -np.conj(alpha) / np.sqrt(n) * D[m, n - 1]
            if m > 0:
                D[m, n] += np.sqrt(m / n) * D[m - 1, n - 1]
    return np.abs(D + 0.3 * D.T) ** 2, (D[1, 2] * D[0, 1]).imag
