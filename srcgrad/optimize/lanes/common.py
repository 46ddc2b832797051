"""Branches and loops that all lanes take and leave together: what differs between lanes is held in buffers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from srcgrad.ir.core import Block, Op, Operand, Value
from srcgrad.optimize.lanes.lane import Carry

if TYPE_CHECKING:
    from srcgrad.optimize.lanes.widen import Widening


def common_for(widening: Widening, op: Op) -> None:
    (body,) = op.blocks
    carried = list(zip(op.operands[1:], body.parameters[1:], body.yields, op.results, strict=True))
    apart = [c for c in carried if widening.facts.differs(c[3])]
    alike = [c for c in carried if not widening.facts.differs(c[3])]
    for initial, parameter, _, result in apart:
        buffer = _taken_over(widening, initial, op) or widening.new_buffer(result)
        widening.buffers[parameter] = widening.buffers[result] = buffer
    widening.flush([Carry(initial, widening.buffers[parameter]) for initial, parameter, _, _ in apart], op)

    def iteration(counter: Value, *parameters: Value) -> Sequence[Operand]:
        widening.same[body.parameters[0]] = counter
        widening.same.update(zip((c[1] for c in alike), parameters, strict=True))
        widening.block(body, [Carry(y, widening.buffers[parameter]) for _, parameter, y, _ in apart])
        return widening.alike([y for _, _, y, _ in alike])

    results = widening.builder.for_(
        widening.alike(op.operands[:1])[0],
        widening.alike([c[0] for c in alike]),
        iteration,
        [c[3].name for c in alike],
        body.parameters[0].name,
    )
    widening.same.update(zip((c[3] for c in alike), results, strict=True))


def common_while(widening: Widening, op: Op) -> None:
    """A loop that all lanes leave together."""
    test, body = op.blocks
    carried = list(zip(op.operands, test.parameters, body.parameters, body.yields, op.results, strict=True))
    apart = [c for c in carried if widening.facts.differs(c[4])]
    alike = [c for c in carried if not widening.facts.differs(c[4])]
    for _, tested, parameter, _, result in apart:
        widening.hold(result, tested, parameter)
    widening.flush([Carry(initial, widening.buffers[result]) for initial, *_, result in apart], op)

    def goes_on(*now: Value) -> Operand:
        widening.same.update(zip((c[1] for c in alike), now, strict=True))
        return widening.computed(test)

    def iteration(*now: Value) -> Sequence[Operand]:
        widening.same.update(zip((c[2] for c in alike), now, strict=True))
        widening.block(body, [Carry(y, widening.buffers[result]) for *_, y, result in apart])
        return widening.alike([c[3] for c in alike])

    starts = widening.alike([c[0] for c in alike])
    results = widening.builder.while_(starts, goes_on, iteration, [c[4].name for c in alike])
    widening.same.update(zip((c[4] for c in alike), results, strict=True))


def _taken_over(widening: Widening, initial: Operand, loop: Op) -> Value | None:
    """The buffer of a value that was made in the same block for this loop alone."""
    made = widening.facts.definition(initial)
    alone = isinstance(initial, Value) and list(widening.users[initial]) == [loop]
    return widening.buffers.get(initial) if alone and made in widening.here.ops else None  # type: ignore[arg-type]  # a Value


def common_branch(widening: Widening, op: Op) -> None:
    """A branch that all lanes take alike."""
    apart = [k for k, result in enumerate(op.results) if widening.facts.differs(result)]
    alike = [k for k in range(len(op.results)) if k not in apart]
    for k in apart:
        widening.buffers[op.results[k]] = widening.new_buffer(op.results[k])
    widening.flush([], op)

    def side(block: Block) -> Sequence[Operand]:
        widening.block(block, [Carry(block.yields[k], widening.buffers[op.results[k]]) for k in apart])
        return widening.alike([block.yields[k] for k in alike])

    then, otherwise = op.blocks
    results = widening.builder.if_(
        widening.alike(op.operands)[0],
        lambda: side(then),
        lambda: side(otherwise),
        [op.results[k].name for k in alike],
    )
    widening.same.update(zip((op.results[k] for k in alike), results, strict=True))
