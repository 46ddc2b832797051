"""Does a loop carry nothing but sums, so that the order of its iterations does not matter to what it carries?"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from srcgrad.ir.core import Block, Op, Operand, Value, used, walk
from srcgrad.ir.types import Scalar


def only_sums(op: Op) -> bool:
    """Whether each carried scalar is only added to or subtracted from, and no partial sum is read by anything else."""
    body = op.blocks[0]
    uses = Counter(used(body))
    definitions = {r: inner for inner in walk(body) for r in inner.results}
    for k, (parameter, yielded) in enumerate(zip(body.parameters[1:], body.yields, strict=True)):
        links = _chain(yielded, parameter, definitions) if isinstance(parameter.type, Scalar) else None
        if not links:  # not a sum, or never changed
            return False
        own_uses = Counter(link.used for link in {*links, Link(body, k, yielded)})
        if any(uses[v] != n for v, n in own_uses.items() if isinstance(v, Value)):
            return False
    return True


class Link(NamedTuple):
    """One use of a partial sum: by which op or block, in which position."""

    user: Op | Block
    position: int
    used: Operand


def _chain(value: Operand, start: Value, definitions: dict[Value, Op]) -> set[Link] | None:
    """The uses of partial sums on the way from ``start`` to ``value``; None if it is not a sum."""
    if value is start:
        return set()
    op = definitions.get(value) if isinstance(value, Value) else None
    if op is None or not isinstance(value, Value):
        return None
    match op.primitive:
        case "add" | "sub":
            for position, operand in enumerate(op.operands[: 2 if op.primitive == "add" else 1]):
                links = _chain(operand, start, definitions)
                if links is not None:
                    return links | {Link(op, position, operand)}
        case "for":
            k = op.results.index(value)
            body, initial = op.blocks[0], op.operands[1 + k]
            inside = _chain(body.yields[k], body.parameters[1 + k], definitions)
            before = _chain(initial, start, definitions)
            if inside is not None and before is not None:
                return inside | before | {Link(op, 1 + k, initial), Link(body, k, body.yields[k])}
        case "if":
            k = op.results.index(value)
            sides = [_chain(b.yields[k], start, definitions) for b in op.blocks]
            if all(side is not None for side in sides):
                own = {Link(b, k, b.yields[k]) for b in op.blocks}
                return own.union(*(side for side in sides if side is not None))
    return None
