"""The call as an expression."""

from __future__ import annotations

import ast

from srcgrad.frontend.calls import call, evaluate_keywords
from srcgrad.frontend.expressions import evaluate_items
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.registry import expression
from srcgrad.frontend.values import FrontValue


@expression(ast.Call)
def _call(lowering: Lowering, node: ast.Call) -> FrontValue:
    function = lowering.evaluate(node.func)
    arguments = evaluate_items(lowering, node.args)
    return call(lowering, function, arguments, evaluate_keywords(lowering, node.keywords))
