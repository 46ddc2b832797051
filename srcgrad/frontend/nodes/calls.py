"""The call as an expression."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import numpy as np

from srcgrad.frontend.calls.builtin_functions import is_silent
from srcgrad.frontend.calls.dispatch import call, evaluate_keywords
from srcgrad.frontend.containers.sequences import transposed
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.effects import before_later_writes
from srcgrad.frontend.nodes.expressions import evaluate_items
from srcgrad.frontend.nodes.printing import printed
from srcgrad.frontend.nodes.special_methods import iterated
from srcgrad.frontend.registry import expression
from srcgrad.frontend.values import Bound, FrontValue, Static

# Python's functions that loop over their arguments.
ITERATING = (list, tuple, set, frozenset, sorted, sum, min, max, any, all, enumerate, zip, map, filter, iter, np.array)


@expression(ast.Call)
def _call(lowering: Lowering, node: ast.Call) -> FrontValue:
    function = lowering.evaluate(node.func)
    later = [keyword.value for keyword in node.keywords]
    if isinstance(function, Bound):  # a method of an array expression: its arguments are evaluated first
        receiver = tuple(before_later_writes(lowering, v, [*node.args, *later]) for v in function.arguments)
        function = Bound(function.function, receiver, function.keywords)
    if isinstance(function, Static) and function.value is print:
        return printed(lowering, node)
    if isinstance(function, Static) and is_silent(function.value):
        return Static(None)
    if isinstance(function, Static) and function.value is zip and _is_one_starred(node.args):
        return transposed(lowering, iterated(lowering, lowering.evaluate(node.args[0].value)))  # type: ignore[attr-defined]  # starred
    arguments = evaluate_items(lowering, node.args, later)
    if isinstance(function, Static) and any(function.value is f for f in ITERATING):
        arguments = tuple(iterated(lowering, a) for a in arguments)
    return call(lowering, function, arguments, evaluate_keywords(lowering, node.keywords))


def _is_one_starred(nodes: Sequence[ast.expr]) -> bool:
    return len(nodes) == 1 and isinstance(nodes[0], ast.Starred)
