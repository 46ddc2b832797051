"""Loops: counted ones become `for`, all others `while`; loops over containers are unrolled.

::

    for i in range(1, n):          with for_(trips, 0.0) as (s,):
        s += x[i]          ->          def _(i: i64, s: f64):
                                           ...
                                           yield s_1

A counted loop with a stop flag (it has a `break`, or a `return` inside) is a `while` with a counter.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from srcgrad.errors import ArgumentTypeError, UnsupportedError, UnsupportedSyntaxError
from srcgrad.frontend.boundary.objects import Records
from srcgrad.frontend.containers.items import kept, sequence_items
from srcgrad.frontend.control.branches import branch
from srcgrad.frontend.control.carried import (
    ATTEMPTS,
    LoopVariables,
    Part,
    Slots,
    closed,
    forget,
    forget_pending,
    initial_slots,
    is_stable,
    lower_part,
    mark_missing,
    next_slots,
    no_variables,
    settled_slots,
)
from srcgrad.frontend.control.iteration import as_counted
from srcgrad.frontend.control.logic import condition
from srcgrad.frontend.control.merge import held
from srcgrad.frontend.control.slots import operands_of, rebound
from srcgrad.frontend.control.yielding import shared
from srcgrad.frontend.lowering import LowerAgainError, Lowering, UnresolvedError, Variable
from srcgrad.frontend.nodes import names
from srcgrad.frontend.nodes.assignment import assign
from srcgrad.frontend.nodes.operators import invert
from srcgrad.frontend.numbers.promotion import as_scalar
from srcgrad.frontend.registry import expression, statement
from srcgrad.frontend.scope import Binding
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
from srcgrad.ir.core import Attribute, Block, Const, Operand, Value, index
from srcgrad.ir.types import INDEX
from srcgrad.primitives.table import Effect, effect

UNROLLED = 32  # iterations of a loop that is unrolled where its body needs the index while compiling
GO = ".go"  # the variable that holds a condition; no name of the user's, as it is not an identifier


class ImpureTestError(Exception):
    """The condition of a `while` does more than compute."""


@statement(ast.For)
def _for(lowering: Lowering, node: ast.For) -> None:
    iterable = lowering.evaluate(node.iter)
    if isinstance(iterable, Yielding):
        consuming(lowering, node, iterable)
        return
    if isinstance(iterable, ArrayValue | Delayed | GrowingList):
        iterable = as_counted(lowering, iterable)
    if isinstance(iterable, TupleValue) and issubclass(iterable.cls, Records):
        iterable = as_counted(lowering, iterable)
    if not isinstance(iterable, Counted):
        unroll(lowering, node, sequence_items(lowering, iterable))
        return
    loop = LoopVariables(
        assigned([node.target, *node.body]),
        lowering.live_head(node),
        lowering.live_after(node),
        runs=isinstance(iterable.length, Const) and int(iterable.length.value) > 0,  # type: ignore[arg-type]  # i64
        leaves=stop_flag(node) is not None or lowering.scope.returns_early,
        key=(lowering.path, id(node)),
    )
    counter = Value(INDEX, node.target.id if isinstance(node.target, ast.Name) else "i")

    def iteration(k: Operand) -> None:
        assign(lowering, node.target, iterable.item(k))
        lowering.execute(node.body)

    def looped() -> None:
        stop = stop_flag(node)
        if stop is None:
            counted(lowering, loop, iterable.length, counter, iteration, iterable.budget)
        elif iterable.budget is not None:
            hint = "Let the loop run to its end, and skip what an iteration does under an `if`."
            lowering.refuse(node, "a loop with checkpoints that is left early", hint, UnsupportedError)
        else:
            stoppable(lowering, loop, iterable.length, counter, iteration, lambda: names.load(lowering, stop))

    if not (isinstance(iterable.length, Const) and int(iterable.length.value) <= UNROLLED):  # type: ignore[arg-type]  # i64
        looped()
        return
    items = sequence_items(lowering, iterable)
    either(lowering, looped, lambda: unroll(lowering, node, items))


def either(lowering: Lowering, usual: Callable[[], None], otherwise: Callable[[], None]) -> None:
    """Lower in one way; in the other where that is refused. If that is refused, too, the first refusal stands."""
    before, start, dead = lowering.variables(), len(lowering.builder.ops), lowering.dead
    restore_containers = kept(before.values())
    try:
        usual()
        return
    except (UnsupportedError, ArgumentTypeError) as refusal:
        if isinstance(refusal, LowerAgainError):
            raise
        first = refusal
    del lowering.builder.ops[start:]
    lowering.rebind(before)
    restore_containers()
    lowering.dead = dead
    try:
        otherwise()
    except (UnsupportedError, ArgumentTypeError) as refusal:
        raise refusal if isinstance(refusal, LowerAgainError) else first from None


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
    items = lowering.evaluate(node.value)
    consume = lowering.scope.consume
    assert consume is not None
    if isinstance(items, Yielding):
        items.run(consume)
        return Static(None)
    part = as_counted(lowering, items)
    if isinstance(part.length, Const):
        for item in sequence_items(lowering, items):
            consume(item)
    else:
        key = (lowering.path, id(node))
        counted(lowering, no_variables(key), part.length, Value(INDEX, "i"), lambda k: consume(part.item(k)))
    return Static(None)


def unroll(lowering: Lowering, node: ast.For, items: Sequence[FrontValue]) -> None:
    """One copy of the body per item; behind a stop flag the rest is a branch."""
    if not items or lowering.dead:
        return
    first, *rest = items
    with lowering.within(lowering.scope, (id(node), len(items))):
        assign(lowering, node.target, first)
        lowering.execute(node.body)
    stop = stop_flag(node)
    if stop is None or not rest:
        unroll(lowering, node, rest)
        return
    stopped = names.load(lowering, stop)
    assert isinstance(stopped, ScalarValue | Static)

    def go_on() -> FrontValue:
        unroll(lowering, node, rest)
        return Static(None)

    live = lowering.live_after(node) | lowering.live_head(node)
    branch(lowering, stopped, lambda: Static(None), go_on, live)


def counted(
    lowering: Lowering,
    loop: LoopVariables,
    trips: Operand,
    counter: Value,
    iteration: Callable[[Operand], None],
    budget: int | None = None,
) -> None:
    """A `for` over ``trips`` iterations; with a ``budget`` it has checkpoints."""
    marks: dict[str, Attribute] = {} if budget is None else {"checkpoint": budget}

    def body(k: Operand) -> Sequence[Operand]:
        iteration(k)
        return ()

    def lower(entry: dict[Variable, Binding], slots: Slots) -> list[Part]:
        return [lower_part(lowering, loop, entry, slots, (counter,), body)]

    def emit(
        parts: Sequence[Part], slots: Slots, initial: Sequence[Operand], labels: Sequence[str]
    ) -> Iterator[Operand]:
        block = closed(lowering, parts[0], slots, carries=True)
        return iter(lowering.builder.emit("for", trips, *initial, blocks=(block,), names=labels, **marks))

    fixed_point(lowering, loop, lower, emit)


def stoppable(
    lowering: Lowering,
    loop: LoopVariables,
    trips: Operand,
    counter: Value,
    iteration: Callable[[Operand], None],
    stopped: Callable[[], FrontValue],
) -> None:
    """A `while` that counts up to ``trips`` unless ``stopped()`` holds before that."""

    def test(k: Operand) -> Sequence[Operand]:
        more = lowering.builder("lt", k, trips)
        going = as_scalar(invert(lowering, stopped())).operand
        return (lowering.builder("and_", more, going),)

    def body(k: Operand) -> Sequence[Operand]:
        iteration(k)
        return (lowering.builder("add", k, index(1)),)

    _while_op(lowering, loop, test, body, counter)


@statement(ast.While)
def _while(lowering: Lowering, node: ast.While) -> None:
    loop = LoopVariables(
        assigned([node.test, *node.body]),
        lowering.live_head(node),
        lowering.live_after(node),
        runs=False,
        leaves=stop_flag(node) is not None or lowering.scope.returns_early,
        key=(lowering.path, id(node)),
    )

    def test() -> Sequence[Operand]:
        return (as_scalar(condition(lowering, node.test)).operand,)

    def body() -> Sequence[Operand]:
        lowering.execute(node.body)
        return ()

    if isinstance(node.test, ast.Constant):
        if node.test.value:
            lowering.refuse(node, "a loop that never ends", "Give it a condition, or a break.", UnsupportedSyntaxError)
        return
    before, length = lowering.variables(), len(lowering.builder.ops)
    try:
        _while_op(lowering, loop, test, body)
    except ImpureTestError:
        del lowering.builder.ops[length:]
        lowering.rebind(before)
        tested_in_body(lowering, loop, lambda: condition(lowering, node.test), body)


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
    _while_op(lowering, wider, going, iteration)
    scope.names.pop(GO, None)
    if outer is not None:
        scope.names[GO] = outer


def _while_op(
    lowering: Lowering,
    loop: LoopVariables,
    test: Callable[..., Sequence[Operand]],
    body: Callable[..., Sequence[Operand]],
    counter: Value | None = None,
) -> None:
    """A `while` whose condition is ``test``; it carries ``counter``, from 0, besides its variables.

    Both blocks get the counter, and the body yields the next one.
    """
    tested = () if counter is None else (Value(INDEX, counter.name),)
    counted_by = () if counter is None else (counter,)
    start = () if counter is None else (index(0),)

    def lower(entry: dict[Variable, Binding], slots: Slots) -> list[Part]:
        parts = [
            lower_part(lowering, loop, entry, slots, tested, test),
            lower_part(lowering, loop, entry, slots, counted_by, body),
        ]
        if any(effect(op.primitive) is not Effect.PURE for op in parts[0].block.ops):
            raise ImpureTestError
        return parts

    def emit(
        parts: Sequence[Part], slots: Slots, initial: Sequence[Operand], labels: Sequence[str]
    ) -> Iterator[Operand]:
        blocks: list[Block] = [closed(lowering, p, slots, carries=k == 1) for k, p in enumerate(parts)]
        named = [*(v.name for v in counted_by), *labels]
        results = lowering.builder.emit("while", *start, *initial, blocks=blocks, names=named)
        return iter(results[len(start) :])

    fixed_point(lowering, loop, lower, emit)


def passed_by(lowering: Lowering, loop: LoopVariables, entry: dict[Variable, Binding], slots: Slots) -> None:
    """A loop whose body needs the result of a recursive call, which is not known yet: as if it did not run.

    So the type of the result is found; then the function is lowered again (`recursion`).
    """
    forget_pending(lowering, loop)
    lowering.rebind(entry)
    lowering.dead = False
    forget(slots)


def fixed_point(
    lowering: Lowering,
    loop: LoopVariables,
    lower: Callable[[dict[Variable, Binding], Slots], list[Part]],
    emit: Callable[[Sequence[Part], Slots, Sequence[Operand], Sequence[str]], Iterator[Operand]],
) -> None:
    """Lower until an iteration leaves what it found, then emit the loop and bind its results."""
    entry, sharing = lowering.variables(), len(lowering.sharing)
    slots = initial_slots(lowering, loop, entry)
    for _ in range(ATTEMPTS):
        forget_pending(lowering, loop)
        try:
            parts = lower(entry, slots)
        except UnresolvedError:
            if loop.runs:
                raise
            passed_by(lowering, loop, entry, slots)
            return
        del lowering.sharing[sharing:]  # the variables of calls in the body begin anew in each iteration
        found = next_slots(lowering, loop, slots, parts[-1].bindings)
        settled_slots(lowering, loop, found)
        if is_stable(lowering, loop, slots, found):
            break
        slots = found
    else:
        raise AssertionError(f"the types of {loop} do not settle")
    lowering.remembered[loop.key] = {v[1]: s for v, s in found.items() if s is not None}
    lowering.rebind(entry)
    carried = [(v, slot) for v, slot in found.items() if slot is not None]
    initial = [x for v, slot in carried for x in operands_of(lowering, entry.get(v), slot)]
    labels = [label for v, slot in carried for label in slot.labels(v[1])]
    results = emit(parts, found, initial, labels)
    forget(found)
    mark_missing(lowering, loop, found, parts[-1].bindings)
    for (scope, name), slot in carried:
        scope.names[name] = rebound(lowering, slot, results)
