"""Statements and expressions, against Python itself: the lowered program gives the same, or raises the same."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest
from lowered import check

X = np.array([1.0, -2.0, 3.0, 0.5, 4.0])


def branches(x, n=3):
    "A docstring."
    y: float = x
    if n > 2:
        y = y * 2
    elif n < -1:
        y = y - 1
    else:
        y = 0
    return y


def sum_of_squares(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i]
    return total


def prefix(x, n):
    a = x.copy()
    for i in range(1, n):
        a[i] += a[i - 1]
    return a


def breaks(x):
    m = 0.0
    for v in x:
        if v < 0:
            continue
        if v > 3.5:
            break
        m += v
    else:
        m = -1.0
    return m, v


def collatz(n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def leaks(x):
    for i in range(3):
        for j in range(i):
            t = x[i] * x[j]
    return t + i + j


def swaps(u, n):
    v = u * 2.0
    for _ in range(n):
        for i in range(1, len(u) - 1):
            v[i] = u[i - 1] + u[i + 1] - u[i]
        u, v = v, u
    return u


def swaps_sometimes(x, n):
    u, v = x.copy(), np.zeros(len(x))
    for k in range(n):
        if k % 2 == 0:
            u, v = v, u
        u[0] += 1.0
    return u, v


def unbound_after_loop(x, n):
    for i in range(n):
        y = x * i
    return y


def unbound_after_branch(x):
    if x > 0:
        y = x * 2
    return y


def unpacks(x):
    a, (b, *c) = x[0], (x[1], x[2], x[3])
    d = e = a + b
    if (n := len(x)) > 3 and x[2] > 0:
        d += n
    [p, q] = x[:2]
    return a, b, c, d, e, n, p, q


def loops_over_things(x):
    s = 0.0
    for i, v in enumerate(x):
        s += i * v
    for a, b in zip(x, x[::-1], strict=True):
        s += a * b
    for v in reversed(x):
        s = s * 0.5 + v
    for k in range(10, 0, -3):
        s += k
    for i, j in np.ndindex(2, 3):
        s += i * 10 + j
    for q in (1.0, 2, x[0]):
        s *= q
    for i in numba.prange(3):
        s += x[i]
    for name, weight in zip(("a", "b"), (1.0, 2.0), strict=True):
        if name == "b":
            s += weight
    for row in x[:4].reshape(2, 2):
        s += row[0] * row[1]
    return s


def returns_from_loop(x):
    if x[0] > 0.5:
        return x[0]
    for i in range(len(x)):
        row = x[i:]
        if row[0] > 2:
            return row[0] * i + row[-1]
    return -1.0


def operators(x, y):
    logic = (x and y), (x or y), not x, x < y < 3.0, x if x > y else y
    powers = x**2, x**0.5, x**-1, 2**x, pow(x, y), x**0, x**1
    division = x // y, x % y, divmod(x, y)
    return logic, powers, division, abs(-x), max(x, y, 1), min(x, y), int(x), float(3), round(x), +x, -x


def integers(n, m):
    return n // m, n % m, n / m, n**2, -n, ~n, n & m, n | m, n ^ m, n << 2, n >> 1, divmod(n, m), abs(n), bool(n)


def asserts(x):
    assert len(x) > 3, "short"
    if x[0] > 5:
        raise ValueError(f"bad {x[0]} {{}}")
    return x[0]


def elementary(x):
    return math.exp(x) + np.sin(x) + math.floor(x) + math.sqrt(abs(x)) + np.pi + math.log(8.0, 2.0) + np.hypot(x, 2)


def while_true(x):
    i = 0
    while True:
        i += 1
        if i > 3:
            break
        if x[i] < 0:
            continue
        x[i] *= 2
    while i > 0 and x[i] > 0:
        i -= 1
    return i


def memberships(x, n):
    return 0 < x[0] < x[n] < 10, n in (1, 2, 3), n not in (5,), x is None, x is not None, "a" in ("a", "b")


def out_of_range(x):
    return x[7]


def strides(x, start, stop, step):
    s = 0.0
    count = 0
    for i in range(start, stop, step):
        s = s * 0.5 + x[i]
        count += 1
    return s, count


def reads_before_it_evaluates(x):
    def poke(a):
        a[0] = 100.0
        return 1.0

    x[0] += poke(x)
    y = x * 2 + poke(x)
    x[1:3] *= 2.0
    return x, y


def divides(x, y):
    return x / y


def imports_inside(x):
    import math as m

    from numpy import sin

    return m.cos(x) + sin(x)


def read_by_later_iteration(n, x):
    total = 0.0
    for i in range(n):
        if i == 2:
            v = x[i] * 3
        elif i > 2:
            total += v
    return total


def read_too_early(n, x):
    total = 0.0
    for i in range(n):
        if i == 2:
            v = x[i] * 3
        else:
            total += v
    return total


def newton(x, eps=1e-8, maxit=50):
    y = x
    for _ in range(maxit):
        new = 0.5 * (y + x / y)
        if abs(new - y) < eps:
            break
        y = new
    else:
        raise RuntimeError("no convergence")
    return new


def leaves_two_loops(x, k):
    for i in range(10):
        for j in range(10):
            if i * j > k:
                return x * i + j
    return x


def sorts(x, n):
    i = 0
    while i < n:
        j = i
        while j > 0 and x[j - 1] > x[j]:
            x[j - 1], x[j] = x[j], x[j - 1]
            j -= 1
        i += 1
    return x


def condition_may_fail(x, n):
    for k in range(n):
        y = k
    while y > 0:
        y -= 1
        for j in range(y):
            z = j
        t = 0
        while t < 5 and z > t:
            t += 1
        x[y] += t
    return x


CALLS = [
    (condition_may_fail, np.zeros(9), 5),
    (condition_may_fail, np.zeros(9), 0),
    (condition_may_fail, np.zeros(9), 1),
    (read_by_later_iteration, 5, X),
    (read_by_later_iteration, 2, X),
    (read_too_early, 5, X),
    (newton, 3.0),
    (newton, 3.0, 1e-30),
    (leaves_two_loops, 2.0, 20),
    (leaves_two_loops, 2.0, 2000),
    (sorts, X, 5),
    (branches, 2.0),
    (branches, 2.0, 1),
    (branches, 2.0, -5),
    (sum_of_squares, X),
    (sum_of_squares, X[:0]),
    (prefix, X, 5),
    (breaks, X),
    (breaks, X[:3]),
    (breaks, X[:0]),
    (collatz, 27),
    (leaks, X),
    (swaps, X, 3),
    (swaps, X, 0),
    (swaps_sometimes, X, 3),
    (unbound_after_loop, 2.0, 3),
    (unbound_after_loop, 2.0, 0),
    (unbound_after_branch, 1.0),
    (unbound_after_branch, -1.0),
    (unpacks, X),
    (loops_over_things, X),
    (returns_from_loop, X),
    (returns_from_loop, X[::-1]),
    (returns_from_loop, -X),
    (returns_from_loop, X * 0),
    (operators, 2.5, 1.5),
    (operators, 0.0, 1.5),
    (operators, 2.5, 0.0),
    (integers, 7, 3),
    (integers, -7, 3),
    (integers, 7, 0),
    (asserts, X),
    (asserts, X[:2]),
    (asserts, X * 10),
    (elementary, 1.3),
    (while_true, X),
    (memberships, X, 2),
    (out_of_range, X),
    (strides, X, 4, -1, -1),
    (strides, X, 0, 5, 2),
    (strides, X, 5, 2, 1),
    (strides, X, 3, 0, -2),
    (strides, X, 0, 5, 0),
    (reads_before_it_evaluates, X),
    (divides, 1.0, 0.0),
    (divides, 1, 0),
    (divides, 1, 2),
    (imports_inside, 1.0),
]


@pytest.mark.parametrize(("function", "arguments"), [(f, a) for f, *a in CALLS])
def test_as_python(function, arguments):
    check(function, *arguments)
