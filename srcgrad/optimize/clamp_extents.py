"""An extent of an allocation that has left a loop is at least 0, also where the loop does not run.

Until the end such extents stand as they do in the loop, where they are not negative: other passes compare them with its
counts. ``in_front=True`` marks the allocations. The case is ``benchmarks/problems/heat1d.py``.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(n: i64, m: i64):
...     a: f64[:] = alloc(n, dtype=f64, fill='empty', in_front=True)
...     with for_(m):
...         def _(i: i64):
...             store(a, 0, 1.0)
... '''
>>> print(to_text(clamp_extents(parse(before, infer))))
def f(n: i64, m: i64):
    _1: i64 = max(n, 0)
    a: f64[:] = alloc(_1, dtype=f64, fill='empty')
    with for_(m):
        def _(i: i64):
            store(a, 0, 1.0)
<BLANKLINE>
"""

from __future__ import annotations

from dataclasses import replace

from srcgrad.analysis.never_negative import never_negative
from srcgrad.ir.core import Function, Op, Operand, Value, definitions, index, walk
from srcgrad.ir.rewrite import Replacement, rewrite
from srcgrad.ir.types import INDEX


def clamp_extents(function: Function) -> Function:
    if not any("in_front" in op.attributes for op in walk(function.body)):
        return function
    made_by = definitions(function.body)

    def visit(op: Op) -> Replacement | None:
        if "in_front" not in op.attributes:
            return None
        clamps: list[Op] = []
        extents: list[Operand] = []
        for n in op.operands:
            if not never_negative(n, made_by.get):
                clamps.append(Op("max", (n, index(0)), (Value(INDEX),), location=op.location))
                n = clamps[-1].result
            extents.append(n)
        attributes = {name: value for name, value in op.attributes.items() if name != "in_front"}
        return [*clamps, replace(op, operands=tuple(extents), attributes=attributes)], {}

    return rewrite(function, visit)
