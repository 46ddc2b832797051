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

from collections.abc import Sequence
from dataclasses import dataclass, replace

from srcgrad.analysis.inequalities import MIRRORED
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Function, Op, Operand, Value, defined, definitions, index, walk
from srcgrad.ir.rewrite import Replacement, rewrite
from srcgrad.ir.types import INDEX
from srcgrad.primitives.table import new_builder

ORDER = ("lt", "le", "gt", "ge")


def count_while(function: Function) -> Function:
    if not any(op.primitive == "while" for op in walk(function.body)):
        return function
    known = definitions(function.body)
    return rewrite(function, lambda op: _counted(op, known))


Definitions = dict[Value, Op]


@dataclass(frozen=True)
class _Count:
    """``for k in range(start, bound, step)``, the bound included or not; ``first`` says whether it starts at all."""

    start: Operand
    bound: Operand
    step: int
    included: bool
    name: str
    first: Operand | None  # None: if the range is not empty


def _counted(op: Op, known: Definitions) -> Replacement | None:
    count = _count(op, known) if op.primitive == "while" else None
    if count is None:
        return None
    builder = new_builder()
    builder.location = op.location
    builder.open()
    trips = _trips(count, builder)
    body = op.blocks[1]
    block = replace(body, parameters=(Value(INDEX, count.name), *body.parameters))
    loop = replace(op, primitive="for", operands=(trips, *op.operands), blocks=(block,))
    return [*builder.ops, loop], {}


def _trips(count: _Count, builder: Builder) -> Operand:
    start = count.start if count.first is None else builder("add", count.start, index(count.step))
    low, high = (start, count.bound) if count.step > 0 else (count.bound, start)
    size, extra = abs(count.step), int(count.included)
    trips = builder("sub", high, low)
    if size - 1 + extra:  # to round up; a bound that is included is one further
        trips = builder("add", trips, index(size - 1 + extra))
    if size > 1:
        trips = builder("floordiv", trips, index(size))
    trips = builder("max", index(0), trips)
    if count.first is None:
        return trips
    return builder("select", count.first, builder("add", trips, index(1)), index(0))


def _count(op: Op, known: Definitions) -> _Count | None:
    """What the loop counts, if its test only compares one carried integer with a value from outside."""
    test = op.blocks[0]
    if not test.ops and test.yields[0] in test.parameters:
        return _count_of_carried_test(op, known)
    if len(test.ops) != 1 or test.ops[0].results != test.yields:
        return None
    compared = _comparison(test.ops[0], test.parameters)
    if compared is None:
        return None
    name, position, bound = compared
    return None if bound in test.parameters else _range(op, name, position, bound, None)


def _count_of_carried_test(op: Op, known: Definitions) -> _Count | None:
    """The same where the comparison is made at the end of each iteration, with what goes into the next."""
    test, body = op.blocks
    place = next(k for k, p in enumerate(test.parameters) if p is test.yields[0])
    again = known.get(body.yields[place]) if isinstance(body.yields[place], Value) else None  # type: ignore[arg-type]
    compared = _comparison(again, body.yields) if again is not None else None
    if compared is None:
        return None
    name, position, bound = compared
    if bound in set(defined(body)):
        return None
    before = known.get(op.operands[place]) if isinstance(op.operands[place], Value) else None  # type: ignore[arg-type]
    alike = before is not None and _compares(before, name, op.operands[position], bound)
    return _range(op, name, position, bound, None if alike else op.operands[place])


def _compares(op: Op, name: str, left: Operand, right: Operand) -> bool:
    return (op.primitive, *op.operands) in ((name, left, right), (MIRRORED[name], right, left))


def _comparison(op: Op, carried: Sequence[Operand]) -> tuple[str, int, Operand] | None:
    """The comparison of a carried integer, by its position, with something else."""
    if op.primitive not in ORDER or op.operands[0].type != INDEX:
        return None
    a, b = op.operands
    for name, x, bound in ((op.primitive, a, b), (MIRRORED[op.primitive], b, a)):
        if isinstance(x, Value) and x in carried:
            return name, carried.index(x), bound
    return None


def _range(op: Op, name: str, position: int, bound: Operand, first: Operand | None) -> _Count | None:
    body = op.blocks[1]
    step = _step(body.parameters[position], body.yields[position], {o.results[0]: o for o in body.ops if o.results})
    if step is None or (step > 0) != (name in ("lt", "le")):
        return None
    return _Count(op.operands[position], bound, step, name in ("le", "ge"), body.parameters[position].name, first)


def _step(parameter: Value, yielded: Operand, made: dict[Value, Op]) -> int | None:
    """The constant, not 0, by which each iteration moves a carried integer."""
    op = made.get(yielded) if isinstance(yielded, Value) else None
    if op is None or op.primitive not in ("add", "sub"):
        return None
    a, b = op.operands if op.operands[0] is parameter or op.primitive == "sub" else op.operands[::-1]
    if a is not parameter or not isinstance(b, Const) or not isinstance(b.value, int) or not b.value:
        return None
    return b.value if op.primitive == "add" else -b.value
