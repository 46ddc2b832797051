"""How a variable crosses a branch or a loop: the structure of its values, and a flag where it may have none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from srcgrad.frontend.boundary.structure import Structure
from srcgrad.frontend.control.merge import (
    NONE,
    JoinError,
    contents,
    escapes,
    fillers,
    flatten,
    freeze,
    has_array,
    holds_operands,
    identified,
    join,
    outlives,
    rebuild,
    refuse_join,
    types_of,
)
from srcgrad.frontend.control.one_of_lists import with_lists_carried
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.scope import Binding, Flagged, Missing, Pending
from srcgrad.frontend.values import Static as ValueKnown
from srcgrad.ir.core import Const, Operand, Value, truth
from srcgrad.ir.types import TRUTH, Type


@dataclass(frozen=True)
class Slot:
    """``flagged``: the variable may have no value, and a flag beside it says so; ``none``: then it is None."""

    structure: Structure
    flagged: bool = False
    none: bool = False

    @property
    def types(self) -> list[Type]:
        return [*types_of(self.structure), *([TRUTH] if self.flagged else [])]

    def values(self, name: str) -> list[Value]:
        """Fresh values to hold a variable of this name."""
        return [Value(type_, label) for type_, label in zip(self.types, self.labels(name), strict=True)]

    def labels(self, name: str) -> list[str]:
        name = name.removeprefix(".")  # of a variable that is not the user's
        flag = [f"{name}_is_bound"] if self.flagged else []
        return [name] * (len(self.types) - len(flag)) + flag


def slot_of(binding: Binding | None) -> Slot | None:
    """How a variable is held now; None where it has no value."""
    if binding is None or isinstance(binding, Missing | Pending):
        return None
    if isinstance(binding, Flagged):
        return Slot(identified(binding.value), flagged=True, none=binding.none)
    return Slot(identified(binding))


def joined(lowering: Lowering, name: str, slots: Sequence[Slot | None], fill: bool = False) -> Slot | None:
    """The slot that holds all of these; None where there is none.

    There is none for an array that may be missing, unless it is to be filled with an empty one (``fill``).
    """
    present = [s for s in slots if s is not None]
    if not present:
        return None
    if _may_be_none(lowering, name, slots):
        some = joined(lowering, name, [Slot(s.structure) for s in present if s.structure != NONE], fill=True)
        return None if some is None else Slot(some.structure, flagged=True, none=True)
    unchanged = len(present) == len(slots) > 1 and len(set(present)) == 1
    if not unchanged and any(escapes(lowering, s.structure) for s in present):
        what = f"{_spelled(lowering, name)} is a function made by a call inside a branch or loop, and used behind it"
        lowering.refuse(None, what, "Call it inside only, or make it before the branch or loop.")
    flagged = len(present) < len(slots) or any(s.flagged for s in present)
    parts = [s.structure if outlives(lowering, s.structure) else contents(s.structure) for s in present]
    structure = parts[0]
    try:
        for other in parts[1:]:
            structure = join(structure, other)
    except JoinError as fault:
        refused = refuse_join(lowering, _spelled(lowering, name), fault)
        refused.changes_type = fault.leaves
        raise refused from None
    if holds_operands(structure):
        structure = with_lists_carried(structure)
    for s in present:
        if s.structure != structure:
            freeze(s.structure)
    if holds_operands(structure):
        what = _spelled(lowering, name)
        hint = "Make it before the branch or loop, or use it inside only."
        lowering.refuse(None, f"{what} holds run-time values from inside a branch or loop", hint)
    known = flagged and not fill and not any(s.flagged for s in present)
    return None if known and has_array(structure) else Slot(structure, flagged)


def _may_be_none(lowering: Lowering, name: str, slots: Sequence[Slot | None]) -> bool:
    """Whether a variable of the user's is None on some paths, and has a value of its own on all others."""
    if not name.isidentifier() or name in lowering.scope.made_names:
        return False
    values = [s for s in slots if s is not None and s.structure != NONE]
    if len(values) == 0 or any(s is None or (s.flagged and not s.none) for s in slots):
        return False
    return len(values) < len(slots) or any(s.none for s in values)


def _spelled(lowering: Lowering, name: str) -> str:
    """A variable in the user's words; ``normalize`` holds the result of a function in one of its own."""
    if not name:
        return "the value"
    return "the result" if name in lowering.scope.made_names else repr(name)


def missing(name: str) -> Missing:
    """What becomes of an array that has a value on some paths only."""
    return Missing(f"the array {name!r} may not have a value here", f"Give {name!r} a value before the branch or loop.")


def operands_of(lowering: Lowering, binding: Binding | None, slot: Slot) -> list[Operand]:
    """The operands that carry a binding in a slot."""
    flag: list[Operand] = [truth(True)] if slot.flagged else []
    is_none = slot.none and isinstance(binding, ValueKnown) and binding.value is None
    if binding is None or is_none or isinstance(binding, Missing | Pending):
        return [*fillers(lowering, slot.structure), *([truth(False)] if slot.flagged else [])]
    if isinstance(binding, Flagged):
        assert slot.flagged
        return [*flatten(lowering, binding.value, slot.structure), binding.bound]
    return [*flatten(lowering, binding, slot.structure), *flag]


def rebound(lowering: Lowering, slot: Slot, operands: Iterator[Operand]) -> Binding:
    """The binding that operands stand for."""
    value = rebuild(lowering, slot.structure, operands)
    if not slot.flagged:
        return value
    bound = next(operands)
    if isinstance(bound, Const) and (bound.value or slot.none):
        return value if bound.value else ValueKnown(None)
    return Flagged(value, bound, slot.none)
