"""Comparisons: chains, identity and membership."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.calls.dispatch import call, call_object, elements
from srcgrad.frontend.containers.items import sequence_items
from srcgrad.frontend.containers.keyed import known_key
from srcgrad.frontend.control.iteration import as_counted
from srcgrad.frontend.control.logic import short_circuit
from srcgrad.frontend.control.options import for_each_option, with_and_without
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.effects import before_later_writes
from srcgrad.frontend.nodes.operators import binary, invert, logical_and, logical_or
from srcgrad.frontend.nodes.special_methods import by_method, special
from srcgrad.frontend.values import (
    ArrayValue,
    Closure,
    Counted,
    FrontValue,
    MaybeNone,
    OneOf,
    ScalarValue,
    Static,
    TupleValue,
    is_array,
    is_counted,
)
from srcgrad.ir.types import BOOL

ORDER: dict[type[ast.cmpop], str] = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}
NEGATED: dict[type[ast.cmpop], bool] = {ast.Is: False, ast.Eq: False, ast.IsNot: True, ast.NotEq: True}


def compare(lowering: Lowering, node: ast.Compare) -> FrontValue:
    """``a < b < c``: each operand evaluated once, and only as far as Python does."""
    left = before_later_writes(lowering, lowering.evaluate_any(node.left), node.comparators)
    return _chain(lowering, left, node.ops, node.comparators)


def _chain(lowering: Lowering, left: FrontValue, ops: Sequence[ast.cmpop], nodes: Sequence[ast.expr]) -> FrontValue:
    right = lowering.evaluate_any(nodes[0])
    first = compare_two(lowering, ops[0], left, right)
    if len(ops) == 1:
        return first
    return short_circuit(lowering, True, first, lambda: _chain(lowering, right, ops[1:], nodes[1:]))


def compare_two(lowering: Lowering, op: ast.cmpop, a: FrontValue, b: FrontValue) -> FrontValue:
    if isinstance(a, MaybeNone) and isinstance(b, Static) and b.value is None and type(op) in NEGATED:
        some = ScalarValue(a.given)
        return some if NEGATED[type(op)] else invert(lowering, some)
    if isinstance(op, ast.Is | ast.IsNot | ast.Eq | ast.NotEq | ast.In | ast.NotIn) and isinstance(a, MaybeNone):
        return with_and_without(lowering, a, lambda one: compare_two(lowering, op, one, b))
    if isinstance(op, ast.Is | ast.IsNot | ast.Eq | ast.NotEq) and isinstance(b, MaybeNone):
        return with_and_without(lowering, b, lambda one: compare_two(lowering, op, a, one))
    a, b = lowering.given(a), lowering.given(b)
    if isinstance(a, OneOf):
        return for_each_option(lowering, a, lambda option: compare_two(lowering, op, option, b))
    if isinstance(b, OneOf):
        return for_each_option(lowering, b, lambda option: compare_two(lowering, op, a, option))
    if isinstance(op, ast.Is | ast.IsNot) and (_is_python_truth(a, b) or _is_python_truth(b, a)):
        return binary(lowering, "eq" if isinstance(op, ast.Is) else "ne", a, b)
    match op:
        case ast.Is():
            return Static(_identical(lowering, a, b))
        case ast.IsNot():
            return Static(not _identical(lowering, a, b))
        case ast.In():
            return _member(lowering, a, b)
        case ast.NotIn():
            return invert(lowering, _member(lowering, a, b))
    found = by_method(lowering, ORDER[type(op)], a, b)
    if found is not None:
        return found
    if is_array(a) or is_array(b):
        a, b = elements(lowering, a), elements(lowering, b)
    if isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) and isinstance(a, TupleValue) and isinstance(b, TupleValue):
        return _by_items(lowering, op, a, b)
    return binary(lowering, ORDER[type(op)], a, b)


def _by_items(lowering: Lowering, op: ast.cmpop, a: TupleValue, b: TupleValue) -> FrontValue:
    """Two sequences in the order of the first items that differ; a sequence comes before those it begins."""
    if a.cls is not b.cls or a.keys or a.cls not in (tuple, list):
        binary(lowering, ORDER[type(op)], a, b)  # which is refused
    strict = ast.Lt() if isinstance(op, ast.Lt | ast.LtE) else ast.Gt()
    known = {"lt": len(a.items) < len(b.items), "le": len(a.items) <= len(b.items)}
    known |= {"gt": len(a.items) > len(b.items), "ge": len(a.items) >= len(b.items)}
    found: FrontValue = Static(known[ORDER[type(op)]])
    for x, y in reversed(list(zip(a.items, b.items, strict=False))):
        same = compare_two(lowering, ast.Eq(), x, y)
        found = logical_or(lowering, compare_two(lowering, strict, x, y), logical_and(lowering, same, found))
    return found


def _is_python_truth(a: FrontValue, b: FrontValue) -> bool:
    """Whether a truth of Python's, of which there are two objects, is compared with one of them."""
    is_truth = isinstance(a, ScalarValue) and a.weak and a.dtype == BOOL
    return is_truth and isinstance(b, Static) and isinstance(b.value, bool)


def _identical(lowering: Lowering, a: FrontValue, b: FrontValue) -> bool:
    if isinstance(a, Static) and isinstance(b, Static):
        return a.value is b.value
    if isinstance(a, Static) or isinstance(b, Static):
        known = a if isinstance(a, Static) else b
        assert isinstance(known, Static)
        if known.value is None or isinstance(known.value, str | type):
            return False
        other = b if known is a else a
        if isinstance(known.value, bool) and isinstance(other, ScalarValue) and bool not in other.classes:
            return False  # no number but a truth of Python's is one of these two objects
    if isinstance(a, ArrayValue) and isinstance(b, ArrayValue) and a.ref is b.ref:
        return True
    if isinstance(a, TupleValue | Closure) or isinstance(b, TupleValue | Closure):
        return a is b
    if {type(a), type(b)} == {ScalarValue, ArrayValue}:
        return False
    lowering.refuse(None, "identity of run-time values", "Compare with ==.")


def _member(lowering: Lowering, a: FrontValue, b: FrontValue) -> FrontValue:
    method = special(lowering, b, "__contains__")
    if method is not None:
        return call(lowering, method, [a], {})
    if isinstance(a, Static) and isinstance(b, Static):
        try:
            return Static(a.value in b.value)  # type: ignore[operator]  # a TypeError is refused below
        except TypeError:
            lowering.refuse(None, f"`in` {type(b.value).__name__}", error=ArgumentTypeError)
    if isinstance(b, Static) and isinstance(b.value, frozenset):
        return _among(lowering, a, [Static(v) for v in b.value if isinstance(v, bool | int | float | complex)])
    if isinstance(b, TupleValue) and b.cls is dict:
        key = known_key(a)
        if isinstance(key, Static):
            return Static(key.value in b.keys)
        return _among(lowering, key, [Static(k) for k in b.keys])
    if is_counted(b) and not is_array(b):
        items = as_counted(lowering, b)
        found = Counted(items.length, lambda k: binary(lowering, "eq", a, items.item(k)))
        return call_object(lowering, any, [found], {})
    return _among(lowering, a, sequence_items(lowering, b))


def _among(lowering: Lowering, a: FrontValue, items: Sequence[FrontValue]) -> FrontValue:
    if not items:
        return Static(False)
    first = binary(lowering, "eq", a, items[0])
    if len(items) == 1:
        return first
    return short_circuit(lowering, False, first, lambda: _among(lowering, a, items[1:]))
