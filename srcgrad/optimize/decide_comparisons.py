"""Settle comparisons, minima and maxima of integers whose outcome is known from their ranges, and checks that pass.

``max(0, n)`` is n where n is an extent, and ``i > 0`` holds in ``range(1, n)``. What is left for ``fold_constants``
are branches on constants.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:]):
...     n: i64 = dim(x, axis=0)
...     trips: i64 = max(0, n)
...     with for_(trips, 0.0) as (total,):
...         def _(i: i64, s: f64):
...             j: i64 = add(i, 1)
...             c: bool = gt(j, 0)
...             v: f64 = load(x, i)
...             w: f64 = select(c, v, s)
...             yield w
...     return total
... '''
>>> print(to_text(decide_comparisons(parse(before, infer))))
def f(x: f64[:]):
    n: i64 = dim(x, axis=0)
    with for_(n, 0.0) as (total,):
        def _(i: i64, s: f64):
            j: i64 = add(i, 1)
            v: f64 = load(x, i)
            w: f64 = select(True, v, s)
            yield w
    return total
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Container

from srcgrad.analysis.extents import pinned
from srcgrad.analysis.index_ranges import IndexRanges
from srcgrad.ir.core import Function, Op, Operand, Value, index, truth, walk
from srcgrad.ir.rewrite import Replacement, rewrite
from srcgrad.ir.types import INDEX

COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")


def decide_comparisons(function: Function) -> Function:
    decided: dict[Op, Operand] = {}
    passed: set[Op] = set()
    keep = pinned(function)
    ranges = IndexRanges(function)

    def reached(op: Op) -> None:
        if op.primitive == "check" and ranges.always_passes(op):
            passed.add(op)
        if op.primitive not in (*COMPARISONS, "max", "min") or op.operands[0].type != INDEX:
            return
        outcome = _outcome(op, ranges)
        if outcome is not None and not (outcome == index(1) and op.result in keep):
            decided[op] = outcome

    if any(op.primitive in (*COMPARISONS, "max", "min") for op in walk(function.body)):
        ranges.walk(reached)
    return _replaced(function, decided, passed) if decided or passed else function


def _replaced(function: Function, decided: dict[Op, Operand], passed: Container[Op]) -> Function:
    by_result = {op.result: operand for op, operand in decided.items()}

    def visit(op: Op) -> Replacement | None:
        if op in passed:
            return [], {}
        if len(op.results) != 1 or op.results[0] not in by_result:
            return None
        return [], {op.result: _final(op.result, by_result)}

    return rewrite(function, visit)


def _final(value: Value, by_result: dict[Value, Operand]) -> Operand:
    """A minimum may be settled as another that was settled itself."""
    operand: Operand = value
    while isinstance(operand, Value) and operand in by_result:
        operand = by_result[operand]
    return operand


def _outcome(op: Op, ranges: IndexRanges) -> Operand | None:
    a, b = op.operands
    if op.primitive in ("max", "min"):
        gap = ranges.affine(b) - ranges.affine(a)
        if ranges.proves(gap):
            return b if op.primitive == "max" else a
        if ranges.proves(gap * -1):
            return a if op.primitive == "max" else b
        return None
    return next((truth(wanted) for wanted in (True, False) if ranges.holds(op.result, wanted)), None)
