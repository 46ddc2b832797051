"""A nest of loops, written as a loop over antidiagonals and one over the cells of each.

They are those of a strip of rows: what lies in memory by rows, such as the caller's arrays, is met again before it has
left the cache (a table of 2,000 by 2,000 that is returned: 48 ms along antidiagonals from end to end, 17 in strips).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Op, Operand, Value, index
from srcgrad.ir.rewrite import Environment, copy_op, renamed
from srcgrad.optimize.diagonals.nests import Nest
from srcgrad.primitives.table import new_builder

STRIP = 256  # rows; arrays of which one is a page apart each are still found without a walk through page tables


def along_diagonals(nest: Nest, upwards: bool) -> list[Op]:
    """The loops that take the place of a nest; its cells are gone through with the outer counter going up or down.

    Of a strip of ``h`` rows diagonal ``d`` has the cells ``(p, d - p)``, where ``p`` goes from ``max(0, d - (m - 1))``
    to ``min(d, h - 1)`` within the strip.
    """
    builder = new_builder()
    builder.open()
    builder.location = nest.outer.location
    n, m = nest.outer.operands[0], nest.inner.operands[0]
    names = [r.name for r in nest.outer.results]
    last_column = less_one(builder, m)
    strips = builder.parts(n, index(STRIP))

    def strip(number: Value, *totals: Value) -> Sequence[Operand]:
        top = builder("mul", number, index(STRIP), name="top")
        last_row = builder("sub", builder("min", builder("sub", n, top), index(STRIP)), index(1))
        count = at_least_0(builder, builder("add", last_row, m))

        def diagonal(d: Value, *totals: Value) -> Sequence[Operand]:
            first = builder("max", builder("sub", d, last_column), index(0), name="first")
            last = builder("min", d, last_row, name="last")
            cells = builder("add", builder("sub", last, first), index(1), name="cells")

            def cell(place: Value, *inner: Value) -> Sequence[Operand]:
                row = builder("add", first, place) if upwards else builder("sub", last, place)
                return _cell(builder, nest, (builder("add", top, row), builder("sub", d, row)), inner)

            return builder.for_(cells, totals, cell, names, "place")

        return builder.for_(count, totals, diagonal, names, "diagonal")

    builder.for_(strips, nest.outer.operands[1:], strip, names, "strip")
    *before, made = builder.close().ops
    return [*before, replace(made, results=nest.outer.results)]


def _cell(builder: Builder, nest: Nest, counters: Sequence[Operand], totals: Sequence[Value]) -> Sequence[Operand]:
    """All that a row does, for one of its cells; what the outer loop carries from cell to cell."""
    body, inner = nest.outer.blocks[0], nest.inner.blocks[0]
    names: Environment = dict(zip((body.parameters[0], inner.parameters[0]), counters, strict=True))
    names.update(zip(body.parameters[1:], totals, strict=True))

    def copied(ops: Sequence[Op]) -> None:
        builder.ops.extend(copy_op(op, names) for op in ops)

    copied(nest.before)
    names.update((parameter, renamed(x, names)) for parameter, x in nest.merges.items())
    copied(inner.ops)
    names.update((r, renamed(y, names)) for r, y in zip(nest.inner.results, inner.yields, strict=True))
    copied(nest.after)
    return [renamed(y, names) for y in body.yields]


def less_one(builder: Builder, n: Operand) -> Operand:
    return index(int(n.value.real) - 1) if isinstance(n, Const) else builder("sub", n, index(1))


def at_least_0(builder: Builder, n: Operand) -> Operand:
    return builder("max", n, index(0))
