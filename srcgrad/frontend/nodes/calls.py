"""The call as an expression."""

from __future__ import annotations

import ast
import warnings

from srcgrad.frontend.calls.dispatch import call, evaluate_keywords
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.effects import before_later_writes
from srcgrad.frontend.nodes.expressions import evaluate_items
from srcgrad.frontend.registry import expression
from srcgrad.frontend.values import Bound, FrontValue, Static

# Called without their arguments, which are not computed: an f-string of run-time values among them would be refused.
UNEVALUATED = (print, warnings.warn)


@expression(ast.Call)
def _call(lowering: Lowering, node: ast.Call) -> FrontValue:
    function = lowering.evaluate(node.func)
    later = [keyword.value for keyword in node.keywords]
    if isinstance(function, Bound):  # a method of an array expression: its arguments are evaluated first
        receiver = tuple(before_later_writes(lowering, v, [*node.args, *later]) for v in function.arguments)
        function = Bound(function.function, receiver, function.keywords)
    if isinstance(function, Static) and function.value in UNEVALUATED:
        if function.value is print and all(isinstance(a, ast.Constant) for a in node.args):
            return Static(None)  # a message, as warnings.warn gives one
        return call(lowering, function, [], {})
    arguments = evaluate_items(lowering, node.args, later)
    return call(lowering, function, arguments, evaluate_keywords(lowering, node.keywords))
