"""Memory on the machine's stack, and rows of stacks: the same numbers as in ordinary arrays; none leaves a function."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from srcgrad import grad, jit
from srcgrad.vector_math import buffer, large_pages, row


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


def test_large_memory_is_asked_for_in_large_pages() -> None:
    @numba.njit
    def made(n: int) -> Any:
        kept = large_pages(np.empty((n, 1000), np.float32))
        for k in range(n):
            kept[k, 0] = k
        return kept

    few, many = made(10), made(20_000)
    assert few.shape == (10, 1000) and few.dtype == np.float32
    np.testing.assert_array_equal(many[:, 0], np.arange(20_000, dtype=np.float32))
    if LARGE_PAGES.is_file() and "[never]" not in LARGE_PAGES.read_text():
        assert "hg" in flags_of(many.ctypes.data + many.nbytes // 2)


LARGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")


def flags_of(address: int) -> list[str]:
    """What Linux says of the memory at an address."""
    inside = False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        first, *rest = line.split()
        if "-" in first:
            start, end = (int(part, 16) for part in first.split("-"))
            inside = start <= address < end
        elif inside and first == "VmFlags:":
            return rest
    raise AssertionError(f"{address:x} is in no mapping")


def carried(x: float, n: int) -> float:
    for _ in range(n):
        x = np.sin(x) * x
    return x


def test_what_a_loop_of_any_length_keeps_is_in_large_pages() -> None:
    assert "large_pages(np.empty(" in grad(carried).backward_source(0.7, 5, level="compiled")
    assert "large_pages" not in grad(carried).backward_source(0.7, 5)
    assert "large_pages" not in grad(carried, vector_math=False).backward_source(0.7, 5, level="compiled")
    assert grad(carried)(0.7, 5) == pytest.approx(grad(carried, jit=False)(0.7, 5), rel=1e-13)
