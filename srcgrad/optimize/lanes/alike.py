"""What is the same for all lanes in a branch that they take differently: computed once, in front of their loop.

Elements that all lanes add to lie behind that loop, and so does the use of their indices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from srcgrad.ir.core import Block, Op
from srcgrad.optimize.lanes.lane import names_of
from srcgrad.primitives.table import Effect, effect

if TYPE_CHECKING:
    from srcgrad.optimize.lanes.widen import Widening


def compute_alike(widening: Widening, branch: Op) -> None:
    """Emit what lanes need not compute each for itself; they compute both sides of a branch in any case."""
    for block in branch.blocks:
        for op in block.ops:
            if op.primitive == "if":
                compute_alike(widening, op)
            elif effect(op.primitive) in (Effect.PURE, Effect.READ) and widening.is_same(op):
                operands = widening.alike(op.operands)
                results = widening.builder.emit(op.primitive, *operands, names=names_of(op), **op.attributes)  # type: ignore[arg-type]  # no attribute is called blocks
                widening.same.update(zip(op.results, results, strict=True))
    if not widening.facts.parts(branch):
        _choose(widening, branch, *branch.blocks)


def _choose(widening: Widening, branch: Op, then: Block, otherwise: Block) -> None:
    (condition,) = widening.alike(branch.operands)
    for result, a, b in zip(branch.results, then.yields, otherwise.yields, strict=True):
        if not widening.facts.differs(result) and result not in widening.facts.sums:
            sides = widening.alike([a, b])
            widening.same[result] = widening.builder("select", condition, *sides, name=result.name)
