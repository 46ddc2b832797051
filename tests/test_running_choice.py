"""What a loop chooses last is differentiated at its place alone; where it cannot be computed again, as before."""

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
from srcgrad.differentiate.choose_again import choose_again
from srcgrad.frontend.boundary.pytree import describe
from srcgrad.frontend.lower import lower
from srcgrad.ir.core import Function, walk
from srcgrad.ir.verify import verify
from srcgrad.optimize.fold_constants import fold_constants
from srcgrad.optimize.look_through_views import look_through_views
from srcgrad.optimize.privatize import privatize
from srcgrad.optimize.resolve_extents import resolve_extents
from srcgrad.optimize.share_common import share_common
from srcgrad.primitives.table import infer
from srcgrad.testing import check_grads

C = np.array([[0.3, -1.2], [0.9, 0.4], [-0.5, 0.8], [0.3, -1.2]])
P = np.array([[0.1, 0.2], [1.0, 0.5], [-0.7, 0.9]])
X = np.array([0.7, -0.4, 1.1, 0.5, 1.1])


def nearest(c, p):
    total = 0.0
    for i in range(p.shape[0]):
        best = 1e3
        for j in range(c.shape[0]):
            d = 0.0
            for a in range(c.shape[1]):
                d += (p[i, a] - c[j, a]) ** 2
            if d < best:
                best = d
        total += best
    return total


def nearest_of_all(c, p):
    best = 1e3
    for i in range(p.shape[0]):
        for j in range(c.shape[0]):
            d = (p[i, 0] - c[j, 0]) ** 2 + (p[i, 1] - c[j, 1]) ** 2
            if d < best:
                best = d
    return best


def place_kept_too(c, p):
    total = 0.0
    for i in range(p.shape[0]):
        best, at = np.inf, -1
        for j in range(c.shape[0]):
            d = 0.0
            for a in range(c.shape[1]):
                d += abs(p[i, a] - c[j, a]) ** 3
            if d < best:
                best, at = d, j
        total += best * c[at, 0]
    return total


def with_scratch(c, p):
    best = np.inf
    for j in range(c.shape[0]):
        d = np.empty(2)
        for a in range(2):
            d[a] = (p[0, a] - c[j, a]) ** 2
        s = d[0] + d[1] * d[0]
        d[0] = 7.0
        if s < best:
            best = s
    return best


def last_wins(x):
    best = 0.1
    for k in range(x.shape[0]):
        if x[k] >= best:
            best = x[k]
    return best * best


def first_wins(x):
    best = 0.1
    for k in range(x.shape[0]):
        if x[k] > best:
            best = x[k]
    return best * best


def both_ends(x):
    low, high = x[0], x[0]
    for k in range(1, x.shape[0]):
        y = np.sin(x[k]) * x[k]
        if y < low:
            low = y
        if high < y:
            high = y
    return (high - low) ** 2


def last_that_passes(x):
    found = 0.3
    for k in range(x.shape[0]):
        if x[k] < 0.6:
            found = np.exp(x[k])
    return found


def kept_unless(x):
    found = x[0]
    for k in range(x.shape[0]):
        found = found if x[k] > 0.6 else x[k] ** 3
    return found


def none_passes(x):
    found = x[0] * 0.3
    for k in range(x.shape[0]):
        if x[k] > 100.0:
            found = x[k] * x[k]
    return found


def from_another_value(x):
    """The comparison is not with what is carried."""
    found = x[0]
    for k in range(x.shape[0]):
        if np.sqrt(x[k] * x[k]) / (x[k] + 2.0) > 0.2:
            found = x[k] * x[k]
    return found


def counted(x):
    """The chosen element is found by what the loop itself has counted."""
    best, n = -1.0, 0
    for k in range(x.shape[0]):
        if x[k] > 0.0:
            n = n + 1
            y = x[n - 1] * x[k]
            if y > best:
                best = y
    return best


def nearest_other(c, p):
    total = 0.0
    for i in range(c.shape[0]):
        best = 1e3
        for j in range(c.shape[0]):
            if j != i:
                d = (c[i, 0] - c[j, 0]) ** 2 + (c[i, 1] * p[0, 0] - c[j, 1]) ** 2
                if d < best:
                    best = d
        total += best * best
    return total


def three_ways(x):
    """What is chosen differs by branch."""
    best = 0.0
    for k in range(x.shape[0]):
        if x[k] > 0.6:
            best = x[k] * x[k]
        elif x[k] > 0.4:
            best = np.sin(x[k])
    return best


def partners(x):
    """Two values chosen at once, one of which the choice does not look at."""
    best, other = -1.0, 0.0
    for k in range(x.shape[0]):
        y = x[k] * x[k]
        if y > best:
            best = y
            other = np.sin(x[k]) * x[0]
    return best * other


def second_best(x):
    """What was the best becomes the second: its history counts."""
    best, second = -2.0, -3.0
    for k in range(x.shape[0]):
        if x[k] > best:
            second = best
            best = x[k]
        elif x[k] > second:
            second = x[k]
    return best * second


def overwritten(x):
    """What was chosen is changed afterwards, within the loop."""
    a = x.copy()
    best = -1.0
    for k in range(a.shape[0]):
        if a[k] > best:
            best = a[k]
        a[k] = 0.5 * best
    return best * best + a[2]


def overwritten_ahead(x):
    a = x.copy()
    best = -1.0
    for k in range(a.shape[0] - 1):
        y = a[k] * 2.0
        if y > best:
            best = y
        a[k + 1] = a[k + 1] * x[k]
        a[0] = 0.25
    return best * best


def changed_behind(x):
    """The branch reads scratch memory that is changed behind it."""
    best = -1.0
    for k in range(x.shape[0]):
        d = np.empty(2)
        d[0] = x[k]
        d[1] = x[k] * x[k]
        if x[k] > best:
            best = d[0] * d[1]
        d[0] = 9.0
        d[1] = x[0]
        best = best if d[1] > 0.0 else d[0] * d[1]
    return best


def added_to(x):
    best, total = -1.0, 0.0
    for k in range(x.shape[0]):
        if x[k] > best:
            best = x[k]
        total += best * x[k]
    return total * best


def decayed(x):
    best = -1.0
    for k in range(x.shape[0]):
        best = x[k] if x[k] > best else best * 0.9
    return best


CASES: list[tuple[Any, tuple[Any, ...], int]] = [
    (nearest, (C, P), 1),
    (nearest, (C[:0], P), 1),
    (nearest_of_all, (C, P), 2),
    (place_kept_too, (C, P), 1),
    (with_scratch, (C, P), 1),
    (last_wins, (X,), 1),
    (first_wins, (X,), 1),
    (first_wins, (X[:0],), 1),
    (both_ends, (X,), 2),
    (last_that_passes, (X,), 1),
    (kept_unless, (X,), 1),
    (none_passes, (X,), 1),
    (from_another_value, (X,), 1),
    (counted, (X,), 1),
    (partners, (X,), 1),
    (nearest_other, (C, P), 1),
    (three_ways, (X,), 0),
    (second_best, (X,), 0),
    (overwritten, (X,), 0),
    (overwritten_ahead, (X,), 0),
    (changed_behind, (X,), 0),
    (added_to, (X,), 0),
    (decayed, (X,), 0),
]
IDS = [f"{f.__name__}-{len(args[0])}" for f, args, _ in CASES]


def prepared(f: Any, args: tuple[Any, ...]) -> Function:
    function = lower(f, tuple(map(describe, args))).function
    for step in (fold_constants, resolve_extents, look_through_views, share_common, fold_constants, privatize):
        function = step(function)
    return function


@pytest.mark.parametrize(("f", "args", "choices"), CASES, ids=IDS)
def test_value_is_kept(f: Any, args: tuple[Any, ...], choices: int) -> None:
    """And as many choices are found as there are, inner ones first."""
    before = prepared(f, args)
    after = choose_again(before)
    verify(after, infer)
    assert (
        sum(op.primitive == "if" for op in walk(after.body)) - sum(op.primitive == "if" for op in walk(before.body))
        == choices
    )
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(run(after, *(a.copy() for a in args)), run(before, *(a.copy() for a in args)))


@pytest.mark.parametrize(("f", "args", "choices"), CASES, ids=IDS)
def test_gradients(f: Any, args: tuple[Any, ...], choices: int) -> None:
    wrt = differentiable(args)
    dual = types.FunctionType(f.__code__, {**f.__globals__, "np": DualNumPy()})
    with np.errstate(all="ignore"):
        value, expected = value_and_gradients(dual, args)
        alone = srcgrad.grad(f, argnums=wrt, jit=False, cache=False)(*args)
        mine, beside = srcgrad.value_and_grad(f, argnums=wrt, jit=False, cache=False)(*args)
    assert relative_error([mine, *beside], [value, *expected]) < 1e-12
    assert relative_error(list(alone), list(expected)) < 1e-12


@pytest.mark.parametrize("f", [nearest, nearest_of_all, with_scratch, place_kept_too])
def test_second_order(f: Any) -> None:
    check_grads(f, (C[:3], P), order=2, jit=False)


def test_ties_go_to_the_one_that_was_taken() -> None:
    np.testing.assert_array_equal(srcgrad.grad(first_wins, jit=False)(X), [0, 0, 2.2, 0, 0])
    np.testing.assert_array_equal(srcgrad.grad(last_wins, jit=False)(X), [0, 0, 0, 0, 2.2])


def test_nan_is_never_chosen() -> None:
    x = np.array([0.5, np.nan, 0.8])
    np.testing.assert_array_equal(srcgrad.grad(first_wins, jit=False)(x), [0, 0, 1.6])


def test_single_precision() -> None:
    c, p = C.astype(np.float32), P.astype(np.float32)
    value, gradient = srcgrad.value_and_grad(nearest)(c, p)
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(gradient, srcgrad.grad(nearest, jit=False)(C, P), rtol=1e-5, atol=1e-6)
    assert value == pytest.approx(nearest(C, P), rel=1e-5)


def test_only_the_chosen_one_is_reversed() -> None:
    """One loop over the centroids is left, and what it computes is not kept."""
    text = srcgrad.grad(nearest, jit=False).backward_source(C, P)
    assert text.count("in range(c.shape[0])") == 1
    assert "kept" not in text
