"""A nest of loops, written as a loop over antidiagonals and one over the cells of each."""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.ir.build import Builder
from srcgrad.ir.core import Const, Op, Operand, Value, index
from srcgrad.ir.rewrite import Environment, copy_op, renamed
from srcgrad.optimize.diagonals.nests import Nest
from srcgrad.primitives.table import new_builder


def along_diagonals(nest: Nest, upwards: bool) -> list[Op]:
    """The loops that take the place of a nest; its cells are gone through with the outer counter going up or down.

    Diagonal ``k`` has the cells ``(p, k - p)``, where ``p`` goes from ``max(0, k - (m - 1))`` to ``min(k, n - 1)``.
    """
    builder = new_builder()
    builder.open()
    builder.location = nest.outer.location
    n, m = nest.outer.operands[0], nest.inner.operands[0]
    last_row, last_column = less_one(builder, n), less_one(builder, m)
    count = at_least_0(builder, builder("add", n, last_column))

    def diagonal(k: Value, *totals: Value) -> Sequence[Operand]:
        first = builder("max", builder("sub", k, last_column), index(0), name="first")
        last = builder("min", k, last_row, name="last")
        cells = builder("add", builder("sub", last, first), index(1), name="cells")

        def cell(place: Value, *inner: Value) -> Sequence[Operand]:
            row = builder("add", first, place) if upwards else builder("sub", last, place)
            return _cell(builder, nest, (row, builder("sub", k, row)), inner)

        return builder.for_(cells, totals, cell, names, "place")

    names = [r.name for r in nest.outer.results]
    totals = builder.for_(count, nest.outer.operands[1:], diagonal, names, "diagonal")
    made = builder.close().ops
    assert made[-1].results == totals
    return [*made[:-1], Op("for", made[-1].operands, nest.outer.results, made[-1].blocks, {}, nest.outer.location)]


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
