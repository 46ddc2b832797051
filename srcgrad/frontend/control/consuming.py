"""Generator functions: what consumes the items is lowered in the place of each `yield`."""

from __future__ import annotations

import ast
from collections.abc import Callable

from srcgrad.frontend.containers.items import sequence_items
from srcgrad.frontend.control.branches import branch
from srcgrad.frontend.control.carried import no_variables
from srcgrad.frontend.control.iteration import as_counted
from srcgrad.frontend.control.loop_ops import counted
from srcgrad.frontend.control.merge import held
from srcgrad.frontend.control.yielding import shared
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes import names
from srcgrad.frontend.nodes.assignment import assign
from srcgrad.frontend.nodes.operators import invert
from srcgrad.frontend.nodes.special_methods import iterated
from srcgrad.frontend.registry import expression
from srcgrad.frontend.syntax.bindings import assigned
from srcgrad.frontend.syntax.normalize import stop_flag
from srcgrad.frontend.values import FrontValue, Static, Yielding
from srcgrad.ir.core import Const, Value
from srcgrad.ir.types import INDEX


def consuming(lowering: Lowering, node: ast.For, items: Yielding) -> None:
    """A loop over a generator: the body stands in the place of each `yield`; behind a stop flag it is skipped."""
    scope, stop = lowering.scope, stop_flag(node)

    def once(item: FrontValue) -> None:
        assign(lowering, node.target, item)
        lowering.execute(node.body)

    def consume(item: FrontValue) -> None:
        with lowering.within(scope, id(node)):
            if stop is None:
                once(item)
            else:
                going = invert(lowering, names.load(lowering, stop))
                branch(lowering, going, lambda: returning_none(once, item), lambda: Static(None))

    with shared(lowering, assigned([node.target, *node.body])):
        items.run(consume)


def returning_none(action: Callable[[FrontValue], None], item: FrontValue) -> FrontValue:
    action(item)
    return Static(None)


@expression(ast.Yield)
def _yield(lowering: Lowering, node: ast.Yield) -> FrontValue:
    value = Static(None) if node.value is None else held(lowering, lowering.evaluate(node.value))
    assert lowering.scope.consume is not None
    lowering.scope.consume(value)
    return Static(None)  # nothing is sent


@expression(ast.YieldFrom)
def _yield_from(lowering: Lowering, node: ast.YieldFrom) -> FrontValue:
    items = iterated(lowering, lowering.evaluate(node.value))
    consume = lowering.scope.consume
    assert consume is not None
    if isinstance(items, Yielding):
        items.run(consume)
        return Static(None)
    each(lowering, items, id(node), consume)
    return Static(None)


def each(lowering: Lowering, items: FrontValue, node: int, action: Callable[[FrontValue], None]) -> None:
    """``action`` on each item of a sequence: one after the other where their number is known, else in a loop."""
    part = as_counted(lowering, items)
    if isinstance(part.length, Const):
        for item in sequence_items(lowering, items):
            action(item)
    else:
        key = (lowering.path, node)
        counted(lowering, no_variables(key), part.length, Value(INDEX, "i"), lambda k: action(part.item(k)))
