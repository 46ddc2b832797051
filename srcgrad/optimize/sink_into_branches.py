"""Add to a shadow in the side of a branch where there is something to add.

The adjoint of a branch merges its sides' contributions, with 0 where a side has none. Where a merged value is
only added to a shadow afterwards, the addition belongs in the side that has it.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.optimize.remove_dead import remove_dead
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(c: bool, n: i64, ct: f64):
...     x_bar: f64[:] = alloc(n, dtype=f64, fill='zeros', shadow=True)
...     with if_(c) as (v,):
...         def _():
...             w: f64 = mul(ct, 2.0)
...             yield w
...         def _():
...             yield 0.0
...     accumulate(x_bar, 0, v)
...     return x_bar
... '''
>>> print(to_text(remove_dead(sink_into_branches(parse(before, infer)))))
def f(c: bool, n: i64, ct: f64):
    x_bar: f64[:] = alloc(n, dtype=f64, fill='zeros', shadow=True)
    with if_(c):
        def _():
            w: f64 = mul(ct, 2.0)
            accumulate(x_bar, 0, w)
        def _():
            pass
    return x_bar
<BLANKLINE>
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from srcgrad.analysis.sites import Sites
from srcgrad.ir.core import Block, Function, Op, Value, is_zero, used, walk, walk_ops
from srcgrad.ir.rewrite import with_blocks, with_ops
from srcgrad.primitives.table import Effect, effect

TOUCHING = (Effect.READ, Effect.WRITE, Effect.CALL, Effect.STACK)


def sink_into_branches(function: Function) -> Function:
    pass_ = _Pass(function)
    body = pass_.block(function.body)
    return function if body is function.body else replace(function, body=body)


class _Pass:
    def __init__(self, function: Function) -> None:
        self.sites = Sites(function)
        self.uses = Counter(used(function.body))
        allocations = (op for op in walk(function.body) if op.attributes.get("shadow") is True)
        self.shadows = frozenset(op.result for op in allocations)

    def block(self, block: Block) -> Block:
        ops = [self.inside(op) for op in block.ops]
        for branch in [op for op in ops if op.primitive == "if"]:
            self.fill(ops, branch)
        return with_ops(block, ops)

    def inside(self, op: Op) -> Op:
        blocks = tuple(self.block(b) for b in op.blocks)
        return with_blocks(op, blocks)

    def fill(self, ops: list[Op], branch: Op) -> None:
        """Move what can be moved into the branch."""
        start = ops.index(branch)
        sides: list[list[Op]] = [[], []]
        gone: set[int] = set()
        for position in range(start + 1, len(ops)):
            op = ops[position]
            k = self.merged_operand(op, branch)
            if k is None or not self.may_move(op, ops[start + 1 : position], gone):
                continue
            for side, block in zip(sides, branch.blocks, strict=True):
                if not is_zero(block.yields[k]):
                    side.append(replace(op, operands=(*op.operands[:-1], block.yields[k])))
            gone.add(id(op))
        if gone:
            ops[:] = [self.filled(op, sides) if op is branch else op for op in ops if id(op) not in gone]

    def merged_operand(self, op: Op, branch: Op) -> int | None:
        """Which result of the branch an op only adds to a shadow; None if it is no such op."""
        if op.primitive != "accumulate" or op.operands[-1] not in branch.results:
            return None
        value = op.operands[-1]
        sites = self.sites.sites(op.operands[0])
        k = branch.results.index(value)
        useful = self.uses[value] == 1 and sites <= self.shadows
        return k if useful and any(is_zero(b.yields[k]) for b in branch.blocks) else None

    def may_move(self, op: Op, between: Sequence[Op], gone: set[int]) -> bool:
        """Whether nothing between the branch and the op gives what it uses or touches its memory."""
        stays = [o for o in between if id(o) not in gone]
        given = {r for o in stays for r in o.results}
        if any(x in given for x in op.operands[:-1]):
            return False
        memory = self.sites.sites(op.operands[0])
        return not any(self.touches(o, memory) for o in stays)

    def touches(self, op: Op, memory: frozenset[Value]) -> bool:
        accesses = (o for o in walk_ops((op,)) if effect(o.primitive) in TOUCHING)
        return any(self.sites.sites(x) & memory for o in accesses if o.primitive != "accumulate" for x in o.operands)

    def filled(self, branch: Op, sides: list[list[Op]]) -> Op:
        pairs = zip(branch.blocks, sides, strict=True)
        blocks = tuple(Block(b.parameters, (*b.ops, *added), b.yields) for b, added in pairs)
        return replace(branch, blocks=blocks)
