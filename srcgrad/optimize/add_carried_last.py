"""Add what an iteration has from the one before it last, so that the next need not wait for the rest of the sum.

In ``u[i] = above[i] + u[i - 1] + below[i]`` each iteration waits for the one before. As it is written two additions are
on the way from one to the next; with ``above[i] + below[i]`` first, it is one. Only sums of three and more terms,
without differences or constants, are touched: what is left of ``(x + h) - x`` is meant.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.optimize.remove_dead import remove_dead
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(a: f64[:], b: f64[:], n: i64):
...     with for_(n, 0.0) as (last,):
...         def _(i: i64, u: f64):
...             above: f64 = load(a, i)
...             below: f64 = load(b, i)
...             first: f64 = add(above, u)
...             sum: f64 = add(first, below)
...             v: f64 = mul(sum, 0.5)
...             yield v
...     return last
... '''
>>> print(to_text(remove_dead(add_carried_last(parse(before, infer)))))
def f(a: f64[:], b: f64[:], n: i64):
    with for_(n, 0.0) as (last,):
        def _(i: i64, u: f64):
            above: f64 = load(a, i)
            below: f64 = load(b, i)
            _1: f64 = add(above, below)
            sum: f64 = add(_1, u)
            v: f64 = mul(sum, 0.5)
            yield v
    return last
<BLANKLINE>
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from srcgrad.analysis.carried import depending
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, used, walk
from srcgrad.ir.rewrite import with_blocks, with_ops
from srcgrad.ir.types import Scalar


def add_carried_last(function: Function) -> Function:
    if not any(op.primitive == "for" and len(op.operands) > 1 for op in walk(function.body)):
        return function
    uses = Counter(used(function.body))
    body = _in_block(function.body, uses)
    return function if body is function.body else replace(function, body=body)


def _in_block(block: Block, uses: Mapping[Value, int]) -> Block:
    ops = []
    for op in block.ops:
        inner = [_in_block(b, uses) for b in op.blocks]
        if op.primitive == "for":
            inner = [_in_order(b, uses) for b in inner]
        ops.append(with_blocks(op, inner))
    return with_ops(block, ops)


def _in_order(body: Block, uses: Mapping[Value, int]) -> Block:
    """The body of a loop with its sums in another order."""
    late = depending(body, body.parameters[1:])
    sums = {op.result: op for op in body.ops if op.primitive == "add" and _is_float(op)}
    inner = {x for op in sums.values() for x in op.operands if x in sums and uses[x] == 1}
    ops: list[Op] = []
    for op in body.ops:
        terms = _terms(op, sums, uses) if op.results and op.results[0] in sums.keys() - inner else []
        ops += _reordered(op, terms, late)
    return with_ops(body, ops)


def _terms(op: Op, sums: Mapping[Value, Op], uses: Mapping[Value, int]) -> list[Operand]:
    """What is added up, by this op and by those whose only use is on the way to it."""
    found: list[Operand] = []
    for x in op.operands:
        partial = sums.get(x) if isinstance(x, Value) and uses[x] == 1 else None
        found += [x] if partial is None else _terms(partial, sums, uses)
    return found


def _reordered(root: Op, terms: Sequence[Operand], late: AbstractSet[Operand]) -> list[Op]:
    early = [x for x in terms if x not in late]
    carried = [x for x in terms if x in late]
    if len(early) < 2 or not carried or any(isinstance(x, Const) for x in terms):
        return [root]
    ops: list[Op] = []
    total = early[0]
    for x in (*early[1:], *carried):
        ops.append(Op("add", (total, x), (Value(root.result.type),), location=root.location))
        total = ops[-1].result
    return [*ops[:-1], replace(ops[-1], results=root.results)]


def _is_float(op: Op) -> bool:
    dtype = op.result.type
    return isinstance(dtype, Scalar) and dtype.dtype.kind == "f"
