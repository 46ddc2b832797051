"""Items that come from running code: what a generator function yields, or a comprehension with conditions.

What consumes them is lowered in the place of each ``yield``; its variables are shared with the code around that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from srcgrad.frontend.containers import growing
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.scope import Scope
from srcgrad.frontend.values import Cell, FrontValue, GrowingList, Yielding


def folded(
    lowering: Lowering, items: Yielding, start: FrontValue, combine: Callable[[FrontValue, FrontValue], FrontValue]
) -> FrontValue:
    """``combine`` over the items from ``start``."""
    total = Cell(lowering.scope, lowering.variable_of_its_own(".total"))
    total.set(start)
    items.run(lambda item: total.set(combine(total.value, item)))
    result = total.value
    forget(lowering.scope, total.variable)
    return result


def collected(lowering: Lowering, items: Yielding) -> GrowingList:
    """A list in memory of the items, which must be numbers."""
    key = (lowering.path, lowering.builder.location, "items")

    def no_room(item: FrontValue) -> None:
        raise growing.must_grow(lowering, key, [item])

    if key not in lowering.growing:
        items.run(no_room)
        lowering.refuse(None, "a sequence that is never given an item")
    made = growing.create(lowering, key, ())
    items.run(lambda item: growing.append(lowering, made, item))
    return made


@contextmanager
def shared(lowering: Lowering, names: frozenset[str]) -> Iterator[None]:
    """These variables of the function are changed by code of another scope meanwhile."""
    scope = lowering.scope
    new = [name for name in names if name not in scope.shared]
    for name in new:
        lowering.share(scope, name)
    try:
        yield
    finally:
        scope.shared.difference_update(new)


def forget(scope: Scope, name: str) -> None:
    scope.names.pop(name, None)
    scope.shared.discard(name)
