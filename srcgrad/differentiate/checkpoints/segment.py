"""Several iterations of a loop as a function of their own: from the state before them to the state behind them.

::

    with for_(T, 1.0, u) as (s, v):            def segment(start, count, s, u_in, u_out, x):
        def _(t, s, u): ... x ...                  u = ... a copy of u_in
            yield s_1, v                    ->     with for_(count, s, u) as (s_2, v):
                                                       def _(q, s, u): t = start + q; ... x ...
                                                   ... u_out[...] = v
                                                   return s_2

What comes in is only read, so that it may be a row of the storage that snapshots are kept in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from srcgrad.analysis.extents import Dim, Extent, Extents
from srcgrad.differentiate.checkpoints.marks import without_optional
from srcgrad.differentiate.checkpoints.memory import copy, memory, plain
from srcgrad.differentiate.checkpoints.state import LoopState
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value
from srcgrad.ir.rewrite import Environment, copy_op, fresh, renamed, rewrite_block
from srcgrad.ir.types import INDEX, Array
from srcgrad.primitives.table import new_builder

CHANGED = "{} changes its shape in a loop with checkpoints: an extent of {{0}} where there was {{1}}"


@dataclass(frozen=True, eq=False)
class Segment:
    """``function(start, count, *scalars, *inputs, *outputs, *filled, *read, *constants)`` gives the scalars behind."""

    function: Function
    loop: LoopState

    @property
    def counts(self) -> tuple[int, int, int, int, int, int]:
        """How many parameters of each kind there are behind ``start`` and ``count``."""
        loop = self.loop
        arrays = len(loop.arrays)
        return len(loop.scalars), arrays, arrays, len(loop.filled), len(loop.read), len(loop.constants)

    def parts(self) -> list[tuple[Value, ...]]:
        """The parameters of each kind."""
        given = iter(self.function.parameters[2:])
        return [tuple(next(given) for _ in range(n)) for n in self.counts]

    def differentiated(self) -> Function:
        """The same with the arrays it writes to among its results: what depends on what goes by the results."""
        _, _, outputs, filled, _, _ = self.parts()
        body = self.function.body
        return replace(self.function, body=replace(body, yields=(*body.yields, *outputs, *filled)))


def segment_of(loop: LoopState, name: str, extents: Extents, function: Function) -> Segment:
    builder = new_builder()
    start, count = Value(INDEX, "start"), Value(INDEX, "count")
    scalars = [fresh(loop.carried[k]) for k in loop.scalars]
    inputs = [Value(plain(v), f"{v.name}_in" if v.name else "") for v in loop.arrays]
    outputs = [Value(plain(v), f"{v.name}_out" if v.name else "") for v in loop.arrays]
    filled, read, constants = ([fresh(v) for v in part] for part in (loop.filled, loop.read, loop.constants))
    builder.open((start, count, *scalars, *inputs, *outputs, *filled, *read, *constants))
    builder.location = loop.op.location
    sizes = _Sizes(builder, extents)
    for original, parameter in zip((*loop.arrays, *loop.filled, *loop.read), (*inputs, *filled, *read), strict=True):
        sizes.learn(original, parameter)
    own = [_own_copy(builder, sizes, v, source) for v, source in zip(loop.arrays, inputs, strict=True)]
    names: Environment = {
        v: sizes.known.get(extents.canonical(v), p) for v, p in zip(loop.constants, constants, strict=True)
    }
    names.update(zip((*loop.filled, *loop.read), (*filled, *read), strict=True))
    names.update(zip(loop.changed, own[len(loop.references) :], strict=True))
    for view in loop.views:
        builder.ops.append(copy_op(view, names))
    results = _iterations(builder, loop, names, start, count, dict(zip(loop.scalars, scalars, strict=True)), own)
    behind = [*(results[k] for k in loop.references), *own[len(loop.references) :]]
    for original, array, output in zip(loop.arrays, behind, outputs, strict=True):
        assert isinstance(array, Value)
        sizes.require(original, array, output)
        copy(builder, array, output)
    body = builder.close([results[k] for k in loop.scalars])
    return Segment(Function(name, body, function.callees, loop.op.location), loop)


class _Sizes:
    """Extents by the names they have in the segment: what was known to be equal stays so."""

    def __init__(self, builder: Builder, extents: Extents) -> None:
        self.builder = builder
        self.extents = extents
        self.known: dict[Extent, Operand] = {}

    def learn(self, original: Value, parameter: Value) -> None:
        for axis, extent in enumerate(self.extents.of(original)):
            if not isinstance(extent, Const) and extent not in self.known:
                self.known[extent] = self.builder("dim", parameter, axis=axis)

    def require(self, original: Value, array: Value, output: Value) -> None:
        """Check the extents that may have changed: a snapshot has those of the first state."""
        for axis, extent in enumerate(self.extents.of(original)):
            if isinstance(extent, Dim) and extent.array is original:
                found, wanted = (self.builder("dim", x, axis=axis) for x in (array, output))
                message = CHANGED.format(original.name or "an array")
                same = self.builder("eq", found, wanted)
                self.builder.emit("check", same, found, wanted, exception="ValueError", message=message)

    def of(self, original: Value) -> list[Operand]:
        return [n if isinstance(n, Const) else self.known[n] for n in self.extents.of(original)]


def _own_copy(builder: Builder, sizes: _Sizes, original: Value, source: Value) -> Value:
    """Memory for an array of the state, of the type that the loop has for it, with what comes in."""
    assert isinstance(original.type, Array)
    target = memory(builder, original.type, sizes.of(original), original.name)
    copy(builder, source, target)
    return target


def _iterations(
    builder: Builder,
    loop: LoopState,
    names: Environment,
    start: Value,
    count: Value,
    scalars: dict[int, Value],
    own: Sequence[Value],
) -> list[Operand]:
    """The loop over ``count`` iterations from ``start`` on; what it carries behind them."""
    arrays = dict(zip(loop.references, own, strict=False))
    initial = [scalars[k] if k in scalars else arrays[k] for k in range(len(loop.carried))]
    block = rewrite_block(loop.op.blocks[0], dict(names), without_optional)
    at, *carried = block.parameters
    counter = Value(INDEX, at.name)
    moved = Op("add", (start, counter), (at,), location=loop.op.location)
    body = Block((counter, *carried), (moved, *block.ops), block.yields)
    whole = Op("for", (count, *initial), loop.op.results, (body,), location=loop.op.location)
    inner: Environment = {}
    builder.ops.append(copy_op(whole, inner))
    return [renamed(r, inner) for r in loop.op.results]
