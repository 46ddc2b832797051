"""Move a check that does not change in a loop in front of it, if nothing in the loop comes before it that is seen.

It fails in the first iteration or in none; where the loop does not run, it does not fail either. What was written to
memory of the function's own is not seen if it fails.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:], n: i64, m: i64):
...     with for_(n):
...         def _(i: i64):
...             v: f64 = load(x, i)
...             c: bool = eq(n, m)
...             check(c, exception='ValueError', message='not as long')
...             store(x, i, 0.0)
... '''
>>> print(to_text(hoist_checks(parse(before, infer))))
def f(x: f64[:], n: i64, m: i64):
    c: bool = eq(n, m)
    _1: bool = le(n, 0)
    _2: bool = or_(c, _1)
    check(_2, exception='ValueError', message='not as long')
    with for_(n):
        def _(i: i64):
            v: f64 = load(x, i)
            store(x, i, 0.0)
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from srcgrad.analysis.sites import Sites
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, index, walk
from srcgrad.optimize.hoist_invariants import may_fail
from srcgrad.primitives.table import Effect, effect, new_builder

# What may stand in front of a check that moves: it leaves no trace if the check fails.
SILENT = (Effect.PURE, Effect.READ, Effect.VIEW, Effect.ALLOCATE)


def hoist_checks(function: Function) -> Function:
    if not any(op.primitive == "check" for op in walk(function.body)):
        return function
    return replace(function, body=_Pass(Sites(function)).block(function.body))


@dataclass(frozen=True)
class _Pass:
    sites: Sites

    def block(self, block: Block) -> Block:
        ops: list[Op] = []
        for op in block.ops:
            current = replace(op, blocks=tuple(self.block(b) for b in op.blocks)) if op.blocks else op
            if op.primitive == "for":
                moved, current = self.emptied(current)
                ops.extend(moved)
            ops.append(current)
        return replace(block, ops=tuple(ops))

    def emptied(self, loop: Op) -> tuple[Sequence[Op], Op]:
        """The checks that go in front of a loop with what they need, and the loop without them."""
        (body,) = loop.blocks
        inside: set[Operand] = set(body.parameters)
        moving: list[Op] = []
        for op in body.ops:
            stays = not inside.isdisjoint(op.operands) or may_fail(op)
            if not stays and (op.primitive == "check" or effect(op.primitive) is Effect.PURE):
                moving.append(op)
            elif self.leaves_no_trace(op):
                inside.update(op.results)
            else:
                break
        if not any(op.primitive == "check" for op in moving):
            return (), loop
        rest = tuple(op for op in body.ops if op not in moving)
        return _in_front(moving, loop.operands[0]), replace(loop, blocks=(replace(body, ops=rest),))

    def leaves_no_trace(self, op: Op) -> bool:
        """Whether nobody notices, where the check behind it fails, that it has run."""
        if op.primitive in ("for", "if"):
            return all(self.leaves_no_trace(inner) for block in op.blocks for inner in block.ops)
        if effect(op.primitive) is Effect.WRITE:
            return self.is_own(op.operands[0])
        return effect(op.primitive) in SILENT and not may_fail(op)

    def is_own(self, array: Operand) -> bool:
        """Whether memory was allocated here, and is no caller's."""
        return self.sites.sites(array).isdisjoint(self.sites.parameters)


def _in_front(moving: Sequence[Op], trips: Operand) -> Sequence[Op]:
    """The ops, with checks that hold where the loop does not run."""
    builder = new_builder()
    builder.open()
    runs = isinstance(trips, Const) and int(trips.value.real) > 0
    for op in moving:
        if op.primitive != "check" or runs:
            builder.ops.append(op)
            continue
        builder.location = op.location
        idle: Value = builder("le", trips, index(0))
        holds = builder("or_", op.operands[0], idle)
        builder.ops.append(replace(op, operands=(holds, *op.operands[1:])))
    return builder.close().ops
