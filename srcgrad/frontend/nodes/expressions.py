"""Expressions: a handler for each kind of node, in the order of the language reference."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from srcgrad.errors import ArgumentTypeError, UnsupportedSyntaxError
from srcgrad.frontend.calls.dispatch import call, call_object, elements, matmul
from srcgrad.frontend.containers import growing, keyed
from srcgrad.frontend.containers.items import sequence_items
from srcgrad.frontend.control.branches import branch
from srcgrad.frontend.control.logic import condition, logical
from srcgrad.frontend.control.merge import held, refuse_iterator, settle
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes import names
from srcgrad.frontend.nodes.comparisons import compare
from srcgrad.frontend.nodes.effects import before_later_writes
from srcgrad.frontend.nodes.messages import made_of_values
from srcgrad.frontend.nodes.operators import binary, unary
from srcgrad.frontend.nodes.special_methods import by_method, special
from srcgrad.frontend.registry import expression
from srcgrad.frontend.values import (
    Closure,
    FrontValue,
    ScalarValue,
    SliceValue,
    Static,
    TupleValue,
    is_array,
    is_list,
    is_number,
)

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.BitAnd: "bit_and",
    ast.BitOr: "bit_or",
    ast.BitXor: "bit_xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.MatMult: "matmul",
}


@expression(ast.Constant)
def _constant(lowering: Lowering, node: ast.Constant) -> FrontValue:
    if isinstance(node.value, int) and not -(2**63) <= node.value < 2**63:
        lowering.refuse(node, f"{node.value} does not fit in 64 bits", "Write it as a float.", ArgumentTypeError)
    return Static(node.value)


@expression(ast.Name)
def _name(lowering: Lowering, node: ast.Name) -> FrontValue:
    return names.load(lowering, node.id)


@expression(ast.Tuple)
def _tuple(lowering: Lowering, node: ast.Tuple) -> FrontValue:
    return TupleValue(evaluate_items(lowering, node.elts), tuple)


@expression(ast.List)
def _list(lowering: Lowering, node: ast.List) -> FrontValue:
    items = evaluate_items(lowering, node.elts)
    for item in items:
        refuse_iterator(lowering, item)
    return growing.new_list(lowering, (lowering.path, id(node)), items)


def evaluate_items(
    lowering: Lowering, nodes: Sequence[ast.expr], later: Sequence[ast.expr] = ()
) -> tuple[FrontValue, ...]:
    """The items of a display or the arguments of a call, starred ones unpacked; ``later`` is evaluated after."""
    items: list[FrontValue] = []
    for k, node in enumerate(nodes):
        inner = node.value if isinstance(node, ast.Starred) else node
        value = before_later_writes(lowering, lowering.evaluate_any(inner), [*nodes[k + 1 :], *later])
        items += sequence_items(lowering, lowering.given(value)) if isinstance(node, ast.Starred) else [value]
    return tuple(items)


@expression(ast.Dict)
def _dict(lowering: Lowering, node: ast.Dict) -> FrontValue:
    entries: list[tuple[FrontValue, FrontValue]] = []
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        value = settle(lowering, lowering.evaluate_any(value_node))
        if key_node is None:
            value = lowering.given(value)
            if not (isinstance(value, TupleValue) and value.cls is dict):
                lowering.refuse(value_node, "** takes a dict here", error=ArgumentTypeError)
            entries += zip(map(Static, value.keys), value.items, strict=True)
            continue
        entries.append((keyed.known_key(lowering.evaluate(key_node)), value))
    return keyed.new_dict(lowering, (lowering.path, id(node)), entries)


@expression(ast.Set)
def _set(lowering: Lowering, node: ast.Set) -> FrontValue:
    return keyed.new_set(lowering, evaluate_items(lowering, node.elts))


@expression(ast.NamedExpr)
def _named(lowering: Lowering, node: ast.NamedExpr) -> FrontValue:
    assert isinstance(node.target, ast.Name)
    value = lowering.name(held(lowering, lowering.evaluate_any(node.value)), node.target.id)
    names.store(lowering, node.target.id, value)
    return value


@expression(ast.BinOp)
def _binary(lowering: Lowering, node: ast.BinOp) -> FrontValue:
    a = before_later_writes(lowering, lowering.evaluate(node.left), [node.right])
    b = lowering.evaluate(node.right)
    return apply_binary(lowering, type(node.op), a, b)


def apply_binary(lowering: Lowering, op: type[ast.operator], a: FrontValue, b: FrontValue) -> FrontValue:
    found = by_method(lowering, BINARY[op], a, b)
    if found is not None:
        return found
    if is_array(a) or is_array(b):
        a, b = elements(lowering, a), elements(lowering, b)
    if op is ast.MatMult:
        return matmul(lowering, a, b)
    if op is ast.Mod and isinstance(a, Static) and isinstance(a.value, str):
        known = [v.value for v in (b.items if isinstance(b, TupleValue) else (b,)) if isinstance(v, Static)]
        if len(known) < (len(b.items) if isinstance(b, TupleValue) else 1):
            lowering.refuse(None, "a string made from run-time values", "Use text that is known at compile time.")
        return Static(a.value % tuple(known))
    if op is ast.Add and (is_list(a) or is_list(b)):
        return call_object(lowering, list.__add__, [a, b], {})
    if op is ast.Mult:
        for whole, times in ((a, b), (b, a)):
            if is_number(times) and (is_list(whole) or (_is_display(whole) and isinstance(times, ScalarValue))):
                return call_object(lowering, list.__mul__, [whole, times], {})
    result = binary(lowering, BINARY[op], a, b)
    if isinstance(result, TupleValue) and result.cls is list:
        return growing.new_list(lowering, growing.place(lowering, "list"), result.items)
    return result


def _is_display(value: FrontValue) -> bool:
    return isinstance(value, TupleValue) and value.cls is list


@expression(ast.UnaryOp)
def _unary(lowering: Lowering, node: ast.UnaryOp) -> FrontValue:
    match node.op:
        case ast.Not():
            return condition(lowering, node)
        case ast.USub():
            value = lowering.evaluate(node.operand)
            method = special(lowering, value, "__neg__")
            return unary(lowering, "neg", value) if method is None else call(lowering, method, [], {})
        case ast.Invert():
            return unary(lowering, "invert", lowering.evaluate(node.operand))
    value = lowering.evaluate(node.operand)
    if isinstance(value, Static) and isinstance(value.value, bool):
        return Static(+value.value)
    return value


@expression(ast.BoolOp)
def _logical(lowering: Lowering, node: ast.BoolOp) -> FrontValue:
    return logical(lowering, isinstance(node.op, ast.And), node.values, as_truth=False)


@expression(ast.Compare)
def _compare(lowering: Lowering, node: ast.Compare) -> FrontValue:
    return compare(lowering, node)


@expression(ast.IfExp)
def _conditional(lowering: Lowering, node: ast.IfExp) -> FrontValue:
    test = condition(lowering, node.test)
    return branch(lowering, test, lambda: lowering.evaluate_any(node.body), lambda: lowering.evaluate_any(node.orelse))


@expression(ast.Lambda)
def _lambda(lowering: Lowering, node: ast.Lambda) -> FrontValue:
    return closure(lowering, node)


def closure(lowering: Lowering, node: ast.Lambda | ast.FunctionDef) -> Closure:
    """A nested function; its defaults are evaluated now."""
    a = node.args
    positional = [*a.posonlyargs, *a.args]
    pairs = list(zip(positional[len(positional) - len(a.defaults) :], a.defaults, strict=True))
    pairs += [(arg, d) for arg, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None]
    defaults = {arg.arg: held(lowering, lowering.evaluate(default)) for arg, default in pairs}
    return Closure(node, lowering.scope, defaults)


@expression(ast.Slice)
def _slice(lowering: Lowering, node: ast.Slice) -> FrontValue:
    parts = [Static(None) if x is None else lowering.evaluate(x) for x in (node.lower, node.upper, node.step)]
    for part, x in zip(parts, (node.lower, node.upper, node.step), strict=True):
        if not is_number(part) and not (isinstance(part, Static) and part.value is None):
            lowering.refuse(x, "a slice takes integers or nothing", error=ArgumentTypeError)
    return SliceValue(parts[0], parts[1], parts[2])


@expression(ast.JoinedStr)
def _formatted(lowering: Lowering, node: ast.JoinedStr) -> FrontValue:
    return made_of_values(lowering, node)


@expression(ast.Starred)
def _starred(lowering: Lowering, node: ast.Starred) -> FrontValue:
    lowering.refuse(node, "a starred expression here", "Unpack it in a tuple or a call.", UnsupportedSyntaxError)
