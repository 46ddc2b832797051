"""The kernels of a polyhedral benchmark suite, as loops and as array expressions."""

# ruff: noqa: N803, N806
# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them, without annotations; matrices have capital names.

from __future__ import annotations

import numpy as np

from programs.program import program


def _random(*shape, seed=0):
    return np.random.default_rng(seed).uniform(0.2, 1.0, shape)


@program(lambda: (_random(6, 4), 6.0))
def correlation(data, count):
    mean = np.mean(data, axis=0)
    stddev = np.std(data, axis=0)
    stddev[stddev <= 0.1] = 1.0
    data -= mean
    data /= np.sqrt(count) * stddev
    corr = np.eye(data.shape[1], dtype=data.dtype)
    for i in range(data.shape[1] - 1):
        corr[i + 1 :, i] = corr[i, i + 1 :] = data[:, i] @ data[:, i + 1 :]
    return corr


@program(lambda: (_random(6, 4), 6.0))
def covariance(data, count):
    n, m = data.shape
    mean = np.zeros(m)
    for j in range(m):
        for i in range(n):
            mean[j] += data[i, j]
        mean[j] /= count
    for i in range(n):
        for j in range(m):
            data[i, j] -= mean[j]
    cov = np.zeros((m, m))
    for i in range(m):
        for j in range(i, m):
            for k in range(n):
                cov[i, j] += data[k, i] * data[k, j]
            cov[i, j] /= count - 1.0
            cov[j, i] = cov[i, j]
    return cov


@program(lambda: (_random(4, 3), _random(3, seed=1)))
def atax(A, x):
    y = np.zeros(A.shape[1])
    for i in range(A.shape[0]):
        tmp = 0.0
        for j in range(A.shape[1]):
            tmp = tmp + A[i, j] * x[j]
        for j in range(A.shape[1]):
            y[j] = y[j] + A[i, j] * tmp
    return y


@program(lambda: (_random(4, 3), _random(3, seed=1), _random(4, seed=2)))
def bicg(A, p, r):
    s = np.zeros(A.shape[1])
    q = np.zeros(A.shape[0])
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            s[j] += r[i] * A[i, j]
            q[i] += A[i, j] * p[j]
    return s, q


@program(lambda: (1.5, 1.2, _random(4, 4), _random(4, 3, seed=1)))
def syrk(alpha, beta, C, A):
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += alpha * A[i, k] * A[: i + 1, k]
    return C


@program(lambda: (1.5, _random(4, 4), _random(4, 3, seed=1)))
def trmm(alpha, A, B):
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            for k in range(i + 1, B.shape[0]):
                B[i, j] += A[k, i] * B[k, j]
            B[i, j] = alpha * B[i, j]
    return B


@program(lambda: (1.5, 1.2, _random(3, 4), _random(3, 3, seed=1), _random(3, 4, seed=2)))
def symm(alpha, beta, C, A, B):
    temp2 = np.empty((C.shape[1],), dtype=C.dtype)
    C *= beta
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[:i, j] += alpha * B[i, j] * A[i, :i]
            temp2[j] = B[:i, j] @ A[i, :i]
        C[i, :] += alpha * B[i, :] * A[i, i] + alpha * temp2
    return C


@program(lambda: (0.25, _random(5, 6)))
def deriche(alpha, img):
    k = (1.0 - np.exp(-alpha)) ** 2 / (1.0 + 2.0 * alpha * np.exp(-alpha) - np.exp(2.0 * alpha))
    a1 = a5 = k
    a2 = a6 = k * np.exp(-alpha) * (alpha - 1.0)
    a3 = a7 = k * np.exp(-alpha) * (alpha + 1.0)
    a4 = a8 = -k * np.exp(-2.0 * alpha)
    b1, b2 = 2.0 * np.exp(-alpha), -np.exp(-2.0 * alpha)
    w, h = img.shape
    y1 = np.zeros((w, h))
    y2 = np.zeros((w, h))
    out = np.zeros((w, h))
    for i in range(w):
        ym1 = ym2 = xm1 = 0.0
        for j in range(h):
            y1[i, j] = a1 * img[i, j] + a2 * xm1 + b1 * ym1 + b2 * ym2
            xm1, ym2, ym1 = img[i, j], ym1, y1[i, j]
        yp1 = yp2 = xp1 = xp2 = 0.0
        for j in range(h - 1, -1, -1):
            y2[i, j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2
            xp2, xp1, yp2, yp1 = xp1, img[i, j], yp1, y2[i, j]
        for j in range(h):
            out[i, j] = y1[i, j] + y2[i, j]
    for j in range(h):
        tm1 = ym1 = ym2 = 0.0
        for i in range(w):
            y1[i, j] = a5 * out[i, j] + a6 * tm1 + b1 * ym1 + b2 * ym2
            tm1, ym2, ym1 = out[i, j], ym1, y1[i, j]
        tp1 = tp2 = yp1 = yp2 = 0.0
        for i in range(w - 1, -1, -1):
            y2[i, j] = a7 * tp1 + a8 * tp2 + b1 * yp1 + b2 * yp2
            tp2, tp1, yp2, yp1 = tp1, out[i, j], yp1, y2[i, j]
    return y1 + y2


@program(lambda: (_random(5, 5),))
def floyd_warshall(path):
    for k in range(path.shape[0]):
        for i in range(path.shape[0]):
            for j in range(path.shape[0]):
                path[i, j] = min(path[i, j], path[i, k] + path[k, j])
    return path


@program(lambda: (1.5, 1.2, _random(4, 4), *(_random(4, seed=k) for k in range(1, 9))))
def gemver(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    A += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * y @ A + z
    w += alpha * A @ x
    return w


@program(lambda: (_random(2, 3, 4), _random(4, 4, seed=1)))
def doitgen(A, C4):
    total = np.zeros(A.shape[2])
    for r in range(A.shape[0]):
        for q in range(A.shape[1]):
            for p in range(A.shape[2]):
                total[p] = 0.0
                for s in range(A.shape[2]):
                    total[p] += A[r, q, s] * C4[s, p]
            A[r, q, :] = total
    return A


@program(lambda: (3, _random(5, 5)))
def seidel_2d(steps, A):
    for _ in range(steps):
        for i in range(1, A.shape[0] - 1):
            for j in range(1, A.shape[1] - 1):
                A[i, j] = A[i - 1 : i + 2, j - 1 : j + 2].sum() / 9.0
    return A


@program(lambda: (4, _random(6, 6), _random(6, 6, seed=1)))
def jacobi_2d(steps, A, B):
    for _ in range(steps):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])
    return A


@program(lambda: (np.array([0, 1, 2, 3, 1, 2, 0]), np.array([1.3, 0.9, 0.4])))
def nussinov(seq, pairing):
    """The maximum weight of a folding; the weights of the pairs (integers in the original) are real here."""
    n = len(seq)
    table = np.zeros((n, n))
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            table[i, j] = max(table[i, j - 1], table[i + 1, j])
            if i < j - 1:
                match = pairing[min(seq[i], seq[j])] if seq[i] + seq[j] == 3 else 0.0
                table[i, j] = max(table[i, j], table[i + 1, j - 1] + match)
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table[0, n - 1]
