"""Ask the one who knows: ``dim`` of a view, a carry or an allocation becomes the number it was made with.

Inner trip counts are then known before the loops around them, so that nested storage can be dense.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64[:], n: i64):
...     a: f64[:, :] = alloc(n, 3, dtype=f64, fill='zeros')
...     row: f64[:] = slice(a, 0, axes='i:')
...     m: i64 = dim(row, axis=0)
...     k: i64 = dim(a, axis=0)
...     r: f64[:, 'A'] = relax(x)
...     j: i64 = dim(r, axis=0)
...     return m, k, j
... '''
>>> print(to_text(resolve_extents(parse(before, infer))))
def f(x: f64[:], n: i64):
    a: f64[:, :] = alloc(n, 3, dtype=f64, fill='zeros')
    row: f64[:] = slice(a, 0, axes='i:')
    r: f64[:, 'A'] = relax(x)
    j: i64 = dim(x, axis=0)
    return 3, n, j
<BLANKLINE>
"""

from __future__ import annotations

from dataclasses import replace

from srcgrad.analysis.extents import Dim, Extents, pinned
from srcgrad.ir.core import Function, Op, index
from srcgrad.ir.rewrite import Replacement, rewrite


def resolve_extents(function: Function) -> Function:
    extents = Extents(function)
    keep = pinned(function)

    def visit(op: Op) -> Replacement | None:
        if op.primitive != "dim":
            return None
        extent = extents.canonical(op.result)
        if isinstance(extent, Dim):
            same = extent.array is op.operands[0] and extent.axis == op.attributes["axis"]
            return None if same else ([replace(op, operands=(extent.array,), attributes={"axis": extent.axis})], {})
        if extent == index(1) and op.result in keep:
            return None
        return [], {op.result: extent}

    return rewrite(function, visit)
