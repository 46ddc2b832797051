"""Loops over pairs of points: short loops written out, sums carried, rows copied into columns; the numbers stay."""

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
from srcgrad.frontend.boundary.pytree import describe
from srcgrad.frontend.lower import lower
from srcgrad.ir.core import Const, Function, index, walk
from srcgrad.ir.text import parse
from srcgrad.ir.verify import verify
from srcgrad.optimize.carry_sums import carry_sums
from srcgrad.optimize.copy_columns import copy_columns
from srcgrad.optimize.fold_constants import fold_constants
from srcgrad.optimize.hoist_checks import hoist_checks
from srcgrad.optimize.look_through_views import look_through_views
from srcgrad.optimize.prove_indices import prove_indices
from srcgrad.optimize.resolve_extents import resolve_extents
from srcgrad.optimize.share_common import share_common
from srcgrad.optimize.simplify_loops import simplify_loops
from srcgrad.optimize.unroll_short import unroll_short
from srcgrad.primitives.table import infer
from srcgrad.testing import check_grads

GENERATOR = np.random.default_rng(3)
X = GENERATOR.standard_normal((7, 3))
FORTRAN = np.asfortranarray(X)
STRIDED = np.repeat(X, 2, axis=1)[:, ::2]
W = np.array([0.4, -1.3, 0.8, 0.1, 0.5, -0.2, 1.1])


def energy(x):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(i + 1, x.shape[0]):
            square = 0.3
            for a in range(3):
                square += (x[i, a] - x[j, a]) ** 2
            total += 1.0 / square
    return total


def in_the_plane(x, w):
    """Two of three columns, written by their numbers, and a weight for each point."""
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(i):
            dx = x[i, 0] - x[j, 0]
            dz = x[i, 2] - x[j, 2]
            total += w[i] * w[j] * np.exp(-dx * dx) * dz
    return total


def towards_centres(x, w):
    """The pairs are of a point and a centre, which are in different arrays."""
    total = 0.0
    for i in range(w.shape[0] - 2):
        for j in range(x.shape[0]):
            total += (x[j, 0] - w[i]) ** 2 * (x[j, 1] - w[i + 1]) + x[j, 2] * w[i + 2]
    return total


def moved_in_between(x):
    """The points change within the loop: no copy may be taken of them."""
    y = x.copy()
    total = 0.0
    for i in range(1, y.shape[0]):
        for j in range(i):
            total += (y[i, 0] - y[j, 0]) * (y[i, 1] - y[j, 1]) ** 2
        y[i, 0] = 0.5 * total
    return total


def moved_by_steps(x):
    """Here they may, in each step."""
    y = x.copy()
    f = np.zeros((x.shape[0], 3))
    for _ in range(3):
        for i in range(x.shape[0]):
            for j in range(i):
                s = 0.5
                for a in range(3):
                    s += (y[i, a] - y[j, a]) ** 2
                for a in range(3):
                    f[i, a] += (y[i, a] - y[j, a]) / s
                    f[j, a] -= (y[i, a] - y[j, a]) / s
        for i in range(x.shape[0]):
            for a in range(3):
                y[i, a] += 0.01 * f[i, a]
    return np.sum(y * y)


def read_while_added_to(x):
    f = np.zeros((x.shape[0], 2))
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(i):
            f[j, 0] += x[i, 0] * x[j, 1]
            f[j, 1] += x[i, 1]
            total += f[j, 0] * x[j, 2]
    return total


def two_sums(w):
    """Two sums go to one element, and one to a neighbour that is read behind the loop."""
    out = np.zeros(3)
    for i in range(w.shape[0]):
        for k in range(i):
            out[1] += w[i] * w[k]
            out[2] += w[k]
            out[1] -= w[k] ** 3
        out[0] += out[1] * w[i]
    return out[0] * out[2]


CASES: list[tuple[Any, tuple[Any, ...]]] = [
    (energy, (X,)),
    (energy, (FORTRAN,)),
    (energy, (STRIDED,)),
    (energy, (X[:1],)),
    (energy, (X[:0],)),
    (in_the_plane, (X, W)),
    (towards_centres, (X, W)),
    (moved_in_between, (X,)),
    (moved_by_steps, (X,)),
    (read_while_added_to, (X,)),
    (two_sums, (W,)),
]
IDS = [f"{k}-{f.__name__}" for k, (f, _) in enumerate(CASES)]


def exact(f: Any, args: tuple[Any, ...]) -> tuple[float, list[Any]]:
    return value_and_gradients(types.FunctionType(f.__code__, {**f.__globals__, "np": DualNumPy()}), args)


def prepared(f: Any, args: tuple[Any, ...]) -> Function:
    function = lower(f, tuple(map(describe, args))).function
    for step in (fold_constants, resolve_extents, look_through_views, share_common, simplify_loops, prove_indices):
        function = step(function)
    return hoist_checks(fold_constants(share_common(fold_constants(function))))


@pytest.mark.parametrize(("f", "args"), CASES, ids=IDS)
def test_each_pass_keeps_the_value(f: Any, args: tuple[Any, ...]) -> None:
    function = prepared(f, args)
    expected = f(*args)
    for step in (unroll_short, fold_constants, share_common, copy_columns, carry_sums):
        function = step(function)
        verify(function, infer)
        (value,) = run(function, *(a.copy("K") for a in args))
        np.testing.assert_allclose(value, expected, rtol=1e-12)


@pytest.mark.parametrize(("f", "args"), CASES, ids=IDS)
def test_gradients(f: Any, args: tuple[Any, ...]) -> None:
    """Plain, and from the steps that a jitted one takes."""
    wrt = differentiable(args)
    value, expected = exact(f, args)
    alone = srcgrad.grad(f, argnums=wrt, jit=False, cache=False)(*args)
    assert relative_error(list(alone), list(expected)) < 1e-12
    in_columns = srcgrad.value_and_grad(f, argnums=wrt, cache=False).ir(*args, after="carry_sums")
    mine, *beside = run(parse(in_columns, infer), *(a.copy("K") for a in args))
    assert relative_error([mine, *beside], [value, *expected]) < 1e-11


@pytest.mark.parametrize(("f", "args"), [(energy, (X,)), (moved_by_steps, (X,))], ids=["energy", "steps"])
def test_jitted(f: Any, args: tuple[Any, ...]) -> None:
    assert relative_error([*srcgrad.grad(f, argnums=(0,))(*args)], exact(f, args)[1]) < 1e-12


def test_second_order() -> None:
    check_grads(energy, (X[:4],), order=2, jit=False)


def test_columns_are_those_of_the_points_alone() -> None:
    """Of the gradient of an energy: the points, and their shadow."""
    text = srcgrad.grad(energy).backward_source(X, level="compiled")
    assert "empty((3, x.shape[0]), np.float64)" in text
    assert "zeros((3, n), np.float64)" in text
    assert "for a in" not in text


@pytest.mark.parametrize("f", [moved_in_between, read_while_added_to])
def test_no_columns_of_what_changes(f: Any) -> None:
    before = fold_constants(share_common(unroll_short(prepared(f, (X,)))))
    copies = [op for op in walk(copy_columns(before).body) if op.primitive == "alloc"]
    # The points of read_while_added_to stay as they are, what is read and added to at once does not go apart.
    assert len(copies) - sum(op.primitive == "alloc" for op in walk(before.body)) == (f is read_while_added_to)


def test_too_few_columns_raise_where_they_are_looked_at() -> None:
    narrow = np.ones((3, 2))
    with pytest.raises(IndexError, match="test_pairs"):
        srcgrad.grad(energy)(narrow)
    np.testing.assert_array_equal(srcgrad.grad(energy)(narrow[:1]), np.zeros((1, 2)))


def test_single_precision() -> None:
    x = X.astype(np.float32)
    gradient = srcgrad.grad(energy)(x)
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(gradient, srcgrad.grad(energy, jit=False)(X), rtol=1e-4, atol=1e-5)


def test_loops_are_written_out_where_the_loop_around_then_is_the_innermost() -> None:
    def long_and_short(x):
        total = 0.0
        for a in range(3):
            total += x[0, a]
        for i in range(x.shape[0]):
            for _ in range(5):
                total += x[i, 0]
            for a in range(3):
                total += x[i, a]
        for i in range(x.shape[0]):
            for a in range(3):
                total += x[i, a] ** 2
        return total

    before = prepared(long_and_short, (X,))
    counts = [[op.operands[0] for op in walk(f.body) if op.primitive == "for"] for f in (before, unroll_short(before))]
    literal = [[n for n in trips if isinstance(n, Const)] for trips in counts]
    assert literal == [[index(3), index(5), index(3), index(3)], [index(3), index(5), index(3)]]
