"""Distances of umap-learn: each has a twin `*_grad` that also returns the gradient by the first argument."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad

distances = pytest.importorskip("umap.distances")
pytestmark = pytest.mark.packages

RANDOM = np.random.default_rng(0)
X, Y, SIGMA = (RANDOM.uniform(0.2, 1.0, 5) for _ in range(3))
SQUARE = RANDOM.standard_normal((5, 5))
EXTRA = {
    "minkowski": (2.5,),
    "weighted_minkowski": (SIGMA, 2.5),
    "standardised_euclidean": (SIGMA,),
    "mahalanobis": (SQUARE @ SQUARE.T + np.eye(5),),
}
# Their gradients are kept in float32 where they hold sums in arrays, and divide by distance + 1e-6.
NAMES = ["euclidean", "manhattan", "chebyshev", "canberra", "bray_curtis", "cosine", "correlation", "hellinger", *EXTRA]


@pytest.mark.parametrize("name", NAMES)
def test_distance(name: str) -> None:
    distance, theirs = getattr(distances, name), getattr(distances, f"{name}_grad")
    arguments = (X, Y, *EXTRA.get(name, ()))
    value, gradient = srcgrad.value_and_grad(distance, jit=False)(*arguments)
    expected, by_hand = theirs(*arguments)
    assert value == pytest.approx(expected, rel=1e-5)
    np.testing.assert_allclose(gradient, by_hand, rtol=2e-4, atol=1e-5)
