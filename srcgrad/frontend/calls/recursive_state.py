"""Variables around a recursive function that it changes: further parameters and results of each of its calls.

So is the memory of a list that grows in a recursion, or of the dict in which its results are kept. That is copied on
entry, so that what a call gives shares no memory with what it was given; nobody else sees it. The user's arrays are not
copied: other names may hold them, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from srcgrad.frontend.arrays.delayed import copy
from srcgrad.frontend.control.merge import dynamic
from srcgrad.frontend.control.slots import Slot, joined, operands_of, rebound, slot_of
from srcgrad.frontend.lowering import Lowering, Variable
from srcgrad.frontend.scope import Binding
from srcgrad.frontend.values import ArrayValue, ScalarValue, TupleValue
from srcgrad.ir.core import Operand, Value
from srcgrad.ir.types import Array

State = dict[Variable, Slot]


def changed_state(lowering: Lowering, before: Mapping[Variable, Binding], known: State) -> State:
    """The variables that differ from ``before``, with those already known, and how they are held."""
    after, state = lowering.variables(), dict(known)
    for key, value in before.items():
        if key not in known and is_same(after.get(key), value):
            continue
        slots = [slot_of(value), slot_of(after.get(key)), *([known[key]] if key in known else [])]
        loose = [None if s is None else replace(s, structure=dynamic(s.structure)) for s in slots]
        found = joined(lowering, key[1], loose)
        if found is None:
            hint = "Give it a value before the function is called, or return the value instead."
            lowering.refuse(None, f"a recursive function assigns to {key[1]!r} around it", hint)
        state[key] = found
    return state


def is_same(a: object, b: object) -> bool:
    """Whether a variable still holds what it held; where branches meet, tuples are made anew of the same items."""
    if isinstance(a, ScalarValue) and isinstance(b, ScalarValue):
        return a.operand is b.operand
    if isinstance(a, ArrayValue) and isinstance(b, ArrayValue):
        return a.ref is b.ref
    if isinstance(a, TupleValue) and isinstance(b, TupleValue) and len(a.items) == len(b.items):
        return all(map(is_same, a.items, b.items))
    return a is b


def parameters_of(state: State) -> dict[Variable, list[Value]]:
    """Fresh values to hold the variables inside the function."""
    return {key: slot.values(key[1]) for key, slot in state.items()}


def enter(lowering: Lowering, state: State, parameters: Mapping[Variable, list[Value]]) -> None:
    """Bind the variables to their parameters, the memory of lists to copies of it."""
    for key, slot in state.items():
        of_list = not key[1].isidentifier()
        own: list[Operand] = []
        for p in parameters[key]:
            own.append(copy(lowering.builder, ArrayValue(p)).ref if of_list and isinstance(p.type, Array) else p)
        key[0].names[key[1]] = rebound(lowering, slot, iter(own))


def operands(lowering: Lowering, state: State) -> list[Operand]:
    """What carries the variables as they are now."""
    return [x for key, slot in state.items() for x in operands_of(lowering, key[0].names.get(key[1]), slot)]


def leave(lowering: Lowering, state: State, results: Iterator[Operand]) -> None:
    """Bind the variables to what a call has made of them."""
    for key, slot in state.items():
        key[0].names[key[1]] = rebound(lowering, slot, results)
