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

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from srcgrad.analysis.written import written_parameters
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Function, Operand, Value, index
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
    axes = range(type_.rank)
    extents: list[Operand] = [index(1) if k in type_.ones else builder("dim", array, axis=k) for k in axes]
    copy = _memory(builder, type_, extents, array.name)
    builder.nest(extents, lambda at: builder.emit("store", copy, *at, builder("load", array, *at)))
    return copy


def _memory(builder: Builder, type_: Array, extents: Sequence[Operand], name: str) -> Value:
    """Memory of this type; where strides are unknown but extents of 1 are not, it is one column of an array."""
    new = partial(builder, "alloc", name=name, dtype=type_.dtype, fill="empty")
    match type_.layout:
        case "F":
            backwards = tuple(reversed(range(type_.rank)))
            return builder("transpose", new(*reversed(extents)), name=name, permutation=backwards)
        case "A" if type_.ones:
            return builder("slice", new(*extents, index(1)), index(0), name=name, axes=":" * type_.rank + "i")
        case "A":
            return builder("relax", new(*extents), name=name)
    return new(*extents)
