"""Run independent iterations on all cores: in chunks, each with sums of its own.

A chunk is a function, called in a loop that is marked ``threads``, which the text turns into Numba's ``prange``. Memory
that iterations only add to is there once for each chunk; the chunks' sums are added up in their order. How many there
are goes by the number of iterations and what one is worth, so that the result does not depend on the number of threads;
where it all is worth little there is one chunk, which is no thread.

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
    _1: i64 = mul(n, 22)
    _2: i64 = floordiv(_1, 200000)
    _3: i64 = max(_2, 1)
    _4: i64 = min(_3, 32)
    _5: i64 = sub(_4, 1)
    _6: i64 = add(n, _5)
    _7: i64 = floordiv(_6, _4)
    _8: i64 = max(_7, 1)
    _9: i64 = add(_8, 63)
    _10: i64 = floordiv(_9, 64)
    _11: i64 = mul(_10, 64)
    _12: bool = ge(n, 256)
    _13: i64 = select(_12, _11, _8)
    _14: i64 = sub(_13, 1)
    _15: i64 = add(n, _14)
    _16: i64 = floordiv(_15, _13)
    total: f64[:] = alloc(_16, dtype=f64, fill='empty')
    with for_(_16, threads=True):
        def _(chunk: i64):
            call(chunk, _13, n, x, total, callee='f_chunk_1', types=())
    with for_(_16, 0.0) as (total_1,):
        def _(chunk_1: i64, total_2: f64):
            _17: f64 = load(total, chunk_1)
            _18: f64 = add(total_2, _17)
            yield _18
    return total_1
<BLANKLINE>
def f_chunk_1(chunk: i64, _1: i64, n: i64, x: f64[:], total: f64[:]):
    _2: i64 = mul(chunk, _1)
    _3: i64 = max(_2, 0)
    _4: i64 = add(_3, _1)
    _5: i64 = min(_4, n)
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
from srcgrad.analysis.extents import Dim, Extent, Extents, Shape
from srcgrad.analysis.prices import is_dear, price
from srcgrad.analysis.refusal import Refusal, refused
from srcgrad.analysis.sums import carried_over
from srcgrad.analysis.unconditional import always_in_range
from srcgrad.ir.build import Builder, build_function
from srcgrad.ir.core import LOOPS, Block, Function, Op, Operand, Value, constant, index, used, walk
from srcgrad.ir.rewrite import Replacement, copy_op, renamed, rewrite_block, substitute_op, with_blocks
from srcgrad.ir.types import INDEX, Array, Scalar
from srcgrad.primitives.scalar import SCALARS
from srcgrad.primitives.table import infer, new_builder

CHUNKS = 32  # at most
ENOUGH = 200_000  # additions, that a chunk should be worth: what it takes to start threads, and some more
BLOCK = 64  # iterations, of which lanes take a multiple
FEW = 4 * BLOCK  # fewer are not taken for small ones that lanes would run
INNER = 16  # iterations of a loop inside, about


def run_in_threads(function: Function) -> Function:
    """The entry alone: what it calls may be called by a thread."""
    program = _Threads(function, always_in_range(function), Extents(function), dict(function.callees))
    body = program.block(function.body, around=False)
    return replace(function, body=body, callees=program.callees)


@dataclass
class _Threads:
    function: Function
    safe: frozenset[Op]  # accesses that are in range whatever branches are taken
    extents: Extents
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
        values = _used(loop, exchange, shared)
        dims = self.dims(values, exchange)
        shapes = [self.extents.of(array) for array in shared]
        chunk = _Chunk(loop, [v for v in values if v not in dims], dims, shared, shapes)
        builder = new_builder()
        builder.location = loop.location
        builder.open()
        trips = loop.operands[0]
        size = _size(builder, trips, _work(loop.blocks[0]))
        chunks = builder.parts(trips, size)
        sums = [_one_for_each(builder, chunks, (), x) for x in loop.results]
        shadows = [_one_for_each(builder, chunks, _extents(builder, a), a) for a in shared]
        operands = [size, *chunk.outer, *sums, *shadows]
        key = f"{self.function.name}_chunk_{len(self.callees) + 1}"
        self.callees[key] = chunk.function(key, operands)

        def call(number: Value) -> tuple[Operand, ...]:
            return builder.emit("call", number, *operands, callee=key, types=())

        builder.for_(chunks, (), call, counter="chunk", threads=True)
        totals = [_total(builder, chunks, first, each) for first, each in zip(loop.operands[1:], sums, strict=True)]
        for array, each in zip(shared, shadows, strict=True):
            _add_up(builder, chunks, array, each)
        return builder.close().ops, dict(zip(loop.results, totals, strict=True))

    def dims(self, values: Sequence[Value], exchange: Exchange) -> dict[Value, Dim]:
        """Those that are extents, which a chunk can look up itself: it then knows what indices lie below."""
        extents = {v: self.extents.canonical(v) for v in values if v.type == INDEX}
        return {v: n for v, n in extents.items() if isinstance(n, Dim) and n.array not in exchange.inside}


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
    return price(op) if op.primitive in SCALARS else 1


def _added_to(loop: Op, exchange: Exchange) -> list[Value]:
    """The references through which the loop adds to memory that its iterations share."""
    arrays = [op.operands[0] for op in walk(loop.blocks[0]) if op.primitive == "accumulate"]
    return list(dict.fromkeys(a for a in arrays if isinstance(a, Value) and exchange.is_sum(a)))


def _used(loop: Op, exchange: Exchange, shared: Sequence[Value]) -> list[Value]:
    """What a chunk uses from outside, but for what it adds to."""
    values = dict.fromkeys((loop.operands[0], *used(loop.blocks[0])))
    return [v for v in values if isinstance(v, Value) and v not in exchange.inside and v not in shared]


@dataclass(frozen=True)
class _Chunk:
    """The iterations of a loop in parts: what they use, the extents that they look up, and what they add to."""

    loop: Op
    values: Sequence[Value]
    dims: Mapping[Value, Dim]
    shared: Sequence[Value]
    shapes: Sequence[Shape]  # of what is shared

    @property
    def outer(self) -> list[Value]:
        """What the function is given, and of what it is given the extents."""
        extents = [n for shape in self.shapes for n in shape]
        arrays = [n.array for n in (*self.dims.values(), *extents) if isinstance(n, Dim)]
        return list(dict.fromkeys((*self.values, *arrays, *(n for n in extents if isinstance(n, Value)))))

    def function(self, key: str, operands: Sequence[Operand]) -> Function:
        """Its parameters are the number of a chunk and its size, what is used from outside, and places for the sums."""
        loop, results = self.loop, len(self.loop.results)
        number = Value(INDEX, "chunk")
        size, *given = (Value(x.type, x.name if isinstance(x, Value) else "") for x in operands)
        places = given[len(given) - results - len(self.shared) :]
        names: dict[Value, Operand] = dict(zip((x for x in operands[1:] if isinstance(x, Value)), given, strict=True))
        (block,) = loop.blocks

        def body(builder: Builder) -> tuple[Operand, ...]:
            builder.location = loop.location
            own = {v: self.extent(builder, n, names) for v, n in self.dims.items()} | names
            start = builder("max", builder("mul", number, size), index(0))
            stop = builder("min", builder("add", start, size), renamed(loop.operands[0], own))
            for array, shape in zip(self.shared, self.shapes, strict=True):
                assert isinstance(array.type, Array)
                sizes = [self.extent(builder, n, names) for n in shape]
                own[array] = builder("alloc", *sizes, dtype=array.type.dtype, fill="zeros", name=array.name)

            def iteration(k: Value, *carried: Value) -> list[Operand]:
                here = own | dict(zip(block.parameters, (builder("add", start, k), *carried), strict=True))
                builder.ops.extend([copy_op(op, here) for op in block.ops])
                return [renamed(y, here) for y in block.yields]

            zeros = [constant(0, x.type.dtype) for x in loop.results if isinstance(x.type, Scalar)]
            labels = [p.name for p in block.parameters[1:]]
            sums = builder.for_(builder("sub", stop, start), zeros, iteration, labels)
            for total, each in zip(sums, places[:results], strict=True):
                builder.emit("store", each, number, total)
            for array, each in zip(self.shared, places[results:], strict=True):
                _keep(builder, own[array], each, number)
            return ()

        return build_function(infer, key, [number, size, *given], body)

    @staticmethod
    def extent(builder: Builder, extent: Extent, names: Mapping[Value, Operand]) -> Operand:
        if isinstance(extent, Dim):
            return builder("dim", renamed(extent.array, names), axis=extent.axis)
        return renamed(extent, names)


def _size(builder: Builder, trips: Operand, work: int) -> Value:
    """How many iterations a chunk has: all, where they are worth little, and so many that lanes are full."""
    worth = builder("floordiv", builder("mul", trips, index(work)), index(ENOUGH))
    chunks = builder("min", builder("max", worth, index(1)), index(CHUNKS))
    size = builder("max", builder.parts(trips, chunks), index(1))
    blocks = builder("mul", builder.parts(size, index(BLOCK)), index(BLOCK))
    return builder("select", builder("ge", trips, index(FEW)), blocks, size)


def _one_for_each(builder: Builder, chunks: Value, extents: Sequence[Operand], like: Value) -> Value:
    """A place for each chunk."""
    assert isinstance(like.type, Scalar | Array)
    return builder("alloc", chunks, *extents, dtype=like.type.dtype, fill="empty", name=like.name)


def _extents(builder: Builder, array: Value) -> list[Operand]:
    assert isinstance(array.type, Array)
    return [builder("dim", array, axis=axis) for axis in range(array.type.rank)]


def _total(builder: Builder, chunks: Value, first: Operand, each: Value) -> Value:
    """What a loop began a sum with, and the sums of the chunks in their order."""

    def add(chunk: Value, total: Value) -> list[Operand]:
        return [builder("add", total, builder("load", each, chunk))]

    (total,) = builder.for_(chunks, (first,), add, [each.name], counter="chunk")
    return total


def _keep(builder: Builder, array: Operand, each: Value, number: Value) -> None:
    assert isinstance(array, Value)

    def store(at: tuple[Operand, ...]) -> None:
        builder.emit("store", each, number, *at, builder("load", array, *at))

    builder.nest(_extents(builder, array), store)


def _add_up(builder: Builder, chunks: Value, array: Value, each: Value) -> None:
    def add(at: tuple[Operand, ...]) -> None:
        builder.emit("accumulate", array, *at[1:], builder("load", each, *at))

    builder.nest((chunks, *_extents(builder, array)), add)
