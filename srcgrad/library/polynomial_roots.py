"""Roots of polynomials: eigenvalues of the companion matrix, with the derivatives of the implicit function theorem.

Two steps of Newton's method carry derivatives up to the third order, as in ``root_finding``. Real coefficients give
complex roots, too, as ``np.linalg.eigvals`` does here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from srcgrad.annotations.custom import stop_gradient
from srcgrad.primitives.library import library

Array = NDArray[np.floating]
Complex = NDArray[np.complexfloating]


@library(np.roots)
def roots(p: Array) -> Complex:
    p = np.asarray(p)
    n = p.shape[0]
    first, end = 0, n
    while first < n and p[first] == 0.0:
        first += 1
    while end > first and p[end - 1] == 0.0:
        end -= 1
    found = np.zeros(max(n - first - 1, 0), np.complex128)
    nonzero = p[first:end]
    count = end - first - 1
    if count > 0:
        eigenvalues: Complex = np.linalg.eigvals(companion(nonzero)).astype(np.complex128)
        found[:count] = with_derivatives(nonzero, stop_gradient(eigenvalues))
    return found


def companion(p: Array) -> Array:
    n = p.shape[0] - 1
    matrix = np.zeros((n, n), p.dtype)
    for k in range(n):
        matrix[0, k] = -p[k + 1] / p[0]
    for k in range(n - 1):
        matrix[k + 1, k] = 1.0
    return matrix


def with_derivatives(p: Array, found: Complex) -> Complex:
    out = np.empty_like(found)
    for k in range(found.shape[0]):
        start = found[k]
        z = start
        for _ in range(2):
            y, slope = p[0] + 0.0j, 0.0j
            for i in range(1, p.shape[0]):
                slope = slope * z + y
                y = y * z + p[i]
            z = z - y / slope
        out[k] = start + (z - stop_gradient(z))
    return out


@library(np.polynomial.polynomial.polyroots)
def polyroots(c: Array) -> Complex:
    return np.sort(roots(np.asarray(c)[::-1]))
