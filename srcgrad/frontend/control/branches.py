"""A branch on a run-time condition: both sides are lowered, and what they make different is merged.

::

    if c:                     with if_(c) as (y,):
        y = x * x                 def _():
    else:              ->             a: f64 = mul(x, x)
        y = x                         yield a
                                  def _():
                                      yield x

A side that ends in `raise` gives fillers. A variable with a value on one side only gets a flag beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass

from srcgrad.errors import Error, UnsupportedError
from srcgrad.frontend.calls.signatures import decided_by_integers
from srcgrad.frontend.control.merge import settle
from srcgrad.frontend.control.slots import Slot, joined, missing, operands_of, rebound, slot_of
from srcgrad.frontend.lowering import LowerAgainError, Lowering, UnresolvedError, Variable
from srcgrad.frontend.numbers.promotion import Number
from srcgrad.frontend.numbers.scalars import truth
from srcgrad.frontend.scope import Binding, Flagged, Missing, Pending
from srcgrad.frontend.values import FrontValue, Static
from srcgrad.ir.core import Block, Op, Operand, same
from srcgrad.ir.types import Scalar

Emit = Callable[[], FrontValue]


@dataclass(frozen=True, eq=False)
class Side:
    """What one side of a branch did."""

    ops: list[Op]
    names: dict[Variable, Binding]
    result: FrontValue
    dead: bool  # it ends in an exception


def branch(
    lowering: Lowering, condition: Number, then: Emit, otherwise: Emit, live: Container[str] | None = None
) -> FrontValue:
    """Lower both sides and return the merged value of the callbacks.

    ``live`` are the variables that may be read afterwards (None: all); others lose their value.
    """
    decided = truth(lowering.builder, condition)
    if isinstance(decided, Static):
        return then() if decided.value else otherwise()
    before = lowering.variables()
    sides = []
    for emit in (then, otherwise):
        sides.append(_run(lowering, emit, before))
        lowering.rebind(before)
    one, two = sides
    if one is None or two is None:
        return _adopt(lowering, one or two)
    lowering.dead = one.dead and two.dead
    changed = [] if lowering.dead else _changed(lowering, before, one, two, live)
    try:
        return _merge(lowering, decided.operand, one, two, changed)
    except LowerAgainError:
        raise
    except UnsupportedError as refused:  # one side may be all there is for an argument whose value is known
        raise decided_by_integers(lowering, decided.operand, refused) from None


def _run(lowering: Lowering, emit: Emit, before: dict[Variable, Binding]) -> Side | None:
    """Lower one side into a block of its own; None where it needs a result not known yet (see ``recursion``)."""
    with lowering.block() as ops:
        try:
            result = settle(lowering, emit())
        except UnresolvedError:
            return None
        except Error as error:
            if not lowering.may_end_in(error):
                raise
            lowering.end_in(error)
            result = Static(None)
        names = lowering.variables()
        for key, value in names.items():
            if value is not before.get(key) and not isinstance(value, Flagged | Missing | Pending):
                names[key] = settle(lowering, value)
        dead, lowering.dead = lowering.dead, False
        return Side(ops, names, result, dead)


def _adopt(lowering: Lowering, side: Side | None) -> FrontValue:
    if side is None:
        raise UnresolvedError
    lowering.rebind(side.names)
    return side.result


def _changed(
    lowering: Lowering, before: dict[Variable, Binding], one: Side, two: Side, live: Container[str] | None
) -> list[Variable]:
    """The variables to merge. Those that differ but are never read again are forgotten."""
    changed = []
    for key in dict.fromkeys([*one.names, *two.names]):
        old, first, second = before.get(key), one.names.get(key), two.names.get(key)
        if first is old and second is old:
            continue
        scope, name = key
        if live is None or scope is not lowering.scope or name in live or name in scope.shared:
            changed.append(key)
        else:
            scope.names.pop(name, None)
    return changed


def _merge(lowering: Lowering, condition: Operand, one: Side, two: Side, changed: list[Variable]) -> FrontValue:
    """Emit the `if`, give the changed variables their merged values, and return the merged result."""
    pairs: dict[Variable | None, list[Binding | None]] = {
        key: [one.names.get(key), two.names.get(key)] for key in changed
    }
    if not lowering.dead:
        pairs[None] = [one.result, two.result]
    found: list[dict[Variable | None, Slot | None]] = []
    for k, side in enumerate((one, two)):
        with lowering.seeing(side.names):
            found.append({} if side.dead else {key: slot_of(bindings[k]) for key, bindings in pairs.items()})
    slots: dict[Variable | None, Slot] = {}
    for key in pairs:
        alive = [sides[key] for sides in found if key in sides]
        fill = key is not None and (key[0].returns_early or lowering.is_filled(key))
        slot = joined(lowering, key[1] if key else "", alive, fill)
        if slot is not None:
            slots[key] = slot
        elif key is not None:
            key[0].names[key[1]] = missing(key[1])
    yields = []
    for k, side in enumerate((one, two)):
        with lowering.block(side.ops), lowering.seeing(side.names):
            chosen = ((None if side.dead else pairs[key][k], slot) for key, slot in slots.items())
            yields.append([x for binding, slot in chosen for x in operands_of(lowering, binding, slot)])
    names = [label for key, slot in slots.items() for label in slot.labels(key[1] if key else "")]
    operands = iter(emit_if(lowering, condition, (one.ops, two.ops), (yields[0], yields[1]), names))
    bindings_after = {key: rebound(lowering, slot, operands) for key, slot in slots.items()}
    result = bindings_after.pop(None, Static(None))
    for key, binding in bindings_after.items():
        assert key is not None
        key[0].names[key[1]] = binding
    assert not isinstance(result, Flagged | Missing | Pending)
    return result


def emit_if(
    lowering: Lowering,
    condition: Operand,
    ops: tuple[list[Op], list[Op]],
    yields: tuple[list[Operand], list[Operand]],
    names: list[str],
) -> Iterator[Operand]:
    """The `if` op of two blocks, or selects where neither computes; one operand per pair of yields."""
    differing = [k for k, (a, b) in enumerate(zip(*yields, strict=True)) if not same(a, b)]
    blocks = [Block((), tuple(side), tuple(y[k] for k in differing)) for side, y in zip(ops, yields, strict=True)]
    scalars = all(isinstance(yields[0][k].type, Scalar) for k in differing)
    merged: list[Operand] = list(yields[0])
    if not any(ops) and scalars:
        for k in differing:
            merged[k] = lowering.builder("select", condition, yields[0][k], yields[1][k], name=names[k])
    else:
        results = lowering.builder.emit("if", condition, blocks=blocks, names=[names[k] for k in differing])
        for k, value in zip(differing, results, strict=True):
            merged[k] = value
    return iter(merged)
