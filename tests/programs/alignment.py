"""Dynamic programs over two sequences or a hidden chain: warping, alignment, forward and Viterbi recursions."""

# ruff: noqa: N803, N806
# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them, without annotations; matrices have capital names.

from __future__ import annotations

import numba
import numpy as np

from programs.program import program


def _series(seed=0):
    random = np.random.default_rng(seed)
    return random.standard_normal((6, 2)), random.standard_normal((5, 2))


def _chain(seed=3):
    random = np.random.default_rng(seed)
    A, B = random.uniform(0.1, 1.0, (3, 3)), random.uniform(0.1, 1.0, (3, 4))
    return A / A.sum(axis=1, keepdims=True), B / B.sum(axis=1, keepdims=True), np.array([0.5, 0.3, 0.2])


OBSERVED = np.array([0, 2, 1, 3, 1, 0, 2])


@numba.njit
def local_squared_dist(x, y):
    dist = 0.0
    for di in range(x.shape[0]):
        diff = x[di] - y[di]
        dist += diff * diff
    return dist


@program(_series, jitted=True)
def dynamic_time_warping(s1, s2):
    l1, l2 = s1.shape[0], s2.shape[0]
    cum_sum = np.full((l1 + 1, l2 + 1), np.inf)
    cum_sum[0, 0] = 0.0
    for i in range(l1):
        for j in range(l2):
            if np.abs(i - j) <= 3:
                cum_sum[i + 1, j + 1] = local_squared_dist(s1[i], s2[j])
                cum_sum[i + 1, j + 1] += min(cum_sum[i, j + 1], cum_sum[i + 1, j], cum_sum[i, j])
    return np.sqrt(cum_sum[-1, -1])


def softmin3(a, b, c, gamma):
    a /= -gamma
    b /= -gamma
    c /= -gamma
    max_val = max(max(a, b), c)
    tmp = 0.0
    tmp += np.exp(a - max_val)
    tmp += np.exp(b - max_val)
    tmp += np.exp(c - max_val)
    return -gamma * (np.log(tmp) + max_val)


@program(lambda: (np.abs(np.subtract.outer(*[s[:, 0] for s in _series()])) ** 2, 0.7), jitted=True)
def soft_dtw(D, gamma):
    m, n = D.shape
    R = np.full((m + 2, n + 2), 1e10)
    R[0, 0] = 0.0
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            R[i, j] = D[i - 1, j - 1] + softmin3(R[i - 1, j], R[i - 1, j - 1], R[i, j - 1], gamma)
    return R[m, n]


@program(lambda: (np.array([0.1, 0.5, 0.9, 0.4]), np.array([0.2, 0.3, 0.7]), 0.7))
def soft_dtw_with_infinite_borders(x, y, gamma):
    """Every tangent by gamma is infinite beside the border, and the weight of what has it is zero."""
    n, m = len(x), len(y)
    table = np.full((n + 1, m + 1), np.inf)
    table[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            best = softmin3(table[i, j + 1], table[i + 1, j], table[i, j], gamma)
            table[i + 1, j + 1] = (x[i] - y[j]) ** 2 + best
    return table[n, m]


@program(lambda: (np.sort(_series(5)[0][:, 0]), _series(6)[0][:, 1], 0.4))
def edit_distance_real_penalty(x, y, g):
    n, m = len(x), len(y)
    previous = np.zeros(m + 1)
    for j in range(1, m + 1):
        previous[j] = previous[j - 1] + abs(y[j - 1] - g)
    for i in range(1, n + 1):
        current = np.empty_like(previous)
        current[0] = previous[0] + abs(x[i - 1] - g)
        for j in range(1, m + 1):
            current[j] = min(
                previous[j - 1] + abs(x[i - 1] - y[j - 1]),
                previous[j] + abs(x[i - 1] - g),
                current[j - 1] + abs(y[j - 1] - g),
            )
        previous = current
    return previous[-1]


@program(lambda: (np.random.default_rng(2).normal(0.3, 1.0, (6, 5)), 0.6, 0.25))
def affine_gap_alignment(score, gap_open, gap_extend):
    """Local alignment with affine gaps (Gotoh); the three tables as one array."""
    n, m = score.shape
    H = np.zeros((3, n + 1, m + 1))
    H[1:, 0, :] = -1e9
    H[1:, :, 0] = -1e9
    best = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            H[1, i, j] = max(H[0, i - 1, j] - gap_open, H[1, i - 1, j] - gap_extend)
            H[2, i, j] = max(H[0, i, j - 1] - gap_open, H[2, i, j - 1] - gap_extend)
            s = H[0, i - 1, j - 1] + score[i - 1, j - 1]
            H[0, i, j] = max(0.0, s, H[1, i, j], H[2, i, j])
            if H[0, i, j] > best:
                best = H[0, i, j]
    return best


@program(lambda: (*_chain(), OBSERVED))
def scaled_forward(A, B, pi, obs):
    """The log-likelihood of a hidden Markov model with scaling, in array style."""
    alpha = pi * B[:, obs[0]]
    c = alpha.sum()
    alpha /= c
    loglik = np.log(c)
    for t in range(1, len(obs)):
        alpha = (alpha @ A) * B[:, obs[t]]
        c = np.sum(alpha)
        alpha = alpha / c
        loglik += np.log(c)
    return loglik


@numba.njit(nogil=True)
def logsumexp(v):
    vmax = -np.inf
    for k in range(v.size):
        if v[k] > vmax:
            vmax = v[k]
    if np.isinf(vmax):
        return vmax
    acc = 0.0
    for k in range(v.size):
        acc += np.exp(v[k] - vmax)
    return np.log(acc) + vmax


@program(lambda: (np.log(_chain()[2]), np.log(_chain()[0]), np.random.default_rng(1).standard_normal((6, 3))))
def log_forward(log_startprob, log_transmat, framelogprob):
    n_samples, n_components = framelogprob.shape
    fwdlattice = np.zeros((n_samples, n_components))
    work_buffer = np.zeros(n_components)
    for i in range(n_components):
        fwdlattice[0, i] = log_startprob[i] + framelogprob[0, i]
    for t in range(1, n_samples):
        for j in range(n_components):
            for i in range(n_components):
                work_buffer[i] = fwdlattice[t - 1, i] + log_transmat[i, j]
            fwdlattice[t, j] = logsumexp(work_buffer) + framelogprob[t, j]
    return logsumexp(fwdlattice[n_samples - 1])


@program(lambda: (np.log(_chain()[2]), np.log(_chain()[0]), np.random.default_rng(1).standard_normal((6, 3))))
def viterbi(log_start, log_trans, frame):
    """The best path's log-probability, and it read off again along the path."""
    T, K = frame.shape
    delta = log_start + frame[0]
    back = np.zeros((T, K), dtype=np.int64)
    for t in range(1, T):
        candidate = delta.reshape(-1, 1) + log_trans
        back[t] = np.argmax(candidate, axis=0)
        delta = np.max(candidate, axis=0) + frame[t]
    state = np.argmax(delta)
    total = delta[state]
    again = 0.0
    for t in range(T - 1, 0, -1):
        previous = back[t, state]
        again += frame[t, state] + log_trans[previous, state]
        state = previous
    again += frame[0, state] + log_start[state]
    return total, again


@program(lambda: (np.random.default_rng(4).standard_normal((5, 3)), np.random.default_rng(5).standard_normal((3, 3))))
def chain_crf_partition(emissions, transitions):
    score = emissions[0].copy()
    for t in range(1, emissions.shape[0]):
        table = score[:, np.newaxis] + transitions
        top = table.max(axis=0)
        score = emissions[t] + top + np.log(np.exp(table - top).sum(axis=0))
    m = score.max()
    return m + np.log(np.sum(np.exp(score - m)))
