"""Branches and loops that compute the same are computed once, unless something they read was written in between."""

from __future__ import annotations

import numpy as np
import pytest

from srcgrad import grad, jit
from srcgrad.ir.core import walk
from srcgrad.ir.text import parse
from srcgrad.optimize.share_common import share_common
from srcgrad.primitives.table import infer

BRANCH = """
    with if_(c) as (r{k},):
        def _():
            v: f64 = load(x, 0)
            w: f64 = mul({factor}, v)
            yield w
        def _():
            v_1: f64 = load(x, 1)
            yield v_1
"""
LOOP = """
    with for_(n, 0.0) as (r{k},):
        def _(i: i64, s: f64):
            v: f64 = load(x, i)
            with if_(c) as (w,):
                def _():
                    u: f64 = sin(v)
                    yield u
                def _():
                    yield v
            t: f64 = {combine}(s, w)
            yield t
"""


def count(*parts):
    """How many branches and loops of a function there are before and after."""
    text = "def f(x: f64[:], c: bool, n: i64, a: f64):" + "".join(parts) + "    r: f64 = add(r1, r2)\n    return r\n"
    before = parse(text, infer)
    return tuple(sum(bool(op.blocks) for op in walk(f.body)) for f in (before, share_common(before)))


def test_branches() -> None:
    assert count(BRANCH.format(k=1, factor="a"), BRANCH.format(k=2, factor="a")) == (2, 1)


def test_other_branches() -> None:
    assert count(BRANCH.format(k=1, factor="a"), BRANCH.format(k=2, factor="2.0")) == (2, 2)


def test_a_write_in_between() -> None:
    write = "    store(x, 0, a)\n"
    assert count(BRANCH.format(k=1, factor="a"), write, BRANCH.format(k=2, factor="a")) == (2, 2)


def test_loops_with_branches() -> None:
    first = LOOP.format(k=1, combine="add")
    assert count(first, LOOP.format(k=2, combine="add")) == (4, 2)
    assert count(first, LOOP.format(k=2, combine="mul")) == (4, 4)
    assert count(first, "    store(x, 1, a)\n", LOOP.format(k=2, combine="add")) == (4, 4)


def turned(x, k):
    if x[0] > 0.5:
        y = np.sin(x[0]) * x[1]
        z = np.cos(x[0])
    else:
        y = x[1]
        z = 1.0 + x[0] * x[0]
    return (y, z)[k] * x[1] ** k


def first(x):
    return turned(x, 0)


def second(x):
    return turned(x, 1)


by_first, by_second = grad(first), grad(second)


def both(x):
    out = np.empty((2, 2))
    out[0] = by_first(x)
    out[1] = by_second(x)
    return out


@pytest.mark.parametrize("x", [[0.7, 2.0], [0.2, 2.0]])
def test_rows_of_a_jacobian(x) -> None:
    """Each row's sweep has its own copy of the function, of which one is left."""
    a, b = x
    by_hand = [[np.cos(a) * b, np.sin(a)], [-np.sin(a) * b, np.cos(a)]]
    if a <= 0.5:
        by_hand = [[0.0, 1.0], [2.0 * a * b, 1.0 + a * a]]
    np.testing.assert_allclose(jit(both, jit=False)(np.array(x)), by_hand, rtol=1e-14)
