"""Move what does not change in a loop in front of it: pure ops, views, and loads that no write in the loop may touch.

A loop may run zero times, so what could fail moves only where it is proved not to: a load whose index is known to
be in range also in front of the loop, a division of integers by a constant.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:], n: i64):
...     w: f64[:] = alloc(3, dtype=f64, fill='zeros')
...     with for_(n):
...         def _(i: i64):
...             m: i64 = dim(x, axis=0)
...             first: f64 = load(w, 0)
...             other: f64 = load(x, 0)
...             half: f64 = mul(first, 0.5)
...             both: f64 = add(half, other)
...             k: i64 = mod(i, m)
...             store(x, k, both)
...     return n
... '''
>>> print(to_text(hoist_invariants(parse(before, infer))))
def f(x: f64[:], n: i64):
    w: f64[:] = alloc(3, dtype=f64, fill='zeros')
    m: i64 = dim(x, axis=0)
    first: f64 = load(w, 0)
    half: f64 = mul(first, 0.5)
    with for_(n):
        def _(i: i64):
            other: f64 = load(x, 0)
            both: f64 = add(half, other)
            k: i64 = mod(i, m)
            store(x, k, both)
    return n
<BLANKLINE>
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from srcgrad.analysis.in_front import safe_in_front
from srcgrad.analysis.sites import Sites
from srcgrad.analysis.written import written_sites
from srcgrad.ir.core import LOOPS, Block, Const, Function, Op, Value, is_integer, walk
from srcgrad.primitives.table import Effect, effect


def hoist_invariants(function: Function) -> Function:
    if not any(op.primitive in LOOPS for op in walk(function.body)):
        return function
    sites = Sites(function)
    hoisting = _Hoisting(sites, written_sites(function, sites), safe_in_front(function, ("load", "slice")))
    return replace(function, body=hoisting.block(function.body))


@dataclass(frozen=True)
class _Hoisting:
    sites: Sites
    written: dict[Op, frozenset[Value]]  # a loop -> the sites written inside
    safe: frozenset[tuple[Op, Op]]

    def block(self, block: Block) -> Block:
        ops: list[Op] = []
        for op in block.ops:
            current = replace(op, blocks=tuple(self.block(b) for b in op.blocks)) if op.blocks else op
            if op.primitive in LOOPS:
                moved, current = self.loop(op, current)
                ops += moved
            ops.append(current)
        return replace(block, ops=tuple(ops))

    def loop(self, original: Op, loop: Op) -> tuple[list[Op], Op]:
        """The ops that go in front of a loop, and what remains of it."""
        moved: list[Op] = []
        blocks: list[Block] = []
        for block in loop.blocks:
            inside: set[Value] = set(block.parameters)
            kept: list[Op] = []
            for op in block.ops:
                if inside.isdisjoint(op.operands) and self.may_move(op, original):
                    moved.append(op)
                else:
                    kept.append(op)
                    inside.update(op.results)
            blocks.append(replace(block, ops=tuple(kept)))
        return moved, replace(loop, blocks=tuple(blocks)) if moved else loop

    def may_move(self, op: Op, loop: Op) -> bool:
        """Whether an op with invariant operands gives the same in front of the loop, and cannot fail there."""
        match effect(op.primitive):
            case Effect.PURE:
                return not may_fail(op)
            case Effect.VIEW:
                return op.primitive in ("transpose", "expand", "relax") or (loop, op) in self.safe
            case Effect.READ:
                unwritten = self.sites.sites(op.operands[0]).isdisjoint(self.written[loop])
                return unwritten and (loop, op) in self.safe
        return False


def may_fail(op: Op) -> bool:
    """Integer division by what may be zero, and integer powers."""
    if op.primitive not in ("floordiv", "mod", "ipow") or not is_integer(op.operands[0]):
        return False
    divisor = op.operands[1]
    return op.primitive == "ipow" or not isinstance(divisor, Const) or not divisor.value
