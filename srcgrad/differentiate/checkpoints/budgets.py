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

from srcgrad.differentiate.checkpoints.outline import MARK
from srcgrad.ir.core import Function, Op, walk
from srcgrad.ir.rewrite import Replacement, rewrite
from srcgrad.settings import BY_OPTION


def set_budgets(function: Function, default: int | None) -> Function:
    """The default for loops without a budget of their own; without a default the marks go."""

    def visit(op: Op) -> Replacement | None:
        if MARK not in op.attributes:
            return None
        others = {k: v for k, v in op.attributes.items() if k != MARK}
        budget = default if default is None or op.attributes[MARK] == BY_OPTION else op.attributes[MARK]
        return [replace(op, attributes=others if budget is None else {**others, MARK: budget})], {}

    return rewrite(function, visit) if any(MARK in op.attributes for op in walk(function.body)) else function
