"""A recurrent network whose weight matrices are diagonal: the loss over a sequence, and its gradient by the weights.

A layer has two rows of ``main``: weights, then biases, each for the forget, input and output gates and the change. The
rows of ``extra`` weigh the input and the output, and shift the output; two rows of ``state`` are a layer's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.flags import plain_njit
from benchmarks.gradbench.tasks import Array, Task
from srcgrad import grad, jit


@plain_njit
def sigmoid(x: float) -> float:
    return 1.0 / (1.0 + np.exp(-x))


@plain_njit
def step(weight: Array, bias: Array, hidden: Array, cell: Array, signal: Array) -> None:
    """A layer reads ``signal`` and leaves its output in ``hidden``."""
    b = signal.shape[0]
    for i in range(b):
        forget = sigmoid(signal[i] * weight[i] + bias[i])
        ingate = sigmoid(hidden[i] * weight[b + i] + bias[b + i])
        outgate = sigmoid(signal[i] * weight[2 * b + i] + bias[2 * b + i])
        change = np.tanh(hidden[i] * weight[3 * b + i] + bias[3 * b + i])
        cell[i] = cell[i] * forget + ingate * change
        hidden[i] = outgate * np.tanh(cell[i])


def loss(main: Array, extra: Array, state: Array, sequence: Array) -> float:
    layers, (length, b) = main.shape[0] // 2, sequence.shape
    state = state.copy()
    signal = np.empty(b)
    total = 0.0
    for t in range(length - 1):
        for i in range(b):
            signal[i] = sequence[t, i] * extra[0, i]
        for layer in range(layers):
            hidden = state[2 * layer]
            step(main[2 * layer], main[2 * layer + 1], hidden, state[2 * layer + 1], signal)
            for i in range(b):
                signal[i] = hidden[i]
        normaliser = 2.0
        for i in range(b):
            signal[i] = signal[i] * extra[1, i] + extra[2, i]
            normaliser += np.exp(signal[i])
        log_normaliser = np.log(normaliser)
        for i in range(b):
            total += sequence[t + 1, i] * (signal[i] - log_normaliser)
    return -total / ((length - 1) * b)


def prepare(given: dict[str, Any]) -> tuple[Array, ...]:
    return tuple(np.array(given[name], dtype=float) for name in ("main_params", "extra_params", "state", "sequence"))


def answer(parts: tuple[Array, Array]) -> list[float]:
    flat: list[float] = np.concatenate([part.ravel() for part in parts]).tolist()
    return flat


TASKS = {"objective": Task(prepare, jit(loss)), "jacobian": Task(prepare, grad(loss, argnums=(0, 1)), answer)}
