"""Which accesses inside a loop are in range also in front of it, where the loop may turn out to run zero times?"""

from __future__ import annotations

from collections.abc import Container

from srcgrad.analysis.index_ranges import IndexRanges
from srcgrad.ir.core import LOOPS, Function, Op, Value, defined, walk
from srcgrad.ir.types import Array


def safe_in_front(function: Function, primitives: Container[str]) -> frozenset[tuple[Op, Op]]:
    """Pairs of a loop and an access inside, one of these primitives, whose indices are in range in front of it."""
    ranges = IndexRanges(function)
    safe: set[tuple[Op, Op]] = set()

    def reached(loop: Op) -> None:
        if loop.primitive not in LOOPS:
            return
        inside = {v for block in loop.blocks for v in defined(block)}
        for op in (op for block in loop.blocks for op in walk(block)):
            if op.primitive in primitives and _in_range(op, ranges, inside):
                safe.add((loop, op))

    ranges.walk(reached)
    return frozenset(safe)


def _in_range(op: Op, ranges: IndexRanges, inside: set[Value]) -> bool:
    """Whether each index is in range, by what is known outside the loop alone."""
    array = op.operands[0]
    assert isinstance(array.type, Array)
    letters = op.text("axes") if op.primitive == "slice" else "i" * array.type.rank
    if "s" in letters:
        return False
    indices = iter(op.operands[1:])
    for axis, letter in enumerate(letters):
        if letter == ":":
            continue
        extent, i = ranges.extent(array, axis), next(indices)
        outside = ranges.is_outside(ranges.affine(i), inside) and ranges.is_outside(extent, inside)
        if not outside or not ranges.in_range(i, extent):
            return False
    return True
