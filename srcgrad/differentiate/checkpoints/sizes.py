"""Bytes, computed where the program runs: of a state, and of what one iteration keeps for its reversal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Function, Op, Operand, Value, definitions, index
from srcgrad.ir.rewrite import fresh
from srcgrad.ir.types import Array, DType, Scalar
from srcgrad.primitives.table import Effect, effect

LEAST = 16  # bytes that an iteration is taken to keep at least: where nothing is stored its own numbers are in use


def state_bytes(
    builder: Builder, scalars: Iterable[Operand], arrays: Iterable[tuple[Value, Sequence[Operand]]]
) -> Operand:
    """Of a state with these numbers and arrays, each with its extents."""
    total: Operand = index(sum(_width(x) for x in scalars))
    for array, extents in arrays:
        total = builder("add", total, _product(builder, index(_width(array)), extents))
    return builder("max", total, index(1))


def bytes_per_iteration(
    builder: Builder, pullback: Function, count: Value, operands: Mapping[Value, Operand]
) -> Operand:
    """What the pullback of a segment allocates for each of its ``count`` iterations.

    ``operands`` has the parameters as the caller knows them. Stacks, which grow as they have to, are not counted.
    """
    spelled = _Spelled(builder, definitions(pullback.body), dict(operands))
    total: Operand = index(LEAST)
    for op in pullback.body.ops:
        if op.primitive != "alloc" or count not in op.operands:
            continue
        others = [spelled.of(x) for x in op.operands if x is not count]
        size = _product(builder, index(_width(op.result)), [x for x in others if x is not None])
        total = builder("add", total, size)
    return total


class _Spelled:
    """Integers of a function, computed again from its operands; None for what depends on memory."""

    def __init__(self, builder: Builder, makers: Mapping[Value, Op], known: dict[Value, Operand]) -> None:
        self.builder = builder
        self.makers = makers
        self.known = known

    def of(self, operand: Operand) -> Operand | None:
        if isinstance(operand, Const):
            return operand
        if operand not in self.known:
            op = self.makers.get(operand)
            if op is None or op.blocks or effect(op.primitive) is not Effect.PURE:
                return None
            operands = [self.of(x) for x in op.operands]
            given = [x for x in operands if x is not None]
            if len(given) < len(operands):
                return None
            self.builder.ops.append(replace(op, operands=tuple(given), results=(fresh(op.result),)))
            self.known[operand] = self.builder.ops[-1].result
        return self.known[operand]


def _width(operand: Operand) -> int:
    kind = operand.type
    assert isinstance(kind, Array | Scalar) and isinstance(kind.dtype, DType)
    return int(kind.dtype.numpy.itemsize)


def _product(builder: Builder, first: Operand, others: Sequence[Operand]) -> Operand:
    for other in others:
        first = builder("mul", first, other)
    return first
