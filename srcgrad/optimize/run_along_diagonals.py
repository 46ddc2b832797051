"""Go through a table along its antidiagonals, where an element is made of those before it in its row and column.

In ``r[i, j] = f(r[i - 1, j], r[i, j - 1])`` each element waits for the one before, in whichever order the loops are.
The elements with one sum ``i + j`` wait for none of each other, and a loop over them becomes one of vectors. Where the
table is the function's own, its antidiagonals also become its rows in memory; so do those of all that is kept for the
reverse sweep, which goes through them the other way. The case is ``benchmarks/problems/soft_dtw.py``.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.optimize.remove_dead import remove_dead
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(r: f64[:, :], n: i64, m: i64):
...     with for_(n):
...         def _(i: i64):
...             with for_(m):
...                 def _(j: i64):
...                     below: i64 = add(i, 1)
...                     right: i64 = add(j, 1)
...                     u: f64 = load(r, i, right)
...                     v: f64 = load(r, below, j)
...                     w: f64 = mul(u, v)
...                     x: f64 = exp(w)
...                     store(r, below, right, x)
... '''
>>> print(to_text(remove_dead(run_along_diagonals(parse(before, infer)))))
def f(r: f64[:, :], n: i64, m: i64):
    _1: i64 = sub(n, 1)
    _2: i64 = sub(m, 1)
    _3: i64 = add(n, _2)
    _4: i64 = max(_3, 0)
    with for_(_4):
        def _(diagonal: i64):
            _5: i64 = sub(diagonal, _2)
            first: i64 = max(_5, 0)
            last: i64 = min(diagonal, _1)
            _6: i64 = sub(last, first)
            cells: i64 = add(_6, 1)
            with for_(cells):
                def _(place: i64):
                    _7: i64 = add(first, place)
                    _8: i64 = sub(diagonal, _7)
                    below: i64 = add(_7, 1)
                    right: i64 = add(_8, 1)
                    u: f64 = load(r, _7, right)
                    v: f64 = load(r, below, _8)
                    w: f64 = mul(u, v)
                    x: f64 = exp(w)
                    store(r, below, right, x)
<BLANKLINE>
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from srcgrad.analysis.accesses import Definitions
from srcgrad.analysis.sites import Sites
from srcgrad.ir.core import Block, Const, Function, Op, Value, walk
from srcgrad.ir.rewrite import with_blocks, with_ops
from srcgrad.optimize.diagonals.layout import Table, lay_out, own_arrays, steps_along, walked
from srcgrad.optimize.diagonals.nests import Memory, Nest, nest_of, only_loop
from srcgrad.optimize.diagonals.walk import along_diagonals

SHORTEST = 16  # what is known to be shorter, in either direction, stays as it is


def run_along_diagonals(function: Function) -> Function:
    if not any(op.primitive == "for" and only_loop(op) is not None for op in walk(function.body)):
        return function
    memory = Memory(Sites(function), Definitions(function))
    nests = [nest for op in walk(function.body) if (nest := nest_of(op, memory)) is not None]
    chosen = [nest for nest in nests if is_worth_it(nest)]
    if not chosen:
        return function
    arrays = own_arrays(function)
    tables = _tables(chosen, arrays)
    while joining := [n for n in nests if n not in chosen and not tables.keys().isdisjoint(walked(n, arrays))]:
        chosen += joining
        tables = _tables(chosen, arrays)
    loops = {nest.outer: along_diagonals(nest, _goes_up(nest, tables)) for nest in chosen}
    return lay_out(replace(function, body=_with_loops(function.body, loops)), tables)


def is_worth_it(nest: Nest) -> bool:
    """Whether cells wait for those before them, and there may be many.

    Where they wait for those in their row alone, and that is over soon, rows are walked faster.
    """
    lengths = (nest.outer.operands[0], nest.inner.operands[0])
    if any(isinstance(n, Const) and n.value.real < SHORTEST for n in lengths):
        return False
    return nest.waits_in_rows and (nest.is_dear or nest.waits_in_columns)


def _tables(nests: Iterable[Nest], arrays: Mapping[Value, Op]) -> dict[Value, Table]:
    """The arrays that nests go through along antidiagonals; the first nest says along which."""
    tables: dict[Value, Table] = {}
    for nest in nests:
        for array, (down, across) in walked(nest, arrays).items():
            tables.setdefault(array, Table(arrays[array], turned=down == across))
    return tables


def _goes_up(nest: Nest, tables: Collection[Value]) -> bool:
    """Whether most elements of tables are met in the order in which they lie if the outer counter goes up."""
    plane = nest.plane
    found = [steps_along(plane, access) for access in nest.accesses.values() if access.root in tables]
    return sum(steps[0] for steps in found if steps is not None) >= 0


def _with_loops(block: Block, loops: Mapping[Op, list[Op]]) -> Block:
    ops: list[Op] = []
    for op in block.ops:
        ops += loops.get(op) or [with_blocks(op, [_with_loops(b, loops) for b in op.blocks])]
    return with_ops(block, ops)
