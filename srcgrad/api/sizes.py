"""How large the matrices are that a program takes to be small: known from the arguments of a call, before it runs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from srcgrad.ir.core import Const, Function, Op, Operand, Value, definitions, walk
from srcgrad.primitives.control import LARGEST_SMALL, TOO_LARGE

# A number, an extent as ("dim", which leaf, which axis), or an operation on two of these.
Size = int | tuple[object, ...]
OPERATIONS: Mapping[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "min": min,
    "max": max,
}


def small_sizes(function: Function) -> tuple[Size, ...]:
    """How many elements those matrices have that the program checks, as far as the arguments' extents tell."""
    found = [op for op in walk(function.body) if op.primitive == "check" and op.text("message") == TOO_LARGE]
    made = definitions(function.body) if found else {}
    sizes = (tuple(_size(x, made, function.parameters) for x in op.operands[1:3]) for op in found)
    return tuple(("mul", rows, columns) for rows, columns in sizes if rows is not None and columns is not None)


def _size(operand: Operand, made: Mapping[Value, Op], parameters: Sequence[Value]) -> Size | None:
    if isinstance(operand, Const):
        return int(operand.value.real)
    op = made.get(operand)
    if op is None:
        return None
    if op.primitive == "dim" and op.operands[0] in parameters:
        return ("dim", [p is op.operands[0] for p in parameters].index(True), op.integer("axis"))
    if op.primitive not in OPERATIONS:
        return None
    parts = [_size(x, made, parameters) for x in op.operands]
    return None if None in parts else (op.primitive, *parts)


def are_large(sizes: Sequence[Size], leaves: Sequence[object]) -> bool:
    """Whether one of the matrices is too large for arguments with these leaves."""
    return any(_elements(size, leaves) > LARGEST_SMALL for size in sizes)


def _elements(size: object, leaves: Sequence[object]) -> int:
    match size:
        case ("dim", int(position), int(axis)):
            array = leaves[position]
            return array.shape[axis] if isinstance(array, np.ndarray) else 0
        case (str(name), one, other):
            return OPERATIONS[name](_elements(one, leaves), _elements(other, leaves))
    assert isinstance(size, int)
    return size
