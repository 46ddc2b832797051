"""The functions of ``cmath``: those of NumPy on complex numbers, with Python's complex numbers as results."""

from __future__ import annotations

import cmath
from collections.abc import Callable

from srcgrad.frontend.calls.builtin_functions import only
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.operators import binary, number
from srcgrad.frontend.numbers import parts, scalars
from srcgrad.frontend.numbers.conversions import to_python
from srcgrad.frontend.numbers.promotion import Number, as_scalar, cast
from srcgrad.frontend.registry import Arguments, Handler, Keywords, function
from srcgrad.frontend.values import FrontValue, ScalarValue, TupleValue
from srcgrad.ir.types import F64

PRIMITIVES: dict[Callable[..., object], str] = {
    cmath.exp: "exp",
    cmath.log10: "log10",
    cmath.sqrt: "sqrt",
    cmath.sin: "sin",
    cmath.cos: "cos",
    cmath.tan: "tan",
    cmath.asin: "arcsin",
    cmath.acos: "arccos",
    cmath.atan: "arctan",
    cmath.sinh: "sinh",
    cmath.cosh: "cosh",
    cmath.tanh: "tanh",
    cmath.asinh: "arcsinh",
    cmath.acosh: "arccosh",
    cmath.atanh: "arctanh",
    cmath.isnan: "isnan",
    cmath.isinf: "isinf",
    cmath.isfinite: "isfinite",
}


def _as_complex(lowering: Lowering, value: FrontValue) -> Number:
    return number(lowering, to_python(lowering, number(lowering, value), complex))


def _elementary(python: Callable[..., object], primitive: str) -> Handler:
    def apply(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
        z = _as_complex(lowering, only(lowering, arguments, keywords, f"cmath.{python.__name__}"))
        return scalars.apply(lowering.builder, primitive, [z], weak=True)

    return apply


for _python, _primitive in PRIMITIVES.items():
    function(_python)(_elementary(_python, _primitive))


@function(cmath.log, least=1, most=2)
def _log(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    logs = [scalars.apply(lowering.builder, "log", [_as_complex(lowering, a)], weak=True) for a in arguments]
    return logs[0] if len(logs) == 1 else binary(lowering, "div", *logs)


def _phase_of(lowering: Lowering, z: Number) -> Number:
    return ScalarValue(as_scalar(parts.angle(lowering.builder, z)).operand, weak=True)


@function(cmath.phase)
def _phase(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    return _phase_of(lowering, _as_complex(lowering, only(lowering, arguments, keywords, "cmath.phase")))


@function(cmath.polar)
def _polar(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    z = _as_complex(lowering, only(lowering, arguments, keywords, "cmath.polar"))
    return TupleValue((scalars.unary(lowering.builder, "abs", z), _phase_of(lowering, z)), tuple)


@function(cmath.rect, least=2, most=2)
def _rect(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    builder = lowering.builder
    r, phi = (cast(builder, as_scalar(number(lowering, a)).operand, F64) for a in arguments)
    x, y = (builder("mul", r, builder(name, phi)) for name in ("cos", "sin"))
    return ScalarValue(builder("complex", x, y), weak=True)
