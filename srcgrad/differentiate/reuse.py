"""What the reverse sweep would compute of forward values alone, as the forward sweep did, is the forward value.

The derivative of ``cos(x)`` asks for ``sin(x)``; where the forward sweep has computed that, too, in the same iteration,
``recall`` had better see one value than two.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:], bar: f64[:], n: i64):
...     with for_(n, region=0):
...         def _(i: i64):
...             v: f64 = load(x, i)
...             s: f64 = sin(v)
...             store(x, i, s)
...     with for_(n, mirror=0):
...         def _(q: i64):
...             s_1: f64 = sin(v)
...             w: f64 = mul(s, s_1)
...             accumulate(bar, q, w)
... '''
>>> print(to_text(reuse(parse(before, infer))))
def f(x: f64[:], bar: f64[:], n: i64):
    with for_(n, region=0):
        def _(i: i64):
            v: f64 = load(x, i)
            s: f64 = sin(v)
            store(x, i, s)
    with for_(n, mirror=0):
        def _(q: i64):
            w: f64 = mul(s, s)
            accumulate(bar, q, w)
<BLANKLINE>
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Hashable, MutableMapping
from dataclasses import replace

from srcgrad.differentiate.nests import matched
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value
from srcgrad.ir.rewrite import renamed, with_blocks
from srcgrad.primitives.scalar import SCALARS
from srcgrad.primitives.table import Effect, effect

Known = MutableMapping[Hashable, Operand]


def reuse(function: Function) -> Function:
    return replace(function, body=_Reuse().block(function.body, None, ChainMap()))


class _Reuse:
    def __init__(self) -> None:
        self.names: dict[Value, Operand] = {}

    def block(self, block: Block, forward: Block | None, known: Known) -> Block:
        """``known`` is what the forward sweep computes of these iterations, in ``forward`` and in the blocks around."""
        pairs = matched(block, block) + (matched(forward, block) if forward else [])
        mirrored = {mirror: op for op, mirror in pairs}
        ops = [current for op in block.ops if (current := self.op(op, mirrored.get(op), known)) is not None]
        return Block(block.parameters, tuple(ops), tuple(renamed(x, self.names) for x in block.yields))

    def op(self, op: Op, forward: Op | None, known: Known) -> Op | None:
        """The op with its operands renamed, or None where the forward sweep has its result."""
        current = replace(op, operands=tuple(renamed(x, self.names) for x in op.operands))
        if op.blocks:
            return with_blocks(current, self.inside(op, forward, known))
        if _may_be_reused(op) and (found := known.get(_key(current))) is not None:
            self.names[op.result] = found
            return None
        return current

    def inside(self, op: Op, forward: Op | None, known: Known) -> list[Block]:
        if forward is None:
            return [self.block(b, None, known) for b in op.blocks]
        levels = forward.blocks[-len(op.blocks) :]  # of a while only the body is mirrored
        return [
            self.block(b, level, ChainMap(_computed(level), known)) for b, level in zip(op.blocks, levels, strict=True)
        ]


def _computed(block: Block) -> Known:
    return {_key(op): op.result for op in reversed(block.ops) if _may_be_reused(op)}


def _may_be_reused(op: Op) -> bool:
    return op.primitive in SCALARS and effect(op.primitive) is Effect.PURE


def _key(op: Op) -> Hashable:
    """Equal for ops that compute the same."""
    operands = tuple(x.key() if isinstance(x, Const) else x for x in op.operands)
    return (op.primitive, operands, tuple(op.attributes.items()))
