"""Loops over what is known while compiling: one copy of the body per item."""

from __future__ import annotations

import ast
from collections.abc import Callable

from srcgrad.errors import ArgumentTypeError, Error, UnsupportedError
from srcgrad.frontend.containers.items import kept, sequence_items
from srcgrad.frontend.control.branches import branch
from srcgrad.frontend.lowering import LowerAgainError, Lowering
from srcgrad.frontend.nodes import names
from srcgrad.frontend.nodes.assignment import assign
from srcgrad.frontend.syntax.normalize import stop_flag
from srcgrad.frontend.values import FrontValue, ScalarValue, Static, TupleValue

ENDLESS = 200  # iterations after which a loop that appends to its own list is taken to have no end
UNROLLED = 32  # iterations of a loop that is unrolled where its body needs the index while compiling


def unroll(lowering: Lowering, node: ast.For, container: FrontValue, done: int = 0) -> None:
    """One copy of the body per item, also of those that the body appends; behind a stop flag the rest is a branch."""
    items = sequence_items(lowering, container)
    if done >= len(items) or lowering.dead:
        return
    if done > ENDLESS and isinstance(container, TupleValue) and container.changed:
        lowering.refuse(node, "a loop gives its list ever more items", "Loop over a copy: for v in list(items).")
    with lowering.within(lowering.scope, (id(node), done)):
        assign(lowering, node.target, items[done])
        lowering.execute(node.body)
    stop = stop_flag(node)
    if stop is None or done + 1 >= len(sequence_items(lowering, container)):
        unroll(lowering, node, container, done + 1)
        return
    stopped = names.load(lowering, stop)
    assert isinstance(stopped, ScalarValue | Static)

    def go_on() -> FrontValue:
        unroll(lowering, node, container, done + 1)
        return Static(None)

    live = lowering.live_after(node) | lowering.live_head(node)
    branch(lowering, stopped, lambda: Static(None), go_on, live)


def any_refusal(refusal: Error) -> bool:
    return True


def either(
    lowering: Lowering,
    usual: Callable[[], None],
    otherwise: Callable[[], None],
    helps: Callable[[Error], bool] = any_refusal,
) -> None:
    """Lower in one way; in the other where that is refused. If that is refused, too, the first refusal stands.

    ``helps`` tells of a refusal whether the other way may do.
    """
    before, start, dead = lowering.variables(), len(lowering.builder.ops), lowering.dead
    restore_containers = kept(before.values())
    try:
        usual()
        return
    except (UnsupportedError, ArgumentTypeError) as refusal:
        if isinstance(refusal, LowerAgainError) or not helps(refusal):
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
