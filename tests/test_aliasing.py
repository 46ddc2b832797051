"""Overlap and aliasing: what one name writes another one reads, as in NumPy, and so it is differentiated."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import numpy as np
import pytest

import srcgrad

RNG = np.random.default_rng(13)
V, W = RNG.normal(size=6), RNG.normal(size=6)
M, Q = RNG.normal(size=(3, 4)), RNG.normal(size=(4, 4))
REPEATED = np.array([0, 1, 1, 2])


def shifted_forward(a):
    a[1:] += a[:-1]


def shifted_back(a):
    a[:-1] += a[1:]


def mirrored(a):
    a += a[::-1]


def reversed_in_place(a):
    a[:] = a[::-1]


def moved_by_two(a):
    a[:3] += a[2:5]


def two_shifts(a):
    a[2:] = a[:-2] + a[1:-1]


def smoothed(a):
    a[1:-1] = 0.5 * (a[2:] + a[:-2])


def swapped_by_indices(a):
    a[[0, 1]] = a[[1, 0]]


def interleaved(a):
    a[::2], a[1::2] = a[1::2].copy(), a[::2].copy()


def swapped_elements(a):
    a[0], a[1] = a[1], a[0]


def out_overlaps(a):
    np.add(a[1:], a[:-1], out=a[1:])


def out_is_mirrored(a):
    np.multiply(a, a[::-1], out=a)


def out_by_position(a):
    np.add(a[:-1], a[1:], a[:-1])


def cumulative_into_itself(a):
    np.cumsum(a, out=a)


def views_of_views(a):
    b = a[1:][::2]
    b *= 3.0
    b[-1:][0] = a[0]


def half_by_reshape(a):
    b = a.reshape(2, -1)
    b[0] = b[1]


def views_in_a_tuple(a):
    halves = (a[:3], a[3:])
    halves[0][:] = halves[1] * halves[0]


def views_swapped_in_a_list(a):
    halves = [a[:3], a[3:]]
    halves[0], halves[1] = halves[1], halves[0]
    halves[0] *= 2.0


def views_in_a_dict(a):
    named = {"all": a, "inner": a[1:-1]}
    named["inner"] += named["all"][:-2]


def one_or_the_other(a):
    b = a if a[0] > 0.0 else a[::-1]
    b[0] = 2.0 * b[1]


def shrinking_view(a):
    b = a
    for _ in range(3):
        b = b[1:]
        b *= 1.5


def masked_from_its_mirror(a):
    a[a > 0.0] = a[::-1][a > 0.0]


def through_flat(a):
    a.flat[3] = a[0] * 2.0


def through_a_view_of_all(a):
    b = a.view()
    b[0] = 9.0 * a[1]


def keeper(buffer):
    def add_first(k):
        buffer[k] += buffer[0]

    return add_first


def kept_by_a_function(a):
    add = keeper(a)
    add(1)
    add(0)
    add(2)


def first_doubled(buffer, k):
    buffer[k] = buffer[k - 1] * 2.0
    return buffer


def handed_back(a):
    b = first_doubled(a, 1)
    c = first_doubled(b, 2)
    c *= b


def last_repeated_counts(a):
    z = np.zeros_like(a[:3])
    z[REPEATED] = a[:4] * 1.0
    z[REPEATED] += a[2:]
    a[3:] = z * a[REPEATED[1:]]


VECTORS = [
    shifted_forward, shifted_back, mirrored, reversed_in_place, moved_by_two, two_shifts, smoothed,
    swapped_by_indices, interleaved, swapped_elements, out_overlaps, out_is_mirrored, out_by_position,
    cumulative_into_itself, views_of_views, half_by_reshape, views_in_a_tuple, views_swapped_in_a_list,
    views_in_a_dict, one_or_the_other, shrinking_view, masked_from_its_mirror, through_flat, through_a_view_of_all,
    kept_by_a_function, handed_back, last_repeated_counts,
]  # fmt: skip


def plus_transpose(a):
    a += a.T


def transposed_in_place(a):
    a[:, :] = a.T


def minus_transpose_into_itself(a):
    np.subtract(a, a.T, out=a)


def product_into_itself(a):
    np.matmul(a, a.T, out=a)


def row_through_transpose(a):
    a.T[0] = 2.0 * a[0]


def column_from_row(a):
    a.T[1:, 0] += a[0, 1:]


def through_sliced_transpose(a):
    b = a.T[1:].T
    b += a[:, 0][:, None]


def diagonal_moved(a):
    a[1:, 1:] = a[:-1, :-1]


def first_row_from_all(a):
    a -= a[0]


def first_column_from_all(a):
    a -= a[:, :1]


def sum_into_first_row(a):
    np.sum(a, axis=0, out=a[0])


def row_times_itself(a):
    a[0] *= a[0]
    a[1] = a[1, 1]


def rows_by_indices(a):
    a[[0, 1]] = a[[1, 0]]


def column_by_swapped_axes(a):
    a.swapaxes(0, 1)[1][:] = a[0]


def new_axes(a):
    a[:, None][0, 0, 1:] = a[1, 0]


MATRICES = [
    plus_transpose, transposed_in_place, minus_transpose_into_itself, product_into_itself, row_through_transpose,
    column_from_row, through_sliced_transpose, diagonal_moved, first_row_from_all, first_column_from_all,
    sum_into_first_row, row_times_itself, rows_by_indices, column_by_swapped_axes, new_axes,
]  # fmt: skip


def changed(change: Callable[..., None], a: np.ndarray) -> np.ndarray:
    copied = a.copy()
    change(copied)
    return copied


@pytest.mark.parametrize("change", [*VECTORS, *MATRICES], ids=lambda f: f.__name__)
def test_memory_afterwards_and_its_derivatives(change: Callable[..., None]) -> None:
    point = V if change in VECTORS else Q
    mine = point.copy()
    srcgrad.jit(change, jit=False)(mine)
    np.testing.assert_allclose(mine, changed(change, point), rtol=1e-13)

    def loss(a):
        b = a.copy()
        change(b)
        return np.sum(np.sin(b) * (a + 1.0))

    srcgrad.check_grads(loss, (point,), order=2, jit=False)


COMPILED = [shifted_forward, mirrored, reversed_in_place, out_overlaps, views_swapped_in_a_list, one_or_the_other]


def some_vectors(a):
    total = 0.0
    for change in COMPILED:
        b = a.copy()
        change(b)
        total += np.sum(np.sin(b) * (a + 1.0))
    return total


def all_matrices(a):
    total = 0.0
    for change in MATRICES:
        b = a.copy()
        change(b)
        total += np.sum(np.sin(b) * (a + 1.0))
    return total


@pytest.mark.parametrize(("f", "point"), [(some_vectors, V), (all_matrices, Q)], ids=["vectors", "matrices"])
def test_compiled_code_does_the_same(f: Callable[..., float], point: np.ndarray) -> None:
    value, gradient = srcgrad.value_and_grad(f)(point)
    plain_value, plain_gradient = srcgrad.value_and_grad(f, jit=False)(point)
    np.testing.assert_allclose(value, f(point), rtol=1e-12)
    np.testing.assert_allclose(value, plain_value, rtol=1e-12)
    np.testing.assert_allclose(gradient, plain_gradient, rtol=1e-10, atol=1e-12)


def readonly(a: np.ndarray) -> np.ndarray:
    fixed = a.copy()
    fixed.setflags(write=False)
    return fixed


LAYOUTS = {
    "fortran": np.asfortranarray(Q),
    "backwards": Q[::-1, ::-1],
    "strided": RNG.normal(size=(8, 8))[::2, ::2],
    "transposed": Q.T,
    "readonly": readonly(Q),
    "empty": np.zeros((0, 0)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("change", [plus_transpose, row_through_transpose, diagonal_moved], ids=lambda f: f.__name__)
def test_layouts(change: Callable[..., None], layout: str) -> None:
    point = LAYOUTS[layout]
    if point.size == 0 and change is row_through_transpose:
        return

    def result(a):
        b = a.copy()
        change(b)
        return b * a

    np.testing.assert_allclose(srcgrad.jit(result, jit=False)(point), result(point), rtol=1e-13)
    srcgrad.check_grads(result, (point,), jit=False)


def swaps_on_a_condition(a, b):
    x, y = a.copy(), b.copy()
    for i in range(3):
        if a[i] > 0.0:
            x, y = y, x
        x[i] = y[i] * 2.0
    return np.sum(x * y * y)


def numbers_of_rank_zero(a):
    b = np.array(0.0)
    b += a[0]
    b[...] = b * 2.0
    c = np.zeros(())
    c[()] = a[1]
    return np.sum(b * c * a)


def nothing_in_it(a):
    return np.sum(a[3:3]) + np.sum(a[:0] * 2.0) + np.sum(np.concatenate([a[:0], a]) ** 2)


@pytest.mark.parametrize(
    ("f", "arguments"),
    [(swaps_on_a_condition, (V, W)), (numbers_of_rank_zero, (V,)), (nothing_in_it, (V,))],
    ids=lambda v: v.__name__ if inspect.isfunction(v) else "",
)
def test_functions(f: Callable[..., float], arguments: tuple[np.ndarray, ...]) -> None:
    np.testing.assert_allclose(srcgrad.jit(f, jit=False)(*arguments), f(*arguments), rtol=1e-13)
    srcgrad.check_grads(f, arguments, order=2, jit=False)


def test_one_array_passed_twice_has_a_gradient_per_argument() -> None:
    first, second = srcgrad.grad(lambda x, y: np.sum(x * x * y), argnums=(0, 1), jit=False)(V, V)
    np.testing.assert_allclose(first, 2.0 * V * V)
    np.testing.assert_allclose(second, V * V)


def written(first, second):
    first[0] = second[1]
    return np.sum(first * second)


@pytest.mark.parametrize("jit", [False, True])
def test_one_array_passed_twice_and_written_to_is_an_error(jit: bool) -> None:
    with pytest.raises(srcgrad.ArgumentTypeError, match="'first' and 'second' overlap"):
        srcgrad.grad(written, jit=jit)(V, V)
    with pytest.raises(srcgrad.ArgumentTypeError, match="'first' and 'second' overlap"):
        srcgrad.grad(written, jit=jit)(V[:-1], V[1:])


def test_an_item_of_a_tuple_is_not_updated() -> None:
    def f(a):
        t = (a.copy(), 1.0)
        t[0] += 1.0
        return np.sum(t[0])

    with pytest.raises(srcgrad.Error, match="does not take item assignment"):
        srcgrad.grad(f, jit=False)(V)


def kept_diagonal(a):
    b = a.copy()
    d = np.diag(b)
    b[0, 0] = 5.0
    return np.sum(d)


def kept_broadcast(a):
    b = a.copy()
    wide = np.broadcast_to(b, (2, 4, 4))
    b[0, 0] = 5.0
    return np.sum(wide)


@pytest.mark.parametrize("f", [kept_diagonal, kept_broadcast], ids=lambda f: f.__name__)
def test_what_would_show_through_a_view_is_refused(f: Callable[..., float]) -> None:
    with pytest.raises(srcgrad.UnsupportedError, match="after a view of it was kept"):
        srcgrad.grad(f, jit=False)(Q)


def test_a_view_that_is_not_kept_hinders_no_write() -> None:
    def f(a):
        b = a.copy()
        total = np.sum(np.diag(b)) + np.trace(b) + np.sum(np.broadcast_to(b, (2, 4, 4)) * 2.0)
        d = np.diag(b).copy()
        b[0, 0] = 5.0 * total
        return np.sum(b * b) + np.sum(d)

    srcgrad.check_grads(f, (Q,), order=2, jit=False)
