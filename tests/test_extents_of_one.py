"""Extents that turn out to be 1 where they meet others: the first attempt takes them to be equal."""

from __future__ import annotations

import threading

import numba
import numpy as np
import pytest

import srcgrad
from srcgrad import grad, hessian, jacfwd, jacrev, jvp, value_and_grad, vjp

LONG, ONE, TABLE = np.array([0.5, 2.0, 1.5]), np.array([0.7]), np.arange(1.0, 7.0).reshape(2, 3)


def weighted(x, w):
    return np.sum(np.exp(x) * w)


def weighted_elements(x, w):
    return np.exp(x) * w


def centred(x, m):
    y = x - m
    y *= m
    return np.sum(y**2 * x)


def both(x, w):
    return weighted(x, w), weighted(w, x)


PAIRS = [(LONG, LONG[::-1].copy()), (LONG, ONE), (ONE, LONG), (ONE, ONE)]
TABLES = [(TABLE, TABLE[:1].copy()), (TABLE, TABLE[:, :1].copy()), (TABLE, TABLE[:1, :1].copy()), (TABLE, TABLE + 1.0)]


@pytest.mark.parametrize("jit", [False, True], ids=["plain", "compiled"])
def test_one_object_takes_all(jit: bool) -> None:
    g = value_and_grad(weighted, argnums=(0, 1), jit=jit)
    for x, w in (*PAIRS, *PAIRS):
        value, (x_bar, w_bar) = g(x, w)
        assert value == pytest.approx(weighted(x, w), rel=1e-12)
        np.testing.assert_allclose(x_bar, np.exp(x) * w if x.size >= w.size else [np.exp(x[0]) * w.sum()], rtol=1e-12)
        slope = np.broadcast_to(np.exp(x), w.shape) if w.size >= x.size else [np.exp(x).sum()]
        np.testing.assert_allclose(w_bar, slope, rtol=1e-12)


@pytest.mark.parametrize("pair", [*PAIRS[:3:2], *TABLES], ids=lambda pair: f"{pair[0].shape}{pair[1].shape}")
def test_all_modes(pair: tuple[np.ndarray, np.ndarray]) -> None:
    f = weighted if pair[0].size < pair[1].size else centred
    srcgrad.check_grads(f, pair, order=2, jit=False)


def test_halves_of_a_pullback_are_of_one_program() -> None:
    for x, w in PAIRS:
        value, pullback = vjp(both, x, w, jit=False)
        assert value == pytest.approx(both(x, w), rel=1e-12)
        x_bar, w_bar = pullback((1.0, 2.0))
        expected = grad(lambda x, w: weighted(x, w) + 2.0 * weighted(w, x), argnums=(0, 1), jit=False)(x, w)
        np.testing.assert_allclose(x_bar, expected[0], rtol=1e-12)
        np.testing.assert_allclose(w_bar, expected[1], rtol=1e-12)


def test_derivatives_of_derivatives() -> None:
    inner = grad(weighted, jit=False)

    def outer(x, w):
        return np.sum(inner(x, w) ** 2)

    for x, w in PAIRS:
        srcgrad.check_grads(outer, (x, w), jit=False)
    np.testing.assert_allclose(hessian(weighted, jit=False)(ONE, LONG), [[np.exp(0.7) * LONG.sum()]], rtol=1e-12)
    np.testing.assert_allclose(jacrev(lambda x, w: x * w, jit=False)(ONE, LONG), LONG[:, None], rtol=1e-12)
    _, tangent = jvp(weighted, (ONE, LONG), (np.ones(1), np.zeros(3)), jit=False)
    assert tangent == pytest.approx(np.exp(0.7) * LONG.sum(), rel=1e-12)


@pytest.mark.parametrize("name", ["as made", "by columns", "every second"])
def test_jacobians_of_one_object(name: str) -> None:
    laid = {"as made": np.array, "by columns": np.asfortranarray, "every second": lambda x: np.repeat(x, 2, axis=-1)}
    cut = slice(None, None, 2) if name == "every second" else slice(None)
    slopes, curvature = jacfwd(weighted_elements, jit=False), hessian(centred, jit=False)
    for x, w in (*PAIRS, *TABLES, *((w, x) for x, w in TABLES)) * 2:
        at = laid[name](x)[..., cut]
        expected = jacrev(weighted_elements, jit=False)(x, w)
        np.testing.assert_allclose(slopes(at, w), expected, rtol=1e-12)
        if x.size >= w.size:
            expected = jacrev(grad(centred, jit=False), jit=False)(x, w)
            np.testing.assert_allclose(curvature(at, w), expected, rtol=1e-12)


@pytest.mark.parametrize("jit", [False, True], ids=["plain", "compiled"])
def test_writes_happen_once(jit: bool) -> None:
    def add_twice(x, w):
        x += 1.0
        x += w

    for x, w in ((LONG, ONE), (LONG, LONG)):
        changed = x.copy()
        srcgrad.jit(add_twice, jit=jit)(changed, w)
        np.testing.assert_allclose(changed, x + 1.0 + w, rtol=1e-15)


def test_a_check_in_a_loop_that_stays() -> None:
    """The mirror of the loop checks again, but what the loop writes is read, and it runs first."""

    def filled(x, a):
        for _ in range(1, a.shape[0]):
            _ = a[[-4, -1, 2]]
            a[:] = np.outer(x, x)
        return np.sum(a * a)

    gradient = grad(filled, argnums=(0, 1), jit=False)
    by_x, by_a = gradient(ONE, np.ones((4, 2)))
    np.testing.assert_allclose(by_x, 8 * 4 * ONE**3, rtol=1e-14)
    np.testing.assert_array_equal(by_a, np.zeros((4, 2)))
    with pytest.raises(ValueError, match="extent"):
        gradient(np.ones(3), np.ones((4, 2)))


def test_inside_numba() -> None:
    g = grad(weighted)

    @numba.njit
    def called(x, w):
        return g(x, w)

    np.testing.assert_allclose(called(ONE, LONG), [np.exp(0.7) * LONG.sum()], rtol=1e-12)
    np.testing.assert_allclose(called(LONG, ONE), np.exp(LONG) * 0.7, rtol=1e-12)


def test_extents_made_inside() -> None:
    def f(x, n):
        return np.sum(x * (np.ones(n) + x[:n]))

    g = grad(f, jit=False)
    np.testing.assert_allclose(g(LONG, 3), 1.0 + 2.0 * LONG, rtol=1e-12)
    np.testing.assert_allclose(g(LONG, 1), 1.0 + LONG[0] + LONG.sum() * np.array([1.0, 0.0, 0.0]), rtol=1e-12)


@pytest.mark.parametrize("jit", [False, True], ids=["plain", "compiled"])
def test_unequal_extents_are_refused(jit: bool) -> None:
    g = grad(weighted, jit=jit)
    for x, w in ((LONG, LONG[:2]), (LONG[:2], LONG), (LONG[:0], LONG)):
        with pytest.raises(ValueError, match="could not be broadcast together"):
            g(x, w)
    np.testing.assert_allclose(g(LONG, ONE), np.exp(LONG) * 0.7, rtol=1e-12)


def test_known_extents_of_one_need_no_strides() -> None:
    g = grad(centred, argnums=1, jit=False)
    for x, m in TABLES:
        srcgrad.check_grads(lambda m, x=x: centred(x, m), (m,), jit=False, order=1)
        assert g(x, m).shape == m.shape
        assert "if m.shape[0] == 1" not in g.source(x, m)
        np.testing.assert_array_equal(g(x, m), g(x, m))
    assert "m[0, j]" in g.source(*TABLES[0])


def spread(y, w, n):
    """Writes to what it is given, and returns a number."""
    if n == 0:
        return np.sum(y)
    y += w * n
    y[0] *= y[-1]
    return spread(y, w, n - 1) * 0.5 + np.sum(y * w)


def test_recursion_that_writes() -> None:
    def f(x, w):
        y = x * w
        return spread(y, w, 2) * np.sum(y)

    g = grad(f, argnums=(0, 1), jit=False)
    curvature = hessian(f, jit=False)
    for x, w in (*TABLES, (TABLE[:1], TABLE[:1] + 1.0), (TABLE[:1, :1], TABLE[1:, 1:2])):
        for k, got in enumerate(g(x, w)):
            np.testing.assert_allclose(got, jacfwd(f, argnums=k, jit=False)(x, w), rtol=1e-12)
        expected = jacfwd(lambda x, w=w: g(x, w)[0], jit=False)(x)
        np.testing.assert_allclose(curvature(x, w), expected, rtol=1e-12)


def test_draws_are_made_once() -> None:
    def f(x, w):
        return np.sum(np.random.normal() * x * w)

    np.random.seed(5)
    gradient = grad(f, jit=False)(LONG, ONE)
    np.random.seed(5)
    np.testing.assert_allclose(gradient, np.full(3, 0.7 * np.random.normal()), rtol=1e-12)


def test_two_threads() -> None:
    found: dict[int, np.ndarray] = {}

    def work(k: int) -> None:
        for x, w in PAIRS[k:] + PAIRS[:k]:
            _, pullback = vjp(weighted, x, w, jit=False)
            found[k] = pullback(1.0)[1] - (np.exp(x) if w.size >= x.size else np.exp(x).sum())

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.max(np.abs(error)) < 1e-12 for error in found.values())
    assert len(found) == 4
