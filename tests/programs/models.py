"""Signals, networks, regressions and molecules."""

# ruff: noqa: N803, N806
# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them, without annotations; matrices have capital names.

from __future__ import annotations

import numpy as np

from programs.program import program


def bit_reversed_fourier(re, im):
    n = re.size
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            re[i], re[j] = re[j], re[i]
            im[i], im[j] = im[j], im[i]
    length = 2
    while length <= n:
        angle = -2.0 * np.pi / length
        for start in range(0, n, length):
            for k in range(length // 2):
                wr, wi = np.cos(angle * k), np.sin(angle * k)
                a, b = start + k, start + k + length // 2
                tr = wr * re[b] - wi * im[b]
                ti = wr * im[b] + wi * re[b]
                re[b], im[b] = re[a] - tr, im[a] - ti
                re[a], im[a] = re[a] + tr, im[a] + ti
        length *= 2


@program(lambda: (np.random.default_rng(0).standard_normal(8),))
def power_spectrum(x):
    re, im = x.copy(), np.zeros_like(x)
    bit_reversed_fourier(re, im)
    return re**2 + im**2


@program(lambda: (np.array([1.2, 0.9, 1.5, 1.1, 2.3, 1.9, 2.0]), np.array([1.0, 2.0, 1.0, 0.5, 1.0, 1.5, 1.0])))
def isotonic_regression(y, w):
    """Pool adjacent violators, on a stack of blocks."""
    n = y.shape[0]
    level, weight = np.empty(n), np.empty(n)
    size = np.empty(n, dtype=np.int64)
    top = -1
    for i in range(n):
        top += 1
        level[top], weight[top], size[top] = y[i], w[i], 1
        while top > 0 and level[top - 1] > level[top]:
            total = weight[top - 1] + weight[top]
            level[top - 1] = (weight[top - 1] * level[top - 1] + weight[top] * level[top]) / total
            weight[top - 1] = total
            size[top - 1] += size[top]
            top -= 1
    out = np.empty(n)
    position = 0
    for b in range(top + 1):
        out[position : position + size[b]] = level[b]
        position += size[b]
    return out


@program(
    lambda: tuple(np.random.default_rng(k).standard_normal(s) for k, s in enumerate([(4, 3), (3, 3), (3, 3), (3, 2)]))
)
def attention(x, wq, wk, wv):
    q, k, v = x @ wq, x @ wk, x @ wv
    scores = q @ k.T / np.sqrt(q.shape[-1])
    mask = np.triu(np.ones(scores.shape), 1) > 0
    scores = np.where(mask, -1e9, scores)
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (scores / scores.sum(axis=-1, keepdims=True)) @ v


@program(
    lambda: tuple(np.random.default_rng(k).standard_normal(s) for k, s in enumerate([(2, 6, 6, 2), (3, 3, 2, 3), (3,)]))
)
def convolution_layer(images, kernels, bias):
    k = kernels.shape[0]
    n, h, w, _ = images.shape
    out = np.empty((n, h - k + 1, w - k + 1, kernels.shape[3]))
    for i in range(h - k + 1):
        for j in range(w - k + 1):
            patch = images[:, i : i + k, j : j + k, :, np.newaxis]
            out[:, i, j, :] = np.sum(patch * kernels[np.newaxis, :, :, :], axis=(1, 2, 3))
    out = np.maximum(out + bias, 0.0)
    return out.reshape(n, 2, 2, 2, 2, -1).max(axis=(2, 4))


@program(lambda: (np.random.default_rng(3).standard_normal((8, 3)), np.array([0.3, -0.2, 0.5]), np.arange(8) % 2, 0.1))
def logistic_regression_by_newton(X, w, y, ridge):
    for _ in range(4):
        p = 1.0 / (1.0 + np.exp(-X @ w))
        gradient = X.T @ (p - y) + ridge * w
        H = X.T @ (X * (p * (1.0 - p))[:, None]) + ridge * np.eye(w.size)
        w = w - np.linalg.solve(H, gradient)
    return w


@program(lambda: (np.random.default_rng(5).uniform(0, 3.0, (5, 3)), 3.0, 1.4))
def periodic_lennard_jones(positions, box, cutoff):
    energy = 0.0
    forces = np.zeros_like(positions)
    n = len(positions)
    for i in range(n - 1):
        for j in range(i + 1, n):
            d = positions[i] - positions[j]
            d -= box * np.rint(d / box)
            r2 = d @ d
            if r2 > cutoff * cutoff:
                continue
            s6 = 1.0 / (r2 + 0.5) ** 3
            energy += 4.0 * (s6 * s6 - s6)
            push = 24.0 * (2.0 * s6 * s6 - s6) / (r2 + 0.5) * d
            forces[i] += push
            forces[j] -= push
    return energy, forces


@program(lambda: (np.random.default_rng(6).standard_normal((4, 3)),))
def dihedral_angle(p):
    b0, b1, b2 = p[0] - p[1], p[2] - p[1], p[3] - p[2]
    b1 = b1 / np.linalg.norm(b1)
    v = b0 - np.dot(b0, b1) * b1
    w = b2 - np.dot(b2, b1) * b1
    return np.arctan2(np.dot(np.cross(b1, v), w), np.dot(v, w))


@program(lambda: (np.array([1.0, 0.5, 0.0]), np.array([0.7, 0.2, 0.9])))
def stiff_kinetics(c, k):
    """Implicit Euler; Newton with the Jacobian by hand."""
    h = 0.3
    for _ in range(4):
        new = c.copy()
        for _ in range(6):
            r0, r1, r2 = k[0] * new[0], k[1] * new[1] * new[2], k[2] * new[1] ** 2
            residual = new - c - h * np.array([-r0 + r1, r0 - r1 - r2, r2])
            J = np.eye(3)
            J[0, :] -= h * np.array([-k[0], k[1] * new[2], k[1] * new[1]])
            J[1, :] -= h * np.array([k[0], -k[1] * new[2] - 2 * k[2] * new[1], -k[1] * new[1]])
            J[2, 1] -= h * 2 * k[2] * new[1]
            new = new - np.linalg.solve(J, residual)
        c = new
    return c


@program(lambda: (np.random.default_rng(8).uniform(0.5, 1.5, (4, 4)), 2))
def self_consistent_field(hopping, electrons):
    """Mean-field energy: eigenvalues of a matrix that depends on the density it gives."""
    H0 = 0.5 * (hopping + hopping.T)
    density = np.full(H0.shape[0], electrons / H0.shape[0])
    for _ in range(8):
        energies, orbitals = np.linalg.eigh(H0 + np.diag(0.4 * density))
        occupied = orbitals[:, :electrons]
        density = 0.5 * density + 0.5 * np.sum(occupied**2, axis=1)
    return np.sum(energies[:electrons]) - 0.2 * np.dot(density, density)
