"""Tables whose rows in memory are their antidiagonals, so that a loop over one goes from each element to the next.

Element ``(a, b)`` of a table of ``A`` by ``B`` elements is on diagonal ``k = a + b``. There are fewer than twice as
many diagonals as the larger extent ``M``, and two that are ``M`` apart have no more elements together than the longest
has alone: they share row ``k % M``, the first from its beginning, the second up to its end. So the table takes as much
memory as before. A table that is walked with both indices growing is turned about: ``b`` stands for ``B - 1 - b``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from srcgrad.analysis.accesses import Access, Definitions, indices
from srcgrad.analysis.affine import as_ops
from srcgrad.analysis.distances import Plane
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Function, Op, Operand, Value, index, used, walk
from srcgrad.ir.rewrite import Replacement, rewrite
from srcgrad.ir.types import INDEX, Array
from srcgrad.optimize.diagonals.nests import ACCESSES, Nest
from srcgrad.optimize.diagonals.walk import at_least_0, less_one
from srcgrad.primitives.table import Effect, effect, new_builder

LEAST_ROWS = 8  # diagonals that are fewer apart are known to have different rows, whatever the extents


@dataclass(frozen=True)
class Table:
    """An array of the function's own that nothing but loads and stores looks at."""

    made: Op
    turned: bool  # its second index counts from the end


def own_arrays(function: Function) -> dict[Value, Op]:
    """Allocations of rank 2 that are used for accesses to elements and to ask for extents, and nothing else."""
    made = {op.result: op for op in walk(function.body) if effect(op.primitive) is Effect.ALLOCATE and _is_table(op)}
    uses = list(used(function.body))
    plain = [op.operands[0] for op in walk(function.body) if op.primitive in (*ACCESSES, "dim")]
    return {array: op for array, op in made.items() if uses.count(array) == plain.count(array)}


def _is_table(op: Op) -> bool:
    kind = op.result.type
    return isinstance(kind, Array) and kind.rank == 2 and not kind.ones


def walked(nest: Nest, arrays: Collection[Value]) -> dict[Value, tuple[int, int]]:
    """By how much the indices of each array grow along an antidiagonal of a nest, where both do, by one."""
    found: dict[Value, tuple[int, int]] = {}
    for access in nest.accesses.values():
        steps = steps_along(nest.plane, access)
        if access.root in arrays and steps is not None:
            found.setdefault(access.root, steps)
    return found


def steps_along(plane: Plane, access: Access) -> tuple[int, int] | None:
    """What a cell adds to both indices, as the outer counter goes up by one and the inner one down."""
    known = [plane.along(form) for form in access.indices if form is not None and plane.knows(form)]
    steps = [outer - inner for outer, inner in known]
    return (steps[0], steps[1]) if len(steps) == 2 and all(abs(s) == 1 for s in steps) else None


def lay_out(function: Function, tables: Mapping[Value, Table]) -> Function:
    """The function with these tables along their antidiagonals."""
    layout = _Layout(Definitions(function), tables)
    return rewrite(function, layout.visit)


@dataclass(frozen=True)
class _Shape:
    """What the place of an element is computed from: values that are known where the table is made."""

    rows: Operand  # M
    spare: Operand  # by how many elements the first index may exceed the length of a row
    last_column: Operand  # B - 1


@dataclass
class _Layout:
    definitions: Definitions
    tables: Mapping[Value, Table]
    shapes: dict[Value, _Shape] = field(default_factory=dict)

    def visit(self, op: Op) -> Replacement | None:
        if op.results and op.results[0] in self.tables:
            return self.made(op), {}
        array = op.operands[0] if op.operands else None
        if not isinstance(array, Value) or array not in self.tables:
            return None
        if op.primitive == "dim":
            return (), {op.result: self.tables[array].made.operands[op.integer("axis")]}
        return self.access(op, self.tables[array], self.shapes[array]), {}

    def made(self, op: Op) -> Iterable[Op]:
        builder = _builder_at(op)
        a, b = op.operands
        rows = builder("max", builder("max", a, b), index(LEAST_ROWS))
        spare = at_least_0(builder, builder("sub", a, b))
        self.shapes[op.result] = _Shape(rows, spare, less_one(builder, b))
        builder.ops.append(replace(op, operands=(rows, builder("min", a, b))))
        return builder.close().ops

    def access(self, op: Op, table: Table, shape: _Shape) -> Iterable[Op]:
        builder = _builder_at(op)
        a, b = (self.definitions.affine(i) for i in indices(op))
        if table.turned:
            b = self.definitions.affine(table.made.operands[1]) - 1 - b
        diagonal = as_ops(builder, a + b)
        # A product, and no choice: branches take Numba time to compile.
        again = builder("cast", builder("le", shape.rows, diagonal), dtype=INDEX.dtype)
        row = builder("sub", diagonal, builder("mul", shape.rows, again))
        first = at_least_0(builder, builder("sub", diagonal, shape.last_column))
        column = builder("sub", indices(op)[0], builder("min", first, shape.spare))
        builder.ops.append(replace(op, operands=(op.operands[0], row, column, *op.operands[3:])))
        return builder.close().ops


def _builder_at(op: Op) -> Builder:
    builder = new_builder()
    builder.open()
    builder.location = op.location
    return builder
