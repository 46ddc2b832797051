"""Allocate in front of a loop what is scratch within an iteration; where it began at zero, clear it instead.

Memory that no reference carries out of the iteration can serve every iteration. Allocation costs more than the
work of many an inner loop. A stack, too, can serve every iteration: each pops what it has pushed. An extent may be
negative where the loop does not run at all: in front of it, it is at least 0 (`clamp_extents.py`).

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:], n: i64):
...     with for_(n):
...         def _(i: i64):
...             a: f64[:] = alloc(3, dtype=f64, fill='empty')
...             v: f64 = load(x, i)
...             store(a, 0, v)
... '''
>>> print(to_text(hoist_allocations(parse(before, infer))))
def f(x: f64[:], n: i64):
    a: f64[:] = alloc(3, dtype=f64, fill='empty', in_front=True)
    with for_(n):
        def _(i: i64):
            v: f64 = load(x, i)
            store(a, 0, v)
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from srcgrad.analysis.sites import Sites
from srcgrad.ir.core import LOOPS, Block, Function, Op, Operand, Value, constant, defined, walk
from srcgrad.ir.types import Array
from srcgrad.primitives.table import new_builder


def hoist_allocations(function: Function) -> Function:
    sites = Sites(function)
    stacked = {s for op in walk(function.body) if op.primitive == "push" for s in sites.sites(op.operands[1])}
    return replace(function, body=_Hoisting(sites, stacked).block(function.body))


@dataclass(frozen=True)
class _Hoisting:
    sites: Sites
    stacked: set[Value]

    def block(self, block: Block) -> Block:
        ops: list[Op] = []
        for op in block.ops:
            current = replace(op, blocks=tuple(map(self.block, op.blocks))) if op.blocks else op
            if op.primitive in LOOPS:
                hoisted, current = self._emptied(current)
                ops.extend(hoisted)
            ops.append(current)
        return Block(block.parameters, tuple(ops), block.yields)

    def _emptied(self, loop: Op) -> tuple[list[Op], Op]:
        """The allocations to put in front of the loop, and the loop without them."""
        body = loop.blocks[-1]
        inside = set(defined(body))
        leaving = self.stacked.union(*(self.sites.sites(y) for y in body.yields))
        hoisted: list[Op] = []
        ops: list[Op] = []
        for op in body.ops:
            if op.primitive == "stack":
                hoisted.append(op)
                continue
            if op.primitive != "alloc" or op.result in leaving or any(n in inside for n in op.operands):
                ops.append(op)
                continue
            hoisted.append(replace(op, attributes={**op.attributes, "fill": "empty", "in_front": True}))
            if op.text("fill") == "zeros":
                ops.extend(_cleared(op.result, op.operands))
        if not hoisted:
            return [], loop
        return hoisted, replace(loop, blocks=(*loop.blocks[:-1], Block(body.parameters, tuple(ops), body.yields)))


def _cleared(array: Value, extents: Sequence[Operand]) -> Sequence[Op]:
    """``array[...] = 0``."""
    assert isinstance(array.type, Array)
    zero = constant(0, array.type.dtype)
    builder = new_builder()
    builder.open()
    builder.nest(extents, lambda at: builder.emit("store", array, *at, zero))
    return builder.close().ops
