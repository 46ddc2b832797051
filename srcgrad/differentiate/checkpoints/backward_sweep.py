"""The backward sweep of a loop with checkpoints, as a function: it reverses one unit after another, from the last.

It goes to the last snapshot in front of the unit, runs from there to the unit, taking snapshots where slots have
become free, and calls the pullback of the segment, which runs the unit once more and reverses it. Two sets of shadows
take turns: the pullback empties that of the state behind the unit, and adds to that of the state in front of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import TypeVar

from srcgrad.differentiate.activity import differentiable
from srcgrad.differentiate.checkpoints import schedule
from srcgrad.differentiate.checkpoints.memory import copied, extents_of, kind_of, memory, ordered, plain, when
from srcgrad.differentiate.checkpoints.segment import Segment
from srcgrad.differentiate.checkpoints.snapshots import (
    ADVANCE,
    Plan,
    Runner,
    Snapshots,
    State,
    Surroundings,
    computed,
    name_in,
    name_of_slots,
    rows_of,
)
from srcgrad.ir.core import Function, Operand, Value, index, zero_like
from srcgrad.ir.rewrite import fresh
from srcgrad.ir.types import INDEX, Array
from srcgrad.primitives.table import new_builder

T = TypeVar("T")


@dataclass(frozen=True)
class Active:
    """Which parts of a loop carry a derivative."""

    scalars: list[bool]
    arrays: list[bool]
    filled: list[bool]
    read: list[bool]
    constants: list[bool]

    @property
    def all(self) -> list[bool]:
        return [*self.scalars, *self.arrays, *self.filled, *self.read, *self.constants]


def backward_sweep(segment: Segment, name: str, pullback: str, active: Active, into: Sequence[bool]) -> Function:
    """Of the residuals and the cotangents of the floating results: the cotangents of the operands ``into``."""
    return _Backward(segment, pullback, active).function(name, into)


@dataclass
class _Adjoints:
    """Of the active parts: numbers and constants as values, arrays as shadows."""

    scalars: list[Operand] = field(default_factory=list)
    constants: list[Operand] = field(default_factory=list)
    behind: list[Value] = field(default_factory=list)  # of the state behind a unit
    front: list[Value] = field(default_factory=list)  # of the state in front of it, zero until it is reversed
    filled: list[Value] = field(default_factory=list)
    read: list[Value] = field(default_factory=list)

    @property
    def carried(self) -> list[Operand]:
        return [*self.scalars, *self.constants, *self.behind, *self.front]


class _Backward(Runner):
    def __init__(self, segment: Segment, pullback: str, active: Active) -> None:
        super().__init__(segment)
        self.pullback = pullback
        self.active = active
        self.builder = new_builder()

    def function(self, name: str, into: Sequence[bool]) -> Function:
        loop, active = self.loop, self.active
        plan = Plan(*(Value(INDEX, n) for n in ("trips", "length", "units", "slots")))
        count = Value(INDEX, "taken")
        numbers, arrays = self.kinds()
        snapshots = Snapshots(
            Value(rows_of(INDEX), "taken_at"),
            tuple(
                Value(rows_of(t), name_of_slots(loop.carried[k])) for t, k in zip(numbers, loop.scalars, strict=True)
            ),
            tuple(Value(rows_of(t), name_of_slots(v)) for t, v in zip(arrays, loop.arrays, strict=True)),
        )
        around = Surroundings(*(tuple(map(fresh, part)) for part in (loop.filled, loop.read, loop.constants)))
        cts = self._cotangents()
        given = [ct for ct in cts if ct is not None]
        self.builder.open((*_values(plan.all), count, *snapshots.all, *around.all, *given))
        self.builder.location = loop.op.location
        found = self._sweep(plan, count, snapshots, around, self._adjoints(around, cts))
        adjoints = [
            *_spread(found.scalars, active.scalars),
            *_spread(found.behind, active.arrays),
            *_spread(found.filled, active.filled),
            *_spread(found.read, active.read),
            *_spread(found.constants, active.constants),
        ]
        return Function(name, self.builder.close([x for x in compress(adjoints, into) if x is not None]))

    def _cotangents(self) -> list[Value | None]:
        """Parameters for the cotangents of the results, None for what can have none."""
        loop = self.loop
        results = [loop.op.results[k] for k in (*loop.scalars, *loop.references)]
        kinds = [*(r.type for r in results), *(plain(v) for v in loop.changed), *(kind_of(v) for v in loop.filled)]
        values = [Value(kind, "ct") for kind in kinds]
        return [v if differentiable(v) else None for v in values]

    def _adjoints(self, around: Surroundings, cts: Sequence[Value | None]) -> _Adjoints:
        """What the sweep starts with: what is given for the results, zero for all else."""
        builder, active, given = self.builder, self.active, iter(cts)
        scalars, arrays, filled = (
            [ct for ct in compress(_taken(given, len(part)), part) if ct is not None]
            for part in (active.scalars, active.arrays, active.filled)
        )
        behind = [copied(builder, ct, plain(ct)) for ct in arrays]
        return _Adjoints(
            list(scalars),
            [zero_like(v) for v in compress(around.constants, active.constants)],
            behind,
            [memory(builder, plain(v), extents_of(builder, v), v.name, "zeros") for v in behind],
            [copied(builder, ct, ordered(ct)) for ct in filled],
            [
                memory(builder, ordered(v), extents_of(builder, v), f"{v.name}_bar", "zeros")
                for v in compress(around.read, active.read)
            ],
        )

    def _sweep(
        self, plan: Plan, count: Operand, snapshots: Snapshots, around: Surroundings, start: _Adjoints
    ) -> _Adjoints:
        builder = self.builder
        work, spare = ([self._work(v) for v in snapshots.arrays] for _ in range(2))

        def apart(carried: Sequence[Value]) -> _Adjoints:
            given = iter(carried)
            kinds = (start.scalars, start.constants, start.behind, start.front)
            scalars, constants, behind, front = (_taken(given, len(part)) for part in kinds)
            return _Adjoints(list(scalars), list(constants), behind, front, start.filled, start.read)

        def unit(k: Value, count: Value, *carried: Value) -> Sequence[Operand]:
            now = apart(carried)
            at = builder("sub", builder("sub", plan.units, index(1)), k)
            reached, state, free = self._reach(plan, at, count, snapshots, around, (work, spare))
            then = self._reversed(plan, at, state, free, around, now)
            return (self._left(at, reached, snapshots), *then.carried)

        left = builder.for_(plan.units, (count, *start.carried), unit, ["taken"], counter="k")
        return apart(left[1:])

    def _work(self, rows: Value) -> Value:
        """Memory for one of the arrays that there are slots for."""
        kind = kind_of(rows)
        row = Array(kind.dtype, kind.rank - 1, "C", frozenset(k - 1 for k in kind.ones if k))
        return memory(self.builder, row, extents_of(self.builder, rows)[1:], name_in(rows))

    def _reach(
        self,
        plan: Plan,
        unit: Operand,
        count: Operand,
        snapshots: Snapshots,
        around: Surroundings,
        work: tuple[list[Value], list[Value]],
    ) -> tuple[Operand, State, tuple[Value, ...]]:
        """From the last snapshot to the unit: how many snapshots there are then, the state there, and free arrays."""
        builder = self.builder
        last = builder("sub", count, index(1))
        state = snapshots.restore(builder, last, work[0])

        def going(at: Value, *_: Value) -> Operand:
            return builder("lt", at, unit)

        def on(at: Value, count: Value, *carried: Value) -> Sequence[Operand]:
            now, free = self.apart(carried)
            left = builder("sub", unit, at)
            slots = builder("add", builder("sub", plan.slots, count), index(1))
            operands = builder("add", left, index(1)), slots  # the unit is one of those still to be reversed
            (far,) = builder.emit("call", *operands, callee=ADVANCE, types=(INDEX,), names=("advance",))
            advance = builder("min", far, left, name="advance")
            then = self.run(builder, plan, at, advance, now, free, around)
            there = builder("add", at, advance)
            keeps = builder("and_", builder("lt", there, unit), builder("lt", count, plan.slots), name="keeps")
            when(builder, keeps, lambda: snapshots.take(builder, count, there, then))
            more = builder("add", count, builder("select", keeps, index(1), index(0)))
            return (there, more, *then.scalars, *then.arrays, *now.arrays)

        initial = (builder("load", snapshots.places, last), count, *state.scalars, *state.arrays, *work[1])
        _, count_now, *behind = builder.while_(initial, going, on, ["at", "taken", *self.names()])
        reached, free = self.apart(behind)
        return count_now, reached, free

    def _left(self, unit: Operand, count: Operand, snapshots: Snapshots) -> Operand:
        """How many snapshots are left when a unit is reversed: that at its start is not needed any more."""
        builder = self.builder
        last = builder("sub", count, index(1))
        here = builder("eq", builder("load", snapshots.places, last), unit)
        return builder("select", here, last, count)

    def _reversed(
        self, plan: Plan, unit: Operand, state: State, free: Sequence[Value], around: Surroundings, now: _Adjoints
    ) -> _Adjoints:
        """The adjoints in front of the unit."""
        builder, active = self.builder, self.active
        start = builder("mul", unit, plan.length)
        count = computed(builder, schedule.iterations_in, index(1), unit, plan.trips, plan.length)
        shadows = (*now.front, *now.behind, *now.filled, *now.read)
        operands = (start, count, *state.scalars, *state.arrays, *free, *around.all, *shadows, *self._seeds(now))
        numbers = [*compress(state.scalars, active.scalars), *compress(around.constants, active.constants)]
        types = tuple(x.type for x in numbers)
        found = builder.emit("call", *operands, callee=self.pullback, types=types)
        sums = zip(now.constants, found[len(now.scalars) :], strict=True)
        return _Adjoints(
            list(found[: len(now.scalars)]),
            [builder("add", total, more) for total, more in sums],
            now.front,
            now.behind,
        )

    def _seeds(self, now: _Adjoints) -> list[Operand]:
        """The cotangents of all floating numbers of the state."""
        spread = zip(self.loop.scalars, _spread(now.scalars, self.active.scalars), strict=True)
        numbers = [(self.loop.carried[k], ct) for k, ct in spread]
        return [zero_like(v) if ct is None else ct for v, ct in numbers if differentiable(v)]


def _values(operands: Sequence[Operand]) -> list[Value]:
    return [x for x in operands if isinstance(x, Value)]


def _taken(items: Iterator[T], count: int) -> list[T]:
    return [next(items) for _ in range(count)]


def _spread(found: Sequence[Operand], flags: Sequence[bool]) -> list[Operand | None]:
    """One item per flag: the next that was found, or None."""
    given = iter(found)
    return [next(given) if flag else None for flag in flags]
