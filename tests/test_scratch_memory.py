"""Memory on the machine's stack, and rows of stacks: the same numbers as in ordinary arrays; none leaves a function."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from srcgrad import jit
from srcgrad.vector_math import buffer, row


@numba.njit
def mixed(x: Any) -> Any:
    a, b, c = buffer(4, np.float32), buffer((2, 3), np.int64), buffer(2, np.bool_)
    kept = np.empty(8)
    for i in range(4):
        a[i] = x[i] * 3
    for i in range(2):
        c[i] = i == 1
        for j in range(3):
            b[i, j] = 10 * i + j
    upper = row(kept, 4, 4)
    for i in range(4):
        upper[i] = a[i] + b[1, 2] + (1 if c[1] and not c[0] else 0)
    return kept[4:].copy(), b.shape, upper.size


def test_buffers_and_rows_are_arrays() -> None:
    x = np.array([1.0, 2.0, -1.0, 0.1])
    found, shape, size = mixed(x)
    np.testing.assert_array_equal(found, np.float32(x * 3) + np.float64(13.0))
    assert (shape, size) == ((2, 3), 4)


def test_a_row_of_an_array_that_has_been_replaced() -> None:
    @numba.njit
    def grown(n: int) -> float:
        kept = np.empty(2)
        total = 0.0
        for k in range(n):
            if 2 * k == kept.size:
                longer = np.empty(2 * kept.size)
                longer[: kept.size] = kept
                kept = longer
            pair = row(kept, 2 * k, 2)
            pair[0], pair[1] = k, 2.0 * k
        for k in range(n):
            pair = row(kept, 2 * k, 2)
            total += pair[0] * pair[1]
        return total

    assert grown(1000) == 2.0 * sum(k * k for k in range(1000))


def returned(x: Any) -> Any:
    pair = np.empty(2)
    pair[0], pair[1] = x, 2.0 * x
    return pair


def one_of_two(x: Any) -> Any:
    a, b = np.empty(2), np.empty(2)
    a[0], a[1], b[0], b[1] = x, x, 2.0 * x, 2.0 * x
    return a if x > 0.0 else b


def inside(x: Any) -> Any:
    pair = np.empty(2)
    pair[0], pair[1] = x, 2.0 * x
    for _ in range(3):
        pair[0], pair[1] = pair[1], pair[0] + x
    return pair[0] * pair[1]


@pytest.mark.parametrize("f", [returned, one_of_two])
def test_what_leaves_the_function_is_no_buffer(f: Any) -> None:
    g = jit(f)
    first = g(1.5)
    g(-7.0)
    np.testing.assert_array_equal(first, f(1.5))
    assert "buffer" not in g.source(1.5, level="compiled")


def test_what_stays_is_one() -> None:
    g = jit(inside)
    assert "buffer(2, np.float64)" in g.source(1.5, level="compiled")
    assert "buffer" not in g.source(1.5)
    assert g(1.5) == inside(1.5)
