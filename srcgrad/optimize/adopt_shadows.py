"""A shadow that ends as the copy of another is the other one.

The adjoint of ``u = x.copy()`` adds all of ``u_bar`` to ``x_bar``. Where nothing else is added to ``x_bar``, and
``u_bar`` has no use afterwards, ``u_bar`` itself is the gradient.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.optimize.remove_dead import remove_dead
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(n: i64, ct: f64):
...     x_bar: f64[:] = alloc(n, dtype=f64, fill='zeros', shadow=True)
...     u_bar: f64[:] = alloc(n, dtype=f64, fill='zeros', shadow=True)
...     accumulate(u_bar, 0, ct)
...     with for_(n):
...         def _(i: i64):
...             v: f64 = load(u_bar, i)
...             accumulate(x_bar, i, v)
...     return x_bar
... '''
>>> print(to_text(remove_dead(adopt_shadows(parse(before, infer)))))
def f(n: i64, ct: f64):
    u_bar: f64[:] = alloc(n, dtype=f64, fill='zeros', shadow=True)
    accumulate(u_bar, 0, ct)
    return u_bar
<BLANKLINE>
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from srcgrad.analysis.extents import Extents
from srcgrad.analysis.sites import Sites
from srcgrad.ir.core import Block, Function, Op, Operand, Value, used, walk_ops
from srcgrad.primitives.table import Effect, effect


def adopt_shadows(function: Function) -> Function:
    """Return the copied shadow in the place of its copy, for each result of which that can be said."""
    for copying in function.body.ops:
        pair = _copied(copying)
        if pair is not None and _may_stand_for(*pair, copying, function):
            function = _adopted(function, *pair, copying)
    return function


def _copied(nest: Op) -> tuple[Value, Value] | None:
    """Source and target of a nest of loops that does nothing but add one array to another."""
    counters: list[Operand] = []
    ops: Sequence[Op] = (nest,)
    while len(ops) == 1 and ops[0].primitive == "for" and len(ops[0].operands) == 1:
        counters.append(ops[0].blocks[0].parameters[0])
        ops = ops[0].blocks[0].ops
    if [op.primitive for op in ops] != ["load", "accumulate"]:
        return None
    load, adding = ops
    source, target = load.operands[0], adding.operands[0]
    same = load.operands[1:] == tuple(counters) == adding.operands[1:-1] and adding.operands[-1] is load.result
    return (source, target) if same and isinstance(source, Value) and isinstance(target, Value) else None


def _may_stand_for(source: Value, target: Value, copying: Op, function: Function) -> bool:
    body, sites, extents = function.body, Sites(function), Extents(function)
    definitions = {r: op for op in body.ops for r in op.results}
    made, origin = definitions.get(target), definitions.get(source)
    if made is None or made.attributes.get("shadow") is not True or origin is None:
        return False
    if effect(origin.primitive) is Effect.VIEW or source.type != target.type:
        return False
    uses = Counter(used(body))[target]
    if body.yields.count(target) < 1 or uses != 1 + body.yields.count(target):
        return False
    if not extents.runs_over(copying, source) or extents.of(source) != extents.of(target):
        return False
    memory = sites.sites(source)
    later = walk_ops(body.ops[body.ops.index(copying) + 1 :])
    touched = (x for op in later for x in (*op.operands, *(y for block in op.blocks for y in block.yields)))
    return not memory & sites.parameters and not any(sites.sites(x) & memory for x in (*touched, *body.yields))


def _adopted(function: Function, source: Value, target: Value, copying: Op) -> Function:
    ops = tuple(op for op in function.body.ops if op is not copying)
    yields = tuple(source if y is target else y for y in function.body.yields)
    return replace(function, body=Block(function.body.parameters, ops, yields))
