"""The handlers of a `try`: which of them catches what an op may raise, and why some cannot be lowered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.messages import exception_named
from srcgrad.ir.core import Function, Op, walk
from srcgrad.ir.types import Scalar
from srcgrad.primitives.table import Effect, effect


class Passing(tuple[type, ...]):
    """The classes of a handler that only raises what it has caught, as if it were not there."""


class Handlers(tuple[tuple[type, ...], ...]):
    """What the handlers of a `try` catch; ``quiet`` are the functions out of line that raise nothing."""

    quiet: frozenset[str] = frozenset()

    @classmethod
    def among(cls, lowering: Lowering, classes: Iterable[tuple[type, ...]]) -> Handlers:
        made = cls(classes)
        made.quiet = frozenset(name for name, callee in lowering.callees.items() if _is_quiet(callee))
        return made


def _is_quiet(callee: Function) -> bool:
    """Whether a function with a derivative rule computes numbers, and cannot raise."""
    numbers = all(isinstance(x.type, Scalar) for x in callee.results)
    silent = (Effect.PURE, Effect.READ, Effect.CONTROL)
    return callee.rules is not None and numbers and all(effect(op.primitive) in silent for op in walk(callee.body))


def handler_of(op: Op, handlers: Handlers) -> int:
    """The number of the handler that would catch what this op may raise; 0 for none."""
    if op.primitive == "check":
        raised: type = exception_named(op.text("exception"))
    elif op.primitive == "check_index":
        # Not by a handler of all there is: what it was written for is seldom an index out of range, which is raised.
        return _first(lambda classes: bool({IndexError, LookupError} & set(classes)), handlers)
    elif op.primitive == "call":
        return 0 if op.text("callee") in handlers.quiet else 1
    else:
        return 0
    return first_for(raised, handlers)


def first_for(raised: type, handlers: Sequence[tuple[type, ...]]) -> int:
    """The number of the handler that catches an exception of this class; 0 if none does."""
    return _first(lambda classes: issubclass(raised, classes), handlers)


def _first(catches: Callable[[tuple[type, ...]], bool], handlers: Sequence[tuple[type, ...]]) -> int:
    found = next((k for k, classes in enumerate(handlers, 1) if catches(classes)), 0)
    return 0 if found and isinstance(handlers[found - 1], Passing) else found


def reason(ops: Iterable[Op], handlers: Handlers) -> tuple[str, str]:
    """Why what these ops raise cannot be caught, and what to write instead."""
    caught = {op.primitive for op in ops if handler_of(op, handlers)}
    if "check_index" in caught:
        return "an index that is out of range is caught", "Test it with `if`: `if i < len(items)`."
    if "call" in caught:
        what = "an exception is caught that a function out of line may raise: a routine of LAPACK, or a recursive one"
        return what, "Test for the condition with `if`, before the call."
    what = "an exception is caught that may be raised behind other effects"
    return what, "Test for the condition with `if` instead of catching an exception."
