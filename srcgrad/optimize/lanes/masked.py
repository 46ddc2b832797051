"""Branches and loops that lanes take or leave differently: all lanes run, a mask says for which of them it counts.

A ``while`` runs as long as any lane is active, a ``for`` as often as the lane with the most iterations. What a lane
carries stays as it is once the lane is done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from srcgrad.ir.core import Block, Op, Operand, Value, index
from srcgrad.ir.types import BOOL
from srcgrad.optimize.lanes.lane import Lane

if TYPE_CHECKING:
    from srcgrad.optimize.lanes.widen import Widening


@dataclass
class Mask:
    """Which lanes something counts for, as the first loop over lanes that wants to know finds out and writes down."""

    buffer: Value
    holds: Callable[[Lane], Operand]
    written: bool = False

    def of(self, lane: Lane) -> Operand:
        if self.written:
            return lane.builder("load", self.buffer, lane.lane)
        here = self.holds(lane)
        lane.builder.emit("store", self.buffer, lane.lane, here)
        self.written = True
        return here

    def settle(self, widening: Widening) -> None:
        if not self.written:
            self.write(widening)

    def write(self, widening: Widening) -> Value:
        """In a loop over lanes of its own, which says for how many it counts; ``or`` would be a branch in that loop."""

        def one_lane(lane: Value, count: Value) -> Sequence[Operand]:
            here = self.of(Lane(widening, lane, {}))
            return (widening.builder("add", count, widening.builder("select", here, index(1), index(0))),)

        return widening.builder.for_(widening.lanes, (index(0),), one_lane, counter="lane")[0]


def masked_branch(widening: Widening, op: Op) -> None:
    """A branch with loops inside: both sides run, and change nothing in the lanes that do not take them."""
    apart = [k for k, result in enumerate(op.results) if result not in widening.facts.sums]
    for k in apart:
        widening.hold(op.results[k])
    widening.flush([], op, op.operands[:1])

    def side(block: Block) -> None:
        def taken(lane: Lane) -> Operand:
            condition = lane.value(op.operands[0])
            return condition if block is op.blocks[0] else widening.builder("not_", condition)

        mask = Mask(new_buffer(widening), where_active(widening, taken))
        widening.masked_block(mask, block, [(block.yields[k], op.results[k]) for k in apart])

    widening.add_both_sides(op, side)


def masked_while(widening: Widening, op: Op) -> None:
    """What counts the iterations is the same number in all lanes that are active."""
    test, body = op.blocks
    facts, builder = widening.facts, widening.builder
    clocks = [k for k, parameter in enumerate(body.parameters) if not facts.differs(parameter)]
    for k, result in enumerate(op.results):
        widening.hold(result, *(() if k in clocks else (test.parameters[k], body.parameters[k])))
    widening.flush(widening.carries(zip(op.operands, op.results, strict=True)), op)
    buffer, goes_on = new_buffer(widening), where_active(widening, lambda lane: lane.result_of(test))

    def lanes_left(now: Sequence[Operand]) -> Value:
        widening.same.update(zip((test.parameters[k] for k in clocks), now, strict=True))
        return Mask(buffer, goes_on).write(widening)

    def iteration(left: Value, *now: Value) -> Sequence[Operand]:
        widening.same.update(zip((body.parameters[k] for k in clocks), now, strict=True))
        mask = Mask(buffer, goes_on, written=True)
        widening.masked_block(mask, body, list(zip(body.yields, op.results, strict=True)))
        later = widening.alike([body.yields[k] for k in clocks])
        return [lanes_left(later), *later]

    start = widening.alike([op.operands[k] for k in clocks])
    names = ["left", *(body.parameters[k].name for k in clocks)]
    builder.while_([lanes_left(start), *start], lambda left, *_: builder("gt", left, index(0)), iteration, names)


def masked_for(widening: Widening, op: Op) -> None:
    """Lanes start together; where the loop runs backwards over what another one stored, they end together."""
    (body,) = op.blocks
    trips, builder = op.operands[0], widening.builder
    mirrored = widening.facts.mirrored(op)
    backwards = widening.facts.ends_together(op)
    carried = list(zip(op.operands[1:], body.parameters[1:], body.yields, op.results, strict=True))
    sums = [c for c in carried if c[3] in widening.facts.sums]
    apart = [c for c in carried if c not in sums]
    for _, parameter, _, result in apart:
        widening.hold(result, parameter)
    widening.flush(widening.carries((initial, result) for initial, _, _, result in apart), op, (trips,))
    most = most_trips(widening, trips)
    buffer = new_buffer(widening)

    def iteration(counter: Value, *totals: Value) -> Sequence[Operand]:
        now: Operand = counter
        if backwards:
            now = builder("sub", builder("sub", most, index(1)), counter, name=mirrored[0].name if mirrored else "i")
        widening.same.update(dict.fromkeys(mirrored if backwards else body.parameters[:1], now))
        widening.same.update(zip((c[1] for c in sums), totals, strict=True))
        mask = Mask(buffer, where_active(widening, lambda lane: builder("lt", now, lane.value(trips))))
        widening.masked_block(mask, body, [(y, result) for _, _, y, result in apart])
        return widening.alike([y for _, _, y, _ in sums])

    starts = widening.alike([c[0] for c in sums])
    results = builder.for_(most, starts, iteration, [c[3].name for c in sums], "q" if backwards else "i")
    widening.same.update(zip((c[3] for c in sums), results, strict=True))


def new_buffer(widening: Widening) -> Value:
    return widening.builder("alloc", index(widening.width), dtype=BOOL, fill="empty", name="mask")


def where_active(widening: Widening, holds: Callable[[Lane], Operand]) -> Callable[[Lane], Operand]:
    """Whether a condition holds in a lane, and the mask around lets it."""
    outer = widening.mask
    return holds if outer is None else lambda lane: lane.builder("and_", outer.of(lane), holds(lane))


def most_trips(widening: Widening, trips: Operand) -> Value:
    """The largest of the trip counts of the lanes that the mask around lets run."""
    builder = widening.builder

    def one_lane(lane: Value, largest: Value) -> Sequence[Operand]:
        here = Lane(widening, lane, {})
        own = here.value(trips)
        if widening.mask is not None:
            own = builder("select", widening.mask.of(here), own, index(0))
        return (builder("max", largest, own),)

    return builder.for_(widening.lanes, (index(0),), one_lane, counter="lane")[0]
