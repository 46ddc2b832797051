"""Nests that go through arrays as these lie in memory: LLVM vectorises their innermost loops as they are.

In ``for i: for j: for k: y[i, j, k] = exp(x[i, j, k])`` each element is touched once: to pack it for lanes costs as
much as to use it; and the axis of ``i`` may be a short one, of a batch or of the heads of a network.
"""

from __future__ import annotations

from collections.abc import Iterator

from srcgrad.analysis.accesses import indices
from srcgrad.analysis.affine import affine
from srcgrad.ir.core import Block, Op, Value, definitions, walk
from srcgrad.primitives.table import Effect, effect

ACCESSES = (Effect.READ, Effect.WRITE)


def streams(loop: Op) -> bool:
    """Whether a loop does nothing but run a loop, whose innermost loops touch new elements, one beside the other."""
    (body,) = loop.blocks
    inner = [op for op in body.ops if op.blocks]
    if len(inner) != 1 or inner[0].primitive != "for" or any(effect(op.primitive) in ACCESSES for op in body.ops):
        return False
    defined_by = definitions(body)
    return all(_in_a_row(around, counters, defined_by) for around, counters in _innermost(loop, ()))


def _innermost(loop: Op, counters: tuple[Value, ...]) -> Iterator[tuple[Block, tuple[Value, ...]]]:
    """The bodies of the innermost loops, with the counters of the loops around, the own one last."""
    (body,) = loop.blocks
    around = (*counters, body.parameters[0])
    inner = [op for op in walk(body) if op.primitive == "for"]
    if not inner:
        yield body, around
    for block_op in _nearest(body):
        yield from _innermost(block_op, around)


def _nearest(block: Block) -> Iterator[Op]:
    for op in block.ops:
        if op.primitive == "for":
            yield op
        else:
            for inner in op.blocks:
                yield from _nearest(inner)


def _in_a_row(body: Block, counters: tuple[Value, ...], defined_by: dict[Value, Op]) -> bool:
    new = False
    for op in walk(body):
        if effect(op.primitive) not in ACCESSES:
            continue
        forms = [affine(i, defined_by).terms for i in indices(op)]
        if any(counters[-1] in form for form in forms[:-1]) or (forms and forms[-1].get(counters[-1], 1) != 1):
            return False
        new = new or all(any(c in form for form in forms) for c in counters)
    return new
