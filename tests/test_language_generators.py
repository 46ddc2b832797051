"""Generators and comprehensions whose length or items are known at run time only."""

from __future__ import annotations

import math

import numpy as np
import pytest
from agreement import confirm

from srcgrad import Error, grad, jit

V = np.array([1.3, -2.1, 0.4, 0.9])


def multiples(x, n):
    k = 0
    while k < n:
        yield x * k
        if k % 2 == 0:
            yield x
        k += 1


def pairs(x):
    for i in range(len(x)):
        for j in range(i):
            if x[i] > x[j]:
                yield i, x[i] * x[j]


def delegating(x, n):
    yield from (x, 2.0)
    yield from multiples(x, n)
    yield from (v * x for v in range(n))


def early(x):
    for i in range(10):
        if i > 3:
            return
        yield x**i


def over_inner(x):
    def g(n):
        for i in range(n):
            yield x * i
            yield x

    t = 0.0
    for v in g(4):
        t += v * v
    return t


def over_outer(x, n):
    t, last = 0.0, 0.0
    for v in multiples(x, n):
        if v > 10.0:
            break
        if v < 0.5:
            continue
        t += v * x
        last = v
    return t * last


def over_pairs(x):
    t = np.zeros(len(x))
    for i, v in pairs(x):
        t[i] += v * v
    return np.sum(t) + sum(v for _, v in pairs(x))


def over_delegating(x, n):
    return sum(delegating(x, n)) + sum(v * v for v in early(x)) + list(early(x))[2] * math.sin(x)


def returned_from_inside(x, n):
    for v in multiples(x, n):
        if v > 2.0:
            return v * v
    return x


def with_conditions(x):
    n = len(x)
    positive = sum(x[i] * x[i] for i in range(n) if x[i] > 0.0)
    every_other = sum(v for i, v in enumerate(x) if i % 2 == 0)
    nested = sum(x[i] * x[j] for i in range(n) for j in range(i) if i != j + 1)
    return positive * every_other + nested + max(v for v in x if v < 1.0)


def truths(x):
    if any(v > 1.0 for v in x if v < 2.0) and all(v > -5.0 for v in x if v < 0.0):
        return np.sum(x * x)
    return x[0]


def chosen_items(x):
    kept = [v * v for v in x if v > 0.0]
    known = [v for v in (x[0], x[1], 2.0) if v > 0.5]
    return np.sum(np.array(kept)) * len(kept) + kept[0] + np.sum(np.array(known))


def table(x):
    a = np.array([[x[i] * x[j] for i in range(len(x))] for j in range(len(x))])
    b = np.array([x * k for k in range(len(x))])
    return np.sum(a * a * b)


def rows(x):
    made = [np.sin(x * k) for k in range(len(x))]
    t = made[1] * made[-1]
    for r in made:
        t = t + r * x[0]
    return np.sum(t)


def views(m):
    each = [row for row in m]  # noqa: C416
    return sum(np.sum(r * r) for r in each) + each[0][1]


def tuples(x):
    made = [(x[i], (i, x[i] ** 2)) for i in range(len(x))]
    t = 0.0
    for a, (i, b) in made:
        t += a * b * i
    for i in range(len(made)):
        t += made[i][1][1]
    return t


def grown_tuples(x):
    events = []
    for i in range(len(x)):
        if x[i] > 0.0:
            events.append((i, x[i] * x[i], (x[i], 2)))
    events[0] = (1, events[0][1], events[0][2])
    last = events.pop()
    total = last[1] * last[2][0]
    for i, a, (b, k) in events:
        total += i * a * b * k
    return total + len(events) * x[0]


def grown_stack(x):
    """A search with a stack of nodes, as trees are walked."""
    stack, total = [(0, 1.0)], 0.0
    while len(stack) > 0:
        node, weight = stack.pop()
        total += weight * x[node]
        if 2 * node + 2 < len(x):
            stack.append((2 * node + 1, weight * x[node]))
            stack.append((2 * node + 2, 0.5))
    return total


def written_views(m):
    each = [row for row in m]  # noqa: C416
    m[0, 0] = 5.0
    return each[0][0]


def ragged(x):
    made = [x[:i] for i in range(len(x))]
    return np.sum(made[1])


def kept_generator(x):
    g = multiples(x, 3)
    return sum(g)


@pytest.mark.parametrize("n", [0, 1, 7])
def test_generator_functions(n):
    confirm(over_inner, 0.7)
    confirm(lambda x: over_outer(x, n), 0.7)
    confirm(lambda x: returned_from_inside(x, n), 0.7)
    confirm(over_delegating, 0.7, n)


@pytest.mark.parametrize(
    "f", [over_pairs, with_conditions, truths, chosen_items, table, rows, tuples, grown_tuples, grown_stack]
)
def test_of_arrays(f):
    confirm(f, V)


def test_a_list_of_views():
    confirm(views, V.reshape(2, 2))
    with pytest.raises(Error, match="a view of it was kept"):
        grad(written_views, jit=False)(V.reshape(2, 2))


def test_empty():
    def total(x):
        return sum(v * v for v in x if v > 100.0) + x[0]

    confirm(total, V)


@pytest.mark.parametrize(
    ("f", "message"), [(kept_generator, "an iterator is kept"), (multiples, "returns a generator")]
)
def test_refused(f, message):
    with pytest.raises(Error, match=message):
        grad(f, jit=False)(*((0.7,) if f is kept_generator else (0.7, 3)))


def test_lists_of_different_lengths_are_refused():
    with pytest.raises(Error, match="lengths of their own"):
        grad(ragged, jit=False)(V)


def lists_of_lists(x):
    made = [[1.0] for _ in range(2)]
    for i in range(len(x)):
        made[i % 2].append(x[i])
    return made


def two_lists(x):
    made = [[0.0] for _ in (1, 2)]
    for i in range(len(x)):
        made[0].append(x[i])
        if x[i] > 0.0:
            made[1].append(2.0 * x[i])
    return made[0][-1] * made[1][-1] * len(made[1])


def test_lists_made_at_one_place_are_different_lists():
    confirm(two_lists, V)
    with pytest.raises(Error):
        jit(lists_of_lists, jit=False)(V)


def test_jitted():
    confirm(over_pairs, V, jitted=True, order=1)
    confirm(chosen_items, V, jitted=True, order=1)
    confirm(tuples, V, jitted=True, order=1)
    confirm(grown_tuples, V, jitted=True, order=1)
