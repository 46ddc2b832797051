"""The exceptions that `raise` and `assert` name, and their messages, in which run-time numbers may stand."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from srcgrad.errors import UnsupportedError
from srcgrad.frontend.lowering import Lowering
from srcgrad.frontend.operators import kind_of
from srcgrad.frontend.values import FrontValue, ScalarValue, Static
from srcgrad.ir.core import Operand


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
        lowering.refuse(node.exc, "this is not an exception", "Raise a built-in exception such as ValueError.")
    if cls.value.__module__ != "builtins":
        hint = "Raise a built-in exception such as ValueError."
        lowering.refuse(node.exc, f"the exception {cls.value.__name__} is not built in", hint, UnsupportedError)
    text, values = message_of(lowering, arguments)
    return cls.value.__name__, text, values


def message_of(lowering: Lowering, arguments: Sequence[ast.expr]) -> tuple[str, list[Operand]]:
    """The text of an exception's arguments, run-time numbers in it as ``{0}``, ``{1}`` ..."""
    values: list[Operand] = []
    text = ", ".join(_text(lowering, node, values) for node in arguments)
    return text, values


def _text(lowering: Lowering, node: ast.expr, values: list[Operand]) -> str:
    if isinstance(node, ast.JoinedStr):
        parts = (p.value if isinstance(p, ast.FormattedValue) else p for p in node.values)
        return "".join(_text(lowering, p, values) for p in parts)
    value: FrontValue = lowering.evaluate(node)
    if isinstance(value, Static):
        return str(value.value).replace("{", "{{").replace("}", "}}")
    if isinstance(value, ScalarValue):
        values.append(value.operand)
        return f"{{{len(values) - 1}}}"
    lowering.refuse(node, f"{kind_of(value)} in the message of an exception", "Name numbers or text.")
