"""Is every element of scratch memory written in an iteration of a loop before it is read in that iteration?

A *cover* is a box of elements known to be written: per axis one index, or the range that the counter of a
finished loop ran through. Covers are collected in program order; a read must lie in one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from srcgrad.analysis.accesses import Definitions
from srcgrad.analysis.affine import Affine
from srcgrad.analysis.effects import Effects
from srcgrad.ir.core import Block, Const, Op, Operand, Value
from srcgrad.ir.types import Array

ZERO = Affine({}, 0)


@dataclass(frozen=True)
class Range:
    """``start <= index < start + count``; a single index has count None."""

    start: Affine
    count: Affine | None

    def mentions(self, value: Value) -> bool:
        return value in self.start.terms or (self.count is not None and value in self.count.terms)


Box = tuple[Range, ...]


def written_before_read(loop: Op, root: Value, effects: Effects) -> bool:
    """Whether each read of ``root`` in an iteration of the loop sees a write of the same iteration.

    The body of a ``for`` or ``while`` is its last block; nothing is written in the test of a ``while``.
    """
    definition = effects.definitions.op[root]
    extents = [effects.definitions.affine(n) for n in definition.operands]
    scan = _Scan(root, extents, effects.definitions, {})
    return all(scan.block(block, []) is not None for block in loop.blocks)


@dataclass
class _Scan:
    root: Value
    extents: Sequence[Affine]
    definitions: Definitions
    trips: dict[Value, Affine]  # counters of the open loops inside

    def block(self, block: Block, known: Sequence[Box]) -> list[Box] | None:
        """The boxes written by a block in which ``known`` ones are written already; None: a read is not covered."""
        own: list[Box] = []
        for op in block.ops:
            found = self.op(op, [*known, *own])
            if found is None:
                return None
            own.extend(found)
        return own

    def op(self, op: Op, known: Sequence[Box]) -> list[Box] | None:
        match op.primitive:
            case "for":
                return self.loop(op, known)
            case "if" | "while":
                sides = [self.block(b, known) for b in op.blocks]
                return None if any(side is None for side in sides) else []
            case "load" | "accumulate" if (box := self.box(op)) is not None:
                return [] if self.covered(box, known) else None
            case "store" if (box := self.box(op)) is not None:
                return [box] if all(r is not None for r in box) else []  # type: ignore[list-item]
        return []

    def box(self, op: Op) -> tuple[Range | None, ...] | None:
        """The element touched, if it is one of ours; None for an axis that is not affine."""
        array = op.operands[0]
        assert isinstance(array, Value) and isinstance(array.type, Array)
        access = self.definitions.access(array, tuple(op.operands[1 : 1 + array.type.rank]))
        if access.root is not self.root:
            return None
        return tuple(None if form is None else Range(form, None) for form in access.indices)

    def loop(self, op: Op, known: Sequence[Box]) -> list[Box] | None:
        counter = op.blocks[0].parameters[0]
        self.trips[counter] = self.count(op.operands[0])
        inside = self.block(op.blocks[0], known)
        trips = self.trips.pop(counter)
        if inside is None:
            return None
        boxes = (_widened(box, counter, trips) for box in inside)
        return [box for box in boxes if box is not None]

    def count(self, trips: Operand) -> Affine:
        """The trip count, without the clamp at zero: a negative count makes an empty range either way."""
        op = self.definitions.op.get(trips) if isinstance(trips, Value) else None
        if op is not None and op.primitive == "max":
            for one, other in (op.operands, op.operands[::-1]):
                if isinstance(one, Const) and one.value == 0:
                    return self.definitions.affine(other)
        return self.definitions.affine(trips)

    def covered(self, read: tuple[Range | None, ...], known: Sequence[Box]) -> bool:
        if self.whole(known):
            return True
        return any(
            all(r is not None and self.within(r.start, axis) for r, axis in zip(read, box, strict=True))
            for box in known
        )

    def within(self, index: Affine, axis: Range) -> bool:
        if axis.count is None:
            return index == axis.start
        low = high = index - axis.start
        for counter, trips in self.trips.items():
            coefficient = index.terms.get(counter, 0)
            if coefficient == 1:
                low = low - Affine({counter: 1}, 0)
                high = high - Affine({counter: 1}, 1) + trips
            elif coefficient == -1:
                low = low + Affine({counter: 1}, 1) - trips
                high = high + Affine({counter: 1}, 0)
        slack = axis.count - high
        return low.is_constant and low.constant >= 0 and slack.is_constant and slack.constant >= 1

    def whole(self, known: Sequence[Box]) -> bool:
        if any(all(self.spans(r, n) for r, n in zip(box, self.extents, strict=True)) for box in known):
            return True
        sizes = [n.constant for n in self.extents if n.is_constant]
        if len(sizes) < len(self.extents) or any(n > 64 for n in sizes):
            return False
        points = {tuple(r.start.constant for r in box) for box in known if all(_is_point(r) for r in box)}
        return points >= set(product(*(range(n) for n in sizes)))

    def spans(self, axis: Range, extent: Affine) -> bool:
        count = axis.count if axis.count is not None else Affine({}, 1)
        return axis.start == ZERO and count == extent


def _is_point(axis: Range) -> bool:
    return axis.count is None and axis.start.is_constant


def _widened(box: Box, counter: Value, trips: Affine) -> Box | None:
    """The box that all iterations of a finished loop wrote together; None where it is not a box."""
    moving = [k for k, axis in enumerate(box) if axis.mentions(counter)]
    if not moving:
        at_least_once = trips.is_constant and trips.constant >= 1
        return box if at_least_once else None
    if len(moving) > 1:
        return None
    (k,) = moving
    axis = box[k]
    if axis.count is not None or axis.start.terms.get(counter) != 1:
        return None
    start = axis.start - Affine({counter: 1}, 0)
    return (*box[:k], Range(start, trips), *box[k + 1 :])
