"""An array of which each iteration of a loop uses one row is an array of that row, made in the iteration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from srcgrad.analysis.accesses import indices
from srcgrad.analysis.coverage import written_before_read
from srcgrad.analysis.effects import Effects
from srcgrad.ir.core import Block, Function, Op, Operand, Value, index, used, walk
from srcgrad.ir.rewrite import substitute, with_blocks, with_ops
from srcgrad.primitives.table import new_builder

ACCESSES = ("load", "store", "accumulate")


def contracted(function: Function) -> Function:
    """The function in which arrays lose the axis along which a loop beside them goes through them."""
    uses = Counter(used(function.body))
    rows: list[Value] = []  # made in iterations now
    body = _block(function.body, uses, rows)
    return function if body is function.body else _without_zeros(replace(function, body=body), rows)


def _block(block: Block, uses: Counter[Value], rows: list[Value]) -> Block:
    ops = [with_blocks(op, [_block(b, uses, rows) for b in op.blocks]) for op in block.ops]
    for op in block.ops:
        if op.primitive == "alloc" and op.operands and not op.attributes.get("shadow"):
            places = [k for k, other in enumerate(ops) if _uses_of(other, op.result)]
            if len(places) == 1 and ops[places[0]].primitive == "for":
                loop = _with_row(ops[places[0]], op, uses[op.result], rows)
                if loop is not None:
                    ops[places[0]] = loop
                    ops = [other for other in ops if other is not op]
    return with_ops(block, ops)


def _uses_of(op: Op, array: Value) -> int:
    return op.operands.count(array) + sum(list(used(b)).count(array) for b in op.blocks)


def _with_row(loop: Op, made: Op, uses: int, rows: list[Value]) -> Op | None:
    """The loop with a row of its own in the place of the array, where it goes through the array row by row."""
    array, body = made.result, loop.blocks[0]
    accesses = [op for op in walk(body) if op.operands and op.operands[0] is array and op.primitive in ACCESSES]
    if len(accesses) != uses:
        return None
    ranks = range(len(made.operands))
    axis = next((x for x in ranks if all(indices(op)[x] is body.parameters[0] for op in accesses)), None)
    if axis is None:
        return None
    number = _as_number(body, array) if len(made.operands) == 1 else None
    if number is not None:
        return with_blocks(loop, (number,))
    extents = tuple(n for x, n in enumerate(made.operands) if x != axis)
    builder = new_builder()
    builder.location = made.location
    builder.open()
    row = builder("alloc", *(extents or (index(1),)), name=array.name, **made.attributes)
    ops = _in_row(body, array, row, axis)
    rows.append(row)
    return replace(loop, blocks=(Block(body.parameters, (*builder.close().ops, *ops.ops), body.yields),))


def _as_number(body: Block, array: Value) -> Block | None:
    """The body without an array of which it stores one element, and only then reads it."""
    stores = [k for k, op in enumerate(body.ops) if op.primitive == "store" and op.operands[0] is array]
    if len(stores) != 1:
        return None
    (at,) = stores
    if any(_uses_of(op, array) for op in body.ops[:at]):
        return None
    rest = [op for op in walk(Block((), body.ops[at + 1 :], ())) if array in op.operands]
    if any(op.primitive != "load" for op in rest):
        return None
    element = body.ops[at].operands[-1]
    names: dict[Value, Operand] = {op.result: element for op in rest}
    ops = _without(Block((), (*body.ops[:at], *body.ops[at + 1 :]), body.yields), set(rest))
    return substitute(Block(body.parameters, ops.ops, ops.yields), names)


def _without(block: Block, dropped: set[Op]) -> Block:
    ops = [with_blocks(op, [_without(b, dropped) for b in op.blocks]) for op in block.ops if op not in dropped]
    return with_ops(block, ops)


def _in_row(block: Block, array: Value, row: Value, axis: int) -> Block:
    """The block with accesses to the row."""
    ops: list[Op] = []
    for op in block.ops:
        if array in op.operands:
            place: Sequence[Operand] = [i for x, i in enumerate(indices(op)) if x != axis] or [index(0)]
            values = op.operands[1 + len(indices(op)) :]
            op = replace(op, operands=(row, *place, *values))
        ops.append(with_blocks(op, [_in_row(b, array, row, axis) for b in op.blocks]))
    return with_ops(block, ops)


def _without_zeros(function: Function, rows: Sequence[Value]) -> Function:
    """The function in which rows that are written before they are read are not filled with zeros first."""
    if not rows:
        return function
    effects = Effects(function)
    covered: set[Value] = set()
    for row in rows:
        made = effects.definitions.op[row]
        loops = [op for op in walk(function.body) if op.primitive == "for" and made in op.blocks[0].ops]
        if made.attributes["fill"] == "zeros" and written_before_read(loops[0], row, effects):
            covered.add(row)
    return replace(function, body=_empty(function.body, covered)) if covered else function


def _empty(block: Block, rows: set[Value]) -> Block:
    ops = []
    for op in block.ops:
        if op.results and op.results[0] in rows:
            op = replace(op, attributes={**op.attributes, "fill": "empty"})
        ops.append(with_blocks(op, [_empty(b, rows) for b in op.blocks]))
    return with_ops(block, ops)
