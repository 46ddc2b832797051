"""Functions that make numbers of numbers: `int`, `float`, `round`, and those of `math` that differ from NumPy's."""

from __future__ import annotations

import math
from collections.abc import Callable

import numba
import numpy as np

from srcgrad.frontend.calls.builtin_functions import only
from srcgrad.frontend.calls.compile_time import compile_time
from srcgrad.frontend.calls.dispatch import call_object as call_numpy
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.operators import binary, number
from srcgrad.frontend.numbers import scalars
from srcgrad.frontend.numbers.conversions import converted_to, dtype_argument, to_python
from srcgrad.frontend.numbers.parts import put_together
from srcgrad.frontend.numbers.promotion import as_scalar, cast
from srcgrad.frontend.registry import Arguments, Handler, Keywords, call_object, function
from srcgrad.frontend.values import FrontValue, ScalarValue, Static
from srcgrad.ir.types import I64


def _conversion(cls: type) -> Handler:
    def convert(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
        if not arguments:
            return Static(cls())
        return to_python(lowering, only(lowering, arguments, keywords, cls.__name__), cls)

    return convert


for _cls in (int, float, bool):
    function(_cls)(_conversion(_cls))


@function(complex, least=1, most=2)
def _complex(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    if len(arguments) < 2:
        return to_python(lowering, arguments[0], complex)
    x, y = (number(lowering, a) for a in arguments)
    if isinstance(x, Static) and isinstance(y, Static):
        return Static(complex(x.value, y.value))  # type: ignore[call-overload]  # numbers
    return put_together(lowering.builder, x, y)


def _to_integer(primitive: str, python: Callable[..., object]) -> Handler:
    """``math.floor`` and its kin give integers."""

    def convert(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
        value = number(lowering, only(lowering, arguments, keywords, python.__name__))
        if isinstance(value, Static):
            return Static(python(value.value))
        if value.dtype.kind in "biu":
            return ScalarValue(cast(lowering.builder, value.operand, I64), weak=True)
        rounded = as_scalar(scalars.apply(lowering.builder, primitive, [value]))
        return ScalarValue(cast(lowering.builder, rounded.operand, I64), weak=True)

    return convert


for _python, _primitive in ((math.floor, "floor"), (math.ceil, "ceil"), (math.trunc, "trunc")):
    function(_python)(_to_integer(_primitive, _python))


@function(round, least=1, most=2)
def _round(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    if len(arguments) > 1 and not (isinstance(arguments[1], Static) and arguments[1].value is None):
        if all(isinstance(a, Static) for a in arguments):
            return Static(round(*(a.value for a in arguments if isinstance(a, Static))))  # type: ignore[call-overload]  # numbers
        # Python rounds the decimal number; scaled by a power of ten, as here, NumPy and Numba do it.
        value = as_scalar(number(lowering, arguments[0]))
        rounded = as_scalar(number(lowering, call_numpy(lowering, np.round, [value, arguments[1]], {})))
        return ScalarValue(rounded.operand, value.weak)
    return _to_integer("rint", round)(lowering, arguments[:1], {})


@function(math.pow, least=2, most=2)
def _math_pow(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    base, exponent = (to_python(lowering, number(lowering, a), float) for a in arguments)
    return binary(lowering, "pow", base, exponent)


@function(math.log, least=1, most=2)
def _math_log(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    values = [number(lowering, to_python(lowering, number(lowering, a), float)) for a in arguments]
    logs = [scalars.apply(lowering.builder, "log", [v], weak=True) for v in values]
    return logs[0] if len(logs) == 1 else binary(lowering, "div", logs[0], logs[1])


@call_object(numba.types.Number, numba.types.Boolean)
def _numba_type(lowering: Lowering, target: object, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """``numba.float64(x)``."""
    value = only(lowering, arguments, keywords, str(target))
    return converted_to(lowering, value, dtype_argument(lowering, Static(target)), weak=False)


@function(np.finfo, np.iinfo)
def _limits(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    dtype = dtype_argument(lowering, only(lowering, arguments, keywords, "np.finfo"))
    return Static(np.iinfo(dtype.numpy) if dtype.kind in "iu" else np.finfo(dtype.numpy))


for about_dtypes in (np.promote_types, np.can_cast, np.issubdtype):
    compile_time(about_dtypes)
