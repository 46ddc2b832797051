"""Shadows that a loop only permutes before anything is added to them are all the same: the loop is not needed.

A time loop that swaps two buffers swaps their shadows too, and the mirror swaps them back. Where the forward loop
does nothing else, its shadows are still zero: the mirror may start from any order, and what it ends with stands
for the buffers as they were at first.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(n: i64, t: i64, ct: f64):
...     u_bar: f64[:] = alloc(n, dtype=f64, fill='zeros', shadow=True)
...     v_bar: f64[:] = alloc(n, dtype=f64, fill='zeros', shadow=True)
...     with for_(t, u_bar, v_bar) as (p, q):
...         def _(s: i64, a: f64[:], b: f64[:]):
...             yield b, a
...     accumulate(p, 0, ct)
...     with for_(t, p, q) as (first, second):
...         def _(s: i64, a: f64[:], b: f64[:]):
...             store(b, 1, ct)
...             yield b, a
...     return u_bar
... '''
>>> print(to_text(relabel_shadows(parse(before, infer))))
def f(n: i64, t: i64, ct: f64):
    u_bar: f64[:] = alloc(n, dtype=f64, fill='zeros', shadow=True)
    v_bar: f64[:] = alloc(n, dtype=f64, fill='zeros', shadow=True)
    accumulate(u_bar, 0, ct)
    with for_(t, u_bar, v_bar) as (first, second):
        def _(s: i64, a: f64[:], b: f64[:]):
            store(b, 1, ct)
            yield b, a
    return first
<BLANKLINE>
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from srcgrad.analysis.extents import Extents
from srcgrad.ir.core import Block, Function, Op, Operand, Value, used
from srcgrad.ir.rewrite import substitute


def relabel_shadows(function: Function) -> Function:
    """Look for such loops among the ops of the function's own block."""
    body = function.body
    for loop in [op for op in body.ops if _permutes(op)]:
        body = _relabelled(body, loop, Extents(function)) or body
    return function if body is function.body else replace(function, body=body)


def _permutes(op: Op) -> bool:
    if op.primitive != "for" or op.blocks[0].ops or len(op.operands) < 3:
        return False
    carried = op.blocks[0].parameters[1:]
    return Counter(carried) == Counter(op.blocks[0].yields)


def _relabelled(body: Block, loop: Op, extents: Extents) -> Block | None:
    position = body.ops.index(loop)
    shadows = list(loop.operands[1:])
    if not _alike(body.ops[:position], shadows, extents):
        return None
    mirrored = _mirror(body.ops[position + 1 :], loop)
    if mirrored is None:
        return None
    mirror, last = mirrored
    end = body.ops.index(mirror)
    if any(x in shadows for op in body.ops[: end + 1] if op is not loop for x in _uses(op)):
        return None
    between = Block((), (*body.ops[:position], *body.ops[position + 1 : end + 1]), ())
    first = substitute(between, dict(zip(loop.results, shadows, strict=True)))
    after = substitute(Block((), body.ops[end + 1 :], body.yields), dict(zip(shadows, last, strict=True)))  # type: ignore[arg-type]  # shadows are values
    return Block(body.parameters, (*first.ops, *after.ops), after.yields)


def _uses(op: Op) -> Sequence[Operand]:
    return (*op.operands, *(x for block in op.blocks for x in used(block)))


def _alike(before: Sequence[Op], shadows: Sequence[Operand], extents: Extents) -> bool:
    """All are fresh shadows of one shape."""
    made = {op.result for op in before if op.attributes.get("shadow") is True}
    if len(set(shadows)) != len(shadows) or not all(s in made for s in shadows):
        return False
    return len({(s.type, extents.of(s)) for s in shadows}) == 1


def _mirror(after: Sequence[Op], loop: Op) -> tuple[Op, list[Value]] | None:
    """The loop that turns the results back into the order of before, and its results in that order."""
    for op in after:
        if op.primitive != "for" or not any(r in op.operands for r in loop.results):
            continue
        if op.operands[0] is not loop.operands[0] or not all(r in op.operands for r in loop.results):
            return None
        places = [op.operands.index(r) for r in loop.results]
        return (op, [op.results[k - 1] for k in places]) if _inverse(loop.blocks[0], op.blocks[0], places) else None
    return None


def _inverse(forward: Block, backward: Block, places: Sequence[int]) -> bool:
    """Position k yields what position s(k) was given; the mirror's position s(k) yields what position k was given."""
    carried = forward.parameters[1:]
    for k, yielded in enumerate(forward.yields):
        source = carried.index(yielded)
        if backward.yields[places[source] - 1] is not backward.parameters[places[k]]:
            return False
    return True
