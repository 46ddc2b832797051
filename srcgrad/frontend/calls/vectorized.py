"""Functions made by ``np.vectorize``: called once for every element of arrays that broadcast."""

from __future__ import annotations

import numpy as np

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.arrays.construct import as_array
from srcgrad.frontend.arrays.delayed import expression, materialized
from srcgrad.frontend.calls.dispatch import call
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.operators import number
from srcgrad.frontend.numbers.promotion import Number, as_scalar
from srcgrad.frontend.registry import Arguments, Keywords, call_object, function
from srcgrad.frontend.values import Bound, FrontValue, ScalarValue, Static, TupleValue, is_array, is_number
from srcgrad.ir.build import Builder

PLAIN = "Write np.vectorize(f), or a loop."


@function(np.vectorize, least=1)
def _vectorize(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """Made inside the function that is compiled."""
    if len(arguments) > 1 or keywords:
        lowering.refuse(None, "np.vectorize() with options", PLAIN)
    return Bound(Static(each_element), arguments, {})


@call_object(np.vectorize)
def _call_vectorized(lowering: Lowering, made: object, arguments: Arguments, keywords: Keywords) -> FrontValue:
    """Made outside of it."""
    assert isinstance(made, np.vectorize)
    if made.signature is not None or made.excluded or made.otypes is not None:
        lowering.refuse(None, "a function made by np.vectorize() with options", PLAIN)
    return _each(lowering, (Static(made.pyfunc), *arguments), keywords)


def each_element(f: object, *arguments: object) -> None:
    """What ``np.vectorize(f)`` stands for while a program is lowered."""


@function(each_element)
def _each(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    f, *given = arguments
    if keywords:
        lowering.refuse(None, "keywords for a function made by np.vectorize()", "Pass the arguments by position.")
    operands = [v if is_number(v) else as_array(lowering.builder, v) for v in given]

    def element(builder: Builder, *xs: Number) -> Number:
        result = call(lowering, f, xs, {})
        if isinstance(result, TupleValue):
            hint = "Vectorize a function for each of them."
            lowering.refuse(None, "np.vectorize() of a function with several results", hint, ArgumentTypeError)
        return ScalarValue(as_scalar(number(lowering, result)).operand)

    result = expression(lowering.builder, operands, element)
    return materialized(lowering.builder, result) if is_array(result) else result
