"""What both sweeps of a loop with checkpoints work with: the plan, the snapshots, and running from one to another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from srcgrad.differentiate.checkpoints import schedule
from srcgrad.differentiate.checkpoints.memory import copy, plain, row
from srcgrad.differentiate.checkpoints.segment import Segment
from srcgrad.frontend.calls.inline import inline
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Function, Operand, Value
from srcgrad.ir.types import INDEX, Array, Scalar, Type
from srcgrad.primitives.table import new_builder


def computed(builder: Builder, function: Callable[..., int], *operands: Operand) -> Operand:
    """What a function of integers gives, inlined."""
    (result,) = inline(builder, function, operands)
    return result


def as_callee(function: Callable[..., int]) -> Function:
    """A function of integers as a callee."""
    builder = new_builder()
    code = function.__code__
    parameters = [Value(INDEX, name) for name in code.co_varnames[: code.co_argcount]]
    builder.open(parameters)
    return Function(code.co_name, builder.close([computed(builder, function, *parameters)]))


ADVANCE = schedule.first_advance.__name__
LENGTH = schedule.unit_length.__name__


@dataclass(frozen=True, eq=False)
class Plan:
    """The numbers that both sweeps go by."""

    trips: Operand
    length: Operand  # iterations in a unit
    units: Operand
    slots: Operand

    @property
    def all(self) -> tuple[Operand, ...]:
        return (self.trips, self.length, self.units, self.slots)


@dataclass(frozen=True, eq=False)
class State:
    """The numbers and arrays with which an iteration starts."""

    scalars: tuple[Operand, ...]
    arrays: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What a segment takes beside the state."""

    filled: tuple[Value, ...]
    read: tuple[Value, ...]
    constants: tuple[Value, ...]

    @property
    def all(self) -> tuple[Value, ...]:
        return (*self.filled, *self.read, *self.constants)


@dataclass(frozen=True, eq=False)
class Snapshots:
    """Slots: where each snapshot was taken, counted in units, its numbers, and its arrays."""

    places: Value
    scalars: tuple[Value, ...]
    arrays: tuple[Value, ...]

    @property
    def all(self) -> tuple[Value, ...]:
        return (self.places, *self.scalars, *self.arrays)

    def take(self, builder: Builder, slot: Operand, place: Operand, state: State) -> None:
        builder.emit("store", self.places, slot, place)
        for kept, x in zip(self.scalars, state.scalars, strict=True):
            builder.emit("store", kept, slot, x)
        for kept, array in zip(self.arrays, state.arrays, strict=True):
            copy(builder, array, row(builder, kept, slot))

    def restore(self, builder: Builder, slot: Operand, arrays: Sequence[Value]) -> State:
        """The state in a slot, its arrays copied into these."""
        for kept, array in zip(self.arrays, arrays, strict=True):
            copy(builder, row(builder, kept, slot), array)
        numbers = [builder("load", kept, slot, name=name_in(kept)) for kept in self.scalars]
        return State(tuple(numbers), tuple(arrays))


def rows_of(kind: Type) -> Array:
    """The type of slots for values of some type."""
    if isinstance(kind, Scalar):
        return Array(kind.dtype, 1)
    assert isinstance(kind, Array)
    return Array(kind.dtype, kind.rank + 1, "C", frozenset(k + 1 for k in kind.ones))


def name_of_slots(value: Operand) -> str:
    return f"{getattr(value, 'name', '')}_snapshots".lstrip("_")


def name_in(slots: Value) -> str:
    """What is in a slot goes by the name that the slots are named after."""
    return slots.name.removesuffix("snapshots").removesuffix("_")


class Runner:
    """Runs the segment from one unit to another."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.loop = segment.loop

    def apart(self, carried: Sequence[Value]) -> tuple[State, tuple[Value, ...]]:
        """A state, and the arrays that the next one goes into, of what a loop over units carries."""
        numbers, arrays = len(self.loop.scalars), len(self.loop.arrays)
        state = State(tuple(carried[:numbers]), tuple(carried[numbers : numbers + arrays]))
        return state, tuple(carried[numbers + arrays :])

    def names(self) -> list[str]:
        """Of what such a loop carries."""
        loop = self.loop
        arrays = [v.name for v in loop.arrays]
        return [*(loop.carried[k].name for k in loop.scalars), *arrays, *(f"{n}_next" if n else "" for n in arrays)]

    def kinds(self) -> tuple[list[Type], list[Array]]:
        """The types of the numbers and the arrays of a state."""
        loop = self.loop
        return [loop.carried[k].type for k in loop.scalars], [plain(v) for v in loop.arrays]

    def run(
        self,
        builder: Builder,
        plan: Plan,
        at: Operand,
        advance: Operand,
        state: State,
        free: Sequence[Value],
        around: Surroundings,
    ) -> State:
        """Run some units from ``at`` on, into the free arrays."""
        start = builder("mul", at, plan.length)
        count = computed(builder, schedule.iterations_in, advance, at, plan.trips, plan.length)
        operands = (start, count, *state.scalars, *state.arrays, *free, *around.all)
        types = tuple(x.type for x in state.scalars)
        name = self.segment.function.name
        return replace(state, scalars=builder.emit("call", *operands, callee=name, types=types), arrays=tuple(free))
