"""Stacks: of scalars as a growable array and a cursor, of references as a list of arrays."""

from __future__ import annotations

from collections.abc import Iterator

from srcgrad.backend.expressions import dtype_argument
from srcgrad.ir.core import Op, Operand
from srcgrad.ir.types import Array, Scalar, Stack


def is_scalar_stack(operand: Operand) -> bool:
    return isinstance(operand.type, Stack) and isinstance(operand.type.element, Scalar)


def cursor(stack: str) -> str:
    """The variable that counts what is on a stack of scalars."""
    return f"{stack}_top"


def scalar_stack_lines(op: Op, stack: str, value: str) -> Iterator[str]:
    """Making, pushing ``value``, or popping into ``value`` if there is one."""
    top = cursor(stack)
    match op.primitive:
        case "stack":
            assert isinstance(op.result.type, Stack) and isinstance(op.result.type.element, Scalar)
            yield f"{stack} = np.empty(16{dtype_argument(op.result.type.element.dtype)})"
            yield f"{top} = 0"
        case "push":
            yield f"if {top} == {stack}.size:"
            yield f"    {stack} = grow({stack})"
            yield f"{stack}[{top}] = {value}"
            yield f"{top} += 1"
        case "pop":
            yield f"{top} -= 1"
            if value:
                yield f"{value} = {stack}[{top}]"


def reference_stack_lines(op: Op, stack: str, value: str) -> Iterator[str]:
    match op.primitive:
        case "stack":
            assert isinstance(op.result.type, Stack) and isinstance(op.result.type.element, Array)
            yield f"{stack} = [{_nothing(op.result.type.element)}][:0]"
        case "push":
            yield f"{stack}.append({value})"
        case "pop":
            yield f"{value} = {stack}.pop()" if value else f"{stack}.pop()"


def _nothing(array: Array) -> str:
    """An empty array of that type, from which Numba infers what the list holds."""
    shape = "0" if array.rank == 1 else repr((0,) * array.rank)
    empty = f"np.empty({shape}{dtype_argument(array.dtype)})"
    if array.layout == "C" or array.rank == 0:
        return empty
    return f"{empty}.T" if array.layout == "F" else f"{empty}[{', '.join(['::2'] * array.rank)}]"
