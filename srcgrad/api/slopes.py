"""The derivative of a function of one number that is made while the program runs, in forward mode.

Its code is lowered as a function of that number and of what it reads around it, which stays fixed. The program of value
and tangent is copied in at the place of the call, where it is differentiated like any other code: by what stayed fixed.
"""

from __future__ import annotations

from srcgrad import compiler
from srcgrad.api.nested import copied_in
from srcgrad.frontend.calls.dispatch import call
from srcgrad.frontend.control.merge import describe, dynamic, flatten, settle, spelled
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.numbers.promotion import as_scalar
from srcgrad.frontend.registry import Arguments, Keywords, function
from srcgrad.frontend.values import FrontValue, ScalarValue, Static, TupleValue
from srcgrad.ir.core import Block, Const, Function, Operand, Value, defined, used
from srcgrad.ir.rewrite import copy_block, substitute
from srcgrad.ir.types import F64, Scalar
from srcgrad.library.directions import value_and_slope
from srcgrad.settings import Options

FIXED = Options(jit=False)  # what is copied in is for differentiation, not for Numba


@function(value_and_slope, least=3, most=3)
def _value_and_slope(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    f, x, rest = arguments
    assert isinstance(x, ScalarValue | Static) and isinstance(rest, TupleValue)
    point = as_scalar(x).operand
    before = lowering.variables()
    derived, free = _tangent_of(lowering, f, rest.items)
    if lowering.variables() != before:
        hint = "Let it return all that it computes."
        lowering.refuse(None, "a function whose root is looked for assigns to a variable around it", hint)
    results = copied_in(lowering, derived, (point, *free, Const(1.0, F64)))
    return TupleValue(tuple(ScalarValue(operand, weak=True) for operand in results))


def _tangent_of(lowering: Lowering, f: FrontValue, rest: Arguments) -> tuple[Function, list[Value]]:
    """The function ``(x, *free, dx) -> (y, dy)``, and what is free."""
    parameter = Value(Scalar(F64), "x")
    with lowering.block(parameters=[parameter]) as ops:
        result = settle(lowering, call(lowering, f, [ScalarValue(parameter, weak=True), *rest], {}))
        structure = describe(result)
        if not isinstance(result, ScalarValue | Static) or as_scalar(result).dtype != F64:
            hint = "Return one float."
            lowering.refuse(None, f"a function whose root is looked for returns {spelled(structure)}", hint)
        (operand,) = flatten(lowering, result, dynamic(structure))
    block = Block((parameter,), tuple(ops), (operand,))
    inside = set(defined(block))
    free = list(dict.fromkeys(v for v in used(block) if v not in inside))
    inner = {v: Value(v.type, v.name) for v in free}
    body = substitute(block, dict[Value, Operand](inner))
    body = copy_block(Block((parameter, *inner.values()), body.ops, body.yields), {})
    whole = Function("residual", body, dict(lowering.callees), lowering.builder.location)
    return compiler.tangents(whole, (0,), FIXED), free
