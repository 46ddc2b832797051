"""`np.poly1d` beside NumPy's own objects."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from srcgrad import grad, jit
from srcgrad.testing import check_grads

Array = np.ndarray


def called(x: Array) -> float:
    p = np.poly1d(x)
    return p(0.7) * x[0] + np.sum(p(x))


def computed_with(x: Array) -> float:
    p, q = np.poly1d(x), np.poly1d([1.0, x[0]])
    s = p * q + 2.0 * p - q * 0.5 + 1.0
    return s(x[1]) + (3.0 - p)(0.3) + (-p / 2.0)(0.2)


def derived(x: Array) -> float:
    p = np.poly1d(x)
    return p.deriv()(0.3) + p.deriv(2)(0.4) * p.integ()(0.5) + p.order * p.c[0] + p.coeffs[1]


def by_its_roots(x: Array) -> float:
    p = np.poly1d(x[:3], True)
    return p(2.0) + np.sum(np.poly1d(x).r.real ** 2)


X = np.array([0.8, 0.72, -1.13, 0.2])


@pytest.mark.parametrize("f", [called, computed_with, derived, by_its_roots])
def test_values_and_derivatives(f: Callable[[Array], float]) -> None:
    assert jit(f, jit=False)(X) == pytest.approx(f(X), rel=1e-12)
    check_grads(f, (X,), order=2, modes=("fwd", "rev"), jit=False)


def test_leading_zeros_do_not_count() -> None:
    def f(x: Array) -> float:
        p = np.poly1d(x)
        q = p - np.poly1d([x[2], 3.0])
        return p.order + 0.1 * len(p) + p(0.5) + 10.0 * q.order + (q - q).order + q(2.0)

    x = np.array([0.0, 0.0, 2.0, 1.0])
    assert jit(f, jit=False)(x) == pytest.approx(f(x))


def test_compiled() -> None:
    assert np.allclose(grad(derived)(X), grad(derived, jit=False)(X), rtol=1e-12)
