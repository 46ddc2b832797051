"""Recursive functions that write to arrays they are given, or read some that change later."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import confirm

from srcgrad import UnsupportedError, grad, jit

X = np.array([0.9, -0.4, 1.3, 0.2, 0.7, -1.1, 0.5, 0.8])


def haar(a, n):
    """A wavelet transform in place."""
    if n < 2:
        return
    half = n // 2
    kept = np.empty(n)
    for i in range(half):
        kept[i] = a[2 * i] * a[2 * i + 1]
        kept[half + i] = a[2 * i] - np.sin(a[2 * i + 1])
    for i in range(n):
        a[i] = kept[i]
    haar(a, half)


def by_haar(x):
    a = x * 2.0
    haar(a, 8)
    return np.sum(a * a * np.arange(1.0, 9.0))


def merge_sort(a, scratch, low, high):
    if high - low < 2:
        return
    middle = (low + high) // 2
    merge_sort(a, scratch, low, middle)
    merge_sort(a, scratch, middle, high)
    i, j = low, middle
    for k in range(low, high):
        if j >= high or (i < middle and a[i] <= a[j]):
            scratch[k] = a[i]
            i += 1
        else:
            scratch[k] = a[j]
            j += 1
    for k in range(low, high):
        a[k] = scratch[k]


def by_sort(x):
    a = np.sin(x)
    merge_sort(a, np.empty(8), 0, 8)
    return np.sum(a * np.arange(8.0) ** 2) * a[0]


def descend(tree, total, node, scale):
    """Numbers returned, and an array of results filled on the way."""
    if node >= tree.shape[0]:
        return scale
    left = descend(tree, total, 2 * node + 1, scale * tree[node])
    right = descend(tree, total, 2 * node + 2, scale + tree[node])
    total[node] += left * right
    return left + right * total[node]


def by_tree(x):
    total = np.zeros(8)
    value = descend(x, total, 0, 0.5)
    return value + np.sum(total**2)


def on_views(a):
    if a.shape[0] == 1:
        a[0] = a[0] * a[0]
        return
    m = a.shape[0] // 2
    on_views(a[:m])
    on_views(a[m:])
    for i in range(m):
        a[i] = a[i] + 0.5 * a[m + i]


def by_views(x):
    a = x.copy()
    on_views(a[::2])
    on_views(a[:4])
    return np.sum(a**2)


def weighed(w, n):
    if n == 0:
        return 1.0
    return w[n - 1] * weighed(w, n - 1) + weighed(w, n // 2)


def read_before_it_changes(x):
    w = x.copy()
    total = 0.0
    for i in range(4):
        total += weighed(w, 5) * (i + 1)
        w[i] = w[i] * w[i + 1]
    return total


def base_case_is_no_iteration(x, start):
    total = 1.0
    for i in range(start, 5):
        total -= x[i] * base_case_is_no_iteration(x, i + 1) * 0.3
    return total


def by_no_iteration(x):
    return base_case_is_no_iteration(x, 0)


PROGRAMS = [by_haar, by_sort, by_tree, by_views, read_before_it_changes, by_no_iteration]


@pytest.mark.parametrize("f", PROGRAMS)
def test_all_modes(f):
    confirm(f, X)


@pytest.mark.parametrize("f", [by_haar, by_tree])
def test_jitted(f):
    assert jit(f)(X) == pytest.approx(f(X), rel=1e-12)
    np.testing.assert_allclose(grad(f)(X), grad(f, jit=False)(X), rtol=1e-12)


def shared(a, b, n):
    if n == 0:
        return
    for i in range(a.shape[0]):
        a[i] += b[i] * b[0]
    shared(a, b, n - 1)


def test_arrays_that_share_memory_are_refused():
    def f(x):
        a = x.copy()
        shared(a[:4], a[2:6], 2)
        return np.sum(a)

    assert jit(f, jit=False)(X) == pytest.approx(f(X))
    with pytest.raises(UnsupportedError, match="writes to an array argument"):
        grad(f, jit=False)(X)
