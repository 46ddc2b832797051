"""Do for each row what array statements do for all rows one after another: loops over the same rows are one.

What one statement hands to the next is then a row, and not an array of all rows; the iterations exchange nothing but
sums, so that they are reversed in place and run in lanes. A product of matrices is a loop over its rows, too, where
that makes it part of a loop that runs in lanes; and a loop that contains one over the rows, as in ``for k: terms[:, k]
= f(x, k)``, is run for each row, once what it prepares is there.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:, :], n: i64, m: i64):
...     y: f64[:, :] = alloc(n, m, dtype=f64, fill='empty')
...     with for_(n):
...         def _(i: i64):
...             with for_(m):
...                 def _(j: i64):
...                     a: f64 = load(x, i, j)
...                     b: f64 = exp(a)
...                     store(y, i, j, b)
...     with for_(n, 0.0) as (total,):
...         def _(p: i64, s: f64):
...             c: f64 = load(y, p, 0)
...             d: f64 = add(s, c)
...             yield d
...     return total
... '''
>>> print(to_text(run_row_by_row(parse(before, infer))))
def f(x: f64[:, :], n: i64, m: i64):
    with for_(n, 0.0) as (total,):
        def _(i: i64, s: f64):
            y: f64[:] = alloc(m, dtype=f64, fill='empty')
            with for_(m):
                def _(j: i64):
                    a: f64 = load(x, i, j)
                    b: f64 = exp(a)
                    store(y, j, b)
            c: f64 = load(y, 0)
            d: f64 = add(s, c)
            yield d
    return total
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from srcgrad.analysis.prices import is_dear
from srcgrad.analysis.sites import Sites
from srcgrad.ir.core import Block, Function, Op, Operand, Value, defined, same, walk
from srcgrad.ir.rewrite import with_blocks, with_ops
from srcgrad.ir.types import Array
from srcgrad.optimize.lanes import decision
from srcgrad.optimize.lanes.facts import program_of
from srcgrad.optimize.rows.contraction import contracted
from srcgrad.optimize.rows.interchange import turned
from srcgrad.optimize.rows.joining import hands_on, is_loop_over_rows, joined
from srcgrad.optimize.rows.products import Products
from srcgrad.optimize.rows.touches import Looking

LARGEST = 2000  # ops of a function: what is asked of all of them takes long


def run_row_by_row(function: Function) -> Function:
    if not any(_may_gain(block) for block in _blocks(function.body)) or sum(1 for _ in walk(function.body)) > LARGEST:
        return function
    trial = _Trial(Products(()), frozenset())
    while True:
        changed = _run(function, trial)
        if changed is function:
            return function
        another = trial.corrected(changed)
        if another is None:
            return changed
        trial = another


@dataclass(frozen=True)
class _Trial:
    """What may become part of loops over rows, and what has."""

    products: Products
    apart: frozenset[Value]  # the counters of loops that stay by themselves
    joined: set[Value] = field(default_factory=set)  # those of loops made of several

    def corrected(self, function: Function) -> _Trial | None:
        """Another trial, where not all of this one pays; then a product that is not in lanes stays a call."""
        program = program_of(function)
        loops = [op for op in walk(function.body) if op.primitive == "for"]
        tables = {op for op in loops if _writes_tables(op, program.sites)}
        lanes = [op for op in loops if op not in tables and decision.runs_in_lanes(op, program)]
        inside = {v for loop in lanes for op in walk(loop.blocks[0]) for v in op.results}
        calls = {op for total, op in self.products.sums.items() if total not in inside}
        dear = (op.blocks[0].parameters[0] for op in tables if any(map(is_dear, walk(op.blocks[0]))))
        apart = self.joined.intersection(dear) if not calls else ()
        if not calls and not apart:
            return None
        return _Trial(Products((*self.products.calls, *calls)), self.apart.union(apart))


def _writes_tables(loop: Op, sites: Sites) -> bool:
    """Whether a loop leaves rows behind in a table, so that it runs once more when it is reversed in place."""
    inside = set(defined(loop.blocks[0]))
    stores = (op for op in walk(loop.blocks[0]) if op.primitive == "store")
    written = {site for op in stores for site in sites.sites(op.operands[0])} - inside
    return any(isinstance(site.type, Array) and site.type.rank > 1 for site in written)


def _blocks(block: Block) -> Iterator[Block]:
    yield block
    for op in walk(block):
        yield from op.blocks


def _may_gain(block: Block) -> bool:
    """Whether two ops of a block may go over the same rows."""
    loops = [op for op in block.ops if op.primitive in ("for", "call")]
    return len(loops) > 1


def _run(function: Function, trial: _Trial) -> Function:
    """Innermost blocks first; what is known of the function is found anew once a block has changed."""
    while True:
        done = _joined_block(function.body, Looking(function), trial)
        if done is None:
            return function
        function = contracted(replace(function, body=done))


def _joined_block(block: Block, looking: Looking, trial: _Trial) -> Block | None:
    """The block with two loops joined in it, or in a block inside; None where there are none."""
    for k, op in enumerate(block.ops):
        for position, inner in enumerate(op.blocks):
            found = _joined_block(inner, looking, trial)
            if found is not None:
                blocks = (*op.blocks[:position], found, *op.blocks[position + 1 :])
                return with_ops(block, (*block.ops[:k], with_blocks(op, blocks), *block.ops[k + 1 :]))
    ops = _joined_ops(block.ops, looking, trial)
    return None if ops is None else with_ops(block, ops)


def _joined_ops(ops: Sequence[Op], looking: Looking, trial: _Trial) -> list[Op] | None:
    products = trial.products
    for at, first in enumerate(ops):
        for trips in _trips(first, ops[at + 1 :], products):
            one = _as_rows(first, trips, looking, products)
            if one is None or one[-1].blocks[0].parameters[0] in trial.apart:
                continue
            for k in range(at + 1, len(ops)):
                other = _as_rows(ops[k], trips, looking, products)
                if other is None or not hands_on(one[-1], other[-1], looking):
                    continue
                found = joined(one[-1], (*ops[at + 1 : k], *other[:-1]), other[-1], looking)
                if found is not None:
                    products.take(first, ops[k])
                    trial.joined.add(one[-1].blocks[0].parameters[0])
                    return [*ops[:at], *one[:-1], *found, *ops[k + 1 :]]
    return None


def _trips(op: Op, behind: Sequence[Op], products: Products) -> list[Operand]:
    """How many rows an op may be seen to go over; a product has as many as a loop behind it."""
    if products.is_one(op):
        return [trips for other in behind for trips in _trips(other, (), products)]
    if op.primitive != "for":
        return []
    inner = [o.operands[0] for o in op.blocks[0].ops if o.primitive == "for"]
    found: list[Operand] = []
    for trips in (op.operands[0], *inner):
        if not any(same(trips, other) for other in found):
            found.append(trips)
    return found


def _as_rows(op: Op, trips: Operand, looking: Looking, products: Products) -> tuple[Op, ...] | None:
    """The op as a loop over so many rows, with what comes before it."""
    if is_loop_over_rows(op) and same(op.operands[0], trips):
        return (op,)
    if products.is_one(op):
        return products.loop(op, trips, looking)
    found = turned(op, trips, looking)
    return None if found is None else (*found.first, found.rows)
