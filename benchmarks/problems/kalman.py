"""The likelihood of observations under a Kalman filter: gradient by the transition and by both kinds of noise."""

from __future__ import annotations

import numpy as np

from benchmarks.flags import njit
from benchmarks.problem import Array, Problem

STATES, SEEN = 4, 2


def negative_log_likelihood(transition: Array, noise: Array, spread: Array, observed: Array) -> float:
    """The first two of four numbers are observed; variances ``noise`` of the state, ``spread`` of what is observed."""
    x = np.zeros(4)
    p = np.eye(4)
    total = 0.0
    for t in range(observed.shape[0]):
        x = transition @ x
        p = transition @ p @ transition.T + np.diag(noise)
        for j in range(2):
            variance = p[j, j] + spread[j]
            surprise = observed[t, j] - x[j]
            total += 0.5 * (np.log(variance) + surprise * surprise / variance)
            gain = p[:, j] / variance
            x = x + gain * surprise
            p = p - np.outer(gain, p[j])
    return total


@njit
def hand(transition: Array, noise: Array, spread: Array, observed: Array) -> tuple[Array, Array, Array]:
    """What is predicted and what is corrected is kept: state and covariance three times a step."""
    steps = observed.shape[0]
    xs, ps = np.empty((steps, 3, 4)), np.empty((steps, 3, 4, 4))
    x, p, product = np.zeros(4), np.eye(4), np.empty((4, 4))
    for t in range(steps):
        for a in range(4):
            xs[t, 0, a] = x[a]
            for b in range(4):
                ps[t, 0, a, b] = p[a, b]
        for a in range(4):
            total = 0.0
            for b in range(4):
                total += transition[a, b] * xs[t, 0, b]
                entry = 0.0
                for c in range(4):
                    entry += transition[a, c] * p[c, b]
                product[a, b] = entry
            x[a] = total
        for a in range(4):
            for b in range(4):
                entry = noise[a] if a == b else 0.0
                for c in range(4):
                    entry += product[a, c] * transition[b, c]
                p[a, b] = entry
        for j in range(2):
            for a in range(4):
                xs[t, j + 1, a] = x[a]
                for b in range(4):
                    ps[t, j + 1, a, b] = p[a, b]
            variance = p[j, j] + spread[j]
            surprise = observed[t, j] - x[j]
            for a in range(4):
                gain = ps[t, j + 1, a, j] / variance
                x[a] += gain * surprise
                for b in range(4):
                    p[a, b] -= gain * ps[t, j + 1, j, b]
    return reverse(transition, spread, observed, xs, ps)


@njit
def reverse(transition: Array, spread: Array, observed: Array, xs: Array, ps: Array) -> tuple[Array, Array, Array]:
    transition_bar, noise_bar, spread_bar = np.zeros((4, 4)), np.zeros(4), np.zeros(2)
    x_bar, p_bar, left, right = np.zeros(4), np.zeros((4, 4)), np.empty((4, 4)), np.empty((4, 4))
    gain, gain_bar, row_bar = np.empty(4), np.empty(4), np.empty(4)
    for q in range(observed.shape[0]):
        t = observed.shape[0] - 1 - q
        for r in range(2):
            j = 1 - r
            x, p = xs[t, j + 1], ps[t, j + 1]
            variance = p[j, j] + spread[j]
            surprise = observed[t, j] - x[j]
            surprise_bar = surprise / variance
            variance_bar = 0.5 * (1.0 / variance - surprise_bar * surprise_bar)
            for a in range(4):
                gain[a] = p[a, j] / variance
            for a in range(4):
                gain_bar[a] = x_bar[a] * surprise
                row_bar[a] = 0.0
                for b in range(4):
                    gain_bar[a] -= p_bar[a, b] * p[j, b]
                    row_bar[a] -= p_bar[b, a] * gain[b]
                surprise_bar += x_bar[a] * gain[a]
                variance_bar -= gain[a] * gain_bar[a] / variance
            x_bar[j] -= surprise_bar
            spread_bar[j] += variance_bar
            for a in range(4):
                p_bar[j, a] += row_bar[a]
                p_bar[a, j] += gain_bar[a] / variance
            p_bar[j, j] += variance_bar
        x, p = xs[t, 0], ps[t, 0]
        predict_reversed(transition, x, p, x_bar, p_bar, transition_bar, noise_bar, left, right)
    return transition_bar, noise_bar, spread_bar


@njit
def predict_reversed(
    transition: Array, x: Array, p: Array, x_bar: Array, p_bar: Array, transition_bar: Array, noise_bar: Array,
    left: Array, right: Array,
) -> None:  # fmt: skip
    """``left`` and ``right`` are room for the cotangent times the transition, and for the transition times ``p``."""
    for a in range(4):
        noise_bar[a] += p_bar[a, a]
        for b in range(4):
            transition_bar[a, b] += x_bar[a] * x[b]
            first, second = 0.0, 0.0
            for c in range(4):
                first += p_bar[a, c] * transition[c, b]
                second += transition[a, c] * p[c, b]
            left[a, b], right[a, b] = first, second
    for a in range(4):
        for b in range(4):
            first, second = 0.0, 0.0
            for c in range(4):
                # transition @ p @ transition.T, by the left factor and by the right one
                first += left[a, c] * p[b, c]
                second += p_bar[c, a] * right[c, b]
            transition_bar[a, b] += first + second
    for a in range(4):
        right[0, a] = 0.0
        for c in range(4):
            right[0, a] += transition[c, a] * x_bar[c]
        for b in range(4):
            p_bar[a, b] = 0.0
            for c in range(4):
                p_bar[a, b] += transition[c, a] * left[c, b]
    for a in range(4):
        x_bar[a] = right[0, a]


def problem() -> Problem:
    generator = np.random.default_rng(11)
    transition = np.eye(STATES)
    transition[0, 2] = transition[1, 3] = 0.1
    transition[2, 2] = transition[3, 3] = 0.98
    observed = np.cumsum(0.1 * generator.standard_normal((5_000, SEEN)), axis=0)
    arguments = transition, np.array([0.01, 0.02, 0.03, 0.04]), np.array([0.1, 0.2]), observed
    return Problem("Kalman filter, 4 numbers, 5,000 steps, arrays", negative_log_likelihood, arguments, (0, 1, 2), hand)
