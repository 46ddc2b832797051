"""Loops as ops: a `for` or a `while`, whose body is lowered until an iteration leaves the types that it found.

::

    for i in range(1, n):          with for_(trips, 0.0) as (s,):
        s += x[i]          ->          def _(i: i64, s: f64):
                                           ...
                                           yield s_1

A counted loop with a stop flag (it has a `break`, or a `return` inside) is a `while` with a counter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from srcgrad.errors import Error
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
    settled_slots,
)
from srcgrad.frontend.control.slots import operands_of, rebound
from srcgrad.frontend.lowering import Lowering, UnresolvedError, Variable
from srcgrad.frontend.nodes.operators import invert
from srcgrad.frontend.numbers.promotion import as_scalar
from srcgrad.frontend.scope import Binding
from srcgrad.frontend.values import FrontValue
from srcgrad.ir.core import Attribute, Block, Operand, Value, index
from srcgrad.ir.types import INDEX
from srcgrad.primitives.table import Effect, effect


class ImpureTestError(Exception):
    """The condition of a `while` does more than compute."""


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
    trips: Callable[[], Operand],
    counter: Value,
    iteration: Callable[[Operand], None],
    stopped: Callable[[], FrontValue],
) -> None:
    """A `while` that counts up to ``trips()``, looked at each time, unless ``stopped()`` holds before that."""

    def test(k: Operand) -> Sequence[Operand]:
        more = lowering.builder("lt", k, trips())
        going = as_scalar(invert(lowering, stopped())).operand
        return (lowering.builder("and_", more, going),)

    def body(k: Operand) -> Sequence[Operand]:
        iteration(k)
        return (lowering.builder("add", k, index(1)),)

    while_op(lowering, loop, test, body, counter)


def while_op(
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
        before, slots = slots, found
    else:
        raise growing(lowering, [v[1] for v, slot in slots.items() if before.get(v) != slot])
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


def growing(lowering: Lowering, names: Sequence[str]) -> Error:
    """The refusal of a loop that puts what variables held into what they hold next, as a linked list is made."""
    return lowering.error(
        None,
        f"what {' and '.join(map(repr, sorted(names)))} holds gets another type in each iteration",
        "A loop that puts a value into the next one, as in node = Node(v, node), has no types: append to a list.",
    )
