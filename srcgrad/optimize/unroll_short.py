"""Write out a short loop inside another one: three coordinates are three lines.

What an iteration computes is then a scalar of the loop around, which need not be kept in an array for the reverse
sweep, and that loop may be the innermost, which is the one that LLVM vectorises. The case is
``benchmarks/problems/lennard_jones.py``.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:, :], n: i64):
...     with for_(n, 0.0) as (total,):
...         def _(i: i64, t: f64):
...             with for_(2, t) as (u,):
...                 def _(a: i64, s: f64):
...                     v: f64 = load(x, i, a)
...                     s_1: f64 = add(s, v)
...                     yield s_1
...             yield u
...     return total
... '''
>>> print(to_text(unroll_short(parse(before, infer))))
def f(x: f64[:, :], n: i64):
    with for_(n, 0.0) as (total,):
        def _(i: i64, t: f64):
            v: f64 = load(x, i, 0)
            s_1: f64 = add(t, v)
            v_1: f64 = load(x, i, 1)
            s_1_1: f64 = add(s_1, v_1)
            yield s_1_1
    return total
<BLANKLINE>
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from srcgrad.analysis.extents import pinned
from srcgrad.ir.core import LOOPS, Block, Const, Function, Op, Operand, Value, index, walk, walk_ops
from srcgrad.ir.rewrite import copy_op, renamed, substitute_op, with_blocks, with_ops

MOST_TRIPS = 4
MOST_OPS = 32  # of what a loop becomes: Numba takes long for many subscripts


def unroll_short(function: Function) -> Function:
    if not any(map(_is_short, walk(function.body))):
        return function
    return replace(function, body=_Unrolling(pinned(function)).block(function.body, in_loop=False))


def _is_short(op: Op) -> bool:
    return op.primitive == "for" and 1 < _trips(op) <= MOST_TRIPS


def _trips(loop: Op) -> int:
    """How often a loop runs, if that is a literal; 0 for any other."""
    count = loop.operands[0]
    return count.value if isinstance(count, Const) and isinstance(count.value, int) else 0


@dataclass(frozen=True)
class _Unrolling:
    pinned: frozenset[Value]

    def block(self, block: Block, *, in_loop: bool) -> Block:
        """The block with its loops written out, if it is a loop's body that then holds none."""
        ops = [with_blocks(op, [self.block(b, in_loop=op.primitive in LOOPS) for b in op.blocks]) for op in block.ops]
        loops = [op for op in walk_ops(ops) if op.primitive in LOOPS]
        if not in_loop or not loops or not all(op in ops and self.may_unroll(op) for op in loops):
            return with_ops(block, ops)
        written: list[Op] = []
        names: dict[Value, Operand] = {}
        for op in ops:
            current = substitute_op(op, names)
            if op in loops:
                copies, results = _written_out(current)
                written += copies
                names.update(zip(op.results, results, strict=True))
            else:
                written.append(current)
        return replace(block, ops=tuple(written), yields=tuple(renamed(y, names) for y in block.yields))

    def may_unroll(self, op: Op) -> bool:
        """Whether a loop is short and small, and at most adds to memory; no extent may become the constant 1."""
        if not _is_short(op) or {"threads", "checkpoint"} & set(op.attributes):
            return False
        inner = list(walk(op.blocks[0]))
        if len(inner) * _trips(op) > MOST_OPS or any(o.primitive in ("alloc", "store") for o in inner):
            return False
        return self.pinned.isdisjoint((*op.blocks[0].parameters, *op.results))


def _written_out(op: Op) -> tuple[list[Op], tuple[Operand, ...]]:
    """One copy of the body after the other, and what the last one ends with."""
    body = op.blocks[0]
    carried = op.operands[1:]
    ops: list[Op] = []
    for k in range(_trips(op)):
        names: dict[Value, Operand] = dict(zip(body.parameters, (index(k), *carried), strict=True))
        ops += [copy_op(inner, names) for inner in body.ops]
        carried = tuple(renamed(y, names) for y in body.yields)
    return ops, carried
