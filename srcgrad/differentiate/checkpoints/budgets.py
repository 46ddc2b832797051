"""How many bytes each loop with checkpoints may use, where its mark leaves that to the derivative.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64, n: i64):
...     with for_(n, x, checkpoint=-1) as (y,):
...         def _(i: i64, y: f64):
...             z: f64 = sin(y)
...             yield z
...     return y
... '''
>>> print(to_text(set_budgets(parse(before, infer), 1000)))
def f(x: f64, n: i64):
    with for_(n, x, checkpoint=1000) as (y,):
        def _(i: i64, y_1: f64):
            z: f64 = sin(y_1)
            yield z
    return y
<BLANKLINE>
"""

from __future__ import annotations

from dataclasses import replace

from srcgrad.differentiate.checkpoints.marks import MARK, OPTIONAL
from srcgrad.ir.core import Function, Op, walk
from srcgrad.ir.rewrite import Replacement, rewrite
from srcgrad.settings import BY_OPTION


def set_budgets(function: Function, default: int | None, everywhere: bool = False) -> Function:
    """The default for loops without a budget of their own; without a default the marks go.

    ``everywhere`` marks all loops, those that are not marked yet as *optional*.
    """
    if not everywhere and not any(MARK in op.attributes for op in walk(function.body)):
        return function

    def visit(op: Op) -> Replacement | None:
        own = op.attributes.get(MARK)
        if op.primitive != "for" or (own is None and not everywhere):
            return None
        others = {k: v for k, v in op.attributes.items() if k != MARK}
        if default is None:
            return [replace(op, attributes=others)], {}
        budget = default if own in (None, BY_OPTION) else own
        optional = {OPTIONAL: True} if own is None else {}
        return [replace(op, attributes={**others, MARK: budget, **optional})], {}

    return rewrite(function, visit)
