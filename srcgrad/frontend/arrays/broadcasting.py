"""Broadcasting: the common shape of operands, and how each one's index follows that of the result.

It is settled by types where an extent is known to be 1. Otherwise extents are taken to be equal, and that is checked.
Where the check fails the program is made again for arguments whose extents of 1 are known, and if that is not enough
with ``builder.stretches``: an extent that turns out to be 1 then has a run-time stride of 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.errors import ShapeError
from srcgrad.frontend.arrays import extents
from srcgrad.frontend.refusals import refuse
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Operand, index
from srcgrad.ir.messages import UNEQUAL, UNFIT

Shape = tuple[Operand, ...]
# Per axis of an operand, by how much its index moves when that of the result moves by one: 1, 0, or a run-time 0 or 1.
Strides = tuple[Operand, ...]


def broadcast(builder: Builder, shapes: Sequence[Shape]) -> tuple[Shape, list[Strides]]:
    """The common shape, and the strides of each operand; emits the checks that are needed."""
    rank = max(map(len, shapes), default=0)
    result: list[Operand] = []
    strides: list[list[Operand]] = [[] for _ in shapes]
    for axis in range(rank):
        having = [k for k, s in enumerate(shapes) if axis >= rank - len(s)]
        n, moves = common_extent(builder, [shapes[k][axis - rank + len(shapes[k])] for k in having])
        result.append(n)
        for k, move in zip(having, moves, strict=True):
            strides[k].append(move)
    return tuple(result), [tuple(s) for s in strides]


def common_extent(builder: Builder, sizes: Sequence[Operand]) -> tuple[Operand, list[Operand]]:
    """The extent of an axis of the result, and the stride of each operand's."""
    different: list[Operand] = []
    for n in sizes:
        if not known_as(n, 1) and not any(extents.same(builder, n, m) for m in different):
            different.append(n)
    if len(different) <= 1:
        return (different or [index(1)])[0], [index(0) if known_as(n, 1) else index(1) for n in sizes]
    common = _checked_extent(builder, different)
    return common, [_stride(builder, n, common) for n in sizes]


def _checked_extent(builder: Builder, different: Sequence[Operand]) -> Operand:
    """The extent that the others equal unless they are 1; checked."""
    known = [n for n in different if isinstance(n, Const)]
    if len(known) > 1:
        message = f"{UNEQUAL} {known[0].value} and {known[1].value}"
        raise refuse(builder, message, "Extents must be equal, or one of them 1.", ShapeError)
    common = known[0] if known else different[0]
    for n in different[1:]:
        if builder.stretches and not known:  # the first that is not 1
            common = builder("select", builder("eq", common, index(1)), n, common)
    for n in different if known else different[1:]:
        if n is not common:
            fits = _fits(builder, n, common)
            shown = (n, common) if n is different[0] else (common, n)  # as the operands stand
            builder.emit("check", fits, *shown, exception="ValueError", message=f"{UNEQUAL} {{0}} and {{1}}")
    return common


def _fits(builder: Builder, n: Operand, common: Operand) -> Operand:
    equal = builder("eq", n, common)
    return builder("or_", equal, builder("eq", n, index(1))) if builder.stretches else equal


def _stride(builder: Builder, n: Operand, common: Operand) -> Operand:
    """1 for an extent that is the common one, else 0. So it folds where they are found to be equal later on."""
    if known_as(n, 1):
        return index(0)
    if not builder.stretches or extents.same(builder, n, common):
        return index(1)
    return builder("select", builder("eq", n, common), index(1), index(0))


def moved(builder: Builder, i: Operand, stride: Operand) -> Operand:
    """An operand's index for the index of the result; of strides in a row the product is left to be hoisted."""
    if isinstance(stride, Const):
        return i if stride.value == 1 else index(0)
    op = builder.definition(i)
    if op is not None and op.primitive == "mul":
        return builder("mul", op.operands[0], builder("mul", op.operands[1], stride))
    return builder("mul", i, stride)


def known_as(n: Operand, value: int) -> bool:
    """Whether an extent is known to be this."""
    return isinstance(n, Const) and n.value == value


def fitted(builder: Builder, own: Shape, shape: Shape) -> Strides:
    """The strides of a value that is broadcast to exactly this shape; emits the checks that are needed."""
    extra = len(own) - len(shape)
    for n in own[: max(extra, 0)]:
        _require_fit(builder, n, index(1))
    strides: list[Operand] = []
    for n, target in zip(own[max(extra, 0) :], shape[len(shape) - min(len(own), len(shape)) :], strict=True):
        if extents.same(builder, n, target):
            strides.append(index(1))
        elif known_as(n, 1):
            strides.append(index(0))
        else:
            _require_fit(builder, n, target)
            strides.append(_stride(builder, n, target))
    return (*[index(0)] * max(extra, 0), *strides)


def _require_fit(builder: Builder, n: Operand, target: Operand) -> None:
    if isinstance(n, Const) and isinstance(target, Const):
        if n.value not in (1, target.value):
            message = f"{UNFIT} {n.value} does not fit into a place of extent {target.value}"
            raise refuse(builder, message, "Extents must be equal, or that of the value 1.", ShapeError)
        return
    fits = builder("eq", n, target) if known_as(target, 1) else _fits(builder, n, target)
    message = f"{UNFIT} {{0}} does not fit into a place of extent {{1}}"
    builder.emit("check", fits, n, target, exception="ValueError", message=message)
