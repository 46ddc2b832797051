"""A network of three layers that tells ten classes apart, in array style: gradient by all weights."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from benchmarks.flags import njit
from benchmarks.lane_math import exp, tanh
from benchmarks.problem import Array, Problem

SIZES, BATCH = (784, 256, 128, 10), 128
Weights = tuple[Array, Array, Array, Array, Array, Array]


def loss(w1: Array, b1: Array, w2: Array, b2: Array, w3: Array, b3: Array, x: Array, targets: Array) -> float:
    """Cross entropy; a row of ``targets`` has a one at the class of its row of ``x``."""
    hidden = np.tanh(x @ w1 + b1)
    hidden = np.tanh(hidden @ w2 + b2)
    scores = hidden @ w3 + b3
    return (np.sum(np.log(np.sum(np.exp(scores), axis=1))) - np.sum(scores * targets)) / x.shape[0]


@njit
def layer(x: Array, w: Array, b: Array, bends: bool) -> Array:
    y = np.empty((x.shape[0], w.shape[1]))
    for i in range(x.shape[0]):
        for k in range(w.shape[1]):
            y[i, k] = b[k]
        for j in range(w.shape[0]):
            for k in range(w.shape[1]):
                y[i, k] += x[i, j] * w[j, k]
        if bends:
            for k in range(w.shape[1]):
                y[i, k] = math.tanh(y[i, k])
    return y


@njit
def layer_reversed(x: Array, w: Array, y_bar: Array) -> tuple[Array, Array, Array]:
    """From the cotangents of ``x @ w + b`` those of the three; ``x`` is a tangent hyperbolic, and passed through."""
    w_bar, b_bar, x_bar = np.zeros_like(w), np.zeros(w.shape[1]), np.empty_like(x)
    for i in range(x.shape[0]):
        for k in range(w.shape[1]):
            b_bar[k] += y_bar[i, k]
        for j in range(w.shape[0]):
            total = 0.0
            for k in range(w.shape[1]):
                total += y_bar[i, k] * w[j, k]
                w_bar[j, k] += x[i, j] * y_bar[i, k]
            x_bar[i, j] = (1.0 - x[i, j] * x[i, j]) * total
    return w_bar, b_bar, x_bar


@njit
def softmax_minus(scores: Array, targets: Array) -> Array:
    n, classes = scores.shape
    y_bar = np.empty((n, classes))
    for i in range(n):
        total = 0.0
        for k in range(classes):
            y_bar[i, k] = math.exp(scores[i, k])
            total += y_bar[i, k]
        for k in range(classes):
            y_bar[i, k] = (y_bar[i, k] / total - targets[i, k]) / n
    return y_bar


@njit
def hand(w1: Array, b1: Array, w2: Array, b2: Array, w3: Array, b3: Array, x: Array, targets: Array) -> Weights:
    first = layer(x, w1, b1, True)
    second = layer(first, w2, b2, True)
    y_bar = softmax_minus(layer(second, w3, b3, False), targets)
    w3_bar, b3_bar, second_bar = layer_reversed(second, w3, y_bar)
    w2_bar, b2_bar, first_bar = layer_reversed(first, w2, second_bar)
    w1_bar, b1_bar = np.zeros_like(w1), np.zeros_like(b1)
    for i in range(x.shape[0]):
        for k in range(b1.shape[0]):
            b1_bar[k] += first_bar[i, k]
        for j in range(w1.shape[0]):
            for k in range(b1.shape[0]):
                w1_bar[j, k] += x[i, j] * first_bar[i, k]
    return w1_bar, b1_bar, w2_bar, b2_bar, w3_bar, b3_bar


@njit
def bend(y: Array, b: Array) -> None:
    for i in range(y.shape[0]):
        for k in range(y.shape[1]):
            y[i, k] = tanh(y[i, k] + b[k])


@njit
def unbend(x: Array, x_bar: Array) -> None:
    for i in range(x.shape[0]):
        for k in range(x.shape[1]):
            x_bar[i, k] *= 1.0 - x[i, k] * x[i, k]


@njit
def columns(y_bar: Array) -> Array:
    b_bar = np.zeros(y_bar.shape[1])
    for i in range(y_bar.shape[0]):
        for k in range(y_bar.shape[1]):
            b_bar[k] += y_bar[i, k]
    return b_bar


@njit
def softmax_minus_in_place(scores: Array, b: Array, targets: Array) -> None:
    n, classes = scores.shape
    for i in range(n):
        total = 0.0
        for k in range(classes):
            scores[i, k] = exp(scores[i, k] + b[k])
            total += scores[i, k]
        for k in range(classes):
            scores[i, k] = (scores[i, k] / total - targets[i, k]) / n


def best(w1: Array, b1: Array, w2: Array, b2: Array, w3: Array, b3: Array, x: Array, targets: Array) -> Weights:
    """Eight products over BLAS, and one loop each over what lies between them."""
    first = x @ w1
    bend(first, b1)
    second = first @ w2
    bend(second, b2)
    y_bar = second @ w3
    softmax_minus_in_place(y_bar, b3, targets)
    second_bar = y_bar @ w3.T
    unbend(second, second_bar)
    first_bar = second_bar @ w2.T
    unbend(first, first_bar)
    return (
        x.T @ first_bar,
        columns(first_bar),
        first.T @ second_bar,
        columns(second_bar),
        second.T @ y_bar,
        columns(y_bar),
    )


def problem() -> Problem:
    generator = np.random.default_rng(10)
    weights: list[Array] = []
    for rows, count in pairwise(SIZES):
        weights += [generator.standard_normal((rows, count)) / math.sqrt(rows), 0.1 * generator.standard_normal(count)]
    x = generator.standard_normal((BATCH, SIZES[0]))
    targets = np.eye(SIZES[-1])[generator.integers(0, SIZES[-1], BATCH)]
    arguments = (*weights, x, targets)
    return Problem("Network 784-256-128-10, 128 rows, arrays", loss, arguments, (0, 1, 2, 3, 4, 5), hand, best)
