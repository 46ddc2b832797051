"""Which loops run in lanes: those where it pays, unless something forbids it."""

from __future__ import annotations

from srcgrad.analysis.prices import is_dear
from srcgrad.analysis.refusal import Refusal, refused
from srcgrad.analysis.sums import carried_over, only_sums
from srcgrad.ir.core import Block, Op, defined, walk
from srcgrad.ir.types import Scalar
from srcgrad.optimize.lanes.allowed import forbidding
from srcgrad.optimize.lanes.facts import Program, facts_of
from srcgrad.optimize.lanes.streams import streams

LARGEST = 400  # ops in a body; what is larger takes Numba too long


def runs_in_lanes(op: Op, program: Program) -> bool:
    return is_worth_it(op) and refusal(op, program) is None


def is_worth_it(op: Op) -> bool:
    return unworthy(op) is None


def unworthy(op: Op) -> Refusal | None:
    """Why lanes would not pay: they do for dear operations with loops around that LLVM would not vectorise well."""
    if op.primitive != "for":
        return refused("the iterations of a `while` come one after the other")
    if "directions" in op.attributes:
        return None
    body = op.blocks[0]
    size = sum(1 for _ in walk(body))
    if size > LARGEST:
        return refused(f"its body has {size} operations, and more than {LARGEST} take too long to compile")
    if not any(is_dear(inner) or inner.attributes.get("product") for inner in walk(body)):
        return refused("it computes nothing that takes longer than a division")
    if depth(body) < 2 and not _recurs(body):
        return refused("loops inside one another or a recurrence would make it worth while, and it has none")
    if streams(op):
        return refused("it goes through arrays as they lie in memory, which is as fast without")
    return None


def refusal(loop: Op, program: Program) -> Refusal | None:
    """What keeps the iterations of a counted loop from running side by side, if anything does."""
    body = loop.blocks[0]
    if any(isinstance(v.type, Scalar) and v.type.dtype.kind == "c" for v in defined(body)):
        return refused("it computes with complex numbers")
    return carried_over(loop) or forbidding(facts_of(loop, program))


def depth(block: Block) -> int:
    """How many loops are inside one another."""
    return max((depth(b) + (op.primitive == "for") for op in block.ops for b in op.blocks), default=0)


def _recurs(block: Block) -> bool:
    """Whether a loop carries something other than sums, or in memory from one element to another."""
    return any(
        op.primitive == "while"
        or (op.primitive == "for" and len(op.operands) > 1 and not only_sums(op))
        or (op.primitive == "for" and _hands_on(op.blocks[0]))
        for op in walk(block)
    )


def _hands_on(body: Block) -> bool:
    """Whether an iteration stores to one element of an array and reads another one."""
    stored = {(op.operands[0], op.operands[1:-1]) for op in body.ops if op.primitive == "store"}
    arrays = {array for array, _ in stored}
    loads = (op for op in body.ops if op.primitive == "load" and op.operands[0] in arrays)
    return any((op.operands[0], op.operands[1:]) not in stored for op in loads)
