"""Hide from LLVM how a row's number changes, where what it makes of it would keep the loop over the row scalar.

Whether the arrays of an innermost loop overlap is tested when the program runs. LLVM 22 makes these tests in front of
the loop around, for all of its rows at once: rows of one array then overlap, and an array that is walked backwards
never passes. The loop without vectors runs, and all that was done for the other one is lost. A row that is counted
by ``min(row + 1, trips)`` is the same row, but LLVM does not compute its whole range, and tests the rows one by one.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(kept: f64[:, :], x_bar: f64[:], t: i64, n: i64):
...     with for_(t):
...         def _(q: i64):
...             last: i64 = sub(t, 1)
...             k: i64 = sub(last, q)
...             with for_(n):
...                 def _(i: i64):
...                     v: f64 = load(kept, k, i)
...                     accumulate(x_bar, i, v)
... '''
>>> print(to_text(hide_rows(parse(before, infer))))
def f(kept: f64[:, :], x_bar: f64[:], t: i64, n: i64):
    with for_(t, 0) as (row,):
        def _(q: i64, row_1: i64):
            last: i64 = sub(t, 1)
            k: i64 = sub(last, row_1)
            with for_(n):
                def _(i: i64):
                    v: f64 = load(kept, k, i)
                    accumulate(x_bar, i, v)
            _1: i64 = add(row_1, 1)
            _2: i64 = min(_1, t)
            yield _2
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from srcgrad.analysis.accesses import Access, Definitions, indices
from srcgrad.analysis.carried import depending
from srcgrad.analysis.extents import Extents
from srcgrad.analysis.sums import sums
from srcgrad.ir.core import LOOPS, Block, Const, Function, Op, Value, defined, index, walk
from srcgrad.ir.rewrite import substitute, with_blocks, with_ops
from srcgrad.ir.types import INDEX
from srcgrad.primitives.table import Effect, effect, new_builder

ACCESSES = ("load", "store", "accumulate")


def hide_rows(function: Function) -> Function:
    if not any(op.primitive == "for" and any(map(_is_row, _loops(op))) for op in walk(function.body)):
        return function
    body = _Hiding(Definitions(function), Extents(function)).block(function.body)
    return function if body is function.body else replace(function, body=body)


def _loops(loop: Op) -> Iterator[Op]:
    """The loops directly inside, perhaps in a branch."""
    pending = list(loop.blocks[0].ops)
    while pending:
        op = pending.pop()
        if op.primitive == "for":
            yield op
        elif op.primitive == "if":
            pending += [o for b in op.blocks for o in b.ops]


def _is_row(loop: Op) -> bool:
    """Whether a loop may become one of vectors, by tests of what overlaps."""
    ops = list(walk(loop.blocks[0]))
    if any(o.primitive in LOOPS for o in ops):
        return False
    return any(effect(o.primitive) is Effect.WRITE for o in ops) and not _waits(loop)


def _waits(loop: Op) -> bool:
    """Whether an iteration needs what the one before it made of what it was given in turn, other than a sum."""
    body = loop.blocks[0]
    added = set(sums(loop))
    carried = zip(body.parameters[1:], body.yields, strict=True)
    return any(k not in added and y in depending(body, (x,)) for k, (x, y) in enumerate(carried))


@dataclass(frozen=True)
class _Hiding:
    definitions: Definitions
    extents: Extents

    def block(self, block: Block) -> Block:
        ops = []
        for op in block.ops:
            inner = with_blocks(op, [self.block(b) for b in op.blocks])
            ops.append(_with_hidden_row(inner) if op.primitive == "for" and self.is_misjudged(op) else inner)
        return with_ops(block, ops)

    def is_misjudged(self, loop: Op) -> bool:
        if "threads" in loop.attributes:
            return False
        counter = loop.blocks[0].parameters[0]
        # Where rows have different lengths, LLVM tests each by itself anyway.
        inside = set(defined(loop.blocks[0]))
        rows = (row for row in _loops(loop) if row.operands[0] not in inside and _is_row(row))
        return any(self.overlaps_as_a_whole(row, counter) for row in rows)

    def overlaps_as_a_whole(self, row: Op, counter: Value) -> bool:
        """Whether rows are walked backwards, or are rows of one array that is written to."""
        places: dict[Value, set[tuple[object, ...]]] = {}
        written: set[Value] = set()
        for op in walk(row.blocks[0]):
            array = op.operands[0] if op.primitive in ACCESSES else None
            if not isinstance(array, Value):
                continue
            access = self.definitions.access(array, indices(op))
            steps = [f.terms.get(counter, 0) for f in access.indices[:-1] if f is not None]
            if any(step < 0 for step in steps):
                return True
            if any(steps) and not self.has_rows_of_known_length(access.root):
                places.setdefault(access.root, set()).add(_rows(access))
                written.update([access.root] if effect(op.primitive) is Effect.WRITE else [])
        return any(len(places[root]) > 1 for root in written)

    def has_rows_of_known_length(self, array: Value) -> bool:
        """Whether how far rows are apart is a number in the text: LLVM then need not test anything."""
        return all(isinstance(extent, Const) for extent in self.extents.of(array)[1:])


def _rows(access: Access) -> tuple[object, ...]:
    return tuple(f and (f.constant, frozenset(f.terms.items())) for f in access.indices[:-1])


def _with_hidden_row(loop: Op) -> Op:
    body = loop.blocks[0]
    row = Value(INDEX, "row")
    builder = new_builder()
    builder.open()
    following = builder("min", builder("add", row, index(1)), loop.operands[0])
    inner = substitute(body, {body.parameters[0]: row})
    block = Block((*body.parameters, row), (*inner.ops, *builder.close().ops), (*inner.yields, following))
    operands, results = (*loop.operands, index(0)), (*loop.results, Value(INDEX, "row"))
    return replace(loop, operands=operands, results=results, blocks=(block,))
