"""Which of two indices is larger, by the bounds of the loops around them.

The triangular loops of a factorisation read elements that are final: ``factor[i, k]`` for ``k < j``, while later
iterations write ``factor[i, j]`` of larger ``j`` or ``i``. No constant tells the two apart, the bound of ``k`` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import gcd

from srcgrad.analysis.accesses import Definitions
from srcgrad.analysis.affine import Affine
from srcgrad.ir.core import Block, Const, Operand, Value
from srcgrad.ir.types import INDEX


@dataclass(frozen=True)
class Counter:
    """The counter of a loop, from 0 to ``last``."""

    value: Value
    last: Affine


def least(form: Affine, counters: Sequence[Counter]) -> Affine:
    """A form that is nowhere larger, without these counters; they are given outermost first.

    The bound of a counter may depend on those further out, so that the innermost goes first.
    """
    for counter in reversed(counters):
        factor = form.terms.get(counter.value, 0)
        if factor:
            form = form.without(counter.value)
        if factor < 0:
            form = form + counter.last * factor
    return form


def never_equal(a: Affine, b: Affine, counters: Sequence[Counter]) -> bool:
    """Two forms differ whatever the counters are, all other values being the same in both."""
    return any(_is_positive(least(difference, counters)) for difference in (a - b, b - a))


def never_wraps_to(gap: Affine, definitions: Definitions) -> bool:
    """A difference of row numbers, from each of which a multiple of the number of rows may have been taken, is not 0.

    That is ``mul(rows, x)``, where ``rows`` is a number or ``max(n, 8)``, and 0 < abs(constant) < 8.
    """
    if gap.is_constant or not gap.constant:
        return gap.constant != 0
    if gap.constant % gcd(*gap.terms.values()):
        return True
    taken = [definitions.op.get(value) for value in gap.terms]
    factors = [set(op.operands) for op in taken if op is not None and op.primitive == "mul"]
    common = set.intersection(*factors) if factors and len(factors) == len(taken) else set()
    return any(abs(gap.constant) < _at_least(rows, definitions) for rows in common)


def _at_least(operand: Operand, definitions: Definitions) -> int:
    """A number that a maximum is not below."""
    op = definitions.op.get(operand) if isinstance(operand, Value) else None
    known = op.operands if op is not None and op.primitive == "max" else ()
    return max((int(x.value.real) for x in known if isinstance(x, Const)), default=0)


def grows_apart(
    now: Affine, later: Affine, own: Counter | None, around: Sequence[Counter], is_shared: Callable[[Value], bool]
) -> bool:
    """``later``, taken in a later iteration of the loop with the counter ``own``, is larger than ``now``.

    Both may contain that counter and values that are the same in all its iterations, which ``is_shared`` tells.
    ``now`` and ``later`` are an upper and a lower bound without any counter inside of the loop.
    """
    counted = () if own is None else (own.value,)
    if any(value not in counted and not is_shared(value) for value in (*now.terms, *later.terms)):
        return False
    if own is None:
        return _is_positive(least(later - now, around))
    then, here = later.terms.get(own.value, 0), -now.terms.get(own.value, 0)
    gap = later.without(own.value) - now.without(own.value)
    # The later iteration is at least one further on, and this one is not the last.
    if then < 0:
        gap = gap + own.last * then
    else:
        gap, here = gap + then, here + then
    if here < 0:
        gap = gap + (own.last - 1) * here
    return _is_positive(least(gap, around))


def counters_along(path: Sequence[tuple[Block, int]], affine: Callable[[Operand], Affine]) -> list[Counter]:
    """The counters of the ``for`` loops on the way to an op, outermost first."""
    return [
        Counter(op.blocks[0].parameters[0], affine(op.operands[0]) - 1)
        for block, position in path[:-1]
        if (op := block.ops[position]).primitive == "for"
    ]


def unequal_along(path: Sequence[tuple[Block, int]], definitions: Definitions) -> list[Affine]:
    """Differences that are not zero in the branches on the way to an op."""
    found = [difference for difference, equal in _compared_along(path, definitions) if not equal]
    return [*found, *(difference * -1 for difference in found)]


def with_counter(form: Affine, counter: Value, path: Sequence[tuple[Block, int]], definitions: Definitions) -> Affine:
    """A form in terms of a counter where the branches on the way to an op say that something else is equal to it.

    ``factor[i, i]``, where ``i == j``, is an element that no other j has.
    """
    for difference, equal in _compared_along(path, definitions):
        if not equal or counter not in difference.terms:
            continue
        for value, factor in difference.terms.items():
            if value is not counter and abs(factor) == 1 and value in form.terms:
                form = form - difference * (form.terms[value] * factor)
    return form


def _compared_along(path: Sequence[tuple[Block, int]], definitions: Definitions) -> Iterator[tuple[Affine, bool]]:
    """Differences that are zero, or are not, in the branches on the way to an op."""
    for (block, position), (inner, _) in pairwise(path):
        branch = block.ops[position]
        condition = branch.operands[0] if branch.primitive == "if" else None
        test = definitions.op.get(condition) if isinstance(condition, Value) else None
        if test is None or test.primitive not in ("eq", "ne") or test.operands[0].type != INDEX:
            continue
        a, b = (definitions.affine(x) for x in test.operands)
        yield a - b, (inner is branch.blocks[0]) == (test.primitive == "eq")


def _is_positive(form: Affine) -> bool:
    return form.is_constant and form.constant > 0
