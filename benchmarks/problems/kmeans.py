"""k-means: the sum of the squared distances of points to the nearest of some centroids."""

from __future__ import annotations

import numpy as np

from benchmarks.flags import njit
from benchmarks.gradbench.kmeans import cost
from benchmarks.problem import Array, Problem


@njit
def hand(centroids: Array, points: Array) -> Array:
    n, d = points.shape
    gradient = np.zeros_like(centroids)
    for i in range(n):
        nearest, at = np.inf, 0
        for j in range(centroids.shape[0]):
            distance = 0.0
            for a in range(d):
                distance += (points[i, a] - centroids[j, a]) ** 2
            if distance < nearest:
                nearest, at = distance, j
        for a in range(d):
            gradient[at, a] += 2.0 * (centroids[at, a] - points[i, a])
    return gradient


def problem() -> Problem:
    generator = np.random.default_rng(9)
    arguments = generator.standard_normal((20, 10)), generator.standard_normal((10_000, 10))
    return Problem("k-means, 10,000 points of 10 numbers, 20 centroids", cost, arguments, 0, hand, ratio=2.0)
