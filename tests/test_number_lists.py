"""Lists of numbers: sorted, searched, items put in and taken out, where the items are known only at run time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import srcgrad

V = np.random.default_rng(8).normal(size=6)


def sorted_display(x):
    values = sorted([x[0], x[1], x[2]], reverse=True)
    return values[0] * 2.0 + values[-1] ** 2


def sorted_vector(x):
    values = sorted(x)
    x = x * 2.0
    return values[0] * 2.0 + values[-1] ** 2 + sum(v * i for i, v in enumerate(values)) + x[0]


def sorted_indices(x):
    order = sorted(range(len(x)), key=lambda i: x[i])
    return x[order[0]] * 2.0 + x[order[-1]]


def sorted_pairs(x):
    pairs = sorted(((x[i], i + 1.0) for i in range(3)), key=lambda p: -p[0])
    return pairs[0][0] * pairs[0][1] + pairs[2][0] * pairs[2][1] ** 2


def sort_in_place(x):
    values = [x[0], x[1], x[2]]
    values.sort()
    return values[0] * 2.0 + values[2]


def grown_and_sorted(x):
    values = []
    for i in range(x.shape[0]):
        values.append(x[i] * x[i])
    values.sort(reverse=True)
    return np.sum(np.array(values) * np.arange(6.0))


def extended(x):
    values = []
    for i in range(x.shape[0]):
        values.extend([x[i], 2.0 * x[i] ** 2])
    return np.sum(np.array(values) * np.arange(12.0))


def inserted(x):
    values = []
    for i in range(x.shape[0]):
        values.insert(i // 2, x[i])
        values.insert(-1, x[i] * 2.0)
    return np.sum(np.array(values) * np.arange(12.0) ** 2)


def taken_from_both_ends(x):
    values = [0.0]
    for i in range(x.shape[0]):
        values.append(x[i])
    total = 0.0
    while len(values) > 1:
        total = total * 0.5 + values.pop(0) * values.pop()
    return total


def searched(x):
    values = []
    for i in range(x.shape[0]):
        values.append(np.floor(x[i]))
    return x[values.index(np.floor(x[2]))] * values.count(np.floor(x[2]))


def known(x):
    places = [3, 1, 2, 1]
    places.remove(1)
    return x[places.index(2)] * x[places[0]] + x[(0, 1, 1).count(1)]


def cleared(x):
    values = [x[0]]
    for i in range(x.shape[0]):
        if i == 3:
            values.clear()
        values.append(x[i] ** 2)
    return values[0] * len(values)


FUNCTIONS = [
    sorted_display, sorted_vector, sorted_indices, sorted_pairs, sort_in_place, grown_and_sorted, extended, inserted,
    taken_from_both_ends, searched, known, cleared,
]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_value_and_derivatives(f: Callable[[np.ndarray], float]) -> None:
    assert srcgrad.jit(f, jit=False)(V) == pytest.approx(f(V), rel=1e-13)
    srcgrad.check_grads(f, (V,), jit=False)


def test_compiled() -> None:
    def together(x):
        return grown_and_sorted(x) + inserted(x) + sorted_vector(x) + taken_from_both_ends(x)

    value, gradient = srcgrad.value_and_grad(together)(V)
    assert value == pytest.approx(together(V), rel=1e-12)
    np.testing.assert_allclose(gradient, srcgrad.grad(together, jit=False)(V), rtol=1e-11)


def test_missing_value() -> None:
    def f(x):
        values = [x[0], x[1]]
        return x[values.index(7.0)]

    with pytest.raises(ValueError, match="not in the list"):
        srcgrad.grad(f, jit=False)(V)


def test_read_under_an_if_before_the_first_append():
    def read(x):
        past, total = [], 1.0
        for k in range(x.shape[0]):
            if k > 0:
                total += past[k - 1] * x[0]
            past.append(x[k] * total)
        return total

    def last(x):
        past, total = [], 1.0
        for k in range(x.shape[0]):
            if k > 0:
                total += past[-1] * x[0]
            past.append(x[k] * total)
        return total

    for f in (read, last):
        np.testing.assert_allclose(srcgrad.jit(f, jit=False)(V), f(V), rtol=1e-15)
        srcgrad.check_grads(f, (V,), jit=False)
