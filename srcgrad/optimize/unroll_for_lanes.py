"""Four iterations of an innermost loop at once, where the loop around it is going to run in lanes.

A loop over lanes for each of four iterations would load and store what these share four times; one that does all four
does so once. Worth it for short bodies that compute little: what takes time there is memory.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:], w: f64[:], n: i64, m: i64):
...     with for_(n, 0.0) as (total,):
...         def _(i: i64, s: f64):
...             v: f64 = load(x, i)
...             r: f64 = sqrt(v)
...             with for_(m, r) as (y,):
...                 def _(t: i64, u: f64):
...                     c: f64 = load(w, t)
...                     p: f64 = mul(u, c)
...                     yield p
...             s_1: f64 = add(s, y)
...             yield s_1
...     return total
... '''
>>> text = to_text(unroll_for_lanes(parse(before, infer)))
>>> print(text[text.index("            _1:"):text.index("p_1")])
            _1: i64 = floordiv(m, 4)
            with for_(_1, r) as (u,):
                def _(q: i64, u_1: f64):
                    _2: i64 = mul(q, 4)
                    c: f64 = load(w, _2)
                    p: f64 = mul(u_1, c)
                    _3: i64 = add(_2, 1)
                    c_1: f64 = load(w, _3)
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from srcgrad.analysis.accesses import indices
from srcgrad.analysis.prices import is_dear
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value, defined, index, used, walk
from srcgrad.ir.rewrite import Environment, copy_op, renamed, substitute_op, with_blocks
from srcgrad.ir.types import Scalar
from srcgrad.optimize.lanes import decision
from srcgrad.optimize.lanes.facts import Facts, Program, facts_of, program_of
from srcgrad.primitives.table import Effect, effect, new_builder

TIMES = 4
SHORT = 12  # ops in a body
SIMPLE = (Effect.PURE, Effect.READ, Effect.WRITE)


def unroll_for_lanes(function: Function) -> Function:
    if not any(map(decision.is_worth_it, walk(function.body))):
        return function
    return replace(function, body=_visit(function.body, program_of(function)))


def _visit(block: Block, program: Program) -> Block:
    ops = []
    for op in block.ops:
        if decision.runs_in_lanes(op, program):
            facts = facts_of(op, program)
            ops.append(with_blocks(op, [_Unrolling(facts, set(_chosen(facts))).block(op.blocks[0])]))
        else:
            ops.append(with_blocks(op, [_visit(b, program) for b in op.blocks]))
    return replace(block, ops=tuple(ops))


def _chosen(facts: Facts) -> Iterator[Op]:
    """The innermost loops, of those inside the most others, that all lanes run alike and that share much."""
    room = decision.LARGEST - sum(1 for _ in walk(facts.body))
    most = decision.depth(facts.body)
    for loop, around in _loops(facts.body, ()):
        size = len(loop.blocks[0].ops)
        apart = any(facts.parts(op) for op in (*around, loop))
        deep = sum(op.primitive != "if" for op in around) == most - 1
        if deep and not apart and _is_simple(loop) and _shares(facts, loop) and TIMES * size <= room:
            room -= TIMES * size
            yield loop


def _loops(block: Block, around: tuple[Op, ...]) -> Iterator[tuple[Op, tuple[Op, ...]]]:
    """The counted loops, each with the ops around it."""
    for op in block.ops:
        if op.primitive == "for":
            yield op, around
        for inner in op.blocks:
            yield from _loops(inner, (*around, op))


def _is_simple(loop: Op) -> bool:
    ops = loop.blocks[0].ops
    few = len(ops) <= SHORT and not any(map(is_dear, ops))
    scalars = all(isinstance(r.type, Scalar) for r in loop.results) and not isinstance(loop.operands[0], Const)
    return few and scalars and all(effect(op.primitive) in SIMPLE for op in ops)


def _shares(facts: Facts, loop: Op) -> bool:
    """Whether iterations load what they share; what is packed would be no more (`lanes.packing`)."""
    (body,) = loop.blocks
    packed = any(
        op.primitive in ("load", "accumulate") and not facts.is_private(op.operands[0]) and facts.counter in indices(op)
        for op in body.ops
    )
    inside = set(defined(body))
    outer = (v for v in used(body) if v not in inside or v in body.parameters)
    return not packed and any(facts.differs(v) for v in outer)


@dataclass(frozen=True)
class _Unrolling:
    facts: Facts
    chosen: set[Op]
    names: Environment = field(default_factory=dict)

    def block(self, block: Block) -> Block:
        ops: list[Op] = []
        for op in block.ops:
            if op in self.chosen:
                new, results = _unrolled(substitute_op(op, self.names))
                ops.extend(new)
                self.names.update(zip(op.results, results, strict=True))
            else:
                inner = with_blocks(op, [self.block(b) for b in op.blocks])
                operands = tuple(renamed(x, self.names) for x in op.operands)
                ops.append(replace(inner, operands=operands))
        return Block(block.parameters, tuple(ops), tuple(renamed(y, self.names) for y in block.yields))


def _unrolled(loop: Op) -> tuple[Sequence[Op], Sequence[Operand]]:
    """The loop over groups of iterations, then the loop over those that are left, and the results."""
    builder = new_builder()
    builder.location = loop.location
    builder.open()
    trips, *initial = loop.operands
    groups = builder("floordiv", trips, index(TIMES))

    def group(q: Value, *carried: Operand) -> Sequence[Operand]:
        first = builder("mul", q, index(TIMES))
        for k in range(TIMES):
            carried = tuple(_iteration(builder, loop, builder("add", first, index(k)) if k else first, carried))
        return carried

    results = _loop(builder, loop, groups, initial, group, "q")
    done = builder("mul", groups, index(TIMES))
    rest = builder("sub", trips, done)

    def left(q: Value, *carried: Operand) -> Sequence[Operand]:
        return _iteration(builder, loop, builder("add", done, q), carried)

    results = _loop(builder, loop, rest, results, left, "q")
    return builder.close().ops, results


def _loop(
    builder: Builder,
    loop: Op,
    trips: Operand,
    initial: Sequence[Operand],
    body: Callable[..., Sequence[Operand]],
    counter: str,
) -> Sequence[Operand]:
    return builder.for_(trips, initial, body, [p.name for p in loop.blocks[0].parameters[1:]], counter)


def _iteration(builder: Builder, loop: Op, counter: Value, carried: Sequence[Operand]) -> Sequence[Operand]:
    (body,) = loop.blocks
    names: Environment = dict(zip(body.parameters, (counter, *carried), strict=True))
    builder.ops.extend(copy_op(op, names) for op in body.ops)
    return [renamed(y, names) for y in body.yields]
