"""How the reverse sweep has the values of the forward sweep again: the one place that decides.

``reverse`` names forward values freely. Here each is visible already, read again, recomputed or stored: a minimum
cut (``cut``) decides over a whole nest of loops and branches at once, and ``keep`` writes the decision down.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from srcgrad.analysis.effects import Effects
from srcgrad.analysis.extents import Extents
from srcgrad.differentiate.choices import Facts, choices_of
from srcgrad.differentiate.cut import cheapest
from srcgrad.differentiate.keep import keep
from srcgrad.differentiate.nests import matched, needed, owners, pair_up
from srcgrad.differentiate.regions import remove_marks
from srcgrad.ir.core import Block, Function, Op, Operand, Value, walk
from srcgrad.ir.rewrite import with_blocks, with_ops
from srcgrad.primitives.table import Effect, effect


def recall(function: Function) -> Function:
    """Bring every forward value that the reverse sweep uses into its scope."""
    body = _Recall(function).block(function.body, function.body)
    return remove_marks(replace(function, body=body))


class _Recall:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.effects = Effects(function)
        self.extents = Extents(function)
        self.escaping = leaving_sites(function, self.effects)

    def block(self, block: Block, original: Block) -> Block:
        """Homes inside first: what they need of outer levels is then seen there."""
        ops = [self.op(op) for op in block.ops]
        current = with_ops(block, ops)
        for forward, mirror in matched(current, current):
            current = self.nest(current, original, forward, mirror)
        return current

    def op(self, op: Op) -> Op:
        blocks = tuple(self.block(b, b) for b in op.blocks)
        return with_blocks(op, blocks)

    def nest(self, block: Block, home: Block, forward: Op, mirror: Op) -> Block:
        pair = pair_up(forward, mirror, None)
        owner = owners(pair)
        wanted = needed(pair, owner)
        if not wanted:
            return block
        facts = Facts(self.effects, self.extents, self.escaping, owner, home)
        choices, ways = choices_of(wanted, facts, cached=home is not self.function.body)
        before, new_forward, new_mirror = keep(pair, owner, *cheapest(choices, wanted), ways)
        ops: list[Op] = []
        for op in block.ops:
            if op is forward:
                ops.extend((*before, new_forward))
            else:
                ops.append(new_mirror if op is mirror else op)
        return Block(block.parameters, tuple(ops), block.yields)


def leaving_sites(function: Function, effects: Effects) -> frozenset[Value]:
    """Sites of which a reference is carried, merged, stacked or passed on: other names for it are kept, not remade."""
    leaving: set[Value] = set()
    for op in walk(function.body):
        yielded: Iterable[Operand] = (y for b in op.blocks for y in b.yields)
        passed = op.operands if effect(op.primitive) in (Effect.CONTROL, Effect.STACK) else ()
        for operand in (*yielded, *passed):
            leaving |= effects.sites.sites(operand)
    return frozenset(leaving)
