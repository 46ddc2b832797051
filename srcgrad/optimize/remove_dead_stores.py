"""Remove writes to memory that nobody reads afterwards.

The reverse of a store zeroes the shadow's element. Where the shadow is not read again before it is written or
dies, an adjoint written by hand would not bother.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(n: i64, v: f64):
...     a: f64[:] = alloc(n, dtype=f64, fill='zeros')
...     store(a, 0, v)
...     w: f64 = load(a, 0)
...     store(a, 0, 0.0)
...     return w
... '''
>>> print(to_text(remove_dead_stores(parse(before, infer))))
def f(n: i64, v: f64):
    a: f64[:] = alloc(n, dtype=f64, fill='zeros')
    store(a, 0, v)
    w: f64 = load(a, 0)
    return w
<BLANKLINE>
"""

from __future__ import annotations

from srcgrad.analysis.effects import Effects, Touch
from srcgrad.ir.core import Function, Op
from srcgrad.ir.rewrite import Replacement, rewrite


def remove_dead_stores(function: Function) -> Function:
    effects = Effects(function)
    visible = effects.sites.parameters.union(*(effects.sites.sites(r) for r in function.results))
    writes = {w.op: w for touches in effects.writes.values() for w in touches if w.op.primitive == "store"}
    dead = {id(op) for op, w in writes.items() if not _read_later(w, effects, visible)}
    if not dead:
        return function
    # `rewrite` rebuilds ops with blocks, but a store is seen as it stands unless an operand changed.
    return rewrite(function, lambda op: _dropped(op, dead))


def _dropped(op: Op, dead: set[int]) -> Replacement | None:
    return ([], {}) if id(op) in dead else None


def _read_later(write: Touch, effects: Effects, visible: frozenset[object]) -> bool:
    sites = effects.sites.sites(write.array)
    if sites & visible:
        return True
    reads = (r for site in sites for r in effects.reads.get(site, ()))
    return any(r.op is not write.op and effects.changes(write, r, effects.function.body) for r in reads)
