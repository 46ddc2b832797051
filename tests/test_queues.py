"""deque, defaultdict, heapq, ``del`` of items, cached functions, and bits that are counted."""

from __future__ import annotations

import collections
import functools
import heapq

import numpy as np
import pytest
from agreement import confirm

from srcgrad import grad, jit

X = np.random.default_rng(0).uniform(0.2, 1.3, 6)
KEYS = np.array([3, 1, 3, 2, 1, 0])


def moving(x):
    window = collections.deque(maxlen=3)
    total = 0.0
    for v in x:
        window.append(v)
        total += sum(window) / len(window) * v
    return total


def both_ends(x, n):
    queue = collections.deque([x[0], x[1]])
    total = 0.0
    for k in range(n):
        queue.appendleft(x[k] * x[k])
        queue.rotate(1)
        total += queue.pop() * x[k] + queue[0] * queue[-1]
        queue.extend(x[:2])
        if len(queue) > 5:
            total += queue.popleft()
    return total


def breadth_first(x, children):
    queue = collections.deque([(0, 1.0)])
    total = 0.0
    while queue:
        node, weight = queue.popleft()
        total += weight * x[node] ** 2
        for child in children[node]:
            if child > 0:
                queue.append((child, weight * x[node]))
    return total


def counted(x, keys):
    sums = collections.defaultdict(float)
    for k, v in zip(keys, x, strict=True):
        sums[k] += v
    return sum(v**2 * (k + 1) for k, v in sums.items()) + len(sums)


def grouped(x, keys):
    groups = collections.defaultdict(list)
    for k, v in zip(keys, x, strict=True):
        groups[k].append(v)
    return sum(sum(groups[k]) ** 2 * groups[k][0] for k in groups)


def changed_meanwhile(x, keys):
    entries = {}
    for k, v in zip(keys, x, strict=True):
        entries[k] = v
    for k, v in entries.items():
        entries[k] = v * v
    for k in entries:
        entries[k] *= 2.0
    for k in entries.keys():  # noqa: SIM118
        entries[k] += k
    return sum(entries.values()) * entries[3] + sum(sorted(entries.keys()))


def from_a_heap(x):
    heap = []
    for v in x:
        heapq.heappush(heap, (v * v, v))
    total, weight = 0.0, 1.0
    while heap:
        square, v = heapq.heappop(heap)
        total += weight * (square + v)
        weight *= 0.5
    return total


def rebuilt_heap(x):
    heap = list(x)
    heapq.heapify(heap)
    first = heapq.heapreplace(heap, x[0] * 3.0)
    second = heapq.heappushpop(heap, x[1] * 0.1)
    return first * heap[0] + second + heapq.nsmallest(2, heap)[1] * heapq.nlargest(2, heap)[0]


def deleted(x, n):
    entries, items = {}, []
    for k in range(n):
        entries[k] = x[k] * k
        items.append(x[k])
    del entries[2]
    del items[1]
    del items[-1]
    known = [x[0], x[1], x[2], x[3]]
    del known[1:3]
    known[0:1] = [x[4], x[5]]
    return sum(entries[k] * k for k in entries) + sum(items) * items[1] + known[0] * known[1] * known[2] + len(known)


def cached(x, n):
    @functools.cache
    def f(m):
        return x if m < 2 else x * f(m - 1) + f(m - 2)

    return f(n)


def permanent(a):
    n = a.shape[0]
    total = 0.0
    for subset in range(1, 1 << n):
        product = 1.0
        for i in range(n):
            product *= sum(a[i, j] for j in range(n) if subset >> j & 1)
        total += (-1) ** (n - bin(subset).count("1")) * product
    return total


CHILDREN = np.array([[1, 2], [3, 4], [5, 0], [0, 0], [0, 0], [0, 0]])
CASES = [
    (moving, (X,)),
    (both_ends, (X, 5)),
    (breadth_first, (X, CHILDREN)),
    (counted, (X, KEYS)),
    (grouped, (X, KEYS)),
    (changed_meanwhile, (X, KEYS)),
    (from_a_heap, (X,)),
    (rebuilt_heap, (X,)),
    (deleted, (X, 6)),
    (cached, (0.5, 7)),
    (permanent, (np.random.default_rng(1).uniform(size=(3, 3)),)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_all_modes(f, args):
    confirm(f, *args, order=1)


def test_second_order():
    confirm(moving, X)


@pytest.mark.parametrize(("f", "args"), [(from_a_heap, (X,)), (grouped, (X, KEYS))])
def test_jitted(f, args):
    assert jit(f)(*args) == pytest.approx(f(*args), rel=1e-13)
    np.testing.assert_allclose(grad(f)(*args), grad(f, jit=False)(*args), rtol=1e-13)


def test_nothing_is_taken_from_an_empty_queue():
    def f(x, n):
        queue = collections.deque()
        for k in range(n):
            queue.append(x * k)
        return queue.popleft() + queue.popleft()

    assert jit(f, jit=False)(2.0, 3) == 2.0
    with pytest.raises(IndexError, match="empty"):
        jit(f, jit=False)(1.0, 1)


def true_where_not_empty(x, keys, n):
    entries, items, queue = {}, [], collections.deque()
    total = 0.0
    for k in range(n):
        if not items or (queue and k > 2):
            total += x[k]
        total += 2.0 * x[k] if entries else 3.0 * x[k]
        entries[keys[k]] = x[k]
        if x[k] > 0.5:
            items.append(x[k])
        queue.append(x[k])
    while queue:
        total += queue.popleft() ** 2
    small = [v for v in x if v < 0.3]
    nothing = not items
    return total if small or nothing else -total


@pytest.mark.parametrize("scale", [1.0, 0.2])
def test_what_is_empty_is_false(scale):
    confirm(true_where_not_empty, scale * X, KEYS, 6, order=1)


def in_order(x, n):
    pairs = []
    for k in range(n):
        pairs.append((k % 2, x[k]))
    total = 0.0
    for k in range(1, n):
        if pairs[k] < pairs[k - 1]:
            total += x[k]
        if (x[k], 1.0) >= (x[k - 1], 2.0) or (1.0, x[k]) > (1.0, 0.7):
            total += x[k] ** 2
    return total


def test_tuples_are_compared_item_by_item():
    confirm(in_order, X, 6, order=1)
