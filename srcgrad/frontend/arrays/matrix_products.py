"""Products of two arrays as products of matrices, for BLAS: which axes are rows and columns, and which are summed.

In ``bqhd,bkhd->bhqk`` there is a product for each ``b`` and ``h``: ``q`` are rows, ``k`` columns, ``d`` is summed. Axes
that lie side by side in both arrays that have them count as one, as ``ij`` in ``ijk,kl->ijl``; of others one is of the
matrices, and the rest are counted. Transposes are views, and an array is copied only where axes become one that are not
in a row in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from math import prod

from srcgrad.frontend.arrays.broadcasting import Shape, known_as, moved
from srcgrad.frontend.arrays.delayed import copy, shape_of
from srcgrad.frontend.numbers.scalars import index_op
from srcgrad.frontend.values import ArrayValue
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Operand, Value, index
from srcgrad.ir.types import Array

# Where less is known to be summed, or rows or columns to be fewer, loops are as fast; so they are for small matrices.
FEW, SMALL = 4, 800


@dataclass(frozen=True)
class Factor:
    """An operand with the letters of its axes, and by how much its index moves along each."""

    array: ArrayValue
    letters: str
    strides: Sequence[Operand]


@dataclass(frozen=True)
class Roles:
    """What the axes are: a product of matrices for each index of ``counted``, with merged axes for the others."""

    counted: str
    rows: str
    summed: str
    columns: str


def product_of_matrices(
    builder: Builder, a: Factor, b: Factor, output: str, sizes: dict[str, Operand]
) -> ArrayValue | None:
    """The sum of products of ``a`` and ``b`` over the letters that ``output`` lacks; None where loops do as well."""
    roles = roles_of(a.letters, b.letters, output)
    if roles is None or a.array.dtype != b.array.dtype or a.array.dtype.kind != "f":
        return None
    if _is_small(roles, sizes) or not all(_stands(f, roles.rows + roles.summed + roles.columns) for f in (a, b)):
        return None
    result = builder("alloc", *_merged_shape(builder, output, roles, sizes), dtype=a.array.dtype, fill="empty")
    c = Factor(ArrayValue(result), output, [index(1)] * len(output))
    parts = (_merged(builder, a, roles), _merged(builder, b, roles), (c, _axes(output, roles)))
    orders = ((roles.rows, roles.summed), (roles.summed, roles.columns), (roles.rows, roles.columns))

    def multiply(outer: tuple[Operand, ...]) -> None:
        place = dict(zip(roles.counted, outer, strict=False))
        last = roles.counted[-1:]
        views = [_view(builder, f, axes, place, last, order) for (f, axes), order in zip(parts, orders, strict=True)]
        builder.emit("call", *views, callee="stack_product" if last else "matrix_product", types=())

    builder.nest([sizes[c] for c in roles.counted[:-1]], multiply)
    shape = tuple(sizes[c] for c in output)
    return ArrayValue(result if len(shape) == c.array.rank else builder("reshape", result, *shape))


def pairs_of_matrices(inputs: Sequence[str], output: str) -> list[tuple[int, int, str]]:
    """Which two operands may be multiplied first, and the letters of their product; that of the fewest axes in front.

    It sums over what no other operand has, so that fewer multiplications are left than one nest of loops would do.
    """
    found = []
    for k, m in combinations(range(len(inputs)), 2):
        needed = output + "".join(inputs[n] for n in range(len(inputs)) if n not in (k, m))
        both = "".join(dict.fromkeys(inputs[k] + inputs[m]))
        left = output if len(inputs) == 2 else "".join(c for c in both if c in needed)
        if roles_of(inputs[k], inputs[m], left) is not None:
            found.append((k, m, left))
    return sorted(found, key=lambda pair: len(pair[2]))


def roles_of(a: str, b: str, output: str) -> Roles | None:
    """What each axis is; None where this is no product of matrices."""
    if len(set(a)) < len(a) or len(set(b)) < len(b) or set(a) ^ set(b) ^ set(output) != set(a) & set(b) & set(output):
        return None
    summed = "".join(c for c in a if c not in output)
    rows = _last_run("".join(c for c in output if c not in b), a, output)
    columns = _last_run("".join(c for c in output if c not in a), b, output)
    counted = "".join(c for c in output if c not in rows + columns)
    return Roles(counted, rows, summed, columns) if rows and columns and summed else None


def _last_run(letters: str, *words: str) -> str:
    """The end of the letters that is side by side in all words."""
    return next((letters[k:] for k in range(len(letters)) if all(letters[k:] in word for word in words)), "")


def _is_small(roles: Roles, sizes: dict[str, Operand]) -> bool:
    known = [_known([sizes[c] for c in letters]) for letters in (roles.rows, roles.summed, roles.columns)]
    if any(n is not None and n < FEW for n in known):
        return True
    m, k, n = known
    return m is not None and k is not None and n is not None and m * k * n <= SMALL


def _known(extents: Sequence[Operand]) -> int | None:
    """The product of extents, where all are known."""
    values = [n.value for n in extents if isinstance(n, Const) and isinstance(n.value, int)]
    return prod(values) if len(values) == len(extents) else None


def _stands(factor: Factor, letters: str) -> bool:
    """Whether an operand has as much of these axes as the product, and none that is repeated."""
    return all(known_as(n, 1) for n, c in zip(factor.strides, factor.letters, strict=True) if c in letters)


def _axes(letters: str, roles: Roles) -> list[str]:
    """The letters of each axis once axes are merged."""
    for group in (roles.rows, roles.summed, roles.columns):
        letters = letters.replace(group, f" {group} ") if len(group) > 1 else letters
    return [part for word in letters.split(" ") for part in ([word] if _is_group(word, roles) else word)]


def _is_group(word: str, roles: Roles) -> bool:
    return len(word) > 1 and word in (roles.rows, roles.summed, roles.columns)


def _merged_shape(builder: Builder, letters: str, roles: Roles, sizes: dict[str, Operand]) -> Shape:
    def times(n: Operand, m: Operand) -> Operand:
        return index_op(builder, "mul", n, m)

    return tuple(reduce(times, (sizes[c] for c in group)) for group in _axes(letters, roles))


def _merged(builder: Builder, factor: Factor, roles: Roles) -> tuple[Factor, list[str]]:
    """The array with merged axes, and their letters."""
    letters, array = factor.letters, factor.array
    if len(roles.summed) > 1 and roles.summed not in letters:
        kept = "".join(c for c in letters if c not in roles.summed)
        order = [letters.index(c) for c in kept + roles.summed]
        array = ArrayValue(builder("transpose", array.ref, permutation=tuple(order)))
        factor = Factor(array, kept + roles.summed, [factor.strides[k] for k in order])
    axes = _axes(factor.letters, roles)
    if len(axes) == array.rank:
        return factor, axes
    whole = array if array.type.layout == "C" else copy(builder, array)
    own = dict(zip(factor.letters, shape_of(builder, whole), strict=True))
    merged = builder("reshape", whole.ref, *_merged_shape(builder, factor.letters, roles, own))
    return Factor(ArrayValue(merged), factor.letters, factor.strides), axes


def _view(
    builder: Builder, factor: Factor, axes: list[str], place: dict[str, Operand], last: str, order: tuple[str, str]
) -> Value:
    """The matrix at a place, or the stack of matrices over the last axis that is counted."""
    ref = factor.array.ref
    steps = dict(zip(factor.letters, factor.strides, strict=True))
    if any(axis in place for axis in axes):
        at = [moved(builder, place[axis], steps[axis]) for axis in axes if axis in place]
        ref = builder("slice", ref, *at, axes="".join("i" if axis in place else ":" for axis in axes))
    left = [axis for axis in axes if axis not in place]
    wanted = [axis for axis in (last, *order) if axis in left]
    if wanted != left:
        ref = builder("transpose", ref, permutation=tuple(left.index(axis) for axis in wanted))
    if last and last not in left:
        ref = builder("expand", ref, axes=(0,))
    assert isinstance(ref.type, Array)
    return ref
