"""Memory that each iteration has for itself: there is one for all lanes, with the lane as its last axis."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from srcgrad.ir.core import Op, Value, index
from srcgrad.ir.types import Array, Scalar, Stack

if TYPE_CHECKING:
    from srcgrad.optimize.lanes.widen import Widening


def allocation(widening: Widening, op: Op) -> Value:
    extents = (*widening.alike(op.operands), index(widening.pitch))
    return widening.builder("alloc", *extents, name=op.result.name, **op.attributes)


def view(widening: Widening, op: Op) -> Value:
    attributes = dict(op.attributes)
    operands = widening.alike(op.operands)
    if widening.facts.is_private(op.result):
        source = op.operands[0].type
        assert isinstance(source, Array)
        match op.primitive:
            case "slice":
                attributes["axes"] = op.text("axes") + ":"
            case "transpose":
                permutation = op.attributes["permutation"]
                assert isinstance(permutation, tuple)
                attributes["permutation"] = (*permutation, source.rank)
            case "reshape":
                operands.append(index(widening.pitch))
    return widening.builder(op.primitive, *operands, name=op.result.name, **attributes)


def stack_of_rows(widening: Widening, stack: Value) -> Value:
    """All lanes push a row together, and pop it together."""
    assert isinstance(stack.type, Stack) and isinstance(stack.type.element, Scalar)
    row = Array(stack.type.element.dtype, 1)
    return widening.builder("stack", element=(row,), rows=widening.width, name=stack.name)


def stack_of_arrays(widening: Widening, stack: Value) -> Value:
    """Arrays that have lanes are pushed by all of them together."""
    assert isinstance(stack.type, Stack) and isinstance(stack.type.element, Array)
    element = replace(stack.type.element, rank=stack.type.element.rank + 1)
    return widening.builder("stack", element=(element,), name=stack.name)
