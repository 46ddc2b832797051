"""What an iteration computes from what the one before it handed on."""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.ir.core import Block, Operand, used


def depending(body: Block, given: Sequence[Operand]) -> set[Operand]:
    """These values, and those of a block that are computed from them; what goes through memory does not count."""
    found = set(given)
    for op in body.ops:
        inside = (x for b in op.blocks for x in used(b))
        if not found.isdisjoint(op.operands) or not found.isdisjoint(inside):
            found.update(op.results)
    return found
