"""Products of arrays other than ``@``: outer, inner, cross, Kronecker, over any axes, of chains of matrices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.lib.array_utils import normalize_axis_index
from numpy.typing import NDArray

from srcgrad.frontend.calls.compile_time import compile_time, is_known
from srcgrad.primitives.library import library

Array = NDArray[np.floating]
Axes = int | tuple[int, ...]
LETTERS = "abcdefghijklmnopqrstuvwxyz"


@library(np.outer, np.linalg.outer, streamed=("a", "b"))
def outer(a: Array, b: Array) -> Array:
    return np.multiply(np.ravel(a)[:, None], np.ravel(b)[None, :])


@library(np.inner)
def inner(a: Array, b: Array) -> Array:
    a = np.asarray(a)
    b = np.asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if b.ndim == 1:
        return np.dot(a, b)
    return tensordot(a, b, (-1, -1))


@library(np.vecdot, np.linalg.vecdot)
def vecdot(x1: Array, x2: Array, axis: int = -1) -> Array:
    a = np.moveaxis(np.conj(np.asarray(x1)), axis, -1)
    return np.einsum("...i,...i->...", a, np.moveaxis(np.asarray(x2), axis, -1))


@library(getattr(np, "matvec", None))
def matvec(x1: Array, x2: Array) -> Array:
    return np.einsum("...ij,...j->...i", x1, x2)


@library(getattr(np, "vecmat", None))
def vecmat(x1: Array, x2: Array) -> Array:
    return np.einsum("...i,...ij->...j", np.conj(x1), x2)


@library(np.linalg.matmul)
def matmul(x1: Array, x2: Array) -> Array:
    return np.matmul(x1, x2)


@library(np.cross)
def cross(a: Array, b: Array, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Array:
    """Of vectors of three elements; of two vectors of two it is the third element alone."""
    a = np.moveaxis(np.asarray(a), axisa if axis is None else axis, -1)
    b = np.moveaxis(np.asarray(b), axisb if axis is None else axis, -1)
    flat_a, flat_b = is_two(a.shape[-1]), is_two(b.shape[-1])
    require_three(a, flat_a)
    require_three(b, flat_b)
    z = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    if flat_a and flat_b:
        return z
    if flat_b:
        x, y = -a[..., 2] * b[..., 1], a[..., 2] * b[..., 0]
    elif flat_a:
        x, y = a[..., 1] * b[..., 2], -a[..., 0] * b[..., 2]
    else:
        x = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
        y = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    return np.stack((x, y, z), axis=axisc if axis is None else axis)


def is_two(n: int) -> bool:
    """Whether an extent is 2; where it is only known at run time it is taken for 3, which is checked."""
    return is_known(n) and n == 2


def require_three(a: Array, flat: bool) -> None:
    if not flat and a.shape[-1] != 3:
        raise ValueError("np.cross() takes vectors of 3 elements here (of 2 where the extent is known: x[:2])")


@library(np.linalg.cross)
def cross_of_three(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    return cross(x1, x2, axis=axis)


@library(np.kron)
def kron(a: Array, b: Array) -> Array:
    a = np.asarray(a)
    b = np.asarray(b)
    rank = max(a.ndim, b.ndim)
    a = a.reshape((1,) * (rank - a.ndim) + a.shape)
    b = b.reshape((1,) * (rank - b.ndim) + b.shape)
    shape = tuple(n * m for n, m in zip(a.shape, b.shape, strict=True))
    return (a[interleaved(rank, 1)] * b[interleaved(rank, 0)]).reshape(shape)


@compile_time
def interleaved(rank: int, new: int) -> tuple[slice | None, ...]:
    """The key that puts a new axis behind (1) or in front of (0) each axis."""
    pair = (slice(None), None) if new else (None, slice(None))
    return pair * rank


@library(np.tensordot, np.linalg.tensordot)
def tensordot(a: Array, b: Array, axes: int | tuple[Axes, Axes] = 2) -> Array:
    a = np.asarray(a)
    b = np.asarray(b)
    return np.einsum(contraction(a.ndim, b.ndim, axes), a, b)


@compile_time
def contraction(rank_a: int, rank_b: int, axes: int | Sequence[Axes]) -> str:
    """The einsum that sums over pairs of axes."""
    if isinstance(axes, int):
        first, second = list(range(rank_a - axes, rank_a)), list(range(axes))
    else:
        first, second = ([k] if isinstance(k, int) else list(k) for k in axes)
    if len(first) != len(second):
        raise ValueError("shape-mismatch for sum: as many axes of one operand as of the other")
    one, two = list(LETTERS[:rank_a]), list(LETTERS[rank_a : rank_a + rank_b])
    for p, q in zip(first, second, strict=True):
        two[normalize_axis_index(q, rank_b)] = one[normalize_axis_index(p, rank_a)]
    summed = {one[p] for p in first}
    kept = [c for c in one + two if c not in summed]
    return f"{''.join(one)},{''.join(two)}->{''.join(kept)}"


@library(np.linalg.multi_dot)
def multi_dot(arrays: Sequence[Array]) -> Array:
    """From the side of a vector, if there is one: then every product is one with a vector."""
    if arrays[-1].ndim == 1:
        product = arrays[-1]
        for a in reversed(arrays[:-1]):
            product = np.dot(a, product)
        return product
    product = arrays[0]
    for a in arrays[1:]:
        product = np.dot(product, a)
    return product
