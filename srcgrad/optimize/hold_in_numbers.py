"""A small array of an iteration is as many numbers: what it is filled with, gets and gives is written out.

So is the shadow of a row that a gradient inside a loop makes, of which each element is added to once or twice. The
case is ``benchmarks/problems/ba.py``.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:], rows: f64[:, :], n: i64):
...     with for_(n):
...         def _(i: i64):
...             own: f64[:] = alloc(2, dtype=f64, fill='zeros')
...             v: f64 = load(x, i)
...             accumulate(own, 1, v)
...             accumulate(own, 1, 2.0)
...             with for_(2):
...                 def _(k: i64):
...                     w: f64 = load(own, k)
...                     store(rows, i, k, w)
... '''
>>> print(to_text(hold_in_numbers(parse(before, infer))))
def f(x: f64[:], rows: f64[:, :], n: i64):
    with for_(n):
        def _(i: i64):
            v: f64 = load(x, i)
            _1: f64 = add(v, 2.0)
            store(rows, i, 0, 0.0)
            store(rows, i, 1, _1)
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod

from srcgrad.analysis.extents import pinned
from srcgrad.analysis.prices import is_dear
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, constant, index, is_zero, walk
from srcgrad.ir.rewrite import Environment, copy_op, renamed, substitute_op, with_blocks, with_ops
from srcgrad.ir.types import INDEX, Array
from srcgrad.primitives.table import Effect, effect, new_builder

LARGEST = 16  # elements
MOST_OPS = 64  # of what a loop becomes
PLAIN = (Effect.PURE, Effect.READ, Effect.WRITE)  # of the ops in such a loop
ACCESSES = ("load", "store", "accumulate")
SUMS = {"add": int.__add__, "sub": int.__sub__, "mul": int.__mul__}  # of indices


def hold_in_numbers(function: Function) -> Function:
    if not any(_is_small(op) for op in walk(function.body)):
        return function
    body = _in_block(function.body, pinned(function), in_loop=False)
    return function if body is function.body else replace(function, body=body)


def _is_small(op: Op) -> bool:
    """Whether it allocates a few elements."""
    if op.primitive != "alloc":
        return False
    extents = [n.value.real if isinstance(n, Const) else 0 for n in op.operands]
    return 0 < prod(extents) <= LARGEST


def _in_block(block: Block, fixed: frozenset[Value], *, in_loop: bool) -> Block:
    ops = [with_blocks(op, [_in_block(b, fixed, in_loop=op.primitive == "for") for b in op.blocks]) for op in block.ops]
    block = with_ops(block, ops)
    arrays = {op.result for op in ops if _is_small(op)} if in_loop else set()
    arrays -= set(_used_otherwise(block, arrays, fixed))
    if not arrays:
        return block
    numbers = _Numbers(arrays)
    written = [new for op in ops for new in _written_out(op, arrays)]
    kept = [new for op in written for new in numbers.op(op)]
    return Block(block.parameters, tuple(kept), tuple(renamed(y, numbers.names) for y in block.yields))


def _used_otherwise(block: Block, arrays: set[Value], fixed: frozenset[Value]) -> Iterator[Operand]:
    """Those of the arrays that are not only accessed here, and in simple loops, at indices that are known."""
    yield from block.yields
    for op in block.ops:
        counters = _counters(op, fixed)
        known = set(counters or ())
        for inner in (op, *(x for b in op.blocks for x in walk(b))):
            if inner.primitive in SUMS and all(isinstance(x, Const) or x in known for x in inner.operands):
                known.update(inner.results)
            array, *others = inner.operands if inner.operands else (index(0),)
            yield from others
            plain = inner.primitive in ACCESSES and counters is not None
            rank = array.type.rank if isinstance(array.type, Array) else 0
            if not plain or not all(isinstance(x, Const) or x in known for x in others[:rank]):
                yield array
            for b in inner.blocks:
                yield from b.yields


def _counters(op: Op, fixed: frozenset[Value]) -> list[Value] | None:
    """The counters of a simple loop of literal length, or of two such, one in the other; None if it is another."""
    if not op.blocks:
        return []
    if op.primitive != "for" or op.results or _trips(op) > LARGEST or not _trips(op):
        return None
    (body,) = op.blocks
    inner = [x for x in body.ops if x.blocks]
    deeper = _counters(inner[0], fixed) if inner else []
    plain = all(effect(x.primitive) in PLAIN and not is_dear(x) for x in body.ops if not x.blocks)
    if not plain or deeper is None or len(inner) > 1 or _size(op) > MOST_OPS or body.parameters[0] in fixed:
        return None
    return [body.parameters[0], *deeper]


def _size(loop: Op) -> int:
    return _trips(loop) * sum(_size(x) if x.blocks else 1 for x in loop.blocks[0].ops)


def _trips(loop: Op) -> int:
    count = loop.operands[0]
    return count.value if isinstance(count, Const) and isinstance(count.value, int) else 0


def _written_out(op: Op, arrays: set[Value]) -> Sequence[Op]:
    """A loop that accesses one of the arrays as its iterations, one after the other, in which indices are literals."""
    inside = [x for b in op.blocks for x in walk(b)]
    if not any(x in arrays for inner in inside for x in inner.operands):
        return (op,)
    (body,) = op.blocks
    return [new for k in range(_trips(op)) for new in _iteration(body, {body.parameters[0]: index(k)}, arrays)]


def _iteration(body: Block, names: Environment, arrays: set[Value]) -> Iterator[Op]:
    for op in body.ops:
        operands = [renamed(x, names) for x in op.operands]
        if op.primitive in SUMS and op.result.type == INDEX and all(isinstance(x, Const) for x in operands):
            a, b = (int(x.value.real) for x in operands if isinstance(x, Const))
            names[op.result] = index(SUMS[op.primitive](a, b))
        else:
            yield from _written_out(copy_op(op, names), arrays)


class _Numbers:
    """What each element is at this point of the block."""

    def __init__(self, arrays: set[Value]) -> None:
        self.arrays = arrays
        self.elements: dict[tuple[Operand, tuple[int, ...]], Operand] = {}
        self.names: dict[Value, Operand] = {}

    def op(self, op: Op) -> Sequence[Op]:
        """What takes the place of an op."""
        op = substitute_op(op, self.names)
        if op.primitive == "alloc" and op.result in self.arrays:
            return ()
        if op.primitive not in ACCESSES or op.operands[0] not in self.arrays:
            return (op,)
        array = op.operands[0]
        assert isinstance(array.type, Array)
        rank, zero = array.type.rank, constant(0, array.type.dtype)
        place = (array, tuple(int(x.value.real) for x in op.operands[1 : 1 + rank] if isinstance(x, Const)))
        now = self.elements.get(place, zero)
        if op.primitive == "load":
            self.names[op.result] = now
            return ()
        self.elements[place] = op.operands[-1]
        if op.primitive == "store" or is_zero(now):
            return ()
        builder = new_builder()
        builder.location = op.location
        builder.open()
        name = op.operands[-1].name if isinstance(op.operands[-1], Value) else ""
        self.elements[place] = builder("add", now, op.operands[-1], name=name)
        return builder.close().ops
