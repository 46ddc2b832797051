"""Copy the array arguments that a function writes to, so that the caller's stay untouched.

Before and after, for a function that doubles its argument in place::

    def double(x: f64[:]):                def double(x: f64[:]):
        v: f64 = load(x, 0)                   x_1: f64[:] = alloc(n, dtype=f64, fill='empty')
        w: f64 = mul(v, 2.0)                  ...                              # a loop over the elements
        store(x, 0, w)                        v: f64 = load(x_1, 0)
        return w                              w: f64 = mul(v, 2.0)
                                              store(x_1, 0, w)
                                              return w
"""

from __future__ import annotations

from dataclasses import replace

from srcgrad.analysis.written import written_parameters
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Function, Operand, Value
from srcgrad.ir.rewrite import substitute
from srcgrad.ir.types import Array
from srcgrad.primitives.table import new_builder


def copy_arguments(function: Function) -> Function:
    """The same function on copies of the arguments it writes to."""
    written = [function.parameters[k] for k in sorted(written_parameters(function))]
    if not written:
        return function
    builder = new_builder()
    builder.open(function.parameters)
    copies = {parameter: copy_array(builder, parameter) for parameter in written}
    copying = builder.close().ops
    body = substitute(Block((), function.body.ops, function.body.yields), copies)
    return replace(function, body=Block(function.parameters, (*copying, *body.ops), body.yields))


def copy_array(builder: Builder, array: Value) -> Value:
    """Fresh memory with the same elements, of the very type of ``array``."""
    type_ = array.type
    assert isinstance(type_, Array)
    extents: list[Operand] = [builder("dim", array, axis=k) for k in range(type_.rank)]
    reverse = tuple(reversed(range(type_.rank)))
    if type_.layout == "F":
        memory = builder("alloc", *reversed(extents), name=array.name, dtype=type_.dtype, fill="empty")
        copy = builder("transpose", memory, name=array.name, permutation=reverse)
    else:
        copy = builder("alloc", *extents, name=array.name, dtype=type_.dtype, fill="empty")
    builder.nest(extents, lambda at: builder.emit("store", copy, *at, builder("load", array, *at)))
    return copy if type_.layout != "A" else builder("relax", copy, name=array.name)
