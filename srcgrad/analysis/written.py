"""Which memory may be written to inside an op that holds blocks?"""

from __future__ import annotations

from srcgrad.analysis.sites import Sites
from srcgrad.ir.core import Block, Function, Op, Value
from srcgrad.ir.types import Array
from srcgrad.primitives.table import Effect, effect


def written_sites(function: Function, sites: Sites) -> dict[Op, frozenset[Value]]:
    """For each op with blocks the sites written inside; for each write and call its own."""
    found: dict[Op, frozenset[Value]] = {}
    _collect(function.body, sites, found)
    return found


def touched(op: Op, sites: Sites) -> frozenset[Value]:
    """The sites that an op without blocks may write to."""
    match effect(op.primitive):
        case Effect.WRITE:
            return sites.sites(op.operands[0])
        case Effect.CALL:
            return frozenset(s for x in op.operands if isinstance(x.type, Array) for s in sites.sites(x))
    return frozenset()


def _collect(block: Block, sites: Sites, found: dict[Op, frozenset[Value]]) -> frozenset[Value]:
    total: set[Value] = set()
    for op in block.ops:
        if op.blocks:
            found[op] = frozenset(s for inner in op.blocks for s in _collect(inner, sites, found))
            total |= found[op]
        elif own := touched(op, sites):
            found[op] = own
            total |= own
    return frozenset(total)
