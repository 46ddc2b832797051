"""Where compiled code has memory: little on the machine's stack, large storage in large pages, rows of stacks together.

Compiled code makes what ends with the function, and the rows of stacks of lanes, with srcgrad.memory, so
that LLVM can tell them apart; plain Python has ordinary arrays and slices in their place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from srcgrad.analysis.sites import Sites
from srcgrad.backend.expressions import dtype_argument, numpy_name
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, walk
from srcgrad.ir.types import Array, Stack
from srcgrad.primitives.routines import ROUTINES
from srcgrad.primitives.table import Effect, effect

BUFFERS, LARGE_PAGES = {"empty": "buffer", "zeros": "zeroed"}, "large_pages"  # of srcgrad.memory
ROWS = {"stack": "row_stack", "push": "pushed_row", "pop": "popped_row"}
FRESH = frozenset(BUFFERS)  # for what has no such place
SCRATCH_NAMES = frozenset({*BUFFERS.values(), LARGE_PAGES, *ROWS.values(), *FRESH})
LARGEST, ALL = 1024, 8192  # elements of one allocation, and of all
FIRST = 16  # rows of a new stack


def places(function: Function) -> dict[Value, str]:
    """The function of srcgrad.memory that makes an allocation, or finds a place for it."""
    made = [op for op in walk(function.body) if op.primitive == "alloc"]
    fresh = {op.result: LARGE_PAGES if _grows(op) else op.text("fill") for op in made}
    return {**fresh, **on_stack(function)}


def _grows(op: Op) -> bool:
    """Whether an op makes storage of a reverse sweep, whose size the program knows when it runs."""
    kept = "stored" in op.attributes or "snapshots" in op.attributes
    return kept and op.attributes["fill"] == "empty" and not _is_literal(op.operands)


def on_stack(function: Function) -> dict[Value, str]:
    """Allocations of a few elements, made once in a call, of which no reference leaves the function.

    There are none in a function that calls others: it may be called by them again and again.
    """
    made = list(_outside_loops(function.body))
    if not made or any(op.primitive == "call" and op.text("callee") not in ROUTINES for op in walk(function.body)):
        return {}
    sites = Sites(function)
    leaving = [*function.results, *(x for op in walk(function.body) if _hands_on(op) for x in op.operands)]
    away = frozenset[Value]().union(*map(sites.sites, leaving))
    found: dict[Value, str] = {}
    room = ALL
    for op in made:
        size = prod(int(n.value.real) for n in op.operands if isinstance(n, Const))
        if op.result not in away and 0 < size <= min(LARGEST, room):
            found[op.result] = BUFFERS[op.text("fill")]
            room -= size
    return found


def _outside_loops(block: Block) -> Iterator[Op]:
    for op in block.ops:
        if op.primitive == "if":
            for inner in op.blocks:
                yield from _outside_loops(inner)
        elif op.primitive == "alloc" and _is_literal(op.operands):
            yield op


def _is_literal(extents: Sequence[Operand]) -> bool:
    return bool(extents) and all(isinstance(n, Const) for n in extents)


def _hands_on(op: Op) -> bool:
    return effect(op.primitive) is Effect.CALL or op.primitive == "push"


def pushed_rows(function: Function) -> frozenset[Value]:
    """The allocations that are rows of stacks of rows: pushing makes them."""
    stacks = {op.result for op in walk(function.body) if op.primitive == "stack" and "rows" in op.attributes}
    pushes = (op for op in walk(function.body) if op.primitive == "push" and op.operands[0] in stacks)
    return frozenset(x for op in pushes for x in op.operands[1:] if isinstance(x, Value))


def row_stack_lines(op: Op, stack: str, top: str, value: str, width: int, compiled: bool) -> Iterator[str]:
    """All rows are in one array, one behind the other."""
    row = f"{ROWS[op.primitive]}({stack}, {top}, {width})" if compiled else f"{stack}[{top} : {top} + {width}]"
    match op.primitive:
        case "stack":
            assert isinstance(op.result.type, Stack) and isinstance(op.result.type.element, Array)
            dtype = op.result.type.element.dtype
            room = FIRST * width
            made = f"row_stack({room}, {numpy_name(dtype)})" if compiled else f"np.empty({room}{dtype_argument(dtype)})"
            yield f"{stack} = {made}"
            yield f"{top} = 0"
        case "push":
            if not compiled:
                yield f"if {top} == {stack}.size:"
                yield f"    {stack} = grow({stack})"
            yield f"{value} = {row}"
            yield f"{top} += {width}"
        case "pop":
            yield f"{top} -= {width}"
            if value:
                yield f"{value} = {row}"


def row_width(stack: Operand, definitions: dict[Value, Op]) -> int | None:
    """Of a stack of rows, how long they are; None of any other."""
    op = definitions.get(stack) if isinstance(stack, Value) else None
    return op.integer("rows") if op is not None and "rows" in op.attributes else None
