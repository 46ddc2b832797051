"""`del`: of variables, of items of lists, of entries of dicts."""

from __future__ import annotations

import ast

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.calls.dispatch import call, call_object
from srcgrad.frontend.containers.items import change
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes import names
from srcgrad.frontend.nodes.special_methods import special
from srcgrad.frontend.nodes.subscripts import evaluate_key, static_slice
from srcgrad.frontend.registry import statement
from srcgrad.frontend.values import SliceValue, TupleValue, is_list


@statement(ast.Delete)
def _delete(lowering: Lowering, node: ast.Delete) -> None:
    for target in node.targets:
        match target:
            case ast.Name(id=name):
                names.load(lowering, name)
                names.forget(lowering, name)
            case ast.Subscript():
                with lowering.at(target):
                    _delete_item(lowering, target)
            case _:
                hint = "Build a new container without it."
                lowering.refuse(target, "del of anything but a variable or an item", hint, UnsupportedError)


def _delete_item(lowering: Lowering, target: ast.Subscript) -> None:
    container = lowering.evaluate(target.value)
    method = special(lowering, container, "__delitem__")
    if method is not None:
        call(lowering, method, [lowering.evaluate(target.slice)], {})
        return
    key = evaluate_key(lowering, target.slice)
    known = isinstance(container, TupleValue) and container.cls is list
    if known and isinstance(key[0], SliceValue):
        assert isinstance(container, TupleValue)
        items = list(container.items)
        del items[static_slice(lowering, key[0])]
        change(lowering, container, tuple(items))
    elif (known or is_list(container)) and len(key) == 1 and not isinstance(key[0], SliceValue):
        call_object(lowering, list.pop, [container, key[0]], {})
    elif isinstance(container, TupleValue) and container.cls is dict:
        call_object(lowering, dict.pop, [container, key[0] if len(key) == 1 else TupleValue(key)], {})
    else:
        hint = "Build a new container without it."
        lowering.refuse(None, "del of a part of this", hint, UnsupportedError)
