"""Run independent iterations side by side, 32 at a time, with the loop over these lanes innermost.

What LLVM can vectorise is the innermost loop only. A loop over data points, paths or observations whose body has
loops of its own stays scalar, though its iterations exchange nothing but sums: here each scalar of the body becomes
a row of 32, each private array gets the lane as its last axis, and the inner loops run once for all lanes.

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
    _1: i64 = add(n, 31)
    _2: i64 = floordiv(_1, 32)
    with for_(_2, 0.0) as (total,):
        def _(block: i64, total_1: f64):
            start: i64 = mul(block, 32)
            _3: i64 = sub(n, start)
            lanes: i64 = min(_3, 32)
            y: f64[:] = alloc(32, dtype=f64, fill='empty')
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

from srcgrad.analysis.refusal import Refusal, refused
from srcgrad.analysis.sums import only_sums
from srcgrad.ir.core import Block, Function, Op, defined, walk
from srcgrad.ir.rewrite import Environment, renamed, substitute_op
from srcgrad.ir.types import Scalar
from srcgrad.optimize.lanes.allowed import forbidding
from srcgrad.optimize.lanes.facts import Program, facts_of, program_of
from srcgrad.optimize.lanes.widen import widened
from srcgrad.primitives.scalar import SCALARS

DEAR = 6  # the cost of a square root
LARGEST = 400  # ops in a body; what is larger takes Numba too long


def run_in_lanes(function: Function) -> Function:
    if not any(map(_is_worth_it, walk(function.body))):  # what is asked of the whole function takes long
        return function
    program = program_of(function)
    return replace(function, body=_Lanes(program).block(function.body))


def refusal(loop: Op, program: Program) -> Refusal | None:
    """What keeps the iterations of a counted loop from running side by side, if anything does."""
    if not only_sums(loop):
        return refused("an iteration begins with what the one before it ends with", loop)
    body = loop.blocks[0]
    if any(isinstance(v.type, Scalar) and v.type.dtype.kind == "c" for v in defined(body)):
        return refused("it computes with complex numbers", loop)
    return forbidding(facts_of(loop, program))


def loops(function: Function) -> tuple[int, int]:
    """How many loops a program has, and how much they carry; each that runs in lanes has become several."""
    bodies = [function.body, *(callee.body for callee in function.callees.values())]
    found = [op for body in bodies for op in walk(body) if op.primitive == "for"]
    return len(found), sum(len(op.results) for op in found)


@dataclass(frozen=True)
class _Lanes:
    program: Program

    def block(self, block: Block) -> Block:
        ops: list[Op] = []
        names: Environment = {}
        for op in block.ops:
            if _is_worth_it(op) and refusal(op, self.program) is None:
                in_lanes, results = widened(facts_of(op, self.program))
                ops.extend(substitute_op(new, names) for new in in_lanes)
                names.update(results)
            else:
                inner = replace(op, blocks=tuple(self.block(b) for b in op.blocks)) if op.blocks else op
                ops.append(substitute_op(inner, names))
        return Block(block.parameters, tuple(ops), tuple(renamed(y, names) for y in block.yields))


def _is_worth_it(op: Op) -> bool:
    """Whether a loop has dear operations, and loops inside that LLVM would not vectorise well."""
    if op.primitive != "for":
        return False
    body = op.blocks[0]
    size = sum(1 for _ in walk(body))
    return size <= LARGEST and any(map(_is_dear, walk(body))) and (_depth(body) > 1 or _recurs(body))


def _is_dear(op: Op) -> bool:
    return op.primitive in SCALARS and SCALARS[op.primitive].cost >= DEAR


def _depth(block: Block) -> int:
    """How many loops are inside one another."""
    return max((_depth(b) + (op.primitive == "for") for op in block.ops for b in op.blocks), default=0)


def _recurs(block: Block) -> bool:
    """Whether a loop carries something other than sums."""
    return any(
        op.primitive == "while" or (op.primitive == "for" and len(op.operands) > 1 and not only_sums(op))
        for op in walk(block)
    )
