"""Stage M3: reductions, shapes and joins, matrix products, while, break and continue, whole division."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them, without annotations.

from __future__ import annotations

import numpy as np

from census.feature import feature
from census.m1 import MATRIX, OTHER, VECTOR

THREE = np.array([0.6, -0.2, 0.9])


@feature("M3", "while c:", 4.5, 0.3, 0.8)
def kepler(mean_anomaly, eccentricity):
    angle = mean_anomaly
    error = 1.0
    while abs(error) > 1e-12:
        error = (angle - eccentricity * np.sin(angle) - mean_anomaly) / (1.0 - eccentricity * np.cos(angle))
        angle = angle - error
    return angle


@feature("M3", "break", 4.0, VECTOR, 2.0)
def first_exceeding(x, rate):
    total = 1.0
    for i in range(x.shape[0]):
        total += rate * x[i] * x[i]
        if total > 2.0:
            break
    return total * total


@feature("M3", "a // b", 3.9, VECTOR)
def middle(x):
    k = x.shape[0] // 2
    return x[k] * x[(k + 1) // 2]


@feature("M3", "a % b", 3.7, VECTOR, 5.3)
def periodic(x, phase):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * x[(i + 1) % x.shape[0]]
    return total + (phase % 2.0) ** 2


@feature("M3", "a @ b", 3.2, MATRIX, THREE)
def squared_residual(a, x):
    r = a @ x
    return r @ r


@feature("M3", "np.sum", 3.2, VECTOR, OTHER)
def log_sum(x, w):
    return np.log(np.sum(np.exp(x) * w**2))


@feature("M3", "continue", 2.7, VECTOR)
def positive_squares(x):
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] < 0.0:
            continue
        total += x[i] ** 2
    return total


@feature("M3", "a.reshape(n, m)", 2.0, VECTOR)
def determinant(x):
    a = x.reshape(2, 2)
    return a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]


@feature("M3", "np.arange(n)", 2.0, VECTOR)
def first_moment(x):
    return np.sum(np.arange(4) * x * x)


@feature("M3", "a.T", 1.5, MATRIX)
def gram(a):
    g = a.T @ a
    return g[0, 1] * g[1, 2] + g[0, 0]


@feature("M3", "axis=0", 1.3, MATRIX)
def column_variance(a):
    centred = a - a.sum(axis=0) / a.shape[0]
    return np.sum(np.sum(centred * centred, axis=1) ** 2)


@feature("M3", "a.sum()", 1.2, MATRIX)
def total_exponential(a):
    return np.exp(a).sum()


@feature("M3", "np.dot", 1.1, VECTOR, OTHER)
def cosine_similarity(x, y):
    return np.dot(x, y) / np.sqrt(np.dot(x, x) * np.dot(y, y))


@feature("M3", "np.where", 0.9, VECTOR)
def relu_energy(x):
    return np.sum(np.where(x > 0.0, x * x, 0.1 * x))


@feature("M3", "np.concatenate", 0.8, VECTOR, THREE)
def joined(x, y):
    z = np.concatenate((x, y))
    return np.sum(z[1:] * z[:-1])


@feature("M3", "np.maximum, np.minimum", 0.8, VECTOR, OTHER)
def hinge(x, y):
    return np.sum(np.maximum(1.0 - x * y, 0.0) ** 2) + np.sum(np.minimum(x, y))


@feature("M3", "np.max, np.min", 0.7, VECTOR)
def stable_log_sum(x):
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top))) + np.min(x) ** 2


@feature("M3", "np.mean", 0.7, VECTOR)
def variance(x):
    return np.mean((x - np.mean(x)) ** 2)


@feature("M3", "np.prod", 0.5, VECTOR)
def volume(x):
    return np.prod(1.0 + x * x)


@feature("M3", "np.linalg.norm", 0.5, VECTOR)
def unit_sum(x):
    return np.sum(x * x * x) / np.linalg.norm(x)


@feature("M3", "np.clip", 0.2, VECTOR)
def clipped_energy(x):
    return np.sum(np.clip(x, -0.5, 0.5) * x)


@feature("M3", "a.ravel()", 0.6, MATRIX)
def flat_products(a):
    flat = a.ravel()
    return np.sum(flat[1:] * flat[:-1])


@feature("M3", "np.transpose(a)", 0.3, MATRIX)
def transposed(a):
    b = np.transpose(a)
    return np.sum(b[1:] * b[:-1])


@feature("M3", "exp(a) * b + c on arrays", 2.5, VECTOR, OTHER)
def elementwise(x, y):
    z = np.exp(x) * y + x / (2.0 + y)
    return np.sum(z * z)


@feature("M3", "a[:, None] - b[None, :]", 0.5, VECTOR, THREE)
def pairwise_distance(x, y):
    return np.sum((x[:, None] - y[None, :]) ** 4)


@feature("M3", "a[::-1]", 0.6, VECTOR)
def palindrome(x):
    return np.sum(x * x[::-1])
