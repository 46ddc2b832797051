"""Windows, phases made continuous, polynomials of given roots, points of quadrature; numbers as arrays."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import confirm

X = np.array([0.3, 2.9, 5.1, 4.4, -3.0, 1.0])


@pytest.mark.parametrize("name", ["hanning", "hamming", "blackman", "bartlett"])
def test_windows(name):
    window = getattr(np, name)
    confirm(lambda x, n: window(n) @ x[:n] + window(1)[0] * x[0], X, 6)


def test_kaiser():
    confirm(lambda x, b: np.sum(np.kaiser(6, b) * x), X, 2.3)


def test_unwrap():
    confirm(lambda x: np.sum(np.unwrap(x) ** 2), X)
    confirm(lambda x: np.unwrap(3.0 * x.reshape(2, 3), axis=0, period=4.0), X, order=1)
    confirm(lambda x: np.unwrap(2.0 * x, discont=4.0), X, order=1)


def test_poly():
    confirm(lambda x: np.poly(x), X[:4], order=1)


@pytest.mark.parametrize(
    "rule",
    [
        np.polynomial.legendre.leggauss,
        np.polynomial.hermite.hermgauss,
        np.polynomial.hermite_e.hermegauss,
        np.polynomial.laguerre.laggauss,
        np.polynomial.chebyshev.chebgauss,
    ],
)
def test_quadrature(rule):
    def integral(a):
        points, weights = rule(7)
        return np.sum(weights * np.cos(a * points))

    confirm(integral, 0.7)


def test_a_number_takes_another_shape():
    confirm(lambda x: np.squeeze(x * x) + np.sum(np.reshape(x, (1, 1)) * x) + np.ravel(x)[0] ** 3, 0.7)
    confirm(lambda x: np.squeeze([x * x for _ in range(3)]) * 2.0, 0.7, order=1)
