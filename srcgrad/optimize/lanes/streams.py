"""Nests that go through arrays as these lie in memory: LLVM vectorises their innermost loops as they are.

In ``for i: for j: for k: y[i, j, k] = exp(x[i, j, k])`` each element is touched once: to pack it for lanes costs as
much as to use it; and the axis of ``i`` may be a short one, of a batch or of the heads of a network.
"""

from __future__ import annotations

from collections.abc import Iterator

from srcgrad.analysis.accesses import indices
from srcgrad.analysis.affine import affine
from srcgrad.analysis.prices import is_dear
from srcgrad.analysis.sums import only_sums
from srcgrad.ir.core import Block, Const, Op, Value, definitions, walk
from srcgrad.primitives.table import Effect, effect

FEW = 16  # iterations of a loop that LLVM does not vectorise well
ACCESSES = (Effect.READ, Effect.WRITE)


def streams(loop: Op) -> bool:
    """Whether what is dear is in innermost loops that touch new elements, one beside the other; sums alone go on."""
    body = loop.blocks[0]
    if any(op.primitive == "while" or (op.primitive == "for" and not only_sums(op)) for op in walk(body)):
        return False
    defined_by = definitions(body)
    innermost = list(_innermost(loop, ()))
    dear = sum(map(is_dear, walk(body)))
    inside = sum(is_dear(op) for inner, _ in innermost for op in walk(inner.blocks[0]))
    return 2 * inside >= dear > 0 and all(_in_a_row(inner, around, defined_by) for inner, around in innermost)


def _innermost(loop: Op, counters: tuple[Value, ...]) -> Iterator[tuple[Op, tuple[Value, ...]]]:
    """The innermost loops, with the counters of the loops around, the own one last."""
    (body,) = loop.blocks
    around = (*counters, body.parameters[0])
    inner = list(_nearest(body))
    if not inner:
        yield loop, around
    for nested in inner:
        yield from _innermost(nested, around)


def _nearest(block: Block) -> Iterator[Op]:
    """The loops of a block that are in no other, also inside branches."""
    for op in block.ops:
        if op.primitive == "for":
            yield op
        else:
            for inner in op.blocks:
                yield from _nearest(inner)


def _in_a_row(loop: Op, counters: tuple[Value, ...], defined_by: dict[Value, Op]) -> bool:
    trips = loop.operands[0]
    if isinstance(trips, Const) and isinstance(trips.value, int) and trips.value < FEW:
        return False
    new = False
    for op in walk(loop.blocks[0]):
        if effect(op.primitive) not in ACCESSES:
            continue
        forms = [affine(i, defined_by).terms for i in indices(op)]
        if any(counters[-1] in form for form in forms[:-1]) or (forms and forms[-1].get(counters[-1], 1) != 1):
            return False
        new = new or all(any(c in form for form in forms) for c in counters)
    return new
