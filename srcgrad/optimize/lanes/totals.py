"""Sums over lanes of a number that is the same in all of them times one that is not: the number comes out of the sum.

``bar[b] += c * y`` in a loop over b, where y differs between lanes but was there before the loop, adds ``c`` times the
sum of y over the lanes. That sum is taken once, where y is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from srcgrad.analysis.accesses import indices
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Op, Operand, Value
from srcgrad.optimize.lanes.facts import Facts


def summed_before(facts: Facts) -> Mapping[Op, Value]:
    """The accumulations whose term is a factor times a value from outside the loop around them, with that value."""
    return dict(_in_block(facts, facts.body, {}, 0))


def leaf(facts: Facts, term: Operand) -> Operand:
    """What a term is a multiple of."""
    op = facts.definition(term)
    inner = _only_differing(facts, op) if op is not None else None
    return term if inner is None else leaf(facts, inner)


def multiple(
    facts: Facts,
    term: Operand,
    total: tuple[Value, Operand],
    alike: Callable[[Sequence[Operand]], Sequence[Operand]],
    builder: Builder,
) -> Operand:
    """Emit the term with the total of a value in place of the value; ``alike`` says what other operands are called."""
    value, summed = total
    if term is value:
        return summed
    op = facts.definition(term)
    assert op is not None
    operands = [multiple(facts, x, total, alike, builder) if facts.differs(x) else alike([x])[0] for x in op.operands]
    return builder(op.primitive, *operands)


def _only_differing(facts: Facts, op: Op) -> Operand | None:
    match op.primitive:
        case "neg":
            return op.operands[0]
        case "mul":
            a, b = op.operands
            if facts.differs(a) != facts.differs(b):
                return a if facts.differs(a) else b
    return None


def _in_block(facts: Facts, block: Block, seen: Mapping[Value, int], loops: int) -> Iterator[tuple[Op, Value]]:
    """``seen`` are the values computed so far that differ between lanes, each with the number of loops around it."""
    known = dict(seen)
    for op in block.ops:
        if op.primitive == "accumulate" and _adds_up(facts, op):
            value = leaf(facts, op.operands[-1])
            if isinstance(value, Value) and known.get(value, loops) < loops:
                yield op, value
        if op.blocks and not facts.parts(op) and op.primitive != "while":
            for inner in op.blocks:
                yield from _in_block(facts, inner, known, loops + (op.primitive == "for"))
        elif not op.blocks:
            known.update((r, loops) for r in op.results if facts.differs(r))


def _adds_up(facts: Facts, op: Op) -> bool:
    return facts.is_outside(op.operands[0]) and not any(facts.differs(x) for x in indices(op))
