"""Calls of `multiply` with matrices of any layout: to compiled code, strides are numbers like any others."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic

from srcgrad.products.multiply import multiply


@intrinsic  # type: ignore[untyped-decorator]  # Numba's
def matrix_product(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    """c = a @ b."""
    return _call(typing_context, (a, b, c), kept=0.0)


@intrinsic  # type: ignore[untyped-decorator]  # Numba's
def add_product(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    """c += a @ b."""
    return _call(typing_context, (a, b, c), kept=1.0)


def _call(typing_context: Any, matrices: tuple[Any, ...], *, kept: float) -> Any:
    callee = typing_context.resolve_value_type(multiply)
    strided = [matrix.copy(layout="A") for matrix in matrices]
    called = callee.get_call_type(typing_context, (*strided, types.float64), {})

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        implementation = context.get_function(callee, called)
        implementation(builder, (*arguments, context.get_constant(types.float64, kept)))
        return context.get_dummy_value()

    return types.none(*matrices), build
