"""Functions made by numba.vectorize, numba.guvectorize and numba.stencil, called and differentiated."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest

from srcgrad import UnsupportedError, grad, jit
from srcgrad.testing import check_grads

X = np.array([0.5, -1.25, 2.0, 0.75, 1.5])
TABLE = np.array([[1.0, 0.5, 2.0], [0.25, -1.0, 3.0]])


@numba.vectorize
def branching(x, y):
    if x > 0.0:
        return x * y + math.sin(x)
    return y * y


@numba.vectorize(["float32(float32, float32)", "float64(float64, float64)"])
def signed(x, y):
    t = x
    for _ in range(3):
        t = t * y + x
    return t


@numba.guvectorize([(numba.float64[:], numba.float64[:], numba.float64[:])], "(n),(n)->()")
def inner(x, y, result):
    t = 0.0
    for i in range(x.shape[0]):
        t += x[i] * y[i] * y[i]
    result[0] = t


@numba.guvectorize([(numba.float64[:], numba.float64, numba.float64[:])], "(n),()->(n)")
def decay(x, rate, result):
    result[0] = x[0]
    for i in range(1, x.shape[0]):
        result[i] = rate * result[i - 1] + x[i]


@numba.guvectorize([(numba.float64[:], numba.float64[:], numba.float64[:], numba.float64[:])], "(n),(m)->(),(m)")
def two_results(x, y, total, outer):
    total[0] = x.sum() * y.sum()
    for j in range(y.shape[0]):
        outer[j] = x[0] * y[j]


@numba.stencil
def smooth(a):
    return 0.25 * (a[-1] + 2 * a[0] * a[1])


@numba.stencil(cval=2.0)
def cross(a, w):
    return a[0, -1] * w[0, 0] + a[1, 0] + a[-1, 2]


@numba.stencil(neighborhood=((-2, 0),), standard_indexing=("w",))
def weighted(a, w):
    t = 0.0
    for k in range(-2, 1):
        t += a[k] * w[k + 2]
    return t


def test_vectorize_has_the_values_of_numba():
    y = X[::-1].copy()
    np.testing.assert_allclose(jit(lambda x, y: branching(x, y), jit=False)(X, y), branching(X, y))
    np.testing.assert_allclose(jit(lambda x: signed(x, 0.5), jit=False)(X), signed(X, 0.5))
    single = jit(lambda x: signed(x, x), jit=False)(X.astype(np.float32))
    assert single.dtype == np.float32
    whole = jit(lambda k: signed(k, k), jit=False)(np.arange(3))
    assert whole.dtype == np.float64


def test_vectorize_is_differentiated():
    check_grads(branching, (0.5, 2.0), order=2, jit=False)
    check_grads(lambda x, y: np.sum(branching(x, y) ** 2), (X, X + 3.0), order=2, jit=False)
    check_grads(lambda x, y: branching(x[:, None], y), (X, X + 3.0), jit=False)
    check_grads(lambda x: np.sum(signed(x, 0.5) * x), (X,), order=2, jit=False)


def into_memory(x):
    result = np.empty_like(x)
    branching(x, 2.0, out=result)
    return np.sum(result * result)


def test_vectorize_writes_to_out():
    assert jit(into_memory, jit=False)(X) == pytest.approx(into_memory(X))
    check_grads(into_memory, (X,), jit=False)


@pytest.mark.parametrize("f", [inner, decay, two_results], ids=["inner", "decay", "two results"])
@pytest.mark.parametrize("looped", [False, True])
def test_guvectorize(f, looped):
    second = 0.5 if f is decay else TABLE[1] * 2.0
    arguments = (TABLE, np.array([0.5, 0.25]) if f is decay else TABLE * 2.0) if looped else (TABLE[0], second)

    def call(a, b):
        return f(a, b)

    ours, theirs = jit(call, jit=False)(*arguments), f(*arguments)
    for got, wanted in zip(*[(r if isinstance(r, tuple) else (r,)) for r in (ours, theirs)], strict=True):
        np.testing.assert_allclose(got, wanted)
        assert np.shape(got) == np.shape(wanted)
    check_grads(call, arguments, jit=False)


def filled_by_guvectorize(x):
    result = np.zeros(2)
    inner(x, x, result)
    return result[0] * result[1]


def test_guvectorize_writes_to_its_argument():
    check_grads(filled_by_guvectorize, (TABLE,), jit=False)


def test_guvectorize_over_two_axes_is_refused():
    with pytest.raises(UnsupportedError, match=r"inner\(\) with keywords"):
        grad(lambda x: np.sum(inner(x, x)), jit=False)(np.ones((2, 2, 3)))


def test_stencils_have_the_values_of_numba():
    np.testing.assert_allclose(jit(lambda x: smooth(x), jit=False)(X), smooth(X))
    large = np.arange(30.0).reshape(5, 6) ** 1.5
    np.testing.assert_allclose(jit(lambda x: cross(x, x), jit=False)(large), cross(large, large))
    w = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(jit(lambda x, w: weighted(x, w), jit=False)(X, w), weighted(X, w))
    np.testing.assert_allclose(jit(lambda x: smooth(x), jit=False)(X[:1]), smooth(X[:1]))


def test_stencils_are_differentiated():
    check_grads(lambda x: np.sum(smooth(x) ** 2), (X,), order=2, jit=False)
    check_grads(lambda x: cross(x, x * x), (np.arange(30.0).reshape(5, 6) / 7,), jit=False)
    check_grads(lambda x, w: weighted(x, w), (X, np.array([1.0, 2.0, 3.0])), jit=False)


def diffused(x):
    for _ in range(3):
        x = smooth(x)
    return np.sum(x * x)


def test_jitted():
    check_grads(diffused, (X,), order=2)
    check_grads(lambda x: np.sum(inner(x, x) * branching(x[:, 0], x[:, 1])), (TABLE,))
