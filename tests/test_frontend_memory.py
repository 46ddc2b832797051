"""Array expressions without memory: fused where that is safe, and never read after what they read was written to."""

from __future__ import annotations

import numpy as np
import pytest
from lowered import check, lowered

from srcgrad.ir.core import walk

X = np.array([1.0, -2.0, 3.0, 0.5, 4.0])


def poke(x):
    x[1] = 50.0
    return 1.0


def read_once(x):
    t = np.exp(x) * 2.0
    u = t - 1.0
    return np.sum(u)


def written_between(x):
    t = x * 2
    x[0] = 100.0
    return np.sum(t)


def changed_between(x):
    t = x * 2
    x += 1.0
    return np.sum(t)


def call_between(x):
    t = x * 2
    return poke(x) * np.sum(t)


def call_in_operand(x):
    return x * 2 + poke(x), np.sum(x * 3) * poke(x)


def call_in_argument(x):
    return np.dot(x * 2, np.full(5, poke(x)))


def call_in_method(x):
    return (x * 2).reshape(int(5 * poke(x)))


def call_in_subscript(x):
    return (x * 2)[int(poke(x))]


def call_in_target(x):
    x[int(poke(x)) :] = x[1:] * 2
    return x


def overlapping(x):
    t = x[::-1] * 2
    x[:] = t
    s = x * 1
    x += s
    u = x[1:] * 3
    x[:-1] += u
    v = x[1:] * 2
    x[:-1] = v
    return x


def on_one_path(x, c):
    t = x * 2
    return (t if c > 0 else x)[0]


def in_comprehension(x):
    t = x * 2
    return [t[i] for i in range(3)]


def in_tuple(x):
    t = x * 2
    y, z = t, x
    z[0] = 9
    return y


def stored_through(x):
    t = x * 2
    t[0] = 5.0
    u = x * 2
    u[1:] += 5.0
    v = x * 2
    v += 5.0
    return x


def view_of(x):
    t = x * 2
    u = t[1:]
    u[0] = 3.0
    return u


def reshaped(x):
    t = x * 2
    u = t.reshape(5, 1)
    u[0] = 3.0
    return u


def as_mask(x):
    t = x > 1
    x[t] = 0.0
    return x


def rebound(x, n):
    for _ in range(n):
        t = x * 2
        x = t
    return x


CALLS = [
    (read_once, X),
    (written_between, X),
    (changed_between, X),
    (call_between, X),
    (call_in_operand, X),
    (call_in_argument, X),
    (call_in_method, X),
    (call_in_subscript, X),
    (call_in_target, X),
    (overlapping, X),
    (on_one_path, X, 1),
    (on_one_path, X, -1),
    (in_comprehension, X),
    (in_tuple, X),
    (stored_through, X),
    (view_of, X),
    (reshaped, X),
    (as_mask, X),
    (rebound, X, 3),
]


@pytest.mark.parametrize(("function", "arguments"), [(f, a) for f, *a in CALLS])
def test_as_python(function, arguments):
    check(function, *arguments)


def test_read_once_is_one_loop_without_memory():
    ops = [op.primitive for op in walk(lowered(read_once, X)[0].function.body)]
    assert ops.count("for") == 1 and "alloc" not in ops
