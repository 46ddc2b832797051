"""The price of a call in Heston's model by Monte Carlo, and its sensitivities to five parameters.

Full truncation Euler: the variance that may have become negative is taken as zero.
"""

from __future__ import annotations

import math

import numpy as np

from benchmarks.flags import njit
from benchmarks.mechanical import heston as mechanical
from benchmarks.problem import Array, Problem

STRIKE, TIME = 1.0, 1.0


def price(v0: float, kappa: float, theta: float, xi: float, rho: float, z1: Array, z2: Array) -> float:
    """``z1`` and ``z2`` are the normal numbers of each path and step."""
    paths, steps = z1.shape
    dt = TIME / steps
    root_dt = math.sqrt(dt)
    other = math.sqrt(1.0 - rho * rho)
    total = 0.0
    for i in range(paths):
        x = 0.0
        v = v0
        for t in range(steps):
            positive = max(v, 0.0)
            deviation = math.sqrt(positive) * root_dt
            x += deviation * (rho * z1[i, t] + other * z2[i, t]) - 0.5 * positive * dt
            v += kappa * (theta - positive) * dt + xi * deviation * z1[i, t]
        total += max(math.exp(x) - STRIKE, 0.0)
    return total / paths


@njit
def hand(
    v0: float, kappa: float, theta: float, xi: float, rho: float, z1: Array, z2: Array
) -> tuple[float, float, float, float, float]:
    """Path by path: the variances are kept, the reverse sweep takes their roots again."""
    paths, steps = z1.shape
    dt = TIME / steps
    root_dt = math.sqrt(dt)
    other = math.sqrt(1.0 - rho * rho)
    v_bar, kappa_bar, theta_bar, xi_bar, rho_bar, other_bar = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    variances = np.empty(steps)
    for i in range(paths):
        x = 0.0
        v = v0
        for t in range(steps):
            variances[t] = v
            positive = max(v, 0.0)
            deviation = math.sqrt(positive) * root_dt
            x += deviation * (rho * z1[i, t] + other * z2[i, t]) - 0.5 * positive * dt
            v += kappa * (theta - positive) * dt + xi * deviation * z1[i, t]
        growth = math.exp(x)
        if growth <= STRIKE:
            continue
        x_bar = growth / paths
        now_bar = 0.0
        for q in range(steps):
            t = steps - 1 - q
            v = variances[t]
            positive = max(v, 0.0)
            root = math.sqrt(positive)
            deviation = root * root_dt
            kappa_bar += now_bar * (theta - positive) * dt
            theta_bar += now_bar * kappa * dt
            xi_bar += now_bar * deviation * z1[i, t]
            rho_bar += x_bar * deviation * z1[i, t]
            other_bar += x_bar * deviation * z2[i, t]
            if v > 0.0:
                deviation_bar = now_bar * xi * z1[i, t] + x_bar * (rho * z1[i, t] + other * z2[i, t])
                now_bar += deviation_bar * root_dt * 0.5 / root - 0.5 * x_bar * dt - now_bar * kappa * dt
        v_bar += now_bar
    return v_bar, kappa_bar, theta_bar, xi_bar, rho_bar - other_bar * rho / other


BLOCK = 32


@njit
def best(
    v0: float, kappa: float, theta: float, xi: float, rho: float, z1: Array, z2: Array
) -> tuple[float, float, float, float, float]:
    """Thirty-two paths side by side, their numbers packed so that the paths of a step are contiguous."""
    paths, steps = z1.shape
    a, b = np.empty((steps, BLOCK)), np.empty((steps, BLOCK))
    variances = np.empty((steps, BLOCK))
    x, v, x_bar, now_bar = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    sums = np.zeros((6, BLOCK))
    for start in range(0, paths, BLOCK):
        count = min(BLOCK, paths - start)
        for lane in range(count):
            for t in range(steps):
                a[t, lane] = z1[start + lane, t]
                b[t, lane] = z2[start + lane, t]
        x[:] = 0.0
        v[:] = v0
        forward(kappa, theta, xi, rho, a, b, variances, x, v)
        for lane in range(BLOCK):
            growth = math.exp(x[lane]) if lane < count else 0.0
            x_bar[lane] = growth / paths if growth > STRIKE else 0.0
        now_bar[:] = 0.0
        backward(kappa, theta, xi, rho, a, b, variances, x_bar, now_bar, sums)
        for lane in range(BLOCK):
            sums[0, lane] += now_bar[lane]
    v_bar, kappa_bar, theta_bar, xi_bar, rho_bar, other_bar = (
        sums[0].sum(),
        sums[1].sum(),
        sums[2].sum(),
        sums[3].sum(),
        sums[4].sum(),
        sums[5].sum(),
    )
    return v_bar, kappa_bar, theta_bar, xi_bar, rho_bar - other_bar * rho / math.sqrt(1.0 - rho * rho)


@njit
def forward(
    kappa: float, theta: float, xi: float, rho: float, a: Array, b: Array, variances: Array, x: Array, v: Array
) -> None:
    steps, lanes = a.shape
    dt = TIME / steps
    root_dt = math.sqrt(dt)
    other = math.sqrt(1.0 - rho * rho)
    for t in range(steps):
        for lane in range(lanes):
            variances[t, lane] = v[lane]
            positive = v[lane] if v[lane] > 0.0 else 0.0
            deviation = math.sqrt(positive) * root_dt
            x[lane] += deviation * (rho * a[t, lane] + other * b[t, lane]) - 0.5 * positive * dt
            v[lane] += kappa * (theta - positive) * dt + xi * deviation * a[t, lane]


@njit
def backward(
    kappa: float,
    theta: float,
    xi: float,
    rho: float,
    a: Array,
    b: Array,
    variances: Array,
    x_bar: Array,
    now_bar: Array,
    sums: Array,
) -> None:
    steps, lanes = a.shape
    dt = TIME / steps
    root_dt = math.sqrt(dt)
    other = math.sqrt(1.0 - rho * rho)
    for q in range(steps):
        t = steps - 1 - q
        for lane in range(lanes):
            v, now, seed = variances[t, lane], now_bar[lane], x_bar[lane]
            positive = v if v > 0.0 else 0.0
            root = math.sqrt(positive)
            deviation = root * root_dt
            sums[1, lane] += now * (theta - positive) * dt
            sums[2, lane] += now * kappa * dt
            sums[3, lane] += now * deviation * a[t, lane]
            sums[4, lane] += seed * deviation * a[t, lane]
            sums[5, lane] += seed * deviation * b[t, lane]
            deviation_bar = now * xi * a[t, lane] + seed * (rho * a[t, lane] + other * b[t, lane])
            change = deviation_bar * root_dt * 0.5 / root - 0.5 * seed * dt - now * kappa * dt
            now_bar[lane] = now + change if v > 0.0 else now


def problem() -> Problem:
    z1, z2 = np.random.default_rng(1).standard_normal((2, 20_000, 100))
    arguments = (0.04, 1.5, 0.04, 0.3, -0.7, z1, z2)
    return Problem(
        "Heston's model, 20,000 paths of 100 steps",
        price,
        arguments,
        (0, 1, 2, 3, 4),
        hand,
        best,
        ratio=2.0,
        mechanical=mechanical.gradient,
    )
