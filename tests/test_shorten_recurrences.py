"""Adjoints of recurrences with their products regrouped: the same numbers, by fewer operations from step to step."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them.

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest
from interpreter import run
from oracle.derivatives import differentiable
from oracle.dual_numpy import DualNumPy, value_and_gradients
from oracle.programs import relative_error

import srcgrad
from srcgrad.ir.core import walk
from srcgrad.ir.text import parse
from srcgrad.ir.verify import verify
from srcgrad.optimize.shorten_recurrences import shorten_recurrences
from srcgrad.primitives.table import infer

P = np.array([1.1, 0.4, 0.1, 0.4, 3.0, 2.0])
X = np.array([0.7, -0.4, 1.1, 0.5])


def heun(p):
    x, y = p[4], p[5]
    for _ in range(6):
        u = p[0] * x - p[1] * x * y
        v = p[2] * x * y - p[3] * y
        s, t = x + 0.1 * u, y + 0.1 * v
        x += 0.05 * (u + p[0] * s - p[1] * s * t)
        y += 0.05 * (v + p[2] * s * t - p[3] * t)
    return x * x + y


def recurrent_network(x):
    h = 0.1
    for t in range(4):
        h = np.tanh(x[0] * h - x[1] * (h * x[t]) + x[2] * h * h) + h * x[3]
    return h


def masked(x):
    """A partial that may be infinite meets a cotangent that is 0."""
    h = 0.0
    s = 0.0
    for t in range(4):
        h = np.sqrt(h * x[0] + h * (x[3] * h)) + 0.0 * x[t]
        s = s * x[0] - x[3] * (s * x[2]) + x[t]
    return s


def signs(x):
    a, b = x[0], x[1]
    for t in range(4):
        a, b = -(x[2] * -(x[3] * b)) - a * x[t], b - (a - b * x[2]) - x[3] * (a * x[t])
    return a * b


@pytest.mark.parametrize("f", [heun, recurrent_network, masked, signs])
def test_gradients(f: Any) -> None:
    args = (P if f is heun else X,)
    wrt = differentiable(args)
    with np.errstate(all="ignore"):
        value, expected = value_and_gradients(
            types.FunctionType(f.__code__, {**f.__globals__, "np": DualNumPy()}), args
        )
    given = srcgrad.value_and_grad(f, argnums=wrt, cache=False).ir(*args, after="recall")
    before = parse(given, infer)
    after = shorten_recurrences(before)
    verify(after, infer)
    for function in (before, after):
        mine, *beside = run(function, *(a.copy() for a in args))
        assert relative_error([mine, *beside], [value, *expected]) < 1e-12


def longest_way(text: str) -> int:
    """The most operations between what an iteration of the mirror loop has from the one before and what it hands on."""
    (loop,) = (op for op in walk(parse(text, infer).body) if op.attributes.get("adjoint"))
    body = loop.blocks[0]
    behind: dict[object, int] = dict.fromkeys(body.parameters[1:], 0)
    for op in body.ops:
        known = [behind[x] for x in op.operands if x in behind]
        if known:
            behind.update(dict.fromkeys(op.results, 1 + max(known)))
    return max(behind[y] for y in body.yields)


def test_the_way_is_shorter() -> None:
    gradient = srcgrad.grad(heun)
    before, after = (longest_way(gradient.ir(P, after=step)) for step in ("carry_elements", "shorten_recurrences"))
    assert after <= 0.75 * before


def test_compensated_sums_stay() -> None:
    """Of the user's own recurrence nothing is regrouped, in the gradient's forward sweep either."""

    def compensated(x):
        s, c, h = 0.0, 0.0, 1.0
        for t in range(x.shape[0]):
            h = h * 0.5 + x[t]
            y = x[t] * (x[0] * h) - c
            u = s + y
            c = (u - s) - y
            s = u
        return s

    x = np.concatenate([[1.0], np.full(1000, 1e-17)])
    value, gradient = srcgrad.value_and_grad(compensated)(x)
    assert value == compensated(x)
    np.testing.assert_allclose(gradient, srcgrad.grad(compensated, jit=False)(x), rtol=1e-12)
