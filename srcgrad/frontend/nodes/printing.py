"""``print`` of run-time values: once for each time that the function runs, in the forward sweep of a derivative.

The call takes part in the order of random draws, so that it is not repeated, moved or left out.
"""

from __future__ import annotations

import ast

from srcgrad.frontend.calls.dispatch import call
from srcgrad.frontend.calls.order import order_of_draws
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.messages import message_of
from srcgrad.frontend.values import ArrayValue, FrontValue, Static
from srcgrad.primitives.routines import SHOW


def printed(lowering: Lowering, node: ast.Call) -> FrontValue:
    """The call of ``print``; a message that is known while compiling is left out, as that of a warning is."""
    to_file = next((k for k in node.keywords if k.arg == "file"), None)
    if to_file is not None:
        lowering.refuse(to_file.value, "print() to a file", "Print without file=, or return the value.")
    if all(isinstance(argument, ast.Constant) for argument in node.args):
        return Static(None)
    text, values = message_of(lowering, node.args, " ")
    if values:
        order = call(lowering, Static(order_of_draws), [], {})
        assert isinstance(order, ArrayValue)
        lowering.builder.emit("call", order.ref, order.ref, *values, callee=SHOW, types=(), text=text)
    return Static(None)
