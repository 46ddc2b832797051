"""Extents that were found to be equal have one name behind the check, and only there."""

from __future__ import annotations

import numpy as np
import pytest
from interpreter import run

import srcgrad
from srcgrad.ir.core import walk
from srcgrad.ir.text import parse
from srcgrad.optimize.unify_extents import unify_extents
from srcgrad.primitives.table import infer

CHECK = "check({}, {}, {}, exception='ValueError', message='{{0}} {{1}}')"


def test_a_check_in_a_branch_holds_in_the_branch() -> None:
    text = f"""
def f(x: f64[:], y: f64[:], c: bool):
    n: i64 = dim(x, axis=0)
    m: i64 = dim(y, axis=0)
    with if_(c) as (inside,):
        def _():
            e: bool = eq(n, m)
            {CHECK.format("e", "n", "m")}
            yield m
        def _():
            yield m
    return inside, m
"""
    before = parse(text, infer)
    after = unify_extents(before)
    assert after is not before
    assert list(run(after, np.zeros(2), np.zeros(3), False)) == [3, 3]
    assert list(run(after, np.zeros(3), np.zeros(3), True)) == [3, 3]


def test_a_chain_of_checks() -> None:
    text = f"""
def f(x: f64[:], y: f64[:], z: f64[:]):
    n: i64 = dim(x, axis=0)
    m: i64 = dim(y, axis=0)
    k: i64 = dim(z, axis=0)
    a: bool = eq(k, m)
    {CHECK.format("a", "k", "m")}
    b: bool = eq(n, m)
    {CHECK.format("b", "n", "m")}
    d: f64[:] = alloc(k, dtype=f64, fill='zeros')
    e: f64[:] = alloc(m, dtype=f64, fill='zeros')
    return d, e
"""
    after = unify_extents(parse(text, infer))
    allocated = [op.operands[0] for op in walk(after.body) if op.primitive == "alloc"]
    assert allocated[0] is allocated[1]
    assert [a.shape for a in run(after, np.zeros(2), np.zeros(2), np.zeros(2))] == [(2,), (2,)]


def test_an_extent_that_is_one_or_equal_keeps_its_name() -> None:
    text = f"""
def f(x: f64[:], y: f64[:]):
    n: i64 = dim(x, axis=0)
    m: i64 = dim(y, axis=0)
    a: bool = eq(n, m)
    b: bool = eq(m, 1)
    c: bool = or_(a, b)
    {CHECK.format("c", "n", "m")}
    return m
"""
    before = parse(text, infer)
    assert unify_extents(before) is before


def test_one_loop_over_the_data() -> None:
    def loss(w, x, y):
        z = y * (x @ w)
        return np.mean(np.log1p(np.exp(-z)))

    rng = np.random.default_rng(3)
    w, x, y = rng.normal(size=3), rng.normal(size=(5, 3)), np.sign(rng.normal(size=5))
    g = srcgrad.grad(loss, jit=False)
    expected = x.T @ (-y / (1.0 + np.exp(y * (x @ w)))) / 5.0
    np.testing.assert_allclose(g(w, x, y), expected, rtol=1e-13)
    assert g.source(w, x, y).count("in range(x.shape[0])") == 1
    with pytest.raises(ValueError, match="broadcast"):
        g(w, x, y[:4])
