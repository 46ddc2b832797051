"""The statements `for` and `while`: which kind of loop each becomes.

What is counted becomes a `for`, all else a `while` (`loop_ops`). A loop over a container is unrolled (`unrolled`), one
over a generator is put in the place of its yields (`consuming`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.arrays.extents import clamped_at_zero
from srcgrad.frontend.boundary.objects import Records
from srcgrad.frontend.containers import growing
from srcgrad.frontend.containers.items import sequence_items
from srcgrad.frontend.containers.list_state import state
from srcgrad.frontend.control.branches import branch
from srcgrad.frontend.control.carried import LoopVariables
from srcgrad.frontend.control.consuming import consuming
from srcgrad.frontend.control.iteration import as_counted
from srcgrad.frontend.control.logic import condition
from srcgrad.frontend.control.loop_ops import ImpureTestError, counted, stoppable, while_op
from srcgrad.frontend.control.unrolled import UNROLLED, either, unroll
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes import names
from srcgrad.frontend.nodes.assignment import assign
from srcgrad.frontend.nodes.special_methods import iterated
from srcgrad.frontend.numbers.promotion import as_scalar
from srcgrad.frontend.numbers.scalars import index_op
from srcgrad.frontend.registry import statement
from srcgrad.frontend.syntax.bindings import assigned
from srcgrad.frontend.syntax.normalize import stop_flag
from srcgrad.frontend.values import (
    ArrayValue,
    Counted,
    Delayed,
    FrontValue,
    GrowingList,
    ScalarValue,
    Static,
    TupleValue,
    Yielding,
)
from srcgrad.ir.core import Const, Operand, Value, index
from srcgrad.ir.types import INDEX

GO = ".go"  # the variable that holds a condition; no name of the user's, as it is not an identifier


@statement(ast.For)
def _for(lowering: Lowering, node: ast.For) -> None:
    iterable = iterated(lowering, lowering.evaluate(node.iter))
    if isinstance(iterable, Yielding):
        consuming(lowering, node, iterable)
        return
    grown = iterable if isinstance(iterable, GrowingList) else None
    if isinstance(iterable, ArrayValue | Delayed | GrowingList):
        iterable = as_counted(lowering, iterable)
    if isinstance(iterable, TupleValue) and issubclass(iterable.cls, Records):
        iterable = as_counted(lowering, iterable)
    if not isinstance(iterable, Counted):
        unroll(lowering, node, iterable)
        return
    key = (lowering.path, id(node))
    if grown is not None:
        with lowering.going_through(key, grown):
            _looped(lowering, node, iterable, key, grown)
    elif isinstance(iterable.length, Const) and int(iterable.length.value) <= UNROLLED:  # type: ignore[arg-type]  # i64
        items = TupleValue(sequence_items(lowering, iterable))
        either(lowering, lambda: _looped(lowering, node, iterable, key), lambda: unroll(lowering, node, items))
    else:
        peeled = partial(_first_apart, lowering, node, iterable)
        either(lowering, lambda: _looped(lowering, node, iterable, key), peeled, lambda refusal: refusal.changes_type)


def _looped(
    lowering: Lowering, node: ast.For, iterable: Counted, key: object, grown: GrowingList | None = None
) -> None:
    """The loop as an op; ``grown`` is the list that it goes through, if it does."""
    loop = LoopVariables(
        assigned([node.target, *node.body]),
        lowering.live_head(node),
        lowering.live_after(node),
        runs=isinstance(iterable.length, Const) and int(iterable.length.value) > 0,  # type: ignore[arg-type]  # i64
        leaves=stop_flag(node) is not None or lowering.scope.returns_early,
        key=key,
    )
    take = iterable.item
    if grown is not None:
        take = lambda k: growing.item(lowering, grown, k)  # noqa: E731  # of a list that its loop may change
    counter = Value(INDEX, node.target.id if isinstance(node.target, ast.Name) else "i")

    def iteration(k: Operand) -> None:
        assign(lowering, node.target, take(k))
        lowering.execute(node.body)

    stop = stop_flag(node)

    def stopped() -> FrontValue:
        return Static(False) if stop is None else names.load(lowering, stop)

    def unless_stopped(k: Operand) -> None:
        def proceed() -> FrontValue:
            iteration(k)
            return Static(None)

        flag = stopped()
        assert isinstance(flag, ScalarValue | Static)
        branch(lowering, as_scalar(flag), lambda: Static(None), proceed)

    if grown is not None and loop.key in lowering.outgrown:
        stoppable(lowering, loop, lambda: state(lowering, grown)[1], counter, iteration, stopped)
    elif stop is None:
        counted(lowering, loop, iterable.length, counter, iteration, iterable.budget)
    elif iterable.budget is not None:  # the schedule needs their number: once stopped, they do nothing
        through = replace(loop, head=loop.head | loop.assigned)
        counted(lowering, through, iterable.length, counter, unless_stopped, iterable.budget)
    else:
        stoppable(lowering, loop, lambda: iterable.length, counter, iteration, stopped)


def _first_apart(lowering: Lowering, node: ast.For, iterable: Counted) -> None:
    """The first iteration by itself, since it changes types: of `total = 0.0` in `total += rows[i]`, for example."""
    builder = lowering.builder
    _must_run(lowering, builder("gt", iterable.length, index(0)))
    with lowering.within(lowering.scope, (id(node), "first")):
        assign(lowering, node.target, iterable.item(index(0)))
        lowering.execute(node.body)
    if lowering.dead:
        return
    length = clamped_at_zero(builder, index_op(builder, "sub", iterable.length, index(1)))
    rest = replace(iterable, length=length, item=lambda k: iterable.item(builder("add", k, index(1))))
    _looped(lowering, node, rest, (lowering.path, id(node), "rest"))


@statement(ast.While)
def _while(lowering: Lowering, node: ast.While) -> None:
    if isinstance(node.test, ast.Constant):
        if node.test.value:
            lowering.refuse(node, "a loop that never ends", "Give it a condition, or a break.", UnsupportedSyntaxError)
        return
    key = (lowering.path, id(node))
    peeled = partial(_first_turn_apart, lowering, node)
    either(lowering, lambda: _turning(lowering, node, key), peeled, lambda refusal: refusal.changes_type)


def _turning(lowering: Lowering, node: ast.While, key: object) -> None:
    """The `while` as an op."""
    loop = LoopVariables(
        assigned([node.test, *node.body]),
        lowering.live_head(node),
        lowering.live_after(node),
        runs=False,
        leaves=stop_flag(node) is not None or lowering.scope.returns_early,
        key=key,
    )

    def test() -> Sequence[Operand]:
        return (as_scalar(condition(lowering, node.test)).operand,)

    def body() -> Sequence[Operand]:
        lowering.execute(node.body)
        return ()

    before, length = lowering.variables(), len(lowering.builder.ops)
    try:
        while_op(lowering, loop, test, body)
    except ImpureTestError:
        del lowering.builder.ops[length:]
        lowering.rebind(before)
        tested_in_body(lowering, loop, lambda: condition(lowering, node.test), body)


def _first_turn_apart(lowering: Lowering, node: ast.While) -> None:
    _must_run(lowering, as_scalar(condition(lowering, node.test)).operand)
    with lowering.within(lowering.scope, (id(node), "first")):
        lowering.execute(node.body)
    if not lowering.dead:
        _turning(lowering, node, (lowering.path, id(node), "rest"))


def _must_run(lowering: Lowering, runs: Operand) -> None:
    """Without an iteration a variable would be what it was before the loop, of another type than behind it."""
    message = "a loop that makes an array of a number, or a complex one of a real one, has to run"
    lowering.builder.emit("check", runs, exception="ValueError", message=message)


def tested_in_body(
    lowering: Lowering, loop: LoopVariables, test: Callable[[], FrontValue], body: Callable[[], Sequence[Operand]]
) -> None:
    """A `while` whose condition may fail: it is evaluated before the loop and at the end of each iteration."""
    names_of_loop = frozenset([GO])
    scope = lowering.scope
    outer = scope.names.get(GO)
    scope.local_names |= names_of_loop
    scope.names[GO] = test()

    def iteration() -> Sequence[Operand]:
        body()
        scope.names[GO] = test()
        return ()

    def going() -> Sequence[Operand]:
        value = names.load(lowering, GO)
        assert isinstance(value, ScalarValue | Static)
        return (as_scalar(value).operand,)

    wider = replace(loop, assigned=loop.assigned | names_of_loop, head=loop.head | names_of_loop)
    while_op(lowering, wider, going, iteration)
    scope.names.pop(GO, None)
    if outer is not None:
        scope.names[GO] = outer
