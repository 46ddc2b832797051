"""The energy of 500 particles that attract and repel each other in pairs, and the forces."""

from __future__ import annotations

import numpy as np

from benchmarks.flags import njit
from benchmarks.problem import Array, Problem


def energy(positions: Array) -> float:
    n = positions.shape[0]
    total = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            square = 0.0
            for a in range(3):
                square += (positions[i, a] - positions[j, a]) ** 2
            inverse = 1.0 / square
            sixth = inverse * inverse * inverse
            total += 4.0 * (sixth * sixth - sixth)
    return total


@njit
def hand(positions: Array) -> Array:
    n = positions.shape[0]
    forces = np.zeros((n, 3))
    for i in range(n):
        for j in range(i + 1, n):
            x = positions[i, 0] - positions[j, 0]
            y = positions[i, 1] - positions[j, 1]
            z = positions[i, 2] - positions[j, 2]
            inverse = 1.0 / (x * x + y * y + z * z)
            sixth = inverse * inverse * inverse
            factor = -24.0 * (2.0 * sixth * sixth - sixth) * inverse
            forces[i, 0] += factor * x
            forces[i, 1] += factor * y
            forces[i, 2] += factor * z
            forces[j, 0] -= factor * x
            forces[j, 1] -= factor * y
            forces[j, 2] -= factor * z
    return forces


@njit
def best(positions: Array) -> Array:
    """Coordinates apart, so that the inner loop is over contiguous memory."""
    n = positions.shape[0]
    xs, ys, zs = positions[:, 0].copy(), positions[:, 1].copy(), positions[:, 2].copy()
    fx, fy, fz = np.zeros(n), np.zeros(n), np.zeros(n)
    for i in range(n - 1):
        fx[i], fy[i], fz[i] = row(xs[i], ys[i], zs[i], xs[i + 1 :], ys[i + 1 :], zs[i + 1 :], fx[i:], fy[i:], fz[i:])
    forces = np.empty((n, 3))
    forces[:, 0], forces[:, 1], forces[:, 2] = fx, fy, fz
    return forces


@njit
def row(
    x0: float, y0: float, z0: float, xs: Array, ys: Array, zs: Array, fx: Array, fy: Array, fz: Array
) -> tuple[float, float, float]:
    """The force on a particle, whose own place in ``fx`` and the like is the first; the others' are added up."""
    sx, sy, sz = fx[0], fy[0], fz[0]
    for q in range(xs.shape[0]):
        x, y, z = x0 - xs[q], y0 - ys[q], z0 - zs[q]
        inverse = 1.0 / (x * x + y * y + z * z)
        sixth = inverse * inverse * inverse
        factor = -24.0 * (2.0 * sixth * sixth - sixth) * inverse
        sx += factor * x
        sy += factor * y
        sz += factor * z
        fx[q + 1] -= factor * x
        fy[q + 1] -= factor * y
        fz[q + 1] -= factor * z
    return sx, sy, sz


def problem() -> Problem:
    """Particles near the points of a grid."""
    generator = np.random.default_rng(4)
    grid = 1.2 * np.stack(np.meshgrid(*[np.arange(8.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)[:500]
    arguments = (grid + generator.uniform(-0.1, 0.1, grid.shape),)
    return Problem("Lennard-Jones, 500 particles", energy, arguments, 0, hand, best, mechanical=best)
