"""A name that holds one of several lists of run-time length: read, and not changed any more."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import confirm

from srcgrad import Error, grad, jit

X = np.array([0.4, 1.3, -0.7, 0.9])


def triangle(x, n):
    """Pascal's triangle with a factor."""
    previous = [1.0]
    total = 0.0
    for i in range(1, n):
        current = [x[0]]
        for j in range(1, i):
            current.append(previous[j - 1] * x[1] + previous[j])
        current.append(x[2])
        previous = current
        total += sum(current) * len(previous)
    return total + previous[n // 2]


def levels(x, n):
    level = []
    for v in x:
        level.append(v * v)
    while len(level) > 1:
        above = []
        for k in range(0, len(level) - 1, 2):
            above.append(np.sin(level[k]) * level[k + 1] + n)
        level = above
    return level[0]


def chosen(x, n):
    small, large = [], []
    for v in x:
        if v < 0.8:
            small.append(v)
        else:
            large.append(v * 2.0)
    best = small if len(small) > n else large
    return np.sum(np.array(best) ** 2) + best[-1] * len(best)


def of_arrays(x, n):
    layer = []
    for k in range(3):
        layer.append(x * (k + 1.0))
    for _ in range(n):
        following = []
        for v in layer:
            following.append(np.cos(v) * x)
        layer = following
    return sum([np.sum(v) for v in layer])


def integers_and_floats(x, n):
    path = [1]
    for _ in range(n):
        longer = []
        for v in path:
            longer.append(v * x[0])
            longer.append(v + x[1])
        path = longer
    return sum(path)


def captured_in_a_branch(x, n):
    total = 0.0
    for p in range(3):
        for i in range(2):
            if x[p] > 0.8:
                values = [x[i]]
                for j in range(2):
                    values.append(x[j] * x[2] + p)

                def last(t):
                    return t * values[-1]  # noqa: B023  # it is called in this iteration only

                total += last(n)
    return total


def kept_from_an_earlier_iteration(x, n):
    total = 0.0
    for p in range(3):
        if x[p] < n - 2:
            values = [x[p]]
            for j in range(2):
                values.append(x[j] * x[3] + values[-1])
        if p > 0:
            total += values[-1] * values[p]
    return total * values[0]


def rows_of_an_earlier_iteration(x, n):
    total = 0.0
    for p in range(3):
        if x[p] < n - 2:
            rows = [x * x[p]]
            for j in range(2):
                rows.append(np.sin(x) * rows[-1] + j)
        if p > 0:
            total += np.sum(rows[-1] * rows[p])
    return total + rows[0][1]


def returned_from_loops(x, n):
    for p in range(3):
        for i in range(2):
            if x[p + i] > 0.8:
                values = [v * v + p for v in x]
                return sum(values) * values[i]
    return x[0] + n


def comprehended_in_a_branch(x, n):
    total = 0.0
    for p in range(n):
        if x[p] > 0.0:
            values = [v * x[p] + p for v in x]
        if p > 1:
            total += values[p] * values[0]
    return total + values[1]


@pytest.mark.parametrize(
    "f",
    [
        captured_in_a_branch,
        kept_from_an_earlier_iteration,
        rows_of_an_earlier_iteration,
        returned_from_loops,
        comprehended_in_a_branch,
    ],
)
def test_lists_of_some_paths(f):
    confirm(f, X, 3)


def test_a_list_that_has_not_been_made():
    with pytest.raises(UnboundLocalError, match="values"):
        kept_from_an_earlier_iteration(X, 1)
    with pytest.raises(UnboundLocalError, match="values"):
        grad(kept_from_an_earlier_iteration, jit=False)(X, 1)


@pytest.mark.parametrize("f", [triangle, levels, chosen, of_arrays, integers_and_floats])
def test_all_modes(f):
    confirm(f, X, 3)


def test_jitted():
    assert jit(triangle)(X, 9) == pytest.approx(triangle(X, 9), rel=1e-12)
    np.testing.assert_allclose(grad(triangle)(X, 9), grad(triangle, jit=False)(X, 9), rtol=1e-12)


def changed_through_the_other_name(x, n):
    kept = [0.0]
    current = []
    for k in range(n):
        current.append(x[k])
        kept = current
    return sum(kept)


def changed_after_a_choice(x, n):
    a, b = [], []
    for v in x:
        a.append(v)
        b.append(2.0 * v)
    c = a if n > 2 else b
    a.append(1.0)
    return sum(c)


def the_one_of_two_is_changed(x, n):
    a, b = [], []
    for v in x:
        a.append(v)
        b.append(2.0 * v)
    c = a if n > 2 else b
    c.append(1.0)
    return sum(a)


@pytest.mark.parametrize("f", [changed_through_the_other_name, changed_after_a_choice, the_one_of_two_is_changed])
def test_changes_are_refused(f):
    with pytest.raises(Error, match="that another name may hold"):
        jit(f, jit=False)(X, 3)
