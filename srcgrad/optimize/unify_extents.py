"""One name for extents that a check has found to be equal: loops over both may then be one.

In logistic regression the product with the data, the loss and the adjoint of the product are one loop over the data.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:], y: f64[:]):
...     n: i64 = dim(x, axis=0)
...     m: i64 = dim(y, axis=0)
...     c: bool = eq(m, n)
...     check(c, n, m, exception='ValueError', message='extents {0} and {1}')
...     d: f64[:] = alloc(m, dtype=f64, fill='zeros')
...     return d
... '''
>>> print(to_text(unify_extents(parse(before, infer))))
def f(x: f64[:], y: f64[:]):
    n: i64 = dim(x, axis=0)
    m: i64 = dim(y, axis=0)
    c: bool = eq(m, n)
    check(c, n, m, exception='ValueError', message='extents {0} and {1}')
    d: f64[:] = alloc(n, dtype=f64, fill='zeros')
    return d
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from srcgrad.ir.core import Block, Function, Op, Operand, Value, definitions, used, walk
from srcgrad.ir.rewrite import renamed, unchanged, with_ops


def unify_extents(function: Function) -> Function:
    if not any(op.primitive == "check" for op in walk(function.body)):
        return function
    made_by = definitions(function.body)
    body = _Pass(made_by, {value: k for k, value in enumerate(made_by)}).block(function.body, {})
    return function if body is function.body else replace(function, body=body)


@dataclass(frozen=True)
class _Pass:
    made_by: Mapping[Value, Op]
    order: Mapping[Operand, int]

    def block(self, block: Block, known: Mapping[Value, Operand]) -> Block:
        """``known`` has the other name of extents, from checks that were passed on the way to the block."""
        names = dict(known)
        seen: set[Operand] = set()  # what was an extent of something already keeps its name
        ops = []
        for op in block.ops:
            ops.append(self.op(op, names))
            if op.primitive == "check":
                self.learn(op, names, seen)
            elif op.primitive in ("for", "alloc"):
                seen.update(op.operands, *(used(inner) for inner in op.blocks))
        yields = tuple(renamed(x, names) for x in block.yields)
        new = with_ops(block, tuple(ops))
        return new if unchanged(yields, block.yields) else replace(new, yields=yields)

    def op(self, op: Op, names: Mapping[Value, Operand]) -> Op:
        operands = tuple(renamed(x, names) for x in op.operands)
        blocks = tuple(self.block(b, names) for b in op.blocks)
        if unchanged(operands, op.operands) and unchanged(blocks, op.blocks):
            return op
        return replace(op, operands=operands, blocks=blocks)

    def learn(self, check: Op, names: dict[Value, Operand], seen: set[Operand]) -> None:
        condition = check.operands[0]
        equal = self.made_by.get(condition) if isinstance(condition, Value) else None
        if equal is None or equal.primitive != "eq":
            return
        one, other = (renamed(x, names) for x in equal.operands)
        if one is other or not (self.is_extent(one) and self.is_extent(other)):
            return
        kept, left = sorted((one, other), key=lambda extent: (extent not in seen, self.order[extent]))
        assert isinstance(left, Value)
        names[left] = kept
        for name, meaning in names.items():
            if meaning is left:
                names[name] = kept

    def is_extent(self, operand: Operand) -> bool:
        op = self.made_by.get(operand) if isinstance(operand, Value) else None
        return op is not None and op.primitive == "dim"
