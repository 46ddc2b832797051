"""A ``while`` that counts towards a fixed bound is a ``for``: its trip count is known before it runs.

Storage of the reverse sweep is then dense, and its indices can be proved. ``hoist_invariants`` before this takes the
bound out of the test; ``simplify_loops`` after it removes the carried counter.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(s: f64, n: i64):
...     with while_(1, s) as (k, t):
...         def _(i: i64, u: f64):
...             c: bool = lt(i, n)
...             yield c
...         def _(i: i64, u: f64):
...             v: f64 = mul(u, s)
...             next: i64 = add(i, 2)
...             yield next, v
...     return t
... '''
>>> print(to_text(count_while(parse(before, infer))))
def f(s: f64, n: i64):
    _1: i64 = sub(n, 1)
    _2: i64 = add(_1, 1)
    _3: i64 = floordiv(_2, 2)
    _4: i64 = max(0, _3)
    with for_(_4, 1, s) as (k, t):
        def _(i: i64, i_1: i64, u: f64):
            v: f64 = mul(u, s)
            next: i64 = add(i_1, 2)
            yield next, v
    return t
<BLANKLINE>
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from srcgrad.ir.core import Const, Function, Op, Operand, Value, index, walk
from srcgrad.ir.rewrite import Replacement, rewrite
from srcgrad.ir.types import INDEX
from srcgrad.primitives.table import new_builder

FLIPPED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}


def count_while(function: Function) -> Function:
    if not any(op.primitive == "while" for op in walk(function.body)):
        return function
    return rewrite(function, _counted)


@dataclass(frozen=True)
class _Count:
    """``for k in range(start, bound, step)``, the bound included or not."""

    start: Operand
    bound: Operand
    step: int
    included: bool
    name: str


def _counted(op: Op) -> Replacement | None:
    count = _count(op) if op.primitive == "while" else None
    if count is None:
        return None
    builder = new_builder()
    builder.location = op.location
    builder.open()
    low, high = (count.start, count.bound) if count.step > 0 else (count.bound, count.start)
    size, extra = abs(count.step), int(count.included)
    trips = builder("sub", high, low)
    if size - 1 + extra:  # to round up; a bound that is included is one further
        trips = builder("add", trips, index(size - 1 + extra))
    if size > 1:
        trips = builder("floordiv", trips, index(size))
    trips = builder("max", index(0), trips)
    body = op.blocks[1]
    block = replace(body, parameters=(Value(INDEX, count.name), *body.parameters))
    loop = replace(op, primitive="for", operands=(trips, *op.operands), blocks=(block,))
    return [*builder.ops, loop], {}


def _count(op: Op) -> _Count | None:
    """What the loop counts, if its test only compares one carried integer with a value from outside."""
    test, body = op.blocks
    if len(test.ops) != 1 or test.ops[0].results != test.yields or test.ops[0].primitive not in FLIPPED:
        return None
    compared = test.ops[0]
    name, (carried, bound) = compared.primitive, compared.operands
    if bound in test.parameters:
        name, carried, bound = FLIPPED[name], bound, carried
    if carried not in test.parameters or bound in test.parameters or carried.type != INDEX:
        return None
    position = test.parameters.index(carried)
    step = _step(body.parameters[position], body.yields[position], {o.results[0]: o for o in body.ops if o.results})
    if step is None or (step > 0) != (name in ("lt", "le")):
        return None
    return _Count(op.operands[position], bound, step, name in ("le", "ge"), body.parameters[position].name)


def _step(parameter: Value, yielded: Operand, made: dict[Value, Op]) -> int | None:
    """The constant, not 0, by which each iteration moves a carried integer."""
    op = made.get(yielded) if isinstance(yielded, Value) else None
    if op is None or op.primitive not in ("add", "sub"):
        return None
    a, b = op.operands if op.operands[0] is parameter or op.primitive == "sub" else op.operands[::-1]
    if a is not parameter or not isinstance(b, Const) or not isinstance(b.value, int) or not b.value:
        return None
    return b.value if op.primitive == "add" else -b.value
