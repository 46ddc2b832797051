"""Add to a number rather than to one element of memory all through a loop, and to the memory once behind it.

LLVM must take what else the loop writes for the same element, so that it neither keeps the sum in a register nor
vectorises the loop. The case is ``benchmarks/problems/lennard_jones.py``; sums are added up in another order.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:], n: i64):
...     w: f64[:] = alloc(2, dtype=f64, fill='zeros')
...     with for_(n):
...         def _(i: i64):
...             v: f64 = load(x, i)
...             accumulate(w, 1, v)
...     return w
... '''
>>> print(to_text(carry_sums(parse(before, infer))))
def f(x: f64[:], n: i64):
    w: f64[:] = alloc(2, dtype=f64, fill='zeros')
    with for_(n, 0.0) as (w_1,):
        def _(i: i64, _1: f64):
            v: f64 = load(x, i)
            _2: f64 = add(_1, v)
            yield _2
    accumulate(w, 1, w_1)
    return w
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from srcgrad.analysis.in_front import safe_in_front
from srcgrad.analysis.sites import Sites
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, defined, walk, zero_like
from srcgrad.ir.rewrite import fresh, with_blocks, with_ops
from srcgrad.primitives.table import Effect, effect

TOUCHING = (Effect.READ, Effect.WRITE, Effect.CALL, Effect.STACK)


def carry_sums(function: Function) -> Function:
    """What an inner loop adds behind it, the loop around it may carry in turn."""
    while any(_candidates(op) for op in walk(function.body)):
        body = _Carrying(Sites(function), safe_in_front(function, ("accumulate",))).block(function.body)
        if body is function.body:
            break
        function = replace(function, body=body)
    return function


def _candidates(loop: Op) -> list[Op]:
    """What a loop adds in each iteration to an element that is the same in all."""
    if loop.primitive != "for":
        return []
    inside: set[Operand] = set(defined(loop.blocks[0]))
    adding = (op for op in loop.blocks[0].ops if op.primitive == "accumulate")
    return [op for op in adding if inside.isdisjoint(op.operands[:-1])]


@dataclass(frozen=True)
class _Carrying:
    sites: Sites
    safe: frozenset[tuple[Op, Op]]

    def block(self, block: Block) -> Block:
        ops: list[Op] = []
        for op in block.ops:
            groups = self.groups(op)
            current = with_blocks(op, [self.block(b) for b in op.blocks])
            if groups:
                current, after = _carried(current, groups)
                ops += [current, *after]
            else:
                ops.append(current)
        return with_ops(block, ops)

    def groups(self, loop: Op) -> list[list[Op]]:
        """What is added to one element each, where nothing else in the loop looks at its memory."""
        groups: dict[object, list[Op]] = {}
        for op in _candidates(loop):
            if (loop, op) in self.safe and self.only_added(loop, op):
                key = (op.operands[0], *(x.key() if isinstance(x, Const) else x for x in op.operands[1:-1]))
                groups.setdefault(key, []).append(op)
        return list(groups.values())

    def only_added(self, loop: Op, adding: Op) -> bool:
        memory = self.sites.sites(adding.operands[0])
        others = (op for op in walk(loop.blocks[0]) if effect(op.primitive) in TOUCHING)
        return not any(
            self.sites.sites(x) & memory and not (op.primitive == "accumulate" and k == 0)
            for op in others
            for k, x in enumerate(op.operands)
        )


def _carried(loop: Op, groups: Sequence[Sequence[Op]]) -> tuple[Op, list[Op]]:
    """The loop that carries the sums, and the ops that add them to the memory."""
    body = loop.blocks[0]
    starts = [Value(group[0].operands[-1].type) for group in groups]
    sums: list[Value] = list(starts)
    group_of = {op: k for k, group in enumerate(groups) for op in group}
    ops: list[Op] = []
    for op in body.ops:
        if op not in group_of:
            ops.append(op)
            continue
        k = group_of[op]
        total = fresh(sums[k])
        ops.append(Op("add", (sums[k], op.operands[-1]), (total,), location=op.location))
        sums[k] = total
    results = [Value(start.type, group[0].operands[0].name) for start, group in zip(starts, groups, strict=True)]  # type: ignore[union-attr]  # a reference
    block = Block((*body.parameters, *starts), tuple(ops), (*body.yields, *sums))
    initial = (zero_like(start) for start in starts)
    new = replace(loop, operands=(*loop.operands, *initial), results=(*loop.results, *results), blocks=(block,))
    after = [
        replace(group[0], operands=(*group[0].operands[:-1], result))
        for group, result in zip(groups, results, strict=True)
    ]
    return new, after
