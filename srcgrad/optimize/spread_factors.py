"""Multiply the parts of a sum instead of the sum, where a recurrence is waiting for it.

In ``u[i] = 0.25 * (rest[i] + u[i - 1])`` an addition and then a multiplication are on the way from one iteration to the
next; in ``0.25 * rest[i] + 0.25 * u[i - 1]`` it is one fused multiply-add, and the other product can be made meanwhile.
The case is ``benchmarks/problems/gauss_seidel.py``. Factors are powers of two, with which the result is the same to the
last bit; in adjoints other constants, too.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.optimize.remove_dead import remove_dead
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(a: f64[:], n: i64):
...     with for_(n, 0.0) as (last,):
...         def _(i: i64, u: f64):
...             rest: f64 = load(a, i)
...             sum: f64 = add(rest, u)
...             v: f64 = mul(sum, 0.25)
...             yield v
...     return last
... '''
>>> print(to_text(remove_dead(spread_factors(parse(before, infer)))))
def f(a: f64[:], n: i64):
    with for_(n, 0.0) as (last,):
        def _(i: i64, u: f64):
            rest: f64 = load(a, i)
            _1: f64 = mul(0.25, rest)
            _2: f64 = mul(0.25, u)
            v: f64 = add(_1, _2)
            yield v
    return last
<BLANKLINE>
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from srcgrad.analysis.carried import depending
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, captured, constant, used, walk
from srcgrad.ir.rewrite import with_blocks, with_ops
from srcgrad.ir.types import Scalar


def spread_factors(function: Function) -> Function:
    if not any(op.primitive == "for" and len(op.operands) > 1 for op in walk(function.body)):
        return function
    uses = Counter(used(function.body))
    body = _in_block(function.body, uses)
    return function if body is function.body else replace(function, body=body)


def _in_block(block: Block, uses: Mapping[Value, int]) -> Block:
    ops = []
    for op in block.ops:
        inner = [_in_block(b, uses) for b in op.blocks]
        if op.primitive == "for" and (recurrent := _recurrent(op.blocks[0])):
            inner = [_spread(inner[0], recurrent, uses, adjoint="adjoint" in op.attributes)]
        ops.append(with_blocks(op, inner))
    return with_ops(block, ops)


def _recurrent(body: Block) -> list[Value]:
    """What a loop carries that the next iteration computes from it."""
    carried = list(zip(body.parameters[1:], body.yields, strict=True))
    known = -1
    while known != len(carried):
        known = len(carried)
        late = depending(body, [p for p, _ in carried])
        carried = [(p, y) for p, y in carried if y in late]
    return [p for p, _ in carried]


def _spread(body: Block, recurrent: Sequence[Value], uses: Mapping[Value, int], *, adjoint: bool) -> Block:
    late = depending(body, recurrent)
    awaited = _awaited(body, recurrent)
    sums = {op.result: op for op in body.ops if op.primitive in ("add", "sub") and uses[op.result] == 1}
    ops: list[Op] = []
    for op in body.ops:
        factor, product_of = _factor(op)
        total = sums.get(product_of) if isinstance(product_of, Value) else None
        one_is_late = total is not None and len(late.intersection(total.operands)) == 1
        if total is not None and factor is not None and one_is_late and op.result in awaited and _may(factor, adjoint):
            ops += _products(op, factor, total)
        else:
            ops.append(op)
    return with_ops(body, ops)


def _awaited(body: Block, recurrent: Sequence[Value]) -> set[Operand]:
    """What the next iteration's values of these are computed from."""
    found: set[Operand] = {y for p, y in zip(body.parameters[1:], body.yields, strict=True) if p in recurrent}
    for op in reversed(body.ops):
        if not found.isdisjoint(op.results):
            found.update((*op.operands, *captured(op)))
    return found


def _factor(op: Op) -> tuple[Const | None, Operand | None]:
    """The constant by which an op multiplies, and what it multiplies."""
    if op.primitive not in ("mul", "div") or not isinstance(op.result.type, Scalar):
        return None, None
    a, b = op.operands
    match op.primitive, a, b:
        case "mul", Const(), Value():
            return a, b
        case "mul", Value(), Const():
            return b, a
        case "div", Value(), Const() if _is_power_of_two(b):
            return constant(1.0 / b.value.real, op.result.type.dtype), a
    return None, None


def _may(factor: Const, adjoint: bool) -> bool:
    """Whether it makes no difference that is seen; a factor above 1 could make products too large."""
    if factor.type.dtype.kind != "f" or not abs(factor.value) <= 1.0:
        return False
    return adjoint or _is_power_of_two(factor)


def _is_power_of_two(factor: Const) -> bool:
    value = abs(factor.value)
    return factor.type.dtype.kind == "f" and math.frexp(value)[0] == 0.5


def _products(op: Op, factor: Const, total: Op) -> list[Op]:
    parts = [Op("mul", (factor, x), (Value(op.result.type),), location=op.location) for x in total.operands]
    return [*parts, Op(total.primitive, tuple(p.result for p in parts), op.results, location=op.location)]
