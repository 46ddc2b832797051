"""Rows of shared arrays that a block of lanes reads again and again, copied once with the lane as the last axis."""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.analysis.accesses import indices
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Op, Operand, Value, defined, index, walk
from srcgrad.ir.types import Array
from srcgrad.optimize.lanes.facts import Facts

Key = tuple[Value, int]  # an array, and the axis along which the lanes lie


class Packs:
    """Which loads of a loop read packed copies, and the copies."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.bounds: dict[Value, Operand] = {}  # a counter, directly or mirrored -> what it stays below
        _bound_counters(self.bounds, facts.body, facts)
        self.extents: dict[Key, list[Operand]] = {}  # of the other axes
        self.copies: dict[Key, Value] = {}
        refused: set[Key] = set()
        for op in walk(facts.body):
            key = self._key(op)
            if key is None:
                continue
            extents = self._other_extents(op, key[1])
            if extents is None or self.extents.setdefault(key, extents) != extents:
                refused.add(key)
        for key in refused:
            self.extents.pop(key, None)

    def _key(self, op: Op) -> Key | None:
        """For a load from an array that the loop only reads, at its own index along one axis."""
        array = op.operands[0] if op.operands else None
        if op.primitive != "load" or not isinstance(array, Value) or self.facts.is_private(array):
            return None
        assert isinstance(array.type, Array)
        axes = [axis for axis, i in enumerate(indices(op)) if self.facts.differs(i)]
        own = array.type.rank > 1 and len(axes) == 1 and indices(op)[axes[0]] is self.facts.counter
        return (array, axes[0]) if own and self._only_read(array) and self._outside(array) else None

    def _only_read(self, array: Value) -> bool:
        sites = self.facts.program.sites
        written = (op for op in walk(self.facts.body) if op.primitive in ("store", "accumulate"))
        return not any(sites.sites(op.operands[0]) & sites.sites(array) for op in written)

    def _outside(self, array: Value) -> bool:
        return all(array not in op.results for op in walk(self.facts.body))

    def _other_extents(self, op: Op, own: int) -> list[Operand] | None:
        """What the indices along the other axes stay below; None unless each is the counter of a loop."""
        extents: list[Operand] = []
        for axis, i in enumerate(indices(op)):
            if axis == own:
                continue
            bound = self.bounds.get(i) if isinstance(i, Value) else None
            if bound is None:
                return None
            extents.append(bound)
        return extents

    def at(self, op: Op) -> tuple[Value, Sequence[Operand]] | None:
        """The copy to read from, and the indices but for the lane."""
        key = self._key(op)
        if key is None or key not in self.copies:
            return None
        return self.copies[key], [i for axis, i in enumerate(indices(op)) if axis != key[1]]

    def fill(self, builder: Builder, start: Operand, lanes: Operand, width: int) -> None:
        """Emit the copies for one block of lanes."""
        for key, bounds in self.extents.items():
            array, own = key
            assert isinstance(array.type, Array)
            axes = [axis for axis in range(array.type.rank) if axis != own]
            limits = [builder("dim", array, axis=axis) for axis in axes]
            extents = [builder("min", n, m) for n, m in zip(bounds, limits, strict=True)]
            copy = builder("alloc", *extents, index(width), dtype=array.type.dtype, fill="empty", name=array.name)
            self.copies[key] = copy
            self._copy(builder, key, copy, start, lanes, extents)

    def _copy(
        self, builder: Builder, key: Key, copy: Value, start: Operand, lanes: Operand, extents: Sequence[Operand]
    ) -> None:
        array, own = key

        def element(at: tuple[Operand, ...]) -> None:
            lane, *others = at
            i = builder("add", start, lane)
            where = [*others[:own], i, *others[own:]]
            builder.emit("store", copy, *others, lane, builder("load", array, *where))

        builder.nest((lanes, *extents), element)


def _bound_counters(bounds: dict[Value, Operand], block: Block, facts: Facts) -> None:
    """Counters of loops whose trip count is known in front of the outer loop, and their mirrors ``n - 1 - i``."""
    inside = set(defined(facts.body))
    for op in walk(block):
        if op.primitive == "for":
            trips = op.operands[0]
            trips = bounds.get(trips, trips) if isinstance(trips, Value) else trips  # the inner loop of a triangle
            if trips not in inside:
                bounds[op.blocks[0].parameters[0]] = trips
        elif op.primitive == "sub" and isinstance(op.operands[1], Value) and op.operands[1] in bounds:
            last, counter = op.operands
            if isinstance(counter, Value) and facts.is_last(last, bounds[counter]):
                bounds[op.result] = bounds[counter]
