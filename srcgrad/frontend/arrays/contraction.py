"""Products of arrays, ``dot``, ``@`` and ``einsum``: of two matrices over BLAS (``library.blas``), else as plain loops.

The innermost loop runs along memory: over the axis that is summed for dot products of rows (also where the right
operand is a transposed matrix), else along the rows of the result: ``out[i, j] += a[i, k] * b[k, j]`` runs i, k, j.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from srcgrad.errors import ArgumentTypeError, ShapeError
from srcgrad.frontend.arrays import extents
from srcgrad.frontend.arrays.broadcasting import Shape, Strides, broadcast, common_extent, known_as, moved
from srcgrad.frontend.arrays.construct import as_array
from srcgrad.frontend.arrays.creation import converted as in_dtype
from srcgrad.frontend.arrays.delayed import expression, materialized, result_dtype, sample, shape_of
from srcgrad.frontend.arrays.gather import carrying
from srcgrad.frontend.arrays.matrix_products import Factor, pairs_of_matrices, product_of_matrices
from srcgrad.frontend.arrays.views import reshaped
from srcgrad.frontend.calls.signatures import bound
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers import scalars
from srcgrad.frontend.numbers.conversions import dtype_argument
from srcgrad.frontend.numbers.parts import conjugate
from srcgrad.frontend.numbers.promotion import Number, cast
from srcgrad.frontend.refusals import refuse
from srcgrad.frontend.registry import Arguments, Keywords, function
from srcgrad.frontend.values import ArrayValue, FrontValue, ScalarValue, Static, TupleValue, is_number
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Operand, constant, index
from srcgrad.ir.types import DType

LETTERS = "abcdefghijklmnopqrstuvwxy"
EINSUM = 'Write one letter per axis, as in np.einsum("ij,jk->ik", a, b).'


@function(np.dot)
def _dot(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    a, b = bound(lowering, "dot", arguments, keywords, "a", "b")
    x, y = (_operand(lowering, v) for v in (a, b))
    if not (isinstance(x, ArrayValue) and isinstance(y, ArrayValue)) or 0 in (x.rank, y.rank):
        return expression(lowering.builder, (x, y), times)
    if y.rank == 1 or max(x.rank, y.rank) <= 2:
        return product(lowering.builder, x, y)
    rows, columns = LETTERS[: x.rank - 1], LETTERS[x.rank : x.rank + y.rank - 1]
    labels = [rows + "z", columns[:-1] + "z" + columns[-1:]]
    shapes = (shape_of(lowering.builder, v) for v in (x, y))
    _equal_extent(lowering.builder, next(shapes)[-1], next(shapes)[-2])
    return summed_product(lowering.builder, (x, y), labels, rows + columns)


@function(np.matmul)
def _matmul(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    a, b = bound(lowering, "matmul", arguments, keywords, "a", "b")
    x, y = (_operand(lowering, v) for v in (a, b))
    if not (isinstance(x, ArrayValue) and isinstance(y, ArrayValue)) or 0 in (x.rank, y.rank):
        lowering.refuse(None, "@ takes arrays, not numbers", "Use * for a product with a number.", ArgumentTypeError)
    return product(lowering.builder, x, y)


@function(np.vdot)
def _vdot(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    builder = lowering.builder
    operands = bound(lowering, "vdot", arguments, keywords, "a", "b")
    x, y = (reshaped(builder, as_array(builder, v), (index(-1),)) for v in operands)
    left = materialized(builder, expression(builder, (x,), conjugate)) if x.dtype.kind == "c" else x
    return product(builder, left, y)


def _operand(lowering: Lowering, value: FrontValue) -> FrontValue:
    return value if is_number(value) else materialized(lowering.builder, as_array(lowering.builder, value))


def times(builder: Builder, x: Number, y: Number) -> Number:
    return scalars.binary(builder, "mul", x, y)


def product(builder: Builder, a: ArrayValue, b: ArrayValue) -> FrontValue:
    """``a @ b`` for arrays of rank 1 and more; leading axes beyond two are broadcast."""
    rows, columns = shape_of(builder, a), shape_of(builder, b)
    left, right = a.rank > 1, b.rank > 1
    inner = _equal_extent(builder, rows[-1], columns[-2 if right else -1])
    dtype = _product_dtype(builder, a, b)
    batch, strides = broadcast(builder, [rows[:-2], columns[:-2]])

    def at(array: ArrayValue, which: int, outer: tuple[Operand, ...], own: tuple[Operand, ...]) -> Operand:
        steps = strides[which]
        place = [moved(builder, i, s) for i, s in zip(outer[len(outer) - len(steps) :], steps, strict=True)]
        return cast(builder, builder("load", array.ref, *place, *own), dtype)

    def dots(outer: tuple[Operand, ...], i: tuple[Operand, ...], j: tuple[Operand, ...]) -> Operand:
        def add(k: tuple[Operand, ...], total: Operand) -> Operand:
            term = builder("mul", at(a, 0, outer, (*i, *k)), at(b, 1, outer, (*k, *j)))
            return builder("add", total, term)

        return carrying(builder, (inner,), constant(0, dtype), add)

    shape = (*batch, *(rows[-2:-1] if left else ()), *(columns[-1:] if right else ()))
    if not shape:
        return ScalarValue(dots((), (), ()))
    if a.rank == b.rank == 2 and a.dtype == b.dtype and a.dtype.kind == "f":
        ref = builder("alloc", *shape, dtype=dtype, fill="empty")
        builder.emit("call", a.ref, b.ref, ref, callee="matrix_product", types=())
        return ArrayValue(ref)
    depth = len(batch)
    if left and right:
        found = _stacked_product(builder, (a, b), strides, (*shape, inner))
        if found is not None:
            return found
    if not right or b.type.layout == "F":  # columns of the right operand lie in a row
        ref = builder("alloc", *shape, dtype=dtype, fill="empty")
        rank = depth + left
        builder.nest(shape, lambda p: builder.emit("store", ref, *p, dots(p[:depth], p[depth:rank], p[rank:])))
        return ArrayValue(ref)
    ref = builder("alloc", *shape, dtype=dtype, fill="zeros")

    def accumulate(p: tuple[Operand, ...]) -> None:
        outer, (*i, k, j) = p[:depth], p[depth:]
        term = builder("mul", at(a, 0, outer, (*i, k)), at(b, 1, outer, (k, j)))
        builder.emit("accumulate", ref, *outer, *i, j, term)

    builder.nest((*shape[:-1], inner, shape[-1]), accumulate)
    return ArrayValue(ref)


def _stacked_product(
    builder: Builder, arrays: Sequence[ArrayValue], strides: Sequence[Strides], sizes: Shape
) -> ArrayValue | None:
    """By BLAS, where that is worth it; the last of the sizes is what is summed over."""
    output = LETTERS[: len(sizes) - 1]
    factors = []
    for array, moves, own in zip(arrays, strides, (output[-2] + "z", "z" + output[-1]), strict=True):
        outer = output[len(output) - array.rank : -2]
        factors.append(Factor(array, outer + own, (*moves, index(1), index(1))))
    return product_of_matrices(builder, factors[0], factors[1], output, dict(zip(output + "z", sizes, strict=True)))


def _product_dtype(builder: Builder, *arrays: ArrayValue) -> DType:
    dtype = arrays[0].dtype
    for other in arrays[1:]:
        dtype = result_dtype(builder, [ScalarValue(constant(0, dtype)), sample(other)], times)
    if dtype.kind == "b":
        raise refuse(builder, "a matrix product of booleans", "Convert with .astype(int) first.")
    return dtype


def _equal_extent(builder: Builder, n: Operand, m: Operand) -> Operand:
    """The extent that two axes share; checked."""
    message = "a product over axes of extents {0} and {1}"
    extents.require_equal(builder, n, m, message, "Transpose an operand with .T, or look at the shapes.")
    return m if isinstance(m, Const) and not isinstance(n, Const) else n


@function(np.einsum)
def _einsum(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    given = bound(lowering, "einsum", (), keywords, optimize=Static(None), dtype=Static(None))
    spec, operands = _spelled(lowering, arguments)
    if spec is None or not operands:
        lowering.refuse(None, "einsum() takes a string and arrays here, or arrays and lists of integers", EINSUM)
    arrays = [materialized(lowering.builder, as_array(lowering.builder, v)) for v in operands]
    if not (isinstance(given[1], Static) and given[1].value is None):
        dtype = dtype_argument(lowering, given[1])
        arrays = [materialized(lowering.builder, in_dtype(lowering.builder, a, dtype)) for a in arrays]
    inputs, output = _labels(lowering, spec.replace(" ", ""), arrays)
    return summed_product(lowering.builder, arrays, inputs, output)


def _spelled(lowering: Lowering, arguments: Arguments) -> tuple[str | None, Arguments]:
    """The string and the operands; the other form, operands followed by lists of axes, is spelled out."""
    first = arguments[0] if arguments else None
    if isinstance(first, Static) and isinstance(first.value, str):
        return first.value, arguments[1:]
    words = [_letters(v) for v in arguments[1::2]]
    if None in words:
        return None, ()
    output = _letters(arguments[-1]) if len(arguments) % 2 else None
    inputs = ",".join(str(w) for w in words)
    return inputs if output is None else f"{inputs}->{output}", arguments[: 2 * len(words) : 2]


def _letters(axes: FrontValue) -> str | None:
    """A list of axes as letters, in the order of the numbers; None for anything else."""
    if not isinstance(axes, TupleValue):
        return None
    names = [v.value if isinstance(v, Static) else None for v in axes.items]
    if not all(n is Ellipsis or (isinstance(n, int) and 0 <= n < 26) for n in names):
        return None
    return "".join("..." if n is Ellipsis else chr(ord("a") + n) for n in names)  # type: ignore[operator]  # an int


def _labels(lowering: Lowering, spec: str, arrays: Sequence[ArrayValue]) -> tuple[list[str], str]:
    """The axes' letters of each operand and of the result; ``...`` stands for capital letters nobody uses."""
    left, arrow, output = spec.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(arrays):
        lowering.refuse(None, f"einsum {spec!r} has {len(inputs)} operands, got {len(arrays)}", EINSUM, ShapeError)
    free = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in spec]
    hidden = max(
        (a.rank - len(s.replace("...", "")) for a, s in zip(arrays, inputs, strict=True) if "..." in s), default=0
    )
    dots = "".join(free[:hidden])
    for k, (a, labels) in enumerate(zip(arrays, inputs, strict=True)):
        missing = a.rank - len(labels.replace("...", ""))
        inputs[k] = labels.replace("...", dots[len(dots) - missing :] if missing > 0 else "")
        if len(inputs[k]) != a.rank:
            message = f"einsum operand {k} has {a.rank} dimensions, {labels!r} names {len(labels)}"
            lowering.refuse(None, message, EINSUM, ShapeError)
    if not arrow:
        letters = "".join(inputs)
        output = dots + "".join(sorted(c for c in set(letters) - set(dots) if letters.count(c) == 1))
    output = output.replace("...", dots)
    if len(set(output)) < len(output) or not set(output) <= set("".join(inputs)):
        lowering.refuse(None, f"einsum {spec!r}: the result names an axis twice or one that no operand has", EINSUM)
    return inputs, output


def _with_a_pair_multiplied(
    builder: Builder, factors: Sequence[Factor], output: str, sizes: dict[str, Operand]
) -> FrontValue | None:
    """The sum of products with that of two operands by BLAS first; None where no two are matrices that are worth it."""
    alone = len(factors) == 2
    if len({f.array.dtype for f in factors}) > 1:  # all are computed in the common dtype
        return None
    for k, m, left in pairs_of_matrices([f.letters for f in factors], output):
        a, b = factors[k], factors[m]
        if not alone and not all(known_as(n, 1) for n in (*a.strides, *b.strides)):
            continue
        product = product_of_matrices(builder, a, b, left, sizes)
        if product is not None:
            others = [f for n, f in enumerate(factors) if n not in (k, m)]
            arrays, letters = [product, *(f.array for f in others)], [left, *(f.letters for f in others)]
            return product if alone else summed_product(builder, arrays, letters, output)
    return None


def summed_product(builder: Builder, arrays: Sequence[ArrayValue], inputs: Sequence[str], output: str) -> FrontValue:
    """The sum over all letters that the output lacks of the product of the operands' elements."""
    sizes: dict[str, list[Operand]] = {}
    for a, labels in zip(arrays, inputs, strict=True):
        for n, c in zip(shape_of(builder, a), labels, strict=True):
            sizes.setdefault(c, []).append(n)
    common = {c: common_extent(builder, found) for c, found in sizes.items()}
    steps = {c: iter(s) for c, (_, s) in common.items()}
    strides = [[next(steps[c]) for c in labels] for labels in inputs]
    factors = [Factor(*parts) for parts in zip(arrays, inputs, strides, strict=True)]
    multiplied = _with_a_pair_multiplied(builder, factors, output, {c: n for c, (n, _) in common.items()})
    if multiplied is not None:
        return multiplied
    dtype = _product_dtype(builder, *arrays)
    inner = [c for c in common if c not in output]

    def total(outer: tuple[Operand, ...]) -> Operand:
        def add(at: tuple[Operand, ...], so_far: Operand) -> Operand:
            index_of = dict(zip((*output, *inner), (*outer, *at), strict=True))
            factors = []
            for a, labels, moves in zip(arrays, inputs, strides, strict=True):
                place = (moved(builder, index_of[c], s) for c, s in zip(labels, moves, strict=True))
                factors.append(cast(builder, builder("load", a.ref, *place), dtype))
            term = factors[0]
            for factor in factors[1:]:
                term = builder("mul", term, factor)
            return builder("add", so_far, term) if inner else term

        return carrying(builder, tuple(common[c][0] for c in inner), constant(0, dtype), add)

    if not output:
        return ScalarValue(total(()))
    shape: Shape = tuple(common[c][0] for c in output)
    ref = builder("alloc", *shape, dtype=dtype, fill="empty")
    builder.nest(shape, lambda at: builder.emit("store", ref, *at, total(at)))
    return ArrayValue(ref)
