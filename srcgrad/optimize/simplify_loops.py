"""Carry less: what never changes is the value outside, what counts along is a formula in the counter.

A loop that runs once becomes its body, one that never runs its initial values. A merge of two equal values is that
value.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:], n: i64):
...     with for_(n, 0.0, 3, x) as (total, position, same):
...         def _(i: i64, s: f64, k: i64, a: f64[:]):
...             v: f64 = load(a, k)
...             t: f64 = add(s, v)
...             next: i64 = add(k, 2)
...             yield t, next, a
...     return total, position, same
... '''
>>> print(to_text(simplify_loops(parse(before, infer))))
def f(x: f64[:], n: i64):
    with for_(n, 0.0) as (total,):
        def _(i: i64, s: f64):
            _1: i64 = mul(i, 2)
            k: i64 = add(_1, 3)
            v: f64 = load(x, k)
            t: f64 = add(s, v)
            next: i64 = add(k, 2)
            yield t
    _2: i64 = mul(n, 2)
    position: i64 = add(_2, 3)
    return total, position, x
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from srcgrad.analysis.extents import pinned
from srcgrad.ir.core import Block, Function, Op, Operand, Value, defined, first_carried, index, same, walk
from srcgrad.ir.rewrite import renamed, substitute
from srcgrad.ir.types import INDEX
from srcgrad.primitives.table import new_builder


def simplify_loops(function: Function) -> Function:
    if not any(op.blocks for op in walk(function.body)):
        return function
    return replace(function, body=_Simplifying(pinned(function)).block(function.body))


@dataclass(frozen=True)
class _Row:
    """A carried value: before the loop, in it, at the end of an iteration, after the loop."""

    initial: Operand
    parameters: tuple[Value, ...]  # of the body last
    yielded: Operand
    result: Value


@dataclass
class _Simplifying:
    pinned: frozenset[Value]
    names: dict[Value, Operand] = field(default_factory=dict)

    def block(self, block: Block) -> Block:
        ops: list[Op] = []
        for op in block.ops:
            ops += self.op(op)
        return replace(block, ops=tuple(ops), yields=tuple(renamed(x, self.names) for x in block.yields))

    def op(self, op: Op) -> Iterable[Op]:
        op = replace(op, operands=tuple(renamed(x, self.names) for x in op.operands))
        match op.primitive:
            case "for" | "while":
                return self.loop(op)
            case "if":
                return self.branch(replace(op, blocks=tuple(self.block(b) for b in op.blocks)))
        return [op]

    def branch(self, op: Op) -> list[Op]:
        """Drop the results that are the same on both sides."""
        then, otherwise = op.blocks
        kept = []
        for k, result in enumerate(op.results):
            left, right = then.yields[k], otherwise.yields[k]
            if same(left, right) and self.may_become(result, left):
                self.names[result] = left
            else:
                kept.append(k)
        blocks = tuple(replace(b, yields=tuple(b.yields[k] for k in kept)) for b in op.blocks)
        return [replace(op, results=tuple(op.results[k] for k in kept), blocks=blocks)]

    def may_become(self, value: Value, operand: Operand) -> bool:
        return not (value in self.pinned and operand == index(1))

    def loop(self, op: Op) -> Iterable[Op]:
        if op.primitive == "for" and op.operands[0] == index(0):
            return self.never(op)
        op = self.without_constant_carries(op)
        if op.primitive == "for":
            op, after = self.without_inductions(op)
        else:
            after = []
        op = replace(op, blocks=tuple(self.block(b) for b in op.blocks))
        if op.primitive == "for" and op.operands[0] == index(1):
            return [*self.once(op), *after]
        return [op, *after]

    def never(self, op: Op) -> list[Op]:
        if all(self.may_become(v, x) for v, x in zip(op.results, op.operands[1:], strict=True)):
            self.names.update(zip(op.results, op.operands[1:], strict=True))
            return []
        return [replace(op, blocks=tuple(self.block(b) for b in op.blocks))]

    def once(self, op: Op) -> list[Op]:
        """The body, with the counter 0 and what is carried as it starts."""
        body = op.blocks[0]
        start = dict(zip(body.parameters, (index(0), *op.operands[1:]), strict=True))
        ends = dict(zip(op.results, (start.get(x, x) if isinstance(x, Value) else x for x in body.yields), strict=True))
        if not all(self.may_become(v, x) for v, x in (*start.items(), *ends.items())):
            return [op]
        self.names.update(ends)
        return list(substitute(body, start).ops)

    def without_constant_carries(self, op: Op) -> Op:
        """Carried values that each iteration hands on as they are; swapped ones are not."""
        rows = _rows(op)
        kept = []
        for k, row in enumerate(rows):
            unchanged = row.yielded is row.parameters[-1] or same(row.yielded, row.initial)
            if unchanged and all(self.may_become(v, row.initial) for v in (*row.parameters, row.result)):
                self.names.update(dict.fromkeys((*row.parameters, row.result), row.initial))
            else:
                kept.append(k)
        return op if len(kept) == len(rows) else _with_rows(op, [rows[k] for k in kept])

    def without_inductions(self, op: Op) -> tuple[Op, list[Op]]:
        """Integers that grow by an amount fixed in the loop, as formulas; and the ops that make their last values."""
        body = op.blocks[0]
        inside = set(defined(body))
        updates = {o.results[0]: o for o in body.ops if o.primitive in ("add", "sub")}
        kept: list[_Row] = []
        first: list[Op] = []
        after: list[Op] = []
        for row in _rows(op):
            step = _step(row, updates, inside)
            if step is None:
                kept.append(row)
                continue
            first += _line(body.parameters[0], row.initial, step, row.parameters[-1])
            after += _line(op.operands[0], row.initial, step, row.result)
        if not first:
            return op, []
        smaller = _with_rows(op, kept)
        body = smaller.blocks[0]
        return replace(smaller, blocks=(replace(body, ops=(*first, *body.ops)),)), after


def _rows(op: Op) -> list[_Row]:
    first = first_carried(op)
    parameters = zip(*(b.parameters[first:] for b in op.blocks), strict=True)
    return [_Row(*row) for row in zip(op.operands[first:], parameters, op.blocks[-1].yields, op.results, strict=True)]


def _with_rows(op: Op, rows: list[_Row]) -> Op:
    """The loop with these carries alone."""
    first = first_carried(op)
    blocks = []
    for k, block in enumerate(op.blocks):
        yields = tuple(row.yielded for row in rows) if k == len(op.blocks) - 1 else block.yields
        parameters = (*block.parameters[:first], *(row.parameters[k] for row in rows))
        blocks.append(replace(block, parameters=parameters, yields=yields))
    operands = (*op.operands[:first], *(row.initial for row in rows))
    return replace(op, operands=operands, results=tuple(row.result for row in rows), blocks=tuple(blocks))


def _step(row: _Row, updates: dict[Value, Op], inside: set[Value]) -> tuple[str, Operand] | None:
    """``add`` or ``sub``, and by how much, if each iteration ends with just that."""
    if row.result.type != INDEX or not isinstance(row.yielded, Value):
        return None
    update = updates.get(row.yielded)
    if update is None:
        return None
    parameter, (a, b) = row.parameters[-1], update.operands
    if update.primitive == "add" and b is parameter:
        a, b = b, a
    if a is not parameter or b in inside:
        return None
    return update.primitive, b


def _line(count: Operand, initial: Operand, step: tuple[str, Operand], value: Value) -> list[Op]:
    """Ops that give ``initial + count * step`` to a value."""
    sign, by = step
    builder = new_builder()
    builder.open()
    moved = count if by == index(1) else builder("mul", count, by)
    if sign == "add":
        return [*builder.ops, Op("add", (moved, initial), (value,))]
    return [*builder.ops, Op("sub", (initial, moved), (value,))]
