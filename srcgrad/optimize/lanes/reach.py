"""Directions that cannot reach what a loop over them computes: where none can, the loop is left out.

A direction is 1 in one place. What is linear in elements of it is zero but for the few directions that have their place
there; where all that a loop over lanes does is to add such values, it has nothing to do for the others. So a Hessian of
sums over neighbours takes time in proportion to what it has besides zeros.

::

    for i in range(n):                                  for i in range(n):
        for lane in range(padded):                          if start <= i < start + lanes:
            x_bar[i, lane] += t * direction[i, lane]            for lane in range(padded):
                                                                    ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from srcgrad.ir.core import Const, Op, Operand, Value, index
from srcgrad.optimize.lanes.facts import Facts
from srcgrad.optimize.lanes.lane import Carry
from srcgrad.primitives.table import Effect, effect

if TYPE_CHECKING:
    from srcgrad.optimize.lanes.widen import Widening


def units_of(facts: Facts) -> frozenset[Value]:
    """The directions: zeros but for a 1 in the place that has the number of the iteration."""
    if not facts.directions:
        return frozenset()
    made = [op for op in facts.body.ops if op.primitive == "alloc" and op.attributes["fill"] == "zeros"]
    return frozenset(op.result for op in made if is_unit(facts, op.result))


def is_unit(facts: Facts, array: Value) -> bool:
    writes = [op for op, sites in facts.program.written.items() if array in sites and not op.blocks]
    return len(writes) == 1 and writes[0].primitive == "store" and writes[0].operands[:2] == (array, facts.counter)


class Place(NamedTuple):
    """An element of a direction, which may be seen under a shape of some axes."""

    indices: tuple[Operand, ...]
    extents: tuple[Operand, ...]  # of the axes but for the first


def places(widening: Widening, ops: Sequence[Op], carries: Sequence[Carry]) -> list[Place]:
    """The elements of directions without which a loop over lanes would do nothing; none where it is not so."""
    reach = Reach(widening, {r: op for op in ops for r in op.results})
    adding = all(reach.adds_multiple(op) for op in ops)
    if not adding or not all(reach.carries_on(c.value, c.buffer) for c in carries):
        return []
    return list(dict.fromkeys(reach.found))


def may_reach(widening: Widening, found: Sequence[Place]) -> Operand:
    """Emit whether one of these elements is that of a direction in the block; of neighbours, whether one between is."""
    builder = widening.builder
    neighbours: dict[Operand, list[int]] = {}
    for place in found:
        base, offset = _apart(widening, _number(widening, place))
        neighbours.setdefault(base, []).append(offset)
    end = builder("add", widening.start, widening.lanes)
    condition: Operand | None = None
    for base, offsets in neighbours.items():
        last, first = (builder("add", base, index(n)) if n else base for n in (max(offsets), min(offsets)))
        here = builder("and_", builder("le", widening.start, last), builder("lt", first, end))
        condition = here if condition is None else builder("or_", condition, here)
    assert condition is not None
    return condition


def _number(widening: Widening, place: Place) -> Operand:
    """The number of an element."""
    number, *others = widening.alike(place.indices)
    for extent, i in zip(widening.alike(place.extents), others, strict=True):
        number = widening.builder("add", widening.builder("mul", number, extent), i)
    return number


def _apart(widening: Widening, number: Operand) -> tuple[Operand, int]:
    """An index as a number that is known at run time only, and a constant."""
    op = widening.builder.definition(number)
    if op is not None and op.primitive == "add" and isinstance(op.operands[1], Const):
        offset = op.operands[1].value
        if isinstance(offset, int):
            return op.operands[0], offset
    return number, 0


def zeros_needed(op: Op) -> tuple[Sequence[Operand], Callable[[Iterable[bool]], bool]]:
    """Of which operands all, or any, have to be zero for the result to be; of none where that is not enough."""
    match op.primitive:
        case "mul":
            return op.operands, any
        case "div" | "neg" | "cast":
            return op.operands[:1], all
        case "add" | "sub":
            return op.operands, all
        case "select":
            return op.operands[1:], all
    return (), all


@dataclass
class Reach:
    widening: Widening
    made: dict[Value, Op]
    found: list[Place] = field(default_factory=list)

    def adds_multiple(self, op: Op) -> bool:
        """Whether an op computes what only these ops need, or adds what is zero without the elements of directions."""
        facts = self.widening.facts
        match effect(op.primitive):
            case Effect.PURE | Effect.READ:
                return not any(r in self.widening.buffers for r in op.results)
            case Effect.WRITE:
                to_own = op.primitive == "accumulate" and facts.is_private(op.operands[0])
                return to_own and not any(map(facts.differs, op.operands[1:-1])) and self.vanishes(op.operands[-1])
        return False

    def carries_on(self, value: Operand, buffer: Value) -> bool:
        """Whether what a buffer gets is what it holds, but for what is zero without the elements of directions."""
        op = self.made.get(value) if isinstance(value, Value) else None
        if op is None:
            return isinstance(value, Value) and self.widening.buffers.get(value) is buffer
        if op.primitive not in ("add", "sub"):
            return False
        a, b = op.operands
        forwards = self.carries_on(a, buffer) and self.vanishes(b)
        return forwards or (op.primitive == "add" and self.carries_on(b, buffer) and self.vanishes(a))

    def vanishes(self, value: Operand) -> bool:
        """Whether a value is linear in elements of directions."""
        if isinstance(value, Const):
            return value.value == 0
        op = self.made.get(value)
        if op is None:
            return False
        if op.primitive == "load":
            return self._of_unit(op)
        factors, rule = zeros_needed(op)
        return bool(factors) and rule(map(self.vanishes, factors))

    def _of_unit(self, load: Op) -> bool:
        facts = self.widening.facts
        array, *indices = load.operands
        shape: Sequence[Operand] = ()
        while (op := facts.definition(array)) is not None and op.primitive in ("relax", "reshape"):
            array, *sizes = op.operands
            shape = shape or sizes  # the one that the indices are of comes first
        if array not in self.widening.units or any(map(facts.differs, indices)):
            return False
        self.found.append(Place(tuple(indices), tuple(shape[1:])))
        return True
