"""An array that a loop carries is taken to keep its extents, where neither is known to be the other; that is checked.

``x = a @ x`` in a loop gives ``x`` as many elements as ``a`` has rows. That these are as many as it had at the start is
not said anywhere, and a loop that runs once does not need it; but where it is known, the storage of all iterations is
one array, and an extent that is a literal in the loop, or in front of it, is one in both. As where extents meet
(``arrays.broadcasting``), code in which the check fails is made again, without it::

                                                       _1: bool = eq(m, k)          # k the extent of x
                                                       check(_1, k, m, exception='ValueError', ...)
    with for_(n, x) as (last,):                        with for_(n, x) as (last,):
        def _(i: i64, p: f64[:]):              ->          def _(i: i64, p: f64[:]):
            y: f64[:] = alloc(m, ...)                          y: f64[:] = alloc(m, ...)
            yield y                                            yield y
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from srcgrad.analysis.accesses import scope_of
from srcgrad.analysis.extents import Dim, Extent, Extents
from srcgrad.ir.build import Builder
from srcgrad.ir.core import LOOPS, Block, Const, Function, Op, Operand, Value, first_carried, walk
from srcgrad.ir.messages import UNEQUAL
from srcgrad.ir.rewrite import with_blocks, with_ops
from srcgrad.ir.types import Array
from srcgrad.primitives.table import new_builder

Scopes = dict[Value, tuple[Block, ...]]


def keep_extents(function: Function) -> Function:
    """The function with such checks in front of its loops."""
    if not any(_carries_arrays(op) for op in walk(function.body)):
        return function
    return replace(function, body=_Pass(Extents(function), scope_of(function)).block(function.body))


def _carries_arrays(op: Op) -> bool:
    return op.primitive in LOOPS and any(isinstance(r.type, Array) for r in op.results)


@dataclass(frozen=True)
class _Pass:
    extents: Extents
    scopes: Scopes

    def block(self, block: Block) -> Block:
        ops: list[Op] = []
        for op in block.ops:
            if _carries_arrays(op):
                ops.extend(self.checks(op))
            ops.append(with_blocks(op, [self.block(b) for b in op.blocks]))
        return with_ops(block, ops)

    def checks(self, loop: Op) -> tuple[Op, ...]:
        builder = new_builder()
        builder.location = loop.location
        builder.open()
        for before, after in dict.fromkeys(self.meeting(loop)):
            here, there = (_operand(builder, extent) for extent in (before, after))
            same = builder("eq", there, here)
            builder.emit("check", same, here, there, exception="ValueError", message=f"{UNEQUAL} {{0}} and {{1}}")
        return builder.close().ops

    def meeting(self, loop: Op) -> Iterator[tuple[Extent, Extent]]:
        """The extents, known in front of the loop, of what it carries first and of what it carries from then on."""
        first, body = first_carried(loop), loop.blocks[-1]
        outside = self.known_in_front(body)
        for initial, parameter, yielded in zip(
            loop.operands[first:], body.parameters[first:], body.yields, strict=True
        ):
            if not isinstance(parameter.type, Array):
                continue
            shapes = (self.extents.of(x) for x in (initial, parameter, yielded))
            for axis, (before, during, after) in enumerate(zip(*shapes, strict=True)):
                varies = during == Dim(parameter, axis) and before != after
                if varies and _may_be_equal(before, after) and outside(before) and outside(after):
                    yield before, after

    def known_in_front(self, body: Block) -> Callable[[Extent], bool]:
        def outside(extent: Extent) -> bool:
            source = extent.array if isinstance(extent, Dim) else extent
            return isinstance(source, Const) or body not in self.scopes[source]

        return outside


def _may_be_equal(one: Extent, other: Extent) -> bool:
    """Two literals are as they are; what is empty grows, and what is 1 is broadcast."""
    constants = [x.value for x in (one, other) if isinstance(x, Const)]
    return len(constants) < 2 and not {0, 1} & {*constants}


def _operand(builder: Builder, extent: Extent) -> Operand:
    return builder("dim", extent.array, axis=extent.axis) if isinstance(extent, Dim) else extent
