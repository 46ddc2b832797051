"""Raise MemoryError in front of what a reverse sweep keeps, where that is more than it may be.

Who called then runs the form of the program whose loops have checkpoints. Only storage whose size depends on the
arguments is looked at, and only in the function's own block, where that of loops is made.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(n: i64):
...     kept: f64[:] = alloc(n, dtype=f64, fill='empty', stored=True)
...     return kept
... '''
>>> print(to_text(limit_storage(parse(before, infer), 1000)))  # doctest: +ELLIPSIS
def f(n: i64):
    _1: i64 = mul(8, n)
    _2: bool = le(_1, 1000)
    check(_2, _1, 1000, exception='MemoryError', message='the reverse sweep would keep {0} bytes...')
    kept: f64[:] = alloc(n, dtype=f64, fill='empty', stored=True)
    return kept
<BLANKLINE>
"""

from __future__ import annotations

from dataclasses import replace

from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Function, Op, Operand, index
from srcgrad.ir.messages import TOO_MUCH
from srcgrad.ir.types import Array
from srcgrad.primitives.table import new_builder


def limit_storage(function: Function, budget: int) -> Function:
    if not any(_grows(op) for op in function.body.ops):
        return function
    builder = new_builder()
    builder.open(function.parameters)
    checked: set[object] = set()
    for op in function.body.ops:
        if _grows(op) and (op.operands, op.attributes["dtype"]) not in checked:
            checked.add((op.operands, op.attributes["dtype"]))
            builder.location = op.location
            size = _bytes(builder, op)
            allowed = builder("le", size, index(budget))
            builder.emit("check", allowed, size, index(budget), exception="MemoryError", message=TOO_MUCH)
        builder.ops.append(op)
    return replace(function, body=builder.close(function.results))


def _grows(op: Op) -> bool:
    return "stored" in op.attributes and not all(isinstance(n, Const) for n in op.operands)


def _bytes(builder: Builder, op: Op) -> Operand:
    kind = op.result.type
    assert isinstance(kind, Array)
    size: Operand = index(kind.dtype.numpy.itemsize)
    for extent in op.operands:
        size = builder("mul", size, extent)
    return size
