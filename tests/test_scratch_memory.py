"""Memory on the machine's stack, and rows of stacks: the same numbers as in ordinary arrays; none leaves a function."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from srcgrad import grad, jit
from srcgrad.memory import buffer, empty, large_pages, popped_row, pushed_row, row_stack, zeroed, zeros


@numba.njit
def mixed(x: Any) -> Any:
    a, b, c = buffer(4, np.float32), buffer((2, 3), np.int64), buffer(2, np.bool_)
    kept = row_stack(8, np.float64)
    for i in range(4):
        a[i] = x[i] * 3
    for i in range(2):
        c[i] = i == 1
        for j in range(3):
            b[i, j] = 10 * i + j
    pushed_row(kept, 0, 4)
    upper = pushed_row(kept, 4, 4)
    for i in range(4):
        upper[i] = a[i] + b[1, 2] + (1 if c[1] and not c[0] else 0)
    found, shape, size = popped_row(kept, 4, 4).copy(), b.shape, upper.size
    return found, shape, size, kept.size


def test_buffers_and_rows_are_arrays() -> None:
    x = np.array([1.0, 2.0, -1.0, 0.1])
    found, shape, size, room = mixed(x)
    np.testing.assert_array_equal(found, np.float32(x * 3) + np.float64(13.0))
    assert (shape, size, room) == ((2, 3), 4, 8)


def test_a_buffer_of_zeros() -> None:
    @numba.njit
    def counted(x: Any) -> Any:
        total = 0.0
        for value in x:
            a, b, c = zeroed((2, 3), np.float64), zeroed(2, np.complex64), zeroed(5, np.bool_)
            a[1, 2] += value
            b[0] += 1j * value
            total += np.sum(a) + b[0].imag + np.sum(c)
            a[1, 0] = 7.0
            c[3] = True
        return total

    assert counted(np.array([1.0, 2.0, 4.0])) == 14.0


def test_fresh_arrays() -> None:
    @numba.njit
    def made(n: int, m: int) -> Any:
        a, b, c = empty((n, m, 2), np.float32), zeros((m, n), np.complex128), zeros((), np.bool_)
        a[n - 1, m - 1, 1] = 4.0
        b[0, 0] += 1j
        return a, b, c, a.strides, a.nbytes, empty(np.uint64(n), np.int64).shape

    a, b, c, strides, size, shape = made(3, 5)
    expected = np.zeros((5, 3), complex)
    expected[0, 0] = 1j
    assert a.dtype == np.float32 and a.shape == (3, 5, 2) and a.flags.c_contiguous and a[2, 4, 1] == 4.0
    assert (strides, size, shape) == (a.strides, a.nbytes, (3,))
    np.testing.assert_array_equal(b, expected)
    assert c.shape == () and not c


@pytest.mark.parametrize("extents", [(-1, 3), (2**40, 2**40), (2**61, 1), (2**60 - 1, 2), (3, -(2**62))])
def test_fresh_arrays_that_cannot_be(extents: tuple[int, int]) -> None:
    @numba.njit
    def made(n: int, m: int) -> int:
        array = zeros((n, m), np.float64)
        return array.size

    with pytest.raises(MemoryError):
        made(*extents)


def test_a_stack_that_grows() -> None:
    @numba.njit
    def grown(n: int) -> float:
        kept, flags = row_stack(2, np.float64), row_stack(2, np.bool_)
        total = 0.0
        for k in range(n):
            pair, flag = pushed_row(kept, 2 * k, 2), pushed_row(flags, 2 * k, 2)
            pair[0], pair[1] = k, 2.0 * k
            flag[0], flag[1] = k % 2 == 0, True
        for k in range(n):
            pair, flag = popped_row(kept, 2 * k, 2), popped_row(flags, 2 * k, 2)
            total += pair[0] * pair[1] if flag[0] and flag[1] else 0.0
        return total

    assert grown(1000) == 2.0 * sum(k * k for k in range(0, 1000, 2))


def test_the_memory_of_a_stack_is_given_back() -> None:
    @numba.njit
    def filled(n: int) -> float:
        kept = row_stack(64, np.float64)
        for k in range(n):
            pushed_row(kept, 64 * k, 64)[0] = k
        total = 0.0
        for k in range(n):
            total += popped_row(kept, 64 * k, 64)[0]
        return total

    filled(40_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(20):
        assert filled(40_000) == 20_000 * 39_999  # 20 MB
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kilobytes


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
        kept = large_pages(empty((n, 1000), np.float32))
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
    assert "large_pages(empty(" in grad(carried).backward_source(0.7, 5, level="compiled")
    assert "large_pages" not in grad(carried).backward_source(0.7, 5)
    assert "large_pages" not in grad(carried, vector_math=False).backward_source(0.7, 5, level="compiled")
    assert grad(carried)(0.7, 5) == pytest.approx(grad(carried, jit=False)(0.7, 5), rel=1e-13)
