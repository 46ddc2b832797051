"""Distances of vectors, distributions and places, as nearest-neighbour libraries write them."""

# ruff: noqa: N803
# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them, without annotations; matrices have capital names.

from __future__ import annotations

import math

import numba
import numpy as np

from programs.program import program

EPS = 1e-9


def _pair(n=7, seed=0):
    random = np.random.default_rng(seed)
    return random.uniform(0.1, 1.0, n), random.uniform(0.1, 1.0, n)


def _signed(n=6, seed=1):
    random = np.random.default_rng(seed)
    return random.standard_normal(n), random.standard_normal(n)


@program(_signed)
def minkowski(x, y, p=3.2):
    result = 0.0
    for i in range(x.shape[0]):
        result += np.abs(x[i] - y[i]) ** p
    return result ** (1.0 / p)


@program(lambda: (*_signed(), np.linspace(0.5, 2.0, 36).reshape(6, 6) + 3.0 * np.eye(6)))
def mahalanobis(x, y, vinv):
    diff = np.empty(x.shape[0], dtype=np.float64)
    for i in range(x.shape[0]):
        diff[i] = x[i] - y[i]
    result = 0.0
    for i in range(x.shape[0]):
        tmp = 0.0
        for j in range(x.shape[0]):
            tmp += vinv[i, j] * diff[j]
        result += tmp * diff[i]
    return np.sqrt(result)


@program(_signed)
def chebyshev(x, y):
    result = 0.0
    for i in range(x.shape[0]):
        result = max(result, np.abs(x[i] - y[i]))
    return result


@program(_signed)
def canberra(x, y):
    result = 0.0
    for i in range(x.shape[0]):
        denominator = np.abs(x[i]) + np.abs(y[i])
        if denominator > 0:
            result += np.abs(x[i] - y[i]) / denominator
    return result


@program(_pair)
def bray_curtis(x, y):
    numerator = 0.0
    denominator = 0.0
    for i in range(x.shape[0]):
        numerator += np.abs(x[i] - y[i])
        denominator += np.abs(x[i] + y[i])
    if denominator > 0.0:
        return float(numerator) / denominator
    else:
        return 0.0


@numba.njit(fastmath=True)
def squared_norm(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * x[i]
    return total


@program(_signed, jitted=True)
def cosine(x, y):
    result = 0.0
    for i in range(x.shape[0]):
        result += x[i] * y[i]
    norm_x, norm_y = squared_norm(x), squared_norm(y)
    if norm_x == 0.0 and norm_y == 0.0:
        return 0.0
    elif norm_x == 0.0 or norm_y == 0.0:
        return 1.0
    return 1.0 - (result / np.sqrt(norm_x * norm_y))


@program(_signed)
def correlation_distance(x, y):
    mu_x = 0.0
    mu_y = 0.0
    norm_x = norm_y = 0.0
    dot_product = 0.0
    for i in range(x.shape[0]):
        mu_x += x[i]
        mu_y += y[i]
    mu_x /= x.shape[0]
    mu_y /= x.shape[0]
    for i in range(x.shape[0]):
        shifted_x = x[i] - mu_x
        shifted_y = y[i] - mu_y
        norm_x += shifted_x**2
        norm_y += shifted_y**2
        dot_product += shifted_x * shifted_y
    if norm_x == 0.0 and norm_y == 0.0:
        return 0.0
    elif dot_product == 0.0:
        return 1.0
    return 1.0 - (dot_product / np.sqrt(norm_x * norm_y))


@program(_pair)
def hellinger(x, y):
    result = 0.0
    l1_norm_x = 0.0
    l1_norm_y = 0.0
    for i in range(x.shape[0]):
        result += np.sqrt(x[i] * y[i])
        l1_norm_x += x[i]
        l1_norm_y += y[i]
    if l1_norm_x == 0 and l1_norm_y == 0:
        return 0.0
    if l1_norm_x == 0 or l1_norm_y == 0:
        return 1.0
    return np.sqrt(1 - result / np.sqrt(l1_norm_x * l1_norm_y))


@program(lambda: (np.array([0.7, -1.2]), np.array([0.3, 2.1])))
def haversine(x, y):
    if x.shape[0] != 2:
        raise ValueError("haversine is only defined for 2 dimensional data")
    sin_lat = np.sin(0.5 * (x[0] - y[0]))
    sin_long = np.sin(0.5 * (x[1] - y[1]))
    result = np.sqrt(sin_lat**2 + np.cos(x[0]) * np.cos(y[0]) * sin_long**2)
    return 2.0 * np.arcsin(result)


@program(_pair)
def jensen_shannon(x, y):
    dim = x.shape[0]
    p, q = x + EPS, y + EPS
    p /= np.sum(p)
    q = q / q.sum()
    m = 0.5 * (p + q)
    result = 0.0
    for i in range(dim):
        result += 0.5 * (p[i] * np.log(p[i] / m[i]) + q[i] * np.log(q[i] / m[i]))
    return result


@program(lambda: _signed(3, 5))
def poincare(u, v):
    def squash(w):
        return w / (1.0 + np.sqrt(1.0 + np.dot(w, w)))

    u, v = squash(u), squash(v)
    gap = np.sum((u - v) ** 2)
    return math.acosh(1.0 + 2.0 * gap / ((1.0 - np.sum(u * u)) * (1.0 - np.sum(v * v))))


@program(lambda: _pair(9, 3))
def wasserstein_1d(x, y, p=2):
    """Between two histograms on a line: the p-norm of the difference of their cumulative sums."""
    x_cdf, y_cdf = np.zeros(x.shape[0]), np.zeros(y.shape[0])
    x_sum = y_sum = 0.0
    for i in range(x.shape[0]):
        x_sum += x[i]
        y_sum += y[i]
        x_cdf[i] = x_sum
        y_cdf[i] = y_sum
    for i in range(x.shape[0]):
        x_cdf[i] /= x_sum
        y_cdf[i] /= y_sum
    if p > 2:
        return np.power(np.sum(np.abs(x_cdf - y_cdf) ** p), 1.0 / p)
    elif p == 2:
        total = 0.0
        for i in range(x.shape[0]):
            total += (x_cdf[i] - y_cdf[i]) ** 2
        return np.sqrt(total)
    return np.sum(np.abs(x_cdf - y_cdf))


@program(lambda: (*_pair(5, 2), np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))))
def sinkhorn(a, b, cost, epsilon=0.5, n_iterations=8):
    kernel = np.exp(-cost / epsilon)
    a = a / a.sum()
    b = b / b.sum()
    u = np.ones(a.shape[0])
    v = np.ones_like(b)
    for _ in range(n_iterations):
        u = a / kernel.dot(v)
        v = b / kernel.T.dot(u)
    return np.sum(u[:, None] * kernel * v[None, :] * cost)


@program(lambda: (_signed(5, 8)[0].reshape(5, 1) * np.ones((1, 3)) + np.eye(5, 3), np.eye(4, 3) * 2.0 + 0.3))
def pairwise_squared(A, B):
    return np.sum(A**2, axis=1)[:, None] + np.sum(B**2, axis=1)[None, :] - 2.0 * A @ B.T


@program(lambda: (np.array([[0.1, 0.2], [1.3, 0.4], [0.9, 1.7]]), np.array([[0.3, -0.2], [1.1, 0.9]])))
def hausdorff(P, Q):
    worst = 0.0
    for i in range(P.shape[0]):
        nearest = np.inf
        for j in range(Q.shape[0]):
            d = math.sqrt((P[i, 0] - Q[j, 0]) ** 2 + (P[i, 1] - Q[j, 1]) ** 2)
            if d < nearest:
                nearest = d
        if nearest > worst:
            worst = nearest
    return worst
