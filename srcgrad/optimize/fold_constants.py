"""Compute what is constant, take the branch that is known, apply the laws of arithmetic that hold to the last bit.

>>> from srcgrad.ir.text import parse, to_text
>>> from srcgrad.primitives.table import infer
>>> before = '''
... def f(x: f64, ct: f64):
...     n: i64 = sub(2, 1)
...     p: f64 = ipow(x, n)
...     two: f64 = cast(2, dtype=f64)
...     q: f64 = mul(two, p)
...     r: f64 = neg(q)
...     c: bool = ne(n, 0)
...     with if_(c) as (t,):
...         def _():
...             u: f64 = add(ct, r)
...             yield u
...         def _():
...             yield ct
...     return t
... '''
>>> print(to_text(fold_constants(parse(before, infer))))
def f(x: f64, ct: f64):
    q: f64 = mul(2.0, x)
    r: f64 = mul(-2.0, x)
    _1: f64 = mul(2.0, x)
    u: f64 = sub(ct, _1)
    return u
<BLANKLINE>
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from srcgrad.analysis.extents import pinned
from srcgrad.ir.core import Const, Function, Op, Operand, Value, constant, index, used
from srcgrad.ir.rewrite import Replacement, rewrite
from srcgrad.ir.types import I64, Scalar
from srcgrad.optimize.algebra import Known, Term, simplified
from srcgrad.primitives.table import infer

# On NumPy scalars of one dtype; correctly rounded or exact, so the same wherever they run.
EVALUATE: dict[str, Callable[..., object]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
    "abs": abs,
    "div": np.divide,
    "sqrt": np.sqrt,
    "floor": np.floor,
    "max": np.maximum,
    "min": np.minimum,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
    "and_": np.logical_and,
    "or_": np.logical_or,
    "not_": np.logical_not,
}
INTEGER_ONLY: dict[str, Callable[..., object]] = {"floordiv": operator.floordiv, "mod": operator.mod}
ROUNDS = 8  # of laws at one op; each makes it simpler, so this is never reached


def fold_constants(function: Function) -> Function:
    return rewrite(function, _Folding(Counter(used(function.body)), pinned(function)).visit)


@dataclass
class _Folding:
    uses: Counter[Value]
    pinned: frozenset[Value]
    definitions: dict[Value, Op] = field(default_factory=dict)

    def visit(self, op: Op) -> Replacement | None:
        ops, names = self.folded(op)
        if any(v in self.pinned and x == index(1) for v, x in names.items()):
            ops, names = [op], {}
        for made in ops:
            self.definitions.update(dict.fromkeys(made.results, made))
        return ops, names

    def folded(self, op: Op) -> tuple[Iterable[Op], dict[Value, Operand]]:
        if op.primitive == "if":
            return _branch(op, self.definitions)
        if op.primitive == "check" and isinstance(op.operands[0], Const) and op.operands[0].value:
            return [], {}
        return self.expression(op)

    def expression(self, op: Op) -> tuple[list[Op], dict[Value, Operand]]:
        """A scalar op as a constant, another value, or simpler ops."""
        before: list[Op] = []
        for _ in range(ROUNDS):
            if (value := evaluated(op)) is not None:
                return before, {op.result: value}
            simpler = simplified(op, Known(self.definitions, self.uses))
            if simpler is None:
                break
            if not isinstance(simpler, Term):
                return before, {op.result: simpler}
            operands = tuple(self.built(x, op, before) for x in simpler.operands)
            op = replace(op, primitive=simpler.primitive, operands=operands, attributes={})
        return [*before, op], {}

    def built(self, part: Operand | Term, around: Op, before: list[Op]) -> Operand:
        """The value of a part of a term; its ops are appended to ``before``."""
        if not isinstance(part, Term):
            return part
        operands = tuple(self.built(x, around, before) for x in part.operands)
        (type_,) = infer(part.primitive, operands, (), {})
        ops, names = self.expression(Op(part.primitive, operands, (Value(type_),), (), {}, around.location))
        for made in ops:
            self.definitions.update(dict.fromkeys(made.results, made))
        before.extend(ops)
        return next(iter(names.values())) if names else ops[-1].result


def _branch(op: Op, definitions: dict[Value, Op]) -> tuple[Iterable[Op], dict[Value, Operand]]:
    """The side that is taken, in the place of the ``if``; a negated condition swaps the sides."""
    (condition,) = op.operands
    if isinstance(condition, Const):
        block = op.blocks[0 if condition.value else 1]
        return block.ops, dict(zip(op.results, block.yields, strict=True))
    made = definitions.get(condition)
    if made is not None and made.primitive == "not_" and made.operands[0].type == condition.type:
        return [replace(op, operands=made.operands, blocks=op.blocks[::-1])], {}
    return [op], {}


def evaluated(op: Op) -> Const | None:
    """The constant that an op of constants gives, if it is the same on every machine."""
    constants = [x for x in op.operands if isinstance(x, Const)]
    if len(constants) != len(op.operands) or len(op.results) != 1 or not constants:
        return None
    type_ = op.result.type
    if not isinstance(type_, Scalar):
        return None
    if op.primitive == "cast":
        return _converted(constants[0], type_)
    kind = constants[0].dtype.kind
    function = EVALUATE.get(op.primitive)
    if function is None and kind in "iu" and constants[-1].value:
        function = INTEGER_ONLY.get(op.primitive)
    if function is None or (kind in "iu" and not _is_small(constants)) or kind == "c":
        return None
    with np.errstate(all="ignore"):
        value = function(*(x.dtype.numpy.type(x.value) for x in constants))
    return constant(np.asarray(value).item(), type_.dtype)


def _is_small(constants: list[Const]) -> bool:
    """Integers whose sums, differences and products do not wrap around."""
    return all(x.dtype == I64 and abs(x.value) < 1 << 31 for x in constants)


def _converted(const: Const, type_: Scalar) -> Const | None:
    if const.dtype.kind == "c" or type_.dtype.kind == "c":
        return None
    if type_.dtype.kind in "iu" and not (math.isfinite(const.value) and abs(const.value) < 1 << 31):  # type: ignore[arg-type]  # real
        return None
    value = const.dtype.numpy.type(const.value).astype(type_.dtype.numpy)
    return constant(value.item(), type_.dtype)
