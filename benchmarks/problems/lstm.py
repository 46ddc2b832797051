"""A recurrent network whose matrices are diagonal (ADBench): gradient by all weights, over a sequence of text."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from benchmarks import adbench, lane_math
from benchmarks.flags import njit
from benchmarks.gradbench.lstm import loss
from benchmarks.problem import Array, Problem

Function = Callable[[float], float]
Gradient = Callable[[Array, Array, Array, Array], tuple[Array, Array]]
FORGET, IN, OUT, CHANGE, CELL, HIDDEN, BENT, SIGNAL = range(8)  # what is kept of a layer in a step


def gradient_with(exp: Function, tanh: Function) -> Gradient:
    """The adjoint that keeps the gates of each step; a step's are rows, so that loops over them are vectorised."""

    @njit
    def advance(weight: Array, bias: Array, hidden: Array, cell: Array, signal: Array, kept: Array) -> None:
        b = signal.shape[0]
        for i in range(b):
            kept[SIGNAL, i], kept[HIDDEN, i], kept[CELL, i] = signal[i], hidden[i], cell[i]
            forget = 1.0 / (1.0 + exp(-(signal[i] * weight[0, i] + bias[0, i])))
            ingate = 1.0 / (1.0 + exp(-(hidden[i] * weight[1, i] + bias[1, i])))
            outgate = 1.0 / (1.0 + exp(-(signal[i] * weight[2, i] + bias[2, i])))
            change = tanh(hidden[i] * weight[3, i] + bias[3, i])
            cell[i] = cell[i] * forget + ingate * change
            bent = tanh(cell[i])
            hidden[i] = signal[i] = outgate * bent
            kept[FORGET, i], kept[IN, i], kept[OUT, i], kept[CHANGE, i] = forget, ingate, outgate, change
            kept[BENT, i] = bent

    @njit
    def retreat(
        weight: Array,
        kept: Array,
        weight_bar: Array,
        bias_bar: Array,
        hidden_bar: Array,
        cell_bar: Array,
        signal_bar: Array,
    ) -> None:
        for i in range(signal_bar.shape[0]):
            forget, ingate, outgate, change = kept[FORGET, i], kept[IN, i], kept[OUT, i], kept[CHANGE, i]
            h_bar = hidden_bar[i] + signal_bar[i]
            c_bar = cell_bar[i] + h_bar * outgate * (1.0 - kept[BENT, i] * kept[BENT, i])
            z0 = c_bar * kept[CELL, i] * forget * (1.0 - forget)
            z1 = c_bar * change * ingate * (1.0 - ingate)
            z2 = h_bar * kept[BENT, i] * outgate * (1.0 - outgate)
            z3 = c_bar * ingate * (1.0 - change * change)
            bias_bar[0, i] += z0
            bias_bar[1, i] += z1
            bias_bar[2, i] += z2
            bias_bar[3, i] += z3
            weight_bar[0, i] += z0 * kept[SIGNAL, i]
            weight_bar[1, i] += z1 * kept[HIDDEN, i]
            weight_bar[2, i] += z2 * kept[SIGNAL, i]
            weight_bar[3, i] += z3 * kept[HIDDEN, i]
            cell_bar[i] = c_bar * forget
            signal_bar[i] = z0 * weight[0, i] + z2 * weight[2, i]
            hidden_bar[i] = z1 * weight[1, i] + z3 * weight[3, i]

    @njit
    def gradient(main: Array, extra: Array, state: Array, sequence: Array) -> tuple[Array, Array]:
        layers, (length, b) = main.shape[0] // 2, sequence.shape
        rows = main.reshape((layers, 2, 4, b))
        rows_bar, extra_bar, state = np.zeros((layers, 2, 4, b)), np.zeros((3, b)), state.copy()
        kept, last, weights = np.empty((length - 1, layers, 8, b)), np.empty((length - 1, b)), np.empty((length - 1, b))
        signal = np.empty(b)
        for t in range(length - 1):
            for i in range(b):
                signal[i] = sequence[t, i] * extra[0, i]
            for layer in range(layers):
                parts = rows[layer]
                advance(parts[0], parts[1], state[2 * layer], state[2 * layer + 1], signal, kept[t, layer])
            for i in range(b):
                last[t, i] = signal[i]
                weights[t, i] = exp(signal[i] * extra[1, i] + extra[2, i])
        hidden_bar, cell_bar, signal_bar = np.zeros((layers, b)), np.zeros((layers, b)), np.empty(b)
        for q in range(length - 1):
            t = length - 2 - q
            normaliser, shown = 2.0, 0.0
            for i in range(b):
                normaliser += weights[t, i]
                shown += sequence[t + 1, i]
            for i in range(b):
                seed = (shown * weights[t, i] / normaliser - sequence[t + 1, i]) / ((length - 1) * b)
                extra_bar[2, i] += seed
                extra_bar[1, i] += seed * last[t, i]
                signal_bar[i] = seed * extra[1, i]
            for p in range(layers):
                layer = layers - 1 - p
                bars = rows_bar[layer]
                retreat(
                    rows[layer, 0], kept[t, layer], bars[0], bars[1], hidden_bar[layer], cell_bar[layer], signal_bar
                )
            for i in range(b):
                extra_bar[0, i] += sequence[t, i] * signal_bar[i]
        return rows_bar.reshape((2 * layers, 4 * b)), extra_bar

    compiled: Gradient = gradient
    return compiled


hand = gradient_with(math.exp, math.tanh)
best = gradient_with(lane_math.exp, lane_math.tanh)


def problem(form: str) -> Problem:
    layers, length = (part[1:] for part in form.split("_"))
    return Problem(f"LSTM, {layers} layers, {length} letters", loss, adbench.lstm(form), (0, 1), hand, best)
