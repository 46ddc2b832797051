"""Predators and prey by the classical Runge-Kutta method: gradient by four rates and the initial state."""

from __future__ import annotations

import numpy as np

from benchmarks.flags import njit
from benchmarks.problem import Array, Problem

STEP = 0.001


def distance(parameters: Array, steps: int) -> float:
    """The square of the distance from (1, 1) at the end. Parameters: four rates, then prey and predators."""
    a, b, c, d = parameters[0], parameters[1], parameters[2], parameters[3]
    x, y = parameters[4], parameters[5]
    h = STEP
    for _ in range(steps):
        x1, y1 = a * x - b * x * y, c * x * y - d * y
        u, v = x + 0.5 * h * x1, y + 0.5 * h * y1
        x2, y2 = a * u - b * u * v, c * u * v - d * v
        u, v = x + 0.5 * h * x2, y + 0.5 * h * y2
        x3, y3 = a * u - b * u * v, c * u * v - d * v
        u, v = x + h * x3, y + h * y3
        x4, y4 = a * u - b * u * v, c * u * v - d * v
        x += h / 6.0 * (x1 + 2.0 * x2 + 2.0 * x3 + x4)
        y += h / 6.0 * (y1 + 2.0 * y2 + 2.0 * y3 + y4)
    return (x - 1.0) ** 2 + (y - 1.0) ** 2


@njit
def hand(parameters: Array, steps: int) -> Array:
    """The states are kept, the stages of a step are computed again."""
    a, b, c, d = parameters[0], parameters[1], parameters[2], parameters[3]
    x, y = parameters[4], parameters[5]
    h = STEP
    xs, ys = np.empty(steps), np.empty(steps)
    for t in range(steps):
        xs[t], ys[t] = x, y
        x1, y1 = a * x - b * x * y, c * x * y - d * y
        u, v = x + 0.5 * h * x1, y + 0.5 * h * y1
        x2, y2 = a * u - b * u * v, c * u * v - d * v
        u, v = x + 0.5 * h * x2, y + 0.5 * h * y2
        x3, y3 = a * u - b * u * v, c * u * v - d * v
        u, v = x + h * x3, y + h * y3
        x4, y4 = a * u - b * u * v, c * u * v - d * v
        x += h / 6.0 * (x1 + 2.0 * x2 + 2.0 * x3 + x4)
        y += h / 6.0 * (y1 + 2.0 * y2 + 2.0 * y3 + y4)
    x_bar, y_bar = 2.0 * (x - 1.0), 2.0 * (y - 1.0)
    a_bar, b_bar, c_bar, d_bar = 0.0, 0.0, 0.0, 0.0
    for q in range(steps):
        t = steps - 1 - q
        x, y = xs[t], ys[t]
        x1, y1 = a * x - b * x * y, c * x * y - d * y
        u2, v2 = x + 0.5 * h * x1, y + 0.5 * h * y1
        x2, y2 = a * u2 - b * u2 * v2, c * u2 * v2 - d * v2
        u3, v3 = x + 0.5 * h * x2, y + 0.5 * h * y2
        x3, y3 = a * u3 - b * u3 * v3, c * u3 * v3 - d * v3
        u4, v4 = x + h * x3, y + h * y3
        # The seeds of the four stages, last to first; of each the cotangents of its state follow.
        p, r = h / 6.0 * x_bar, h / 6.0 * y_bar
        a_bar, b_bar, c_bar, d_bar = a_bar + p * u4, b_bar - p * u4 * v4, c_bar + r * u4 * v4, d_bar - r * v4
        u_bar, v_bar = p * (a - b * v4) + r * c * v4, r * (c * u4 - d) - p * b * u4
        x_sum, y_sum = x_bar + u_bar, y_bar + v_bar
        p, r = h / 3.0 * x_bar + h * u_bar, h / 3.0 * y_bar + h * v_bar
        a_bar, b_bar, c_bar, d_bar = a_bar + p * u3, b_bar - p * u3 * v3, c_bar + r * u3 * v3, d_bar - r * v3
        u_bar, v_bar = p * (a - b * v3) + r * c * v3, r * (c * u3 - d) - p * b * u3
        x_sum, y_sum = x_sum + u_bar, y_sum + v_bar
        p, r = h / 3.0 * x_bar + 0.5 * h * u_bar, h / 3.0 * y_bar + 0.5 * h * v_bar
        a_bar, b_bar, c_bar, d_bar = a_bar + p * u2, b_bar - p * u2 * v2, c_bar + r * u2 * v2, d_bar - r * v2
        u_bar, v_bar = p * (a - b * v2) + r * c * v2, r * (c * u2 - d) - p * b * u2
        x_sum, y_sum = x_sum + u_bar, y_sum + v_bar
        p, r = h / 6.0 * x_bar + 0.5 * h * u_bar, h / 6.0 * y_bar + 0.5 * h * v_bar
        a_bar, b_bar, c_bar, d_bar = a_bar + p * x, b_bar - p * x * y, c_bar + r * x * y, d_bar - r * y
        x_bar, y_bar = x_sum + p * (a - b * y) + r * c * y, y_sum + r * (c * x - d) - p * b * x
    return np.array([a_bar, b_bar, c_bar, d_bar, x_bar, y_bar])


def problem() -> Problem:
    arguments = np.array([1.1, 0.4, 0.1, 0.4, 10.0, 5.0]), 10_000
    return Problem("Lotka-Volterra, 10,000 steps of Runge-Kutta", distance, arguments, 0, hand, mechanical=hand)
