"""Layers of networks and losses, as array code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from srcgrad.tensors.formulas.elementwise import softplus
from srcgrad.tensors.formulas.reductions import log_softmax

Array = NDArray[np.floating]
Indices = NDArray[np.int64]
Pair = tuple[int, int]
Image = tuple[int, int, int]


def padded(x: Array, image: Image, padding: Pair, value: float) -> Array:
    """Images with a border of ``value``. ``image`` is channels, height, width: known while compiling."""
    c, h, w = image
    p, q = padding
    if padding == (0, 0):
        return np.reshape(x, (x.shape[0], c, h, w))
    result = np.full((x.shape[0], c, h + 2 * p, w + 2 * q), value, x.dtype)
    result[:, :, p : p + h, q : q + w] = np.reshape(x, (x.shape[0], c, h, w))
    return result


def places(start: int, count: int, step: int) -> slice:
    return slice(start, start + (count - 1) * step + 1, step)


def conv2d_with_bias(
    x: Array,
    weight: Array,
    bias: Array,
    image: Image,
    window: Image,
    out: Pair,
    stride: Pair,
    padding: Pair,
    dilation: Pair,
) -> Array:
    return conv2d(x, weight, image, window, out, stride, padding, dilation) + np.reshape(bias, (1, window[0], 1, 1))


def conv2d(
    x: Array, weight: Array, image: Image, window: Image, out: Pair, stride: Pair, padding: Pair, dilation: Pair
) -> Array:
    """The correlation of images with windows, as one product of matrices; ``window`` is outputs, height, width."""
    x = padded(x, image, padding, 0.0)
    o, kh, kw = window
    n, c = x.shape[0], image[0]
    seen = np.empty((c, kh, kw, n, out[0], out[1]), x.dtype)
    for i in range(kh):
        for j in range(kw):
            rows, columns = places(i * dilation[0], out[0], stride[0]), places(j * dilation[1], out[1], stride[1])
            seen[:, i, j] = np.transpose(x[:, :, rows, columns], (1, 0, 2, 3))
    k = c * kh * kw
    product = np.matmul(np.reshape(weight, (o, k)), np.reshape(seen, (k, n * out[0] * out[1])))
    return np.transpose(np.reshape(product, (o, n, out[0], out[1])), (1, 0, 2, 3))


def max_pool2d(x: Array, image: Image, window: Pair, out: Pair, stride: Pair, padding: Pair) -> Array:
    """The largest in each window; of those that tie the first."""
    x = padded(x, image, padding, -np.inf)
    best = x[:, :, places(0, out[0], stride[0]), places(0, out[1], stride[1])].copy()
    for i in range(window[0]):
        for j in range(window[1]):
            seen = x[:, :, places(i, out[0], stride[0]), places(j, out[1], stride[1])]
            best = np.where((seen > best) | (seen != seen), seen, best)
    return best


def max_pool2d_by_element(x: Array, image: Image, window: Pair, out: Pair, stride: Pair, padding: Pair) -> Array:
    """The same as the compiler sees it: the place is found first, through which no derivative goes."""
    x = padded(x, image, padding, -np.inf)
    result = np.empty((x.shape[0], image[0], out[0], out[1]), x.dtype)
    for n in range(x.shape[0]):
        for c in range(image[0]):
            for p in range(out[0]):
                for q in range(out[1]):
                    row, column = p * stride[0], q * stride[1]
                    best = x[n, c, row, column]
                    for i in range(window[0]):
                        for j in range(window[1]):
                            seen = x[n, c, p * stride[0] + i, q * stride[1] + j]
                            if seen > best or seen != seen:
                                best = seen
                                row, column = p * stride[0] + i, q * stride[1] + j
                    result[n, c, p, q] = x[n, c, row, column]
    return result


def avg_pool2d(x: Array, image: Image, window: Pair, out: Pair, stride: Pair, padding: Pair) -> Array:
    x = padded(x, image, padding, 0.0)
    total = np.zeros((x.shape[0], image[0], out[0], out[1]), x.dtype)
    for i in range(window[0]):
        for j in range(window[1]):
            total += x[:, :, places(i, out[0], stride[0]), places(j, out[1], stride[1])]
    return total / (window[0] * window[1])


def nll(log_probabilities: Array, target: Indices) -> Array:
    """Minus the logarithms of the probabilities of the targets, one for each row."""
    return -log_probabilities[np.arange(target.shape[0]), target]


def cross_entropy(logits: Array, target: Indices) -> Array:
    return nll(log_softmax(logits, 1), target)


def layer_norm(x: Array, axes: Any, eps: float) -> Array:
    centred = x - np.mean(x, axis=axes, keepdims=True)
    return centred / np.sqrt(np.mean(centred * centred, axis=axes, keepdims=True) + eps)


def binary_cross_entropy_with_logits(x: Array, target: Array) -> Array:
    return softplus(x) - x * target


def binary_cross_entropy(p: Array, target: Array) -> Array:
    """Logarithms are bounded below by -100, as in PyTorch."""
    return -(target * np.maximum(np.log(p), -100) + (1 - target) * np.maximum(np.log(1 - p), -100))


def smooth_l1(a: Array, b: Array, beta: float) -> Array:
    difference = a - b
    distance = np.abs(difference)
    return np.where(distance < beta, 0.5 * difference * difference / beta, distance - 0.5 * beta)


def huber(a: Array, b: Array, delta: float) -> Array:
    difference = a - b
    distance = np.abs(difference)
    return np.where(distance <= delta, 0.5 * difference * difference, delta * (distance - 0.5 * delta))


def gelu(x: Array) -> Array:
    return x * special.ndtr(x)
