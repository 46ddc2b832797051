"""Heston's model in lanes: sixteen paths side by side in buffers on the stack, their numbers packed, roots kept."""

from __future__ import annotations

import math

import numpy as np
from numba import carray

from benchmarks.flags import njit
from benchmarks.lane_math import exp, stack
from benchmarks.problem import Array

LANES = 16
STRIKE, TIME = 1.0, 1.0
Gradient = tuple[float, float, float, float, float]


@njit
def gradient(v0: float, kappa: float, theta: float, xi: float, rho: float, z1: Array, z2: Array) -> Gradient:
    return in_lanes(v0, kappa, theta, xi, rho, z1, z2, LANES)


@njit
def in_lanes(
    v0: float, kappa: float, theta: float, xi: float, rho: float, z1: Array, z2: Array, lanes: int
) -> Gradient:
    paths, steps = z1.shape
    count = (lanes >> 3) << 3
    dt = TIME / steps
    root_dt = math.sqrt(dt)
    other = math.sqrt(1.0 - rho * rho)
    a, b = np.empty((steps, lanes)), np.empty((steps, lanes))
    variances, roots = np.empty((steps, lanes)), np.empty((steps, lanes))
    x, v = carray(stack(16), (16,)), carray(stack(16), (16,))
    x_bar, now_bar = carray(stack(16), (16,)), carray(stack(16), (16,))
    v_bar, kappa_bar, theta_bar, xi_bar, rho_bar, other_bar = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for start in range(0, paths, lanes):
        used = min(lanes, paths - start)
        pack(z1, start, used, a)
        pack(z2, start, used, b)
        for lane in range(count):
            x[lane] = 0.0
            v[lane] = v0
        for t in range(steps):
            for lane in range(count):
                variance = v[lane]
                variances[t, lane] = variance
                positive = variance if variance > 0.0 else 0.0
                root = math.sqrt(positive)
                roots[t, lane] = root
                deviation = root * root_dt
                x[lane] += deviation * (rho * a[t, lane] + other * b[t, lane]) - 0.5 * positive * dt
                v[lane] = variance + (kappa * (theta - positive) * dt + xi * deviation * a[t, lane])
        for lane in range(count):
            growth = exp(x[lane])
            x_bar[lane] = growth / paths if growth > STRIKE and lane < used else 0.0
            now_bar[lane] = 0.0
        for q in range(steps):
            t = steps - 1 - q
            of_kappa, of_theta, of_xi, of_rho, of_other = 0.0, 0.0, 0.0, 0.0, 0.0
            for lane in range(count):
                variance, now, seed = variances[t, lane], now_bar[lane], x_bar[lane]
                positive = variance if variance > 0.0 else 0.0
                root = roots[t, lane]
                deviation = root * root_dt
                of_kappa += now * (theta - positive)
                of_theta += now
                of_xi += now * deviation * a[t, lane]
                of_rho += seed * deviation * a[t, lane]
                of_other += seed * deviation * b[t, lane]
                deviation_bar = now * xi * a[t, lane] + seed * (rho * a[t, lane] + other * b[t, lane])
                change = deviation_bar * root_dt * 0.5 / root - 0.5 * seed * dt - now * kappa * dt
                now_bar[lane] = now + change if variance > 0.0 else now
            kappa_bar += of_kappa * dt
            theta_bar += of_theta * kappa * dt
            xi_bar += of_xi
            rho_bar += of_rho
            other_bar += of_other
        for lane in range(count):
            v_bar += now_bar[lane]
    return v_bar, kappa_bar, theta_bar, xi_bar, rho_bar - other_bar * rho / other


@njit
def pack(z: Array, start: int, used: int, packed: Array) -> None:
    """The numbers of a block of paths, the path as the last axis; those of padding are zero."""
    steps, lanes = packed.shape
    for lane in range(used):
        for t in range(steps):
            packed[t, lane] = z[start + lane, t]
    for lane in range(used, lanes):
        for t in range(steps):
            packed[t, lane] = 0.0
