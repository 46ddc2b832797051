"""k-means: the sum of squared distances to the nearest centroids, and the step of Newton's method that lowers it."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.gradbench.tasks import Array, Task
from srcgrad import grad, jit, jvp


def cost(centroids: Array, points: Array) -> float:
    n, d = points.shape
    total = 0.0
    for i in range(n):
        nearest = np.inf
        for j in range(centroids.shape[0]):
            distance = 0.0
            for a in range(d):
                distance += (points[i, a] - centroids[j, a]) ** 2
            if distance < nearest:
                nearest = distance
        total += nearest
    return total


gradient = grad(cost)


def newton_step(centroids: Array, points: Array) -> Array:
    """The Hessian is diagonal, so that its product with ones is all of it; forward over reverse gives both."""
    slope, curvature = jvp(gradient, (centroids, points), (np.ones_like(centroids), None))
    return slope / curvature  # type: ignore[operator]  # arrays, as what jvp differentiates returns


def prepare(given: dict[str, Any]) -> tuple[Array, Array]:
    return np.array(given["centroids"], dtype=float), np.array(given["points"], dtype=float)


TASKS = {"cost": Task(prepare, jit(cost)), "dir": Task(prepare, jit(newton_step))}
