"""One loop for value and gradient: a mirror that repeats the iterations of its forward loop takes its place.

The mirror loop of independent iterations computes the forward loop's sums too. Where everything it needs is known
already when the forward loop ends, and nothing in between meets the memory it writes to, it moves up, and the forward
loop is dead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from srcgrad.analysis.sites import Sites
from srcgrad.analysis.written import filled_by
from srcgrad.ir.core import Block, Function, Op, Value, captured, used, walk, walk_ops
from srcgrad.ir.rewrite import substitute
from srcgrad.primitives.table import Effect, effect


def fuse_values(function: Function) -> Function:
    """Merge each forward loop whose sums are used with the mirror that repeats it, where that is allowed."""
    if not any("repeats" in op.attributes for op in walk(function.body)):
        return function
    return replace(function, body=_fused(function.body, Sites(function)))


def _fused(block: Block, sites: Sites) -> Block:
    for region in [op.attributes["region"] for op in block.ops if "repeated" in op.attributes]:
        # A merge rewrites what follows it: the loops are looked up anew.
        forward = next((op for op in block.ops if op.attributes.get("region") == region), None)
        mirror = next((op for op in block.ops if op.attributes.get("repeats") == region), None)
        uses = set(used(block))
        if forward is not None and mirror is not None and any(r in uses for r in forward.results):
            block = _merged(block, forward, mirror, sites) or block
    ops = (replace(op, blocks=tuple(_fused(b, sites) for b in op.blocks)) if op.blocks else op for op in block.ops)
    return Block(block.parameters, tuple(ops), block.yields)


def _merged(body: Block, forward: Op, mirror: Op, sites: Sites) -> Block | None:
    if _leaves_memory(forward, sites):  # the mirror repeats the sums, not what is written for others
        return None
    start, end = body.ops.index(forward), body.ops.index(mirror)
    between = body.ops[start + 1 : end]
    needed = _moved_along(mirror, between)
    if needed is None or any(r in needed.uses for r in forward.results):
        return None
    if any(_meets(op, mirror, sites) for op in between if op not in needed.ops):
        return None
    rest = [op for op in between if op not in needed.ops]
    sums = mirror.results[len(mirror.results) - len(forward.results) :]
    names = dict(zip(forward.results, sums, strict=True))
    tail = substitute(Block((), (*rest, *body.ops[end + 1 :]), body.yields), names)
    return Block(body.parameters, (*body.ops[:start], *needed.ops, mirror, *tail.ops), tail.yields)


def _leaves_memory(loop: Op, sites: Sites) -> bool:
    """Whether a loop writes to memory that was there before it."""
    inside = list(walk_ops((loop,)))
    born = {r for op in inside if effect(op.primitive) is Effect.ALLOCATE for r in op.results}
    written = (array for op in inside for array in filled_by(op))
    return any(sites.sites(array) - born for array in written)


class _Moved:
    """Ops that move up with the mirror, and every value they use."""

    def __init__(self, ops: Sequence[Op], uses: set[Value]) -> None:
        self.ops = list(ops)
        self.uses = uses


def _moved_along(mirror: Op, between: Iterable[Op]) -> _Moved | None:
    """The pure ops between the loops that the mirror depends on; None if it depends on anything else there."""
    uses = {v for v in mirror.operands if isinstance(v, Value)} | set(captured(mirror))
    moved: list[Op] = []
    for op in reversed(list(between)):
        if not any(r in uses for r in op.results):
            continue
        if effect(op.primitive) is not Effect.PURE:
            return None
        moved.append(op)
        uses |= {v for v in op.operands if isinstance(v, Value)}
    return _Moved(moved[::-1], uses)


def _meets(op: Op, mirror: Op, sites: Sites) -> bool:
    """Whether an op must stay on its side of the mirror: both touch some memory, and not only by adding to it."""
    ours, theirs = _touched(mirror, sites), _touched(op, sites)
    return any(
        ours[site] != {"load"} or theirs[site] != {"load"}
        for site in ours.keys() & theirs.keys()
        if not ours[site] == theirs[site] == {"accumulate"}
    )


def _touched(op: Op, sites: Sites) -> dict[Value, set[str]]:
    """How an op and what is inside it touch each site."""
    touched: dict[Value, set[str]] = {}
    for inner in walk_ops((op,)):
        if effect(inner.primitive) not in (Effect.READ, Effect.WRITE, Effect.CALL):
            continue
        for operand in inner.operands:
            for site in sites.sites(operand):
                touched.setdefault(site, set()).add(inner.primitive)
    return touched
