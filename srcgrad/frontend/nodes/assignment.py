"""Assignment: to names, tuples of targets, elements and slices; plain and augmented."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import NoReturn

from srcgrad.errors import ArgumentTypeError, UnsupportedError
from srcgrad.frontend.arrays import indexing, parts
from srcgrad.frontend.arrays.delayed import materialized, shape_of
from srcgrad.frontend.arrays.stores import keep_apart
from srcgrad.frontend.calls.dispatch import call, call_object, elements
from srcgrad.frontend.containers import growing
from srcgrad.frontend.containers.items import change, sequence_items
from srcgrad.frontend.containers.keyed import known_key, must_take_keys, takes_keys
from srcgrad.frontend.containers.list_state import will_hold
from srcgrad.frontend.containers.listed import in_memory
from srcgrad.frontend.containers.new_lists import detached
from srcgrad.frontend.control.iteration import as_counted
from srcgrad.frontend.control.merge import held, settle
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes import names
from srcgrad.frontend.nodes.attributes import assign_attribute, attribute
from srcgrad.frontend.nodes.effects import before_later_writes, may_write
from srcgrad.frontend.nodes.expressions import BINARY, apply_binary
from srcgrad.frontend.nodes.operators import kind_of
from srcgrad.frontend.nodes.special_methods import special
from srcgrad.frontend.nodes.subscripts import container_index, evaluate_key, static_slice, subscript
from srcgrad.frontend.numbers import scalars
from srcgrad.frontend.numbers.promotion import Number
from srcgrad.frontend.numbers.scalars import index_op
from srcgrad.frontend.refusals import raises
from srcgrad.frontend.registry import statement
from srcgrad.frontend.values import (
    ArrayValue,
    Bound,
    Counted,
    Delayed,
    FrontValue,
    GrowingList,
    Part,
    ScalarValue,
    SliceValue,
    Static,
    TupleValue,
    is_array,
    is_counted,
    is_list,
    is_number,
)
from srcgrad.ir.build import Builder
from srcgrad.ir.core import Operand, index


@statement(ast.Assign)
def _assign(lowering: Lowering, node: ast.Assign) -> None:
    value = before_later_writes(lowering, lowering.evaluate_any(node.value), node.targets)
    if _permutes(node):
        value = detached(lowering, value)
    if _stays_delayed(lowering, node, value):
        names.store(lowering, node.targets[0].id, value)  # type: ignore[attr-defined]  # the single target is a name
        return
    if len(node.targets) > 1:  # one array for all of them
        value = settle(lowering, value)
    for target in node.targets:
        assign(lowering, target, value)


def _permutes(node: ast.Assign) -> bool:
    """Whether places exchange what is in them: ``a[i], a[j] = a[j], a[i]``."""
    target = node.targets[0]
    if not isinstance(target, ast.Tuple) or not isinstance(node.value, ast.Tuple) or len(node.targets) > 1:
        return False
    places, items = (sorted(map(ast.unparse, part.elts)) for part in (target, node.value))
    return places == items and all(isinstance(e, ast.Subscript) for e in target.elts)


def _stays_delayed(lowering: Lowering, node: ast.Assign, value: FrontValue) -> bool:
    """Whether a variable can hold an array expression: it is read once, before anything is written."""
    until = lowering.scope.single_uses.get(node)
    return isinstance(value, Delayed) and until is not None and not any(may_write(lowering, s) for s in until)


@statement(ast.AnnAssign)
def _annotated(lowering: Lowering, node: ast.AnnAssign) -> None:
    if node.value is not None:
        assign(lowering, node.target, lowering.evaluate_any(node.value))


def assign(lowering: Lowering, target: ast.expr, value: FrontValue) -> None:
    """Bind or store a value."""
    match target:
        case ast.Name():
            names.store(lowering, target.id, named(lowering, value, target.id))
        case ast.Tuple() | ast.List():
            unpack(lowering, target.elts, lowering.given(value))
        case ast.Subscript():
            with lowering.at(target):
                _store(lowering, target, value)
        case ast.Attribute() if (part := _part(lowering, target)) is not None:
            with lowering.at(target):
                parts.write(lowering.builder, part, (Static(Ellipsis),), value)
        case ast.Attribute(value=owner, attr=name):
            with lowering.at(target):
                will_hold(lowering, value)
                assign_attribute(lowering, lowering.evaluate(owner), name, named(lowering, value, name))
        case _:
            raise AssertionError(f"no target of an assignment: {ast.dump(target)}")


def _part(lowering: Lowering, target: ast.Attribute) -> Part | None:
    """The real or imaginary parts of an array that are assigned to."""
    if target.attr not in ("real", "imag"):
        return None
    value = lowering.evaluate(target)
    return value.part if isinstance(value, Delayed) else None


def named(lowering: Lowering, value: FrontValue, name: str) -> FrontValue:
    """A value as a variable holds it: with memory, and with the variable's name if it is new."""
    if isinstance(value, Delayed):
        return keep_apart(lowering.builder, materialized(lowering.builder, value, name))
    return lowering.name(held(lowering, value), name)


def unpack(lowering: Lowering, targets: Sequence[ast.expr], value: FrontValue) -> None:
    """``a, (b, *c) = value``: all of the value is evaluated before anything is stored."""
    if any(isinstance(n, ast.Subscript) for target in targets for n in ast.walk(target)):
        value = settle(lowering, value)
    starred = [k for k, t in enumerate(targets) if isinstance(t, ast.Starred)]
    if starred and is_counted(value):
        parts = _with_rest(lowering, as_counted(lowering, value), starred[0], len(targets) - starred[0] - 1)
        for target, item in zip(targets, parts, strict=True):
            assign(lowering, target.value if isinstance(target, ast.Starred) else target, item)
        return
    items = _items(lowering, len(targets), value, bool(starred))
    if starred:
        first, behind = starred[0], len(targets) - starred[0] - 1
        rest = items[first : len(items) - behind]
        gathered = TupleValue(tuple(rest), list, home=lowering.builder.ops)
        items = (*items[:first], gathered, *items[len(items) - behind :])
    if len(items) != len(targets):
        few = "not enough" if len(items) < len(targets) else "too many"
        message = f"{few} values to unpack: expected {len(targets)}, got {len(items)}"
        lowering.refuse(None, message, error=ArgumentTypeError)
    for target, item in zip(targets, items, strict=True):
        assign(lowering, target.value if isinstance(target, ast.Starred) else target, item)


def _items(lowering: Lowering, count: int, value: FrontValue, starred: bool) -> tuple[FrontValue, ...]:
    """The items of what is unpacked; an array or a list of run-time length must turn out to have as many."""
    if is_counted(value) and not is_array(value) and not starred:
        source = as_counted(lowering, value)
        _require_count(lowering, source.length, count)
        return tuple(source.item(index(k)) for k in range(count))
    if not isinstance(value, ArrayValue | Delayed) or starred or value.rank == 0:
        items = sequence_items(lowering, value)
        if starred and len(items) < count - 1:
            message = f"not enough values to unpack: expected at least {count - 1}, got {len(items)}"
            lowering.refuse(None, message, error=ArgumentTypeError)
        return items
    builder = lowering.builder
    array = materialized(builder, value)
    _require_count(lowering, shape_of(builder, array)[0], count)
    return tuple(indexing.read(builder, array, (Static(k),)) for k in range(count))


def _with_rest(lowering: Lowering, source: Counted, before: int, behind: int) -> list[FrontValue]:
    """The first items and the last, and a list of those between them."""
    builder = lowering.builder
    fixed = index(before + behind)
    enough = builder("ge", source.length, fixed)
    message = f"not enough values to unpack: expected at least {before + behind}"
    builder.emit("check", enough, exception="ValueError", message=message)
    rest = index_op(builder, "sub", source.length, fixed)
    first = [source.item(index(k)) for k in range(before)]
    between = Counted(rest, lambda k: source.item(index_op(builder, "add", k, index(before))))
    last = [source.item(index_op(builder, "add", rest, index(before + k))) for k in range(behind)]
    return [*first, in_memory(lowering, between, growing.place(lowering, "rest")), *last]


def _require_count(lowering: Lowering, length: Operand, count: int) -> None:
    fits = lowering.builder("eq", length, index(count))
    lowering.builder.emit("check", fits, exception="ValueError", message=f"expected {count} values to unpack")


def _store(lowering: Lowering, target: ast.Subscript, value: FrontValue) -> None:
    """``container[key] = value``."""
    container = lowering.evaluate(target.value)
    method = special(lowering, container, "__setitem__")
    if method is not None:
        call(lowering, method, [lowering.evaluate(target.slice), value], {})
        return
    if not isinstance(container, TupleValue):  # an object of Python's takes None as any other value
        value = lowering.given(value)
    _put(lowering, container, evaluate_key(lowering, target.slice), value)


def _put(lowering: Lowering, container: FrontValue, key: tuple[FrontValue, ...], value: FrontValue) -> None:
    if not isinstance(container, GrowingList):
        will_hold(lowering, value)
    if isinstance(container, ArrayValue):
        indexing.write(lowering.builder, container, key, elements(lowering, value))
    elif isinstance(container, Delayed) and container.part is not None:
        parts.write(lowering.builder, container.part, key, elements(lowering, value))
    elif isinstance(container, GrowingList) and len(key) == 1:
        growing.write(lowering, container, key[0], value)
    elif isinstance(container, Counted) and container.origin is not None:
        raise growing.must_hold(lowering, container, value)
    elif isinstance(container, TupleValue) and container.cls is dict:
        _store_entry(lowering, container, key, settle(lowering, value))
    elif isinstance(container, TupleValue) and container.cls is list:
        _store_item(lowering, container, key, settle(lowering, value))
    else:
        _refuse_assignment(lowering, container)


def _refuse_assignment(lowering: Lowering, container: FrontValue) -> NoReturn:
    refused = lowering.error(None, f"{kind_of(container)} does not take item assignment", error=ArgumentTypeError)
    if isinstance(container, ScalarValue | Static) and is_number(container):
        # Not of an argument made an array without axes (`np.asarray(x)`): that takes it.
        computed = isinstance(container, Static) or lowering.builder.definition(container.operand) is not None
        if computed or (isinstance(container, ScalarValue) and container.weak):
            raises(refused, TypeError)
    raise refused


def _store_item(lowering: Lowering, container: TupleValue, key: tuple[FrontValue, ...], value: FrontValue) -> None:
    """``list[key] = value``; a list changed on some paths only, or at a place known at run time, is held in memory."""
    if len(key) == 1 and isinstance(key[0], SliceValue):
        items = list(container.items)
        items[static_slice(lowering, key[0])] = sequence_items(lowering, value)
        change(lowering, container, tuple(items))
        return
    elsewhere = container.home is not lowering.builder.ops and container.origin is not None
    known = all(isinstance(k, Static) for k in key)
    if (elsewhere and all(map(is_number, (*container.items, value)))) or (container.origin is not None and not known):
        raise growing.must_grow(lowering, container.origin, (*container.items, value))
    position = container_index(lowering, container, key)
    change(lowering, container, (*container.items[:position], value, *container.items[position + 1 :]))


def _store_entry(lowering: Lowering, container: TupleValue, key: tuple[FrontValue, ...], value: FrontValue) -> None:
    known = known_key(key[0] if len(key) == 1 else TupleValue(key))
    elsewhere = container.home is not lowering.builder.ops and takes_keys(container)
    if not isinstance(known, Static) or (elsewhere and known.value not in container.keys and _is_of_numbers(known)):
        raise must_take_keys(lowering, container)
    entries = dict(zip(container.keys, container.items, strict=True)) | {known.value: value}
    change(lowering, container, tuple(entries.values()), tuple(entries))


def _is_of_numbers(key: Static) -> bool:
    parts = key.value if isinstance(key.value, tuple) else (key.value,)
    return all(isinstance(part, int | float) for part in parts)


@statement(ast.AugAssign)
def _augmented(lowering: Lowering, node: ast.AugAssign) -> None:
    match node.target:
        case ast.Name(id=name):
            _augment_name(lowering, node, name)
        case ast.Subscript():
            _augment_item(lowering, node, node.target)
        case ast.Attribute() if (part := _part(lowering, node.target)) is not None:
            value = lowering.evaluate(node.value)
            parts.augment(lowering.builder, part, (Static(Ellipsis),), value, _operation(lowering, type(node.op)))
        case ast.Attribute(value=owner, attr=name):
            _augment_attribute(lowering, node, lowering.evaluate(owner), name)


def _augment_name(lowering: Lowering, node: ast.AugAssign, name: str) -> None:
    old = lowering.given(names.load(lowering, name))
    value = lowering.evaluate(node.value)
    if not _changed_in_place(lowering, type(node.op), old, value):
        names.store(lowering, name, named(lowering, apply_binary(lowering, type(node.op), old, value), name))


def _augment_attribute(lowering: Lowering, node: ast.AugAssign, owner: FrontValue, name: str) -> None:
    """``owner.name op= value``."""
    old = attribute(lowering, owner, name)
    value = lowering.evaluate(node.value)
    if isinstance(old, ArrayValue) and not isinstance(node.op, ast.MatMult):
        _augment_array(lowering, type(node.op), old, (Static(Ellipsis),), value)
        return
    new = named(lowering, apply_binary(lowering, type(node.op), old, value), name)
    assign_attribute(lowering, owner, name, new)


def _augment_item(lowering: Lowering, node: ast.AugAssign, target: ast.Subscript) -> None:
    """``container[key] op= value``. Python reads an element before it evaluates the right side."""
    container = lowering.evaluate(target.value)
    get, put = special(lowering, container, "__getitem__"), special(lowering, container, "__setitem__")
    if get is not None and put is not None:
        _augment_by_methods(lowering, node, get, put, lowering.evaluate(target.slice))
        return
    key = evaluate_key(lowering, target.slice)
    if isinstance(container, Delayed) and container.part is not None and not may_write(lowering, node.value):
        value = lowering.evaluate(node.value)
        parts.augment(lowering.builder, container.part, key, value, _operation(lowering, type(node.op)))
        return
    whole_element = isinstance(container, ArrayValue) and len(key) == container.rank and all(map(is_number, key))
    if isinstance(container, ArrayValue) and not (whole_element and may_write(lowering, node.value)):
        value = lowering.evaluate(node.value)
        _augment_array(lowering, type(node.op), container, key, value)
        return
    if isinstance(container, TupleValue) and not container.mutable:
        _refuse_assignment(lowering, container)
    old = subscript(lowering, container, key)
    value = lowering.evaluate(node.value)
    if isinstance(container, ArrayValue) or not _changed_in_place(lowering, type(node.op), old, value):
        _put(lowering, container, key, apply_binary(lowering, type(node.op), old, value))


def _augment_by_methods(lowering: Lowering, node: ast.AugAssign, get: Bound, put: Bound, key: FrontValue) -> None:
    """The same of an object whose class has methods for it."""
    old = call(lowering, get, [key], {})
    value = lowering.evaluate(node.value)
    if not _changed_in_place(lowering, type(node.op), old, value):
        call(lowering, put, [key, apply_binary(lowering, type(node.op), old, value)], {})


def _changed_in_place(lowering: Lowering, op: type[ast.operator], old: FrontValue, value: FrontValue) -> bool:
    """Whether ``op=`` changes what is there, an array or a list, and does not make a new value; it is done then."""
    if isinstance(old, ArrayValue) and op is not ast.MatMult:
        _augment_array(lowering, op, old, (Static(Ellipsis),), value)
        return True
    is_extended = is_list(old) or (isinstance(old, TupleValue) and old.cls is list)
    if op is ast.Add and is_extended and not is_array(value):  # NumPy adds to each item
        call_object(lowering, list.extend, [old, value], {})
        return True
    return False


def _augment_array(
    lowering: Lowering, op: type[ast.operator], array: ArrayValue, key: tuple[FrontValue, ...], value: FrontValue
) -> None:
    operation = _operation(lowering, op)
    indexing.augment(lowering.builder, BINARY[op], array, key, elements(lowering, value), operation)


def _operation(lowering: Lowering, op: type[ast.operator]) -> Callable[[Builder, Number, Number], Number]:
    """The operator on elements."""
    if op is ast.MatMult:
        lowering.refuse(None, "@= on an array", "Write a = a @ b.", UnsupportedError)
    return lambda builder, a, b: scalars.binary(builder, BINARY[op], a, b)
