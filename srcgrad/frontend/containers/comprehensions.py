"""Comprehensions: unrolled where the length is known, else counted; their targets are variables of their own."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.containers.items import known_set, sequence_items
from srcgrad.frontend.control.carried import LoopVariables
from srcgrad.frontend.control.iteration import as_counted
from srcgrad.frontend.control.logic import condition
from srcgrad.frontend.control.loops import counted
from srcgrad.frontend.control.merge import settle
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.assignment import assign
from srcgrad.frontend.numbers.promotion import as_scalar, converted
from srcgrad.frontend.registry import expression
from srcgrad.frontend.scope import Scope
from srcgrad.frontend.syntax.bindings import assigned
from srcgrad.frontend.values import (
    Counted,
    FrontValue,
    ScalarValue,
    SinglePass,
    Static,
    TupleValue,
    is_array,
    is_number,
)
from srcgrad.ir.core import Const, Operand, Value, index
from srcgrad.ir.types import INDEX

NOTHING: frozenset[str] = frozenset()


@expression(ast.ListComp)
def _list(lowering: Lowering, node: ast.ListComp) -> FrontValue:
    value = lowered(lowering, node.generators, [node.elt], lambda: lowering.evaluate(node.elt))
    if isinstance(value, Counted):
        return in_memory(lowering, value)
    return TupleValue(value, list, home=lowering.builder.ops)


@expression(ast.SetComp)
def _set(lowering: Lowering, node: ast.SetComp) -> FrontValue:
    value = lowered(lowering, node.generators, [node.elt], lambda: lowering.evaluate(node.elt))
    if isinstance(value, Counted):
        lowering.refuse(node, "a set of a length not known at compile time", "Use an array.", UnsupportedError)
    return known_set(lowering, value)


@expression(ast.GeneratorExp)
def _generator(lowering: Lowering, node: ast.GeneratorExp) -> FrontValue:
    """Evaluated by what it is given to, which is always at once: ``sum``, ``any``, ``tuple``."""
    value = lowered(lowering, node.generators, [node.elt], lambda: lowering.evaluate(node.elt))
    return Counted(value.length, value.item, once=True) if isinstance(value, Counted) else TupleValue(value, SinglePass)


@expression(ast.DictComp)
def _dict(lowering: Lowering, node: ast.DictComp) -> FrontValue:
    def entry() -> FrontValue:
        return TupleValue((lowering.evaluate(node.key), lowering.evaluate(node.value)), tuple)

    value = lowered(lowering, node.generators, [node.key, node.value], entry)
    if isinstance(value, Counted):
        lowering.refuse(node, "a dict of a length not known at compile time", "Use an array.", UnsupportedError)
    entries: dict[object, FrontValue] = {}
    for pair in value:
        assert isinstance(pair, TupleValue)
        key = pair.items[0]
        if not isinstance(key, Static):
            lowering.refuse(node.key, "a dict key that is not known at compile time", "Use strings or literals.")
        entries[key.value] = pair.items[1]
    return TupleValue(tuple(entries.values()), dict, tuple(entries), lowering.builder.ops)


def lowered(
    lowering: Lowering,
    generators: Sequence[ast.comprehension],
    elements: Sequence[ast.expr],
    element: Callable[[], FrontValue],
) -> Counted | tuple[FrontValue, ...]:
    """The items, or how to make each."""
    first, *inner = generators
    source = lowering.evaluate(first.iter)
    around = lowering.scope
    names = assigned([g.target for g in generators])

    def fresh() -> Scope:
        inner = Scope(around.file, around.function_name, around.module, around.cells, around, names)
        inner.of_comprehension = True
        return inner

    if is_array(source) or (isinstance(source, Counted) and not isinstance(source.length, Const)):
        inside = [first.target, *first.ifs, *elements]
        if any(isinstance(n, ast.NamedExpr) for part in inside for n in ast.walk(part)):
            lowering.refuse(first.target, "an assignment in a comprehension of run-time length", "Write a loop.")
        if first.ifs or inner:
            hint = "Write a loop that fills an array."
            lowering.refuse(first.target, "a comprehension whose length depends on run-time values", hint)
        items = as_counted(lowering, source)

        def item(k: Operand) -> FrontValue:
            with lowering.within(fresh()):
                assign(lowering, first.target, items.item(k))
                return settle(lowering, element())

        return Counted(items.length, item)
    with lowering.within(fresh()):
        return tuple(unrolled(lowering, first, inner, sequence_items(lowering, source), element))


def unrolled(
    lowering: Lowering,
    first: ast.comprehension,
    inner: Sequence[ast.comprehension],
    items: Sequence[FrontValue],
    element: Callable[[], FrontValue],
) -> list[FrontValue]:
    found: list[FrontValue] = []
    for item in items:
        assign(lowering, first.target, item)
        tests = [condition(lowering, test) for test in first.ifs]
        if any(not isinstance(t, Static) for t in tests):
            hint = "Write a loop, with the condition inside."
            lowering.refuse(first.ifs[0], "a comprehension whose length depends on run-time values", hint)
        if not all(isinstance(t, Static) and t.value for t in tests):
            continue
        if inner:
            source = sequence_items(lowering, lowering.evaluate(inner[0].iter))
            found += unrolled(lowering, inner[0], inner[1:], source, element)
        else:
            found.append(settle(lowering, element()))
    return found


def in_memory(lowering: Lowering, value: Counted) -> Counted:
    """A list of numbers of run-time length, evaluated now, as Python does."""
    builder, before = lowering.builder, lowering.variables()
    with lowering.block():  # once, to find out what an item is
        sample = value.item(index(0))
    lowering.rebind(before)
    if not isinstance(sample, ScalarValue | Static) or not is_number(sample):
        hint = "Write a loop that fills an array."
        lowering.refuse(None, "a list of run-time length of anything but numbers", hint, UnsupportedError)
    number = as_scalar(sample)
    memory = builder("alloc", value.length, dtype=number.dtype, fill="empty")

    def fill(k: Operand) -> None:
        item = value.item(k)
        assert isinstance(item, ScalarValue | Static)
        builder.emit("store", memory, k, converted(builder, item, number.dtype))

    key = (lowering.path, builder.location, "list")
    counted(
        lowering, LoopVariables(NOTHING, NOTHING, NOTHING, False, False, key), value.length, Value(INDEX, "i"), fill
    )
    return Counted(value.length, lambda k: ScalarValue(builder("load", memory, k), number.weak), memory=memory)
