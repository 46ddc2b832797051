"""Remove what nothing depends on: unused values, carries and merges, memory that is only written to, empty loops.

Checks stay, and so do writes into parameters. An index whose element nobody wants is not checked.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:], n: i64):
...     scratch: f64[:] = alloc(n, dtype=f64, fill='empty')
...     with for_(n, 0.0, 1.0) as (total, unused):
...         def _(i: i64, s: f64, u: f64):
...             v: f64 = load(x, i)
...             store(scratch, i, v)
...             t: f64 = add(s, v)
...             w: f64 = mul(u, v)
...             yield t, w
...     return total
... '''
>>> print(to_text(remove_dead(parse(before, infer))))
def f(x: f64[:], n: i64):
    with for_(n, 0.0) as (total,):
        def _(i: i64, s: f64):
            v: f64 = load(x, i)
            t: f64 = add(s, v)
            yield t
    return total
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from srcgrad.analysis.liveness import Liveness
from srcgrad.ir.core import Block, Function, Op, first_carried
from srcgrad.ir.rewrite import with_blocks, with_ops

T = TypeVar("T")


def remove_dead(function: Function) -> Function:
    body = _block(function.body, Liveness(function))
    return function if body is function.body else replace(function, body=body)


def _block(block: Block, found: Liveness) -> Block:
    ops = tuple(_op(op, found) for op in block.ops if op in found.needed)
    return with_ops(block, ops)


def _op(op: Op, found: Liveness) -> Op:
    if not op.blocks:
        return op
    kept = [result in found.live for result in op.results]
    blocks = tuple(_block(b, found) for b in op.blocks)
    if all(kept):
        return with_blocks(op, blocks)
    if op.primitive == "if":
        blocks = tuple(replace(b, yields=_select(b.yields, kept)) for b in blocks)
        return replace(op, results=_select(op.results, kept), blocks=blocks)
    first = first_carried(op)
    operands = (*op.operands[:first], *_select(op.operands[first:], kept))
    carried = [replace(b, parameters=(*b.parameters[:first], *_select(b.parameters[first:], kept))) for b in blocks]
    carried[-1] = replace(carried[-1], yields=_select(carried[-1].yields, kept))
    return replace(op, operands=operands, results=_select(op.results, kept), blocks=tuple(carried))


def _select(items: Sequence[T], kept: Sequence[bool]) -> tuple[T, ...]:
    return tuple(item for item, keep in zip(items, kept, strict=True) if keep)
