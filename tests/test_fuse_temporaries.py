"""Temporaries go where that changes nothing, and stay where it would."""

from __future__ import annotations

import numpy as np
import pytest
from interpreter import run

from srcgrad.frontend.boundary.pytree import describe
from srcgrad.frontend.lower import lower
from srcgrad.ir.core import Function, walk
from srcgrad.ir.verify import verify
from srcgrad.optimize.fold_constants import fold_constants
from srcgrad.optimize.fuse_temporaries import fuse_temporaries
from srcgrad.optimize.look_through_views import look_through_views
from srcgrad.optimize.resolve_extents import resolve_extents
from srcgrad.optimize.share_common import share_common
from srcgrad.primitives.table import infer


def two_statements(x: np.ndarray, m: np.ndarray) -> float:
    d = x - m[:, 0]
    return np.sum(d * d)


def matrices(x: np.ndarray, m: np.ndarray) -> float:
    d = np.exp(m[:3]) * 2.0
    e = d * d + 1.0
    return np.sum(e, axis=0)[1] + np.sum(e[0])


def swapped(x: np.ndarray, m: np.ndarray) -> np.ndarray:
    u, v = np.zeros(5), np.ones(5)
    for _ in range(4):
        v[1:-1] = u[2:] - u[:-2] + x[1:-1]
        u, v = v, u
    return u


def overlapping(x: np.ndarray, m: np.ndarray) -> np.ndarray:
    y = x * 1.0
    y[1:] = y[:-1] * 2.0
    return y


def read_twice(x: np.ndarray, m: np.ndarray) -> float:
    d = x * 2.0
    return np.sum(d) * np.sum(d[::-1] * x)


def changed_in_between(x: np.ndarray, m: np.ndarray) -> float:
    d = x * 2.0
    x[0] = 100.0
    return np.sum(d)


def written_by_the_reader(x: np.ndarray, m: np.ndarray) -> np.ndarray:
    d = np.empty(5)
    for i in range(5):
        d[i] = x[4 - i]
    for i in range(5):
        x[i] = d[i]
    return x


def running(x: np.ndarray, m: np.ndarray) -> float:
    d = np.empty(5)
    s = 0.0
    for i in range(5):
        s += x[i]
        d[i] = s
    return np.sum(d * d)


def shifted(x: np.ndarray, m: np.ndarray) -> float:
    d = np.empty(5)
    for i in range(5):
        d[i] = x[i] * 3.0
    s = 0.0
    for i in range(5):
        s += d[4 - i] * i
    return s


def prepared(function: Function) -> Function:
    for step in (fold_constants, resolve_extents, look_through_views, share_common, fold_constants):
        function = step(function)
    return function


def allocations(function: Function) -> int:
    return sum(op.primitive == "alloc" for op in walk(function.body))


@pytest.mark.parametrize(
    ("f", "removed"),
    [
        (two_statements, 1),
        (matrices, 1),
        (swapped, 1),
        (overlapping, 0),
        (read_twice, 0),
        (changed_in_between, 0),
        (written_by_the_reader, 0),
        (running, 0),
        (shifted, 0),
    ],
)
def test_temporaries(f: object, removed: int) -> None:
    arguments = np.arange(5.0) + 0.5, np.cos(np.arange(15.0)).reshape(5, 3)
    function = prepared(lower(f, tuple(map(describe, arguments))).function)
    fused = fuse_temporaries(function)
    verify(fused, infer)
    assert allocations(function) - allocations(fused) == removed
    mine, theirs = ([a.copy() for a in arguments] for _ in range(2))
    np.testing.assert_allclose(run(fused, *mine)[0], f(*theirs))
    np.testing.assert_array_equal(mine[0], theirs[0])
