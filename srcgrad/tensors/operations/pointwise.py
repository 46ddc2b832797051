"""Elementwise operations: one row each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.tensors import dtypes
from srcgrad.tensors.forms import form
from srcgrad.tensors.formulas import elementwise as formulas
from srcgrad.tensors.graph import record
from srcgrad.tensors.operations.operands import apply, as_tensor, broadcast, cast, common, floating
from srcgrad.tensors.operations.registry import FUNCTIONS, operation
from srcgrad.tensors.tensor import Tensor, wrap

# Of floats; integers become floats first.
FLOATING = {
    "exp": "np.exp({0})",
    "exp2": "np.exp2({0})",
    "expm1": "np.expm1({0})",
    "log": "np.log({0})",
    "log2": "np.log2({0})",
    "log10": "np.log10({0})",
    "log1p": "np.log1p({0})",
    "sqrt": "np.sqrt({0})",
    "sin": "np.sin({0})",
    "cos": "np.cos({0})",
    "tan": "np.tan({0})",
    "asin arcsin": "np.arcsin({0})",
    "acos arccos": "np.arccos({0})",
    "atan arctan": "np.arctan({0})",
    "sinh": "np.sinh({0})",
    "cosh": "np.cosh({0})",
    "tanh": "np.tanh({0})",
    "asinh arcsinh": "np.arcsinh({0})",
    "acosh arccosh": "np.arccosh({0})",
    "atanh arctanh": "np.arctanh({0})",
    "reciprocal": "np.reciprocal({0})",
    "sigmoid expit": "special.expit({0})",
    "logit": "special.logit({0})",
    "erf": "special.erf({0})",
    "erfc": "special.erfc({0})",
    "lgamma": "special.gammaln({0})",
    "deg2rad": "np.deg2rad({0})",
    "rad2deg": "np.rad2deg({0})",
}
FORMULAS = {"rsqrt": formulas.rsqrt, "sinc": formulas.sinc}
# Of any type, which they keep.
KEEPING = {
    "neg negative": "np.negative({0})",
    "abs absolute": "np.abs({0})",
    "square": "np.square({0})",
    "floor": "np.floor({0})",
    "ceil": "np.ceil({0})",
    "trunc fix": "np.trunc({0})",
    "sign sgn": "np.sign({0})",
}
COMPARISONS = {"eq": "==", "ne not_equal": "!=", "lt less": "<", "le less_equal": "<=", "gt greater": ">", "ge": ">="}
TESTS = {"isnan": "np.isnan({0})", "isinf": "np.isinf({0})", "isfinite": "np.isfinite({0})"}
BINARY = {
    "sub subtract": ("Sub", "{0} - {1}", False),
    "mul multiply": ("Mul", "{0} * {1}", True),
    "maximum": ("Maximum", "np.maximum({0}, {1})", True),
    "minimum": ("Minimum", "np.minimum({0}, {1})", True),
    "remainder": ("Remainder", "np.remainder({0}, {1})", True),
    "fmod": ("Fmod", "np.fmod({0}, {1})", True),
    "floor_divide": ("FloorDivide", "np.floor_divide({0}, {1})", True),
}
BINARY_FLOATING = {
    "div divide true_divide": ("Div", "{0} / {1}"),
    "atan2 arctan2": ("Atan2", "np.arctan2({0}, {1})"),
    "hypot": ("Hypot", "np.hypot({0}, {1})"),
    "logaddexp": ("Logaddexp", "np.logaddexp({0}, {1})"),
    "xlogy": ("Xlogy", "special.xlogy({0}, {1})"),
}


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _add_unary(names: str, text: str, convert: Callable[[object], Any], functions: tuple[Any, ...] = ()) -> None:
    name, *aliases = names.split()
    of = form(_camel(name), text, functions=functions, keeps=name not in ("neg",))

    def apply_it(input: object) -> Tensor:
        return wrap(record(of, convert(input)))

    apply_it.__name__ = name
    operation(name, *aliases, in_place=True)(apply_it)


def _node(value: object) -> Any:
    return as_tensor(value).node


for _names, _text in FLOATING.items():
    _add_unary(_names, _text, floating)
for _names, _formula in FORMULAS.items():
    _add_unary(_names, "{f0}({0})", floating, (_formula,))
for _names, _text in KEEPING.items():
    _add_unary(_names, _text, _node)


def _add_comparison(names: str, sign: str) -> None:
    name, *aliases = names.split()
    of = form(_camel(name), f"{{0}} {sign} {{1}}", discrete=True)

    def compare(input: object, other: object) -> Tensor:
        nodes, _ = common(input, other)
        return broadcast(of, nodes)

    compare.__name__ = name
    operation(name, *aliases)(compare)


for _names, _text in COMPARISONS.items():
    _add_comparison(_names, _text)


def _add_test(name: str, text: str) -> None:
    of = form(_camel(name), text, discrete=True)

    def test(input: object) -> Tensor:
        return wrap(record(of, _node(input)))

    test.__name__ = name
    operation(name)(test)


for _names, _text in TESTS.items():
    _add_test(_names, _text)


def _add_binary(names: str, grad_name: str, text: str, keeps: bool, divides: bool) -> None:
    name, *aliases = names.split()
    of = form(grad_name, text, keeps=keeps)

    def combine(input: object, other: object) -> Tensor:
        nodes, dtype = common(input, other)
        if divides and dtype.kind != "f":
            nodes = [cast(node, dtypes.default_dtype()) for node in nodes]
        return broadcast(of, nodes)

    combine.__name__ = name
    operation(name, *aliases, in_place=True)(combine)


for _names, (_grad_name, _text, _keeps) in BINARY.items():
    _add_binary(_names, _grad_name, _text, _keeps, divides=False)
for _names, (_grad_name, _text) in BINARY_FLOATING.items():
    _add_binary(_names, _grad_name, _text, keeps=True, divides=True)

sub, mul, div = FUNCTIONS["sub"], FUNCTIONS["mul"], FUNCTIONS["div"]
maximum, minimum = FUNCTIONS["maximum"], FUNCTIONS["minimum"]
exp, log, sqrt, sigmoid, tanh = (FUNCTIONS[name] for name in ("exp", "log", "sqrt", "sigmoid", "tanh"))
absolute, negative = FUNCTIONS["abs"], FUNCTIONS["neg"]
ADD = form("Add", "{0} + {1}", keeps=False)


@operation("add", in_place=True)
def add(input: object, other: object, *, alpha: float = 1) -> Tensor:
    """``input + alpha * other``."""
    if alpha != 1:
        other = mul(other, alpha)
    nodes, _ = common(input, other)
    return broadcast(ADD, nodes)


def _subtract(input: object, other: object, *, alpha: float = 1) -> Tensor:
    result: Tensor = FUNCTIONS["subtract"](input, mul(other, alpha) if alpha != 1 else other)
    return result


operation("sub", in_place=True)(_subtract)


def _divide(input: object, other: object, *, rounding_mode: str | None = None) -> Tensor:
    """``input / other``, rounded down ("floor") or towards zero ("trunc")."""
    if rounding_mode == "floor":
        return FUNCTIONS["floor_divide"](input, other)  # type: ignore[no-any-return]  # a tensor
    quotient: Tensor = FUNCTIONS["true_divide"](input, other)
    if rounding_mode == "trunc":
        return FUNCTIONS["trunc"](quotient)  # type: ignore[no-any-return]  # a tensor
    return quotient


operation("div", "divide", in_place=True)(_divide)


@operation("pow", in_place=True)
def power(input: object, exponent: object) -> Tensor:
    """``input ** exponent``; a small constant exponent becomes part of the structure, so that ``x**2`` stays cheap."""
    if isinstance(exponent, bool | int | float) and isinstance(input, Tensor):
        dtype = dtypes.promoted((input.node.dtype,), (), (exponent,))
        if abs(exponent) <= 8 and 2 * exponent == int(2 * exponent):
            if dtype.kind != "f" and exponent < 0:
                raise RuntimeError("Integers to negative integer powers are not allowed.")
            return apply("Pow", _power_text(exponent), cast(input.node, dtype))
    nodes, _ = common(input, exponent)
    return broadcast(form("Pow", "{0} ** {1}"), nodes)


def _power_text(exponent: float) -> str:
    if exponent == int(exponent):
        return f"{{0}} ** {int(exponent)}" if exponent >= 0 else f"{{0}} ** {float(exponent)}"
    return "np.sqrt({0})" if exponent == 0.5 else f"{{0}} ** {exponent}"


@operation("relu", in_place=True)
def relu(input: object) -> Tensor:
    """The positive part; its derivative at 0 is 0."""
    return apply("Relu", "{f0}({0})", _node(input), functions=(formulas.relu,))


@operation("clamp", "clip", in_place=True)
def clamp(input: object, min: object = None, max: object = None) -> Tensor:
    """``input`` within bounds, which pass the derivative on."""
    bounds = [bound for bound in (min, max) if bound is not None]
    if not bounds:
        raise RuntimeError("clamp: At least one of 'min' or 'max' must not be None")
    nodes, _ = common(input, *bounds)
    if len(bounds) == 2:
        return broadcast(form("Clamp", "{f0}({0}, {1}, {2})", functions=(formulas.clamped,)), nodes)
    formula = formulas.clamped_below if max is None else formulas.clamped_above
    return broadcast(form("Clamp", "{f0}({0}, {1})", functions=(formula,)), nodes)


@operation("clamp_min", in_place=True)
def clamp_min(input: object, min: object) -> Tensor:
    return clamp(input, min=min)


@operation("clamp_max", in_place=True)
def clamp_max(input: object, max: object) -> Tensor:
    return clamp(input, max=max)


@operation("round", in_place=True)
def round_(input: object, *, decimals: int = 0) -> Tensor:
    """Rounded to even."""
    if decimals:
        return div(round_(mul(input, 10.0**decimals)), 10.0**decimals)  # type: ignore[no-any-return]  # a tensor
    return apply("Round", "np.rint({0})", _node(input))


@operation("frac")
def frac(input: object) -> Tensor:
    return sub(input, FUNCTIONS["trunc"](input))  # type: ignore[no-any-return]  # a tensor


@operation("where")
def where(condition: object, input: object = None, other: object = None) -> Any:
    """Elements of ``input`` where the condition holds, else of ``other``; alone, the indices where it holds."""
    if input is None and other is None:
        return tuple(wrap(n) for n in map(_given, np.nonzero(as_tensor(condition).array())))
    nodes, _ = common(input, other)
    test = cast(as_tensor(condition).node, np.dtype(bool))
    return broadcast(form("Where", "np.where({0}, {1}, {2})"), (test, *nodes))


def _given(array: np.ndarray) -> Any:
    from srcgrad.tensors.graph import given

    return given(array)


@operation("masked_fill", in_place=True)
def masked_fill(input: Tensor, mask: object, value: object) -> Tensor:
    """``value`` where the mask is true."""
    node = input.node
    filled = as_tensor(value).node
    return broadcast(
        form("MaskedFill", "np.where({0}, {1}, {2})"),
        (cast(as_tensor(mask).node, np.dtype(bool)), cast(filled, node.dtype), node),
    )


@operation("nan_to_num", in_place=True)
def nan_to_num(input: object, nan: float = 0.0) -> Tensor:
    """``nan`` in the place of NaN, and the largest finite numbers in that of infinities."""
    return apply("NanToNum", f"np.nan_to_num({{0}}, nan={float(nan)!r})", _node(input))


@operation("lerp", in_place=True)
def lerp(input: object, end: object, weight: object) -> Tensor:
    return add(input, mul(weight, sub(end, input)))


@operation("addcmul", in_place=True)
def addcmul(input: object, tensor1: object, tensor2: object, *, value: float = 1) -> Tensor:
    return add(input, mul(tensor1, tensor2), alpha=value)


@operation("addcdiv", in_place=True)
def addcdiv(input: object, tensor1: object, tensor2: object, *, value: float = 1) -> Tensor:
    return add(input, div(tensor1, tensor2), alpha=value)


@operation("logical_not")
def logical_not(input: object) -> Tensor:
    return apply("LogicalNot", "np.logical_not({0})", _node(input), discrete=True)


def _add_logical(name: str, text: str, in_bits: bool) -> None:
    def combine(input: object, other: object) -> Tensor:
        nodes, dtype = common(input, other)
        if not in_bits:
            nodes = [cast(node, np.dtype(bool)) for node in nodes]
        elif dtype.kind == "f":
            raise RuntimeError(f'"{name}" not implemented for {dtype.name}')
        return broadcast(form(_camel(name), text, discrete=True), nodes)

    combine.__name__ = name
    operation(name)(combine)


for _name in ("logical_and", "logical_or"):
    _add_logical(_name, f"np.{_name}({{0}}, {{1}})", in_bits=False)
_add_logical("logical_xor", "{0} != {1}", in_bits=False)
for _name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
    _add_logical(_name, f"np.{_name}({{0}}, {{1}})", in_bits=True)


@operation("bitwise_not")
def bitwise_not(input: object) -> Tensor:
    return apply("BitwiseNot", "np.invert({0})", _node(input), discrete=True)


@operation("isclose")
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    return wrap(_given(np.isclose(input.array(), other.array(), rtol, atol, equal_nan)))


@operation("allclose")
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    return bool(np.allclose(input.array(), other.array(), rtol, atol, equal_nan))


@operation("equal")
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether shapes and all elements are equal."""
    return bool(np.array_equal(input.array(), other.array()))
