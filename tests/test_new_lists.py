"""Lists of run-time length made of arrays and of other lists, and then changed: each is a list of its own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import srcgrad

V = np.random.default_rng(12).normal(size=5)
WEIGHTS = np.arange(1.0, 60.0)


def weighed(values):
    total = 0.0
    for i, v in enumerate(values):
        total += WEIGHTS[i] * v * v
    return total


def of_an_array(x):
    values = list(x)
    x = x * 3.0
    values[1] = values[0] * x[2]
    values.append(x[3])
    return weighed(values)


def source_written_to(x):
    y = x * 2.0
    values = list(y)
    y[0] = 7.0
    return weighed(values) + y[0] * y[1]


def written_meanwhile(x):
    values = list(x)
    for i in range(1, len(values)):
        values[i] = values[i] * values[i - 1]
    return weighed(values)


def slices(x):
    values = [v * v for v in x]
    return weighed(values[1:]) + 2.0 * weighed(values[::-1]) + 3.0 * weighed(values[-2:0:-2]) + weighed(values[7:])


def slices_of_grown(x):
    values = []
    for v in x:
        values.append(v * v)
    part = values[: len(values) // 2]
    values[0] = 5.0
    part.append(x[4])
    return weighed(part) + weighed(values) + sum(a * b for a, b in zip(values[:-2], values[2:], strict=True))


def slices_of_pairs(x):
    pairs = [(v, 2.0 * v) for v in x]
    return sum(a * b * b for a, b in pairs[::2])


def range_slices(x):
    total = 0.0
    for i in range(len(x))[::-2]:
        total = 0.5 * total + x[i]
    return total


def list_of_a_range(x):
    order = list(range(len(x)))
    order[0], order[3] = order[3], order[0]
    same = list(range(len(x)))
    return sum(WEIGHTS[k] * x[i] * x[i] + x[same[k]] for k, i in enumerate(order))


def copies(x):
    values = [v * v for v in x]
    other, third = values.copy(), values[:]
    fourth = list(values)
    other.append(x[0])
    third[0] = x[1]
    fourth.pop()
    return weighed(values) + weighed(other) + 2.0 * weighed(third) + 3.0 * weighed(fourth)


def another_name(x):
    values = [v * v for v in x]
    other = values
    other.append(x[0])
    other += [x[1]]
    return weighed(values) * len(values)


def sums(x):
    values = [v * v for v in x]
    return weighed(values + [1, 2 * x[0]]) + weighed([x[1]] + values + values)  # noqa: RUF005  # is tested


def sum_is_new(x):
    values = [v * v for v in x]
    more = values + list(x)
    more[0] = 1.0
    return weighed(more) + weighed(values)


def multiples(x):
    n = x.shape[0]
    table = [0.0] * (n + 1)
    for i in range(n):
        table[i + 1] = table[i] * 0.5 + x[i]
    pair = 2 * [x[0], x[1] ** 2] * n
    return weighed(table) + weighed(pair) + len([x[0]] * (n - 9))


def counters(x):
    counts = [0] * len(x)
    for v in x:
        counts[int(abs(v))] += 1
    return counts[0] * x[0] + counts[1] * x[1] ** 2


def extended_by_arrays(x):
    values = [1.0]
    for i in range(2):
        values.extend(x * i)
        values.extend(values)
    return weighed(values)


def extended_at_once(x):
    values = [x[0]]
    values.extend(v * v for v in x if v > 0.0)
    values += list(x)
    return weighed(values)


def reversed_in_place(x):
    values = [v * v for v in x if v > 0.0]
    values.reverse()
    return weighed(values)


def membership(x):
    values = [round(v) for v in x]
    found = 3.0 if 0 in values else 1.0
    return found * x[0] + (x[1] if 99 not in values else 0.0)


def places(x):
    powers = [2**i for i in range(len(x))]
    return x[powers.index(4)] * powers.count(8) + x[0]


def rows(x):
    table = [x * i for i in range(len(x))]
    return sum(np.sum(row**2) * k for k, row in enumerate(table[:0:-1]))


def sorted_by_a_key(x):
    order = list(range(len(x)))
    order.sort(key=lambda i: -x[i])
    pairs = [(v, v * v) for v in x]
    pairs.sort(key=lambda p: p[1], reverse=True)
    return x[order[0]] * x[order[-1]] + pairs[0][0] * pairs[3][1]


def stack_popped_first(x):
    kept = []
    for i in range(len(x)):
        while len(kept) >= 2 and x[kept[-1]] > x[i]:
            kept.pop()
        kept.append(i)
    return sum(WEIGHTS[k] * x[i] ** 2 for k, i in enumerate(kept))


def with_a_message(x):
    if x[0] > 100.0:
        print("Warning: that is much")
    return x[0] * x[1]


def secant(f, a, b):
    path = [a, b]
    while abs(path[-1] - path[-2]) > 1e-12:
        before, last = path[-2:]
        path.append(last - f(last) * (last - before) / (f(last) - f(before)))
    return path[-1]


def in_a_callee_given_a_function(x):
    return secant(lambda t: t**3 - abs(x[0]) * t - 1.0, 1.0, 2.0)


def plain_numbers(x):
    values = x.tolist()
    values.append(2.0)
    return weighed(values[1:])


FUNCTIONS = [
    of_an_array, source_written_to, written_meanwhile, slices, slices_of_grown, slices_of_pairs, range_slices,
    list_of_a_range, copies, another_name, sums, sum_is_new, multiples, counters, extended_by_arrays, extended_at_once,
    reversed_in_place, membership, places, rows, sorted_by_a_key, stack_popped_first, with_a_message,
    in_a_callee_given_a_function, plain_numbers,
]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_value_and_derivatives(f: Callable[[np.ndarray], float]) -> None:
    assert srcgrad.jit(f, jit=False)(V) == pytest.approx(f(V), rel=1e-13)
    srcgrad.check_grads(f, (V,), jit=False)


def test_compiled() -> None:
    def together(x):
        return multiples(x) + copies(x) + slices_of_grown(x) + extended_by_arrays(x) + list_of_a_range(x)

    value, gradient = srcgrad.value_and_grad(together)(V)
    assert value == pytest.approx(together(V), rel=1e-12)
    np.testing.assert_allclose(gradient, srcgrad.grad(together, jit=False)(V), rtol=1e-11)


def test_array_added_to_a_list() -> None:
    def f(x):
        values = [v * v for v in x]
        values += x  # element by element: an array
        return values[0] * np.sum(values)

    assert srcgrad.jit(f, jit=False)(V) == pytest.approx(f(V), rel=1e-13)
    srcgrad.check_grads(f, (V,), jit=False)


def test_one_of_two_lists() -> None:
    def f(x):
        before = [0.0] * len(x)
        for v in x:
            now = [0.0] * len(x)
            now[0] = before[0] + v
            before = now
        return before[0]

    assert srcgrad.jit(f, jit=False)(V) == pytest.approx(f(V), rel=1e-13)
    srcgrad.check_grads(f, (V,), order=2, jit=False)


def test_single_precision() -> None:
    assert srcgrad.grad(written_meanwhile, jit=False)(V.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("f", [written_meanwhile, multiples, sums], ids=lambda f: f.__name__)
def test_second_derivatives(f: Callable[[np.ndarray], float]) -> None:
    srcgrad.check_grads(f, (V,), order=2, jit=False)
