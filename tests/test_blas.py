"""Matrix products over BLAS: every layout, size and dtype against NumPy, and their adjoints against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from srcgrad import grad, hessian, jit, jvp

RNG = np.random.default_rng(2)


def layouts(m: int, n: int, dtype: type) -> list[np.ndarray]:
    a = RNG.normal(size=(m, n)).astype(dtype)
    wide = RNG.normal(size=(m, 2 * n)).astype(dtype)
    return [a, np.asfortranarray(a), wide[:, :n], wide[:, ::2], a[::-1], np.broadcast_to(a[:1], (m, n))]


@jit
def product(a, b):
    return a @ b


@grad(argnums=(0, 1))
def squares(a, b):
    return np.sum((a @ b) ** 2)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("size", [(2, 3, 4), (20, 30, 10), (1, 40, 50), (50, 40, 1), (0, 3, 2), (3, 0, 2)])
def test_values(size: tuple[int, int, int], dtype: type) -> None:
    m, k, n = size
    for a in layouts(m, k, dtype):
        b = RNG.normal(size=(k, n)).astype(dtype)
        for other in (b, np.asfortranarray(b)):
            found = product(a, other)
            assert found.dtype == dtype
            np.testing.assert_allclose(found, a @ b, rtol=1e-4 if dtype is np.float32 else 1e-11, atol=1e-4)


@pytest.mark.parametrize("size", [(2, 3, 4), (20, 30, 10)])
def test_adjoints(size: tuple[int, int, int]) -> None:
    m, k, n = size
    for a in layouts(m, k, np.float64)[:4]:
        b = RNG.normal(size=(k, n))
        a_bar, b_bar = squares(a, b)
        np.testing.assert_allclose(a_bar, 2 * (a @ b) @ b.T, rtol=1e-10)
        np.testing.assert_allclose(b_bar, 2 * a.T @ (a @ b), rtol=1e-10)


def test_the_adjoint_is_two_products_of_transposes() -> None:
    text = squares.backward_source(np.ones((2, 2)), np.ones((2, 2)))
    assert text.count("product(") == 4  # the definition, the product itself, and one for each operand
    assert ".T" in text


def test_second_order_and_forward() -> None:
    def f(a, b):
        return np.sum(np.sin(a @ b) * (a.T @ a)[0, 0])

    a, b = RNG.normal(size=(3, 2)), RNG.normal(size=(2, 4))
    direction = RNG.normal(size=(3, 2))
    gradient = grad(f, jit=False)
    np.testing.assert_allclose(jvp(f, (a, b), (direction, 0 * b), jit=False)[1], np.sum(gradient(a, b) * direction))
    difference = (gradient(a + 1e-5 * direction, b) - gradient(a - 1e-5 * direction, b)) / 2e-5
    along = np.tensordot(hessian(f, jit=False)(a, b), direction, 2)
    np.testing.assert_allclose(along, difference, rtol=1e-6, atol=1e-7)


def test_a_carried_matrix() -> None:
    def f(p, a):
        total = 0.0
        for _ in range(4):
            p = a @ p @ a.T
            total += p[0, 1] ** 2
        return total

    p, a = np.eye(3), RNG.normal(size=(3, 3))
    gradients = grad(f, argnums=(0, 1), jit=False)(p, a)
    for k, x in enumerate((p, a)):
        step = RNG.normal(size=(3, 3)) * 1e-6
        ahead, back = ([p, a] for _ in range(2))
        ahead[k], back[k] = x + step, x - step
        np.testing.assert_allclose(np.sum(gradients[k] * step), (f(*ahead) - f(*back)) / 2, rtol=1e-6)


def test_an_operand_that_is_overwritten() -> None:
    def f(a, b):
        work = a.copy()
        total = 0.0
        for i in range(3):
            c = work @ b
            work[:, 0] = c[:, 0] * c[:, 1]
            total += np.sum(c * c) * i
        return total

    a, b = RNG.normal(size=(3, 2)) * 0.5, RNG.normal(size=(2, 2)) * 0.5
    for k, x in enumerate((a, b)):
        step = RNG.normal(size=x.shape) * 1e-6
        ahead, back = ([a, b] for _ in range(2))
        ahead[k], back[k] = x + step, x - step
        found = grad(f, argnums=k, jit=False)(a, b)
        np.testing.assert_allclose(np.sum(found * step), (f(*ahead) - f(*back)) / 2, rtol=1e-5)
