"""Run independent iterations on all cores: in chunks of a fixed number, each with sums of its own.

A chunk is a function, called in a loop that is marked ``threads``, which the text turns into Numba's ``prange``. Memory
that iterations only add to is there once for each chunk; the chunks' sums are added up in their order, so that
the result does not depend on the number of threads.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:], n: i64):
...     with for_(n, 0.0) as (total,):
...         def _(i: i64, s: f64):
...             v: f64 = load(x, i)
...             w: f64 = sin(v)
...             s_1: f64 = add(s, w)
...             yield s_1
...     return total
... '''
>>> after = run_in_threads(parse(before, infer))
>>> print(to_text(after))
def f(x: f64[:], n: i64):
    total: f64[:] = alloc(32, dtype=f64, fill='zeros')
    with for_(32, threads=22):
        def _(chunk: i64):
            call(chunk, n, x, total, callee='f_chunk_1', types=())
    with for_(32, 0.0) as (total_1,):
        def _(chunk_1: i64, total_2: f64):
            _1: f64 = load(total, chunk_1)
            _2: f64 = add(total_2, _1)
            yield _2
    return total_1
<BLANKLINE>
def f_chunk_1(chunk: i64, n: i64, x: f64[:], total: f64[:]):
    _1: i64 = add(chunk, 1)
    _2: i64 = mul(chunk, n)
    _3: i64 = floordiv(_2, 32)
    _4: i64 = mul(_1, n)
    _5: i64 = floordiv(_4, 32)
    _6: i64 = sub(_5, _3)
    with for_(_6, 0.0) as (s,):
        def _(i: i64, s_1: f64):
            _7: i64 = add(_3, i)
            v: f64 = load(x, _7)
            w: f64 = sin(v)
            s_1_1: f64 = add(s_1, w)
            yield s_1_1
    store(total, chunk, s)
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from srcgrad.analysis.exchange import Exchange
from srcgrad.analysis.prices import is_dear
from srcgrad.analysis.refusal import Refusal, refused
from srcgrad.analysis.sums import carried_over
from srcgrad.analysis.unconditional import always_in_range
from srcgrad.ir.build import Builder, build_function
from srcgrad.ir.core import LOOPS, Block, Function, Op, Operand, Value, constant, index, used, walk
from srcgrad.ir.rewrite import Replacement, copy_op, renamed, rewrite_block, substitute_op, with_blocks
from srcgrad.ir.types import INDEX, Array, Scalar
from srcgrad.primitives.scalar import SCALARS
from srcgrad.primitives.table import infer, new_builder

CHUNKS = 32
INNER = 16  # iterations of a loop inside, about


def run_in_threads(function: Function) -> Function:
    """The entry alone: what it calls may be called by a thread."""
    program = _Threads(function, always_in_range(function), dict(function.callees))
    body = program.block(function.body, around=False)
    return replace(function, body=body, callees=program.callees)


@dataclass
class _Threads:
    function: Function
    safe: frozenset[Op]  # accesses that are in range whatever branches are taken
    callees: dict[str, Function]

    def block(self, block: Block, around: bool) -> Block:
        """``around``: there is a loop around it."""
        ops: list[Op] = []
        names: dict[Value, Operand] = {}
        for op in block.ops:
            if refusal(self.function, op, around) is None:
                new, results = self.threaded(self.marked(op), Exchange(self.function, op))
                ops.extend(substitute_op(o, names) for o in new)
                names.update(results)
            else:
                inner = tuple(self.block(b, around or op.primitive != "if") for b in op.blocks)
                ops.append(substitute_op(with_blocks(op, inner), names))
        return Block(block.parameters, tuple(ops), tuple(renamed(y, names) for y in block.yields))

    def marked(self, loop: Op) -> Op:
        """The loop with marks for what is known of its accesses, which a function of its own could not show."""

        def mark(op: Op) -> Replacement | None:
            return ([replace(op, attributes={**op.attributes, "in_range": True})], {}) if op in self.safe else None

        return with_blocks(loop, [rewrite_block(b, {}, mark) for b in loop.blocks])

    def threaded(self, loop: Op, exchange: Exchange) -> tuple[Sequence[Op], Mapping[Value, Operand]]:
        """What takes the place of a loop, and its results."""
        shared = _added_to(loop, exchange)
        outer = [v for v in dict.fromkeys(used(loop.blocks[0])) if v not in exchange.inside and v not in shared]
        builder = new_builder()
        builder.location = loop.location
        builder.open()
        sums = [_one_for_each(builder, (), x) for x in loop.results]
        shadows = [_one_for_each(builder, _extents(builder, a), a) for a in shared]
        operands = [loop.operands[0], *outer, *sums, *shadows]
        key = f"{self.function.name}_chunk_{len(self.callees) + 1}"
        self.callees[key] = _chunk(key, loop, outer, shared, operands)

        def call(chunk: Value) -> tuple[Operand, ...]:
            return builder.emit("call", chunk, *operands, callee=key, types=())

        builder.for_(index(CHUNKS), (), call, counter="chunk", threads=_work(loop.blocks[0]))
        totals = [_total(builder, first, each) for first, each in zip(loop.operands[1:], sums, strict=True)]
        for array, each in zip(shared, shadows, strict=True):
            _add_up(builder, array, each)
        return builder.close().ops, dict(zip(loop.results, totals, strict=True))


def refusal(function: Function, loop: Op, around: bool) -> Refusal | None:
    """Why the iterations of a loop do not run in threads, if they do not; ``around``: there is a loop around it."""
    if loop.primitive != "for":
        return refused("the iterations of a `while` come one after the other")
    if not _is_worth_it(loop, around):
        return refused("an iteration does too little")
    return carried_over(loop) or Exchange(function, loop).refusal


def _is_worth_it(loop: Op, around: bool) -> bool:
    """Whether an iteration of a counted loop does more than move and add a few numbers."""
    inner = list(walk(loop.blocks[0]))
    if any(o.primitive in LOOPS for o in inner):
        return True
    return not around and any(map(is_dear, inner))


def _work(block: Block) -> int:
    """About how many additions an iteration is worth, loops inside it taken for short ones."""
    return sum(_cost(op) + sum(map(_work, op.blocks)) * (INNER if op.primitive != "if" else 1) for op in block.ops)


def _cost(op: Op) -> int:
    return SCALARS[op.primitive].cost if op.primitive in SCALARS else 1


def _added_to(loop: Op, exchange: Exchange) -> list[Value]:
    """The references through which the loop adds to memory that its iterations share."""
    arrays = [op.operands[0] for op in walk(loop.blocks[0]) if op.primitive == "accumulate"]
    return list(dict.fromkeys(a for a in arrays if isinstance(a, Value) and exchange.is_sum(a)))


def _chunk(
    key: str, loop: Op, outer: Sequence[Value], shared: Sequence[Value], operands: Sequence[Operand]
) -> Function:
    """The function that runs one chunk: its number, then the operands, among which are the places of its sums."""
    chunk = Value(INDEX, "chunk")
    given = [Value(x.type, x.name if isinstance(x, Value) else "n") for x in operands]
    trips, places = given[0], given[1 + len(outer) :]
    sums, shadows = places[: len(loop.results)], places[len(loop.results) :]
    (block,) = loop.blocks

    def body(builder: Builder) -> tuple[Operand, ...]:
        builder.location = loop.location
        start, stop = (_share(builder, trips, k) for k in (chunk, builder("add", chunk, index(1))))
        names: dict[Value, Operand] = dict(zip(outer, given[1:], strict=False))
        for array, each in zip(shared, shadows, strict=True):
            assert isinstance(array.type, Array)
            axes = "i" + ":" * array.type.rank
            names[array] = builder("slice", each, chunk, axes=axes, name=array.name)

        def iteration(k: Value, *carried: Value) -> list[Operand]:
            own = names | dict(zip(block.parameters, (builder("add", start, k), *carried), strict=True))
            builder.ops.extend([copy_op(op, own) for op in block.ops])
            return [renamed(y, own) for y in block.yields]

        zeros = [constant(0, x.type.dtype) for x in loop.results if isinstance(x.type, Scalar)]
        labels = [p.name for p in block.parameters[1:]]
        results = builder.for_(builder("sub", stop, start), zeros, iteration, labels)
        for result, each in zip(results, sums, strict=True):
            builder.emit("store", each, chunk, result)
        return ()

    return build_function(infer, key, [chunk, *given], body)


def _share(builder: Builder, trips: Value, chunk: Operand) -> Operand:
    """The first iteration of a chunk."""
    return builder("floordiv", builder("mul", chunk, trips), index(CHUNKS))


def _one_for_each(builder: Builder, extents: Sequence[Operand], like: Value) -> Value:
    """Zeros for each chunk."""
    assert isinstance(like.type, Scalar | Array)
    return builder("alloc", index(CHUNKS), *extents, dtype=like.type.dtype, fill="zeros", name=like.name)


def _extents(builder: Builder, array: Value) -> list[Operand]:
    assert isinstance(array.type, Array)
    return [builder("dim", array, axis=axis) for axis in range(array.type.rank)]


def _total(builder: Builder, first: Operand, each: Value) -> Value:
    """What a loop began a sum with, and the sums of the chunks in their order."""

    def add(chunk: Value, total: Value) -> list[Operand]:
        return [builder("add", total, builder("load", each, chunk))]

    (total,) = builder.for_(index(CHUNKS), (first,), add, [each.name], counter="chunk")
    return total


def _add_up(builder: Builder, array: Value, each: Value) -> None:
    def add(at: tuple[Operand, ...]) -> None:
        builder.emit("accumulate", array, *at[1:], builder("load", each, *at))

    builder.nest((index(CHUNKS), *_extents(builder, array)), add)
