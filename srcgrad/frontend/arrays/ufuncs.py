"""What NumPy's functions write to: ``np.add.at(a, idx, v)``, and ``np.exp(x, out=y)``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.arrays import gather
from srcgrad.frontend.arrays.construct import as_array
from srcgrad.frontend.arrays.delayed import materialized
from srcgrad.frontend.arrays.indexing import augment
from srcgrad.frontend.arrays.keys import expanded
from srcgrad.frontend.arrays.selection import selected
from srcgrad.frontend.arrays.stores import as_number, check_same_kind, store_into
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers import scalars
from srcgrad.frontend.numbers.conversions import converted_to, dtype_argument
from srcgrad.frontend.numbers.promotion import Number, as_scalar
from srcgrad.frontend.registry import ARRAY_METHODS, Arguments, Handler, Keywords, function
from srcgrad.frontend.values import ArrayValue, Delayed, FrontValue, Static, TupleValue, is_array, is_number
from srcgrad.ir.build import Builder
from srcgrad.ir.types import DType
from srcgrad.primitives.scalar import FUNCTIONS


def into(lowering: Lowering, out: FrontValue, result: FrontValue) -> FrontValue:
    """``out[...] = result`` by the rules for ``out=``; the array that was written to."""
    if isinstance(out, Static) and out.value is None:
        return result
    out = target(lowering, out)
    if not isinstance(out, ArrayValue):
        lowering.refuse(None, "out= is not an array", "Give it an array of the result's shape.", ArgumentTypeError)
    builder = lowering.builder
    kind = result if isinstance(result, ArrayValue | Delayed) else as_scalar(as_number(builder, result))
    check_same_kind(builder, kind.dtype, out.dtype)
    store_into(builder, out, result)
    return out


def target(lowering: Lowering, out: FrontValue) -> FrontValue:
    """The array that ``out=`` names: alone or in a tuple; an expression gets memory."""
    if isinstance(out, TupleValue) and len(out.items) == 1:
        (out,) = out.items
    return materialized(lowering.builder, out) if isinstance(out, Delayed) else out


def with_dtype(lowering: Lowering, arguments: Sequence[FrontValue], dtype: FrontValue) -> Sequence[FrontValue]:
    """The operands in the dtype that a ufunc is to compute in."""
    if isinstance(dtype, Static) and dtype.value is None:
        return arguments
    wanted = dtype_argument(lowering, dtype)
    return tuple(
        astype(lowering, a, wanted) if is_array(a) else converted_to(lowering, a, wanted, weak=False) for a in arguments
    )


def astype(lowering: Lowering, a: FrontValue, wanted: DType) -> FrontValue:
    return ARRAY_METHODS["astype"](lowering, (a, Static(wanted.numpy)), {})


def only_where(lowering: Lowering, where: FrontValue, out: FrontValue | None, result: FrontValue) -> FrontValue:
    """The result, and what ``out`` holds where ``where`` is not True."""
    if isinstance(where, Static) and where.value is True:
        return result
    if not isinstance(out, ArrayValue):
        hint = "Give out=, whose elements stay where the condition is False, or use np.where()."
        lowering.refuse(None, "where= without out= leaves elements undefined", hint)
    builder = lowering.builder
    return selected(builder, where if is_number(where) else as_array(builder, where), result, out)


def _at(primitive: str) -> Handler:
    """``ufunc.at(array, key, value)``: like ``array[key] op= value``, but each of repeated indices counts."""

    def combine(builder: Builder, a: Number, b: Number) -> Number:
        return scalars.apply(builder, primitive, (a, b))

    def at(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
        array, key, value = arguments
        if not isinstance(array, ArrayValue) or keywords:
            lowering.refuse(None, "ufunc.at() updates an array in memory", error=ArgumentTypeError)
        builder = lowering.builder
        keys = key.items if isinstance(key, TupleValue) and key.cls is tuple else (key,)
        parts = expanded(builder, array.rank, keys)
        if any(map(is_array, parts)):
            gather.accumulate(builder, gather.selection(builder, array, parts), value, primitive, combine)
        else:
            augment(builder, primitive, array, keys, value, combine)
        return Static(None)

    return at


for _ufunc in (np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum):
    function(_ufunc.at, least=3, most=3)(_at(FUNCTIONS[_ufunc]))
