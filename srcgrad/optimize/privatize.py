"""Allocate scratch memory in the iteration that uses it, where each iteration writes what it reads.

A buffer made once in front of a loop and filled anew in every iteration ties the iterations together only by its
address. As memory born in the iteration it does so no longer: reverse mode may then treat iterations as independent,
and give each its own row of storage. ``hoist_allocations`` moves what is left of it out again.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:], n: i64):
...     a: f64[1] = alloc(1, dtype=f64, fill='empty')
...     with for_(n, 0.0) as (total,):
...         def _(i: i64, s: f64):
...             v: f64 = load(x, i)
...             store(a, 0, v)
...             w: f64 = load(a, 0)
...             t: f64 = add(s, w)
...             yield t
...     return total
... '''
>>> print(to_text(privatize(parse(before, infer))))
def f(x: f64[:], n: i64):
    with for_(n, 0.0) as (total,):
        def _(i: i64, s: f64):
            a: f64[1] = alloc(1, dtype=f64, fill='empty')
            v: f64 = load(x, i)
            store(a, 0, v)
            w: f64 = load(a, 0)
            t: f64 = add(s, w)
            yield t
    return total
<BLANKLINE>
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from srcgrad.analysis.coverage import written_before_read
from srcgrad.analysis.effects import Effects
from srcgrad.ir.core import LOOPS, Block, Function, Op, Value, used, walk
from srcgrad.ir.types import Stack
from srcgrad.primitives.table import Effect, effect

HARMLESS = (Effect.READ, Effect.WRITE, Effect.VIEW, Effect.PURE)


def privatize(function: Function) -> Function:
    effects = Effects(function)
    uses = Counter(used(function.body))
    homes: dict[Block, list[Op]] = {}  # the loop body that an allocation moves into
    for op in walk(function.body):
        if op.primitive == "alloc" and (loop := _user(op, effects, uses)) is not None:
            homes.setdefault(loop.blocks[-1], []).append(op)
    if not homes:
        return function
    moved = {op for ops in homes.values() for op in ops}
    return replace(function, body=_block(function.body, homes, moved))


def _block(block: Block, homes: dict[Block, list[Op]], moved: set[Op]) -> Block:
    arrivals = [replace(op, attributes={**op.attributes, "fill": "empty"}) for op in homes.get(block, ())]
    stay = [op for op in block.ops if op not in moved]
    ops = [replace(op, blocks=tuple(_block(b, homes, moved) for b in op.blocks)) if op.blocks else op for op in stay]
    return Block(block.parameters, (*arrivals, *ops), block.yields)


def _user(alloc: Op, effects: Effects, uses: Counter[Value]) -> Op | None:
    """The innermost loop whose iterations each fill the memory before they read it, and that alone uses it."""
    root = alloc.result
    touches = [*effects.reads.get(root, ()), *effects.writes.get(root, ())]
    if not touches or not _stays(root, effects):
        return None
    start = len(effects.paths[alloc]) - 1
    found = None
    for block, position in touches[0].path[start:]:
        op = block.ops[position]
        if op.primitive not in LOOPS or not _only_inside(op, root, uses):
            continue
        if written_before_read(op, root, effects):
            found = op
    return found


def _only_inside(loop: Op, root: Value, uses: Counter[Value]) -> bool:
    body = loop.blocks[-1]
    return Counter(used(body))[root] == uses[root] and root not in body.yields


def _stays(root: Value, effects: Effects) -> bool:
    """Whether elements are all that anybody takes of the memory: no reference of it is carried, merged or passed on."""
    function = effects.function
    references = {v for v, tokens in effects.sites.tokens.items() if any(t.site is root for t in tokens)}
    if any(isinstance(v.type, Stack) or effects.definitions.root(v) is not root for v in references):
        return False
    return not any(
        any(x in references for x in op.operands) and effect(op.primitive) not in HARMLESS for op in walk(function.body)
    ) and not any(y in references for y in function.results)
