"""What a condition says of the signs of numbers: where ``x != 0.0`` was asked or checked, ``1 / x`` has no pole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from srcgrad.ir.core import Block, Const, Op, Operand, Value


class Signs(NamedTuple):
    """Numbers that are not 0, and of these the ones that are greater; all may be NaN."""

    nonzero: frozenset[Operand] = frozenset()
    positive: frozenset[Operand] = frozenset()

    def both(self, other: Signs) -> Signs:
        return Signs(self.nonzero | other.nonzero, self.positive | other.positive)


OPPOSITE = {"ne": "eq", "eq": "ne", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "and_": "or_", "or_": "and_"}
TURNED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "ne": "ne", "eq": "eq"}


def signs_if(condition: Operand, holds: bool, made: Mapping[Value, Op]) -> Signs:
    """What is known where a condition holds, or where it does not."""
    op = made.get(condition) if isinstance(condition, Value) else None
    if op is None:
        return Signs()
    if op.primitive == "not_":
        return signs_if(op.operands[0], not holds, made)
    name = op.primitive if holds else OPPOSITE.get(op.primitive, "")
    if name == "and_":
        first, second = (signs_if(x, holds, made) for x in op.operands)
        return first.both(second)
    if name not in TURNED:
        return Signs()
    a, b = op.operands
    return _compared(name, a, b) if isinstance(b, Const) else _compared(TURNED[name], b, a)


def _compared(name: str, number: Operand, bound: Operand) -> Signs:
    """Of ``number < bound`` and the like, as far as the bound is known."""
    if not isinstance(bound, Const) or isinstance(bound.value, complex):
        return Signs()
    own: frozenset[Operand] = frozenset((number,))
    limit = bound.value
    if (name == "gt" and limit >= 0) or (name == "ge" and limit > 0):
        return Signs(own, own)
    negative = (name == "lt" and limit <= 0) or (name == "le" and limit < 0)
    other = (name == "ne" and limit == 0) or (name == "eq" and limit != 0)
    return Signs(own) if negative or other else Signs()


def known_signs(block: Block, made: Mapping[Value, Op]) -> dict[Op, Signs]:
    """For each op what is known there by the conditions of all branches around it, and by what blocks check."""
    found: dict[Op, Signs] = {}
    _collect(block, Signs(), made, found)
    return found


def _collect(block: Block, known: Signs, made: Mapping[Value, Op], found: dict[Op, Signs]) -> None:
    for op in block.ops:
        if op.primitive == "check":  # a check further down counts, too: where it fails there is no derivative
            known = known.both(signs_if(op.operands[0], True, made))
    for op in block.ops:
        if known.nonzero:
            found[op] = known
        for k, inner in enumerate(op.blocks):
            here = known.both(signs_if(op.operands[0], k == 0, made)) if op.primitive == "if" else known
            _collect(inner, here, made, found)
