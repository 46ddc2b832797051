"""Along which ways do values reach others, through memory, branches and loops?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from srcgrad.analysis.sites import Sites
from srcgrad.ir.core import LOOPS, Op, Operand, Value, first_carried


def flows(ops: Iterable[Op], sites: Sites) -> Iterator[tuple[Operand, Value]]:
    """From values to what holds them later as they are: memory by its sites, loads, and what blocks give and take."""
    for op in ops:
        if op.primitive in ("store", "accumulate"):
            yield from ((op.operands[-1], site) for site in sites.sites(op.operands[0]))
        elif op.primitive == "load":
            yield from ((site, op.result) for site in sites.sites(op.operands[0]))
        else:
            yield from ((x, merged) for merged, both in merged_values(op) for x in both)


def merged_values(op: Op) -> Iterator[tuple[Value, tuple[Operand, ...]]]:
    """What may be the value of the results of an op with blocks, and of the parameters of its blocks."""
    if op.primitive == "if":
        then, otherwise = op.blocks
        for result, *both in zip(op.results, then.yields, otherwise.yields, strict=True):
            yield result, tuple(both)
    if op.primitive not in LOOPS:
        return
    body = op.blocks[-1]
    initial = op.operands[first_carried(op) :]
    for k, pair in enumerate(zip(initial, body.yields, strict=True)):
        yield op.results[k], pair
        for block in op.blocks:
            yield block.parameters[len(block.parameters) - len(initial) + k], pair
