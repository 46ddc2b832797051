"""Bundle adjustment: reprojection errors of points seen by cameras, and their sparse Jacobian in blocks.

A camera has 11 parameters: rotation (3, axis times angle), centre (3), focal length, principal point (2) and radial
distortion (2). An observation depends on its camera, its point (3) and its weight, 15 numbers: two reverse sweeps, one
for each coordinate of the error, give its two rows; what they have in common is computed once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.flags import plain_njit
from benchmarks.gradbench.tasks import Array, Indices, Task
from srcgrad import grad, jit

CAMERA, POINT = 11, 3
BLOCK = CAMERA + POINT + 1


@plain_njit
def reprojection(own: Array, feature: Array) -> tuple[float, float]:
    """The weighted error of an observation; ``own`` are its 15 numbers."""
    r0, r1, r2 = own[0], own[1], own[2]
    x, y, z = own[11] - own[3], own[12] - own[4], own[13] - own[5]
    square = r0 * r0 + r1 * r1 + r2 * r2
    if square != 0.0:
        angle = np.sqrt(square)
        cosine, sine = np.cos(angle), np.sin(angle)
        a, b, c = r0 / angle, r1 / angle, r2 / angle
        along = (a * x + b * y + c * z) * (1.0 - cosine)
        u = x * cosine + (b * z - c * y) * sine + a * along
        v = y * cosine + (c * x - a * z) * sine + b * along
        w = z * cosine + (a * y - b * x) * sine + c * along
    else:
        u = x + r1 * z - r2 * y
        v = y + r2 * x - r0 * z
        w = z + r0 * y - r1 * x
    u, v = u / w, v / w
    radius = u * u + v * v
    distortion = own[6] * (1.0 + own[9] * radius + own[10] * radius * radius)
    return own[14] * (u * distortion + own[7] - feature[0]), own[14] * (v * distortion + own[8] - feature[1])


@plain_njit
def take(own: Array, camera: Array, point: Array, weight: float) -> None:
    """Fills ``own`` with the numbers of an observation."""
    for a in range(CAMERA):
        own[a] = camera[a]
    for a in range(POINT):
        own[CAMERA + a] = point[a]
    own[BLOCK - 1] = weight


def errors(cameras: Array, points: Array, weights: Array, seen: Indices, features: Array) -> tuple[Array, Array]:
    """Of the observations, and of the weights, which should be 1."""
    own = np.empty(BLOCK)
    reprojected = np.empty((seen.shape[0], 2))
    for i in range(seen.shape[0]):
        take(own, cameras[seen[i, 0]], points[seen[i, 1]], weights[i])
        reprojected[i, 0], reprojected[i, 1] = reprojection(own, features[i])
    return reprojected, weight_errors(weights)


@plain_njit
def weight_errors(weights: Array) -> Array:
    return 1.0 - weights * weights


def horizontal(own: Array, feature: Array) -> float:
    return reprojection(own, feature)[0]


def vertical(own: Array, feature: Array) -> float:
    return reprojection(own, feature)[1]


by_horizontal, by_vertical = grad(horizontal), grad(vertical)
by_weights = grad(lambda weights: np.sum(weight_errors(weights)))


def blocks(cameras: Array, points: Array, weights: Array, seen: Indices, features: Array) -> tuple[Array, Array]:
    """The Jacobian's values: two rows for each observation, and a number for each weight."""
    own = np.empty(BLOCK)
    rows = np.empty((seen.shape[0], 2, BLOCK))
    for i in range(seen.shape[0]):
        take(own, cameras[seen[i, 0]], points[seen[i, 1]], weights[i])
        rows[i, 0] = by_horizontal(own, features[i])
        rows[i, 1] = by_vertical(own, features[i])
    return rows, by_weights(weights)


blocks_of = jit(blocks)


@plain_njit
def pattern(seen: Indices, cameras: int, points: int) -> tuple[Indices, Indices]:
    """Where each row starts, and the columns of all values."""
    count = seen.shape[0]
    columns = np.empty(2 * BLOCK * count + count, dtype=np.int64)
    rows = np.empty(3 * count + 1, dtype=np.int64)
    first_point = CAMERA * cameras
    first_weight = first_point + POINT * points
    for row in range(2 * count):
        i, start = row // 2, BLOCK * row
        rows[row] = start
        for a in range(CAMERA):
            columns[start + a] = CAMERA * seen[i, 0] + a
        for a in range(POINT):
            columns[start + CAMERA + a] = first_point + POINT * seen[i, 1] + a
        columns[start + BLOCK - 1] = first_weight + i
    for i in range(count):
        rows[2 * count + i] = 2 * BLOCK * count + i
        columns[2 * BLOCK * count + i] = first_weight + i
    rows[3 * count] = 2 * BLOCK * count + count
    return rows, columns


def sparse_jacobian(
    cameras: Array, points: Array, weights: Array, seen: Indices, features: Array
) -> tuple[Indices, Indices, Array]:
    """``rows``, ``columns`` and ``values`` of compressed rows: two for each observation, then one for each weight."""
    rows, slopes = blocks_of(cameras, points, weights, seen, features)
    return *pattern(seen, len(cameras), len(points)), np.concatenate((rows.ravel(), slopes))


def prepare(given: dict[str, Any]) -> tuple[Array, ...]:
    """All are copies of one; observation ``i`` is of camera and point ``i``, cyclically."""
    n, m, p = given["n"], given["m"], given["p"]
    seen = np.stack((np.arange(p) % n, np.arange(p) % m), axis=1)
    cameras, points, features = (
        np.tile(np.array(given[name], dtype=float), (count, 1)) for name, count in (("cam", n), ("x", m), ("feat", p))
    )
    return cameras, points, np.full(p, float(given["w"])), seen, features


def answer_errors(found: tuple[Array, Array]) -> Any:
    """The errors are copies of one, too, and go out once."""
    reprojected, weights = found
    return {
        "reproj_error": {"elements": reprojected[0].tolist(), "repeated": len(reprojected)},
        "w_err": {"element": weights[0].item(), "repeated": len(weights)},
    }


def answer_jacobian(found: tuple[Array, ...]) -> Any:
    """As many of each as the first block has elements, and the last."""
    names = ("rows", "cols", "vals")
    return {name: [*part[: 2 * BLOCK].tolist(), part[-1].item()] for name, part in zip(names, found, strict=True)}


TASKS = {
    "objective": Task(prepare, jit(errors), answer_errors),
    "jacobian": Task(prepare, sparse_jacobian, answer_jacobian),
}
