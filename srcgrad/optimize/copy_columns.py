"""Copy an array of short rows, a point in each, into columns where pairs of rows are looked at.

``x[j, 0], x[j, 1], x[j, 2]`` for successive j lie apart in memory: a loop over j does not vectorise. One copy in front
of the loops puts the j-th elements side by side; a shadow that is added to has columns of its own, added to it behind
the loops. The case is ``benchmarks/problems/lennard_jones.py``; sums are added up in another order.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:, :], n: i64):
...     with for_(n, 0.0) as (total,):
...         def _(i: i64, t: f64):
...             with for_(i, t) as (u,):
...                 def _(j: i64, s: f64):
...                     v: f64 = load(x, j, 0)
...                     w: f64 = load(x, j, 1)
...                     d: f64 = sub(v, w)
...                     s_1: f64 = add(s, d)
...                     yield s_1
...             yield u
...     return total
... '''
>>> print(to_text(copy_columns(parse(before, infer))))
def f(x: f64[:, :], n: i64):
    _1: i64 = dim(x, axis=0)
    _2: i64 = dim(x, axis=1)
    _3: bool = le(2, _2)
    _4: i64 = select(_3, _1, 0)
    x_1: f64[:, :] = alloc(2, _1, dtype=f64, fill='empty')
    with for_(_4):
        def _(i: i64):
            _5: f64 = load(x, i, 0)
            store(x_1, 0, i, _5)
            _6: f64 = load(x, i, 1)
            store(x_1, 1, i, _6)
    with for_(n, 0.0) as (total,):
        def _(i_1: i64, t: f64):
            with for_(i_1, t) as (u,):
                def _(j: i64, s: f64):
                    v: f64 = load(x_1, 0, j)
                    w: f64 = load(x_1, 1, j)
                    d: f64 = sub(v, w)
                    s_1: f64 = add(s, d)
                    yield s_1
            yield u
    return total
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from srcgrad.analysis.accesses import Definitions, indices
from srcgrad.analysis.sites import Sites
from srcgrad.analysis.sums import only_sums
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, defined, index, walk
from srcgrad.ir.rewrite import rewrite_block, with_blocks, with_ops
from srcgrad.ir.types import Array
from srcgrad.primitives.table import Effect, effect, new_builder

ACCESSES = ("load", "accumulate")
TOUCHING = (Effect.READ, Effect.WRITE, Effect.CALL, Effect.STACK)
WIDEST = 8  # columns that are copied


def copy_columns(function: Function) -> Function:
    if not any(op.primitive == "for" and _pair_loops(op) for op in walk(function.body)):
        return function
    pass_ = _Columns(Sites(function), Definitions(function))
    body = pass_.block(function.body)
    return function if body is function.body else replace(function, body=body)


def _pair_loops(loop: Op) -> list[Op]:
    """The innermost loops inside a loop that do nothing but arithmetic on elements, and add up."""
    return [
        op
        for op in walk(loop.blocks[0])
        if op.primitive == "for" and only_sums(op) and all(_is_plain(o) for o in op.blocks[0].ops)
    ]


def _is_plain(op: Op) -> bool:
    return effect(op.primitive) is Effect.PURE or op.primitive in ACCESSES


@dataclass(frozen=True)
class _Columns:
    sites: Sites
    definitions: Definitions

    def block(self, block: Block) -> Block:
        """The block with columns for its loops; for loops further inside where it has no use for them itself."""
        ops: list[Op] = []
        for op in block.ops:
            before, loop, after = self.with_columns(op)
            ops += before
            ops.append(with_blocks(op, [self.block(b) for b in op.blocks]) if loop is op else loop)
            ops += after
        return with_ops(block, ops)

    def with_columns(self, loop: Op) -> tuple[Sequence[Op], Op, Sequence[Op]]:
        """The loop that looks at columns alone, and what goes in front of it and behind."""
        before = new_builder()
        before.open()
        after = new_builder()
        after.open()
        if loop.primitive != "for":
            return (), loop, ()
        for array, accesses in self.arrays(loop).items():
            columns = sorted({_column(op) for op in accesses})
            adding = accesses[0].primitive == "accumulate"
            rows = [before("dim", array, axis=axis) for axis in range(2)]
            fits = before("le", index(columns[-1] + 1), rows[1])
            trips = before("select", fits, rows[0], index(0))
            assert isinstance(array.type, Array)
            apart = before(
                "alloc",
                index(len(columns)),
                rows[0],
                name=array.name,
                dtype=array.type.dtype,
                fill="zeros" if adding else "empty",
            )
            if adding:
                after.for_(trips, (), lambda i: _added(after, apart, array, columns, i))  # noqa: B023  # runs at once
            else:
                before.for_(trips, (), lambda i: _copied(before, array, apart, columns, i))  # noqa: B023  # runs at once
            loop = _looking_at(loop, array, apart, columns)
        return before.close().ops, loop, after.close().ops

    def arrays(self, loop: Op) -> dict[Value, list[Op]]:
        """Arrays from outside with the accesses to them, all of one kind and at literal columns, some over pairs."""
        fast = [inner for inner in _pair_loops(loop) if all(self.is_even(op, inner) for op in inner.blocks[0].ops)]
        over_rows = {op for inner in fast for op in inner.blocks[0].ops if self.runs_over_rows(op, inner)}
        found: dict[Value, list[Op]] = {}
        for op in over_rows:
            array = op.operands[0]
            if isinstance(array, Value) and array not in found and array not in set(defined(loop.blocks[0])):
                accesses = self.accesses(loop, array)
                if len({_column(access) for access in accesses}) > 1:
                    found[array] = accesses
        return found

    def accesses(self, loop: Op, array: Value) -> list[Op]:
        """All that a loop does to the memory of an array, if that is by its name, at literal columns, of one kind."""
        memory = self.sites.sites(array)
        touching = (op for op in walk(loop.blocks[0]) if effect(op.primitive) in TOUCHING)
        ops = [op for op in touching if any(self.sites.sites(x) & memory for x in op.operands)]
        kinds = {op.primitive for op in ops}
        if len(kinds) != 1 or not kinds <= set(ACCESSES):
            return []
        return ops if all(op.operands[0] is array and 0 <= _column(op) < WIDEST for op in ops) else []

    def runs_over_rows(self, op: Op, loop: Op) -> bool:
        """Whether an access goes from row to row of a rank-2 array whose columns are not contiguous."""
        if op.primitive not in ACCESSES or _column(op) < 0:
            return False
        array = op.operands[0].type
        return isinstance(array, Array) and array.layout != "F" and self.step(indices(op)[0], loop) in (1, -1)

    def is_even(self, op: Op, loop: Op) -> bool:
        """Whether an op suits a loop that is to vectorise: an access to successive elements, or to one alone."""
        if op.primitive not in ACCESSES or self.runs_over_rows(op, loop):
            return True
        steps = [self.step(i, loop) for i in indices(op)]
        return not any(steps[:-1]) and steps[-1:] in ([0], [1], [-1], [])

    def step(self, i: Operand, loop: Op) -> int | None:
        """By how much an index grows from one iteration to the next; None if that is not known."""
        form = self.definitions.affine(i)
        counter = loop.blocks[0].parameters[0]
        inside = set(defined(loop.blocks[0])) - {counter}
        return None if inside.intersection(form.terms) else form.terms.get(counter, 0)


def _column(op: Op) -> int:
    """The literal column that an access to a rank-2 array is at; -1 for any other."""
    places = indices(op)
    last = places[-1] if len(places) == 2 else None
    return int(last.value) if isinstance(last, Const) and isinstance(last.value, int) else -1


def _copied(builder: Builder, array: Value, apart: Value, columns: Sequence[int], i: Value) -> Sequence[Operand]:
    for k, column in enumerate(columns):
        builder.emit("store", apart, index(k), i, builder("load", array, i, index(column)))
    return ()


def _added(builder: Builder, apart: Value, array: Value, columns: Sequence[int], i: Value) -> Sequence[Operand]:
    for k, column in enumerate(columns):
        builder.emit("accumulate", array, i, index(column), builder("load", apart, index(k), i))
    return ()


def _looking_at(loop: Op, array: Value, apart: Value, columns: Sequence[int]) -> Op:
    """The loop with accesses to an array in the place of those to another one."""

    def visit(op: Op) -> tuple[list[Op], dict[Value, Operand]] | None:
        if op.primitive not in ACCESSES or op.operands[0] is not array:
            return None
        row = indices(op)[0]
        place = index(columns.index(_column(op)))
        return [replace(op, operands=(apart, place, row, *op.operands[3:]))], {}

    return replace(loop, blocks=(rewrite_block(loop.blocks[0], {}, visit),))
