"""Stacks made in an iteration: those on which all lanes push and pop together.

Such a stack holds rows, an element for each lane. All lanes push one row whenever one of them would push, and pop it
whenever one of them would pop; so that every lane finds its own, pushes and pops have to lie in loops and branches that
correspond: the loops push from the first to the last iteration of the lane that has the most, and pop from its last
to its first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from srcgrad.ir.core import LOOPS, Block, Op, Value
from srcgrad.ir.types import Scalar, Stack

Path = tuple[tuple[Op, int], ...]  # the ops around, outermost first, each with the number of its block


@dataclass(frozen=True)
class StackUse:
    """A stack with its only push and its only pop, and what is around them inside the block that makes the stack."""

    push: Op
    pop: Op
    pushed_in: Path
    popped_in: Path

    def parts(self, parts: Callable[[Op], bool]) -> bool:
        """Whether lanes push or pop in loops or branches that they take differently."""
        return any(parts(op) for op, _ in (*self.pushed_in, *self.popped_in))

    def corresponds(self, parts: Callable[[Op], bool]) -> bool:
        """Whether all lanes together pop as often, and in the opposite order, as they push."""
        pairs = list(zip(self.pushed_in, self.popped_in, strict=False))
        return len(self.pushed_in) == len(self.popped_in) and all(
            parts(one) == parts(other)
            and (other.primitive == "for" if one.primitive in LOOPS else (one.primitive, k) == (other.primitive, m))
            for (one, k), (other, m) in pairs
        )


def stack_uses(body: Block) -> dict[Value, StackUse]:
    """The stacks of scalars made inside a loop's body that are pushed to in one place and popped from in one."""
    uses: dict[Value, list[tuple[Op, Path]]] = {}
    for op, path in _with_paths(body, ()):
        if op.primitive in ("push", "pop") and isinstance(op.operands[0], Value):
            uses.setdefault(op.operands[0], []).append((op, path))
    found: dict[Value, StackUse] = {}
    for op, path in _with_paths(body, ()):
        if op.primitive != "stack" or not isinstance(op.result.type, Stack):
            continue
        own = sorted(uses.get(op.result, ()), key=lambda use: use[0].primitive == "pop")
        if isinstance(op.result.type.element, Scalar) and [o.primitive for o, _ in own] == ["push", "pop"]:
            (push, pushed_in), (pop, popped_in) = own
            found[op.result] = StackUse(push, pop, pushed_in[len(path) :], popped_in[len(path) :])
    return found


def _with_paths(block: Block, path: Path) -> Iterator[tuple[Op, Path]]:
    for op in block.ops:
        yield op, path
        for k, inner in enumerate(op.blocks):
            yield from _with_paths(inner, (*path, (op, k)))
