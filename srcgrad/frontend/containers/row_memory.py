"""Memory for the parts of a list's items: numbers in a row, arrays as rows of an array with one more axis.

Such memory holds copies, where Python's list refers to the arrays themselves. Nobody may write to either from then on,
which is refused. What is written to in a loop may be what the list was given in the iteration before, so a list of
arrays that are still known by a name, or that was read, forbids writes to arrays that a loop carries or paths merge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from srcgrad.frontend.arrays import extents
from srcgrad.frontend.arrays.delayed import copy
from srcgrad.frontend.arrays.stores import doubt_if_written
from srcgrad.frontend.boundary.structure import Leaf, Structure, Tree
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.values import ArrayValue, TupleValue
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Operand, Value, index
from srcgrad.ir.types import Array

RAGGED = "the items of a list have different shapes; found extents {0} and {1}"


def plain_rows(s: Structure) -> Structure:
    """The structure of an item with its arrays of any layout and extents."""
    if isinstance(s, Tree):
        return Tree(s.cls, s.keys, tuple(plain_rows(c) for c in s.children))
    if isinstance(s, Leaf) and isinstance(s.type, Array):
        return Leaf(Array(s.type.dtype, s.type.rank))
    return s


def rank_of(leaf: Leaf) -> int:
    return leaf.type.rank if isinstance(leaf.type, Array) else 0


def extents_of(builder: Builder, part: Operand | Leaf) -> list[Operand]:
    """The extents of an array; none of a number."""
    if not isinstance(part, Value) or not isinstance(part.type, Array):
        return []
    return list(extents.shape(builder, part))


def store_part(builder: Builder, column: Value, at: Operand, part: Operand) -> None:
    builder.nest(
        extents_of(builder, part),
        lambda inner: builder.emit("store", column, at, *inner, builder("load", part, *inner) if inner else part),
    )


def load_part(builder: Builder, column: Value, at: Operand, copying: bool) -> Operand:
    """A number, or a row as it lies in memory; a copy if the row may be given other elements later."""
    rank = ArrayValue(column).rank - 1
    if rank == 0:
        return builder("load", column, at)
    row = ArrayValue(builder("slice", column, at, axes="i" + ":" * rank))
    if copying:
        row = copy(builder, row)
    doubt_if_written(builder, row.ref, older=False)
    builder.frozen.append((row.ref, None))
    builder.kept.append(row.ref)
    return row.ref


def require_alike(builder: Builder, columns: Sequence[Value], parts: Sequence[Operand], length: Operand) -> None:
    """ValueError unless the arrays have the shapes of those that are there, if any are."""
    for held, given in _pairs(builder, columns, parts):
        if not extents.same(builder, held, given):
            fine = builder("or_", builder("eq", length, index(0)), builder("eq", held, given))
            builder.emit("check", fine, held, given, exception="ValueError", message=RAGGED)


def lacks_room(builder: Builder, columns: Sequence[Value], parts: Sequence[Operand], length: Operand) -> Operand:
    """Whether the memory is full, or made for arrays of another shape, of which there are none any more."""
    full: Operand = builder("eq", length, builder("dim", columns[0], axis=0))
    for held, given in _pairs(builder, columns, parts):
        full = builder("or_", full, builder("ne", held, given))
    return full


def _pairs(builder: Builder, columns: Sequence[Value], parts: Sequence[Operand]) -> Iterator[tuple[Operand, Operand]]:
    """The extents that rows have in memory, and those of the arrays."""
    for column, part in zip(columns, parts, strict=True):
        for axis, given in enumerate(extents_of(builder, part)):
            yield builder("dim", column, axis=axis + 1), given


def keep_unwritten(lowering: Lowering, array: ArrayValue) -> None:
    """A list is given an array; refuse writes to it, unless nobody knows it by a name."""
    builder = lowering.builder
    memory = extents.root(builder, array.ref)
    op = builder.definition(memory)
    fresh = op is not None and op.primitive == "alloc" and builder.is_of_this_iteration(op)
    if fresh and not any(_holds(builder, value, memory) for value in lowering.variables().values()):
        return
    doubt_if_written(builder, memory, older=not fresh)
    builder.frozen.append((array.ref, None))
    builder.kept.append(array.ref)


def _holds(builder: Builder, value: object, memory: Value) -> bool:
    if isinstance(value, TupleValue):
        return any(_holds(builder, item, memory) for item in value.items)
    return isinstance(value, ArrayValue) and extents.root(builder, value.ref) is memory
