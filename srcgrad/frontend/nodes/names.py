"""Reading and binding variables."""

from __future__ import annotations

from srcgrad.errors import Error, UnboundError, UnsupportedSyntaxError
from srcgrad.frontend.captures import from_python
from srcgrad.frontend.containers.list_state import will_hold
from srcgrad.frontend.lowering import LowerAgainError, Lowering, UnresolvedError, place_of
from srcgrad.frontend.scope import Binding, Flagged, Missing, Pending, Scope
from srcgrad.frontend.values import FrontValue, GrowingList, MaybeNone

UNBOUND = "cannot access local variable {!r} where it is not associated with a value"


def load(lowering: Lowering, name: str) -> FrontValue:
    """The value of a name where it is read; of a variable that may be None, a ``MaybeNone``."""
    owner = lowering.scope.owner(name)
    if owner is None:
        return _load_outside(lowering, name)
    binding = owner.names.get(name)
    if isinstance(binding, Pending):
        binding.error = binding.error or _unbound(lowering, name)
        raise UnresolvedError
    if isinstance(binding, Missing):
        raise _filled_again(lowering, owner, name, binding)
    if binding is None:
        raise _unbound(lowering, name)
    if isinstance(binding, Flagged) and binding.none:
        return MaybeNone(binding.value, binding.bound, name)
    if isinstance(binding, Flagged):
        lowering.builder.emit("check", binding.bound, exception="UnboundLocalError", message=UNBOUND.format(name))
        return binding.value
    if isinstance(binding, GrowingList):
        will_hold(lowering, binding)
    return binding


def _filled_again(lowering: Lowering, owner: Scope, name: str, binding: Missing) -> LowerAgainError:
    """An array that has a value on some paths only is read, which is known to happen from now on."""
    error = lowering.error(None, binding.reason, binding.hint, LowerAgainError)
    assert isinstance(error, LowerAgainError)
    error.note = lambda again: again.filled.add(place_of(owner, name))
    return error


def _unbound(lowering: Lowering, name: str) -> Error:
    hint = f"Give {name!r} a value on every path that leads here."
    return lowering.error(None, f"{name!r} has no value here", hint, UnboundError)


def _load_outside(lowering: Lowering, name: str) -> FrontValue:
    capture = lowering.scope.capture(name)
    if capture is None:
        lowering.refuse(None, f"name {name!r} is not defined", error=UnboundError)
    try:
        value = capture.read()
    except ValueError:  # an empty cell
        lowering.refuse(None, f"{name!r} has no value yet in the enclosing function", error=UnboundError)
    return from_python(lowering, capture, value)


def forget(lowering: Lowering, name: str) -> None:
    """``del name`` of a variable that has a value."""
    owner = lowering.scope.owner(name)
    if owner is not None:
        owner.names.pop(name, None)


def store(lowering: Lowering, name: str, value: FrontValue) -> None:
    """Bind a name."""
    scope = lowering.scope
    if name in scope.global_names:
        lowering.refuse(None, f"assignment to the global {name!r}", "Return the value instead.", UnsupportedSyntaxError)
    owner = scope.owner(name)
    if owner is None:
        lowering.refuse(
            None,
            f"assignment to {name!r} of an enclosing function",
            "Return the value instead.",
            UnsupportedSyntaxError,
        )
    owner.names[name] = as_binding(value)


def as_binding(value: FrontValue) -> Binding:
    """How a variable holds a value."""
    return Flagged(value.some, value.given, none=True) if isinstance(value, MaybeNone) else value
