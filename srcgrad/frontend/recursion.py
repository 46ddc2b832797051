"""Functions that call themselves: they become functions of their own, and their calls `call` ops."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import FunctionType

from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.values import Closure, FrontValue

LIMIT = 200  # calls inside calls that are lowered in place


def activation(
    lowering: Lowering,
    function: FunctionType | Closure,
    node: ast.FunctionDef | ast.Lambda,
    bound: dict[str, FrontValue],
    body: Callable[[Mapping[str, FrontValue]], FrontValue],
) -> FrontValue:
    """Lower a call in place, or out of line where the function is already being lowered."""
    return body(bound)
