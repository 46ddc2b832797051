"""Lists of run-time length that hold lists of numbers, each of the same length."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import confirm

from srcgrad import Error, grad, jit

X = np.array([0.4, 1.3, -0.7, 0.9])


def table(x, n):
    rows = []
    for i in range(n):
        rows.append([x[i], x[i] * x[0], 2.0])
    total = 0.0
    for a, b, c in rows:
        total += a * b + c * a
    m = np.array(rows)
    return total + rows[1][0] * rows[-1][1] + np.sum(m[:, 0] * m[:, 1]) + np.sum(m**2)


def edges(x, n):
    segments = [[0.0, x[0]]]
    k = 0
    while len(segments) < n + 2:
        start, end = segments[k]
        segments.append([start * x[1], end + x[2]])
        segments.append([end, start * end])
        k += 1
    return sum([b * b - a for a, b in segments])


def built_step_by_step(x, n):
    rows = []
    for i in range(n):
        row = [0.0, x[i]]
        row[0] = x[i] ** 2
        rows.append(row)
    return sum([a * b for a, b in rows if a > 0.1]) + rows[0][1]


@pytest.mark.parametrize("f", [table, edges, built_step_by_step])
def test_all_modes(f):
    confirm(f, X, 4)


def test_jitted():
    assert jit(table)(X, 4) == pytest.approx(table(X, 4), rel=1e-13)
    np.testing.assert_allclose(grad(table)(X, 4), grad(table, jit=False)(X, 4), rtol=1e-13)


def rows_filled_by_loops(x, n):
    rows = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(i + 1):
            rows[i][j] = x[i] * x[j] + (rows[i - 1][j] * n if i else 0.0)
    whole, part = np.array(rows), np.asarray([rows[0], rows[2]])
    return np.sum(whole @ whole) + np.sum(np.stack((rows[1], rows[2]), axis=1) * part.T) + np.max(rows)


def test_as_arrays():
    confirm(rows_filled_by_loops, np.array([0.4, 1.3, -0.7]), 2.0)


def changed_in_a_loop(x, n):
    rows, row = [], [0.0, 1.0]
    for i in range(n):
        row[0] = x[i]
        rows.append(row)
    return rows[0][0]


def changed_afterwards(x, n):
    rows = []
    for i in range(n):
        row = [0.0, 1.0]
        rows.append(row)
        row[0] = x[i]
    return rows[0][0]


@pytest.mark.parametrize("f", [changed_in_a_loop, changed_afterwards])
def test_what_python_would_see_is_refused(f):
    with pytest.raises(Error, match=r"changed|gets other items|Make a new object|holds a list"):
        jit(f, jit=False)(X, 3)
