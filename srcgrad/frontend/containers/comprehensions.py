"""Comprehensions: unrolled where the length is known, else counted; their targets are variables of their own."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from srcgrad.frontend.calls.dispatch import call
from srcgrad.frontend.containers.growing import new_list, place
from srcgrad.frontend.containers.items import sequence_items
from srcgrad.frontend.containers.keyed import filled, known_key, new_dict, new_set, set_of
from srcgrad.frontend.containers.listed import in_memory
from srcgrad.frontend.control.branches import branch
from srcgrad.frontend.control.consuming import each
from srcgrad.frontend.control.iteration import as_counted, has_known_length
from srcgrad.frontend.control.logic import condition
from srcgrad.frontend.control.merge import settle
from srcgrad.frontend.control.yielding import collected
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.assignment import assign
from srcgrad.frontend.nodes.special_methods import iterated, special
from srcgrad.frontend.registry import expression
from srcgrad.frontend.scope import Scope
from srcgrad.frontend.syntax.bindings import assigned
from srcgrad.frontend.values import (
    Counted,
    FrontValue,
    GrowingList,
    SinglePass,
    Static,
    TupleValue,
    Yielding,
    is_counted,
)
from srcgrad.ir.core import Const, Operand


@expression(ast.ListComp)
def _list(lowering: Lowering, node: ast.ListComp) -> FrontValue:
    value = lowered(lowering, node.generators, [node.elt], lambda: lowering.evaluate(node.elt))
    if isinstance(value, Counted):
        return in_memory(lowering, value, place(lowering, "list"))
    if isinstance(value, Yielding):
        return collected(lowering, value)
    return new_list(lowering, place(lowering, "list"), value)


@expression(ast.SetComp)
def _set(lowering: Lowering, node: ast.SetComp) -> FrontValue:
    value = lowered(lowering, node.generators, [node.elt], lambda: lowering.evaluate(node.elt))
    return new_set(lowering, value) if isinstance(value, tuple) else set_of(lowering, value)


@expression(ast.GeneratorExp)
def _generator(lowering: Lowering, node: ast.GeneratorExp) -> FrontValue:
    """Evaluated by what it is given to, which is always at once: ``sum``, ``any``, ``tuple``."""
    value = lowered(lowering, node.generators, [node.elt], lambda: lowering.evaluate(node.elt))
    if isinstance(value, Counted):
        return Counted(value.length, value.item, once=True)
    return value if isinstance(value, Yielding) else TupleValue(value, SinglePass)


@expression(ast.DictComp)
def _dict(lowering: Lowering, node: ast.DictComp) -> FrontValue:
    def entry() -> FrontValue:
        return TupleValue((lowering.evaluate(node.key), lowering.evaluate(node.value)), tuple)

    value = lowered(lowering, node.generators, [node.key, node.value], entry)
    if isinstance(value, tuple):
        pairs = [(known_key(pair.items[0]), pair.items[1]) for pair in value if isinstance(pair, TupleValue)]
        return new_dict(lowering, (lowering.path, id(node)), pairs)
    made = filled(lowering, [])
    put = special(lowering, made, "__setitem__")
    assert put is not None

    def store(pair: FrontValue) -> None:
        assert isinstance(pair, TupleValue)
        call(lowering, put, pair.items, {})

    if isinstance(value, Yielding):
        value.run(store)
    else:
        each(lowering, value, id(node), store)
    return made


def lowered(
    lowering: Lowering,
    generators: Sequence[ast.comprehension],
    elements: Sequence[ast.expr],
    element: Callable[[], FrontValue],
) -> Counted | Yielding | tuple[FrontValue, ...]:
    """The items, or how to make each."""
    first, *inner = generators
    source = iterated(lowering, lowering.evaluate(first.iter))
    if isinstance(source, GrowingList):
        source = as_counted(lowering, source)
    around = lowering.scope
    names = assigned([g.target for g in generators])

    def fresh() -> Scope:
        inner = Scope(around.file, around.function_name, around.module, around.cells, around, names)
        inner.of_comprehension = True
        return inner

    if is_counted(source):
        inside = [first.target, *first.ifs, *elements]
        if any(isinstance(n, ast.NamedExpr) for part in inside for n in ast.walk(part)):
            lowering.refuse(first.target, "an assignment in a comprehension of run-time length", "Write a loop.")
        if first.ifs or inner:
            return yielding(lowering, generators, source, fresh, element)
        part = as_counted(lowering, source)

        def item(k: Operand) -> FrontValue:
            with lowering.within(fresh()):
                assign(lowering, first.target, part.item(k))
                return settle(lowering, element())

        return Counted(part.length, item)
    if isinstance(source, Yielding):
        return yielding(lowering, generators, source, fresh, element)
    items = sequence_items(lowering, source)
    try:
        with lowering.within(fresh()):
            return tuple(unrolled(lowering, first, inner, items, element))
    except LengthUnknownError:
        return yielding(lowering, generators, TupleValue(items), fresh, element)


class LengthUnknownError(Exception):
    """How many items there are depends on run-time values."""


def unrolled(
    lowering: Lowering,
    first: ast.comprehension,
    inner: Sequence[ast.comprehension],
    items: Sequence[FrontValue],
    element: Callable[[], FrontValue],
) -> list[FrontValue]:
    found: list[FrontValue] = []
    for k, item in enumerate(items):
        with lowering.within(lowering.scope, (id(first), k)):
            assign(lowering, first.target, item)
            tests = [condition(lowering, test) for test in first.ifs]
            if any(not isinstance(t, Static) for t in tests):
                raise LengthUnknownError
            if not all(isinstance(t, Static) and t.value for t in tests):
                continue
            if not inner:
                found.append(settle(lowering, element()))
                continue
            source = iterated(lowering, lowering.evaluate(inner[0].iter))
            if not has_known_length([source]) and not _has_literal_length(source):  # also of a generator
                raise LengthUnknownError
            found += unrolled(lowering, inner[0], inner[1:], sequence_items(lowering, source), element)
    return found


def _has_literal_length(source: FrontValue) -> bool:
    return isinstance(source, Counted) and isinstance(source.length, Const)


def yielding(
    lowering: Lowering,
    generators: Sequence[ast.comprehension],
    source: FrontValue,
    fresh: Callable[[], Scope],
    element: Callable[[], FrontValue],
) -> Yielding:
    """The items of a comprehension whose number depends on run-time values, by the loops that it stands for."""

    def run(consume: Callable[[FrontValue], None]) -> None:
        outer = lowering.scope
        scope = fresh()

        def innermost() -> None:
            item = settle(lowering, element())
            with lowering.within(outer):
                consume(item)

        with lowering.within(scope):
            _over(lowering, generators, source, innermost)

    return Yielding(run)


def _over(
    lowering: Lowering, generators: Sequence[ast.comprehension], source: FrontValue, innermost: Callable[[], None]
) -> None:
    first, *inner = generators

    def tested(tests: Sequence[ast.expr]) -> FrontValue:
        if tests:
            return branch(lowering, condition(lowering, tests[0]), lambda: tested(tests[1:]), lambda: Static(None))
        if inner:
            _over(lowering, inner, iterated(lowering, lowering.evaluate(inner[0].iter)), innermost)
        else:
            innermost()
        return Static(None)

    def once(item: FrontValue) -> None:
        assign(lowering, first.target, item)
        tested(first.ifs)

    if isinstance(source, Yielding):
        scope = lowering.scope

        def here(item: FrontValue) -> None:
            with lowering.within(scope):
                once(item)

        source.run(here)
        return
    each(lowering, source, id(first), once)
