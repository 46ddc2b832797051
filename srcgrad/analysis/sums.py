"""Does a loop carry nothing but sums, so that the order of its iterations does not matter to what it carries?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from typing import NamedTuple

from srcgrad.analysis.refusal import Refusal, refused
from srcgrad.ir.core import Block, Const, Op, Operand, Value, defined, definitions, first_carried, used, walk
from srcgrad.ir.types import Scalar


def only_sums(op: Op) -> bool:
    """Whether each carried scalar is only added to or subtracted from, and no partial sum is read by anything else."""
    body = op.blocks[0]
    return set(sums(op)) == set(range(len(body.yields)))


def carried_over(op: Op) -> Refusal | None:
    """Why the order of a loop's iterations matters to what it carries, if it does."""
    body = op.blocks[0]
    others = set(range(len(body.yields))) - set(sums(op))
    if not others:
        return None
    k = min(others)
    made = definitions(body).get(body.yields[k]) if isinstance(body.yields[k], Value) else None  # type: ignore[arg-type]
    name = body.parameters[1 + k].name or op.results[k].name
    what = f"the {name}" if name else "what"
    return refused(f"each iteration begins with {what} that the one before it ended with", made or op)


def sums(op: Op) -> Iterator[int]:
    """The positions of those, among all that a loop carries."""
    body = op.blocks[0]
    uses = Counter(used(body))
    known = definitions(body)
    for k, (parameter, yielded) in enumerate(zip(body.parameters[1:], body.yields, strict=True)):
        if not isinstance(parameter.type, Scalar):
            continue
        links = _Chains(known, parameter).to(yielded)
        if not links:  # not a sum, or never changed
            continue
        own_uses = Counter(link.used for link in {*links, Link(body, k, yielded)})
        if all(uses[v] == n for v, n in own_uses.items() if isinstance(v, Value)):
            yield k


def partial_sums(op: Op) -> frozenset[Value]:
    """The values on the way of each sum that a loop carries."""
    body = op.blocks[0]
    known = definitions(body)
    found: set[Value] = set()
    for parameter, yielded in zip(body.parameters[1:], body.yields, strict=True):
        links = _Chains(known, parameter).to(yielded) or frozenset()
        found.update(v for v in (*(link.used for link in links), yielded) if isinstance(v, Value))
    return frozenset(found)


def only_added(op: Op) -> frozenset[Value]:
    """The values that are used for nothing but to be added, perhaps times a constant, to a sum that the loop carries.

    No derivative of what they go into depends on them.
    """
    body = op.blocks[0]
    uses = _uses(body)
    ends = [Use(body, k) for k in sums(op)]
    found = {v for v in defined(body) if isinstance(v.type, Scalar) and v.type.dtype.differentiable}
    while left := {v for v in found if not all(use in ends or use.adds_to(found) for use in uses.get(v, ()))}:
        found -= left
    return frozenset(found)


class Use(NamedTuple):
    """By which op, or at the end of which block, in which position; the op around that block."""

    user: Op | Block
    position: int
    around: Op | None = None

    def adds_to(self, found: Container[Value]) -> bool:
        """Whether what is used so does no more than to be added to some of these values."""
        match self.user:
            case Block():
                return self.around is not None and all(v in found for v in merged(self.around, self.position))
            case Op(primitive="add" | "sub" | "neg"):
                return self.user.result in found
            case Op(primitive="mul"):
                return isinstance(self.user.operands[1 - self.position], Const) and self.user.result in found
            case Op(primitive="select"):
                return self.position > 0 and self.user.result in found
            case Op(primitive="for"):
                return self.position > 0 and all(v in found for v in merged(self.user, self.position - 1))
        return False


def merged(op: Op, k: int) -> tuple[Value, ...]:
    """The k-th result of a branch or loop, and what stands for it inside the loop."""
    first = first_carried(op) if op.primitive != "if" else None
    inside = () if first is None else tuple(block.parameters[first + k] for block in op.blocks)
    return (op.results[k], *inside)


def _uses(body: Block) -> dict[Value, list[Use]]:
    found: dict[Value, list[Use]] = {}
    for op in walk(body):
        for position, operand in enumerate(op.operands):
            if isinstance(operand, Value):
                found.setdefault(operand, []).append(Use(op, position))
        for block in op.blocks[-1:] if op.primitive == "while" else op.blocks:  # a test yields no number
            for position, operand in enumerate(block.yields):
                if isinstance(operand, Value):
                    found.setdefault(operand, []).append(Use(block, position, op))
    for position, operand in enumerate(body.yields):
        if isinstance(operand, Value):
            found.setdefault(operand, []).append(Use(body, position))
    return found


class Link(NamedTuple):
    """One use of a partial sum: by which op or block, in which position."""

    user: Op | Block
    position: int
    used: Operand


Links = frozenset[Link] | None


class _Chains:
    """The uses of partial sums on the way from ``start`` to a value; None where the value is not such a sum."""

    def __init__(self, definitions: dict[Value, Op], start: Value) -> None:
        self.definitions = definitions
        self.start = start
        self.known: dict[Value, Links] = {}

    def to(self, value: Operand) -> Links:
        if value is self.start:
            return frozenset()
        if not isinstance(value, Value) or value not in self.definitions:
            return None
        if value not in self.known:
            self.known[value] = self.through(self.definitions[value], value)
        return self.known[value]

    def through(self, op: Op, value: Value) -> Links:
        match op.primitive:
            case "add" | "sub":
                for position, operand in enumerate(op.operands[: 2 if op.primitive == "add" else 1]):
                    links = self.to(operand)
                    if links is not None:
                        return links | {Link(op, position, operand)}
            case "for":
                k = op.results.index(value)
                body, initial = op.blocks[0], op.operands[1 + k]
                inside = _Chains(self.definitions, body.parameters[1 + k]).to(body.yields[k])
                before = self.to(initial)
                if inside is not None and before is not None:
                    return inside | before | {Link(op, 1 + k, initial), Link(body, k, body.yields[k])}
            case "if":
                k = op.results.index(value)
                sides = [self.to(b.yields[k]) for b in op.blocks]
                if all(side is not None for side in sides):
                    own = frozenset(Link(b, k, b.yields[k]) for b in op.blocks)
                    return own.union(*(side for side in sides if side is not None))
        return None
