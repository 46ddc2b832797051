"""Functions made by ``numba.vectorize``: their Python source, element by element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba.np.ufunc.dufunc import DUFunc

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.arrays.delayed import expression, materialized
from srcgrad.frontend.arrays.ufuncs import into
from srcgrad.frontend.calls.functions import call_python
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.operators import number
from srcgrad.frontend.numbers.conversions import converted_to
from srcgrad.frontend.numbers.promotion import Number, as_scalar
from srcgrad.frontend.registry import Arguments, Keywords, call_object
from srcgrad.frontend.values import FrontValue, ScalarValue, is_array, is_number
from srcgrad.ir.build import Builder
from srcgrad.ir.types import DType, dtype_of


@call_object(DUFunc)
def _elementwise(lowering: Lowering, ufunc: object, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """``numba.vectorize``: a function of numbers, applied to every element of arrays that broadcast."""
    assert isinstance(ufunc, DUFunc)
    if set(keywords) - {"out"} or len(arguments) not in (ufunc.nin, ufunc.nin + 1):
        message = f"{ufunc.__name__}() takes {ufunc.nin} arguments here, and out="
        lowering.refuse(None, message, error=ArgumentTypeError)
    given = [a if is_array(a) else number(lowering, a) for a in arguments[: ufunc.nin]]
    row = _row(lowering, ufunc, given)

    def element(builder: Builder, *xs: Number) -> Number:
        values = xs if row is None else [_as(lowering, x, t) for x, t in zip(xs, row[:-1], strict=True)]
        with lowering.changing_nothing():
            result = number(lowering, call_python(lowering, ufunc._dispatcher.py_func, values, {}))
        return ScalarValue(as_scalar(result if row is None else _as(lowering, result, row[-1])).operand)

    result = expression(lowering.builder, given, element)
    out = keywords.get("out", arguments[ufunc.nin] if len(arguments) > ufunc.nin else None)
    if out is not None:
        return into(lowering, out, result)
    return materialized(lowering.builder, result) if is_array(result) else result


def _as(lowering: Lowering, value: Number, dtype: DType) -> Number:
    return number(lowering, converted_to(lowering, value, dtype, weak=False))


def _row(lowering: Lowering, ufunc: DUFunc, arguments: Sequence[FrontValue]) -> list[DType] | None:
    """The dtypes of the first signature that takes such arguments; None where each combination is compiled anew."""
    if not ufunc._frozen:
        return None
    samples = [_numpy_sample(a) for a in arguments]
    for row in ufunc.types:
        codes = row.replace("->", "")
        if all(np.can_cast(np.result_type(s, np.dtype(c)), np.dtype(c)) for s, c in zip(samples, codes, strict=False)):
            dtypes = [dtype_of(np.dtype(c)) for c in codes]
            return [d for d in dtypes if d is not None]
    lowering.refuse(None, f"{ufunc.__name__}() has no signature for such arguments", error=ArgumentTypeError)


def _numpy_sample(value: FrontValue) -> Any:
    """A number that NumPy promotes as it would this argument."""
    if is_number(value):
        scalar = as_scalar(value)  # type: ignore[arg-type]  # a number
        one = scalar.dtype.numpy.type(1)
        return one.item() if scalar.weak else one
    return value.dtype.numpy  # type: ignore[union-attr]  # an array
