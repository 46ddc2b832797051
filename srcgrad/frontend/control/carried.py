"""What a loop carries from one iteration to the next, found by lowering its body until the types agree.

A variable starts with the type it has before the loop. If an iteration leaves a wider one (an integer 0 that
becomes a float), the body is lowered again with the wider type. A variable without a value before the loop
gets a filler and a flag.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from srcgrad.frontend.control.merge import JoinError, dynamic, join, settle
from srcgrad.frontend.control.slots import Slot, joined, missing, operands_of, rebound, slot_of
from srcgrad.frontend.lowering import Lowering, UnresolvedError, Variable
from srcgrad.frontend.scope import Binding, Flagged, Missing, Pending
from srcgrad.ir.core import Block, Operand, Value

Slots = dict[Variable, Slot | None]
ATTEMPTS = 20  # each widens a type; there are not that many types


@dataclass(frozen=True)
class LoopVariables:
    """The variables of a loop: all its body may bind; those read at the start of an iteration; those read behind.

    ``runs``: the body is known to run at least once. ``leaves``: it may be left early; what follows then may read
    any array of the iteration (the expression of a `return` inside is evaluated behind the loop). ``key``
    identifies the loop in this activation.
    """

    assigned: frozenset[str]
    head: frozenset[str]
    after: frozenset[str]
    runs: bool
    leaves: bool
    key: object


def no_variables(key: object) -> LoopVariables:
    """Of a loop that binds none of the function's own variables."""
    nothing: frozenset[str] = frozenset()
    return LoopVariables(nothing, nothing, nothing, False, False, key)


@dataclass
class Part:
    """A block of a loop while it is made: what is bound at its start is its own copy of the carried variables."""

    extra: tuple[Value, ...]  # parameters before the carried ones
    parameters: dict[Variable, list[Value]]
    block: Block
    bindings: dict[Variable, Binding]  # at its end


# emits a block; gets its extra parameters and returns what it yields before the carried variables
EmitPart = Callable[..., Sequence[Operand]]


def variables_of(lowering: Lowering, loop: LoopVariables) -> list[Variable]:
    """The variables that an iteration may change: the function's own, and those shared with inner functions."""
    shared = [(s, name) for s in lowering.changeable() for name in sorted(s.shared)]
    own = [(lowering.scope, name) for name in sorted(loop.assigned)]
    return list(dict.fromkeys([*own, *shared]))


def is_read(lowering: Lowering, variable: Variable, names: frozenset[str]) -> bool:
    scope, name = variable
    return scope is not lowering.scope or name in names or name in scope.shared


def initial_slots(lowering: Lowering, loop: LoopVariables, entry: dict[Variable, Binding]) -> Slots:
    """How each variable is held at the start of an iteration, as a first guess; None: it has no value there."""
    slots: Slots = {}
    remembered = lowering.remembered.get(loop.key, {})
    for variable in variables_of(lowering, loop):
        live = [n for n in (loop.head, loop.after) if is_read(lowering, variable, n)]
        slot = slot_of(entry.get(variable)) if live else None
        if slot is not None:
            slot = _widened(variable[1], replace(slot, structure=dynamic(slot.structure)), remembered)
        slots[variable] = slot
    return slots


def _widened(name: str, slot: Slot, remembered: dict[str, Slot]) -> Slot:
    """Start with the type that an earlier lowering of the same loop ended with."""
    if name not in remembered:
        return slot
    before = remembered[name]
    try:
        structure = join(slot.structure, before.structure)
        return Slot(structure, slot.flagged or before.flagged, slot.none or before.none)
    except JoinError:
        return slot


def lower_part(
    lowering: Lowering,
    loop: LoopVariables,
    entry: dict[Variable, Binding],
    slots: Slots,
    extra: tuple[Value, ...],
    emit: EmitPart,
) -> Part:
    """Lower one block with fresh parameters for what is carried; the block's yields are filled in by ``closed``."""
    lowering.rebind(entry)
    parameters = {v: slot.values(v[1]) for v, slot in slots.items() if slot is not None}
    with lowering.block(parameters=(*extra, *(p for ps in parameters.values() for p in ps))) as ops:
        for variable, slot in slots.items():
            if slot is None:
                _without_value(lowering, loop, variable)
            else:
                variable[0].names[variable[1]] = rebound(lowering, slot, iter(parameters[variable]))
        first = _emitted(lowering, loop, slots, extra, emit)
        bindings = lowering.variables()
        for variable, binding in bindings.items():
            if binding is not entry.get(variable) and not isinstance(binding, Flagged | Missing | Pending):
                bindings[variable] = settle(lowering, binding)
        dead, lowering.dead = lowering.dead, False
    if dead:  # an iteration that ends in an exception leaves everything as it was
        bindings = {v: rebound(lowering, s, iter(parameters[v])) for v, s in slots.items() if s is not None}
    return Part(extra, parameters, Block((), tuple(ops), tuple(first)), bindings)


def _emitted(
    lowering: Lowering, loop: LoopVariables, slots: Slots, extra: tuple[Value, ...], emit: EmitPart
) -> Sequence[Operand]:
    try:
        return emit(*extra)
    except UnresolvedError:
        for (_, name), slot in slots.items():
            pending = lowering.pending.get((loop.key, name))
            if slot is None and pending is not None and pending.error is not None:
                raise pending.error from None
        raise


def _without_value(lowering: Lowering, loop: LoopVariables, variable: Variable) -> None:
    """A variable that has no value at the start of the first iteration; a later one may find that of the last."""
    scope, name = variable
    if is_read(lowering, variable, loop.head) and (scope is not lowering.scope or name in loop.assigned):
        scope.names[name] = lowering.pending.setdefault((loop.key, name), Pending())
    else:
        scope.names.pop(name, None)


def forget_pending(lowering: Lowering, loop: LoopVariables) -> None:
    for variable in variables_of(lowering, loop):
        lowering.pending.pop((loop.key, variable[1]), None)


def settled_slots(lowering: Lowering, loop: LoopVariables, found: Slots) -> None:
    """Refuse a variable that an iteration reads but that none gives a value one can carry."""
    for (_, name), slot in found.items():
        pending = lowering.pending.pop((loop.key, name), None)
        if slot is None and pending is not None and pending.error is not None:
            raise pending.error


def next_slots(lowering: Lowering, loop: LoopVariables, slots: Slots, bindings: dict[Variable, Binding]) -> Slots:
    """How each variable must be held, given what an iteration leaves in it."""
    found: Slots = {}
    variables = variables_of(lowering, loop)
    with lowering.seeing(bindings):
        left = {variable: slot_of(bindings.get(variable)) for variable in variables}
    for variable in variables:
        old, new = slots.get(variable), left[variable]
        fill = loop.leaves or lowering.is_filled(variable)
        if old is not None:
            found[variable] = joined(lowering, variable[1], [old, new], fill)
        elif new is not None and is_read(lowering, variable, loop.after | loop.head):
            held = replace(new, structure=dynamic(new.structure))
            runs = loop.runs and not is_read(lowering, variable, loop.head)
            found[variable] = joined(lowering, variable[1], [held] if runs else [held, None], fill)
        else:
            found[variable] = None
    return found


def is_stable(lowering: Lowering, loop: LoopVariables, slots: Slots, found: Slots) -> bool:
    """Whether lowering again with the slots found would change nothing in the body."""
    return all(
        slots.get(v) == slot or (slots.get(v) is None and not is_read(lowering, v, loop.head))
        for v, slot in found.items()
    )


def closed(lowering: Lowering, part: Part, slots: Slots, carries: bool) -> Block:
    """The finished block: parameters for every carried variable, and, if it ``carries``, their last values."""
    ops = list(part.block.ops)
    carried = [(v, slot) for v, slot in slots.items() if slot is not None]
    yields = list(part.block.yields)
    if carries:
        with lowering.block(ops), lowering.seeing(part.bindings):
            yields += [x for v, slot in carried for x in operands_of(lowering, part.bindings.get(v), slot)]
    parameters = [p for v, slot in carried for p in part.parameters.get(v) or slot.values(v[1])]
    return Block((*part.extra, *parameters), tuple(ops), tuple(yields))


def forget(slots: Slots) -> None:
    """Behind the loop a variable that is not carried has no value."""
    for (scope, name), slot in slots.items():
        if slot is None:
            scope.names.pop(name, None)


def mark_missing(lowering: Lowering, loop: LoopVariables, found: Slots, bindings: dict[Variable, Binding]) -> None:
    """Arrays that only an iteration gives a value cannot be read behind the loop; say why when they are."""
    for (scope, name), slot in found.items():
        if slot is None and bindings.get((scope, name)) is not None and is_read(lowering, (scope, name), loop.after):
            scope.names[name] = missing(name)
