"""Touch an element of a view where it lies in the array behind the view.

A loop over ``x[1:] - x[:-1]`` then reads ``x`` at ``i + 1`` and ``i``: equal elements are seen to be equal, the
views need not be made, and Numba meets plain indices.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.optimize.remove_dead import remove_dead
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:], n: i64, i: i64):
...     tail: f64[:] = slice(x, 1, n, 1, axes='s')
...     v: f64 = load(tail, i)
...     return v
... '''
>>> print(to_text(look_through_views(parse(before, infer))))
def f(x: f64[:], n: i64, i: i64):
    tail: f64[:] = slice(x, 1, n, 1, axes='s')
    _1: i64 = add(i, 1)
    v: f64 = load(x, _1)
    return v
<BLANKLINE>
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from srcgrad.analysis.views import behind
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Function, Op, Operand, Value, index, walk
from srcgrad.ir.rewrite import Replacement, rewrite
from srcgrad.ir.types import Array
from srcgrad.primitives.table import new_builder

VIEWS = ("slice", "transpose", "expand", "relax")


def look_through_views(function: Function) -> Function:
    views = {op.result: op for op in walk(function.body) if op.primitive in VIEWS}

    def visit(op: Op) -> Replacement | None:
        array = op.operands[0] if op.operands else None
        if op.primitive not in ("load", "store", "accumulate") or array not in views:
            return None
        assert isinstance(array, Value) and isinstance(array.type, Array)
        builder = new_builder()
        builder.location = op.location
        builder.open()
        indices, rest = list(op.operands[1 : 1 + array.type.rank]), op.operands[1 + array.type.rank :]
        while (view := views.get(array)) is not None:
            indices = behind(view, indices, lambda i: i, partial(_along, builder))
            source = view.operands[0]
            assert isinstance(source, Value)
            array = source
        return [*builder.ops, replace(op, operands=(array, *indices, *rest))], {}

    return rewrite(function, visit)


def _along(builder: Builder, start: Operand, step: Operand, i: Operand) -> Operand:
    """``start + i * step``."""
    return _added(builder, start, _scaled(builder, i, step))


def _scaled(builder: Builder, i: Operand, step: Operand) -> Operand:
    if isinstance(step, Const) and step.value == 1:
        return i
    return builder("neg", i) if step == index(-1) else builder("mul", i, step)


def _added(builder: Builder, start: Operand, offset: Operand) -> Operand:
    return offset if start == index(0) else builder("add", offset, start)
