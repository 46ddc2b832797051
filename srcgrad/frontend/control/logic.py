"""``and``, ``or``, ``not`` and conditions: the right side is lowered into a branch unless it cannot fail."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from srcgrad.errors import Error
from srcgrad.frontend.control.branches import branch
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.operators import invert, truth
from srcgrad.frontend.numbers.promotion import Number
from srcgrad.frontend.values import FrontValue, ScalarValue, Static
from srcgrad.ir.types import BOOL
from srcgrad.primitives.table import Effect, effect

CHEAP = 6  # ops of a right side that is evaluated whether or not it is needed


def condition(lowering: Lowering, node: ast.expr) -> Number:
    """The truth of an expression."""
    with lowering.at(node):
        if isinstance(node, ast.BoolOp):
            value = logical(lowering, isinstance(node.op, ast.And), node.values, as_truth=True)
            return truth(lowering, value)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return invert(lowering, condition(lowering, node.operand))
        return truth(lowering, lowering.evaluate_any(node))


def logical(lowering: Lowering, is_and: bool, nodes: Sequence[ast.expr], as_truth: bool) -> FrontValue:
    """``a and b and ...`` or ``a or b or ...``; ``as_truth``: only the truth of the result matters."""
    evaluate = (lambda n: condition(lowering, n)) if as_truth else lowering.evaluate_any
    first, rest = nodes[0], nodes[1:]
    left = evaluate(first)
    if not rest:
        return left
    return short_circuit(lowering, is_and, left, lambda: logical(lowering, is_and, rest, as_truth))


def short_circuit(lowering: Lowering, is_and: bool, left: FrontValue, right: Callable[[], FrontValue]) -> FrontValue:
    """``left and right()`` or ``left or right()``, the right side evaluated only where Python does."""
    decided = truth(lowering, left)
    if isinstance(decided, Static):
        return right() if bool(decided.value) == is_and else left
    both = _both_computed(lowering, is_and, left, right)
    if both is not None:
        return both
    if is_and:
        return branch(lowering, decided, right, lambda: left)
    return branch(lowering, decided, lambda: left, right)


def _both_computed(
    lowering: Lowering, is_and: bool, left: FrontValue, right: Callable[[], FrontValue]
) -> FrontValue | None:
    """``and_`` or ``or_`` where the right side is a cheap truth that cannot fail; None otherwise."""
    if not (isinstance(left, ScalarValue) and left.dtype == BOOL):
        return None
    before, dead = lowering.variables(), lowering.dead
    value: FrontValue | None = None
    with lowering.block() as ops:
        try:
            value = right()
        except Error as error:
            if not lowering.may_end_in(error):
                raise
    pure = len(ops) <= CHEAP and all(effect(op.primitive) is Effect.PURE for op in ops)
    unchanged = all(lowering.variables().get(key) is old for key, old in before.items()) and not lowering.dead
    if isinstance(value, ScalarValue) and value.dtype == BOOL and pure and unchanged:
        lowering.builder.ops.extend(ops)
        name = "and_" if is_and else "or_"
        return ScalarValue(lowering.builder(name, left.operand, value.operand), left.weak and value.weak)
    if isinstance(value, Static) and isinstance(value.value, bool) and pure and unchanged:
        return left if value.value == is_and else value
    lowering.rebind(before)
    lowering.dead = dead
    return None
