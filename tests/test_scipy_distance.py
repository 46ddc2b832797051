"""Distances of ``scipy.spatial.distance`` beside SciPy's values and differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial import distance

from srcgrad import grad, jit
from srcgrad.errors import Error
from srcgrad.testing import check_grads

Array = np.ndarray
U, V, W = np.array([0.3, 1.2, -0.7, 2.0]), np.array([0.5, 0.1, 0.6, 1.4]), np.array([0.5, 1.0, 2.0, 0.3])
TABLE = np.sqrt(np.arange(1.0, 13.0)).reshape(4, 3) * np.array([1.0, -1.0, 0.5])

VECTORS: list[Callable[..., float]] = [
    lambda u, v: distance.euclidean(u, v),
    lambda u, v: distance.euclidean(u, v, w=W),
    lambda u, v: distance.sqeuclidean(u, v, W),
    lambda u, v: distance.minkowski(u, v),
    lambda u, v: distance.minkowski(u, v, 3),
    lambda u, v: distance.minkowski(u, v, p=1.5, w=W),
    lambda u, v: distance.cityblock(u, v, W),
    lambda u, v: distance.chebyshev(u, v),
    lambda u, v: distance.canberra(u, v, W),
    lambda u, v: distance.braycurtis(u, v, W),
    lambda u, v: distance.cosine(u, v),
    lambda u, v: distance.cosine(u, v, W),
    lambda u, v: distance.correlation(u, v),
    lambda u, v: distance.correlation(u, v, W, centered=True),
    lambda u, v: distance.mahalanobis(u, v, np.diag(W)),
    lambda u, v: distance.seuclidean(u, v, W),
    lambda u, v: distance.jensenshannon(u**2, v**2),
    lambda u, v: distance.jensenshannon(u**2, v**2, 2.0),
]


@pytest.mark.parametrize("f", VECTORS)
def test_of_two_vectors(f: Callable[..., float]) -> None:
    assert jit(f, jit=False)(U, V) == pytest.approx(f(U, V), rel=1e-12)
    check_grads(f, (U, V), order=1, modes=("fwd", "rev"), jit=False)


def test_hamming_counts() -> None:
    u = np.array([1.0, 2.0, 3.0, 4.0])
    v = np.array([1.0, 0.0, 3.0, 5.0])
    f = jit(lambda a, b: distance.hamming(a, b) + 10.0 * distance.hamming(a, b, W), jit=False)
    assert f(u, v) == pytest.approx(distance.hamming(u, v) + 10.0 * distance.hamming(u, v, W))


TABLES: list[Callable[[Array], Array]] = [
    lambda x: distance.cdist(x, x[:2] * 1.3),
    lambda x: distance.cdist(x, x[:2] * 1.3, "cityblock"),
    lambda x: distance.cdist(x, x[:2] * 1.3, metric="minkowski", p=3),
    lambda x: distance.cdist(x, x[:2] * 1.3, "seuclidean", V=W[:3]),
    lambda x: distance.cdist(x, x[:2] * 1.3, lambda u, v: np.sum(u * v)),
    lambda x: distance.pdist(x),
    lambda x: distance.pdist(x, "sqeuclidean"),
    lambda x: distance.squareform(distance.pdist(x, "cosine")),
    lambda x: distance.squareform(x[:, :3][:3] + x[:3].T - np.diag(2.0 * np.diag(x[:3])), checks=False),
]


@pytest.mark.parametrize("f", TABLES)
def test_of_all_pairs(f: Callable[[Array], Array]) -> None:
    assert np.allclose(jit(f, jit=False)(TABLE), f(TABLE), rtol=1e-12, atol=1e-15)
    check_grads(lambda x: np.sum(np.sin(f(x))), (TABLE,), order=1, modes=("fwd", "rev"), jit=False)


def test_points_that_meet() -> None:
    """The distance of a point from itself has the derivative 0, and `canberra` no term for two zeros."""
    assert np.array_equal(grad(lambda u: distance.euclidean(u, U), jit=False)(U), np.zeros(4))
    meeting = grad(lambda x: np.sum(distance.cdist(x, x)), jit=False)(TABLE)
    assert np.all(np.isfinite(meeting))
    zeros = grad(lambda u: distance.canberra(u, V * np.array([0.0, 1, 1, 1])), jit=False)
    assert np.all(np.isfinite(zeros(U * np.array([0.0, 1, 1, 1]))))


def test_compiled() -> None:
    def f(x: Array) -> float:
        return np.sum(distance.squareform(distance.pdist(x)) ** 3)

    assert np.allclose(grad(f)(TABLE), grad(f, jit=False)(TABLE), rtol=1e-10)


def test_refused() -> None:
    with pytest.raises(Error, match="the metrics here are"):
        jit(lambda x: distance.pdist(x, "yule"), jit=False)(TABLE)
    with pytest.raises(ValueError, match="n choose 2"):
        jit(lambda x: distance.squareform(x), jit=False)(np.ones(4))
