"""Bundle adjustment: the sparse Jacobian of reprojection and weight errors, in blocks.

The pattern is known beforehand; what is timed are the values: 2 x 15 numbers for each observation, and the derivative
of its weight's error.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from benchmarks import adbench
from benchmarks.flags import njit
from benchmarks.gradbench.ba import BLOCK, CAMERA, blocks, errors, prepare
from benchmarks.gradbench.tasks import Indices
from benchmarks.problem import Array, Problem
from srcgrad import jit


@njit
def hand(cameras: Array, points: Array, weights: Array, seen: Indices, features: Array) -> tuple[Array, Array]:
    """In closed form, one observation after the other; both rows share what does not depend on the coordinate."""
    rows, slopes = np.empty((seen.shape[0], 2, BLOCK)), np.empty(seen.shape[0])
    rotation = np.empty(7)
    for i in range(seen.shape[0]):
        camera = cameras[seen[i, 0]]
        turn(camera, rotation)
        block(camera, rotation, points[seen[i, 1]], weights[i], features[i], rows[i])
        slopes[i] = -2.0 * weights[i]
    return rows, slopes


@njit
def best(cameras: Array, points: Array, weights: Array, seen: Indices, features: Array) -> tuple[Array, Array]:
    """The same, but sine and cosine are taken once for each camera."""
    rows, slopes = np.empty((seen.shape[0], 2, BLOCK)), np.empty(seen.shape[0])
    rotations = np.empty((cameras.shape[0], 7))
    for k in range(cameras.shape[0]):
        turn(cameras[k], rotations[k])
    for i in range(seen.shape[0]):
        k = seen[i, 0]
        block(cameras[k], rotations[k], points[seen[i, 1]], weights[i], features[i], rows[i])
        slopes[i] = -2.0 * weights[i]
    return rows, slopes


@njit
def turn(camera: Array, rotation: Array) -> None:
    """Axis, one over the angle, sine, cosine, and one minus cosine."""
    angle = math.sqrt(camera[0] * camera[0] + camera[1] * camera[1] + camera[2] * camera[2])
    inverse = 1.0 / angle
    for a in range(3):
        rotation[a] = camera[a] * inverse
    rotation[3], rotation[4], rotation[5] = inverse, math.sin(angle), math.cos(angle)
    rotation[6] = 1.0 - rotation[5]


@njit
def block(camera: Array, rotation: Array, point: Array, weight: float, feature: Array, out: Array) -> None:
    k0, k1, k2 = rotation[0], rotation[1], rotation[2]
    inverse, sine, cosine, rest = rotation[3], rotation[4], rotation[5], rotation[6]
    x, y, z = point[0] - camera[3], point[1] - camera[4], point[2] - camera[5]
    along = k0 * x + k1 * y + k2 * z
    c0, c1, c2 = k1 * z - k2 * y, k2 * x - k0 * z, k0 * y - k1 * x
    u = x * cosine + c0 * sine + k0 * along * rest
    v = y * cosine + c1 * sine + k1 * along * rest
    w = z * cosine + c2 * sine + k2 * along * rest
    # By the angle: a turn about the axis.
    t0 = c0 * cosine + (k0 * along - x) * sine
    t1 = c1 * cosine + (k1 * along - y) * sine
    t2 = c2 * cosine + (k2 * along - z) * sine
    near = 1.0 / w
    u, v = u * near, v * near
    radius = u * u + v * v
    focal, first, second = camera[6], camera[9], camera[10]
    shape = 1.0 + radius * (first + second * radius)
    slope = 2.0 * focal * (first + 2.0 * second * radius)
    distortion = focal * shape
    scale = weight * near
    for a in range(2):
        own = u if a == 0 else v
        # The error's derivative by the turned point, and back through the rotation.
        m0 = scale * (slope * own * u + (distortion if a == 0 else 0.0))
        m1 = scale * (slope * own * v + (distortion if a == 1 else 0.0))
        m2 = -(m0 * u + m1 * v)
        towards = m0 * k0 + m1 * k1 + m2 * k2
        back0 = m0 * cosine + (m1 * k2 - m2 * k1) * sine + k0 * towards * rest
        back1 = m1 * cosine + (m2 * k0 - m0 * k2) * sine + k1 * towards * rest
        back2 = m2 * cosine + (m0 * k1 - m1 * k0) * sine + k2 * towards * rest
        g0 = (y * m2 - z * m1) * sine + (m0 * along + x * towards) * rest
        g1 = (z * m0 - x * m2) * sine + (m1 * along + y * towards) * rest
        g2 = (x * m1 - y * m0) * sine + (m2 * along + z * towards) * rest
        by_angle = m0 * t0 + m1 * t1 + m2 * t2 - (g0 * k0 + g1 * k1 + g2 * k2) * inverse
        out[a, 0] = g0 * inverse + k0 * by_angle
        out[a, 1] = g1 * inverse + k1 * by_angle
        out[a, 2] = g2 * inverse + k2 * by_angle
        out[a, 3], out[a, 4], out[a, 5] = -back0, -back1, -back2
        out[a, 6] = weight * own * shape
        out[a, 7] = weight if a == 0 else 0.0
        out[a, 8] = weight if a == 1 else 0.0
        out[a, 9] = weight * own * focal * radius
        out[a, 10] = weight * own * focal * radius * radius
        out[a, CAMERA], out[a, CAMERA + 1], out[a, CAMERA + 2] = back0, back1, back2
        out[a, BLOCK - 1] = own * distortion + camera[7 + a] - feature[a]


def problem() -> Problem:
    arguments = prepare(adbench.bundle())
    title = f"Bundle adjustment, {len(arguments[3]):,} observations"
    return Problem(title, errors, arguments, 0, hand, best, derivative=partial(jit, blocks, cache=False))
