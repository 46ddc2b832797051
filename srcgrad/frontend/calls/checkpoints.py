"""``checkpoint`` inside a function: a loop is marked with its budget, a function is one to be run again."""

from __future__ import annotations

from dataclasses import replace

from srcgrad.annotations.checkpoint import Checkpointed, checkpoint
from srcgrad.errors import ArgumentTypeError, UnsupportedError
from srcgrad.frontend.boundary.callables import python_function
from srcgrad.frontend.control.iteration import as_counted
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.operators import kind_of
from srcgrad.frontend.registry import Arguments, Keywords, function
from srcgrad.frontend.values import ArrayValue, Closure, Counted, Delayed, FrontValue, GrowingList, Static
from srcgrad.settings import BY_OPTION, in_bytes


@function(checkpoint, least=1, most=2)
def _checkpoint(lowering: Lowering, arguments: Arguments, keywords: Keywords) -> FrontValue:
    if other := sorted(set(keywords) - {"budget"}):
        hint = "It takes what a loop runs over, or a function, and a budget."
        lowering.refuse(None, f"checkpoint() with {', '.join(other)}", hint, ArgumentTypeError)
    what, *given = arguments
    budget = _budget(lowering, given[0] if given else keywords.get("budget", Static(None)))
    if isinstance(what, Counted | ArrayValue | Delayed | GrowingList):
        return replace(as_counted(lowering, what), budget=budget, once=True)
    if isinstance(what, Static) and python_function(what.value) is not None:
        return Static(Checkpointed(what.value))  # type: ignore[arg-type]  # it is callable
    if isinstance(what, Closure):
        hint = "Define it outside of this function, or put @checkpoint there, and pass what it takes from here."
        lowering.refuse(None, "checkpoint() of a function that is made while the program runs", hint, UnsupportedError)
    hint = "Write: for t in checkpoint(range(n), budget='64MB')."
    lowering.refuse(None, f"checkpoint() of {kind_of(what)}", hint, ArgumentTypeError)


def _budget(lowering: Lowering, value: FrontValue) -> int:
    if isinstance(value, Static) and value.value is None:
        return BY_OPTION
    try:
        assert isinstance(value, Static) and isinstance(value.value, int | str)
        return in_bytes(value.value)
    except (AssertionError, ValueError):
        hint = "Give the number of bytes, or a text like '64MB', that is known when the function is compiled."
        lowering.refuse(None, f"a budget that is {kind_of(value)}", hint, ArgumentTypeError)
