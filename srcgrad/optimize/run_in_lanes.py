"""Run independent iterations side by side, 64 at a time, with the loop over these lanes innermost.

What LLVM can vectorise is the innermost loop only. A loop over data points, paths or observations whose body has
loops of its own stays scalar, though its iterations exchange nothing but sums: here each scalar of the body becomes
a row of 64, each private array gets the lane as its last axis, and the inner loops run once for all lanes.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.optimize.remove_dead import remove_dead
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:], n: i64, m: i64):
...     with for_(n, 0.0) as (total,):
...         def _(i: i64, s: f64):
...             v: f64 = load(x, i)
...             with for_(m, v) as (y,):
...                 def _(t: i64, u: f64):
...                     w: f64 = sin(u)
...                     yield w
...             s_1: f64 = add(s, y)
...             yield s_1
...     return total
... '''
>>> print(to_text(remove_dead(run_in_lanes(parse(before, infer)))))
def f(x: f64[:], n: i64, m: i64):
    _1: i64 = add(n, 63)
    _2: i64 = floordiv(_1, 64)
    with for_(_2, 0.0) as (total,):
        def _(block: i64, total_1: f64):
            start: i64 = mul(block, 64)
            _3: i64 = sub(n, start)
            lanes: i64 = min(_3, 64)
            y: f64[:] = alloc(64, dtype=f64, fill='empty')
            with for_(lanes):
                def _(lane: i64):
                    i: i64 = add(start, lane)
                    v: f64 = load(x, i)
                    store(y, lane, v)
            with for_(m):
                def _(t: i64):
                    with for_(lanes):
                        def _(lane_1: i64):
                            u: f64 = load(y, lane_1)
                            w: f64 = sin(u)
                            store(y, lane_1, w)
            with for_(lanes, 0.0) as (_4,):
                def _(lane_2: i64, _5: f64):
                    y_1: f64 = load(y, lane_2)
                    _6: f64 = add(_5, y_1)
                    yield _6
            s_1: f64 = add(total_1, _4)
            yield s_1
    return total
<BLANKLINE>
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from srcgrad.ir.core import Block, Function, Op, Operand, walk
from srcgrad.ir.rewrite import Environment, renamed, substitute_op
from srcgrad.optimize.lanes import decision
from srcgrad.optimize.lanes.facts import Program, facts_of, program_of
from srcgrad.optimize.lanes.widen import widened


def run_in_lanes(function: Function) -> Function:
    if not any(map(decision.is_worth_it, walk(function.body))):  # what is asked of the whole function takes long
        return function
    program = program_of(function)
    return replace(function, body=_Lanes(program).block(function.body))


def loops(function: Function) -> tuple[int, int, frozenset[Operand]]:
    """How many loops a program has, how much they carry, and how often they run.

    A loop that runs in lanes has become several; two that run along antidiagonals are still two.
    """
    bodies = [function.body, *(callee.body for callee in function.callees.values())]
    found = [op for body in bodies for op in walk(body) if op.primitive == "for"]
    return len(found), sum(len(op.results) for op in found), frozenset(op.operands[0] for op in found)


@dataclass(frozen=True)
class _Lanes:
    program: Program

    def block(self, block: Block) -> Block:
        ops: list[Op] = []
        names: Environment = {}
        for op in block.ops:
            if decision.runs_in_lanes(op, self.program):
                in_lanes, results = widened(facts_of(op, self.program))
                ops.extend(substitute_op(new, names) for new in in_lanes)
                names.update(results)
            else:
                inner = replace(op, blocks=tuple(self.block(b) for b in op.blocks)) if op.blocks else op
                ops.append(substitute_op(inner, names))
        return Block(block.parameters, tuple(ops), tuple(renamed(y, names) for y in block.yields))
