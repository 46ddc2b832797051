"""Where may infinite numbers come to, and from where are values selected, through memory, branches and loops?

An array of ``x * np.log(x)`` holds NaN at 0. What later takes its other elements alone (``np.where``, a mask, a branch)
sends a cotangent of exactly 0 to that one, which has to stay 0 on its way back through the products that made it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from srcgrad.analysis.flows import flows
from srcgrad.analysis.sites import Sites
from srcgrad.ir.core import Block, Function, Op, Operand, Value, captured, walk
from srcgrad.primitives.scalar import SCALARS

# What makes some cotangents 0: only with these can a factor be infinite where it does not matter.
SELECTING = frozenset({"select", "max", "min", "larger", "smaller"})


class Poles:
    """The values that may be infinite, and those that may be left aside.

    ``infinite`` are those that a pole may have made so, through memory, too; ``selected`` those of which some may not
    be used later; ``selects`` says whether there is any selection or branch.
    """

    def __init__(self, function: Function, is_pole: Callable[[Op], bool]) -> None:
        ops = list(walk(function.body))
        poles = [op.result for op in ops if is_pole(op)]
        branches = [op for op in ops if op.primitive == "if"]
        self.selects = bool(branches) or any(op.primitive in SELECTING for op in ops) or any(_gathers(ops))
        self.infinite: frozenset[Value] = frozenset()
        self.selected: frozenset[Value] = frozenset()
        if not poles or not any(op.primitive == "load" for op in ops):
            return
        sites = Sites(function)
        chosen = [x for op in ops if op.primitive in SELECTING for x in op.operands if isinstance(x, Value)]
        chosen += [value for op in branches for value in captured(op)]
        some = [*_in_branches(function.body), *_gathers(ops)]
        chosen += [site for op in some for site in sites.sites(op.operands[0])]
        edges = list(_edges(ops, sites))
        self.infinite = _closure(poles, edges)
        self.selected = _closure(chosen, [(b, a) for a, b in edges])


def _in_branches(block: Block, inside: bool = False) -> Iterator[Op]:
    """The loads that run on some paths only."""
    for op in block.ops:
        if op.primitive == "load" and inside:
            yield op
        for inner in op.blocks:
            yield from _in_branches(inner, inside or op.primitive == "if")


def _gathers(ops: Iterable[Op]) -> Iterator[Op]:
    """The loads of elements that other memory names, as those under a mask."""
    loaded: set[Operand] = set()
    for op in ops:
        if op.primitive == "load":
            if any(x in loaded for x in op.operands[1:]):
                yield op
            loaded.add(op.result)
        elif op.primitive == "check_index" and op.operands[0] in loaded:
            loaded.add(op.result)


def _edges(ops: Sequence[Op], sites: Sites) -> Iterator[tuple[Operand, Value]]:
    """From each value to those that are made of it, memory by its sites."""
    for op in ops:
        if op.primitive in SCALARS and len(op.results) == 1:
            yield from ((x, op.result) for x in op.operands)
    yield from flows(ops, sites)


def _closure(start: Iterable[Value], edges: Iterable[tuple[Operand, Operand]]) -> frozenset[Value]:
    following: dict[Operand, list[Operand]] = {}
    for a, b in edges:
        following.setdefault(a, []).append(b)
    found: set[Value] = set()
    pending: list[Operand] = list(start)
    while pending:
        value = pending.pop()
        if isinstance(value, Value) and value not in found:
            found.add(value)
            pending += following.get(value, ())
    return frozenset(found)
