"""The exceptions that `raise` and `assert` name, and their messages, in which run-time numbers may stand."""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import re
import sys
from collections.abc import Mapping, Sequence
from types import FunctionType

import numpy as np

from srcgrad.frontend.control.merge import settle
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.nodes.operators import kind_of
from srcgrad.frontend.values import ArrayValue, FrontValue, Message, OneOf, ScalarValue, Static, TupleValue, is_list
from srcgrad.ir.core import Operand
from srcgrad.ir.types import Array

PERCENT = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?([diouxXeEfFgGcrsa%])")
LINALG_ERROR = "np.linalg.LinAlgError"  # by the name that every generated module has for it
PLACES = re.compile(r"\{\{|\}\}|\{(\d+)\}")  # of values, in a text whose own braces are doubled
BRACES = re.compile(r"\{(\w*)(?:![rsa])?(?::[^{}]*)?\}")


def exception_and_message(lowering: Lowering, node: ast.Raise) -> tuple[str, str, list[Operand]]:
    """The name of the exception's class, the message with ``{0}`` for values, and the values."""
    if node.exc is None:
        lowering.refuse(node, "raise without an exception", "Name the exception.")
    arguments: Sequence[ast.expr] = ()
    cls_node = node.exc
    if isinstance(node.exc, ast.Call):
        cls_node, arguments = node.exc.func, node.exc.args
    cls = lowering.evaluate(cls_node)
    if not (isinstance(cls, Static) and isinstance(cls.value, type) and issubclass(cls.value, Exception)):
        lowering.refuse(node.exc, "this is not an exception", "Raise one, such as ValueError.")
    text, values = message_of_numbers(lowering, arguments)
    return name_of(raised(cls.value, len(values))), text, values


def raised(cls: type, values: int) -> type:
    """The class that is raised for this one: itself, if it can be imported and made of a text and numbers.

    The first of its bases that can otherwise; the search ends at a built-in exception.
    """
    return next(base for base in cls.__mro__ if _can_be_imported(base) and _takes(base, values))


def _can_be_imported(cls: type) -> bool:
    return getattr(sys.modules.get(cls.__module__), cls.__name__, None) is cls


def _takes(cls: type, values: int) -> bool:
    own = [vars(base).get(name) for base in cls.__mro__ for name in ("__init__", "__new__")]
    if not any(isinstance(method, FunctionType | staticmethod) for method in own):
        return True  # as the built-in exceptions are made
    try:
        inspect.signature(cls).bind("", *range(values))
    except (TypeError, ValueError):
        return False
    return True


def name_of(cls: type) -> str:
    """The name that a ``check`` has for an exception: with its module, unless it is built in."""
    if cls is np.linalg.LinAlgError:
        return LINALG_ERROR
    return cls.__name__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__name__}"


def exception_named(name: str) -> type:
    """The class by the name that a ``check`` has for it."""
    if name == LINALG_ERROR:
        return np.linalg.LinAlgError
    module, _, own = name.rpartition(".")
    found: type = getattr(importlib.import_module(module) if module else builtins, own)
    return found


def message_of_numbers(lowering: Lowering, arguments: Sequence[ast.expr]) -> tuple[str, list[Operand]]:
    """The message of an exception: an array is too much for it, and only said to be one."""
    text, values = message_of(lowering, arguments)
    numbers = [v for v in values if not isinstance(v.type, Array)]

    def shown(place: re.Match[str]) -> str:
        value = None if place[1] is None else values[int(place[1])]
        if value is None or value in numbers:
            return place[0] if value is None else f"{{{numbers.index(value)}}}"
        return "[...]"

    return PLACES.sub(shown, text), numbers


def message_of(lowering: Lowering, arguments: Sequence[ast.expr], separator: str = ", ") -> tuple[str, list[Operand]]:
    """The text of an exception's arguments, or of a print's, run-time numbers in it as ``{0}``, ``{1}`` ..."""
    values: list[Operand] = []
    text = separator.join(_text(lowering, node, values) for node in arguments)
    return text, values


def made_of_values(lowering: Lowering, node: ast.expr) -> FrontValue:
    """A text with numbers in it: known now, or one that exceptions and prints take."""
    text, values = message_of(lowering, [node])
    return Message(text, tuple(values)) if values else Static(text.format())


def _text(lowering: Lowering, node: ast.expr, values: list[Operand]) -> str:
    """The text of an expression; numbers are shown in full, whatever format the source asks for."""
    match node:
        case ast.JoinedStr(values=parts):
            inner = (p.value if isinstance(p, ast.FormattedValue) else p for p in parts)
            return "".join(_text(lowering, p, values) for p in inner)
        case ast.Call(func=ast.Name(id="str" | "repr"), args=[argument]):
            return _text(lowering, argument, values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _text(lowering, left, values) + _text(lowering, right, values)
        case ast.BinOp(left=ast.Constant(value=str() as pattern), op=ast.Mod(), right=right):
            given = right.elts if isinstance(right, ast.Tuple) else [right]
            texts = iter([_text(lowering, g, values) for g in given])
            return PERCENT.sub(lambda m: "%" if m[1] == "%" else next(texts, ""), _escaped(pattern))
        case ast.Call(
            func=ast.Attribute(value=ast.Constant() | ast.Name() as owner, attr="format"), args=given, keywords=named
        ):
            template = lowering.evaluate(owner)
            if isinstance(template, Static) and isinstance(template.value, str):
                shown = {str(k): _text(lowering, argument, values) for k, argument in enumerate(given)}
                shown |= {k.arg: _text(lowering, k.value, values) for k in named if k.arg}
                return _formatted(template.value, shown)
    return _shown(lowering, node, lowering.evaluate(node), values)


def _formatted(pattern: str, texts: Mapping[str, str]) -> str:
    """``pattern.format(...)`` with the texts of its arguments, by position or name."""
    order = iter(texts.values())
    filled = BRACES.sub(lambda m: texts.get(m[1], "") if m[1] else next(order, ""), pattern)
    return filled if "{" not in BRACES.sub("", pattern) else _escaped(pattern)


def _shown(lowering: Lowering, node: ast.expr, value: FrontValue, values: list[Operand]) -> str:
    if isinstance(value, Static):
        return _escaped(str(value.value))
    if isinstance(value, OneOf) and value.of_strings:
        return _escaped(" or ".join(str(option.value) for option in value.options if isinstance(option, Static)))
    if isinstance(value, Message):
        first = len(values)
        values.extend(value.values)
        return PLACES.sub(lambda m: m[0] if m[1] is None else f"{{{first + int(m[1])}}}", value.text)
    value = settle(lowering, value)
    if isinstance(value, ScalarValue | ArrayValue):
        values.append(value.operand if isinstance(value, ScalarValue) else value.ref)
        return f"{{{len(values) - 1}}}"
    if isinstance(value, TupleValue) and not value.keys:
        inner = ", ".join(_shown(lowering, node, item, values) for item in value.items)
        return f"[{inner}]" if value.cls is list else f"({inner})"
    if is_list(value):
        return "[...]"
    lowering.refuse(node, f"{kind_of(value)} in a message", "Name numbers or text.")


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
