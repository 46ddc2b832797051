"""Two loops over the same rows as one, where no iteration of the second needs another one of the first.

What is between them goes in front of both, or behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from srcgrad.analysis.sums import only_sums
from srcgrad.ir.core import Block, Op, Value, same, walk
from srcgrad.ir.rewrite import renamed, substitute
from srcgrad.optimize.rows.touches import Looking, Touched


def is_loop_over_rows(op: Op) -> bool:
    """A counted loop that nothing is said of, and that carries sums at most."""
    return op.primitive == "for" and not op.attributes and only_sums(op)


def joined(first: Op, between: Sequence[Op], second: Op, looking: Looking) -> list[Op] | None:
    """The ops in their new order, with one loop in the place of two; None where that is not allowed."""
    if not same(first.operands[0], second.operands[0]) or not _row_by_row(first, second, looking):
        return None
    before: list[Op] = []
    behind: list[Op] = []
    for op in between:
        if looking.may_swap(first, op) and all(looking.may_swap(other, op) for other in behind):
            before.append(op)
        else:
            behind.append(op)
    if any(not looking.may_swap(op, second) for op in behind):
        return None
    one = _one(first, second)
    looking.learn((one,))
    return [*before, one, *behind]


def hands_on(first: Op, second: Op, looking: Looking) -> bool:
    """Whether the second loop reads what the first has written, whose iterations have loops of their own.

    An innermost loop is better left alone: LLVM vectorises it.
    """
    met = looking.at(first).written & looking.at(second).sites
    return has_loops(first) and any(_is_own(site, looking) for site in met)


def _row_by_row(first: Op, second: Op, looking: Looking) -> bool:
    """Whether an iteration of the second may come before later ones of the first."""
    one, other = looking.at(first), looking.at(second)
    if one.unknown or other.unknown or one.raises or (other.raises and looking.is_seen(one)):
        return False
    if other.uses.intersection(first.results):
        return False
    met = one.sites & other.sites & (one.written | other.written)
    return all(_in_the_same_row(one, other, site) for site in met)


def _in_the_same_row(first: Touched, second: Touched, site: Value) -> bool:
    """Whether an element that both touch is touched in one and the same iteration."""
    if all(t.adds for t in (*first.at(site), *second.at(site))):
        return True
    return bool(first.same_row(site, _counter(first.op)) & second.same_row(site, _counter(second.op)))


def _counter(loop: Op) -> Value:
    return loop.blocks[0].parameters[0]


def _one(first: Op, second: Op) -> Op:
    a, b = first.blocks[0], second.blocks[0]
    names = {b.parameters[0]: a.parameters[0]}
    tail = substitute(Block((), b.ops, b.yields), names)
    body = Block((*a.parameters, *b.parameters[1:]), (*a.ops, *tail.ops), (*a.yields, *tail.yields))
    operands = (*first.operands, *(renamed(x, names) for x in second.operands[1:]))
    return replace(first, operands=operands, results=(*first.results, *second.results), blocks=(body,))


def _is_own(site: Value, looking: Looking) -> bool:
    made = looking.definitions.op.get(site)
    return made is not None and made.primitive == "alloc"


def has_loops(loop: Op) -> bool:
    return any(op.primitive == "for" for op in walk(loop.blocks[0]))
