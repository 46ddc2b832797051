"""Objects and functions that are made inside a branch or loop: what of them is there behind it."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from agreement import confirm

from srcgrad import UnsupportedError, grad

X = np.array([0.3, 0.6, 0.7, 0.2])


@numba.vectorize
def stepped(x):
    t = x
    for _ in range(2):
        t += x * t
    return t


@numba.stencil
def summed(a):
    t = a[-1]
    for k in range(2):
        t += (k + 2) * a[1] * a[0]
    return t


class Box:
    def __init__(self, s):
        self.s = s


def left_early(x, d):
    t = 0.0
    for i in range(x.shape[0]):
        if x[i] < d - 0.1:
            break
        o = Box(x[i])
        for _ in range(2):
            o.s, t = t + x[i], o.s
    return np.sum(x) * d + t


def last_dict(x, d):
    o = {"s": d}
    for i in range(x.shape[0]):
        o = {"s": x[i]}
        if x[i] > 0.5:
            o["s"] = x[0] * o["s"]
    return o["s"] * d


def rows_of_a_field(x, d):
    """The function of a row has a loop, which is in one that carries nothing."""
    t = 0.0
    for i in range(3):
        o = Box(x.copy())
        if x[i] > 0.5:
            o.s = np.max(np.outer(x, x), axis=1) * d
        t += o.s[0]
    return t


def elements_of_a_field(x, d):
    t = 0.0
    for i in range(3):
        o = Box(x.copy())
        if x[i] > 0.5:
            o.s = stepped(x) * d
        t += o.s[0]
    return t


def stencil_of_a_field(x, d):
    t = 0.0
    for i in range(3):
        o = Box(x.copy())
        if x[i] > 0.5:
            o.s = summed(x) * d
        t += o.s[1]
    return t


def one_of_two(x, d):
    if x[0] > 0.2:
        o = Box(d)
        for i in range(x.shape[0]):
            o.s = x[i] * o.s
    else:
        o = Box(x[1])
        if d > 0.2:
            o.s += d
    return o.s * d


def with_an_array(x, d):
    if x[0] > 0.2:
        o = {"s": d, "a": x * d}
        for i in range(x.shape[0]):
            o["s"] = x[i] * o["s"]
            if x[i] > 0.5:
                o["a"] = o["a"] * d
    else:
        o = {"s": x[1], "a": x}
        if d > 0.2:
            o["s"] += d
    return o["s"] * d + np.sum(o["a"])


def made_in_each_iteration(x, d):
    s = 0.0
    for i in range(x.shape[0]):
        o = Box(d)
        m = 4
        for k in range(i):
            m = (m * 2 + k) % 5
        p = (o, x[i])
        if m > 2:
            o.s = x[i]
        for j in range(i):
            o.s *= x[j]
        s += p[0].s * p[1]
    return s


def changed_on_the_other_side(x, d):
    """Where the names meet, what is in the old object is what that side put there."""
    o = Box(d)
    if x[1] > d + 0.3:
        p = Box(x[0])
    else:
        o.s = x[1] * d * d
        p = o
    return p.s * d


def handed_from_object_to_object(x, d):
    s = 0.0
    o = Box(d)
    for i in range(x.shape[0]):
        if x[i] > 0.4:
            q = Box(x[i])
            for _ in range(2):
                q.s *= o.s
            o.s = q.s
        s += o.s
    return s


def made(a):
    b = a * 2
    b = b * b

    def inner(t):
        return b * t

    return inner


def counter(a):
    k = a

    def inner(t):
        nonlocal k
        k = k * t
        return k

    return inner


def counts_in_each_iteration(x, d):
    s = 0.0
    g = made(d)
    for i in range(x.shape[0] - 1):
        h = counter(x[i])
        s += g(h(d)) * h(x[0])
        for j in range(i):
            h(x[j])
        if x[i] > 0.5:
            s += h(d)
    return s * g(d)


def not_needed_yet(x, d):
    """An expression that has no memory yet is none of the loop's business."""
    w = np.ones(3) * d
    v = w[:-1]
    k = 0
    while k < 0 and not x[-2] > -0.411:
        k += 1
    return d * x[0] + k + v[0]


@pytest.mark.parametrize(
    "f",
    [
        *(
            not_needed_yet,
            left_early,
            last_dict,
            one_of_two,
            with_an_array,
            made_in_each_iteration,
            changed_on_the_other_side,
        ),
        *(handed_from_object_to_object, counts_in_each_iteration),
        *(rows_of_a_field, elements_of_a_field, stencil_of_a_field),
    ],
)
def test_derivatives(f):
    confirm(f, X, 0.5)


def one_of_two_made(x, d):
    s = 0.0
    for i in range(x.shape[0]):
        g = made(d) if x[i] > 0.5 else made(x[i])
        s += g(x[1])
    return s


def last_of_a_loop(x, d):
    g = made(d)
    for i in range(x.shape[0]):
        if x[i] > 0.5:
            g = made(x[i])
    return g(x[1])


@pytest.mark.parametrize("f", [one_of_two_made, last_of_a_loop])
def test_refused(f):
    with pytest.raises(UnsupportedError, match="is a function made by a call inside a branch or loop"):
        grad(f, jit=False)(X, 0.5)
