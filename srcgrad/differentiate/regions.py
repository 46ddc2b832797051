"""Preparations of control flow for reversal: counted ``while`` loops, and a number for each op with blocks.

A reverse sweep carries ``mirror=k`` on the op that reverses the forward op with ``region=k``; ``recall`` finds
the pairs by these numbers and removes them.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace
from functools import partial
from itertools import count

from srcgrad.analysis.liveness import Liveness
from srcgrad.ir.core import Attribute, Block, Function, Op, Value, index, walk
from srcgrad.ir.rewrite import Replacement, rewrite, rewrite_block
from srcgrad.ir.types import INDEX

MARKS = ("region", "mirror", "because", "repeated", "repeats", "trips")


def count_whiles(function: Function) -> Function:
    """Carry the number of iterations through each ``while``; ``trips`` says which result it is."""
    return rewrite(function, lambda op: _counted(op) if op.primitive == "while" else None)


def _counted(op: Op) -> tuple[list[Op], dict[Value, Value]]:
    test, body = op.blocks
    trips, seen, before, after = (Value(INDEX, "trips") for _ in range(4))
    test = Block((*test.parameters, seen), test.ops, test.yields)
    increment = Op("add", (before, index(1)), (after,), location=op.location)
    body = Block((*body.parameters, before), (*body.ops, increment), (*body.yields, after))
    return [
        replace(
            op,
            operands=(*op.operands, index(0)),
            results=(*op.results, trips),
            blocks=(test, body),
            attributes={**op.attributes, "trips": len(op.results)},
        )
    ], {}


def number_regions(function: Function) -> Function:
    numbers = count()
    return replace(function, body=numbered(function.body, numbers))


def numbered(block: Block, numbers: Iterator[int]) -> Block:
    """The block with ``region=k`` on every op that holds blocks."""

    def visit(op: Op) -> Replacement | None:
        if not op.blocks:
            return None
        return [replace(op, attributes={**op.attributes, "region": next(numbers)})], {}

    return rewrite_block(block, {}, visit)


def drop_repeated_checks(function: Function) -> Function:
    """Drop the checks of forward loops that have no other use, and whose mirrors run the iterations again.

    A loop that stays, for its value or for what it writes, keeps its checks: what comes behind them relies on them.
    """
    regions = {op.attributes["region"] for op in walk(function.body) if "repeated" in op.attributes}
    while regions:
        without = rewrite(function, partial(_without_checks, regions=regions))
        needed = Liveness(without).needed
        staying = {k for op in needed if "repeated" in op.attributes and (k := op.attributes["region"]) in regions}
        if not staying:
            return without
        regions -= staying
    return function


def _without_checks(op: Op, regions: Container[Attribute]) -> Replacement | None:
    if "repeated" not in op.attributes or op.attributes["region"] not in regions:
        return None
    blocks = tuple(rewrite_block(b, {}, _drop_check) for b in op.blocks)
    return [replace(op, blocks=blocks)], {}


def _drop_check(op: Op) -> Replacement | None:
    return ([], {}) if op.primitive == "check" else None


def mark_repeated(function: Function, regions: set[int]) -> Function:
    """Mark the forward loops whose iterations a mirror runs again."""

    def visit(op: Op) -> Replacement | None:
        if op.attributes.get("region") not in regions:
            return None
        return [replace(op, attributes={**op.attributes, "repeated": True})], {}

    return rewrite(function, visit)


def remove_marks(function: Function) -> Function:
    """Drop the numbers once nobody asks for them; of a mirror loop it stays known that it carries adjoints."""

    def visit(op: Op) -> Replacement | None:
        if not op.blocks:
            return None
        kept = {k: v for k, v in op.attributes.items() if k not in MARKS}
        if op.primitive == "for" and "mirror" in op.attributes:
            kept["adjoint"] = True
        return [replace(op, attributes=kept)], {}

    return rewrite(function, visit)
