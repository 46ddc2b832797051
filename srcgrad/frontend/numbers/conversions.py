"""Conversions between number types: ``int()``, ``float()``, ``np.float32()``, dtypes given as arguments."""

from __future__ import annotations

from collections.abc import Sequence

import numba
from numba.np.numpy_support import as_dtype

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.arrays.delayed import as_delayed
from srcgrad.frontend.control.merge import simplified
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.operators import kind_of, number, truth
from srcgrad.frontend.numbers.classes import NATURAL
from srcgrad.frontend.numbers.promotion import PARTS, as_scalar, cast
from srcgrad.frontend.registry import ARRAY_METHODS
from srcgrad.frontend.values import FrontValue, ScalarValue, Static, is_array, is_number
from srcgrad.ir.types import DType, dtype_of


def dtype_argument(lowering: Lowering, value: FrontValue) -> DType:
    """The dtype that an argument names: ``np.float32``, ``"f4"``, ``x.dtype``, ``float``."""
    if isinstance(value, Static):
        named = value.value
        try:
            found = dtype_of(as_dtype(named) if isinstance(named, numba.types.Type) else named)
        except (TypeError, NotImplementedError):
            found = None
        if found is not None and value.value is not None:
            return found
    hint = "Use np.float64, np.float32, np.complex128, np.int64, bool ... or the .dtype of an array."
    lowering.refuse(None, f"{kind_of(value)} is not a dtype", hint, ArgumentTypeError)


def to_dtype(lowering: Lowering, arguments: Sequence[FrontValue], cls: type) -> FrontValue:
    """``np.float32(x)`` and its kin; also of an array, as NumPy has it."""
    dtype = dtype_argument(lowering, Static(cls))
    value = arguments[0] if arguments else Static(0)
    if is_array(value):
        return ARRAY_METHODS["astype"](lowering, (value, Static(cls)), {})
    if len(arguments) > 1:
        lowering.refuse(None, f"{cls.__name__}() takes one argument", error=ArgumentTypeError)
    return converted_to(lowering, value, dtype, weak=False)


def converted_to(lowering: Lowering, value: FrontValue, dtype: DType, weak: bool) -> FrontValue:
    """A number of another type."""
    if is_array(value):
        lowering.refuse(
            None, "an array is converted to a number", "Use .astype(dtype), or index it.", ArgumentTypeError
        )
    scalar = as_scalar(number(lowering, value))
    if scalar.dtype.kind == "c" and dtype.kind != "c":
        lowering.refuse(None, "a complex number is converted to a real one", PARTS, ArgumentTypeError)
    return simplified(ScalarValue(cast(lowering.builder, scalar.operand, dtype), weak))


def to_python(lowering: Lowering, value: FrontValue, cls: type) -> FrontValue:
    """``float(x)``, ``int(x)``, ``bool(x)``, ``complex(x)``."""
    if isinstance(value, Static):
        try:
            return Static(cls(value.value))
        except (TypeError, ValueError, OverflowError) as fault:
            lowering.refuse(None, f"{cls.__name__}(): {fault}", error=ArgumentTypeError)
    if cls is bool and not is_number(value) and not is_array(value):
        return truth(lowering, value)
    if is_array(value) and value.rank == 0:  # type: ignore[union-attr]  # an array
        value = only_element(lowering, value)
    return converted_to(lowering, value, NATURAL[cls], weak=True)


def only_element(lowering: Lowering, value: FrontValue) -> FrontValue:
    """The element of an array of rank 0."""
    return ScalarValue(as_delayed(lowering.builder, value).element(lowering.builder, ()))
