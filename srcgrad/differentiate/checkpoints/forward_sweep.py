"""The forward sweep of a loop with checkpoints, as a function: it runs from snapshot to snapshot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from srcgrad.differentiate.checkpoints import schedule
from srcgrad.differentiate.checkpoints.memory import copied, extents_of, kind_of, memory, plain
from srcgrad.differentiate.checkpoints.segment import Segment
from srcgrad.differentiate.checkpoints.sizes import bytes_per_iteration, state_bytes
from srcgrad.differentiate.checkpoints.snapshots import (
    ADVANCE,
    LENGTH,
    Plan,
    Runner,
    Snapshots,
    State,
    Surroundings,
    computed,
    name_of_slots,
)
from srcgrad.ir.core import Function, Operand, Value, index
from srcgrad.ir.types import INDEX, Array, Scalar
from srcgrad.primitives.table import new_builder


def forward_sweep(segment: Segment, name: str, budget: int, pullback: Function) -> Function:
    """Of the loop's operands: its results, then what the backward sweep needs. ``pullback`` shows what a unit keeps."""
    return _Forward(segment, budget, pullback).function(name)


class _Forward(Runner):
    def __init__(self, segment: Segment, budget: int, pullback: Function) -> None:
        super().__init__(segment)
        self.budget = budget
        self.pullback = pullback
        self.builder = new_builder()

    def function(self, name: str) -> Function:
        loop, builder = self.loop, self.builder
        given = [Value(x.type, getattr(x, "name", "")) for x in loop.operands]
        builder.open(given)
        builder.location = loop.op.location
        parts = iter(given)
        trips = next(parts)
        scalars = tuple(taken(parts, len(loop.scalars)))
        initial = taken(parts, len(loop.arrays))
        around = Surroundings(
            tuple(copied(builder, v, kind_of(v)) for v in taken(parts, len(loop.filled))),
            tuple(taken(parts, len(loop.read))),
            tuple(parts),
        )
        state = State(scalars, tuple(copied(builder, v, plain(v)) for v in initial))
        plan = self._plan(trips, state, around)
        snapshots = self._snapshots(plan, state)
        count, state = self._sweep(plan, snapshots, state, around)
        results = (*state.scalars, *self._results(state), *around.filled)
        return Function(name, builder.close((*results, *plan.all, count, *snapshots.all, *around.all)))

    def _plan(self, trips: Operand, state: State, around: Surroundings) -> Plan:
        builder = self.builder
        extents = [extents_of(builder, v) for v in state.arrays]
        size = state_bytes(builder, state.scalars, zip(state.arrays, extents, strict=True))
        start, count, *others = self.pullback.parameters
        operands = (*state.scalars, *state.arrays, *state.arrays, *around.all)
        known = dict(zip(others, operands, strict=False))  # behind them there are shadows and cotangents
        step = bytes_per_iteration(builder, self.pullback, count, {start: index(0), **known})
        budget = index(self.budget)
        (length,) = builder.emit("call", trips, budget, size, step, callee=LENGTH, types=(INDEX,), names=("length",))
        units = computed(builder, schedule.units_of, trips, length)
        return Plan(trips, length, units, computed(builder, schedule.slots_for, units, length, budget, size, step))

    def _snapshots(self, plan: Plan, state: State) -> Snapshots:
        builder = self.builder

        def slots(x: Operand, extents: Sequence[Operand]) -> Value:
            assert isinstance(x.type, Array | Scalar)
            name = name_of_slots(x)
            return builder(
                "alloc", plan.slots, *extents, dtype=x.type.dtype, fill="empty", name=name, snapshots=self.budget
            )

        places = builder("alloc", plan.slots, dtype=INDEX.dtype, fill="empty", name="taken_at")
        arrays = tuple(slots(v, extents_of(builder, v)) for v in state.arrays)
        numbers = [self.loop.carried[k] for k in self.loop.scalars]
        return Snapshots(places, tuple(slots(x, ()) for x in numbers), arrays)

    def _sweep(self, plan: Plan, snapshots: Snapshots, state: State, around: Surroundings) -> tuple[Operand, State]:
        """Run to the end, taking snapshots; how many were taken, and the last state."""
        builder = self.builder
        free = [
            memory(builder, plain(v), extents_of(builder, v), f"{v.name}_next" if v.name else "") for v in state.arrays
        ]

        def going(at: Value, *_: Value) -> Operand:
            return builder("lt", at, plan.units)

        def on(at: Value, count: Value, *carried: Value) -> Sequence[Operand]:
            now, free = self.apart(carried)
            snapshots.take(builder, count, at, now)
            left, slots = builder("sub", plan.units, at), builder("sub", plan.slots, count)
            (advance,) = builder.emit("call", left, slots, callee=ADVANCE, types=(INDEX,), names=("advance",))
            then = self.run(builder, plan, at, advance, now, free, around)
            after = builder("add", at, advance), builder("add", count, index(1))
            return (*after, *then.scalars, *then.arrays, *now.arrays)

        initial = (index(0), index(0), *state.scalars, *state.arrays, *free)
        _, count, *behind = builder.while_(initial, going, on, ["at", "taken", *self.names()])
        return count, self.apart(behind)[0]

    def _results(self, state: State) -> list[Value]:
        """The arrays of the last state in memory of their own, of the types that the loop gives them."""
        loop = self.loop
        kinds = [*(kind_of(loop.op.results[k]) for k in loop.references), *(plain(v) for v in loop.changed)]
        return [copied(self.builder, array, kind) for array, kind in zip(state.arrays, kinds, strict=True)]


def taken(items: Iterator[Value], count: int) -> list[Value]:
    return [next(items) for _ in range(count)]
