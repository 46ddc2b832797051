"""Roots of polynomials beside closed forms, differences and NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from srcgrad import grad, hessian, jit, value_and_grad
from srcgrad.testing import check_grads


def largest_volume(a: float, b: float) -> float:
    """The largest real root of a cubic equation of state."""
    roots = np.roots([1.0, -(1.0 - b), a - 3.0 * b * b - 2.0 * b, -(a * b - b * b - b**3)])
    best = 0.0
    for root in roots:
        if abs(root.imag) < 1e-10 and root.real > best:
            best = root.real
    return best


def of_all(p: np.ndarray) -> float:
    """Depends on all roots, but not on their order."""
    z = np.roots(p)
    return float(np.sum(z.real**3) + np.sum(np.abs(z) ** 2) + np.sum(z.imag**4))


def test_a_cubic_equation_of_state() -> None:
    value, (by_a, by_b) = value_and_grad(largest_volume, argnums=(0, 1), jit=False)(0.25, 0.04)
    h = 1e-6
    assert value == pytest.approx(largest_volume(0.25, 0.04), rel=1e-12)
    assert by_a == pytest.approx((largest_volume(0.25 + h, 0.04) - largest_volume(0.25 - h, 0.04)) / (2 * h), rel=1e-6)
    assert by_b == pytest.approx((largest_volume(0.25, 0.04 + h) - largest_volume(0.25, 0.04 - h)) / (2 * h), rel=1e-6)


@pytest.mark.parametrize("p", [[1.0, -3.3, 1.1, 0.2], [2.0, 0.5, 1.5, -0.3, 0.7], [0.0, 0.0, 1.5, -2.0, 3.0]])
def test_all_roots_in_both_modes(p: list[float]) -> None:
    active = np.array(p)
    start = int(np.argmax(active != 0))
    assert jit(of_all, jit=False)(active) == pytest.approx(of_all(active), rel=1e-11)

    def of_others(q: np.ndarray) -> float:
        return of_all(np.concatenate((np.zeros(start), q)))

    check_grads(of_others, (active[start:],), order=2, modes=("fwd", "rev"), jit=False)


def test_the_second_derivative_of_a_square_root() -> None:
    def f(a: float) -> float:
        return np.roots(np.array([1.0, 0.0, -a])).real.max()

    assert grad(f, jit=False)(2.0) == pytest.approx(0.5 / np.sqrt(2.0))
    assert hessian(f, jit=False)(2.0) == pytest.approx(-0.25 * 2.0**-1.5)


def test_zeros_at_both_ends() -> None:
    p = np.array([0.0, 2.0, -3.0, 1.0, 0.0, 0.0])
    assert np.allclose(jit(lambda q: np.roots(q), jit=False)(p), np.roots(p))
    assert np.allclose(jit(lambda q: np.polynomial.polynomial.polyroots(q), jit=False)(p[1:4]), [1.0, 2.0])


def test_compiled() -> None:
    p = np.array([1.0, -3.3, 1.1, 0.2])
    assert np.allclose(grad(of_all)(p), grad(of_all, jit=False)(p), rtol=1e-10)
