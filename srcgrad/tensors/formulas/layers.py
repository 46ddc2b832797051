"""Layers of networks and losses, as array code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from srcgrad.tensors.formulas.reductions import log_softmax

Array = NDArray[np.floating]
Indices = NDArray[np.int64]
Pair = tuple[int, int]


def padded(x: Array, padding: Pair, value: float) -> Array:
    """Images with a border of ``value``."""
    if padding == (0, 0):
        return x
    p, q = padding
    n, c, h, w = x.shape
    result = np.full((n, c, h + 2 * p, w + 2 * q), value, x.dtype)
    result[:, :, p : p + h, q : q + w] = x
    return result


def patches(x: Array, window: Pair, stride: Pair, dilation: Pair, out: Pair) -> Array:
    """``result[c, i, j, n, y, x]``: what place (i, j) of the window sees when it stands at (y, x)."""
    n, c, _, _ = x.shape
    result = np.empty((c, window[0], window[1], n, out[0], out[1]), x.dtype)
    for i in range(window[0]):
        for j in range(window[1]):
            top, left = i * dilation[0], j * dilation[1]
            rows = slice(top, top + (out[0] - 1) * stride[0] + 1, stride[0])
            columns = slice(left, left + (out[1] - 1) * stride[1] + 1, stride[1])
            result[:, i, j] = np.transpose(x[:, :, rows, columns], (1, 0, 2, 3))
    return result


def extents(x: Array, window: Pair, stride: Pair, dilation: Pair) -> Pair:
    """How many places there are for the window."""
    h = (x.shape[2] - dilation[0] * (window[0] - 1) - 1) // stride[0] + 1
    w = (x.shape[3] - dilation[1] * (window[1] - 1) - 1) // stride[1] + 1
    return h, w


def conv2d(x: Array, weight: Array, stride: Pair, padding: Pair, dilation: Pair) -> Array:
    """The correlation of images with a window for each output channel, as one product of matrices."""
    x = padded(x, padding, 0.0)
    window = (weight.shape[2], weight.shape[3])
    out = extents(x, window, stride, dilation)
    seen = patches(x, window, stride, dilation, out)
    k = weight.shape[1] * window[0] * window[1]
    n = x.shape[0] * out[0] * out[1]
    product = np.matmul(np.reshape(weight, (weight.shape[0], k)), np.reshape(seen, (k, n)))
    images = np.reshape(product, (weight.shape[0], x.shape[0], out[0], out[1]))
    return np.transpose(images, (1, 0, 2, 3))


def conv2d_with_bias(x: Array, weight: Array, bias: Array, stride: Pair, padding: Pair, dilation: Pair) -> Array:
    return conv2d(x, weight, stride, padding, dilation) + np.reshape(bias, (1, bias.shape[0], 1, 1))


def max_pool2d(x: Array, window: Pair, stride: Pair, padding: Pair) -> Array:
    x = padded(x, padding, -np.inf)
    out = extents(x, window, stride, (1, 1))
    seen = patches(x, window, stride, (1, 1), out)
    c, n = x.shape[1], x.shape[0]
    flat = np.reshape(seen, (c, window[0] * window[1], n, out[0], out[1]))
    best = np.argmax(flat, axis=1)
    found = np.empty((n, c, out[0], out[1]), x.dtype)
    for at in np.ndindex(found.shape):
        b, channel, row, column = at
        found[at] = flat[channel, best[channel, b, row, column], b, row, column]
    return found


def avg_pool2d(x: Array, window: Pair, stride: Pair, padding: Pair) -> Array:
    x = padded(x, padding, 0.0)
    out = extents(x, window, stride, (1, 1))
    seen = patches(x, window, stride, (1, 1), out)
    flat = np.reshape(seen, (x.shape[1], window[0] * window[1], x.shape[0], out[0], out[1]))
    return np.transpose(np.mean(flat, axis=1), (1, 0, 2, 3))


def nll(log_probabilities: Array, target: Indices) -> Array:
    """Minus the logarithms of the probabilities of the targets, one for each row."""
    return -log_probabilities[np.arange(target.shape[0]), target]


def cross_entropy(logits: Array, target: Indices) -> Array:
    return nll(log_softmax(logits, 1), target)


def layer_norm(x: Array, axes: Any, eps: float) -> Array:
    centred = x - np.mean(x, axis=axes, keepdims=True)
    return centred / np.sqrt(np.mean(centred * centred, axis=axes, keepdims=True) + eps)


def binary_cross_entropy_with_logits(x: Array, target: Array) -> Array:
    return np.maximum(x, 0) - x * target + np.log1p(np.exp(-np.abs(x)))


def binary_cross_entropy(p: Array, target: Array) -> Array:
    """Logarithms are bounded below by -100, as in PyTorch."""
    return -(target * np.maximum(np.log(p), -100) + (1 - target) * np.maximum(np.log(1 - p), -100))


def smooth_l1(a: Array, b: Array, beta: float) -> Array:
    distance = np.abs(a - b)
    return np.where(distance < beta, 0.5 * distance * distance / beta, distance - 0.5 * beta)


def huber(a: Array, b: Array, delta: float) -> Array:
    distance = np.abs(a - b)
    return np.where(distance <= delta, 0.5 * distance * distance, delta * (distance - 0.5 * delta))


def gelu(x: Array) -> Array:
    return x * special.ndtr(x)
