"""Which accesses are in range whatever branches are taken, so that both sides of a branch may be run?"""

from __future__ import annotations

from srcgrad.analysis.accesses import indices
from srcgrad.analysis.affine import Affine
from srcgrad.analysis.index_ranges import IndexRanges
from srcgrad.ir.core import Function, Op, Value, walk


def always_in_range(function: Function) -> frozenset[Op]:
    """The loads, stores and accumulations that are in range by what holds in all branches, or are marked so."""
    ranges = _Unconditional(function)
    found: set[Op] = set()

    def reached(op: Op) -> None:
        if op.primitive not in ("load", "store", "accumulate"):
            return
        proved = (ranges.in_range(i, ranges.extent(op.operands[0], axis)) for axis, i in enumerate(indices(op)))
        if "in_range" in op.attributes or all(proved):
            found.add(op)

    ranges.walk(reached)
    return frozenset(found)


class _Unconditional(IndexRanges):
    """Facts without those that hold in one branch only: its condition, and the checks inside it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        branches = (op for op in walk(self.function.body) if op.primitive == "if")
        self._inside_a_branch = {op for branch in branches for block in branch.blocks for op in walk(block)}

    def _inside(self, op: Op) -> list[list[Affine]]:
        return [[], []] if op.primitive == "if" else super()._inside(op)

    def _after(self, op: Op) -> list[Affine]:
        return [] if op.primitive == "check" and op in self._inside_a_branch else super()._after(op)

    def _facts(self, value: Value) -> list[Affine]:
        op = self.definitions.op.get(value)
        checked = op is not None and op.primitive == "check_index" and op in self._inside_a_branch
        return [] if checked else super()._facts(value)
