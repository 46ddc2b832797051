"""The forward and the backward sweep of a loop with checkpoints, as two functions.

The forward sweep runs from snapshot to snapshot. The backward sweep reverses one unit after another, from the last:
it goes to the last snapshot in front of the unit, runs from there to the unit (taking snapshots where slots have
become free) and calls the pullback of the segment, which runs the unit once more and reverses it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from srcgrad.differentiate.activity import differentiable
from srcgrad.differentiate.checkpoints import schedule
from srcgrad.differentiate.checkpoints.memory import copied, copy, extents_of, memory, ordered, plain, row, when
from srcgrad.differentiate.checkpoints.segment import Segment
from srcgrad.differentiate.checkpoints.sizes import bytes_per_iteration, computed, state_bytes
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Function, Operand, Value, index, zero_like
from srcgrad.ir.rewrite import fresh
from srcgrad.ir.types import INDEX, Array, Scalar
from srcgrad.primitives.table import new_builder

T = TypeVar("T")


def units_of(trips: int, length: int) -> int:
    return (trips + length - 1) // length


def next_stop(units: int, slots: int) -> int:
    """How many units to run from a snapshot, the last one to be taken or not."""
    if units < 2 or slots < 2:
        return units
    return schedule.first_advance(units, slots)


def iterations_of(trips: int, length: int, first: int, units: int) -> int:
    """How many iterations there are in so many units from the first on; the last unit may be shorter."""
    return min(units * length, trips - first * length)


@dataclass(frozen=True, eq=False)
class Plan:
    """The numbers that both sweeps go by."""

    trips: Operand
    length: Operand  # iterations in a unit
    units: Operand
    slots: Operand


@dataclass(frozen=True, eq=False)
class Storage:
    """Snapshots: where each was taken, counted in units, its numbers, and its arrays."""

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
        return State(tuple(builder("load", kept, slot) for kept in self.scalars), tuple(arrays))


@dataclass(frozen=True, eq=False)
class State:
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


class Sweeps:
    """Builds both functions for a segment, its pullback and a budget in bytes."""

    def __init__(self, segment: Segment, name: str, budget: int) -> None:
        self.segment = segment
        self.loop = segment.loop
        self.name = name
        self.budget = budget

    # -- forward ------------------------------------------------------------------------------------------

    def forward(self, pullback: Function) -> Function:
        """Of the loop's operands: the results, then what the backward sweep needs."""
        loop = self.loop
        builder = new_builder()
        given = [Value(x.type, getattr(x, "name", "")) for x in loop.operands]
        builder.open(given)
        parts = iter(given)
        trips = next(parts)
        scalars = tuple(_take(parts, len(loop.scalars)))
        initial = tuple(_take(parts, len(loop.arrays)))
        around = Surroundings(
            tuple(copied(builder, v, _kind(v)) for v in _take(parts, len(loop.filled))),
            tuple(_take(parts, len(loop.read))),
            tuple(parts),
        )
        state = State(scalars, tuple(copied(builder, v, plain(v)) for v in initial))
        plan = self._plan(builder, trips, state, around, pullback)
        storage = self._storage(builder, plan, state)
        taken, state = self._first_sweep(builder, plan, storage, state, around)
        arrays = self._results(builder, state)
        results = (*state.scalars, *arrays, *around.filled)
        residuals = (plan.trips, plan.length, plan.units, plan.slots, taken, *storage.all, *around.all)
        return Function(f"{self.name}_forward", builder.close((*results, *residuals)))

    def _plan(
        self, builder: Builder, trips: Operand, state: State, around: Surroundings, pullback: Function
    ) -> Plan:
        extents = [extents_of(builder, v) for v in state.arrays]
        size = state_bytes(builder, state.scalars, zip(state.arrays, extents, strict=True))
        start, count, *others = pullback.parameters
        operands = (*state.scalars, *state.arrays, *state.arrays, *around.all)
        known = dict(zip(others, operands, strict=False))  # behind them there are shadows and cotangents
        step = bytes_per_iteration(builder, pullback, count, {start: index(0), **known})
        budget = index(self.budget)
        length = computed(builder, schedule.unit_length, trips, budget, size, step)
        units = computed(builder, units_of, trips, length)
        slots = computed(builder, schedule.slots_for, units, length, budget, size, step)
        return Plan(trips, length, units, slots)

    def _storage(self, builder: Builder, plan: Plan, state: State) -> Storage:
        def kept(x: Operand, extents: Sequence[Operand]) -> Value:
            name = getattr(x, "name", "")
            assert isinstance(x.type, Array | Scalar)
            return builder(
                "alloc", plan.slots, *extents, dtype=x.type.dtype, fill="empty", name=f"{name}_snapshots".lstrip("_")
            )

        places = builder("alloc", plan.slots, dtype=INDEX.dtype, fill="empty", name="snapshots_at")
        arrays = tuple(kept(v, extents_of(builder, v)) for v in state.arrays)
        return Storage(places, tuple(kept(x, ()) for x in state.scalars), arrays)

    def _first_sweep(
        self, builder: Builder, plan: Plan, storage: Storage, state: State, around: Surroundings
    ) -> tuple[Operand, State]:
        """Run to the end, taking snapshots; how many were taken, and the last state."""
        spare = _like(builder, state.arrays)

        def going(at: Value, *_: Value) -> Operand:
            return builder("lt", at, plan.units)

        def on(at: Value, taken: Value, *carried: Value) -> Sequence[Operand]:
            now, free = self._taken_apart(carried)
            storage.take(builder, taken, at, now)
            units = builder("sub", plan.units, at)
            advance = computed(builder, next_stop, units, builder("sub", plan.slots, taken))
            then = self._run(builder, plan, at, advance, now, free, around)
            return (builder("add", at, advance), builder("add", taken, index(1)), *then, *now.arrays)

        initial = (index(0), index(0), *state.scalars, *state.arrays, *spare)
        names = ["at", "taken", *self._names(), *self._names(arrays_only=True)]
        _, taken, *behind = builder.while_(initial, going, on, names)
        return taken, self._taken_apart(behind)[0]

    def _results(self, builder: Builder, state: State) -> list[Value]:
        """The arrays of the last state in memory of their own, of the types that the loop gives them."""
        loop = self.loop
        kinds = [loop.op.results[k].type for k in loop.references] + [plain(v) for v in loop.changed]
        found = []
        for array, kind in zip(state.arrays, kinds, strict=True):
            assert isinstance(kind, Array)
            found.append(copied(builder, array, kind))
        return found

    def _run(
        self,
        builder: Builder,
        plan: Plan,
        at: Operand,
        units: Operand,
        state: State,
        free: Sequence[Value],
        around: Surroundings,
    ) -> list[Operand]:
        """Run some units from ``at`` on, into the free arrays; the numbers and the arrays behind them."""
        start = builder("mul", at, plan.length)
        count = computed(builder, iterations_of, plan.trips, plan.length, at, units)
        operands = (start, count, *state.scalars, *state.arrays, *free, *around.all)
        types = tuple(x.type for x in state.scalars)
        name = self.segment.function.name
        return [*builder.emit("call", *operands, callee=name, types=types), *free]

    # -- backward -----------------------------------------------------------------------------------------

    def backward(self, pullback: str, active: Sequence[bool], into: Sequence[bool]) -> Function:
        """Of the residuals and the cotangents of the floating results: the cotangents of the operands ``into``.

        ``active`` says of the numbers, the arrays of the state, those filled and read and of the constants which the
        pullback has a cotangent for.
        """
        return _Backward(self, pullback, active, into).function()

    def _taken_apart(self, carried: Sequence[Value]) -> tuple[State, tuple[Value, ...]]:
        """A state and the arrays that the next one goes into."""
        numbers, arrays = len(self.loop.scalars), len(self.loop.arrays)
        state = State(tuple(carried[:numbers]), tuple(carried[numbers : numbers + arrays]))
        return state, tuple(carried[numbers + arrays :])

    def _names(self, *, arrays_only: bool = False) -> list[str]:
        loop = self.loop
        numbers = [] if arrays_only else [loop.carried[k].name for k in loop.scalars]
        return [*numbers, *(v.name for v in loop.arrays)]


class _Backward:
    """The backward sweep while it is built."""

    def __init__(self, sweeps: Sweeps, pullback: str, active: Sequence[bool], into: Sequence[bool]) -> None:
        self.sweeps = sweeps
        self.loop = sweeps.loop
        self.pullback = pullback
        flags = iter(active)
        loop = self.loop
        self.scalars, self.arrays, self.filled, self.read, self.constants = (
            list(_take(flags, len(part)))
            for part in (loop.scalars, loop.arrays, loop.filled, loop.read, loop.constants)
        )
        self.into = into
        self.builder = new_builder()

    def function(self) -> Function:
        loop, builder = self.loop, self.builder
        state_types = [loop.carried[k].type for k in loop.scalars], [plain(v) for v in loop.arrays]
        numbers = [Value(INDEX, n) for n in ("trips", "length", "units", "slots", "taken")]
        places = Value(Array(INDEX.dtype, 1), "snapshots_at")
        kept = [Value(_rows(t), "snapshots") for part in state_types for t in part]
        around = Surroundings(
            tuple(Value(_kind(v), v.name) for v in loop.filled),
            tuple(fresh(v) for v in loop.read),
            tuple(fresh(v) for v in loop.constants),
        )
        results = [*(loop.op.results[k] for k in (*loop.scalars, *loop.references)), *loop.changed, *loop.filled]
        kinds = [r.type for r in results]
        kinds[len(loop.scalars) + len(loop.references) :] = [plain(v) for v in loop.changed] + [
            _kind(v) for v in loop.filled
        ]
        cts = [Value(t, "ct") if differentiable(r) else None for r, t in zip(results, kinds, strict=True)]
        builder.open((*numbers, places, *kept, *around.all, *(ct for ct in cts if ct is not None)))
        plan = Plan(*numbers[:4])
        count = len(loop.scalars)
        storage = Storage(places, tuple(kept[:count]), tuple(kept[count:]))
        adjoints = self._sweep(plan, numbers[4], storage, around, cts)
        wanted = [x for x, chosen in zip(adjoints, self.into, strict=True) if chosen]
        assert all(x is not None for x in wanted)
        return Function(f"{self.sweeps.name}_backward", builder.close([x for x in wanted if x is not None]))

    def _sweep(
        self, plan: Plan, taken: Operand, storage: Storage, around: Surroundings, cts: Sequence[Value | None]
    ) -> list[Operand | None]:
        """Reverse unit by unit; the adjoint of each operand of the loop but the trip count, None for no derivative."""
        loop, builder = self.loop, self.builder
        numbers, arrays = len(loop.scalars), len(loop.arrays)
        scalar_cts, array_cts, filled_cts = cts[:numbers], cts[numbers : numbers + arrays], cts[numbers + arrays :]
        behind = [copied(builder, ct, plain(ct)) for ct, a in zip(array_cts, self.arrays, strict=True) if a and ct]
        front = [memory(builder, plain(v), extents_of(builder, v), v.name, "zeros") for v in behind]
        filled = [copied(builder, ct, ordered(ct)) for ct, a in zip(filled_cts, self.filled, strict=True) if a and ct]
        read = [
            memory(builder, ordered(v), extents_of(builder, v), f"{v.name}_bar", "zeros")
            for v, a in zip(around.read, self.read, strict=True)
            if a
        ]
        work = [self._work(v) for v in storage.arrays], [self._work(v) for v in storage.arrays]
        starts = [ct for ct, a in zip(scalar_cts, self.scalars, strict=True) if a and ct is not None]
        totals = [zero_like(v) for v, a in zip(around.constants, self.constants, strict=True) if a]

        def reversed_unit(k: Value, taken: Value, *carried: Value) -> Sequence[Operand]:
            given = iter(carried)
            scalars = _take(given, len(starts))
            sums = _take(given, len(totals))
            behind_now, front_now = _take(given, len(behind)), _take(given, len(front))
            unit = builder("sub", builder("sub", plan.units, index(1)), k)
            taken, state, free = self._reach(plan, unit, taken, storage, around, work)
            shadows = self._shadows(behind_now, front_now, filled, read)
            seeds = self._seeds(scalars)
            found = iter(self._call(plan, unit, state, free, around, shadows, seeds))
            adjoints = [next(found) for _ in starts]
            added = [builder("add", total, next(found)) for total in sums]
            return (self._left(unit, taken, storage), *adjoints, *added, *front_now, *behind_now)

        initial = (taken, *starts, *totals, *behind, *front)
        left = builder.for_(plan.units, initial, reversed_unit, ["taken"], counter="k")
        found = iter(left[1:])
        scalars = _spread(_take(found, len(starts)), self.scalars)
        sums = _spread(_take(found, len(totals)), self.constants)
        states = _spread(_take(found, len(behind)), self.arrays)
        return [*scalars, *states, *_spread(filled, self.filled), *_spread(read, self.read), *sums]

    def _work(self, rows: Value) -> Value:
        """Memory for one of the arrays that snapshots are rows of."""
        assert isinstance(rows.type, Array)
        kind = Array(rows.type.dtype, rows.type.rank - 1, "C", frozenset(k - 1 for k in rows.type.ones))
        return memory(self.builder, kind, extents_of(self.builder, rows)[1:], rows.name)

    def _reach(
        self,
        plan: Plan,
        unit: Operand,
        taken: Operand,
        storage: Storage,
        around: Surroundings,
        work: tuple[list[Value], list[Value]],
    ) -> tuple[Operand, State, tuple[Value, ...]]:
        """From the last snapshot to the start of the unit; how many snapshots there are then, and the state."""
        builder, sweeps = self.builder, self.sweeps
        last = builder("sub", taken, index(1))
        place = builder("load", storage.places, last)
        state = storage.restore(builder, last, work[0])

        def going(at: Value, *_: Value) -> Operand:
            return builder("lt", at, unit)

        def on(at: Value, taken: Value, *carried: Value) -> Sequence[Operand]:
            now, free = sweeps._taken_apart(carried)
            slots = builder("add", builder("sub", plan.slots, taken), index(1))
            advance = computed(builder, advance_to_unit, unit, at, slots)
            numbers, arrays = len(now.scalars), len(now.arrays)
            then = sweeps._run(builder, plan, at, advance, now, free, around)
            there = builder("add", at, advance)
            keeps = builder("and_", builder("lt", there, unit), builder("lt", taken, plan.slots))
            reached = State(tuple(then[:numbers]), tuple(free))
            assert len(then) == numbers + arrays
            when(builder, keeps, lambda: storage.take(builder, taken, there, reached))
            more = builder("select", keeps, index(1), index(0))
            return (there, builder("add", taken, more), *then, *now.arrays)

        initial = (place, taken, *state.scalars, *state.arrays, *work[1])
        names = ["at", "taken", *sweeps._names(), *sweeps._names(arrays_only=True)]
        _, taken_now, *behind = builder.while_(initial, going, on, names)
        reached, free = sweeps._taken_apart(behind)
        return taken_now, reached, free

    def _left(self, unit: Operand, taken: Operand, storage: Storage) -> Operand:
        """How many snapshots are left when a unit is reversed: that at its start is not needed any more."""
        builder = self.builder
        last = builder("sub", taken, index(1))
        here = builder("eq", builder("load", storage.places, last), unit)
        return builder("select", here, last, taken)

    def _shadows(
        self, behind: Sequence[Value], front: Sequence[Value], filled: Sequence[Value], read: Sequence[Value]
    ) -> list[Value]:
        """In the order of the segment's arrays: inputs, outputs, filled, read."""
        return [*front, *behind, *filled, *read]

    def _seeds(self, scalars: Sequence[Value]) -> list[Operand]:
        """The cotangents of all floating numbers of the state."""
        given = iter(scalars)
        seeds: list[Operand] = []
        for k, active in zip(self.loop.scalars, self.scalars, strict=True):
            if active:
                seeds.append(next(given))
            elif differentiable(self.loop.carried[k]):
                seeds.append(zero_like(self.loop.carried[k]))
        return seeds

    def _call(
        self,
        plan: Plan,
        unit: Operand,
        state: State,
        free: Sequence[Value],
        around: Surroundings,
        shadows: Sequence[Value],
        seeds: Sequence[Operand],
    ) -> Sequence[Operand]:
        """The adjoints of the active numbers, then of the active constants."""
        builder = self.builder
        start = builder("mul", unit, plan.length)
        count = computed(builder, iterations_of, plan.trips, plan.length, unit, index(1))
        operands = (start, count, *state.scalars, *state.arrays, *free, *around.all, *shadows, *seeds)
        types = [x.type for x, a in zip(state.scalars, self.scalars, strict=True) if a]
        types += [x.type for x, a in zip(around.constants, self.constants, strict=True) if a]
        return builder.emit("call", *operands, callee=self.pullback, types=tuple(types))


def advance_to_unit(unit: int, at: int, slots: int) -> int:
    """How many units to run from the snapshot at ``at`` on the way to the unit, which is the last to be reversed."""
    if slots < 2:
        return unit - at
    return schedule.first_advance(unit - at + 1, slots)


def _kind(array: Value) -> Array:
    assert isinstance(array.type, Array)
    return array.type


def _rows(kind: object) -> Array:
    """The type of the storage for snapshots of a value of some type."""
    if isinstance(kind, Scalar):
        return Array(kind.dtype, 1)
    assert isinstance(kind, Array)
    return Array(kind.dtype, kind.rank + 1, "C", frozenset(k + 1 for k in kind.ones))


def _like(builder: Builder, arrays: Sequence[Value]) -> list[Value]:
    return [memory(builder, plain(v), extents_of(builder, v), v.name) for v in arrays]


def _take(items: Iterator[T], n: int) -> list[T]:
    return [next(items) for _ in range(n)]


def _spread(found: Sequence[Operand], flags: Sequence[bool]) -> list[Operand | None]:
    """One item per flag: the next that was found, or None."""
    given = iter(found)
    return [next(given) if flag else None for flag in flags]
