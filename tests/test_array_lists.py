"""Lists of arrays that grow at run time: what is appended, read, looped over and made an array of."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import confirm

from srcgrad import Error, grad, jit

X = np.array([0.3, -0.8, 1.1])


def history(x, n):
    u = x.copy()
    past = []
    for t in range(n):
        u = np.sin(u) * 1.2 + 0.1 * t * x
        past.append(u)
    total = 0.0
    for v in past:
        total += np.sum(v * v)
    return total + past[-1][0] * past[0][1] + np.sum(past[n // 2])


def in_place(x, n):
    u = x.copy()
    past = [u.copy()]
    for t in range(n):
        u[0] = u[1] * u[2]
        u[1:] *= 0.9
        u += 0.1 * t
        past.append(u.copy())
    stacked = np.array(past)
    return np.sum(stacked[1:] * stacked[:-1]) + len(past) * stacked[-1, 0]


def until(x):
    past, k = [], 0
    u = x
    while np.sum(u * u) > 0.3:
        past.append((k, u, np.sum(u)))
        u = u * 0.8
        k += 1
    total = 0.0
    for k, v, s in past:
        total += k * s * np.sum(v**3)
    return total


def matrices(x, n):
    past = []
    m = np.outer(x, x) + np.eye(3)
    for t in range(n):
        if t % 3 != 1:
            past.append(m @ m * 0.1)
        m = 0.5 * (m + past[-1].T)
    return np.sum(np.stack(past)[::2] ** 2) + np.sum(past[0] @ past[-1])


def as_a_stack(x, n):
    waiting = [x, 2 * x]
    total, k = 0.0, 0
    while len(waiting) > 0 and k < 3 * n:
        v = waiting.pop()
        total += np.sum(np.cos(v))
        k += 1
        if k < n:
            waiting.append(v * 0.7)
            waiting.append(v[::-1] + 0.1)
    return total


def beside_arrays_that_swap(x, n):
    past = [x * 1.0]
    u, v = x.copy(), x * 2.0
    for i in range(n):
        past.append(np.sin(past[-1]) * u)
        u, v = v, u
        if u[1] > 0.3:
            u = u * 0.7
        u[0] += past[-1][1] * x[i % 3]
    return np.sum(past[1] * past[2]) + np.sum(u * v)


def replaced(x, n):
    past = [x, x * 2.0, np.ones(3)]
    for t in range(n):
        last = past[-1]
        past[t % 3] = last * past[0] + 0.1
        past.append(last + past[1])
    return sum([np.sum(v) * (k + 1) for k, v in enumerate(past)])


def cleared(x, n):
    rows, total = [], 0.0
    for t in range(n):
        rows.append(x[: 2 + t % 2] * t)
        if len(rows) == 1 + t % 2:
            total += np.sum(np.array(rows) ** 2)
            rows.clear()
    return total


def all_of_one(x, n):
    """What is appended is never written to, so that it may be one array."""
    past = []
    w = x * x
    for _ in range(n):
        past.append(w)
        past.append(x)
    return np.sum(np.array(past) ** 3)


def views(x, n):
    rows = []
    a = np.outer(x, x)
    for t in range(n):
        rows.append(a[t % 3])
        rows.append(a[:, 1])
    return np.sum(np.array(rows) ** 2) + rows[0][1]


def joined(x, n):
    parts = []
    for t in range(n):
        parts.append(x * t)
    return np.sum(np.concatenate(parts) ** 2) + np.sum(np.vstack(parts)[1:] ** 3)


PROGRAMS = [history, in_place, matrices, as_a_stack, beside_arrays_that_swap, replaced, all_of_one, views, joined]


@pytest.mark.parametrize("f", PROGRAMS)
def test_all_modes(f):
    confirm(f, X, 7)


def test_tuples():
    confirm(until, X)


@pytest.mark.parametrize("f", [history, in_place, replaced])
def test_jitted(f):
    assert jit(f)(X, 21) == pytest.approx(f(X, 21), rel=1e-12)
    np.testing.assert_allclose(grad(f)(X, 21), grad(f, jit=False)(X, 21), rtol=1e-12)


def test_shapes():
    with pytest.raises(ValueError, match="different shapes; found extents 3 and 2"):
        jit(cleared, jit=False)(X, 4)

    def short(x, n):
        rows = []
        for t in range(n):
            rows.append(x[: 1 + t])
            if t == 1:
                rows.clear()
        return np.sum(np.array(rows))

    with pytest.raises(ValueError, match="different shapes; found extents 1 and 2"):
        jit(short, jit=False)(X, 2)


def test_other_shapes_after_the_first_ones_are_gone():
    def f(x, n):
        rows, total = [], 0.0
        for t in range(n):
            for k in range(3):
                rows.append(x[: 1 + t] * k)
            total += np.sum(np.array(rows) ** 2)
            rows.clear()
        return total

    confirm(f, X, 3)


def written_later(x, n):
    past, u = [], x.copy()
    for _ in range(n):
        past.append(u)
        u[0] *= 2.0
    return np.sum(past[0])


def written_before(x, n):
    past, u = [], x.copy()
    for _ in range(n):
        u[0] *= 2.0
        past.append(u)
    return np.sum(past[0])


def written_in_the_next_iteration(x, n):
    past, u = [], x.copy()
    for _ in range(n):
        u[0] *= 2.0
        u = u + 1.0
        past.append(u)
    return np.sum(past[0])


def written_after_the_loop(x, n):
    past, u = [], x.copy()
    for _ in range(n):
        u = u + 1.0
        past.append(u)
    u[0] = 5.0
    return np.sum(past[-1])


def item_written_to(x, n):
    past = []
    for t in range(n):
        past.append(x * t)
    past[0][1] = 3.0
    return np.sum(past[0])


def carried_item_written_to(x, n):
    past, last = [], x * 1.0
    for t in range(n):
        last[0] = 3.0 * t
        past.append(x * t)
        last = past[-1]
    return np.sum(past[0])


def carried_array_put_in(x, n):
    past, a, b = [], x.copy(), x * 2.0
    for _ in range(n):
        past.append(a)
        b[0] = a[1] * 3.0
        a, b = b, a
    return np.sum(past[0] * past[-1])


REFUSED = [
    *(written_later, written_before, written_in_the_next_iteration, written_after_the_loop),
    *(item_written_to, carried_item_written_to, carried_array_put_in),
]


@pytest.mark.parametrize("f", REFUSED)
def test_what_python_would_see_in_the_list(f):
    with pytest.raises(Error, match="written to after a view of it was kept"):
        jit(f, jit=False)(X, 3)
