"""Kepler's equation in lanes: Newton's method for 64 bodies at once, until none of them needs another step."""

from __future__ import annotations

import numpy as np
from numba import carray

from benchmarks.flags import njit
from benchmarks.lane_math import stack
from benchmarks.problem import Array
from srcgrad.vector_math import cos, sin

LANES = 64
MOST = 100  # steps
TOLERANCE = 1e-11


@njit
def gradient(eccentricity: Array, anomaly: Array) -> tuple[Array, Array]:
    return in_lanes(eccentricity, anomaly, LANES)


@njit
def in_lanes(eccentricity: Array, anomaly: Array, lanes: int) -> tuple[Array, Array]:
    n = anomaly.shape[0]
    count = (lanes >> 3) << 3
    of_e, of_m = np.empty_like(eccentricity), np.empty_like(anomaly)
    sines, cosines = np.empty((MOST, lanes)), np.empty((MOST, lanes))
    steps, masks = np.empty((MOST, lanes)), np.empty((MOST, lanes))
    e, m, x = carray(stack(64), (64,)), carray(stack(64), (64,)), carray(stack(64), (64,))
    active, x_bar = carray(stack(64), (64,)), carray(stack(64), (64,))
    e_bar, m_bar = carray(stack(64), (64,)), carray(stack(64), (64,))
    for start in range(0, n, lanes):
        used = min(lanes, n - start)
        for lane in range(count):  # padding repeats the last body
            i = start + min(lane, used - 1)
            e[lane], m[lane] = eccentricity[i], anomaly[i]
            x[lane] = m[lane]
            active[lane] = 1.0
        trips = 0
        left = 1.0
        while left > 0.0:
            left = 0.0
            for lane in range(count):
                sine, cosine = sin(x[lane]), cos(x[lane])
                step = (x[lane] - e[lane] * sine - m[lane]) / (1.0 - e[lane] * cosine)
                mask = active[lane]
                sines[trips, lane], cosines[trips, lane] = sine, cosine
                steps[trips, lane], masks[trips, lane] = step, mask
                x[lane] = x[lane] - step if mask > 0.0 else x[lane]
                again = mask if abs(step) > TOLERANCE else 0.0
                active[lane] = again
                left += again
            trips += 1
        for lane in range(count):
            x_bar[lane] = -sin(x[lane])
            e_bar[lane] = 0.0
            m_bar[lane] = 0.0
        for q in range(trips):
            t = trips - 1 - q
            for lane in range(count):
                sine, cosine, masked = sines[t, lane], cosines[t, lane], masks[t, lane]
                residual_bar = -x_bar[lane] / (1.0 - e[lane] * cosine) if masked > 0.0 else 0.0
                slope_bar = -residual_bar * steps[t, lane]
                e_bar[lane] -= residual_bar * sine + slope_bar * cosine
                m_bar[lane] -= residual_bar
                x_bar[lane] += residual_bar * (1.0 - e[lane] * cosine) + slope_bar * e[lane] * sine
        for lane in range(used):
            of_e[start + lane] = e_bar[lane]
            of_m[start + lane] = m_bar[lane] + x_bar[lane]
    return of_e, of_m
